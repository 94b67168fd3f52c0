#include "analysis/published/arms.hpp"

#include <algorithm>
#include <array>
#include <numeric>

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

using Arms = std::map<std::string, PublishedArm>;

Arms arms_of(const std::vector<const PublishedEntry*>& entries) {
  Arms arms;
  for (const PublishedEntry* entry : entries) {
    PublishedArm& arm = arms[text_of(entry->stack.stack)];
    if (!arm.first) arm.first = entry;
    arm.cells[entry->shape.text()].entries.push_back(entry);
  }
  for (auto& [stack, arm] : arms)
    for (auto& [shape, cell] : arm.cells) {
      keep_best_batch(cell);
      std::vector<double> values;
      for (const PublishedEntry* entry : cell.entries) values.push_back(entry->goodness());
      cell.goodness = median(values);
    }
  return arms;
}

// Numbers that are joined stand for the least of theirs.
class Joined {
 public:
  explicit Joined(std::size_t count) : above_(count) { std::iota(above_.begin(), above_.end(), std::size_t{0}); }

  std::size_t least(std::size_t of) {
    while (above_[of] != of) of = above_[of] = above_[above_[of]];
    return of;
  }
  void join(std::size_t a, std::size_t b) {
    a = least(a), b = least(b);
    above_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> above_;
};

// Of each arm in their order the first that it is connected with.
std::vector<std::size_t> connections(const Arms& arms) {
  Joined joined(arms.size());
  std::map<std::string_view, std::size_t> first_with;  // the shape
  std::size_t number = 0;
  for (const auto& [stack, arm] : arms) {
    for (const auto& [shape, cell] : arm.cells) joined.join(first_with.emplace(shape, number).first->second, number);
    ++number;
  }
  std::vector<std::size_t> firsts(arms.size());
  for (std::size_t i = 0; i < firsts.size(); ++i) firsts[i] = joined.least(i);
  return firsts;
}

void number_shapes(PublishedBucket& bucket) {
  std::map<std::string_view, std::size_t> numbers;
  for (const auto& [stack, arm] : bucket.arms)
    for (const auto& [shape, cell] : arm.cells) numbers.emplace(shape, 0);
  for (auto& [shape, number] : numbers) number = bucket.shapes++;
  for (auto& [stack, arm] : bucket.arms)
    for (const auto& [shape, cell] : arm.cells) arm.levels.emplace_back(numbers.at(shape), cell.goodness);
}

// No stack stands below one that it beats in their paired median, as far as neighbours go (medians
// need not be transitive).
void put_neighbours_in_order(std::vector<const PublishedArm*>& order) {
  bool moved = true;
  for (std::size_t pass = 0; moved && pass < order.size(); ++pass) {
    moved = false;
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::vector<double> logs = paired(*order[i], *order[i - 1]);
      if (logs.empty() || median(logs) <= 0) continue;
      std::swap(order[i], order[i - 1]);
      moved = true;
    }
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

std::vector<PublishedBucket> connected(const std::vector<const PublishedEntry*>& entries) {
  Arms arms = arms_of(entries);
  std::map<std::size_t, PublishedBucket> parts;  // by their first arm
  std::map<std::string_view, PublishedBucket*> part_of;
  const std::vector<std::size_t> firsts = connections(arms);
  std::size_t number = 0;
  for (auto& [stack, arm] : arms) {
    PublishedBucket& part = parts[firsts[number++]];
    part_of[part.arms.emplace(stack, std::move(arm)).first->first] = &part;
  }
  for (const PublishedEntry* entry : entries) part_of.at(text_of(entry->stack.stack))->entries.push_back(entry);
  std::vector<PublishedBucket> result;
  for (auto& [first, part] : parts) {
    number_shapes(part);
    result.push_back(std::move(part));
  }
  return result;
}

std::vector<double> paired(const PublishedArm& a, const PublishedArm& b) {
  std::vector<double> logs;
  auto other = b.levels.begin();
  for (const auto& [shape, level] : a.levels) {
    while (other != b.levels.end() && other->first < shape) ++other;
    if (other == b.levels.end()) break;
    if (other->first == shape) logs.push_back(level - other->second);
  }
  return logs;
}

std::vector<const PublishedArm*> by_level(const PublishedBucket& bucket) {
  SparseTable cells{bucket.arms.size(), bucket.shapes, {}};
  std::vector<const PublishedArm*> arms;
  for (const auto& [stack, arm] : bucket.arms) {
    for (const auto& [shape, level] : arm.levels) cells.cells.push_back({arms.size(), shape, level});
    arms.push_back(&arm);
  }
  const Polished polished = sparse_median_polish(std::move(cells));
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
