#include "analysis/published/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "analysis/published/arms.hpp"
#include "analysis/published/configuration.hpp"
#include "analysis/published/near_workload.hpp"
#include "analysis/published/peak_remark.hpp"
#include "specs/hardware/spelled_models.hpp"
#include "specs/result/metric.hpp"

namespace stackx::analysis {
namespace {

std::optional<ShapeComparison> compared(const PublishedArm& a, const PublishedArm& b,
                                        double confidence) {
  const std::vector<double> logs = paired(a, b);
  if (logs.empty()) return std::nullopt;
  return over_shapes(logs, confidence);
}

struct AtShape {
  std::size_t stacks = 0;
  const PublishedEntry* first = nullptr;
};
using Shapes = std::map<std::string, AtShape>;

Shapes shapes_of(const PublishedBucket& bucket) {
  Shapes shapes;
  for (const auto& [stack, arm] : bucket.arms)
    for (const auto& [shape, cell] : arm.cells)
      if (auto& at = shapes[shape]; ++at.stacks == 1) at.first = cell.entries.front();
  return shapes;
}

// Of these the likest to the usual one; nothing where the work has none.
const std::string* usual_shape(const Shapes& shapes, std::size_t stacks) {
  std::optional<std::pair<Unusual, const std::string*>> best;
  for (const auto& [shape, at] : shapes)
    if (const auto far = unusual(at.first->shape); far && at.stacks == stacks && (!best || *far < best->first)) best = {*far, &shape};
  return best ? best->second : nullptr;
}

// Of the shapes that most stacks have, the usual one, else the one where the best stack that has it is fastest; of mere
// times the longest.
std::string family_shape(const Shapes& shapes, const std::vector<const PublishedArm*>& order) {
  std::size_t most = 0;
  for (const auto& [shape, at] : shapes) most = std::max(most, at.stacks);
  if (const auto* usual = usual_shape(shapes, most)) return *usual;
  for (const PublishedArm* arm : order) {
    std::optional<std::pair<double, std::string>> best;
    for (const auto& [shape, cell] : arm->cells) {
      if (shapes.at(shape).stacks < most) continue;
      const double size = arm->first->smaller_is_better ? -cell.goodness : cell.goodness;
      if (!best || size > best->first) best = {size, shape};
    }
    if (best) return best->second;
  }
  return shapes.begin()->first;
}

// The nearest shape; of those equally near the one that most stacks have.
std::string nearest_shape(const Shapes& shapes, const specs::Workload& asked) {
  std::optional<std::tuple<double, std::ptrdiff_t, std::string>> best;
  for (const auto& [shape, at] : shapes) {
    const double distance = *octaves(asked, at.first->shape);
    const std::tuple candidate{distance, -static_cast<std::ptrdiff_t>(at.stacks), shape};
    if (!best || candidate < *best) best = candidate;
  }
  return std::get<2>(*best);
}

std::optional<PeakShare> peak_share(specs::SpelledModels& models,
                                    const std::string& hardware,
                                    std::optional<std::uint64_t> devices,
                                    const specs::Workload& workload, const std::string& unit,
                                    double value) {
  if (hardware.empty()) return std::nullopt;
  const specs::Accelerator* accelerator = models.of(hardware);
  if (!accelerator) return std::nullopt;
  auto peak = specs::peak_of(*accelerator, workload, unit);
  if (!peak) return std::nullopt;
  const auto count = static_cast<double>(devices.value_or(1));
  // A product has no short cut: what exceeds the peak of float32 was computed in TF32, which
  // frameworks of 2020 to 2022 did unasked.
  const auto tf32 = accelerator->peaks.find("tensorfloat32");
  if (workload.pi == "matmul" && peak->unit == "float32" && value > peak->rate * count &&
      tf32 != accelerator->peaks.end())
    peak = specs::Peak{tf32->second * 1000, tf32->first};
  const double all = peak->rate * count;
  if (!devices && value <= all) return std::nullopt;  // a share of how many?
  auto remark = devices ? peak_remark(value / all, workload)
                        : "above the stated peak of one: the source does not say how many ran";
  return PeakShare{value / all, {all, peak->unit}, accelerator->name,
                   std::max<std::size_t>(1, models.named(hardware).size()), std::move(remark)};
}

// Of rates, in the row's unit, whatever that of the document is.
std::optional<Interval> over_processes(const PublishedRow& row, double confidence) {
  if (row.shown.size() != 1) return std::nullopt;
  const auto& shown = row.shown.front();
  if (shown.values.empty() || specs::find_metric(shown.metric)->smaller_is_better) return std::nullopt;
  const auto interval = median_interval(shown.values, confidence);
  if (!interval) return std::nullopt;
  const double scale = row.value / shown.value;
  return Interval{interval->low * scale, interval->high * scale, interval->coverage};
}

class GroupMaker {
 public:
  GroupMaker(const specs::Workload& asked, specs::SpelledModels& models, const PublishedRanking& settings)
      : asked_(asked), models_(models), settings_(settings) {}

