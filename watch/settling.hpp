// When a pass has measured enough: the rule, without clock, store or stacks.
//
// The advised stack and all newcomers run in the same rounds. Looks are taken after r, 2r, 4r, ... rounds, r being the fewest
// in which a verdict can fall at all, and after the last one; the k-th judges those that are still open, as one family, by the
// house's verdicts (analysis/statistics/comparison.hpp: paired rounds, sign test, Holm) at error/2^k. So however many looks
// there are, a pass calls an equal version faster or slower with a probability of `error` at most. A newcomer leaves
//   settled   with its verdict: FASTER, SLOWER or EQUIVALENT
//   hopeless  where no verdict can be expected before the rounds end: UNRESOLVED, and its interval is told. From the second
//             look on, since in the fewest rounds one wild inspection decides what there is to expect
//   failed    where it cannot be built, or failed twice and never ran
// and the pass is complete when none is left, or the advised stack itself fails. A function of what was measured alone, so a
// pass that was killed goes on as if nothing had happened, and its verdicts can be had again from the store.
//
// Rejected: looking after every round (with the sign test that costs five more rounds at the same error); a race (it drops
// whoever is behind the leader, but the question is each newcomer against the advised stack); fixed rounds (a difference of
// two times is plain after seven, one of 3% is not after thirty).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/statistics/comparison.hpp"
#include "specs/result/outcome.hpp"

namespace stackx::watch {

struct SettlingRule {
  double delta = 0.01;            // differences below this share do not matter
  double error = 0.05;            // of all verdicts of a campaign together
  std::uint64_t most_rounds = 60;
  bool looks_once = false;        // all rounds were measured whatever they said, as on a cluster: one look, at the end
};

// A failure of the stack, which no second try would change: there is no environment of it.
bool has_no_environment(specs::Outcome outcome);

// What one arm did in one round.
struct ArmResult {
  std::size_t arm = 0;  // 0: the advised stack; then the newcomers
  std::uint64_t round = 0;
  specs::Outcome outcome = specs::Outcome::ok;
  std::string reason;
  std::optional<double> log_rate;
};

struct Standing {
  enum class State { open, settled, hopeless, failed } state = State::open;
  analysis::Comparison comparison;  // the newcomer's rate over that of the advised stack, at the look that settled it, else the last
  std::uint64_t rounds = 0;         // complete ones that it rests on
  specs::Outcome outcome = specs::Outcome::ok;  // of a failed one
  std::string reason;
  bool is(analysis::Verdict verdict) const { return state == State::settled && comparison.verdict == verdict; }
};

struct Settling {
  std::vector<Standing> newcomers;
  std::optional<Standing> advised_failed;
  bool has_open() const;
};

// After which round looks are taken, ascending; the last is `most_rounds`.
std::vector<std::uint64_t> looks(std::size_t newcomers, const SettlingRule& rule);

// Of rounds that are complete: those below `rounds`. `newcomers`: how many.
Settling settle(const std::vector<ArmResult>& results, std::size_t newcomers, std::uint64_t rounds, const SettlingRule& rule);

// Who runs in round `round`; empty: the campaign is complete.
std::vector<std::size_t> arms_of_round(const std::vector<ArmResult>& results, std::size_t newcomers, std::uint64_t round,
                                       const SettlingRule& rule);

// How far a campaign is: rounds in which everybody who was to run has a result, and whether anybody is to run in the next.
struct SettlingProgress {
  std::uint64_t rounds = 0;
  bool is_complete = false;
};
SettlingProgress progress_of(const std::vector<ArmResult>& results, std::size_t newcomers, const SettlingRule& rule);

}  // namespace stackx::watch
