// stackx advise: what to run, what to expect of it, and why.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <future>
#include <nlohmann/json.hpp>

#include "advisor/answer/advice.hpp"
#include "advisor/candidate/have.hpp"
#include "advisor/check/asked.hpp"
#include "advisor/check/world/pythons.hpp"
#include "advisor/price.hpp"
#include "advisor/recipes/parts.hpp"
#include "advisor/selection.hpp"
#include "analysis/ranking/pareto.hpp"
#include "analysis/ranking/ranking.hpp"
#include "analysis/ranking/trade_offs.hpp"
#include "cli/advise/advice_text.hpp"
#include "cli/advise/explanation.hpp"
#include "cli/commands.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/output/facts_line.hpp"
#include "cli/output/file.hpp"
#include "cli/output/print.hpp"
#include "cli/served/client.hpp"
#include "inspector/python/interpreters.hpp"
#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "specs/version/version_text.hpp"
#include "workspace/asked/pasted.hpp"
#include "workspace/asked/project.hpp"
#include "workspace/asked/shell_words.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"
#include "workspace/passing_store.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

struct AdviseOptions {
  advisor::AdviceOptions advice;
  std::string objective = "rate", format = "text", have, driver, require, server;
  std::size_t rows = 25;
  double delta = 1.0;  // percent
  bool pareto = false, rows_given = false, explain = false;
  std::string type = "performance", price;
  std::vector<std::string> metrics;  // none: the rate
  std::vector<std::string> what;     // a project, or packages
  std::filesystem::path settle;
};

analysis::Objective objective_from(const std::string& name) {
  if (name == "stability") return analysis::Objective::stability;
  if (name == "balanced") return analysis::Objective::balanced;
  return analysis::Objective::rate;
}

analysis::Ranking ranked(const advisor::Selection& selection, analysis::Options settings) {
  settings.this_host = selection.this_host;
  settings.races = selection.races;
  settings.population = selection.population;
  auto ranking = analysis::rank(selection.measurements, selection.asked, settings);
  selection.complete(ranking);
  return ranking;
}

// Of what was measured only: a published number has no spread.
void advise_pareto(const AdviseOptions& options, Globals& globals) {
  const auto selection = select(options.advice.selection, globals);
  if (selection.measurements.empty())
    return nothing_measured(selection, {{"recommendations", nlohmann::json::array()}}, globals);
  auto ranking = ranked(selection, options.advice.analysis);
  const auto front = analysis::pareto(ranking, selection.measurements, selection.this_host);
  if (globals.json || options.format == "json")
    print_json(analysis::to_json(front, ranking));
  else
    workspace::write_out(analysis::table(front, ranking, stdout_is_terminal(), output_width(analysis::page_width)));
  if (ranking.recommendations.empty()) globals.exit_code = 1;
}

// Several metrics of what was measured, at once.
void advise_trade_offs(const AdviseOptions& options, Globals& globals) {
  const auto& asked = options.advice.selection;
  const auto selection = select(asked, globals);
  if (selection.measurements.empty())
    return nothing_measured(selection, {{"front", nlohmann::json::array()}}, globals);
  auto settings = options.advice.analysis;
  std::vector<analysis::Ranking> rankings;
  for (const auto& yardstick : asked.yardsticks) {
    settings.yardstick = yardstick;
    rankings.push_back(ranked(selection, settings));
  }
  const auto result = analysis::trade_offs(rankings);
  if (globals.json || options.format == "json")
    print_json(analysis::to_json(result));
  else
    workspace::write_out(analysis::text(result, output_width(), stdout_is_terminal()));
  if (result.front.empty()) globals.exit_code = 1;
}

