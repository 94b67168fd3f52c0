// What inspections are compared by: their rate, or one of the metrics (metric.hpp) that they have.
//
// Some metrics follow from what every inspection holds: `time` from its samples, `memory` from rusage, `error` and `ulps` from the
// check, `import` from the phase that loads the framework, `container_start` from the phase of that name, `energy` from counters of
// the machine (energy.hpp), `nvml_memory` from the driver's count, as `device_memory` where the PI states none of its own
// (device_memory.hpp). What the PI stated under the metric's own name goes before.
// The rate is not computed here: its unit follows from the work of all that are compared (analysis/ranking/rates.hpp).
// Amounts are in unit(): MB for bytes, else the metric's own. Rejected: a free choice of units a row, which nobody can
// put beside another.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/result/metric.hpp"

namespace stackx::specs {

struct Inspection;

class Yardstick {
 public:
  Yardstick() = default;  // the rate
  // "rate", a metric's word ("memory") or its name ("peak_memory_bytes"); nothing: neither.
  static std::optional<Yardstick> from(std::string_view name);
  static std::vector<std::string> words();  // what `--metric` takes, the rate first

  bool is_rate() const { return metric_ == nullptr; }
  bool is_of_the_check() const { return !is_rate() && (metric_->word == "error" || metric_->word == "ulps"); }
  bool smaller_is_better() const { return metric_ != nullptr && metric_->smaller_is_better; }
  std::string word() const { return std::string(is_rate() ? "rate" : metric_->word); }
  std::string name() const { return std::string(is_rate() ? "rate" : metric_->name); }
  std::string noun() const { return std::string(is_rate() ? "rate" : metric_->noun); }
  std::string unit() const;                // "" of the rate, and of what has none
  std::string with_unit(std::string_view amount) const;  // "12 MB", "1e-07"

  // Above 0, in unit(). Nothing of the rate, and where the inspection does not have it or failed. An error of nothing at all
  // is the smallest there is, since amounts are compared by their logs.
  std::optional<double> amount(const Inspection& inspection) const;

  bool operator==(const Yardstick&) const = default;

 private:
  explicit Yardstick(const Metric* metric) : metric_(metric) {}
  const Metric* metric_ = nullptr;
};

inline constexpr double least_error = 1e-17;  // exact: below what float64 can tell

}  // namespace stackx::specs
