#include "analysis/questions/parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stackx::analysis {

StackRates rates_of(const std::vector<const store::Measurement*>& measurements,
                    const std::string& unit) {
  StackRates result;
  for (const store::Measurement* m : measurements) {
    if (m->sentinel) continue;
    result.stack = m->stack;
    if (m->outcome != specs::Outcome::ok)
      result.failed.push_back(m);
    else if (const double rate = rate_of(*m, unit); rate > 0)
      result.values.push_back({rate, {m->campaign, m->round, m->device}, m});
  }
  std::ranges::sort(result.values, {},
                    [](const Value& v) { return std::tie(v.slot, v.measurement->inspection); });
  return result;
}

SeriesRates::SeriesRates(const store::Questions& store, const store::SeriesSums& series)
    : SeriesRates(store.inspections(series), series) {}

SeriesRates::SeriesRates(const store::Questions& store, const store::SeriesSums& series, std::uint64_t most)
    : SeriesRates(series.inspections > most ? store.excerpt({series}, {.most = most, .each = most}).measurements
                                            : store.inspections(series),
                  series) {}

SeriesRates::SeriesRates(std::vector<store::Measurement> measurements, const store::SeriesSums& series)
    : measurements_(std::make_unique<std::vector<store::Measurement>>(std::move(measurements))) {
  std::vector<const store::Measurement*> all;
  for (const store::Measurement& m : *measurements_) all.push_back(&m);
  rates_ = std::make_unique<StackRates>(rates_of(all, to_string(series.unit)));
}

std::string Evidence::grade(std::int64_t device) {
  std::string& grade = known_[device];
  if (grade.empty())
    grade = store_.device(device).name == this_host_ || store_.host_of(device) == this_host_
                ? "measured"
                : "measured-elsewhere";
  return grade;
}

std::string hardware_text(const store::HardwareRow& hardware) {
  if (hardware.microarchitecture.empty())
    return hardware.model.empty() ? "(not stated)" : hardware.model;
  if (hardware.microarchitecture == "unknown") return hardware.model;
  return fmt::format("{} ({})", hardware.microarchitecture, hardware.model);
}

std::size_t shown_of(std::size_t rows, std::size_t limit) {
  return limit == 0 ? rows : std::min(rows, limit);
}

std::optional<Interval> interval_of(const store::SeriesSums& series) {
  if (!series.low || !series.high) return std::nullopt;
  return Interval{*series.low, *series.high, 0.95};
}

}  // namespace stackx::analysis
