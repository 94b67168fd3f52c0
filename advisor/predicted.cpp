#include "advisor/predicted.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/text/table.hpp"
#include "specs/error.hpp"
#include "workspace/load.hpp"

namespace stackx::advisor {
namespace {

using analysis::number;

// The model's scores of every version of the project.
specs::Scores project_scores(const resolver::Resolver& resolver,
                             const analysis::Effects& effects) {
  specs::Scores all;
  for (const auto& component : resolver.components()) {
    auto some = analysis::scores(effects, component.name, component.versions);
    all.decimals = some.decimals;
    all.of.merge(some.of);
  }
  return all;
}

const analysis::StackValue* measured(const analysis::Effects& effects, const specs::Stack& stack) {
  // In the order of their stacks, as collect() (analysis/ranking/rates.hpp) gives them.
  const auto found =
      std::ranges::lower_bound(effects.values, stack, {}, &analysis::StackValue::stack);
  return found == effects.values.end() || found->stack != stack ? nullptr : &*found;
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
    text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text;
}

std::string never_measured_note(const resolver::Resolver& resolver,
                                const analysis::Effects& effects) {
  std::vector<std::string> unknown;
  std::size_t versions = 0;
  for (const auto& component : resolver.components())
    for (const auto& version : component.versions) {
      ++versions;
      const auto row = effects.model->design().row({{{component.name, version}}});
      const auto text = analysis::level_text(component.name, version);
      if (std::ranges::find(row.unknown, text) != row.unknown.end()) unknown.push_back(text);
    }
  if (unknown.empty()) return {};
  return fmt::format(
      "{} of the project's {} versions were never measured; their effect is taken to be the mean of "
      "their component, and the interval of a stack that holds one is wider: {}",
      unknown.size(), versions, some_of(unknown));
}

std::string rank_note(const analysis::Effects& effects,
                      const std::vector<PredictedStack>& stacks) {
  const bool less = effects.yardstick.smaller_is_better();
  const auto best = less ? std::ranges::min_element(effects.values, {}, &analysis::StackValue::median)
                         : std::ranges::max_element(effects.values, {}, &analysis::StackValue::median);
  const auto above = std::ranges::count_if(stacks, [&](const PredictedStack& one) {
    return !one.measured && (less ? one.rate < best->median : one.rate > best->median);
  });
  std::string text = fmt::format("Best measured: {} with {} {} (n={}).", best->stack.short_id(),
                                 number(best->median), effects.unit, best->inspections);
  if (above > 0)
    text += fmt::format(
        " {} listed {} predicted to be {}, which nobody has measured: inspect {} before "
        "believing it.",
        above, above == 1 ? "stack is" : "stacks are", effects.yardstick.is_rate() ? "faster" : "better", above == 1 ? "it" : "them");
  return text;
}

}  // namespace

std::expected<analysis::Effects, std::string> effects_for(const SelectionOptions& options, const workspace::Context& context) {
  const auto selection = select(options, context);
  auto effects = analysis::effects(selection.measurements, selection.asked, {.this_host = selection.this_host});
  effects.hw = selection.hw;
  if (!effects.why_none.empty()) throw bad_input(effects.why_none);
  if (selection.measurements.empty())
    return std::unexpected(fmt::format("No measurement of {} on {} to predict from.\n{}", selection.asked.text(), selection.hw,
                                       what_is_measured(selection, context)));
  if (!effects.model) return std::unexpected(none_ended_well(selection, effects) + ".");
  if (selection.population) effects.notes.push_back(explanation(*selection.population));
  return effects;
}

std::string none_ended_well(const Selection& selection, const analysis::Effects& effects) {
  const auto what = fmt::format("{} inspections of {} on {}", selection.measurements.size(), effects.workload.text(), effects.hw);
  return effects.yardstick.is_rate() ? fmt::format("All {} failed: there is no rate", what)
                                     : fmt::format("Of the {} none ended well and tells {}", what, effects.yardstick.noun());
}

std::vector<PredictedStack> best_predicted(const resolver::Resolver& resolver,
                                           const analysis::Effects& effects, std::uint64_t count) {
  std::vector<PredictedStack> stacks;
  if (count == 0) return stacks;
  const auto scores = project_scores(resolver, effects);
  resolver.best(scores, [&](const resolver::Choice& choice, specs::Score score) {
    PredictedStack one;
    one.stack = resolver.stack(choice);
    one.score = scores.text(score);
    auto prediction = effects.model->predict(one.stack);
    one.rate = std::exp(prediction.value);
    if (const auto& interval = prediction.interval)
      one.interval = analysis::Interval{std::exp(interval->low), std::exp(interval->high),
                                        interval->coverage};
    one.never_measured = std::move(prediction.never_measured);
    one.measured = measured(effects, one.stack);
    stacks.push_back(std::move(one));
    return stacks.size() < count;
  });
  return stacks;
}

std::vector<std::string> prediction_notes(const resolver::Resolver& resolver,
                                          const analysis::Effects& effects,
                                          const std::vector<PredictedStack>& stacks) {
  std::vector<std::string> notes{analysis::accuracy_text(effects)};
  if (auto note = never_measured_note(resolver, effects); !note.empty())
    notes.push_back(std::move(note));
  notes.push_back(rank_note(effects, stacks));
  return notes;
}

nlohmann::json to_json(const PredictedStack& one, const analysis::Effects& effects) {
  nlohmann::json document = {
      {"id", one.stack.id()},
      {"components", one.stack.components},
      {"score", nlohmann::json::parse(one.score)},
      {"evidence", "predicted"},
      {"predicted",
       {{"rate", one.rate},
        {"interval95", one.interval ? nlohmann::json{one.interval->low, one.interval->high}
                                    : nlohmann::json(nullptr)},
        {"unit", effects.unit}}},
      {"never_measured", one.never_measured},
      {"measured", nullptr}};
  if (const auto& accuracy = effects.accuracy)
    document["model"] = {{"stacks", accuracy->stacks},
                         {"leave_one_out_median_error", accuracy->median_error},
                         {"leave_one_out_rms_log", accuracy->rms_log}};
  if (one.measured)
    document["measured"] = {{"median", one.measured->median},
                            {"inspections", one.measured->inspections},
                            {"unit", effects.unit}};
  return document;
}

std::string line(const PredictedStack& one, const analysis::Effects& effects) {
  std::string text = fmt::format("predicted {} {} {}", number(one.rate),
                                 one.interval ? fmt::format("[{}, {}]", number(one.interval->low),
                                                            number(one.interval->high))
                                              : "(no interval)",
                                 effects.unit);
  if (one.measured)
    text += fmt::format(", measured {} (n={})", number(one.measured->median),
                        one.measured->inspections);
  text += "  " + one.stack.short_id() + " ";
  for (const auto& [component, version] : one.stack.components) text += " " + component + "=" + version;
  if (!one.never_measured.empty())
    text += "  (never measured: " + some_of(one.never_measured) + ")";
  return text;
}

}  // namespace stackx::advisor
