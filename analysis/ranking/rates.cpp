#include "analysis/ranking/rates.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/statistics/statistics.hpp"

namespace stackx::analysis {
namespace {

using Measurements = std::vector<const store::Measurement*>;

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

struct Rated {
  const store::Measurement* measurement = nullptr;
  double amount = 0;  // of a failure none
};

StackRates of_stack(std::vector<Rated> measurements, const std::string& this_host) {
  StackRates result;
  result.stack = measurements.front().measurement->stack;
  const auto is_here = [&](const Rated& one) { return one.measurement->host == this_host; };
  result.here = std::ranges::any_of(measurements, is_here);
  if (result.here) std::erase_if(measurements, [&](const Rated& one) { return !is_here(one); });
  for (const auto& [m, amount] : measurements) {
    if (m->outcome != specs::Outcome::ok)
      result.failed.push_back(m);
    else if (amount > 0)
      result.values.push_back({amount, {m->campaign, m->round, m->device}, m});
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

double work_in(const specs::Work& of_sample, const std::string& unit) {
  if (unit == "GFLOP/s") return of_sample.flop;  // per ns: 1e9 per second
  if (unit == "GB/s") return of_sample.bytes;
  return of_sample.items * 1e9;
}

double rate_of(const store::Measurement& measurement, const std::string& unit) {
  return rate_of(measurement.samples_ns, measurement.work, unit);
}

double rate_of(std::span<const std::int64_t> samples_ns, const specs::Work& of_sample, const std::string& unit) {
  const double work = work_in(of_sample, unit);
  if (!(work > 0 && work <= specs::most_work)) return 0;
  if (samples_ns.empty() || std::ranges::any_of(samples_ns, [](std::int64_t sample) { return sample <= 0; })) return 0;
  // Rates fall as samples rise: the middle samples give the middle rates, without a rate of each.
  std::vector<std::int64_t> samples(samples_ns.begin(), samples_ns.end());
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::ranges::nth_element(samples, middle);
  const double rate = work / static_cast<double>(*middle);
  if (samples.size() % 2 == 1) return rate;
  return std::lerp(rate, work / static_cast<double>(*std::max_element(samples.begin(), middle)), 0.5);
}

std::optional<double> log_rate(const store::Measurement& measurement) {
  if (measurement.outcome != specs::Outcome::ok) return std::nullopt;
  const double rate = rate_of(measurement, unit_of(measurement.work));
  return rate > 0 ? std::optional(std::log(rate)) : std::nullopt;
}

std::string unit_in_words(const std::string& unit, const specs::Workload& workload) {
  if (unit != "items/s" || !workload.program.empty()) return unit;
  if (workload.pi == "transformer" || workload.pi == "vllm_bench") return "tokens/s";
  return workload.pi == "train_resnet50" ? "images/s" : unit;
}

std::string title_of(const specs::Yardstick& yardstick, const std::string& unit) {
  if (yardstick.is_rate()) return unit;
  return yardstick.noun() + (unit.empty() ? "" : " (" + unit + ")");
}

double amount_of(const store::Measurement& measurement, const specs::Yardstick& yardstick, const std::string& unit) {
  if (yardstick.is_rate()) return rate_of(measurement, unit);
  const auto found = measurement.amounts.find(yardstick.word());
  return found == measurement.amounts.end() ? 0 : found->second;
}

Rates collect(const std::vector<const store::Measurement*>& measurements, const std::string& this_host,
              const specs::Yardstick& yardstick) {
  Rates result;
  result.yardstick = yardstick;
  result.unit = yardstick.is_rate() ? common_unit(measurements) : yardstick.unit();
  std::map<specs::Stack, std::vector<Rated>> own, sentinels;
  for (const auto* m : measurements) {
    const bool ok = m->outcome == specs::Outcome::ok;
    const double amount = ok ? amount_of(*m, yardstick, result.unit) : 0;
    (m->sentinel ? sentinels : own)[m->stack].push_back({m, amount});
    if (ok && amount == 0) ++result.without_unit;
  }
  for (auto& [stack, list] : own) result.stacks.push_back(of_stack(std::move(list), this_host));
  for (auto& [stack, list] : sentinels) result.sentinels.push_back(of_stack(std::move(list), this_host));
  return result;
}

std::vector<double> rates(const StackRates& stack) {
  std::vector<double> result;
  for (const Value& value : stack.values) result.push_back(value.amount);
  return result;
}

std::map<Slot, double> by_slot(const StackRates& stack) {
  std::map<Slot, std::vector<double>> all;
  for (const Value& value : stack.values)
    if (!std::get<0>(value.slot).empty()) all[value.slot].push_back(value.amount);
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
