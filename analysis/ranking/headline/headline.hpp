// What a campaign says, in a sentence that a person would say: the first line of `advise` where something was
// measured, of what `inspect` ends with, and of a report.
//
// FASTEST is said only where all other stacks are shown to be slower (standing.hpp), or left a race by its bound; rounds show it,
// which both ran in: intervals of two campaigns know the noise within each, and nothing of what changed between them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/ranking/ranking.hpp"

namespace stackx::analysis {

struct Headline {
  std::string line;
  std::vector<std::string> leaders;  // stack ids: one, or those not told apart
  bool decided = false;              // one stack is better than all others
  // FASTEST (BEST, of anything but a rate); EQUIVALENT: the leaders are, within delta, and all others slower; NOT TOLD APART; ALONE: one stack was
  // measured; FAILED: all failed; "": nothing was measured.
  std::string verdict;
  std::optional<Interval> ratio_ci;  // of the first to the next
  std::optional<double> ratio;
  std::vector<std::string> context;   // on what it rests: "MEASURED here (zen5): 16 stacks, 12 rounds, ..."
  std::vector<std::string> cautions;  // "CV of the best 15%."
  std::size_t rounds_lacking = 0;     // the most that `line` names; 0: none, or not known
};

// `hw`: the hardware as the reader calls it.
Headline headline(const Ranking& ranking, const std::string& hw);

// {"text", "verdict", "decided", "leaders", "ratio", "ratio_ci", "context", "cautions", "rounds_lacking"}
nlohmann::json to_json(const Headline& headline);

}  // namespace stackx::analysis
