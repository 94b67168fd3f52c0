// stackx advise: the ranked answer, from what has been measured.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "advisor/check/asked.hpp"
#include "advisor/price.hpp"
#include "advisor/recipes/parts.hpp"
#include "advisor/selection.hpp"
#include "analysis/ranking/pareto.hpp"
#include "analysis/ranking/ranking.hpp"
#include "cli/commands.hpp"
#include "cli/output/advice_text.hpp"
#include "cli/output/facts_line.hpp"
#include "cli/output/file.hpp"
#include "cli/output/print.hpp"
#include "cli/shared_options.hpp"
#include "specs/error.hpp"
#include "workspace/load.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

struct AdviseOptions {
  advisor::AdviceOptions advice;
  std::string objective = "rate", format = "table";
  std::size_t rows = 25;
  double delta = 1.0;  // percent
  bool pareto = false, rows_given = false, explain = false;
  std::string type = "performance", price;
  std::filesystem::path settle;
};

analysis::Objective objective_from(const std::string& name) {
  if (name == "stability") return analysis::Objective::stability;
  if (name == "balanced") return analysis::Objective::balanced;
  return analysis::Objective::rate;
}

// Of what was measured only: a published number has no spread.
void advise_pareto(const AdviseOptions& options, Globals& globals) {
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

// What belongs to another option, which was not given, would be ignored silently.
void check(const AdviseOptions& options) {
  if (options.objective == "cost" && options.price.empty())
    throw bad_input("--objective cost: needs --price, what a device costs an hour");
  if (!options.advice.lock.empty() && !options.advice.project.empty())
    throw bad_input("--lock and --project: give one of them");
  if (!options.pareto) return;
  const auto& advice = options.advice;
  for (const auto& [name, given] :
       {std::pair{"--lock", !advice.lock.empty()}, {"--project", !advice.project.empty()},
        {"--settle", !options.settle.empty()}, {"--price", !options.price.empty()},
        {"--explain", options.explain}, {"--type", options.type != "performance"},
        {"--format", advisor::recipe_format_from(options.format).has_value()}})
    if (given)
      throw bad_input(fmt::format("--pareto: is of what was measured only and takes no {}", name));
}

// The options that say what is asked, as a command line has them.
std::string command_of(const AdviseOptions& options) {
  const auto& selection = options.advice.selection;
  std::string text = " --hw " + advisor::shell_quoted(selection.hw) + " --workload " + advisor::shell_quoted(selection.workload);
  if (!selection.campaign.empty()) text += " --campaign " + advisor::shell_quoted(selection.campaign);
  if (!options.advice.lock.empty()) text += " --lock " + advisor::shell_quoted(options.advice.lock.string());
  if (!options.advice.project.empty())
    text += " --project " + advisor::shell_quoted(options.advice.project.string());
  if (!options.advice.context.python.empty())
    text += " --python " + advisor::shell_quoted(options.advice.context.python);
  if (options.delta != 1) text += fmt::format(" --delta {:g}", options.delta);
  if (options.type != "performance") text += " --type " + options.type;
  if (!options.advice.advisories.empty())
    text += " --advisories " + advisor::shell_quoted(options.advice.advisories.string());
  return text;
}

void write_settling(const AdviseOptions& options, const advisor::HardwareAdvice& advice, const advisor::NotKnown& open) {
  const auto campaign = advisor::settle(advice, open, options.advice.analysis.delta);
  write_output(options.settle.string(), campaign.text);
  fmt::print(stderr, "{}: {} {}: stackx inspect {}\n", options.settle.string(), campaign.summary,
             advice.selection.hardware.version == "host" ? "Here" : "There",
             advisor::shell_quoted(options.settle.string()));
  for (const auto& note : campaign.notes) fmt::print(stderr, "{}\n", note);
}

void advise(const AdviseOptions& given, Globals& globals) {
  AdviseOptions options = given;
  check(options);
  options.advice.analysis.objective = objective_from(options.objective);
  options.advice.analysis.delta = options.delta / 100;
  options.advice.type = *advisor::recommendation_type_from(options.type);
  if (!options.price.empty()) options.advice.price = advisor::price_from(options.price);
  if (options.advice.type == advisor::RecommendationType::stable)
    options.advice.analysis.objective = analysis::Objective::stability;
  if (options.pareto) return advise_pareto(options, globals);
  options.advice.selection.stacks = {options.rows_given ? options.rows : 10, options.rows};
  const auto advice = advisor::hardware_advice(options.advice, globals);
  if (!advice.recommends()) globals.exit_code = 1;
  const auto open = advisor::not_known(advice, options.advice.analysis.delta);
  if (!options.settle.empty() && !advice.impossible) write_settling(options, advice, open);
  const auto recipe = advisor::recipe_format_from(options.format);
  if (recipe && !advice.impossible)
    return fmt::print("{}", advice_recipe(advice, *recipe, advisor::load_knowledge(globals, options.advice.context.catalogs)));
  if (globals.json || options.format == "json") {
    auto document = advice_json(advice, open);
    if (advice.space) document["facts"] = facts_json(advice.space->catalog());
    print_json(document);
  } else {
    fmt::print("{}", advice_text(advice, open,
                                 {options.rows, stdout_is_terminal(), options.explain,
                                  command_of(options)}));
    if (advice.space) fmt::print("{}", facts_lines(advice.space->catalog()));
  }
}

}  // namespace

