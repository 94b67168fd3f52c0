// How many inspections, of how many samples each: the cheapest design for a given precision (Kalibera
// & Jones 2013, "Rigorous benchmarking in reasonable time", section 6, two levels).
//
// With a variance T2 between inspections, T1 within one, a cost c2 of starting an inspection and c1 of
// one more sample, the number of samples that gives the smallest interval for the time spent is
// sqrt((c2 / c1) (T1 / T2)). Everything is of log rates and pooled over the arms of a pilot. Samples of
// one process follow each other, so T1 is what their mean varies by: the sample variance times
// (1 + phi) / (1 - phi), phi being the lag-1 autocorrelation. The value of an inspection is a median,
// whose variance is pi / 2 times a mean's; that factor is in T1 and in the intervals, too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stackx::analysis {

struct PilotInspection {
  std::string arm;
  std::vector<double> log_rates;  // of its samples, in order
  double seconds = 0;             // all of it: start, check, calibration, warm-up, samples
  double sampling_seconds = 0;    // the samples alone
};

struct TwoLevel {
  std::size_t inspections = 0, arms = 0;         // of the pilot
  double between = 0, within = 0;                // standard deviations: sqrt(T2), sqrt(T1)
  double autocorrelation = 0;                    // phi
  double start_seconds = 0, sample_seconds = 0;  // c2, c1
  std::size_t samples_now = 0;                   // as the pilot ran
  std::optional<std::size_t> samples_best;       // absent where T2 is 0: the more the better
};

// Absent with fewer than two arms' worth of repetition (no arm with two inspections), or no samples.
std::optional<TwoLevel> two_level(const std::vector<PilotInspection>& pilot);

// Inspections until the 95% interval of a median is `width` wide in all (as a share), each with so
// many samples; never fewer than six.
std::size_t inspections_for(const TwoLevel& design, std::size_t samples, double width);

// What a campaign prints before it goes on.
std::vector<std::string> lines(const TwoLevel& design, double width);

}  // namespace stackx::analysis
