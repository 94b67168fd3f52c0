// stackx report: what was measured, as one page that needs nothing else; as Markdown; as CSV.
#include "analysis/report/report.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "advisor/recipes/quoting.hpp"
#include "advisor/selection.hpp"
#include "analysis/report/html.hpp"
#include "analysis/report/text.hpp"
#include "blame/report/kept.hpp"
#include "cli/commands.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/output/file.hpp"
#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  advisor::SelectionOptions selection;
  std::string output, format, table = "ranking", metric = "rate";
  bool table_is_asked = false;
  fs::path charts;
  double delta = 1.0;  // percent
};

std::string read(const fs::path& file) {
  std::string text = specs::read_text_file(file, "Plotly's plotly.min.js");
  if (text.empty())
    throw broken_environment(fmt::format("{}: is empty; --charts expects Plotly's plotly.min.js", file.string()));
  return text;
}

std::string html(const analysis::Report& report, const ReportOptions& options, const Globals& globals) {
  const fs::path charts =
      options.charts.empty() ? globals.chart_library() : options.charts;
  const std::string note =
      "The charts are missing: stackx was built without Plotly. Install it (pip install plotly) "
      "and "
      "give its package_data/plotly.min.js to `stackx report --charts FILE`. The tables are "
      "complete.";
  if (charts.empty()) workspace::remark("stackx report: {}\n", note);
  return analysis::html(report, charts.empty() ? "" : read(charts), note);
}

// What documents say is fit to be shown already; the scripts of the page must stay as they are, with their tabs.
void write_page(const std::string& output, const std::string& page) {
  if (output.empty() || output == "-") return workspace::write_documents(page);
  write_output(output, page);
}

std::string csv(const analysis::Report& report, const std::string& name) {
  std::vector<std::string> known;
  for (const analysis::ReportTable& table : analysis::tables(report)) {
    if (table.name == name) return analysis::csv(table);
    known.push_back(table.name);
  }
  throw bad_input(fmt::format("--table {}: this report has no such table; it has {}", name,
                              fmt::join(known, ", ")));
}

std::string format_of(const ReportOptions& options) {
  if (!options.format.empty()) return options.format;
  const std::string suffix = fs::path(options.output).extension();
  if (suffix == ".html" || suffix == ".htm") return "html";
  if (suffix == ".csv") return "csv";
  if (suffix == ".json") return "json";
  if (suffix == ".md" || suffix == ".markdown" || options.output.empty() || options.output == "-")
    return "markdown";
  throw bad_input(
      fmt::format("-o {}: of which format? Name it with --format, or end the file in "
                  ".html, .md, .csv or .json",
                  options.output));
}

// The options that select the same again, for a shell.
std::string selection_text(const advisor::SelectionOptions& options, const std::string& hw) {
  std::string text = advisor::selecting(hw, options.workload);
  if (!options.campaign.empty()) text += " --campaign " + advisor::shell_quoted(options.campaign);
  text += advisor::sampling_text(options.sampling);
  if (!options.pi.empty()) text += " --pi " + advisor::shell_quoted(options.pi);
  if (!options.yardsticks.front().is_rate()) text += " --metric " + options.yardsticks.front().word();
  return text;
}

std::vector<specs::Plan> plans_of(const std::vector<store::Measurement>& measurements,
                                  const store::Store& store) {
  std::set<std::string> campaigns;
  for (const auto& measurement : measurements) campaigns.insert(measurement.campaign);
  std::vector<specs::Plan> plans;
  for (const std::string& id : campaigns)
    if (!id.empty())
      if (auto plan = store.plan(id)) plans.push_back(std::move(*plan));
  return plans;
}

// Of a sample, those of the asked size as they are, whatever part the others take of theirs.
std::vector<store::Measurement> with_other_sizes(advisor::Selection& selection, advisor::SelectionOptions options,
                                                 const Globals& globals) {
  if (selection.read_all && selection.asked.params.empty()) return std::move(selection.measurements);
  options.workload = selection.asked.pi;
  options.all_workloads = true;
  auto all = select(options, globals);
  if (!selection.population && !all.population) return std::move(all.measurements);
  auto result = selection.measurements;
  for (auto& one : all.measurements)
    if (!selection.asked.matches(one.workload)) result.push_back(std::move(one));
  return result;
}

