// Ranks stacks by measured performance, or by what else a yardstick says: memory, energy, an error (DESIGN: the unit is the
// inspection, one fresh process gives one value). Below, "rate" and "slower" stand for the amount and for worse.
//
// Per stack: the median over its inspections of the median rate of each, an order-statistic CI for
// that median, the CV between inspections. Measurements of this host count where a stack has any;
// else those of other hosts.
//
// Ranks. The best is the stack with the highest median; all others are one family of comparisons
// with it (analysis/statistics/comparison.hpp). Tie groups: walk down by median; a stack shares the rank of
// the group above unless it is SLOWER than one of the group, each member's comparisons with all
// below it being a family; then it begins the next group. So no stack of a rank is shown to be
// slower than another of that rank. Rejected: comparing with the group's first only, where one
// erratic stack ties with everything below it. Stacks that share no round cannot be compared in
// pairs: they tie unless their own CIs are apart by more than delta; where they were measured on different nodes, too, that
// compares nodes, and is said (placement.hpp). Medians are as they were measured, whatever the nodes. Within a group the objective
// decides the order, never the rank:
//   rate       the median
//   stability  the smaller CV
//   balanced   median * (1 - 2 CV): what about 98 of 100 inspections exceed, if the noise is normal
//
// The best is picked from the rounds it is compared in, so it owes part of its lead to luck
// (winner's curse); the correction is for the comparisons made, not for that choice. Simulated with
// up to 20 equal stacks (tests/analysis), the family-wise error stays under 5% at CVs up to 5% and
// the default delta of 1%; where noise dwarfs delta it comes to 15%. A narrow lead deserves fresh
// rounds. Rejected: Holm over all pairs of stacks, which is immune to the choice but, with 20
// stacks, decides nothing before round 13.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/ranking/population.hpp"
#include "analysis/statistics/comparison.hpp"
#include "analysis/statistics/drift.hpp"
#include "analysis/statistics/nodes.hpp"
#include "analysis/statistics/sentinels.hpp"
#include "analysis/text/table.hpp"
#include "specs/project/campaign.hpp"
#include "specs/project/pi_program.hpp"
#include "store/store.hpp"

namespace stackx::analysis {

enum class Objective { rate, stability, balanced };

struct Recommendation {
  std::size_t rank = 0;  // ties share one
  specs::Stack stack;
  double median = 0;  // of the unit below
  std::optional<Interval> ci;
  std::optional<double> cv;  // between inspections; absent with n < 2
  std::size_t inspections = 0;  // that the numbers are of
  std::size_t measured = 0;     // that there are: more, where a sample was read
  std::vector<std::pair<std::string, std::size_t>> failures;  // outcome -> how often, of all
  std::size_t failed() const;                                 // in all
  std::string reason;                                         // of the latest failure
  std::string evidence;                                       // "measured", "measured-elsewhere"
  std::vector<std::string> sources;                           // campaign ids
  std::optional<Comparison> versus_best;  // absent for the best itself; the ratio is of the amounts as they are
  bool left_race = false;  // shown to be behind by a race's bound (race.hpp)
};

struct Ranking {
  std::string hw;
  specs::Workload workload;
  std::string first_day, last_day;  // when, in UTC: "2026-11-30"; "" where nothing was
  std::optional<specs::PiProgram> program;  // that measured, where it is not stackx's own
  specs::Yardstick yardstick;
  std::string unit;  // "GFLOP/s", "GB/s", "items/s"; of a yardstick "MB", "ms", "J", ""
  std::size_t without_unit = 0;  // inspections that tell no rate in it, and are left out
  std::string amount_remark;  // of energies and device memory: what is in them (amount_remark.hpp)
  double delta = 0.01;
  double confidence = 0.95;
  std::vector<Recommendation> recommendations;
  std::vector<Recommendation> failed;  // stacks with no inspection that ranks
  Sentinels sentinels;
  std::vector<Drift> drifts;  // where it was looked for
  std::optional<Nodes> nodes;             // where several measured: which of them is slow
  std::vector<std::string> across_nodes;  // which rows compare nodes, too (placement.hpp)
  std::vector<std::string> unsteady;      // by a yardstick of the check: stacks that gave different bits (bits.hpp)
  std::optional<Population> population;  // of a sample
  std::vector<std::string> notes;  // measured besides, the sentinels' noise floor, warnings
};

struct Options {
  Objective objective = Objective::rate;
  double delta = 0.01;
  double confidence = 0.95;
  std::string this_host;  // fingerprint: measurements of other hosts are measured-elsewhere
  // Campaigns that raced, by id: their finalists are compared on the fresh rounds alone (race.hpp).
  std::map<std::string, specs::CampaignSpec> races = {};
  std::optional<Population> population = {};  // where the measurements are a sample
  specs::Yardstick yardstick = {};  // the measurements were read with it
  bool drift = true;  // look for it; a few arms of a large campaign say little of the machine
};

// `workload` may leave parameters open: of those measured, the one that most stacks can do is ranked
// (among equals the one with the most inspections) and the others become notes. The result does
// not depend on the order of the measurements.
Ranking rank(const std::vector<store::Measurement>& measurements, const specs::Workload& workload,
             const Options& options);

// Components on which all stacks agree, failed ones too: said once instead of in every row.
std::map<std::string, std::string> common_components(const Ranking& ranking);

nlohmann::json to_json(const Ranking& ranking);  // as DESIGN section 7 fixes `advise --json`
std::string table(const Ranking& ranking, std::size_t rows, bool colour, std::size_t width = page_width);  // rows 0: all

}  // namespace stackx::analysis
