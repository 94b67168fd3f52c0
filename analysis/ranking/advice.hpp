// The document that `advise --json` prints, read again: what it claims of its stacks.
//
// Read is what a claim needs (hw, workload, metric, delta, recommendations with stack, rate or amount, and vs_best);
// the rest may be anything, so that advice of later versions can be verified. Of the recommendations
// those that were measured: what is published or predicted claims nothing that rounds could bear out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/statistics/comparison.hpp"
#include "specs/catalog/stack.hpp"
#include "specs/format/json.hpp"
#include "specs/project/workload.hpp"

namespace stackx::analysis {

struct AdvisedStack {
  std::size_t rank = 0;
  specs::Stack stack;
  double median = 0;                      // of the unit
  std::optional<Comparison> versus_best;  // this stack / the first; absent for the first
};

struct Advice {
  std::string hw, unit;
  specs::Yardstick yardstick;
  specs::Workload workload;
  double delta = 0.01;
  std::vector<AdvisedStack> stacks;  // the first is the advised one
};

// Throws Error(bad_input) naming place and what was expected; stack ids must fit their components.
Advice read_advice(const specs::Node& document);

// The stack that the advised one is to be compared with: the one whose id begins with `id`; without
// one the first that the advice calls SLOWER, else the second. Throws Error(bad_input).
const AdvisedStack& baseline(const Advice& advice, const std::string& id);

// Whether fresh rounds bear out what was claimed of advised stack and baseline.
enum class Claim { holds, refuted, undecided };
const char* to_string(Claim claim);
struct Verification {
  Claim claim = Claim::undecided;
  std::string why;  // a sentence
};
// `fresh`: advised / baseline. Claimed SLOWER of the baseline holds if the advised is FASTER again;
// claimed anything else (a tie) holds if the advised is not SLOWER: EQUIVALENT or FASTER.
Verification judge(const AdvisedStack& baseline, const Comparison& fresh, const specs::Yardstick& yardstick = {});

}  // namespace stackx::analysis
