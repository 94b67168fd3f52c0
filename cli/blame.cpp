// stackx blame OLD NEW: which version change made it slower.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "advisor/recipes/quoting.hpp"
#include "blame/answered.hpp"
#include "blame/report/output.hpp"
#include "cli/commands.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/output/print.hpp"
#include "specs/format/masked.hpp"
#include "specs/project/own_pis.hpp"
#include "store/store.hpp"
#include "workspace/asked/workload.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {
namespace {

namespace fs = std::filesystem;
using blame::Finding;

struct BlameWords {
  blame::BlameOptions asked;
  std::string metric, budget, format = "text";
  double delta = 1;  // percent
  std::optional<double> minutes;  // of the budget
  bool versions = false, dry_run = false;
  std::string again;  // the command as it was given
};

void blame_say(const std::string& line) { workspace::remark("{}\n", line); }

void print_finding(const Finding& finding, const blame::Asked& asked, const blame::Trial& trial, const blame::Named& named, const BlameWords& words,
                   Globals& globals) {
  if (globals.json || words.format == "json")
    print_json(blame::finding_json(finding, asked.between, trial, asked.question.settings, named));
  else if (words.format == "markdown")
    workspace::write_out(blame::finding_markdown(finding, named, trial));
  else
    workspace::write_out(blame::finding_text(finding, named, output_width()));
  if (finding.kind == Finding::Kind::unfinished || finding.kind == Finding::Kind::old_fails) globals.exit_code = 1;
  if (trial.interrupted) globals.exit_code = interrupted_exit;
}

// "old.txt" of a path, where the other end is called otherwise.
std::string short_name(const std::string& end, const std::string& other) {
  const auto name = fs::path(end).filename().string();
  return name.empty() || name == fs::path(other).filename() ? end : name;
}

// What will be measured; false where that is all that was asked for.
bool tell_plan(const blame::Asked& asked, const BlameWords& words, const Globals& globals) {
  const auto& settings = asked.question.settings;
  blame::Expected usual{.inspections = blame::usual_inspections(asked.question.lattice, settings), .allowed = settings.most_inspections, .versions = words.versions};
  if (const auto each = blame::usual_seconds(store::default_path(globals.db), asked.question)) usual.seconds = *each * static_cast<double>(usual.inspections);
  if (words.dry_run && globals.json)
    print_json(blame::plan_json(asked, usual));
  else if (words.dry_run)
    workspace::write_out(blame::plan_text(asked, usual, output_width()));
  else
    workspace::write_err(blame::plan_text(asked, usual, output_width()));
  return !words.dry_run;
}

void run_blame(BlameWords& words, Globals& globals) {
  if (!words.metric.empty()) words.asked.metric = specs::Yardstick::from(words.metric);
  words.asked.settings.delta = words.delta / 100;
  if (!words.budget.empty()) {  // of the whole search, not of each of its campaigns
    specs::CampaignSpec budget;
    read_budget(words.budget, budget);
    words.minutes = budget.budget_minutes;
    if (budget.budget_inspections) words.asked.settings.most_inspections = *budget.budget_inspections;
  }
  if (words.asked.pi.empty() && words.asked.project.empty() && !words.asked.workload.empty()) {  // before the index is asked
    const auto workload = workspace::workload_to_measure(words.asked.workload, globals);
    specs::require_pi("--workload", workload.pi, true);
    words.asked.workload = workload.text();
  }
  auto asked = blame::ask(words.asked, globals);
  for (const auto& end : {asked.old_end, asked.new_end})
    for (const auto& skipped : end.skipped) workspace::remark("{}: left out: {}\n", end.text, skipped);
  const blame::Named named{short_name(words.asked.old_end, words.asked.new_end), short_name(words.asked.new_end, words.asked.old_end), words.again};
  if (!asked.between.groups.empty() && !tell_plan(asked, words, globals)) return;
  const auto [trial, finding] = blame::answered(asked, {words.minutes, words.versions, words.asked.offline}, named, globals, blame_say);
  print_finding(finding, asked, trial, named, words, globals);
}

void add_what(Command command, BlameWords& words) {
  auto& asked = words.asked;
  command.add_option("OLD", asked.old_end, "The end that was fast: a lock file, exact requirements, a `pip freeze` text, an environment's directory, packages (\"torch==2.6.0 numpy==2.1.0\"), or a stack's id")
      .type_name("OLD").required();
  command.add_option("NEW", asked.new_end, "The end that is slow, likewise").type_name("NEW").required();
  command.add_option("--pi", asked.pi, "A command of your own that measures: it prints one number, a JSON object of the PI protocol, or nothing (then its wall time counts)")
      .type_name("COMMAND");
  command.add_option("--files", asked.files, "Directory that the command is shown read-only, and begins in").type_name("DIR");
  command.add_option("--workload", asked.workload, "Instead of --pi, a workload of stackx's own: matmul:m=512,n=512,k=512").type_name("NAME[:KEY=VALUE,...]");
  command.add_option("--metric", words.metric, "What is compared [rate of a workload, time of a command]").check(one_of(specs::Yardstick::words())).type_name("NAME");
  command.add_flag("--versions", words.versions, "Then find the first bad version of the culprit, among all releases between the two");
}

void add_how(Command command, BlameWords& words) {
  auto& asked = words.asked;
  command.add_option("--budget", words.budget, "Stop after so long (30m) or so many inspections [1000], with what is known by then; the same command goes on").type_name("N|TIME");
  command.add_option("--runner", asked.limits.runner, "Where it runs: local (under bubblewrap where it works) or container").type_name("NAME").check(one_of({"local", "container"}));
  command.add_option("--device", asked.device, "GPU to measure on, of those that $CUDA_VISIBLE_DEVICES shows: an index, or the beginning of a UUID")
      .type_name("GPU");
  command.add_option("--python", asked.python, "The Python of both ends [theirs, else this machine's python3]").type_name("X.Y");
  command.add_option("--project", asked.project, "Project whose catalogs declare what two stacks of the store hold").type_name("FILE");
  command.add_option("--timeout", asked.limits.timeout_seconds, "Of one inspection, in seconds").check(above_zero()).type_name("SECONDS").show_default();
  command.add_option("--memory", asked.limits.memory_gib, "Of one inspection, in GiB").check(above_zero()).type_name("GIB").show_default();
  command.add_option("--seed", asked.settings.seed, "Seed of the search").type_name("S");
  add_delta_option(command, words.delta);
  command.add_option("--format", words.format, "text, markdown (for an issue) or json").check(one_of({"text", "markdown", "json"})).show_default();
  command.add_option("--index-url", asked.index_url, "Another package index than pip's").type_name("URL");
  command.add_option("--pip", asked.pip, "Python that has the pip to ask for the index").type_name("PYTHON").show_default();
  command.add_flag("--offline", asked.offline, "Use what is cached and fetch nothing");
  command.add_flag("--dry-run", words.dry_run, "Say what differs and what hangs together, measure nothing");
}

// The command as it may be pasted: all that was given but what only says how the answer is printed, or that there is to be none.
std::string command_text(const Command& command, const Globals& globals) {
  std::string text = "stackx blame";
  for (const auto& word : command.words({"--format", "--dry-run"})) text += " " + advisor::shell_quoted(word);
  if (!globals.db.empty()) text += " --db " + advisor::shell_quoted(globals.db);
  return specs::without_passwords(text);  // of --index-url: it may stand in an issue
}

}  // namespace

void add_blame(Command app, Globals& globals) {
  auto words = std::make_shared<BlameWords>();
  const auto command = app.add_subcommand("blame", "Which version change between two stacks made it slower");
  command.describe(
      {"Finds out which of the changes between two ends is responsible, by measuring valid stacks between them in interleaved rounds: "
       "halves first, then the culprit alone, both ways. The answer is wrong in at most 5% of cases. Every inspection is kept; the same command "
       "goes on where it was interrupted.",
       {{"A program of your own", "stackx blame good.txt bad.txt --pi ./bench.py"},
        {"What differs, and what hangs together", "stackx blame good.txt bad.txt --pi ./bench.py --dry-run"},
        {"A workload of stackx's, and the first bad version", "stackx blame old.lock new.lock --workload matmul --versions"}}});
  add_what(command, *words);
  add_how(command, *words);
  command.callback([words, command, &globals] {
    words->again = command_text(command, globals);
    run_blame(*words, globals);
  });
}

}  // namespace stackx::cli