void add_advise(Command app, Globals& globals) {
  auto options = std::make_shared<AdviseOptions>();
  const auto command = app.add_subcommand(
      "advise", "Which stacks to run a workload with on some hardware: what is valid, what is fastest by the best evidence");
  add_selection_options(command, options->advice.selection);
  command.add_option("--objective", options->objective,
                   "What decides within a tie: rate, stability or balanced; cost: rate, and what work costs "
                   "at --price")
      .check(one_of({"rate", "stability", "balanced", "cost"}))
      .show_default();
  auto formats = advisor::recipe_formats();
  formats.insert(formats.begin(), {"table", "json"});
  command.add_option("--format", options->format,
                   "table or json; or the recommended stack as something to run")
      .check(one_of(formats))
      .show_default();
  command.add_option("--type", options->type,
                   "performance; stable: no pre-releases, the least spread; latest: the newest valid "
                   "versions; security: without what --advisories lists")
      .check(one_of(advisor::recommendation_types()))
      .show_default();
  command.add_option("--advisories", options->advice.advisories, "Advisories in OSV format, for --type security")
      .type_name("FILE");
  command.add_option("--price", options->price, "What a device costs an hour, in your currency")
      .type_name("AMOUNT");
  command.add_option("--settle", options->settle,
                   "Also write the campaign that would settle what is not known, for such a machine")
      .type_name("FILE");
  command.add_option("--rows", options->rows, "Rows of the table (0: all)")
      .type_name("N")
      .show_default();
  add_delta_option(command, options->delta);
  command.add_flag("--pareto", options->pareto,
                    "Only the stacks that no other beats in both rate and spread (CV)");
  command.add_option("--lock", options->advice.lock,
                   "What you run today (Pipfile.lock, pylock.toml, pinned requirements.txt): is it "
                   "valid there, and what would change it for the better")
      .type_name("FILE");
  command.add_option("--project", options->advice.project,
                   "What must hold (requirements.txt, Pipfile, pyproject.toml, a project of stackx): only "
                   "stacks with it")
      .type_name("FILE");
  command.add_option("--catalog", options->advice.context.catalogs, "A catalog of your own over the facts (an overlay)")
      .type_name("FILE")
      .one_each();
  command.add_option("--python", options->advice.context.python,
                   "Python that markers of --lock and --project hold for")
      .type_name("X.Y");
  command.add_flag("--explain", options->explain,
                    "From each recommendation to the documents it rests on");
  command.callback([options, command, &globals] {
    options->rows_given = command.given("--rows");
    advise(*options, globals);
  });
}

}  // namespace stackx::cli
