// stackx compare A B: is one faster than the other, and how sure is that?
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "advisor/selection.hpp"
#include "analysis/ranking/side_by_side.hpp"
#include "analysis/text/table.hpp"
#include "cli/commands.hpp"
#include "cli/compare/report.hpp"
#include "cli/compare/sides.hpp"
#include "cli/compare/sources.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/output/print.hpp"
#include "specs/error.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {
namespace {

struct CompareOptions {
  SidesOptions sides;
  SourcesOptions sources;
  std::string format = "table", metric = "rate";
  double delta = 1.0, confidence = 95;  // percent
  std::optional<double> max_slower;     // percent
  std::size_t rows = 25;
  bool no_plots = false, hw_given = false;
};

void print_nothing(const Sides& sides, const CompareOptions& options, bool json, Globals& globals) {
  if (json) {
    auto notes = sides.notes;
    notes.push_back(sides.nothing);
    print_json({{"a", {{"text", options.sides.a}}},
                {"b", {{"text", options.sides.b}}},
                {"verdict", nullptr},
                {"couples", nlohmann::json::array()},
                {"notes", notes}});
  } else {
    const auto paragraph = [](const std::string& text) {
      workspace::print("{}\n", workspace::Block{analysis::wrap(text, 0, output_width())});
    };
    paragraph("Nothing to compare. " + sides.nothing);
    for (const auto& note : sides.notes) paragraph(fmt::format("Note: {}.", note));
  }
  globals.exit_code = 1;
}

// Paired where any couple shares a round, else the two sides for themselves.
analysis::SideBySide result_of(const Sides& sides, const CompareOptions& options) {
  const analysis::SideBySideOptions settings{options.delta / 100, options.confidence / 100, 1, sides.finals, sides.yardstick};
  const auto kind = sides.a.what.kind;
  if (kind == Compared::Kind::stack || kind == Compared::Kind::lock) {
    auto paired = analysis::compare_paired(sides.couples, settings);
    if (!paired.couples.empty()) return paired;
  }
  return analysis::compare_independent(sides.couples, settings);
}

// Published results instead of measured ones.
void compare_published(const CompareOptions& options, bool json, Globals& globals) {
  if (!options.sides.a.empty())
    throw bad_input("--source compares published results; A and B have no place beside it");
  SourcesOptions sources = options.sources;
  if (options.hw_given && options.sides.hw != "any") sources.hw = options.sides.hw;
  compare_sources(sources, json, globals);
}

void compare(const CompareOptions& given, Globals& globals) {
  CompareOptions options = given;
  options.sides.yardstick = yardstick_of(options.metric);
  const bool json = globals.json || options.format == "json";
  if (!options.sources.sources.empty()) return compare_published(options, json, globals);
  if (options.sides.a.empty() || options.sides.b.empty())
    throw bad_input(fmt::format("{}: A and B are required: ids of stacks (`stackx advise --hw host --workload W` shows them), "
                                "COMPONENT=VERSION, lock files, campaigns, hosts or stores; or --source twice, for published results",
                                options.sides.a.empty() ? "compare" : "compare " + options.sides.a));
  auto sides = find_sides(options.sides, globals);
  if (!sides.nothing.empty()) return print_nothing(sides, options, json, globals);
  const auto result = result_of(sides, options);
  if (result.couples.empty()) {
    sides.nothing = why_no_rates(sides);
    return print_nothing(sides, options, json, globals);
  }
  if (!result.paired) note_conditions(sides);
  const CompareReport report{sides, result, options.delta / 100, options.confidence / 100,
                             options.max_slower, bits_of(sides)};
  if (json)
    print_json(compare_json(report));
  else
    workspace::write_out(compare_text(report, {options.rows, !options.no_plots, stdout_is_terminal(), output_width()}));
  if (exceeds_limit(report)) globals.exit_code = 1;
}

void add_choices(Command command, CompareOptions& options) {
  command.add_option("A", options.sides.a, "Stack, lock file, campaign, host or store").type_name("SIDE");
  command.add_option("B", options.sides.b, "Another of the same kind").type_name("SIDE");
  command
      .add_option("--workload", options.sides.workload,
                  "Workload: NAME[:key=value,...]; else the one that both have most of")
      .type_name("WORKLOAD");
  add_pi_option(command, options.sides.pi);
  command
      .add_option("--hw", options.sides.hw,
                  "Only measurements on this hardware: a name (`stackx hw list`), `host` or `any`")
      .type_name("MODEL");
}

void add_statistics(Command command, CompareOptions& options) {
  add_metric_option(command, options.metric);
  add_delta_option(command, options.delta);
  command.add_option("--confidence", options.confidence, "Of intervals and verdicts")
      .check(within(50.0, 99.99))
      .type_name("PERCENT")
      .show_default();
  command
      .add_option("--max-slower", options.max_slower,
                  "Exit with 1 if B is shown to be slower (or worse, by --metric) than A by more than this")
      .check(within(0.0, 99.0))
      .type_name("PERCENT");
}

}  // namespace

void add_compare(Command app, Globals& globals) {
  auto options = std::make_shared<CompareOptions>();
  const auto command = app.add_subcommand(
      "compare",
      "Verdict with interval between two stacks, lock files, campaigns, hosts or stores");
  command.describe(
      {"Both are compared on the rounds that both ran in. The verdict is SLOWER, FASTER, EQUIVALENT or UNRESOLVED, "
       "with a confidence interval of the ratio. Sides that share no round (two campaigns, hosts, stores) only look faster or slower.",
       {{"Two settings, over all stacks with them", "stackx compare openblas-coretype=Haswell openblas-coretype=Nehalem"},
        {"Fail where an upgrade costs more than 5%", "stackx compare old.lock new.lock --max-slower 5"}}});
  command.notes(
      "A and B: a stack's id or how it begins, COMPONENT=VERSION,... (all measured stacks with these), a lock file, the file of "
      "a store, a campaign's id, a host's name; campaign:ID, host:NAME, stack:ID where one word could mean several. Ratios are "
      "A's rate over B's. With --source: published results.");
  add_choices(command, *options);
  add_source_option(command, options->sources);
  add_statistics(command, *options);
  command.add_option("--format", options->format, "table or json")
      .check(one_of({"table", "json"}))
      .show_default();
  command.add_option("--rows", options->rows, "Rows of the table (0: all)")
      .type_name("N")
      .show_default();
  command.add_flag("--no-plots", options->no_plots, "Numbers only");
  command.callback([options, command, &globals] {
    options->hw_given = command.given("--hw");
    compare(*options, globals);
  });
}

}  // namespace stackx::cli