  PublishedGroup make(const PublishedBucket& bucket) const {
    PublishedGroup group = heading(bucket);
    std::vector<const PublishedArm*> order = by_level(bucket);
    const bool nearest = asks_for_shape(asked_);
    const Shapes shapes = shapes_of(bucket);
    const std::string shape = nearest ? nearest_shape(shapes, asked_) : family_shape(shapes, order);
    group.shape = shapes.at(shape).first->shape;
    if (nearest) {
      group.octaves = octaves(asked_, group.shape);
      group.nearness = nearness_text(asked_, group.shape);
      std::ranges::stable_sort(order, std::ranges::greater(),
                               [&](const PublishedArm* arm) { return goodness_at(*arm, shape); });
    }
    std::erase_if(order, [&](const PublishedArm* arm) {
      if (arm->cells.contains(shape)) return false;
      group.elsewhere.push_back(arm->first->stack.stack);
      return true;
    });
    for (const PublishedArm* arm : order)
      group.rows.push_back(row(*arm, *order.front(), shape, group));
    rank(order, shape, nearest, group);
    return group;
  }

  PublishedGroup heading(const PublishedBucket& bucket) const {
    const PublishedEntry& sample = bucket.sample();
    const specs::Published& p = *sample.published;
    PublishedGroup group;
    group.hardware = p.hardware;
    if (const auto& models = models_.named(p.hardware); models.size() == 1)
      group.model = models.front()->name;
    group.devices = p.devices;
    group.nodes = published_detail(p, "nodes");
    for (const auto& [name, value] : p.workload.params)
      if (is_kind(name, value)) group.params[name] = value;
    group.unit = sample.unit;
    group.smaller_is_better = sample.smaller_is_better;
    group.shapes = bucket.shapes;
    group.results = bucket.entries.size();
    return group;
  }

 private:
  static double goodness_at(const PublishedArm& arm, const std::string& shape) {
    const auto found = arm.cells.find(shape);
    return found == arm.cells.end() ? -1e300 : found->second.goodness;
  }

  PublishedRow row(const PublishedArm& arm, const PublishedArm& best, const std::string& shape,
                   const PublishedGroup& group) const {
    const PublishedCell& cell = arm.cells.at(shape);
    PublishedRow row;
    row.stack = arm.first->stack.stack;
    row.value = std::exp(group.smaller_is_better ? -cell.goodness : cell.goodness);
    if (cell.entries.size() == 1) row.value = cell.entries.front()->value;  // not through logs
    row.peak = peak_share(models_, group.hardware, group.devices, group.shape, group.unit,
                          row.value);
    if (&arm != &best) {
      row.versus_best = std::exp(cell.goodness - best.cells.at(shape).goodness);
      row.over_shapes = compared(arm, best, settings_.confidence);
    }
    for (const PublishedEntry* entry : cell.entries) row.shown.push_back(*entry->published);
    row.own = std::ranges::all_of(row.shown, [](const auto& one) { return specs::measured_with_stackx(one.source); });
    if (row.own) row.interval = over_processes(row, settings_.confidence);
    std::set<specs::Source> sources;
    for (const auto& [text, one] : arm.cells) {
      row.logs.emplace(text, one.goodness);
      for (const PublishedEntry* entry : one.all) {
        row.documents.push_back(entry->published->id);
        sources.insert(entry->published->source);
        row.besides.insert(entry->stack.besides.begin(), entry->stack.besides.end());
      }
    }
    std::ranges::sort(row.documents);
    row.sources.assign(sources.begin(), sources.end());
    return row;
  }

  // Whether `arm` is shown to be worse than one of the rank above; with fewer than six shapes, or
  // where one shape is asked for, whether its numbers are.
  bool apart(const PublishedArm& arm, const std::vector<const PublishedArm*>& above,
             const std::string& shape, bool at_shape, bool& by_numbers) const {
    const double edge = 1 / (1 + settings_.delta);
    for (const PublishedArm* other : above) {
      if (at_shape) {
        by_numbers = true;
        if (std::exp(goodness_at(arm, shape) - goodness_at(*other, shape)) < edge) return true;
        continue;
      }
      const std::vector<double> logs = paired(arm, *other);
      // The interval's upper end lies no lower than the median; most of many stacks are told by that.
      if (logs.empty() || std::exp(median(logs)) >= edge) continue;
      const auto comparison = over_shapes(logs, settings_.confidence);
      by_numbers = !comparison.interval;
      if ((comparison.interval ? comparison.interval->high : comparison.ratio) < edge)
        return true;
    }
    return false;
  }

