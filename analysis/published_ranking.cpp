#include "analysis/published_ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>

#include "analysis/median_polish.hpp"
#include "analysis/near_workload.hpp"
#include "analysis/published_stack.hpp"
#include "specs/hardware_name.hpp"
#include "specs/metric.hpp"

namespace stackx::analysis {
namespace {

// Words that vary within one benchmark, as its sizes do.
constexpr std::array<std::string_view, 6> shape_words{"ta", "tb", "padded", "cell", "image", "data"};

bool is_kind(const std::string& key, const std::string& value) {
  return !shape_value(value) && std::ranges::find(shape_words, key) == shape_words.end();
}

// How many inputs are worked on at once: a choice, where it is a rate of items that counts.
constexpr std::array<std::string_view, 3> batch_words{"batch", "batch_per_gpu", "global_batch"};

bool is_batch(std::string_view key) {
  return std::ranges::find(batch_words, key) != batch_words.end();
}

struct Entry {
  const specs::Published* published;
  PublishedStack stack;
  double value;  // in the unit
  std::string unit;
  bool smaller_is_better;

  specs::Workload shape;  // the workload, without the batch where it is free

  double goodness() const { return smaller_is_better ? -std::log(value) : std::log(value); }
};

Entry entry_of(const specs::Published& published, const specs::Workload& asked) {
  const specs::Metric& metric = *specs::find_metric(published.metric);
  Entry entry{&published, published_stack(published.stack.components), published.value,
              std::string(metric.unit), metric.smaller_is_better, published.workload};
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

std::string detail(const specs::Published& published, const char* key) {
  const auto found = published.details.find(key);
  return found == published.details.end() ? "" : found->second;
}

struct Cell {
  std::vector<const Entry*> entries;  // that count
  std::vector<const Entry*> all;      // and those of other batches
  double goodness = 0;  // the median of theirs; of several batches the best
};

// One stack of a group, with its results by shape.
struct Arm {
  const Entry* first = nullptr;
  std::map<std::string, Cell> cells;  // by the workload's text
};

// What makes results comparable, and those that are.
struct Bucket {
  std::vector<const Entry*> entries;
  std::map<std::string, Arm> arms;  // by the stack's canonical text

  const Entry& sample() const { return *entries.front(); }
};

std::string text_of(const specs::Stack& stack) {
  std::string text;
  for (const auto& [name, version] : stack.components) text += name + "=" + version + "\n";
  return text;
}

std::string bucket_key(const Entry& entry) {
  const specs::Published& p = *entry.published;
  std::string key = specs::hardware_words(p.hardware) + "\n" + entry.unit + "\n" +
                    (entry.smaller_is_better ? "<" : ">") + "\n" +
                    (p.devices ? std::to_string(*p.devices) : "") + "\n" + detail(p, "nodes");
  for (const auto& [name, value] : p.workload.params)
    if (is_kind(name, value)) key += "\n" + name + "=" + value;
  return key;
}

// Several results of one workload are repetitions; of several batches the best one's remain.
void keep_best_batch(Cell& cell) {
  cell.all = cell.entries;
  const Entry* best =
      *std::ranges::max_element(cell.entries, {}, [](const Entry* one) { return one->goodness(); });
  std::erase_if(cell.entries, [&](const Entry* entry) {
    return entry->published->workload != best->published->workload;
  });
}

void fill_arms(Bucket& bucket) {
  bucket.arms.clear();
  for (const Entry* entry : bucket.entries) {
    Arm& arm = bucket.arms[text_of(entry->stack.stack)];
    if (!arm.first) arm.first = entry;
    arm.cells[entry->shape.text()].entries.push_back(entry);
  }
  for (auto& [stack, arm] : bucket.arms)
    for (auto& [shape, cell] : arm.cells) {
      keep_best_batch(cell);
      std::vector<double> values;
      for (const Entry* entry : cell.entries) values.push_back(entry->goodness());
      cell.goodness = median(values);
    }
}

// Stacks that share shapes, directly or through others; the rest apart.
std::vector<Bucket> connected(Bucket& bucket) {
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
  std::vector<Bucket> result;
  for (const auto& stacks : parts) {
    if (stacks.empty()) continue;
    Bucket one;
    for (const Entry* entry : bucket.entries)
      if (stacks.contains(text_of(entry->stack.stack))) one.entries.push_back(entry);
    fill_arms(one);
    result.push_back(std::move(one));
  }
  return result;
}

std::vector<double> paired(const Arm& a, const Arm& b) {
  std::vector<double> logs;
  for (const auto& [shape, cell] : a.cells)
    if (const auto found = b.cells.find(shape); found != b.cells.end())
      logs.push_back(cell.goodness - found->second.goodness);
  return logs;
}

std::optional<ShapeComparison> compared(const Arm& a, const Arm& b, double confidence) {
  const std::vector<double> logs = paired(a, b);
  if (logs.empty()) return std::nullopt;
  ShapeComparison result;
  result.ratio = std::exp(median(logs));
  if (const auto interval = median_interval(logs, confidence))
    result.interval = {std::exp(interval->low), std::exp(interval->high), interval->coverage};
  result.shapes = logs.size();
  result.better = static_cast<std::size_t>(std::ranges::count_if(logs, [](double x) { return x > 0; }));
  result.worse = static_cast<std::size_t>(std::ranges::count_if(logs, [](double x) { return x < 0; }));
  return result;
}

// No stack stands below one that it beats in their paired median, as far as neighbours go (medians
// need not be transitive).
void put_neighbours_in_order(std::vector<const Arm*>& order) {
  for (std::size_t pass = 0; pass < order.size(); ++pass)
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::vector<double> logs = paired(*order[i], *order[i - 1]);
      if (!logs.empty() && median(logs) > 0) std::swap(order[i], order[i - 1]);
    }
}

// The stacks by the level that a median polish gives them, the best first.
std::vector<const Arm*> by_level(const Bucket& bucket) {
  std::map<std::string, std::size_t> shapes;
  for (const auto& [stack, arm] : bucket.arms)
    for (const auto& [shape, cell] : arm.cells) shapes.emplace(shape, shapes.size());
  Table cells;
  std::vector<const Arm*> arms;
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
  std::vector<const Arm*> result;
  for (const std::size_t i : order) result.push_back(arms[i]);
  put_neighbours_in_order(result);
  return result;
}

std::map<std::string, std::size_t> stacks_at(const Bucket& bucket) {
  std::map<std::string, std::size_t> count;
  for (const auto& [stack, arm] : bucket.arms)
    for (const auto& [shape, cell] : arm.cells) ++count[shape];
  return count;
}

const Entry& entry_at(const Bucket& bucket, const std::string& shape) {
  for (const auto& [stack, arm] : bucket.arms)
    if (const auto found = arm.cells.find(shape); found != arm.cells.end())
      return *found->second.entries.front();
  return bucket.sample();
}

// Of the shapes that most stacks have, the one where the best stack that has it is fastest; of mere
// times the longest.
std::string family_shape(const Bucket& bucket, const std::vector<const Arm*>& order) {
  const auto counts = stacks_at(bucket);
  std::size_t most = 0;
  for (const auto& [shape, count] : counts) most = std::max(most, count);
  for (const Arm* arm : order) {
    std::optional<std::pair<double, std::string>> best;
    for (const auto& [shape, cell] : arm->cells) {
      if (counts.at(shape) < most) continue;
      const double size = arm->first->smaller_is_better ? -cell.goodness : cell.goodness;
      if (!best || size > best->first) best = {size, shape};
    }
    if (best) return best->second;
  }
  return bucket.sample().shape.text();
}

// The nearest shape; of those equally near the one that most stacks have.
std::string nearest_shape(const Bucket& bucket, const specs::Workload& asked) {
  std::optional<std::tuple<double, std::ptrdiff_t, std::string>> best;
  for (const auto& [shape, count] : stacks_at(bucket)) {
    const double distance = *octaves(asked, entry_at(bucket, shape).shape);
    const std::tuple candidate{distance, -static_cast<std::ptrdiff_t>(count), shape};
    if (!best || candidate < *best) best = candidate;
  }
  return std::get<2>(*best);
}

std::optional<PeakShare> peak_share(const specs::Accelerators& accelerators,
                                    const std::string& hardware,
                                    std::optional<std::uint64_t> devices,
                                    const specs::Workload& workload, const std::string& unit,
                                    double value) {
  if (unit != "GFLOP/s" || hardware.empty() || !devices) return std::nullopt;
  const specs::Accelerator* accelerator = accelerators.identify(hardware);
  if (!accelerator) return std::nullopt;
  auto peak = specs::peak_of(*accelerator, workload);
  if (!peak) return std::nullopt;
  const auto count = static_cast<double>(*devices);
  // A product has no short cut: what exceeds the peak of float32 was computed in TF32, which
  // frameworks of 2020 to 2022 did unasked.
  const auto tf32 = accelerator->peaks.find("tensorfloat32");
  if (workload.pi == "matmul" && peak->unit == "float32" && value > peak->gflop_s * count &&
      tf32 != accelerator->peaks.end())
    peak = specs::Peak{tf32->second * 1000, tf32->first};
  const double all = peak->gflop_s * count;
  return PeakShare{value / all, all, peak->unit, accelerator->name,
                   std::max<std::size_t>(1, accelerators.named(hardware).size())};
}

class GroupMaker {
 public:
  GroupMaker(const specs::Workload& asked, const specs::Accelerators& accelerators,
             const PublishedRanking& settings)
      : asked_(asked), accelerators_(accelerators), settings_(settings) {}