// "torch<2.9" numpy, r.txt: what --project names, as a person begins with it.
void name_project(AdviseOptions& options) {
  auto& project = options.advice.project;
  if (!options.what.empty()) {
    if (!project.empty() || !options.advice.lock.empty())
      throw bad_input(fmt::format("{} and {}: give one of them", specs::in_quotes(options.what.front()), project.empty() ? "--lock" : "--project"));
    const bool is_command = options.what.size() > 1 && workspace::is_installer(options.what);
    for (const auto& word : options.what)  // the shell took away the quotes that tell words apart
      project += std::string(project.empty() ? "" : " ") + (is_command ? workspace::shell_quoted(word) : word);
  }
  auto& advice = options.advice;
  if (advice.context.python.empty() && advice.have.python.empty()) advice.context.python = workspace::pasted_python(project);
  if (!project.empty()) project = workspace::named_project(project);
}

// What belongs to another option, which was not given, would be ignored silently.
void check(const AdviseOptions& options) {
  if (options.objective == "cost" && options.price.empty())
    throw bad_input("--objective cost: needs --price, what a device costs an hour");
  if (!options.advice.lock.empty() && !options.advice.project.empty())
    throw bad_input("--lock and --project: give one of them");
  const auto& asked = options.advice.selection.yardsticks;
  const bool of_rates = asked.size() == 1 && asked.front().is_rate();
  if (options.pareto && !of_rates) throw bad_input("--pareto: is of the rate and its spread; `--metric rate,memory` holds metrics against each other");
  if (!of_rates && options.objective == "cost") throw bad_input("--objective cost: is of the rate, and takes no --metric");
  if (!options.pareto && asked.size() == 1) return;
  const char* view = options.pareto ? "--pareto" : "--metric of several";
  const auto& advice = options.advice;
  for (const auto& [name, given] :
       {std::pair{"--lock", !advice.lock.empty()}, {"--project", !advice.project.empty()},
        {"--settle", !options.settle.empty()}, {"--price", !options.price.empty()},
        {"--explain", options.explain}, {"--type", options.type != "performance"},
        {"--format", advisor::recipe_format_from(options.format).has_value()}})
    if (given)
      throw bad_input(fmt::format("{}: is of what was measured only and takes no {}", view, name));
}

// The options that say what is asked, as a command line has them.
std::string command_of(const AdviseOptions& options) {
  const auto& selection = options.advice.selection;
  std::string text = " " + advisor::selecting(selection.hw, selection.workload);
  if (!selection.campaign.empty()) text += " --campaign " + advisor::shell_quoted(selection.campaign);
  text += advisor::sampling_text(selection.sampling);
  if (!selection.pi.empty()) text += " --pi " + advisor::shell_quoted(selection.pi);
  if (!options.advice.lock.empty()) text += " --lock " + advisor::shell_quoted(options.advice.lock.string());
  if (!options.advice.project.empty())
    text += " --project " + advisor::shell_quoted(workspace::called(options.advice.project));
  if (!options.advice.context.python.empty())
    text += " --python " + advisor::shell_quoted(options.advice.context.python);
  for (const auto& extra : options.advice.context.extras) text += " --extra " + advisor::shell_quoted(extra);
  for (const auto& group : options.advice.context.groups) text += " --group " + advisor::shell_quoted(group);
  if (!options.have.empty()) text += " --have " + advisor::shell_quoted(options.have);
  if (options.delta != 1) text += fmt::format(" --delta {:g}", options.delta);
  if (!options.advice.analysis.yardstick.is_rate()) text += " --metric " + options.advice.analysis.yardstick.word();
  if (options.type != "performance") text += " --type " + options.type;
  if (!options.advice.advisories.empty())
    text += " --advisories " + advisor::shell_quoted(options.advice.advisories.string());
  return text;
}

// The releases of Python that are here, the newest first.
std::vector<std::string> pythons_here() {
  std::vector<std::string> releases;
  for (const auto& one : inspector::find_interpreters()) {
    const auto release = specs::minor_release(one.version);
    if (one.environment.empty() && std::ranges::find(releases, release) == releases.end()) releases.push_back(release);
  }
  return releases;
}

