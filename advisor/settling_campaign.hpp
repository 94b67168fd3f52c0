// The campaign that would settle what is not known: a project file (stackx/project/1) for a machine that is not here.
//
// It runs the candidates of a recommendation against each other. How often follows from the spread expected: the estimate
// that a ranking calls "+N rounds" (analysis/statistics/comparison.hpp), for stacks that are equal, times 2.5. The estimate is of the
// typical interval, and with it alone one campaign of eight would end in EQUIVALENT; with the factor, simulated, 7 of 10
// do, and 8 of 10 tell stacks apart that are 2 delta apart (tests/advisor/test_settling_campaign.cpp). One driver is installed
// on a machine, so all run on the newest driver that any of them names.
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
// That with the factor.
std::optional<std::size_t> rounds_to_resolve(double delta, double cv, std::size_t comparisons = 1);

struct Settling {
  std::string hw;                               // as asked: "v100"
  std::map<std::string, std::string> hardware;  // {"gpu": "v100-sxm2-16gb"}, {"cpu": "host"}
  specs::Workload workload;                     // with concrete shapes
  std::vector<specs::Stack> candidates;         // the first is the recommended one
  std::vector<std::string> catalogs;  // of the project: names in the data directory, or paths
  std::map<std::string, std::string> roots;  // {"gpu-library": "*"}
  ExpectedSpread spread = assumed_spread();
  double delta = 0.01;
};

struct SettlingCampaign {
  std::string text;  // the project file
  std::size_t rounds = 0, arms = 0;
  double minutes = 0;
  bool resolves = true;  // false: the rounds are the most there are, and will not do
  std::string
      stacks;  // how many the project holds: more than the candidates where their versions cross
  std::vector<std::string> notes;  // what the sizes rest on
};

// `catalog`: of those files. Throws Error(bad_input) for a candidate that is no stack of the project.
SettlingCampaign settling_campaign(const Settling& asked, const specs::Catalog& catalog);

}  // namespace stackx::advisor