  PublishedGroup make(const Bucket& bucket) const {
    PublishedGroup group = heading(bucket);
    std::vector<const Arm*> order = by_level(bucket);
    const bool nearest = asks_for_shape(asked_);
    const std::string shape =
        nearest ? nearest_shape(bucket, asked_) : family_shape(bucket, order);
    group.shape = entry_at(bucket, shape).shape;
    if (nearest) {
      group.octaves = octaves(asked_, group.shape);
      group.nearness = nearness_text(asked_, group.shape);
      std::ranges::stable_sort(order, std::ranges::greater(),
                               [&](const Arm* arm) { return goodness_at(*arm, shape); });
    }
    std::erase_if(order, [&](const Arm* arm) {
      if (arm->cells.contains(shape)) return false;
      group.elsewhere.push_back(arm->first->stack.stack);
      return true;
    });
    for (const Arm* arm : order) group.rows.push_back(row(*arm, *order.front(), shape, group));
    rank(order, shape, nearest, group);
    return group;
  }

 private:
  static double goodness_at(const Arm& arm, const std::string& shape) {
    const auto found = arm.cells.find(shape);
    return found == arm.cells.end() ? -1e300 : found->second.goodness;
  }

  PublishedGroup heading(const Bucket& bucket) const {
    const Entry& sample = bucket.sample();
    const specs::Published& p = *sample.published;
    PublishedGroup group;
    group.hardware = p.hardware;
    if (const auto models = accelerators_.named(p.hardware); models.size() == 1)
      group.model = models.front()->name;
    group.devices = p.devices;
    group.nodes = detail(p, "nodes");
    for (const auto& [name, value] : p.workload.params)
      if (is_kind(name, value)) group.params[name] = value;
    group.unit = sample.unit;
    group.smaller_is_better = sample.smaller_is_better;
    group.shapes = stacks_at(bucket).size();
    group.results = bucket.entries.size();
    return group;
  }

