// stackx advise: the ranked answer, from what has been measured.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "analysis/pareto.hpp"
#include "analysis/ranking.hpp"
#include "cli/advice_text.hpp"
#include "cli/commands.hpp"
#include "cli/load.hpp"
#include "cli/selection.hpp"

namespace stackx::cli {
namespace {

struct Options {
  AdviceOptions advice;
  std::string objective = "rate", format = "table";
  std::size_t rows = 25;
  double delta = 1.0;  // percent
  bool pareto = false, rows_given = false, explain = false;
};

analysis::Objective objective_from(const std::string& name) {
  if (name == "stability") return analysis::Objective::stability;
  if (name == "balanced") return analysis::Objective::balanced;
  return analysis::Objective::rate;
}

// Of what was measured only: a published number has no spread.
void advise_pareto(const Options& options, Globals& globals) {
  const auto selection = select(options.advice.selection, globals);
  if (selection.measurements.empty())
    return nothing_measured(selection, {{"recommendations", nlohmann::json::array()}}, globals);
  auto settings = options.advice.analysis;
  settings.this_host = selection.this_host;
  settings.races = selection.races;
  auto ranking = analysis::rank(selection.measurements, selection.asked, settings);
  ranking.hw = selection.hw;
  ranking.notes.insert(ranking.notes.begin(), selection.notes.begin(), selection.notes.end());
  const auto front = analysis::pareto(ranking, selection.measurements, selection.this_host);
  if (globals.json || options.format == "json")
    print_json(analysis::to_json(front, ranking));
  else
    fmt::print("{}", analysis::table(front, ranking, stdout_is_terminal()));
  if (ranking.recommendations.empty()) globals.exit_code = 1;
}

void advise(const Options& given, Globals& globals) {
  Options options = given;
  options.advice.analysis.objective = objective_from(options.objective);
  options.advice.analysis.delta = options.delta / 100;
  if (options.pareto) return advise_pareto(options, globals);
  options.advice.selection.stacks = {options.rows_given ? options.rows : 10, options.rows};
  const auto advice = hardware_advice(options.advice, globals);
  if (globals.json || options.format == "json")
    print_json(advice_json(advice));
  else
    fmt::print("{}", advice_text(advice, {options.rows, stdout_is_terminal(), options.explain}));
  if (!advice.recommends()) globals.exit_code = 1;
}

}  // namespace

void add_advise(CLI::App& app, Globals& globals) {
  auto options = std::make_shared<Options>();
  auto* command = app.add_subcommand(
      "advise", "Which stacks to run a workload with on some hardware: what is valid, what is fastest by the best evidence");
  add_selection_options(*command, options->advice.selection);
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
  command
      ->add_option("--lock", options->advice.lock,
                   "What you run today (Pipfile.lock, pylock.toml, pinned requirements.txt): is it "
                   "valid there, and what would change it for the better")
      ->type_name("FILE");
  command
      ->add_option("--project", options->advice.project,
                   "What must hold (requirements.txt, Pipfile, pyproject.toml): only stacks with it")
      ->type_name("FILE");
  command
      ->add_option("--python", options->advice.context.python,
                   "Python that markers of --lock and --project hold for")
      ->type_name("X.Y");
  command->add_flag("--explain", options->explain,
                    "From each recommendation to the documents it rests on");
  command->callback([options, command, &globals] {
    options->rows_given = command->count("--rows") > 0;
    advise(*options, globals);
  });
}

}  // namespace stackx::cli
