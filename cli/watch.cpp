// stackx watch PROJECT: one pass, for a timer to start: what is new, is it faster, what changed.

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/output/file.hpp"
#include "cli/output/print.hpp"
#include "specs/format/json.hpp"
#include "specs/project/campaign.hpp"
#include "specs/python/project.hpp"
#include "watch/pass.hpp"
#include "watch/timer.hpp"
#include "workspace/asked/project.hpp"
#include "workspace/asked/shell_words.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {
namespace {

struct WatchWords {
  watch::WatchOptions asked;
  std::vector<std::string> budget;
  std::string format = "text", output, timer;
  double delta = 1;  // percent
  bool no_refresh = false;
};

// The words of this command as they were given, but for --print and its word.
std::vector<std::string> given_words() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < all.size();) {
    const auto end = std::min(all.find('\0', begin), all.size());
    words.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  if (!words.empty()) words.erase(words.begin());  // the program
  for (auto word = words.begin(); word != words.end();)
    if (*word == "--print")
      word = words.erase(word, word + (word + 1 == words.end() ? 1 : 2));
    else
      word = word->starts_with("--print=") ? words.erase(word) : word + 1;
  return words;
}

std::string repeated_command(const std::vector<std::string>& words) {
  std::string text = "stackx";
  for (const auto& word : words) text += " " + workspace::shell_quoted(word);
  return text;
}

// By what was asked: a project that names a GPU, or a workload that computes on one.
bool is_on_gpu(const watch::WatchOptions& asked, const watch::Subject& subject) {
  const auto device = subject.workload.params.find("device");
  if (!asked.device.empty() || (device != subject.workload.params.end() && device->second == "gpu")) return true;
  if (specs::is_python_project(asked.project)) return false;
  const auto hardware = specs::Node::parse_file(asked.project).find("hardware");
  return hardware && hardware->find("gpu");
}

void print_timer(const WatchWords& words, const Globals& globals) {
  const auto subject = watch::subject_of(words.asked, globals);
  watch::TimerAsked asked{.kind = words.timer,
                          .project = subject.project,
                          .words = given_words(),
                          .program = std::filesystem::read_symlink("/proc/self/exe"),
                          .directory = std::filesystem::current_path(),
                          .environment = {},
                          .about = fmt::format("{}\n{}\n{}\n{}", subject.workload.text(), words.asked.pi, words.asked.device, words.asked.settings.string()),
                          .on_gpu = is_on_gpu(words.asked, subject),
                          .with_secrets = {}};
  watch::add_environment(asked);
  write_output(words.output, watch::timer_text(asked));
}

std::string report_in(const WatchWords& words, const watch::Report& report, const Globals& globals) {
  if (globals.json || words.format == "json") return watch::report_json(report).dump() + "\n";
  if (words.format == "markdown") return watch::report_markdown(report);
  return watch::report_text(report, output_width());
}

void run_watch(WatchWords& words, Globals& globals) {
  words.asked.project = workspace::named_project(words.asked.project);
  words.asked.rule.delta = words.delta / 100;
  if (!words.asked.settings.empty()) words.asked.cluster = true;
  words.asked.refresh = !words.no_refresh;
  specs::CampaignSpec budget;
  for (const auto& text : words.budget) read_budget(text, budget);
  words.asked.budget_minutes = budget.budget_minutes;
  words.asked.budget_inspections = budget.budget_inspections;
  if (!words.timer.empty()) return print_timer(words, globals);
  words.asked.command = repeated_command(given_words());
  watch::Pass pass(words.asked, globals, [](const std::string& line) { workspace::remark("{}\n", line); });
  const auto report = pass.run();
  const auto text = report_in(words, report, globals);
  if (words.output.empty() || words.output == "-")
    workspace::write_out(text);
  else
    write_output(words.output, text);
  workspace::flush_out();
  pass.was_told();
  globals.exit_code = report.exit_code();
}

void add_watched(Command command, WatchWords& words) {
  auto& asked = words.asked;
  command.add_option("project", asked.project, "Project file (stackx/project/1), requirements.txt, Pipfile or pyproject.toml; a directory with one; or packages (\"numpy>=1.26\")").type_name("PROJECT").required();
  command.add_option("--workload", asked.workload, "What is measured of a Python project; of several workloads of a project, which").type_name("NAME[:KEY=VALUE,...]");
  command.add_option("--pi", asked.pi, "A program of your own that measures: of a Python project any command, which prints one number or nothing (then its wall time "
                     "counts); beside a project's workload a PI, as inspect takes it").type_name("COMMAND");
  command.add_option("--prints", asked.prints, "What the number is that the command of --pi prints").check(one_of({"seconds", "rate"})).show_default();
  command.add_option("--files", asked.files, "Directory that the command is shown read-only, and begins in").type_name("DIR");
  command.add_option("--catalog", asked.catalogs, "A catalog of your own: an overlay, or of a Python project what there is").type_name("FILE").one_each();
  command.add_option("--python", asked.python, "Python of a Python project [this machine's python3]").type_name("X.Y");
}

