// stackx advise: the ranked answer, from what has been measured.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "analysis/pareto.hpp"
#include "analysis/ranking.hpp"
#include "cli/commands.hpp"
#include "cli/load.hpp"
#include "cli/selection.hpp"

namespace stackx::cli {
namespace {

struct Options {
  SelectionOptions selection;
  std::string objective = "rate", format = "table";
  std::size_t rows = 25;
  double delta = 1.0;  // percent
  bool pareto = false, rows_given = false;
};

analysis::Objective objective_from(const std::string& name) {
  if (name == "stability") return analysis::Objective::stability;
  if (name == "balanced") return analysis::Objective::balanced;
  return analysis::Objective::rate;
}

void advise(const Options& options, Globals& globals) {
  SelectionOptions wanted = options.selection;
  if (!options.pareto) wanted.stacks = {options.rows_given ? options.rows : 10, options.rows};
  const auto selection = select(wanted, globals);
  if (selection.measurements.empty())
    return nothing_measured(selection, {{"recommendations", nlohmann::json::array()}}, globals);

  analysis::Options analysis_options;
  analysis_options.objective = objective_from(options.objective);
  analysis_options.delta = options.delta / 100;
  analysis_options.this_host = selection.this_host;
  analysis_options.races = selection.races;
  analysis_options.drift = !selection.leading;
  auto ranking = analysis::rank(selection.measurements, selection.asked, analysis_options);
  ranking.hw = selection.hw;
  ranking.notes.insert(ranking.notes.begin(), selection.notes.begin(), selection.notes.end());
  if (options.pareto) {
    const auto front =
        analysis::pareto(ranking, selection.measurements, selection.this_host);
    if (globals.json || options.format == "json")
      print_json(analysis::to_json(front, ranking));
    else
      fmt::print("{}", analysis::table(front, ranking, stdout_is_terminal()));
  } else if (globals.json || options.format == "json")
    print_json(analysis::to_json(ranking));
  else
    fmt::print("{}", analysis::table(ranking, options.rows, stdout_is_terminal()));
  if (ranking.recommendations.empty()) globals.exit_code = 1;
}

}  // namespace

void add_advise(CLI::App& app, Globals& globals) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand(
      "advise", "The stacks that were measured on some hardware, ranked, with their evidence");
  add_selection_options(*command, options->selection);
  command
      ->add_option("--objective", options->objective,
                   "What decides within a tie: rate, stability or balanced")
      ->check(CLI::IsMember({"rate", "stability", "balanced"}))
      ->capture_default_str();
  command->add_option("--format", options->format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  command->add_option("--rows", options->rows, "Rows of the table (0: all)")
      ->type_name("N")
      ->capture_default_str();
  add_delta_option(*command, options->delta);
  command->add_flag("--pareto", options->pareto,
                    "Only the stacks that no other beats in both rate and spread (CV)");
  command->callback([options, command, &globals] {
    options->rows_given = command->count("--rows") > 0;
    advise(*options, globals);
  });
}

}  // namespace stackx::cli