void write_settling(const AdviseOptions& options, const advisor::HardwareAdvice& advice, const advisor::NotKnown& open) {
  const auto campaign = advisor::settle(advice, open, options.advice.analysis.delta, pythons_here());
  write_output(options.settle.string(), campaign.text);
  const bool is_here = advice.selection.hardware.version == "host";
  const auto words = advisor::shell_quoted(options.settle.string()) + (campaign.needs_program ? " --pi PROGRAM" : "");
  workspace::say("{}: {} {}: stackx inspect {}\n", options.settle.string(), campaign.summary, is_here ? "Here" : "There", words);
  if (!is_here) workspace::say("On the nodes of a cluster: stackx cluster submit {} --settings FILE (docs/cluster.md)\n", words);
  for (const auto& note : campaign.notes) workspace::say("{}\n", note);
}

// --python and --have python= are one thing.
void take_python(advisor::AdviceOptions& advice) {
  auto& python = advice.context.python;
  if (!python.empty() && !advice.have.python.empty() && python != advice.have.python)
    throw bad_input(fmt::format("--python {} and --have python={}: give one of them", python, advice.have.python));
  advisor::refuse_free_threaded(python);
  if (!python.empty() && !advisor::is_release(python))
    throw bad_input(fmt::format("--python {}: expected a version, as in 3.11", specs::in_quotes(python)));
  if (python.empty()) python = advice.have.python;
  advice.have.python = python;
}

// What a recipe is written from. Throws Error(bad_input) where there is no stack.
advisor::Recipe recipe_of(const advisor::Advice& advice, const advisor::HardwareAdvice& known, const advisor::Knowledge& knowledge) {
  if (!advice.found) throw bad_input("--format: there is no stack to write down. " + advice.line);
  if (advice.pinned && (!known.packages.empty() || !known.space)) {  // of the index, whatever the catalogs know
    static const specs::Catalog none;
    const auto& stack = advice.chosen ? advice.chosen->valid.stack : advice.candidate->checked.stack;
    advisor::Recipe recipe{stack, known.selection.asked, none, known.selection.hw, known.accelerator, {advice.line, advice.expect}};
    recipe.pinned = &*advice.pinned;
    recipe.machine = known.selection.hardware.machine;
    return recipe;
  }
  if (!known.space) throw bad_input("--format: the catalogs do not say which stacks run this: " + known.no_space);
  if (advice.chosen && !advice.chosen->valid.unknown.empty())
    throw bad_input(fmt::format("--format: the catalogs do not know {}", fmt::join(advice.chosen->valid.unknown, ", ")));
  advisor::Recipe recipe{advice.chosen ? advice.chosen->valid.stack : known.latest, known.selection.asked, known.space->catalog(),
                         known.selection.hw, known.accelerator, {advice.line, advice.expect}};
  recipe.knowledge = &knowledge;
  recipe.machine = known.selection.hardware.machine;
  if (advice.candidate) recipe.pinned = &*advice.pinned;
  return recipe;
}

// The answer, then what it rests on where that is asked for.
void print_text(const AdviseOptions& options, const advisor::Advice& advice, const advisor::HardwareAdvice& known,
                const advisor::NotKnown& open) {
  workspace::write_out(advice_text(advice, output_width(), in_colour()));
  if (!options.explain) return;
  const auto width = output_width(analysis::page_width);
  workspace::write_out("\n" + explanation(known, open, {options.rows, in_colour(), width, command_of(options)}));
  if (!known.space) return;
  const auto& catalog = known.space->catalog();
  workspace::write_out(advice.as_of.empty() ? facts_lines(catalog) : overlay_lines(catalog));  // one date
}

// `answer` first, for whoever reads the beginning; without --explain eight recommendations at most.
void print_document(const AdviseOptions& options, const advisor::Advice& advice, const advisor::HardwareAdvice& known,
                    const advisor::NotKnown& open) {
  nlohmann::ordered_json document;
  document["answer"] = answer_json(advice);
  document["$schema"] = "stackx/advice/1";
  auto rest = options.explain ? explanation_json(known, open) : summary_json(known, open);
  if (known.space) rest["facts"] = facts_json(known.space->catalog());
  for (auto& [name, value] : rest.items()) document[name] = std::move(value);
  workspace::print("{}\n", document.dump());
}