void add_measured(Command command, WatchWords& words) {
  auto& asked = words.asked;
  command.add_option("--budget", words.budget, "Stop measuring after so many inspections (400) or so long (30m) [the project's, else 60m]; the next pass goes on; may be given twice")
      .type_name("N|TIME");
  command.add_option("--most-new", asked.most_new, "Newcomers a pass; what is more waits for the next").check(within(std::uint64_t{1}, std::uint64_t{100})).type_name("N").show_default();
  command.add_option("--rounds", asked.rule.most_rounds, "Rounds after which what is not told apart stays so").check(within(std::uint64_t{6}, specs::most_rounds)).type_name("N").show_default();
  add_delta_option(command, words.delta);
  command.add_option("--runner", asked.runner, "Where it runs: local (under bubblewrap where it works) or container [the project's]").type_name("NAME").check(one_of({"local", "container"}));
  command.add_flag("--cluster", asked.cluster, "On the nodes that the project's \"cluster\" names: one pass submits, later ones collect, the last tells");
  command.add_option("--settings", asked.settings, "Where that is, of a Python project or instead of the project's \"cluster\": a file "
                     "(stackx/cluster-settings/1) with one target; means --cluster").type_name("FILE");
  command.add_option("--device", asked.device, "GPU to measure on, of those that $CUDA_VISIBLE_DEVICES shows: an index, or the beginning of a UUID")
      .type_name("GPU");
  command.add_option("--timeout", asked.timeout_seconds, "Of one inspection, in seconds [the project's]").check(above_zero()).type_name("SECONDS");
  command.add_option("--memory", asked.memory_gib, "Of one inspection, in GiB [the project's]").check(above_zero()).type_name("GIB");
  command.add_flag("--again", asked.again, "Measure what failed before as if it were new");
  command.add_flag("--blame", asked.blame, "Where a newcomer is slower and several components changed with it, find out which (stackx blame)");
  command.add_flag("--allow-paths", asked.allow_paths, "Programs and files of this machine that the catalogs name may be run and shown (remembered)");
}

void add_read_and_told(Command command, WatchWords& words) {
  auto& asked = words.asked;
  command.add_flag("--no-refresh", words.no_refresh, "Ask no index: what the catalogs say now");
  command.add_flag("--offline", asked.offline, "As --no-refresh, and fetch no packages: what is cached");
  command.add_option("--index-url", asked.pip.index_url, "Another package index than pip's").type_name("URL");
  command.add_option("--pip", asked.pip.python, "Python that has the pip to ask for the index").type_name("PYTHON").show_default();
  command.add_flag("--dry-run", asked.dry_run, "Say what is new and what would be measured; measure nothing");
  command.add_option("--format", words.format, "text, markdown or json").check(one_of({"text", "markdown", "json"})).show_default();
  command.add_option("-o,--output", words.output, "File to write the report to, instead of stdout").type_name("FILE");
  command.add_option("--print", words.timer, "Instead: what starts this command every night, for a timer that you have: systemd (service and timer), cron, cronjob "
                     "(Kubernetes), github (Actions)").check(one_of(watch::timer_kinds())).type_name("TIMER");
}

}  // namespace

void add_watch(Command app, Globals& globals) {
  auto words = std::make_shared<WatchWords>();
  const auto command = app.add_subcommand("watch", "One pass for a timer: what is new, is it faster than what is advised, what changed");
  command.describe(
      {"Reads the index anew, measures versions that nobody has measured for this project beside what is advised now, and says what changed. "
       "Exit code 0: nothing to do; 10: the advice changed; 11: the newest release is slower. The store is all the state there is: a pass that was "
       "killed goes on, two at once exclude each other.",
       {{"What is new, and what it would take to know", "stackx watch project.json --dry-run"},
        {"A Python project, by its own benchmark", "stackx watch requirements.txt --pi ./bench.py"},
        {"Every night, at most half an hour", "stackx watch project.json --budget 30m --print systemd"},
        {"On the GPUs of a cluster, from a machine without", "stackx watch \"torch>=2.6\" --workload matmul --settings v100.json"}}});
  command.notes(
      "Exit codes: 0 nothing to do; 10 the advice changed; 11 a regression: the newest release is slower; "
      "1 nothing of the project runs here, or no stack is valid; 2 bad input, or a pass is under way; "
      "3 the environment failed; 130 interrupted.");
  add_watched(command, *words);
  add_measured(command, *words);
  add_read_and_told(command, *words);
  command.callback([words, &globals] { run_watch(*words, globals); });
}

}  // namespace stackx::cli
