// stackx effects: which version change makes how much of a difference, and what it predicts.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "advisor/predicted.hpp"
#include "advisor/selection.hpp"
#include "analysis/effects/effects.hpp"
#include "analysis/text/table.hpp"
#include "cli/commands.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/output/file.hpp"
#include "cli/output/print.hpp"
#include "specs/error.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {
namespace {

struct EffectsOptions {
  advisor::SelectionOptions selection;
  std::vector<std::string> components;
  std::filesystem::path predict;
  std::uint64_t top = 10;
  std::string format = "table", scores, metric = "rate";
};

struct Predicted {
  std::vector<advisor::PredictedStack> stacks;
  std::vector<std::string> notes;
};

Predicted predict(const EffectsOptions& options, const analysis::Effects& effects,
                  const Globals& globals) {
  const workspace::Loaded loaded = load(options.predict, globals, {}, workspace::Need::stacks);
  const resolver::Resolver resolver(loaded.project, loaded.catalog);
  Predicted result;
  result.stacks = advisor::best_predicted(resolver, effects, options.top);
  result.notes = advisor::prediction_notes(resolver, effects, result.stacks);
  return result;
}

void print_document(const analysis::Effects& effects, const EffectsOptions& options,
                    const Predicted& predicted) {
  auto document = analysis::to_json(effects);
  if (!options.predict.empty()) {
    document["predictions"] = nlohmann::json::array();
    for (const advisor::PredictedStack& one : predicted.stacks)
      document["predictions"].push_back(to_json(one, effects));
    for (const std::string& note : predicted.notes) document["notes"].push_back(note);
  }
  print_json(document);
}

void print_table(const analysis::Effects& effects, const EffectsOptions& options,
                 const Predicted& predicted) {
  workspace::write_out(analysis::table(effects, stdout_is_terminal(), output_width()));
  if (options.predict.empty()) return;
  workspace::print("\nThe {} of {} with the {} predicted {}:\n",
                   predicted.stacks.size() == 1 ? "stack" : fmt::format("{} stacks", predicted.stacks.size()), options.predict.string(),
                   effects.yardstick.smaller_is_better() ? "lowest" : "highest", effects.yardstick.noun());
  for (const advisor::PredictedStack& one : predicted.stacks)
    workspace::print("{}\n", workspace::Block{analysis::wrap(line(one, effects), 0, output_width())});
  for (const std::string& note : predicted.notes)
    workspace::print("- {}\n", workspace::Block{analysis::wrap(note, 2, output_width())});
}

void effects(const EffectsOptions& options, Globals& globals) {
  auto asked = options.selection;
  const auto yardstick = yardstick_of(options.metric);
  asked.yardsticks = {yardstick};
  advisor::name_workload(asked, globals);
  const auto selection = select(asked, globals);
  auto effects = analysis::effects(selection.measurements, selection.asked,
                                   {.this_host = selection.this_host, .components = options.components, .yardstick = yardstick});
  effects.hw = selection.hw;
  if (selection.population) effects.notes.push_back(explanation(*selection.population));
  effects.notes.insert(effects.notes.end(), selection.left_out.begin(), selection.left_out.end());
  if (!effects.model && selection.measurements.empty())
    return nothing_measured(selection, {{"effects", nlohmann::json::array()}}, globals);
  const bool json = globals.json || options.format == "json";
  if (!effects.model) {
    if (effects.why_none.empty()) {
      effects.why_none = none_ended_well(selection, effects);
      effects.notes.push_back(effects.why_none);
    }
    if (json)
      print_json(analysis::to_json(effects));
    else
      workspace::print("{}\n", workspace::Block{analysis::wrap(effects.why_none + ".", 0, output_width())});
    globals.exit_code = 1;
    return;
  }
  if (!options.scores.empty())
    write_output(options.scores, analysis::scores_document(effects).dump(2) + "\n");
  if (options.scores == "-") return;  // nothing else belongs there
  const auto predicted = options.predict.empty() ? Predicted{} : predict(options, effects, globals);
  if (json)
    print_document(effects, options, predicted);
  else if (options.format == "csv")
    workspace::write_out(analysis::csv(effects));
  else
    print_table(effects, options, predicted);
}

}  // namespace

void add_effects(Command app, Globals& globals) {
  auto options = std::make_shared<EffectsOptions>();
  const auto command = app.add_subcommand(
      "effects",
      "How much each change of a version matters, and which stacks should be fast that nobody ran");
  command.describe(
      {"An additive model of everything that was measured of the workload on the hardware: which version changes "
       "the rate, by how much, and how sure that is.",
       {{"What matters here", "stackx effects --hw host --workload matmul"},
        {"The five stacks of a project that should be fastest", "stackx effects --predict project.json --top 5"}}});
  add_selection_options(command, options->selection);
  add_metric_option(command, options->metric);
  command.add_option("--component", options->components,
                   "Only the effects of this component; may be repeated")
      .type_name("NAME")
      .one_each();
  const auto project = command.add_option("--predict", options->predict,
                                   "Also the stacks of this project with the best predicted rate, or what --metric names")
                      .type_name("PROJECT");
  command.add_option("--top", options->top, "How many of them")
      .check(within(std::uint64_t{1}, std::uint64_t{1'000'000}))
      .needs(project)
      .type_name("K")
      .show_default();
  command.add_option("--scores", options->scores,
                   "Write the effects as scores of versions (stackx/score/1; - for stdout)")
      .type_name("FILE");
  command.add_option("--format", options->format, "table, json or csv (the effects alone)")
      .check(one_of({"table", "json", "csv"}))
      .show_default();
  command.callback([options, &globals] { effects(*options, globals); });
}

}  // namespace stackx::cli