  void rank(const std::vector<const PublishedArm*>& order, const std::string& shape, bool at_shape,
            PublishedGroup& group) const {
    std::vector<const PublishedArm*> same;
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
  specs::SpelledModels& models_;
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
  return std::tuple{group.octaves.value_or(0),
                    std::ranges::none_of(group.rows, &PublishedRow::own),
                    group.rows.size() < 2,
                    group.devices.value_or(1),
                    place(group, "pass", {"fwd", "total", "bwd", "bwd_inputs", "bwd_params"}),
                    place(group, "dtype", {"float16", "bfloat16", "float32", "float64", "int8"}),
                    place(group, "precision", {"amp", "fp16", "tf32", "fp32", "int8"}),
                    group.params,
                    group.hardware};
}

// The best of each bucket of results without a stack, in the usual order of names.
std::vector<UnnamedResult> best_unnamed(const std::vector<PublishedEntry>& entries,
                                        specs::SpelledModels& models) {
  std::map<std::string, const PublishedEntry*> best;
  for (const PublishedEntry& entry : entries) {
    const PublishedEntry*& one = best[bucket_key(entry)];
    if (!one || entry.goodness() > one->goodness()) one = &entry;
  }
  std::vector<UnnamedResult> result;
  for (const auto& [key, entry] : best) {
    const specs::Published& p = *entry->published;
    result.push_back(
        {p, entry->value, entry->unit,
         peak_share(models, p.hardware, p.devices, p.workload, entry->unit, entry->value)});
  }
  return result;
}

// Each is held against all: above this a comparison takes long, and says nothing to anybody.
constexpr std::size_t most_stacks = 1000;

void leave_out(const PublishedBucket& bucket, const GroupMaker& maker, PublishedRanking& ranking) {
  ranking.of_too_many += bucket.entries.size();
  ranking.notes.push_back(fmt::format(
      "{} published results ({}) are left out: they are of {} stacks that share shapes, and more than {} are not "
      "ranked; `stackx query sources` says where they are from, and --db takes a store without them",
      bucket.entries.size(), group_title(maker.heading(bucket)), bucket.arms.size(), most_stacks));
}

// The type of a product's result is often no parameter: its source or its stack says it. What nobody says is no answer to a
// question for one type.
bool is_written_as(const specs::Workload& asked, const specs::Published& result) {
  const auto wanted = asked.params.find("result");
  if (asked.pi != "matmul" || wanted == asked.params.end()) return true;
  specs::Workload as_asked = result.workload;
  as_asked.params["result"] = wanted->second;
  const auto written = result_of(result);
  return !written.empty() && written == result_from(as_asked, result.stack);
}

specs::Workload only_kind(const specs::Workload& asked) {
  specs::Workload kind = asked;
  std::erase_if(kind.params,
                [](const auto& param) { return shape_value(param.second).has_value(); });
  return kind;
}

}  // namespace

ShapeComparison over_shapes(const std::vector<double>& logs, double confidence) {
  ShapeComparison result;
  result.ratio = std::exp(median(logs));
  if (const auto interval = median_interval(logs, confidence))
    result.interval = {std::exp(interval->low), std::exp(interval->high), interval->coverage};
  result.shapes = logs.size();
  result.better =
      static_cast<std::size_t>(std::ranges::count_if(logs, [](double x) { return x > 0; }));
  result.worse =
      static_cast<std::size_t>(std::ranges::count_if(logs, [](double x) { return x < 0; }));
  return result;
}

PublishedRanking rank_published(const std::vector<specs::Published>& published,
                                const specs::Workload& asked,
                                const specs::Accelerators& accelerators, double delta) {
  PublishedRanking ranking;
  ranking.asked = asked;
  ranking.delta = delta;
  specs::Workload sought = asked;
  if (asked.pi == "matmul") sought.params.erase("result");
  const specs::Workload kind = only_kind(sought);
  std::vector<PublishedEntry> entries, unnamed;
  for (const auto& result : published) {
    if (!kind.matches(result.workload) || !is_written_as(asked, result)) continue;
    PublishedEntry entry = entry_of(result, sought);
    if (entry.stack.stack.components.empty())
      unnamed.push_back(std::move(entry));
    else if (!octaves(sought, result.workload))
      ++ranking.without_shape;
    else
      entries.push_back(std::move(entry));
  }
  ranking.without_stack = unnamed.size();
  specs::SpelledModels models(accelerators);
  ranking.unnamed = best_unnamed(unnamed, models);
  std::map<std::string, std::vector<const PublishedEntry*>> buckets;
  for (const PublishedEntry& entry : entries) buckets[bucket_key(entry)].push_back(&entry);
  const GroupMaker maker(sought, models, ranking);
  for (const auto& [key, bucket] : buckets)
    for (const PublishedBucket& part : connected(bucket)) {
      if (part.arms.size() > most_stacks) {
        leave_out(part, maker, ranking);
        continue;
      }
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
  std::string text =
      runs ? fmt::format("{} run{}", runs, runs == 1 ? "" : "s") : "runs not counted";
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
  if (group.devices)
    add(fmt::format("{} device{}", *group.devices, *group.devices == 1 ? "" : "s"));
  if (!group.nodes.empty()) add(group.nodes + (group.nodes == "1" ? " node" : " nodes"));
  return text;
}

}  // namespace stackx::analysis
