#include "watch/timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "specs/error.hpp"
#include "specs/format/yaml.hpp"
#include "workspace/shell_words.hpp"

namespace stackx::watch {
namespace {

using Ordered = nlohmann::ordered_json;  // what people read stands in the order that they expect
using workspace::shell_quoted;

// "numpy-speed": what units, jobs and workflows may be called.
std::string unit_name(const std::string& project) {
  std::string name = "stackx-watch-";
  for (const char c : project.substr(0, 30)) {
    const auto byte = static_cast<unsigned char>(c);
    name += byte < 128 && std::isalnum(byte) ? static_cast<char>(std::tolower(byte)) : '-';
  }
  while (name.ends_with('-')) name.pop_back();
  return name;
}

std::string shell_command(const std::string& program, const std::vector<std::string>& words) {
  std::string text = shell_quoted(program);
  for (const auto& word : words) text += " " + shell_quoted(word);
  return text;
}

// systemd.service(5): quotes, backslashes, and what it would expand.
std::string systemd_word(const std::string& word) {
  std::string text = "\"";
  for (const char c : word) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') text += '\\';
    if (c == '%' || c == '$') text += c;
    text += c;
  }
  return text + "\"";
}

std::string systemd_path(const std::filesystem::path& path) {
  std::string text;
  for (const char c : path.string()) text += c == '%' ? "%%" : std::string(1, c);
  return text;
}

std::string systemd_units(const TimerAsked& asked) {
  const auto name = unit_name(asked.project);
  std::string environment, command = systemd_word(asked.program.string());
  for (const auto& [variable, value] : asked.environment) environment += "Environment=" + systemd_word(variable + "=" + value) + "\n";
  for (const auto& word : asked.words) command += " " + systemd_word(word);
  return fmt::format(
      "# ~/.config/systemd/user/{0}.service\n"
      "[Unit]\n"
      "Description=stackx watch: is anything new faster than what is advised?\n"
      "Wants=network-online.target\n"
      "After=network-online.target\n"
      "\n"
      "[Service]\n"
      "Type=oneshot\n"
      "WorkingDirectory={1}\n"
      "{2}"
      "ExecStart={3}\n"
      "# 10: the advice changed, 11: a regression; neither is a failure of the pass\n"
      "SuccessExitStatus=10 11\n"
      "\n"
      "# ~/.config/systemd/user/{0}.timer; then: systemctl --user enable --now {0}.timer\n"
      "[Unit]\n"
      "Description=Starts {0}.service\n"
      "\n"
      "[Timer]\n"
      "OnCalendar=*-*-* 03:17:00\n"
      "RandomizedDelaySec=15min\n"
      "Persistent=true\n"
      "\n"
      "[Install]\n"
      "WantedBy=timers.target\n",
      name, systemd_path(asked.directory), environment, command);
}

// A % ends a crontab's command, a line end its line.
std::string cron_line(const TimerAsked& asked) {
  std::string environment;
  for (const auto& [variable, value] : asked.environment) environment += fmt::format("{}={} ", variable, shell_quoted(value));
  const auto command = fmt::format("cd {} && {}{}", shell_quoted(asked.directory.string()), environment,
                                   shell_command(asked.program.string(), asked.words));
  if (command.find('\n') != command.npos) throw bad_input("--print cron: an option has a line end, which a crontab cannot hold; write the program of --pi into a file");
  std::string escaped;
  for (const char c : command) escaped += c == '%' ? "\\%" : std::string(1, c);
  return "# crontab -e; what it prints comes by mail (MAILTO). 10: the advice changed, 11: a regression\n17 3 * * * " + escaped + "\n";
}

std::string after_pass(const std::string& command) {
  return fmt::format("{}; code=$?; case $code in 10|11) exit 0;; *) exit $code;; esac", command);
}

std::string cron_job(const TimerAsked& asked) {
  const auto name = unit_name(asked.project);
  const Ordered container = {{"name", "stackx"},
                          {"image", "stackx:latest"},
                          {"workingDir", "/watch"},
                          {"command", {"sh", "-c", after_pass(shell_command("stackx", asked.words))}},
                          {"env", {{{"name", "STACKX_DB"}, {"value", "/watch/stackx.db"}}, {{"name", "XDG_CACHE_HOME"}, {"value", "/watch/cache"}}}},
                          {"resources", {{"requests", {{"cpu", "2"}, {"memory", "4Gi"}}}, {"limits", {{"cpu", "2"}, {"memory", "8Gi"}}}}},
                          {"volumeMounts", {{{"name", "watch"}, {"mountPath", "/watch"}}}}};
  const Ordered pod = {{"restartPolicy", "Never"},
                    {"containers", {container}},
                    {"volumes", {{{"name", "watch"}, {"persistentVolumeClaim", {{"claimName", name}}}}}}};
  const Ordered job = {{"spec", {{"backoffLimit", 0}, {"template", {{"spec", pod}}}}}};
  const Ordered document = {{"apiVersion", "batch/v1"},
                         {"kind", "CronJob"},
                         {"metadata", {{"name", name}}},
                         {"spec", {{"schedule", "17 3 * * *"}, {"concurrencyPolicy", "Forbid"}, {"successfulJobsHistoryLimit", 7}, {"jobTemplate", job}}}};
  return fmt::format(
             "# kubectl apply -f FILE. The volume claim {0} holds the project, the store and the cache; `image` is yours: it has\n"
             "# stackx and the Python to measure with. Exit codes 10 (advice changed) and 11 (regression) are no failures.\n",
             name) +
         specs::yaml_of(nlohmann::json::parse(document.dump()));
}

bool says_format(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    return word.starts_with("--format") || word == "--json" || word.starts_with("-o") || word.starts_with("--output");
  });
}

