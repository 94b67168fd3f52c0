#include "analysis/statistics/two_level.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "analysis/statistics/statistics.hpp"
#include "analysis/text/words.hpp"

namespace stackx::analysis {
namespace {

constexpr double median_factor = std::numbers::pi / 2, z95 = 1.959964;
constexpr std::size_t most_samples = 1000;

// Sums over all inspections of products of deviations from each one's own mean.
struct Within {
  double squares = 0, freedom = 0, lagged = 0, total = 0;

  void add(const std::vector<double>& samples) {
    if (samples.size() < 2) return;
    const double center = mean(samples);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      squares += (samples[i] - center) * (samples[i] - center);
      if (i > 0) lagged += (samples[i] - center) * (samples[i - 1] - center);
    }
    freedom += static_cast<double>(samples.size() - 1);
    total += static_cast<double>(samples.size());
  }
  double variance() const { return freedom > 0 ? squares / freedom : 0; }
  double phi() const { return squares > 0 ? std::clamp(lagged / squares, 0.0, 0.95) : 0; }
};

// Pooled variance of the inspections' medians around their arm's mean.
struct Between {
  double squares = 0, freedom = 0;

  void add(const std::vector<double>& medians) {
    if (medians.size() < 2) return;
    const double center = mean(medians);
    for (const double value : medians) squares += (value - center) * (value - center);
    freedom += static_cast<double>(medians.size() - 1);
  }
};

double seconds_for(const TwoLevel& design, std::size_t samples, std::size_t inspections) {
  return static_cast<double>(inspections) *
         (design.start_seconds + static_cast<double>(samples) * design.sample_seconds);
}

std::string time_text(double seconds) {
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  return seconds < 7200 ? fmt::format("{:.3g} min", seconds / 60) : fmt::format("{:.3g} h", seconds / 3600);
}

std::string plan_text(const TwoLevel& design, std::size_t samples, double width) {
  const std::size_t inspections = inspections_for(design, samples, width);
  return fmt::format("{} of {} samples ({} an arm)", counted(inspections, "inspection"), samples,
                     time_text(seconds_for(design, samples, inspections)));
}

}  // namespace

std::optional<TwoLevel> two_level(const std::vector<PilotInspection>& pilot) {
  TwoLevel result;
  Within within;
  std::map<std::string, std::vector<double>> medians;
  std::vector<double> starts, each, counts;
  for (const PilotInspection& inspection : pilot) {
    if (inspection.log_rates.empty()) continue;
    const double n = static_cast<double>(inspection.log_rates.size());
    within.add(inspection.log_rates);
    medians[inspection.arm].push_back(median(inspection.log_rates));
    starts.push_back(std::max(0.0, inspection.seconds - inspection.sampling_seconds));
    each.push_back(inspection.sampling_seconds / n);
    counts.push_back(n);
  }
  Between between;
  for (const auto& [arm, values] : medians) between.add(values);
  if (between.freedom == 0 || within.freedom == 0) return std::nullopt;
  result.inspections = counts.size();
  result.arms = medians.size();
  result.autocorrelation = within.phi();
  const double t1 = median_factor * within.variance() * (1 + within.phi()) / (1 - within.phi());
  const double t2 = between.squares / between.freedom - t1 / median(counts);
  result.within = std::sqrt(t1);
  result.between = std::sqrt(std::max(0.0, t2));
  result.start_seconds = median(starts);
  result.sample_seconds = median(each);
  result.samples_now = static_cast<std::size_t>(median(counts));
  if (t2 > 0 && result.sample_seconds > 0) {
    const double best = std::sqrt(result.start_seconds / result.sample_seconds * t1 / t2);
    result.samples_best = static_cast<std::size_t>(
        std::clamp(std::ceil(best), 3.0, static_cast<double>(most_samples)));
  }
  return result;
}

std::size_t inspections_for(const TwoLevel& design, std::size_t samples, double width) {
  const double variance =
      median_factor * (design.between * design.between +
                       design.within * design.within / static_cast<double>(samples));
  const double needed = std::pow(2 * z95 / width, 2) * variance;
  return std::max<std::size_t>(least_values(0.95), static_cast<std::size_t>(std::ceil(needed)));
}

std::vector<std::string> lines(const TwoLevel& design, double width) {
  std::vector<std::string> result;
  result.push_back(fmt::format(
      "two levels: {:.2f}% between inspections, {:.2f}% within one (autocorrelation {:.2f}); "
      "{:.3g} s to "
      "start one, {:.3g} ms a sample (pilot: {} of {})",
      100 * design.between, 100 * design.within, design.autocorrelation, design.start_seconds,
      1000 * design.sample_seconds, counted(design.inspections, "inspection"), counted(design.arms, "arm")));
  const std::string now = plan_text(design, design.samples_now, width);
  if (!design.samples_best) {
    result.push_back(fmt::format(
        "an interval {:g}% wide takes {}; inspections vary no more than their samples do, so more "
        "samples are as good as more inspections",
        100 * width, now));
    return result;
  }
  if (*design.samples_best == design.samples_now)
    result.push_back(
        fmt::format("an interval {:g}% wide takes {}, which is the cheapest", 100 * width, now));
  else
    result.push_back(fmt::format(
        "an interval {:g}% wide takes {}; cheapest would be {}: repetitions={}", 100 * width, now,
        plan_text(design, *design.samples_best, width), *design.samples_best));
  return result;
}

}  // namespace stackx::analysis