void advise(const AdviseOptions& given, Globals& globals) {
  AdviseOptions options = given;
  for (const auto& metric : options.metrics) options.advice.selection.yardsticks.push_back(yardstick_of(metric));
  if (options.metrics.empty()) options.advice.selection.yardsticks.emplace_back();
  options.advice.analysis.yardstick = options.advice.selection.yardsticks.front();
  check(options);
  name_project(options);
  advisor::name_workload(options.advice.selection, globals, options.advice.project);
  options.advice.analysis.objective = objective_from(options.objective);
  options.advice.analysis.delta = options.delta / 100;
  options.advice.type = *advisor::recommendation_type_from(options.type);
  if (!options.driver.empty()) options.have += (options.have.empty() ? "driver=" : ",driver=") + options.driver;
  options.advice.have = advisor::read_have(options.have);
  take_python(options.advice);
  if (!options.price.empty()) options.advice.price = advisor::price_from(options.price);
  if (options.advice.type == advisor::RecommendationType::stable)
    options.advice.analysis.objective = analysis::Objective::stability;
  if (options.pareto) return advise_pareto(options, globals);
  if (options.advice.selection.yardsticks.size() > 1) return advise_trade_offs(options, globals);
  options.advice.documents = options.explain;
  options.advice.selection.stacks = {options.rows_given ? options.rows : 10, options.rows};
  auto reading = std::async(std::launch::async, [&] {
    return advisor::load_knowledge(globals, options.advice.context.catalogs);
  });
  std::optional<advisor::Knowledge> read;
  const auto knowledge_when_read = [&]() -> const advisor::Knowledge& {
    if (!read) read = reading.get();
    return *read;
  };
  const auto known = advisor::hardware_advice(options.advice, knowledge_when_read, globals);
  const auto& knowledge = knowledge_when_read();
  const auto open = advisor::not_known(known, options.advice.analysis.delta);
  const auto advice = advisor::make_advice(known, knowledge, {options.advice, open, command_of(options)});
  const bool enough = advice.found && advisor::satisfies(advice.grade, options.require);
  const bool unknown = advice.unknown && options.require.empty();  // as `check` has it
  if (!enough && !unknown) globals.exit_code = 1;
  if (!options.settle.empty() && advice.found) write_settling(options, known, open);
  if (const auto recipe = advisor::recipe_format_from(options.format))
    return workspace::write_out(advisor::write_recipe(*recipe, recipe_of(advice, known, knowledge)));
  if (globals.json || options.format == "json")
    print_document(options, advice, known, open);
  else if (options.format == "markdown")
    workspace::write_out(advice_markdown(advice));
  else
    print_text(options, advice, known, open);
  if (advice.found && !enough)
    workspace::say("stackx: --require {}: the answer is {}\n", options.require, advisor::to_string(advice.grade));
}

}  // namespace

