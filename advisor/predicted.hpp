// Stacks of a project by predicted rate: the additive model's effects as the resolver's scores.
//
//   resolve PROJECT --top K --effects        the K stacks with the highest predicted rate
//   effects --predict PROJECT --top K        the same, below the effects
//
// Exact: no stack that is left out has a higher prediction (to 10^-6 of a log unit). A line says
// "predicted", with its interval; where the stack was measured, its median and n stand beside it.
// Effects of versions that were never measured are the mean; they are counted and named.
#pragma once

#include <expected>

#include "advisor/selection.hpp"
#include "analysis/effects/effects.hpp"
#include "resolver/resolver.hpp"

namespace stackx::advisor {

// Of the measurements selected, or why there are none, in sentences; what is measured instead follows, a line each. Throws
// Error(bad_input) for more than effects can be taken of.
std::expected<analysis::Effects, std::string> effects_for(const SelectionOptions& options, const workspace::Context& context);

// Of measurements that were made and give no effects: "All 3 inspections of matmul on zen4 failed: there is no rate".
std::string none_ended_well(const Selection& selection, const analysis::Effects& effects);

struct PredictedStack {
  specs::Stack stack;
  std::string score;  // sum of log effects
  double rate = 0;
  std::optional<analysis::Interval> interval;
  std::vector<std::string> never_measured;          // "mkl 2026.1"
  const analysis::StackValue* measured = nullptr;  // of the effects
};
std::vector<PredictedStack> best_predicted(const resolver::Resolver& resolver,
                                           const analysis::Effects& effects, std::uint64_t count);

// What must be said beside the list: the model's error, what was never measured, and that a
// prediction outranks nothing that was measured.
std::vector<std::string> prediction_notes(const resolver::Resolver& resolver,
                                          const analysis::Effects& effects,
                                          const std::vector<PredictedStack>& stacks);

nlohmann::json to_json(const PredictedStack& stack, const analysis::Effects& effects);
std::string line(const PredictedStack& stack, const analysis::Effects& effects);

}  // namespace stackx::advisor
