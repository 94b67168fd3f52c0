// The sums that questions are answered from: one row a series, and one a step from a version to the
// next.
//
// A series is what was measured of one stack doing one workload on one device. Its value is that of
// DESIGN section 6: one rate an inspection, the median over its samples; sentinels do not count. Two
// series of one workload and device whose stacks differ in one component, at successive versions of
// those measured there, are a step: how many of the rounds that they share went slower or faster by
// more than 1%, which is all that a sign test asks for.
//
// Each row is a function of the inspections alone, so the order in which they came does not matter
// and `check` compares with a recomputation. Made again whole whenever an inspection is added: a
// median is not a running sum. Rejected: sketches (t-digest, histograms), which are small but not
// exact, for series that hold a few hundred values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/questions/occasion.hpp"
#include "store/rows.hpp"

namespace stackx::store {

enum class Unit { none, gflop, gbyte, items };  // as the column `unit`; per second

inline constexpr double step_margin = 0.01;  // rounds closer than this are neither slower nor faster

struct Summary {
  std::int64_t ok = 0, failed = 0, sentinels = 0;
  std::int64_t inspections = 0;  // all rows, those that are ok and have no rate too
  Unit unit = Unit::none;
  std::optional<double> median, low, high, cv;  // rates; 95% order-statistic interval
  std::optional<std::int64_t> first, last;      // `finished`, ms since the epoch
  std::map<std::string, std::int64_t> failures;  // outcome: how often
  bool operator==(const Summary&) const = default;
};

// Which series a summary is of: row numbers.
struct SeriesKey {
  std::int64_t series = 0, workload = 0, device = 0, stack = 0;
};
// Over all but `failures`: what is answered from is proved as everything else is.
std::int32_t checksum_of(const SeriesKey& key, const Summary& summary);

// A rate and where it was measured.
using Slot = std::pair<std::string, std::uint64_t>;  // campaign, round
struct SeriesValues {
  Summary summary;
  std::map<Slot, double> rates;  // of inspections in campaigns
  Occasions occasions;
};
SeriesValues read_series(Connection& connection, SharedRows& shared, std::int64_t series);

struct StepSummary {
  std::int64_t rounds = 0, slower = 0, faster = 0;
  std::optional<double> ratio;  // median of newer / older; none without a shared round
  bool operator==(const StepSummary&) const = default;
};
std::int32_t checksum_of(std::int64_t older, std::int64_t newer, std::int64_t component,
                         const StepSummary& step);
StepSummary step_between(const SeriesValues& older, const SeriesValues& newer);

// The workload and device that series share.
struct Panel {
  std::int64_t workload = 0, device = 0;
  auto operator<=>(const Panel&) const = default;
};

// Series of a panel that are a step apart.
struct StepPlace {
  std::int64_t older = 0, newer = 0;
  std::string component;
  auto operator<=>(const StepPlace&) const = default;
};
std::vector<StepPlace> steps_of(Connection& connection, SharedRows& shared, const Panel& panel);

std::int32_t hardware_checksum(std::string_view model, std::string_view microarchitecture);

std::vector<Panel> stale_panels(Connection& connection);
Panel panel_of(Connection& connection, std::int64_t series);
// Series that were never summed up and are not marked as stale: stackx before 2026-11-24 left one for a document that
// was refused. Marked, they get the sums of nothing.
bool has_unmarked_series(Connection& connection);
void mark_unmarked_series(Connection& connection);  // inside of a transaction

// Inside of a transaction: makes the rows of the panel's stale series and of the steps they end.
void finish_panel(Connection& connection, SharedRows& shared, const Panel& panel);

// One line for each row of sums or hardware that answers would stop at: its checksum does not hold.
std::vector<std::string> unsealed_rows(Connection& connection);

std::vector<Panel> all_panels(Connection& connection);
// One line for each row of the panel that is not what its inspections say.
std::vector<std::string> wrong_summaries(Connection& connection, SharedRows& shared, const Panel& panel);

}  // namespace stackx::store
