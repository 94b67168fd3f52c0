// The campaign that would settle what is not known: a project file (stackx/project/1) that lists the candidates.
//
// It runs them against each other, and no others. How often: until a difference of `effect` (5%) is found, that is, a
// candidate so much slower than the first is called SLOWER by the ranking's own test with a probability of 80% or
// more, computed exactly for normal noise of the spread expected. At most an hour: what takes longer gets a larger
// effect, then fewer stacks, and says so. One driver is installed on a machine, and the file takes that one ("host"): a
// version of ours would have to be corrected on nearly every machine before anything ran.
//
// Rejected: rounds that resolve 1%, as a ranking's "+N rounds" counts them: at a usual spread a day and a half, which
// nobody runs to choose between stacks that differ by a percent. What it would take is said.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "specs/catalog/catalog.hpp"
#include "specs/catalog/stack.hpp"
#include "specs/project/workload.hpp"

namespace stackx::advisor {

// The coefficient of variation between inspections that is expected.
struct ExpectedSpread {
  double cv = 0.02;
  std::size_t inspections = 0;  // that it was measured on; 0: assumed
  std::string from;  // where, or why this is assumed: "campaign 0123456789ab on 2 machines"
};
// Where nothing was measured.
ExpectedSpread assumed_spread();

// The estimate of comparison.hpp for two stacks whose medians are equal, one comparison of `comparisons`; nothing where
// 10,000 rounds would not do.
std::optional<std::size_t> estimated_rounds(double delta, double cv, std::size_t comparisons = 1,
                                            double confidence = 0.95);
// That times 2.5. The estimate is of the typical interval, and with it alone one campaign of eight would end in
// EQUIVALENT; with the factor, simulated, 7 of 10 do, and 8 of 10 tell stacks apart that are 2 delta apart
// (tests/advisor).
std::optional<std::size_t> rounds_to_resolve(double delta, double cv, std::size_t comparisons = 1);

struct Settling {
  std::string hw;                               // as asked: "v100"
  std::map<std::string, std::string> hardware;  // {"gpu": "v100-sxm2-16gb"}, {"cpu": "host"}
  specs::Workload workload;                     // with concrete shapes
  std::vector<specs::Stack> candidates;         // the first is the recommended one
  std::vector<std::string> catalogs;  // of the project: names in the data directory, or paths
  std::map<std::string, std::string> roots;  // {"gpu-library": "*"}
  ExpectedSpread spread = assumed_spread();
  double delta = 0.01;   // of the ranking that will judge
  double effect = 0.05;  // the difference to find
  double minutes = 60;   // at most
  bool by_rate = true;   // else by another metric
};

struct SettlingCampaign {
  std::string text;     // the project file
  std::string summary;  // "3 stacks, 13 rounds, about 32 min, finds differences of 5%. (1% would take 5 h.)"
  std::size_t stacks = 0, rounds = 0, arms = 0;  // arms: with the sentinel
  double minutes = 0;
  double effect = 0.05;              // the difference that it finds: what was asked, or larger
  bool resolves = true;              // false: not even 20% can be found in the time
  std::string what_1_percent_takes;  // "5 h"; "" where nobody can say
  bool needs_program = false;        // stackx has no PI for it: the user's own is to be named, --pi FILE
  std::vector<std::string> notes;    // what the sizes rest on, and what was left out
};

// `catalog`: of those files. Throws Error(bad_input) for a candidate that is no stack of the project.
SettlingCampaign settling_campaign(const Settling& asked, const specs::Catalog& catalog);

}  // namespace stackx::advisor
