// What a campaign says, in a sentence that a person would say: the first line of `advise` where something was
// measured, of what `inspect` ends with, and of a report.
//
// Stacks are sorted into five by their comparison with the first (the highest median): slower (shown), equal (shown,
// within delta), open (neither), looks slower (not shown, but its ratio is below 1/1.1), and left a race. FASTEST is
// said only where all others are shown to be slower, or left a race by its bound; rounds show it, which both ran in: intervals of
// two campaigns know the noise within each, and nothing of what changed between them. Ranks are ranking.hpp's and stay: a
// stack that looks 2 times slower may tie, for want of rounds; here it never does without that being said. Rejected:
// a test for "looks slower". Where one could be made, the verdict is not far; where it could not, after two rounds, a
// reader must be told all the same.
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

// Not shown to be slower than the best, but its ratio says so: it must not stand as a mere tie.
bool looks_slower(const Recommendation& row, double delta, const specs::Yardstick& yardstick);
// "looks ×0.520, 2 rounds short"; "left a race, ×0.520"; "" where the row does not.
std::string looks_text(const Recommendation& row, double delta, const specs::Yardstick& yardstick);
// What fits into a sentence of a reason, which may be a log of many lines.
std::string first_words(const std::string& reason, std::size_t most = 160);
// How many times as good the better of two is, from the ratio of the worse to the better: 2 of a rate's 0.5 and of a memory's 2.
double times(double ratio, const specs::Yardstick& yardstick);

}  // namespace stackx::analysis