void report(const ReportOptions& given, Globals& globals) {
  ReportOptions options = given;
  options.selection.yardsticks = {yardstick_of(options.metric)};
  advisor::name_workload(options.selection, globals);
  const std::string format = globals.json ? "json" : format_of(options);
  if (options.table_is_asked && format != "csv")
    throw bad_input(fmt::format("--table {}: picks what CSV holds, and this report is {}; add --format csv", options.table, format));
  advisor::Selection selection = select(options.selection, globals);
  if (selection.measurements.empty())
    return nothing_measured(selection, {{"$schema", "stackx/report/1"}}, globals);

  // The other sizes of the workload, too: its curves over size.
  const auto measurements = with_other_sizes(selection, options.selection, globals);

  const auto store = store::Store::open(store::default_path(globals.db), store::Mode::read_only);
  analysis::ReportOptions how;
  how.ranking.delta = options.delta / 100;
  how.ranking.yardstick = options.selection.yardsticks.front();
  how.ranking.this_host = selection.this_host;
  how.ranking.population = selection.population;
  how.notes = selection.notes;
  how.hw = selection.hw;
  how.selection = selection_text(options.selection, selection.hw);
  how.stackx_version = STACKX_VERSION;
  analysis::Report report = analysis::report(
      measurements, selection.asked, plans_of(measurements, store),
      [&](const store::Measurement& measurement) { return store.inspection(measurement); }, how);
  auto& notes = report.ranking.notes;
  notes.insert(notes.end(), selection.left_out.begin(), selection.left_out.end());
  std::set<std::string> campaigns;
  for (const auto& one : measurements) campaigns.insert(one.campaign);
  report.blamed = blame::kept_about(store::default_path(globals.db), campaigns);
  if (format == "html")
    write_page(options.output, html(report, options, globals));
  else if (format == "markdown")
    write_output(options.output, analysis::markdown(report));
  else if (format == "csv")
    write_output(options.output, csv(report, options.table));
  else
    write_output(options.output, analysis::to_json(report).dump() + "\n");
  if (!options.output.empty() && options.output != "-")
    workspace::remark("{}: {}\n", options.output, workspace::counted(report.distributions.size(), "stack"));
  if (report.distributions.empty()) globals.exit_code = 1;
}

}  // namespace

void add_report(Command app, Globals& globals) {
  auto options = std::make_shared<ReportOptions>();
  const auto command = app.add_subcommand(
      "report",
      "What was measured as a page of plots and tables that works offline, as Markdown, as CSV");
  command.describe(
      {"The page is one file without references to others, for a browser, a mail or an archive.",
       {{"A page to pass on", "stackx report --hw host --workload matmul -o report.html"},
        {"Every inspection as a table", "stackx report --format csv --table values -o values.csv"}}});
  add_selection_options(command, options->selection);
  command.add_option("-o,--output", options->output,
                   "File to write: .html, .md, .csv or .json; default: Markdown on stdout")
      .type_name("FILE");
  command.add_option("--format", options->format,
                   "html, markdown, csv or json, if the file's name does not say it")
      .check(one_of({"html", "markdown", "csv", "json"}));
  command.add_option(
          "--table", options->table,
          "The table that CSV shall hold: ranking, distributions, values (every inspection), "
          "sizes, ...")
      .type_name("NAME")
      .show_default();
  add_metric_option(command, options->metric);
  add_delta_option(command, options->delta);
  command.add_option("--charts", options->charts,
                   "Plotly's plotly.min.js, where stackx was built without it")
      .type_name("FILE");
  command.callback([options, command, &globals] {
    options->table_is_asked = command.given("--table");
    report(*options, globals);
  });
}

}  // namespace stackx::cli