  PublishedRow row(const Arm& arm, const Arm& best, const std::string& shape,
                   const PublishedGroup& group) const {
    const Cell& cell = arm.cells.at(shape);
    PublishedRow row;
    row.stack = arm.first->stack.stack;
    row.value = std::exp(group.smaller_is_better ? -cell.goodness : cell.goodness);
    if (cell.entries.size() == 1) row.value = cell.entries.front()->value;  // not through logs
    row.peak = peak_share(accelerators_, group.hardware, group.devices, group.shape, group.unit,
                          row.value);
    if (&arm != &best) {
      row.versus_best = std::exp(cell.goodness - best.cells.at(shape).goodness);
      row.over_shapes = compared(arm, best, settings_.confidence);
    }
    for (const Entry* entry : cell.entries) row.shown.push_back(*entry->published);
    std::set<specs::Source> sources;
    for (const auto& [text, one] : arm.cells)
      for (const Entry* entry : one.all) {
        row.documents.push_back(entry->published->id);
        sources.insert(entry->published->source);
        row.besides.insert(entry->stack.besides.begin(), entry->stack.besides.end());
      }
    std::ranges::sort(row.documents);
    row.sources.assign(sources.begin(), sources.end());
    return row;
  }

  // Whether `arm` is shown to be worse than one of the rank above; with fewer than six shapes, or
  // where one shape is asked for, whether its numbers are.
  bool apart(const Arm& arm, const std::vector<const Arm*>& above, const std::string& shape,
             bool at_shape, bool& by_numbers) const {
    const double edge = 1 / (1 + settings_.delta);
    for (const Arm* other : above) {
      if (at_shape) {
        by_numbers = true;
        if (std::exp(goodness_at(arm, shape) - goodness_at(*other, shape)) < edge) return true;
        continue;
      }
      const auto comparison = compared(arm, *other, settings_.confidence);
      if (!comparison) continue;
      by_numbers = !comparison->interval;
      if ((comparison->interval ? comparison->interval->high : comparison->ratio) < edge)
        return true;
    }
    return false;
  }