void add_advise(Command app, Globals& globals) {
  auto options = std::make_shared<AdviseOptions>();
  const auto command = app.add_subcommand(
      "advise", "What to run a workload with on some hardware, what to expect of it, and why");
  command.describe(
      {"The answer is one stack, how fast it should be, why this one, and how to install it. It rests on what was "
       "measured here or elsewhere, on published results, and on facts about releases, each with its source "
       "(`--explain`).",
       {{"For hardware that is not here", "stackx advise --hw v100 --workload matmul"},
        {"Which release of a package", "stackx advise \"torch<2.9\" --hw v100"},
        {"With the driver that cannot change", "stackx advise --hw h100 --workload matmul --have driver=535.183.01"},
        {"The stack as a Containerfile", "stackx advise --hw v100 --workload matmul --format containerfile"}}});
  command.add_option("what", options->what,
                   "What is to run there: a project, as --project names it, or packages (torch, \"torch<2.9\" numpy); without any "
                   "what the workload is usually run with")
      .type_name("PROJECT");
  add_selection_options(command, options->advice.selection);
  command.add_option("--objective", options->objective,
                   "What decides within a tie of what was measured: rate, stability or balanced; cost: rate, and "
                   "--explain says what work costs at --price")
      .check(one_of({"rate", "stability", "balanced", "cost"}))
      .show_default();
  auto formats = advisor::recipe_formats();
  formats.insert(formats.begin(), {"text", "markdown", "json"});
  command.add_option("--format", options->format,
                   "The answer as text, markdown or json; or its stack as something to install or run")
      .check(one_of(formats))
      .show_default();
  command.add_option("--type", options->type,
                   "performance: the newest valid stack, unless evidence shows another to be faster; latest: the "
                   "newest, whatever evidence shows; stable: no pre-releases, the least spread; security: without "
                   "what --advisories lists")
      .check(one_of(advisor::recommendation_types()))
      .show_default();
  command.add_option("--advisories", options->advice.advisories, "Advisories in OSV format, for --type security")
      .type_name("FILE");
  command.add_option("--price", options->price, "What a device costs an hour, in your currency, for --objective cost")
      .type_name("AMOUNT");
  command.add_option("--settle", options->settle,
                   "Also write the campaign that would settle what is not known: `stackx inspect FILE` runs it on such "
                   "a machine")
      .type_name("FILE");
  command.add_option("--have", options->have,
                   "What cannot change on your machine: driver=535.183.01, cuda=11.8, python=3.11, glibc=2.31; the answer "
                   "keeps to it and says what you miss")
      .type_name("NAME=VERSION,...");
  command.add_option("--driver", options->driver, "NVIDIA's driver, as --have driver=VERSION").type_name("VERSION");
  command.add_option("--require", options->require, "Exit code 1 where less is known of the answer's speed: measured, published or predicted")
      .check(one_of(advisor::required_grades()));
  command.add_option("--rows", options->rows, "Rows of the tables of --explain (0: all)")
      .type_name("N")
      .show_default();
  command.add_option("--metric", options->metrics,
                   "What stacks are compared by, instead of their rates; of several, with commas, the stacks that no other beats in "
                   "all of them")
      .check(one_of(specs::Yardstick::words()))
      .type_name("NAME,...")
      .with_commas();
  add_delta_option(command, options->delta);
  command.add_flag("--pareto", options->pareto,
                    "Instead: of what was measured, the stacks that no other beats in both rate and spread (CV)");
  command.add_option("--lock", options->advice.lock,
                   "What you run today (uv.lock, poetry.lock, Pipfile.lock, pylock.toml, pinned requirements.txt): does it run there, and "
                   "does anything show a reason to change it")
      .type_name("FILE");
  command.add_option("--project", options->advice.project,
                   "What your project needs (requirements.txt, Pipfile, pyproject.toml, environment.yml, a project of stackx): only "
                   "stacks that have it; also packages: \"torch<2.9\"")
      .type_name("FILE");
  command.add_option("--catalog", options->advice.context.catalogs, "A catalog of your own over the facts (an overlay)")
      .type_name("FILE")
      .one_each();
  command.add_option("--python", options->advice.context.python,
                   "Python to run on, as --have python=X.Y; markers of --lock and --project are read for it")
      .type_name("X.Y");
  add_optional_parts(command, options->advice.context.extras, options->advice.context.groups);
  command.add_flag("--explain", options->explain,
                    "After the answer, all that it rests on: what is valid, measured, published and predicted, with sources");
  add_server_option(command, options->server);
  command.callback([options, command, &globals] {
    if (!options->server.empty()) return ask_server(options->server, command, globals);
    options->rows_given = command.given("--rows");
    const workspace::PassingStore passing(globals);
    advise(*options, globals);
  });
}

}  // namespace stackx::cli
