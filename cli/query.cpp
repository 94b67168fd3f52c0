// stackx query: named questions about everything that the store knows, and read-only SQL.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "advisor/project_coverage.hpp"
#include "advisor/selection.hpp"
#include "analysis/questions/questions.hpp"
#include "analysis/text/table.hpp"
#include "cli/commands.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/output/print.hpp"
#include "cli/output/sql.hpp"
#include "cli/query/filters.hpp"
#include "cli/query/upgrades.hpp"
#include "cli/served/client.hpp"
#include "specs/error.hpp"
#include "specs/format/nearest.hpp"
#include "specs/format/text_file.hpp"
#include "store/questions/views.hpp"
#include "workspace/asked/hardware.hpp"
#include "workspace/asked/program.hpp"
#include "workspace/asked/shell_words.hpp"
#include "workspace/asked/workload.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"
#include "workspace/passing_store.hpp"
#include "workspace/seeds.hpp"
#include "workspace/this_machine.hpp"

namespace stackx::cli {
namespace {

using analysis::Answer;

struct QueryOptions {
  std::string question, sql, hw, workload, since, stack, campaign, pi, server, format = "table", metric = "rate";
  std::vector<std::string> components, verdicts;
  std::filesystem::path project;
  std::size_t top = 0, least = 6;
  std::optional<std::size_t> limit;
  double timeout = 60;
  bool views = false;
};

struct Question {
  const char* name;
  Answer (*ask)(const store::Questions&, const analysis::QuestionOptions&);
  const char* help;
};

constexpr Question questions[] = {
    {"best", analysis::best, "the fastest stacks, measured and published"},
    {"worst-variance", analysis::worst_variance, "stacks by spread between inspections"},
    {"regressions", analysis::regressions, "verdicts between successive versions of a component"},
    {"coverage", analysis::coverage, "what was inspected; with --project, which share of it"},
    {"failures", analysis::failures, "component versions by share of failed inspections"},
    {"history", analysis::history, "a stack's rate over campaigns and time"},
    {"hardware", analysis::hardware, "hardware that there are results of"},
    {"sources", analysis::sources, "where published results come from"},
    {"upgrades", nullptr, "what newer versions did to the rates that others published"}};

std::string question_names() {
  std::string text;
  for (const Question& one : questions)
    text += fmt::format("{}  {:<15} {}", text.empty() ? "Questions:\n" : "\n", one.name, one.help);
  return text;
}

std::vector<std::string> question_list() {
  std::vector<std::string> names;
  for (const Question& one : questions) names.emplace_back(one.name);
  return names;
}

const Question& find_question(const std::string& name) {
  for (const Question& one : questions)
    if (name == one.name) return one;
  throw bad_input(fmt::format("query {}: no such question{}\n{}", name,
                              specs::suggestion(name, question_list()), question_names()));
}

analysis::QuestionOptions question_options(const QueryOptions& options, const Globals& globals) {
  analysis::QuestionOptions result;
  auto& filter = result.filter;
  if (!options.hw.empty() && options.hw != "host") filter.hardware = options.hw;
  if (options.hw == "host") filter.hardware = workspace::this_machine(globals).cpu.microarchitecture;
  if (!options.workload.empty()) filter.workload = workspace::asked_workload(options.workload, globals);
  if (!options.since.empty())
    filter.since = parse_since(options.since, std::chrono::system_clock::now());
  if (!options.stack.empty()) filter.stack = options.stack;
  filter.whose = workspace::asked_program(options.pi, globals);
  if (options.pi.empty() && !options.campaign.empty()) filter.whose = store::all_results;
  if (!options.components.empty() || options.question == "regressions") {
    const ComponentKinds kinds = read_component_kinds(globals.data_directory());
    result.no_upgrades = kinds.no_upgrades;
    for (const std::string& text : options.components)
      filter.components.push_back(parse_component_filter(text, kinds));
  }
  result.limit = options.limit.value_or(20);
  result.top = options.top;
  result.least = options.least;
  result.campaign = options.campaign;
  result.yardstick = yardstick_of(options.metric);
  for (std::string verdict : options.verdicts) {
    std::ranges::transform(verdict, verdict.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    result.verdicts.insert(verdict);
  }
  if (options.question == "best" || options.question == "worst-variance" ||
      options.question == "history")
    result.this_host = workspace::this_machine(globals).fingerprint();
  return result;
}

// Why there may be nothing: components that no result holds. Hardware that nobody knows is an Error(bad_input), as advise has it.
std::vector<std::string> names_without_results(const store::Questions& store, const analysis::QuestionOptions& asked,
                                               const Globals& globals) {
  std::vector<std::string> lines;
  if (const auto& hardware = asked.filter.hardware) {
    const auto accelerators = specs::load_accelerators(globals.data_directory());
    workspace::asked_hardware(*hardware, workspace::this_machine(globals), accelerators, globals, store);
  }
  std::set<std::string> known;
  for (const auto& version : store.versions()) known.insert(version.component);
  for (const auto& component : asked.filter.components)
    if (!known.contains(component.name))
      lines.push_back(fmt::format("no stack with a result has a component {}{}", specs::in_quotes(component.name),
                                  specs::suggestion(component.name, {known.begin(), known.end()})));
  return lines;
}

// What there is instead of nothing.
std::vector<std::string> what_there_is(const store::Questions& store) {
  constexpr std::size_t few = 12;
  std::set<std::string> known;
  for (const store::SeriesSums& s : store.series({})) {
    const auto& hardware = store.hardware(store.device(s.device).hardware);
    known.insert(advisor::selecting(hardware.microarchitecture.empty() ? hardware.model : hardware.microarchitecture,
                                    store.workload(s.workload).pi));
  }
  if (known.empty())
    return {"nothing was measured yet: `stackx advise --hw host --workload matmul` says how to begin, `stackx import` takes in "
            "what others measured"};
  std::vector<std::string> lines;
  for (const std::string& one : known) {
    if (lines.size() == few) {
      lines.push_back(fmt::format("and {} more: `stackx query coverage`", known.size() - few));
      break;
    }
    lines.push_back("measured: " + one);
  }
  return lines;
}

// What stackx measured elsewhere is in no store: advise has it.
void lead_to_advice(const QueryOptions& options, Answer& answer) {
  const auto evidence = std::ranges::find(answer.columns, "evidence", &analysis::AnswerColumn::key);
  if (options.hw.empty() || options.workload.empty() || answer.rows.empty() || evidence == answer.columns.end()) return;
  if (answer.rows.front()[static_cast<std::size_t>(evidence - answer.columns.begin())].value != "published") return;  // measured ones come first
  answer.notes.push_back(fmt::format("which stack to run, and what stackx measured elsewhere: `stackx advise {} --explain`",
                                     advisor::selecting(options.hw, options.workload)));
}

void print(const Answer& answer, const QueryOptions& options, const Globals& globals) {
  if (globals.json || options.format == "json")
    workspace::print("{}\n", analysis::to_json(answer).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  else if (options.format == "csv")
    workspace::write_out(analysis::csv(answer));
  else
    workspace::write_out(analysis::table(answer, stdout_is_terminal(), output_width()));
}

// It asks of whole published results, not of the store's sums.
void ask_upgrades(const QueryOptions& options, Globals& globals) {
  if (options.components.size() > 1 || !options.since.empty() || !options.stack.empty())
    throw bad_input("query upgrades: expected at most one --component, by its name, --hw and --workload");
  query_upgrades({options.components.empty() ? "" : options.components.front(), options.hw, options.workload,
                  options.format, options.limit.value_or(20)},
                 globals);
}

void ask(const QueryOptions& options, Globals& globals) {
  const Question& question = find_question(options.question);
  if (!question.ask) return ask_upgrades(options, globals);
  const auto asked = question_options(options, globals);
  const auto& workload = asked.filter.workload;
  const store::Questions store = workload ? workspace::open_questions(globals, workload->pi)
                                          : workspace::open_questions(globals);
  Answer answer = options.project.empty()
                      ? question.ask(store, asked)
                      : advisor::project_coverage(store, asked,
                                         load(options.project, globals, {}, workspace::Need::stacks));
  if (options.question != "hardware" && options.question != "sources")
    for (std::string& line : workspace::left_out(store, asked.filter)) answer.notes.push_back(std::move(line));
  if (options.question == "best") lead_to_advice(options, answer);
  const bool nothing = answer.rows.empty() && !answer.none_is_good;
  if (nothing) {
    std::ranges::move(names_without_results(store, asked, globals), std::back_inserter(answer.notes));
    std::ranges::move(what_there_is(store), std::back_inserter(answer.notes));
  }
  print(answer, options, globals);
  if (nothing) globals.exit_code = 1;
}

nlohmann::json views_document() {
  nlohmann::json views = nlohmann::json::array(), functions = nlohmann::json::array();
  for (const store::View& view : store::views()) {
    nlohmann::json columns = nlohmann::json::array();
    for (const store::ViewColumn& column : view.columns)
      columns.push_back({{"name", column.name}, {"type", column.type}, {"meaning", column.meaning}});
    views.push_back({{"name", view.name}, {"meaning", view.meaning}, {"columns", columns}});
  }
  for (const store::SqlFunction& function : store::sql_functions())
    functions.push_back({{"call", function.call}, {"meaning", function.meaning}});
  return {{"views", views}, {"functions", functions}};
}

void print_views(const Globals& globals, bool json) {
  if (globals.json || json) return print_json(views_document());
  const analysis::Paint paint{stdout_is_terminal()};
  for (const store::View& view : store::views()) {
    workspace::print("{}: {}\n", workspace::Block{paint("1", std::string(view.name))},
                     workspace::Block{analysis::wrap(std::string(view.meaning), view.name.size() + 2, output_width())});
    for (const store::ViewColumn& column : view.columns)
      workspace::print("  {:<18} {:<8} {}\n", column.name, column.type,
                       workspace::Block{analysis::wrap(std::string(column.meaning), 30, output_width())});
    workspace::print("\n");
  }
  workspace::print("Functions, besides SQLite's own:\n");
  for (const store::SqlFunction& function : store::sql_functions())
    workspace::print("  {:<28} {}\n", function.call,
                     workspace::Block{analysis::wrap(std::string(function.meaning), 31, output_width())});
}

void query(const QueryOptions& options, Globals& globals) {
  constexpr const char* of_amounts[] = {"best", "worst-variance", "regressions", "history"};
  if (options.metric != "rate" && std::ranges::find(of_amounts, options.question) == std::end(of_amounts))
    throw bad_input("query: --metric belongs to the questions best, worst-variance, regressions and history");
  const int asked = !options.question.empty() + !options.sql.empty() + options.views;
  if (asked != 1)
    throw bad_input("query: expected one question, --sql 'SELECT ...' or --views\n" + question_names());
  if (options.question.find(' ') != options.question.npos)
    throw bad_input(fmt::format("query {}: no such question; SQL goes behind --sql: stackx query --sql {}",
                                specs::in_quotes(options.question),
                                workspace::shell_quoted(options.question)));
  if (!options.project.empty() && options.question != "coverage")
    throw bad_input("query: --project belongs to the question coverage");
  if (options.views) return print_views(globals, options.format == "json");
  if (options.sql.empty()) return ask(options, globals);
  workspace::open_questions(globals);
  print_sql(store::default_path(globals.db), options.sql, options.timeout, options.limit.value_or(0),
            globals.json ? "json" : options.format, stdout_is_terminal());
}

void add_filters(Command command, QueryOptions& options) {
  command.add_option("--hw", options.hw, "Only this hardware: whole words of its name, or `host`")
      .type_name("MODEL");
  command.add_option("--workload", options.workload, "Only this workload: NAME[:key=value,...]")
      .type_name("WORKLOAD");
  command
      .add_option("--component", options.components,
                  "Only stacks that hold it at these versions ('numpy>=2'); may be repeated")
      .type_name("SPEC")
      .one_each();
  command
      .add_option("--since", options.since,
                  "Only what was measured or published since: 30d, 8w, 12h or a date")
      .type_name("TIME");
  command.add_option("--stack", options.stack, "Only this stack: its id, or how it begins")
      .type_name("ID");
  command.add_option("--campaign", options.campaign, "history: only this campaign").type_name("ID");
  add_pi_option(command, options.pi);
  add_metric_option(command, options.metric);
}

}  // namespace

void add_query(Command app, Globals& globals) {
  auto options = std::make_shared<QueryOptions>();
  const auto command = app.add_subcommand(
      "query", "Named questions about everything in the store, and read-only SQL over its views");
  command.describe(
      {"A new store already knows what others have published. Questions that have no name are asked in SQL, over "
       "views that `--views` lists.",
       {{"The fastest on some hardware", "stackx query best --hw v100 --limit 5"},
        {"Where an upgrade made something slower", "stackx query regressions --verdict slower"},
        {"In SQL", "stackx query --sql \"SELECT * FROM campaigns\""}}});
  command.notes(question_names());
  command.add_option("question", options->question, "One of the questions below")
      .type_name("QUESTION")
      .suggest(question_list());
  add_filters(command, *options);
  command.add_option("--limit", options->limit, "Rows; 0: all. 20 for questions, all for --sql")
      .type_name("N");
  command.add_option("--top", options->top, "best: stacks of each workload and hardware")
      .type_name("N");
  command.add_option("--least", options->least, "worst-variance: inspections that a stack needs")
      .type_name("N")
      .show_default();
  command.add_option("--verdict", options->verdicts, "regressions: only these, may be repeated")
      .check(one_of_ignoring_case({"slower", "faster", "worse", "better", "equivalent", "unresolved"}))
      .one_each();
  command.add_option("--project", options->project, "coverage: of what this project allows")
      .type_name("PROJECT");
  command.add_option("--sql", options->sql, "One SELECT over the views, instead of a question")
      .type_name("SQL");
  command.add_flag("--views", options->views, "The views that --sql reads, with their columns");
  command.add_option("--timeout", options->timeout, "--sql: seconds; 0: no limit")
      .type_name("SECONDS")
      .check(at_least_zero())
      .show_default();
  command.add_option("--format", options->format, "table, csv or json")
      .check(one_of({"table", "csv", "json"}))
      .show_default();
  add_server_option(command, options->server);
  command.callback([options, command, &globals] {
    if (!options->server.empty()) return ask_server(options->server, command, globals);
    const workspace::PassingStore passing(globals);
    query(*options, globals);
  });
}

}  // namespace stackx::cli
