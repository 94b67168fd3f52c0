#include "analysis/published/arms.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "analysis/published/near_workload.hpp"
#include "analysis/statistics/median_polish.hpp"
#include "analysis/statistics/statistics.hpp"
#include "specs/hardware/name.hpp"
#include "specs/result/metric.hpp"

namespace stackx::analysis {
namespace {

// Words that vary within one benchmark, as its sizes do.
constexpr std::array<std::string_view, 6> shape_words{"ta",   "tb",    "padded",
                                                      "cell", "image", "data"};

// How many inputs are worked on at once: a choice, where it is a rate of items that counts.
constexpr std::array<std::string_view, 3> batch_words{"batch", "batch_per_gpu", "global_batch"};

bool is_batch(std::string_view key) {
  return std::ranges::find(batch_words, key) != batch_words.end();
}

std::string text_of(const specs::Stack& stack) {
  std::string text;
  for (const auto& [name, version] : stack.components) text += name + "=" + version + "\n";
  return text;
}

// Several results of one workload are repetitions; of several batches the best one's remain.
void keep_best_batch(PublishedCell& cell) {
  cell.all = cell.entries;
  const PublishedEntry* best = *std::ranges::max_element(
      cell.entries, {}, [](const PublishedEntry* one) { return one->goodness(); });
  std::erase_if(cell.entries, [&](const PublishedEntry* entry) {
    return entry->published->workload != best->published->workload;
  });
}

void fill_arms(PublishedBucket& bucket) {
  bucket.arms.clear();
  for (const PublishedEntry* entry : bucket.entries) {
    PublishedArm& arm = bucket.arms[text_of(entry->stack.stack)];
    if (!arm.first) arm.first = entry;
    arm.cells[entry->shape.text()].entries.push_back(entry);
  }
  for (auto& [stack, arm] : bucket.arms)
    for (auto& [shape, cell] : arm.cells) {
      keep_best_batch(cell);
      std::vector<double> values;
      for (const PublishedEntry* entry : cell.entries) values.push_back(entry->goodness());
      cell.goodness = median(values);
    }
}

// No stack stands below one that it beats in their paired median, as far as neighbours go (medians
// need not be transitive).
void put_neighbours_in_order(std::vector<const PublishedArm*>& order) {
  for (std::size_t pass = 0; pass < order.size(); ++pass)
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::vector<double> logs = paired(*order[i], *order[i - 1]);
      if (!logs.empty() && median(logs) > 0) std::swap(order[i], order[i - 1]);
    }
}

}  // namespace

bool is_kind(const std::string& key, const std::string& value) {
  return !shape_value(value) && std::ranges::find(shape_words, key) == shape_words.end();
}

PublishedEntry entry_of(const specs::Published& published, const specs::Workload& asked) {
  const specs::Metric& metric = *specs::find_metric(published.metric);
  PublishedEntry entry{&published,
                       published_stack(published.stack.components),
                       published.value,
                       std::string(metric.unit),
                       metric.smaller_is_better,
                       published.workload};
  if (const auto rate = specs::rate_of(metric, published.value, published.workload)) {
    entry.value = rate->value;
    entry.unit = rate->unit;
    entry.smaller_is_better = false;
  }
  const auto asked_for = [](const auto& param) { return is_batch(param.first); };
  if (entry.unit == "items/s" && std::ranges::none_of(asked.params, asked_for))
    std::erase_if(entry.shape.params, asked_for);
  return entry;
}

std::string published_detail(const specs::Published& published, const char* key) {
  const auto found = published.details.find(key);
  return found == published.details.end() ? "" : found->second;
}

std::string bucket_key(const PublishedEntry& entry) {
  const specs::Published& p = *entry.published;
  std::string key = specs::hardware_words(p.hardware) + "\n" + entry.unit + "\n" +
                    (entry.smaller_is_better ? "<" : ">") + "\n" +
                    (p.devices ? std::to_string(*p.devices) : "") + "\n" +
                    published_detail(p, "nodes");
  for (const auto& [name, value] : p.workload.params)
    if (is_kind(name, value)) key += "\n" + name + "=" + value;
  return key;
}

std::vector<PublishedBucket> connected(PublishedBucket& bucket) {
  fill_arms(bucket);
  std::map<std::string, std::size_t> part_of_shape;  // shape -> part
  std::vector<std::set<std::string>> parts;          // stacks
  for (const auto& [stack, arm] : bucket.arms) {
    std::set<std::size_t> touched;
    for (const auto& [shape, cell] : arm.cells)
      if (const auto found = part_of_shape.find(shape); found != part_of_shape.end())
        touched.insert(found->second);
    const std::size_t part = touched.empty() ? parts.size() : *touched.begin();
    if (touched.empty()) parts.emplace_back();
    parts[part].insert(stack);
    for (const std::size_t other : touched)
      if (other != part) parts[part].merge(parts[other]);
    for (auto& [shape, owner] : part_of_shape)
      if (touched.contains(owner)) owner = part;
    for (const auto& [shape, cell] : arm.cells) part_of_shape[shape] = part;
  }
  std::vector<PublishedBucket> result;
  for (const auto& stacks : parts) {
    if (stacks.empty()) continue;
    PublishedBucket one;
    for (const PublishedEntry* entry : bucket.entries)
      if (stacks.contains(text_of(entry->stack.stack))) one.entries.push_back(entry);
    fill_arms(one);
    result.push_back(std::move(one));
  }
  return result;
}

std::vector<double> paired(const PublishedArm& a, const PublishedArm& b) {
  std::vector<double> logs;
  for (const auto& [shape, cell] : a.cells)
    if (const auto found = b.cells.find(shape); found != b.cells.end())
      logs.push_back(cell.goodness - found->second.goodness);
  return logs;
}

std::vector<const PublishedArm*> by_level(const PublishedBucket& bucket) {
  std::map<std::string, std::size_t> shapes;
  for (const auto& [stack, arm] : bucket.arms)
    for (const auto& [shape, cell] : arm.cells) shapes.emplace(shape, shapes.size());
  Table cells;
  std::vector<const PublishedArm*> arms;
  for (const auto& [stack, arm] : bucket.arms) {
    cells.emplace_back(shapes.size());
    for (const auto& [shape, cell] : arm.cells) cells.back()[shapes.at(shape)] = cell.goodness;
    arms.push_back(&arm);
  }
  const Polished polished = median_polish(cells);
  std::vector<std::size_t> order(arms.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t i) { return polished.arms[i].value_or(-1e300); });
  std::vector<const PublishedArm*> result;
  for (const std::size_t i : order) result.push_back(arms[i]);
  put_neighbours_in_order(result);
  return result;
}

}  // namespace stackx::analysis
