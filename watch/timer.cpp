#include "watch/timer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/masked.hpp"
#include "specs/format/yaml.hpp"
#include "workspace/asked/shell_words.hpp"

namespace stackx::watch {
namespace {

using Ordered = nlohmann::ordered_json;  // what people read stands in the order that they expect
using workspace::shell_quoted;

// What a pass reads.
constexpr const char* of_this_machine[] = {  // elsewhere they would be others
    "STACKX_DB", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "PATH", "LD_LIBRARY_PATH"};
constexpr const char* of_the_watch[] = {
    "CUDA_VISIBLE_DEVICES",
    "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_CONFIG_FILE", "PIP_CERT", "PIP_TRUSTED_HOST", "PIP_PROXY",
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SLURM_CONF", "KUBECONFIG"};

bool has_secret(const std::string& text) { return specs::without_passwords(text) != text; }

std::string remark_on_command(const TimerAsked& asked) {
  if (std::ranges::none_of(asked.words, has_secret)) return "";
  return "# The command has a secret in it, as it was given: let nobody else read this; pip's configuration can keep it instead.\n";
}

// For timers of this machine.
std::string remark_on_secrets(const TimerAsked& asked, const char* instead) {
  const auto command = remark_on_command(asked);
  if (asked.with_secrets.empty()) return command;
  return command + fmt::format("# Set here and not written, since a secret stands in it: {}. {}\n", fmt::join(asked.with_secrets, ", "), instead);
}

// For those of other machines, which have other settings.
std::string remark_on_settings(const TimerAsked& asked, const char* where) {
  auto names = asked.with_secrets;
  for (const auto& [name, value] : asked.environment)
    if (std::ranges::find(of_this_machine, name) == std::end(of_this_machine)) names.push_back(name);
  const auto command = remark_on_command(asked);
  if (names.empty()) return command;
  return command + fmt::format("# Set here and not there: {}. What matters there goes into {}.\n", fmt::join(names, ", "), where);
}

// "stackx-watch-numpy-speed-1f0c3a": what units, jobs and workflows may be called. The end tells watches of one project apart.
std::string unit_name(const TimerAsked& asked) {
  std::string name = "stackx-watch-";
  for (const char c : asked.project.substr(0, 30)) {
    const auto byte = static_cast<unsigned char>(c);
    name += byte < 128 && std::isalnum(byte) ? static_cast<char>(std::tolower(byte)) : '-';
  }
  while (name.ends_with('-')) name.pop_back();
  return name + "-" + specs::sha256(asked.directory.string() + "\n" + asked.about).substr(0, 6);
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
  const auto name = unit_name(asked);
  std::string environment, command = systemd_word(asked.program.string());
  for (const auto& [variable, value] : asked.environment) environment += "Environment=" + systemd_word(variable + "=" + value) + "\n";
  for (const auto& word : asked.words) command += " " + systemd_word(word);
  return fmt::format(
      "# ~/.config/systemd/user/{0}.service\n"
      "{4}"
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
      "# That it also starts while you are not logged in: loginctl enable-linger\n"
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
      name, systemd_path(asked.directory), environment, command,
      remark_on_secrets(asked, "EnvironmentFile= names a file that only you can read."));
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
  return remark_on_secrets(asked, "pip's configuration can keep it (pip config set global.index-url URL).") +
         "# crontab -e; what it prints comes by mail (MAILTO). 10: the advice changed, 11: a regression\n17 3 * * * " + escaped + "\n";
}

std::string after_pass(const std::string& command) {
  return fmt::format("{}; code=$?; case $code in 10|11) exit 0;; *) exit $code;; esac", command);
}

std::string cron_job(const TimerAsked& asked) {
  const auto name = unit_name(asked);
  Ordered limits = {{"cpu", "2"}, {"memory", "8Gi"}};
  if (asked.on_gpu) limits["nvidia.com/gpu"] = "1";
  const Ordered container = {{"name", "stackx"},
                          {"image", "stackx:latest"},
                          {"workingDir", "/watch"},
                          {"command", {"sh", "-c", after_pass(shell_command("stackx", asked.words))}},
                          {"env", {{{"name", "STACKX_DB"}, {"value", "/watch/stackx.db"}}, {{"name", "XDG_CACHE_HOME"}, {"value", "/watch/cache"}}}},
                          {"resources", {{"requests", {{"cpu", "2"}, {"memory", "4Gi"}}}, {"limits", limits}}},
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
         remark_on_settings(asked, "`env`") + specs::yaml_of(nlohmann::json::parse(document.dump()));
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
  const Ordered document = {{"name", unit_name(asked)},
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
             unit_name(asked)) +
         remark_on_settings(asked, "`env`, or the runner's own settings") + specs::yaml_of(nlohmann::json::parse(document.dump()));
}

}  // namespace

void add_environment(TimerAsked& asked) {
  const auto add = [&](const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') return;
    if (has_secret(value))
      asked.with_secrets.emplace_back(name);
    else
      asked.environment[name] = value;
  };
  std::ranges::for_each(of_this_machine, add);
  std::ranges::for_each(of_the_watch, add);
}

std::vector<std::string> timer_kinds() { return {"systemd", "cron", "cronjob", "github"}; }

std::string timer_text(const TimerAsked& asked) {
  if (asked.kind == "systemd") return systemd_units(asked);
  if (asked.kind == "cron") return cron_line(asked);
  if (asked.kind == "cronjob") return cron_job(asked);
  return workflow(asked);
}

}  // namespace stackx::watch