  void rank(const std::vector<const Arm*>& order, const std::string& shape, bool at_shape,
            PublishedGroup& group) const {
    std::vector<const Arm*> same;
    for (std::size_t i = 0; i < order.size(); ++i) {
      bool by_numbers = false;
      const bool next = i == 0 || apart(*order[i], same, shape, at_shape, by_numbers);
      if (next) same.clear();
      group.rows[i].rank = next ? i + 1 : group.rows[i - 1].rank;
      group.rows[i].by_numbers = next && by_numbers;
      same.push_back(order[i]);
    }
  }

  const specs::Workload& asked_;
  const specs::Accelerators& accelerators_;
  const PublishedRanking& settings_;
};

// The usual order of words: what a reader looks for first.
std::size_t place(const PublishedGroup& group, const char* key,
                  std::initializer_list<std::string_view> order) {
  const auto found = group.params.find(key);
  if (found == group.params.end()) return order.size() + 1;
  const auto at = std::ranges::find(order, std::string_view(found->second));
  return static_cast<std::size_t>(at - order.begin());
}

auto usual_order(const PublishedGroup& group) {
  return std::tuple{
      group.octaves.value_or(0), group.rows.size() < 2, group.devices.value_or(1),
      place(group, "pass", {"fwd", "total", "bwd", "bwd_inputs", "bwd_params"}),
      place(group, "dtype", {"float16", "bfloat16", "float32", "float64", "int8"}),
      place(group, "precision", {"amp", "fp16", "tf32", "fp32", "int8"}), group.params,
      group.hardware};
}

// The best of each bucket of results without a stack, in the usual order of names.
std::vector<UnnamedResult> best_unnamed(const std::vector<Entry>& entries,
                                        const specs::Accelerators& accelerators) {
  std::map<std::string, const Entry*> best;
  for (const Entry& entry : entries) {
    const Entry*& one = best[bucket_key(entry)];
    if (!one || entry.goodness() > one->goodness()) one = &entry;
  }
  std::vector<UnnamedResult> result;
  for (const auto& [key, entry] : best) {
    const specs::Published& p = *entry->published;
    result.push_back({p, entry->value, entry->unit,
                      peak_share(accelerators, p.hardware, p.devices, p.workload, entry->unit,
                                 entry->value)});
  }
  return result;
}

specs::Workload only_kind(const specs::Workload& asked) {
  specs::Workload kind = asked;
  std::erase_if(kind.params, [](const auto& param) { return shape_value(param.second).has_value(); });
  return kind;
}

}  // namespace

PublishedRanking rank_published(const std::vector<specs::Published>& published,
                                const specs::Workload& asked,
                                const specs::Accelerators& accelerators, double delta) {
  PublishedRanking ranking;
  ranking.asked = asked;
  ranking.delta = delta;
  const specs::Workload kind = only_kind(asked);
  std::vector<Entry> entries, unnamed;
  for (const auto& result : published) {
    if (!kind.matches(result.workload)) continue;
    Entry entry = entry_of(result, asked);
    if (entry.stack.stack.components.empty())
      unnamed.push_back(std::move(entry));
    else if (!octaves(asked, result.workload))
      ++ranking.without_shape;
    else
      entries.push_back(std::move(entry));
  }
  ranking.without_stack = unnamed.size();
  ranking.unnamed = best_unnamed(unnamed, accelerators);
  std::map<std::string, Bucket> buckets;
  for (const Entry& entry : entries) buckets[bucket_key(entry)].entries.push_back(&entry);
  const GroupMaker maker(asked, accelerators, ranking);
  for (auto& [key, bucket] : buckets)
    for (const Bucket& part : connected(bucket)) {
      ranking.groups.push_back(maker.make(part));
      ranking.results += part.entries.size();
    }
  std::ranges::stable_sort(ranking.groups, {}, usual_order);
  return ranking;
}

std::string spread_text(const specs::Published& published) {
  if (!published.runs && published.values.empty() && !published.min && !published.stdev)
    return "single published number";
  const std::size_t runs = published.runs.value_or(published.values.size());
  std::string text = runs ? fmt::format("{} run{}", runs, runs == 1 ? "" : "s") : "runs not counted";
  if (!published.statistic.empty()) {
    std::string statistic = published.statistic;
    std::ranges::replace(statistic, '_', ' ');
    text += ", " + statistic;
  }
  auto least = published.min, most = published.max;
  if (!published.values.empty()) {
    least = *std::ranges::min_element(published.values);
    most = *std::ranges::max_element(published.values);
  }
  if (least && most) text += fmt::format(", {:g} to {:g}", *least, *most);
  if (published.stdev) text += fmt::format(", standard deviation {:g}", *published.stdev);
  return text;
}

std::string group_title(const PublishedGroup& group) {
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : ", ") + word; };
  const auto find = [&](const char* key) {
    const auto found = group.params.find(key);
    return found == group.params.end() ? std::string() : found->second;
  };
  const std::string dtype = find("dtype"), mul = find("mul"), acc = find("acc");
  if (!dtype.empty()) add(dtype);
  if (!mul.empty() && (mul != dtype || acc != dtype))
    add(fmt::format("products {}, sums {}", mul, acc.empty() ? "not stated" : acc));
  for (const auto& [name, value] : group.params)
    if (name != "dtype" && name != "mul" && name != "acc") add(name + " " + value);
  add(group.hardware.empty() ? "hardware not stated" : group.hardware);
  if (group.devices) add(fmt::format("{} device{}", *group.devices, *group.devices == 1 ? "" : "s"));
  if (!group.nodes.empty()) add(group.nodes + (group.nodes == "1" ? " node" : " nodes"));
  return text;
}

}  // namespace stackx::analysis
