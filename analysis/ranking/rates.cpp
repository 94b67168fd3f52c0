#include "analysis/ranking/rates.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/statistics/statistics.hpp"

namespace stackx::analysis {
namespace {

using Measurements = std::vector<const store::Measurement*>;

double amount(const specs::Work& work, const std::string& unit) {
  if (unit == "GFLOP/s") return work.flop;  // per ns: 1e9 per second
  if (unit == "GB/s") return work.bytes;
  return work.items * 1e9;
}

// The unit of most; GFLOP/s before GB/s before items/s where two are equally frequent.
std::string common_unit(const Measurements& measurements) {
  std::map<std::string, std::size_t> counts;
  for (const auto* m : measurements)
    if (m->outcome == specs::Outcome::ok) ++counts[unit_of(m->work)];
  std::string best = "GFLOP/s";
  for (const char* unit : {"GFLOP/s", "GB/s", "items/s"})
    if (counts[unit] > counts[best]) best = unit;
  return best;
}

StackRates of_stack(Measurements measurements, const std::string& this_host,
                    const std::string& unit) {
  StackRates result;
  result.stack = measurements.front()->stack;
  const auto is_here = [&](const store::Measurement* m) { return m->host == this_host; };
  result.here = std::ranges::any_of(measurements, is_here);
  if (result.here) std::erase_if(measurements, [&](const auto* m) { return !is_here(m); });
  for (const store::Measurement* m : measurements) {
    if (m->outcome != specs::Outcome::ok)
      result.failed.push_back(m);
    else if (const double rate = rate_of(*m, unit); rate > 0)
      result.values.push_back({rate, {m->campaign, m->round, m->device}, m});
  }
  std::ranges::sort(result.values, {},
                    [](const Value& v) { return std::tie(v.slot, v.measurement->inspection); });
  std::ranges::sort(result.failed, {},
                    [](const auto* m) { return std::tie(m->finished, m->inspection); });
  return result;
}

}  // namespace

std::string unit_of(const specs::Work& work) {
  if (work.flop > 0) return "GFLOP/s";
  return work.bytes > 0 ? "GB/s" : "items/s";
}

double rate_of(const store::Measurement& measurement, const std::string& unit) {
  return rate_of(measurement.samples_ns, measurement.work, unit);
}

double rate_of(std::span<const std::int64_t> samples_ns, const specs::Work& of_sample, const std::string& unit) {
  const double work = amount(of_sample, unit);
  if (!(work > 0 && work <= specs::most_work)) return 0;
  std::vector<double> rates;
  rates.reserve(samples_ns.size());
  for (const std::int64_t sample : samples_ns) {
    if (sample <= 0) return 0;
    rates.push_back(work / static_cast<double>(sample));
  }
  return rates.empty() ? 0 : median(rates);
}

std::optional<double> log_rate(const store::Measurement& measurement) {
  if (measurement.outcome != specs::Outcome::ok) return std::nullopt;
  const double rate = rate_of(measurement, unit_of(measurement.work));
  return rate > 0 ? std::optional(std::log(rate)) : std::nullopt;
}

Rates collect(const std::vector<const store::Measurement*>& measurements,
              const std::string& this_host) {
  Rates result;
  result.unit = common_unit(measurements);
  std::map<specs::Stack, Measurements> own, sentinels;
  for (const auto* m : measurements) {
    (m->sentinel ? sentinels : own)[m->stack].push_back(m);
    if (m->outcome == specs::Outcome::ok && rate_of(*m, result.unit) == 0) ++result.without_unit;
  }
  for (auto& [stack, list] : own)
    result.stacks.push_back(of_stack(std::move(list), this_host, result.unit));
  for (auto& [stack, list] : sentinels)
    result.sentinels.push_back(of_stack(std::move(list), this_host, result.unit));
  return result;
}

std::vector<double> rates(const StackRates& stack) {
  std::vector<double> result;
  for (const Value& value : stack.values) result.push_back(value.rate);
  return result;
}

std::map<Slot, double> by_slot(const StackRates& stack) {
  std::map<Slot, std::vector<double>> all;
  for (const Value& value : stack.values)
    if (!std::get<0>(value.slot).empty()) all[value.slot].push_back(value.rate);
  std::map<Slot, double> result;
  for (const auto& [slot, rates] : all) result[slot] = median(rates);
  return result;
}

std::map<Slot, double> paired_by_slot(const StackRates& a, const StackRates& b,
                                      const Finals& finals) {
  const std::map<Slot, double> of_a = by_slot(a), of_b = by_slot(b);
  std::map<Slot, double> shared;
  std::set<std::string> both_finalists;
  for (const auto& [slot, rate] : of_a) {
    const auto other = of_b.find(slot);
    if (other == of_b.end()) continue;
    shared[slot] = std::log(rate / other->second);
    const auto raced = finals.find(std::get<0>(slot));
    if (raced != finals.end() && std::get<1>(slot) >= raced->second)
      both_finalists.insert(raced->first);
  }
  std::erase_if(shared, [&](const auto& entry) {
    const auto& slot = entry.first;  // a round that picked the finalists
    return both_finalists.contains(std::get<0>(slot)) &&
           std::get<1>(slot) < finals.at(std::get<0>(slot));
  });
  return shared;
}

std::vector<double> paired_logs(const StackRates& a, const StackRates& b, const Finals& finals) {
  std::vector<double> logs;
  for (const auto& [slot, log] : paired_by_slot(a, b, finals)) logs.push_back(log);
  return logs;
}

}  // namespace stackx::analysis
