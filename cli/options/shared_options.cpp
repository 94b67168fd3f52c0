#include "cli/options/shared_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "advisor/published_note.hpp"
#include "cli/output/print.hpp"
#include "specs/error.hpp"
#include "specs/format/printable.hpp"
#include "store/store.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {

void add_project_options(Command command, ProjectOptions& options) {
  command
      .add_option("project", options.file,
                  "Project file (stackx/project/1), requirements.txt, Pipfile, pyproject.toml or Amun specification; a directory "
                  "with one; or packages (\"numpy>=1.26\")")
      .required()
      .type_name("PROJECT");
  auto& context = options.context;
  command
      .add_option(
          "--catalog", context.catalogs,
          "Catalog for a Python project: a path, or the name of one that comes with stackx; may be repeated [what the package index has]")
      .type_name("CATALOG")
      .one_each();
  command
      .add_option("--python", context.python,
                  "Python that the markers of a Python project hold for [the newest that its catalogs have and it allows; of the index this "
                  "machine's]")
      .type_name("X.Y");
  command
      .add_option("--platform", context.platform,
                  "Platform that the markers of a Python project hold for")
      .type_name("NAME")
      .show_default();
  add_optional_parts(command, context.extras, context.groups);
}

void add_optional_parts(Command command, std::set<std::string>& extras, std::set<std::string>& groups) {
  command.add_option("--extra", extras, "Optional dependencies to take in; may be repeated").type_name("NAME").one_each();
  command
      .add_option("--group", groups,
                  "Dependency group or Pipfile section to take in (dev: dev-packages); may be "
                  "repeated")
      .type_name("NAME")
      .one_each();
}

void add_selection_options(Command command, advisor::SelectionOptions& options) {
  command.add_option("--hw", options.hw, "Hardware: `host`, a model or family (`stackx hw list`: v100, zen4), a name that a "
                     "cloud, a driver or lscpu gives it (\"EPYC 7763\"), or a machine's fingerprint")
      .type_name("MODEL")
      .show_default();
  command.add_option("--workload", options.workload,
                     "Workload: NAME[:key=value,...] [matmul, or what alone was measured on that hardware, or by that campaign]")
      .type_name("WORKLOAD");
  command.add_option("--campaign", options.campaign, "Only this campaign's measurements")
      .type_name("ID");
  command.add_option("--read", options.sampling.most,
                     "Inspections to read at most; of more, a seeded sample (0: all, however long it takes)")
      .type_name("N")
      .show_default();
  command.add_option("--read-seed", options.sampling.seed, "Seed of the sample").type_name("S").show_default();
  add_pi_option(command, options.pi);
}

void add_pi_option(Command command, std::string& program) {
  command
      .add_option("--pi", program,
                  "Only what this PI measured, a program that is not stackx's own (inspect --pi): its file or SHA-256; "
                  "else such results are left out")
      .type_name("FILE|SHA256");
}

void add_metric_option(Command command, std::string& word) {
  command.add_option("--metric", word, "What stacks are compared by, instead of their rates")
      .check(one_of(specs::Yardstick::words()))
      .type_name("NAME")
      .show_default();
}

specs::Yardstick yardstick_of(const std::string& word) { return specs::Yardstick::from(word).value_or(specs::Yardstick()); }

void add_delta_option(Command command, double& percent) {
  command.add_option("--delta", percent, "Differences below this many percent do not matter")
      .check(at_least_zero())
      .type_name("PERCENT")
      .show_default();
}

void read_budget(const std::string& text, specs::CampaignSpec& campaign) {
  constexpr double most = 1e15;  // "inf" and what no counter holds
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit = error == std::errc{} ? std::string(end, text.data() + text.size()) : "";
  const bool count = unit.empty() && number >= 1;
  const bool time = (unit == "s" || unit == "m" || unit == "h") && number > 0;
  if (!(count || time) || !(number < most))
    throw bad_input(fmt::format(
        "--budget {}: expected a number of inspections (400) or a time (90s, 30m, 2h)", text));
  if (unit.empty()) campaign.budget_inspections = static_cast<std::uint64_t>(number);
  if (unit == "s") campaign.budget_minutes = number / 60;
  if (unit == "m") campaign.budget_minutes = number;
  if (unit == "h") campaign.budget_minutes = number * 60;
}

void nothing_measured(const advisor::Selection& selection, const nlohmann::json& empty, Globals& globals) {
  const auto store = store::Store::open(store::default_path(globals.db), store::Mode::read_only);
  const auto published = advisor::published_note(store.published({selection.asked, selection.hw}));
  auto measured = advisor::what_is_measured(selection, globals);
  if (globals.json) {
    for (const auto& line : selection.left_out) measured = specs::printable(line) + ".\n" + measured;
    nlohmann::json document = empty;
    document["hw"] = selection.hw;
    document["workload"] = selection.asked.text();
    document["notes"] = {measured};
    if (published.results > 0) document["published"] = to_json(published);
    print_json(document);
  } else {
    print_paragraph(fmt::format("No measurement of {} on {}.", selection.asked.text(), selection.hw));
    workspace::write_out(to_text(published, selection.asked.text(), selection.hw, output_width(analysis::unfolded)));
    for (const auto& line : selection.left_out) print_paragraph(line + ".");
    workspace::print("{}\n", workspace::Block{measured});
    if (published.results > 0)
      print_paragraph({"What these say:", "stackx advise " + advisor::selecting(selection.hw, selection.asked.text())}, 2);
  }
  globals.exit_code = 1;
}

}  // namespace stackx::cli
