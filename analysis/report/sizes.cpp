#include "analysis/report/sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "analysis/statistics/statistics.hpp"
#include "specs/project/own_pis.hpp"

namespace stackx::analysis {
namespace {

std::optional<double> whole(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0) return std::nullopt;
  return static_cast<double>(number);
}

// What is computed, without how it is measured: large sizes are often repeated less.
specs::Workload bare(specs::Workload workload) {
  std::erase_if(workload.params,
                [](const auto& entry) { return specs::says_how_to_measure(entry.first); });
  return workload;
}

// Bare workloads that differ from the ranked one in whole numbers only, and in which.
struct Family {
  std::set<specs::Workload> workloads;
  std::set<std::string> varying;
};

// Both bare.
std::optional<std::set<std::string>> difference(const specs::Workload& a,
                                                const specs::Workload& b) {
  if (a.pi != b.pi || a.params.size() != b.params.size()) return std::nullopt;
  std::set<std::string> keys;
  for (const auto& [key, value] : a.params) {
    const auto other = b.params.find(key);
    if (other == b.params.end()) return std::nullopt;
    if (other->second == value) continue;
    if (key == "threads" || !whole(value) || !whole(other->second)) return std::nullopt;
    keys.insert(key);
  }
  return keys;
}

using ByWorkload = std::map<specs::Workload, std::vector<const store::Measurement*>>;  // bare; sentinels left out

ByWorkload by_workload(const std::vector<store::Measurement>& measurements) {
  ByWorkload result;
  for (const store::Measurement& m : measurements) {
    auto& of = result[bare(m.workload)];
    if (!m.sentinel) of.push_back(&m);
  }
  return result;
}

Family family_of(const ByWorkload& measured, const specs::Workload& ranked) {
  Family family;
  for (const auto& [workload, measurements] : measured) {
    const auto keys = difference(ranked, workload);
    if (!keys) continue;
    family.workloads.insert(workload);
    family.varying.insert(keys->begin(), keys->end());
  }
  return family;
}

bool always_equal(const Family& family) {
  return std::ranges::all_of(family.workloads, [&](const specs::Workload& workload) {
    std::set<std::string> values;
    for (const std::string& key : family.varying) values.insert(workload.params.at(key));
    return values.size() == 1;
  });
}

double size_of(const specs::Workload& workload, const std::set<std::string>& keys) {
  double logs = 0;
  bool equal = true;
  const double first = *whole(workload.params.at(*keys.begin()));
  for (const std::string& key : keys) {
    const double value = *whole(workload.params.at(key));
    equal = equal && value == first;
    logs += std::log(value);
  }
  return equal ? first : std::exp(logs / static_cast<double>(keys.size()));
}

constexpr std::size_t most_sizes = 500;  // more than a chart has pixels for

// The first, the last, and as many in between as fit, evenly. How many were left out.
std::size_t thin_out(std::vector<specs::Workload>& sorted) {
  const std::size_t all = sorted.size();
  if (all <= most_sizes) return 0;
  for (std::size_t i = 0; i < most_sizes; ++i) sorted[i] = sorted[i * (all - 1) / (most_sizes - 1)];
  sorted.resize(most_sizes);
  return all - most_sizes;
}

std::string axis_of(const Family& family) {
  if (always_equal(family)) return fmt::format("{}", fmt::join(family.varying, " = "));
  return fmt::format("geometric mean of {}", fmt::join(family.varying, ", "));
}

std::optional<Quartiles> quartiles(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return Quartiles{quantile(values, 0.25), median(values), quantile(values, 0.75)};
}

double median_seconds(const store::Measurement& measurement, double operations) {
  std::vector<double> samples;
  for (const std::int64_t ns : measurement.samples_ns) samples.push_back(static_cast<double>(ns));
  return median(samples) / operations * 1e-9;
}

}  // namespace

std::optional<Sizes> sizes(const std::vector<store::Measurement>& measurements,
                           const specs::Workload& ranked, const std::string& unit,
                           const std::string& this_host, const FindBatch& batch, const specs::Yardstick& yardstick) {
  const ByWorkload measured = by_workload(measurements);
  const Family family = family_of(measured, bare(ranked));
  if (family.workloads.size() < 2) return std::nullopt;
  Sizes result;
  result.axis = axis_of(family);
  result.workloads.assign(family.workloads.begin(), family.workloads.end());
  std::ranges::stable_sort(result.workloads, {},
                           [&](const auto& w) { return size_of(w, family.varying); });
  result.left_out = thin_out(result.workloads);
  std::map<specs::Stack, std::vector<SizePoint>> curves;
  for (const specs::Workload& workload : result.workloads) {
    const Rates all = collect(measured.at(workload), this_host, yardstick);
    for (const StackRates& stack : all.stacks) {
      std::vector<double> amounts, seconds;
      for (const Value& value : stack.values) {
        const double amount = amount_of(*value.measurement, yardstick, unit);
        if (amount > 0) amounts.push_back(amount);
        const auto operations = batch(*value.measurement);
        result.without_batch += !operations;
        seconds.push_back(median_seconds(*value.measurement, operations.value_or(1)));
      }
      curves[stack.stack].push_back({size_of(workload, family.varying), stack.values.size(),
                                     stack.failed.size(), quartiles(amounts),
                                     quartiles(seconds), std::nullopt});
    }
  }
  for (auto& [stack, points] : curves) result.curves.push_back({stack, std::move(points)});
  return result;
}

}  // namespace stackx::analysis
