#include "analysis/questions/parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/ranking/side_by_side.hpp"

namespace stackx::analysis {

StackRates rates_of(const std::vector<const store::Measurement*>& measurements, const specs::Yardstick& yardstick,
                    const std::string& unit) {
  StackRates result;
  for (const store::Measurement* m : measurements) {
    if (m->sentinel) continue;
    result.stack = m->stack;
    if (m->outcome != specs::Outcome::ok)
      result.failed.push_back(m);
    else if (const double amount = amount_of(*m, yardstick, unit); amount > 0)
      result.values.push_back({amount, {m->campaign, m->round, m->device}, m});
  }
  std::ranges::sort(result.values, {},
                    [](const Value& v) { return std::tie(v.slot, v.measurement->inspection); });
  return result;
}

std::vector<store::SeriesSums> series_of(const store::Questions& store, const QuestionOptions& options, AmountRemark& remark) {
  auto all = store.series(options.filter);
  if (options.yardstick.is_rate()) return all;
  for (store::SeriesSums& one : all) {
    const SeriesRates read(store, one, options.yardstick, compared);
    for (const auto& measurement : read.all()) remark.add(measurement);
    const SideSummary summary = summarise(read.rates(), options.confidence);
    one.median = summary.inspections > 0 ? std::optional(summary.median) : std::nullopt;
    one.low = summary.interval ? std::optional(summary.interval->low) : std::nullopt;
    one.high = summary.interval ? std::optional(summary.interval->high) : std::nullopt;
    one.cv = summary.cv;
  }
  return all;
}

void add_note(const AmountRemark& remark, Answer& answer) {
  if (auto text = remark.text(); !text.empty()) answer.notes.push_back(std::move(text));
}

void say_missing(const AmountRemark& remark, Answer& answer) {
  if (const auto why = remark.missing(); !why.empty()) answer.heading = answer.rows.empty() ? why : why + " " + answer.heading;
}

std::string unit_text(const store::SeriesSums& series, const specs::Yardstick& yardstick) {
  return yardstick.is_rate() ? to_string(series.unit) : yardstick.unit();
}

SeriesRates::SeriesRates(const store::Questions& store, const store::SeriesSums& series, const specs::Yardstick& yardstick)
    : SeriesRates(store.inspections(series, {yardstick}), series, yardstick) {}

SeriesRates::SeriesRates(const store::Questions& store, const store::SeriesSums& series, const specs::Yardstick& yardstick,
                         std::uint64_t most)
    : SeriesRates(series.inspections > most ? store.excerpt({series}, {.most = most, .each = most}, {yardstick}).measurements
                                            : store.inspections(series, {yardstick}),
                  series, yardstick) {}

SeriesRates::SeriesRates(std::vector<store::Measurement> measurements, const store::SeriesSums& series,
                         const specs::Yardstick& yardstick)
    : measurements_(std::make_unique<std::vector<store::Measurement>>(std::move(measurements))) {
  std::vector<const store::Measurement*> all;
  for (const store::Measurement& m : *measurements_) all.push_back(&m);
  rates_ = std::make_unique<StackRates>(rates_of(all, yardstick, unit_text(series, yardstick)));
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
