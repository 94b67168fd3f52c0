#include "analysis/ranking/side_by_side.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/ranking/placement.hpp"

namespace stackx::analysis {
namespace {

Interval exponential(const Interval& interval) {
  return {std::exp(interval.low), std::exp(interval.high), interval.coverage};
}

std::vector<double> log_rates(const StackRates& stack) {
  auto values = rates(stack);
  for (double& value : values) value = std::log(value);
  return values;
}

// The rates of a process's samples: its median rate times their median time over each time. Of anything else a process says
// one value.
std::vector<double> sample_logs(const Value& value, const specs::Yardstick& yardstick) {
  if (!yardstick.is_rate()) return {std::log(value.amount)};
  std::vector<double> speeds;
  for (const auto ns : value.measurement->samples_ns) speeds.push_back(1 / static_cast<double>(ns));
  const double scale = value.amount / median(speeds);
  for (double& speed : speeds) speed = std::log(speed * scale);
  return speeds;
}

std::map<Slot, std::vector<double>> samples_by_slot(const StackRates& stack, const specs::Yardstick& yardstick) {
  std::map<Slot, std::vector<double>> result;
  for (const Value& value : stack.values) {
    const auto logs = sample_logs(value, yardstick);
    auto& all = result[value.slot];
    all.insert(all.end(), logs.begin(), logs.end());
  }
  return result;
}

std::vector<PairedProcesses> processes(const Couple& couple, const Finals& finals, const specs::Yardstick& yardstick) {
  std::map<Slot, NodeId> nodes;
  for (const Value& value : couple.a->values) nodes[value.slot] = node_of(*value.measurement);
  const auto shared = paired_by_slot(*couple.a, *couple.b, finals);
  const auto of_a = samples_by_slot(*couple.a, yardstick), of_b = samples_by_slot(*couple.b, yardstick);
  std::vector<PairedProcesses> result;
  for (const auto& [slot, log] : shared) {
    const auto& [host, fingerprint] = nodes.at(slot);  // identical nodes share the fingerprint
    result.push_back({std::string(host) + '\n' + std::string(fingerprint), of_a.at(slot), of_b.at(slot)});
  }
  return result;
}

CoupleResult begin(const Couple& couple, double confidence) {
  CoupleResult result;
  result.a = couple.a->stack;
  result.b = couple.b->stack;
  result.of_a = summarise(*couple.a, confidence);
  result.of_b = summarise(*couple.b, confidence);
  return result;
}

void sort_by_ratio(std::vector<CoupleResult>& couples) {
  std::ranges::stable_sort(couples, std::ranges::greater{},
                           [](const CoupleResult& c) { return c.comparison.ratio; });
}

// The median over the couples of each round.
std::map<Slot, std::vector<double>> logs_by_round(const std::vector<Couple>& couples,
                                                  const Finals& finals) {
  std::map<Slot, std::vector<double>> result;
  for (const auto& couple : couples)
    for (const auto& [slot, log] : paired_by_slot(*couple.a, *couple.b, finals))
      result[slot].push_back(log);
  return result;
}

using Rounds = std::map<Slot, std::vector<double>>;

std::map<NodeId, std::vector<double>> logs_by_node(const std::vector<Couple>& couples, const Rounds& rounds) {
  std::map<Slot, NodeId> nodes;
  for (const auto& couple : couples)
    for (const Value& value : couple.a->values)
      if (rounds.contains(value.slot)) nodes[value.slot] = node_of(*value.measurement);
  std::map<NodeId, std::vector<double>> result;
  for (const auto& [slot, logs] : rounds) result[nodes.at(slot)].push_back(median(logs));
  return result;
}

void set_nodes(const std::vector<Couple>& couples, const Rounds& rounds, double confidence, SideBySide& result) {
  const auto by_node = logs_by_node(couples, rounds);
  result.hosts = by_node.size();
  if (by_node.size() < 2) return;
  Placement among;
  std::vector<std::vector<double>> groups;
  for (const auto& [node, logs] : by_node) {
    among[node] = logs.size();
    groups.push_back(logs);
  }
  result.by_node = one_way(groups);
  for (const auto& [node, logs] : by_node) {
    const auto interval = median_interval(logs, confidence);
    result.nodes.push_back({name_of(node, among), std::exp(median(logs)),
                            interval ? std::optional(exponential(*interval)) : std::nullopt, logs.size()});
  }
  std::ranges::stable_sort(result.nodes, {}, &NodeRatio::ratio);
}

std::optional<Interval> paired_bootstrap(const std::vector<Couple>& couples,
                                         const std::vector<double>& logs,
                                         const SideBySideOptions& options) {
  const Bootstrap settings{options.confidence, options.seed, 2000};
  std::optional<Interval> interval;
  if (couples.size() == 1) {
    if (const auto found =
            bootstrap_hierarchy(processes(couples.front(), options.finals, options.yardstick), settings))
      interval = found->interval;
  } else if (!logs.empty()) {
    interval = bootstrap_interval(
        logs, [](std::span<const double> values) { return median(values); }, settings);
  }
  return interval ? std::optional(exponential(*interval)) : std::nullopt;
}

std::optional<Interval> difference(const Couple& couple, double confidence, std::uint64_t seed) {
  // Twenty draws in each tail, whatever the level.
  const double draws = std::clamp(40 / (1 - confidence), 2000.0, 50'000.0);
  const auto interval =
      bootstrap_difference(log_rates(*couple.a), log_rates(*couple.b),
                           [](std::span<const double> values) { return median(values); },
                           {confidence, seed, static_cast<std::size_t>(draws)});
  return interval ? std::optional(exponential(*interval)) : std::nullopt;
}

Verdict verdict_of(const std::optional<Interval>& ratio, double delta, const specs::Yardstick& yardstick) {
  if (!ratio) return Verdict::unresolved;
  const double low = 1 / (1 + delta), high = 1 + delta;
  const bool less = yardstick.smaller_is_better();
  if (ratio->low > high) return less ? Verdict::slower : Verdict::faster;
  if (ratio->high < low) return less ? Verdict::faster : Verdict::slower;
  return ratio->low > low && ratio->high < high ? Verdict::equivalent : Verdict::unresolved;
}

// Few couples: each decides for itself at the level shared out among them.
void decide_few(SideBySide& result, const std::vector<Couple>& couples,
                const SideBySideOptions& options) {
  const double level = (1 - options.confidence) / static_cast<double>(couples.size());
  for (std::size_t i = 0; i < couples.size(); ++i) {
    auto& comparison = result.couples[i].comparison;
    comparison.interval = difference(couples[i], 1 - level, options.seed);
    comparison.verdict = verdict_of(comparison.interval, options.delta, options.yardstick);
  }
  result.overall.pairs = couples.size();
  result.overall.ratio = std::exp(median(result.logs));
  if (couples.size() == 1) result.overall.interval = result.couples.front().comparison.interval;
  const auto first = result.couples.front().comparison.verdict;
  const bool agreed = std::ranges::all_of(
      result.couples, [&](const CoupleResult& c) { return c.comparison.verdict == first; });
  result.overall.verdict = agreed ? first : Verdict::unresolved;
}

}  // namespace

SideSummary summarise(const StackRates& stack, double confidence) {
  SideSummary summary;
  const auto values = rates(stack);
  summary.inspections = values.size();
  for (const auto* failure : stack.failed) ++summary.failures[specs::to_string(failure->outcome)];
  summary.rounds = by_slot(stack).size();
  summary.hosts = placement_of(stack).size();
  if (values.empty()) return summary;
  summary.median = median(values);
  summary.interval = median_interval(values, confidence);
  summary.cv = cv(values);
  return summary;
}

SideBySide compare_paired(const std::vector<Couple>& couples, const SideBySideOptions& options) {
  SideBySide result;
  std::vector<Couple> able;
  std::vector<std::vector<double>> family;
  for (const auto& couple : couples) {
    auto logs = paired_logs(*couple.a, *couple.b, options.finals);
    if (logs.empty()) continue;
    able.push_back(couple);
    family.push_back(std::move(logs));
  }
  result.left_out = couples.size() - able.size();
  if (able.empty()) return result;
  const auto comparisons = compare(family, options.delta, options.confidence, options.yardstick);
  for (std::size_t i = 0; i < able.size(); ++i) {
    auto couple = begin(able[i], options.confidence);
    couple.comparison = comparisons[i];
    couple.logs = std::move(family[i]);
    result.couples.push_back(std::move(couple));
  }
  const auto rounds = logs_by_round(able, options.finals);
  for (const auto& [slot, logs] : rounds) result.logs.push_back(median(logs));
  result.overall = compare({result.logs}, options.delta, options.confidence, options.yardstick).front();
  result.rounds = rounds.size();
  set_nodes(able, rounds, options.confidence, result);
  result.bootstrap = paired_bootstrap(able, result.logs, options);
  if (able.size() == 1) result.couples.front().bootstrap = result.bootstrap;
  sort_by_ratio(result.couples);
  return result;
}

SideBySide compare_independent(const std::vector<Couple>& couples,
                               const SideBySideOptions& options) {
  SideBySide result;
  result.paired = false;
  std::vector<Couple> able;
  for (const auto& couple : couples)
    if (!couple.a->values.empty() && !couple.b->values.empty()) able.push_back(couple);
  result.left_out = couples.size() - able.size();
  if (able.empty()) return result;
  for (const auto& couple : able) {
    auto entry = begin(couple, options.confidence);
    const double log = median(log_rates(*couple.a)) - median(log_rates(*couple.b));
    entry.comparison.ratio = std::exp(log);
    entry.bootstrap = difference(couple, options.confidence, options.seed);
    result.logs.push_back(log);
    result.couples.push_back(std::move(entry));
  }
  result.own_verdicts = able.size() < least_values(options.confidence);
  if (result.own_verdicts)
    decide_few(result, able, options);
  else
    result.overall = compare({result.logs}, options.delta, options.confidence, options.yardstick).front();
  result.bootstrap = able.size() == 1 ? result.couples.front().bootstrap : std::nullopt;
  sort_by_ratio(result.couples);
  return result;
}

std::string looks(Verdict verdict, const specs::Yardstick& yardstick) {
  if (verdict == Verdict::unresolved) return "";
  if (verdict == Verdict::equivalent) return "equal";
  if (yardstick.is_rate()) return verdict == Verdict::faster ? "faster" : "slower";
  const bool less = yardstick.smaller_is_better() == (verdict == Verdict::faster);
  return fmt::format("{} {}", less ? "less" : "more", yardstick.noun());
}

}  // namespace stackx::analysis