std::string workflow(const TimerAsked& asked) {
  auto words = asked.words;
  if (!says_format(words)) words.insert(words.end(), {"--format", "markdown"});
  const auto run = fmt::format(
      "code=0\n"
      "{} > stackx-watch.md || code=$?\n"
      "cat stackx-watch.md >> \"$GITHUB_STEP_SUMMARY\"\n"
      "case $code in 0) ;; 10) echo \"::notice::the advice changed\" ;; 11) echo \"::warning::a regression\" ;; *) exit $code ;; esac\n",
      shell_command("stackx", words));
  const Ordered steps = {
      {{"uses", "actions/checkout@v4"}},
      {{"uses", "actions/setup-python@v5"}, {"with", {{"python-version", "3.11"}}}},
      {{"uses", "actions/cache@v4"},
       {"with", {{"path", ".stackx"}, {"key", "stackx-watch-${{ github.run_id }}-${{ github.run_attempt }}"}, {"restore-keys", "stackx-watch-"}}}},
      {{"run", "pip install --quiet \"$STACKX_WHEEL\""}},
      {{"name", "One pass"}, {"run", run}}};
  const Ordered document = {{"name", unit_name(asked.project)},
                         {"on", {{"schedule", {{{"cron", "17 3 * * *"}}}}, {"workflow_dispatch", Ordered::object()}}},
                         {"permissions", {{"contents", "read"}}},
                         {"env",
                          {{"STACKX_WHEEL", "${{ vars.STACKX_WHEEL }}"},
                           {"STACKX_DB", "${{ github.workspace }}/.stackx/store.db"},
                           {"XDG_CACHE_HOME", "${{ github.workspace }}/.stackx/cache"}}},
                         {"concurrency", "stackx-measure"},
                         {"jobs", {{"watch", {{"runs-on", {"self-hosted", "stackx-measure"}}, {"timeout-minutes", 120}, {"steps", steps}}}}}};
  return fmt::format(
             "# .github/workflows/{}.yml. It measures on a machine of yours that does nothing else meanwhile (the label\n"
             "# stackx-measure). STACKX_WHEEL, a variable of the repository: URL or path of the wheel of a release of stackx.\n",
             unit_name(asked.project)) +
         specs::yaml_of(nlohmann::json::parse(document.dump()));
}

}  // namespace

std::vector<std::string> timer_kinds() { return {"systemd", "cron", "cronjob", "github"}; }

std::string timer_text(const TimerAsked& asked) {
  if (asked.kind == "systemd") return systemd_units(asked);
  if (asked.kind == "cron") return cron_line(asked);
  if (asked.kind == "cronjob") return cron_job(asked);
  return workflow(asked);
}

}  // namespace stackx::watch
