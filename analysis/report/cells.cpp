#include "analysis/report/cells.hpp"

#include <fmt/format.h>

#include "analysis/text/table.hpp"

namespace stackx::analysis {

Cell missing() { return {}; }
Cell rate(double value) { return {number(value), value}; }
Cell count(std::size_t value) { return {std::to_string(value), static_cast<double>(value)}; }
Cell ratio(double value) { return {fmt::format("{:.3f}", value), value}; }
Cell percent(double share) { return {fmt::format("{:.2f}%", 100 * share), share}; }
Cell duration(double seconds) { return {seconds_text(seconds), seconds}; }

Cell both(const std::optional<Interval>& interval, Show show) {
  if (!interval) return missing();
  return {fmt::format("[{}, {}]", show(interval->low).text, show(interval->high).text)};
}
Cell low(const std::optional<Interval>& interval, Show show) {
  return interval ? show(interval->low) : missing();
}
Cell high(const std::optional<Interval>& interval, Show show) {
  return interval ? show(interval->high) : missing();
}

std::string of_sample(const Report& report) {
  return report.ranking.population ? " Counted are the inspections that were read, a sample." : "";
}

std::string seconds_text(double seconds) {
  struct Unit {
    double size;
    const char* name;
  };
  for (const auto& [size, name] :
       {Unit{3600, "h"}, Unit{60, "min"}, Unit{1, "s"}, Unit{1e-3, "ms"}, Unit{1e-6, "µs"}})
    if (seconds >= size) return number(seconds / size) + " " + name;
  return number(seconds * 1e9) + " ns";
}

}  // namespace stackx::analysis
