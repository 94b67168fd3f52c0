#include "watch/blamed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "blame/answered.hpp"
#include "blame/report/output.hpp"
#include "inspector/paths.hpp"
#include "specs/error.hpp"
#include "specs/format/masked.hpp"
#include "workspace/asked/shell_words.hpp"
#include "workspace/files/kept_file.hpp"

namespace stackx::watch {
namespace {

using workspace::shell_quoted;

bool is_of_index(const specs::Catalog& catalog, const std::string& name) {
  const auto* component = catalog.find(name);
  return component != nullptr && component->kind == specs::Kind::package && component->ecosystem == "pypi";
}

// All that it holds are packages of the index, for one Python.
bool is_packages(const specs::Stack& stack, const specs::Catalog& catalog) {
  return std::ranges::all_of(stack.components, [&](const auto& one) {
    return one.first == "python" || one.first.find('+') != one.first.npos || is_of_index(catalog, one.first);
  });
}

std::string write_end(const specs::Stack& stack, const specs::Catalog& catalog, const std::string& name) {
  std::string lines;
  for (const auto& [component, version] : stack.components)
    if (is_of_index(catalog, component)) lines += fmt::format("{}=={}\n", component, version);
  const auto file = inspector::cache_directory() / "watch" / name;
  workspace::keep_file(file, lines);
  return file.string();
}

blame::BlameOptions blame_options(const WatchOptions& options, const Subject& subject, const specs::Stack& advised, const specs::Stack& slower,
                                  const specs::Catalog& catalog) {
  blame::BlameOptions asked;
  if (is_packages(advised, catalog) && is_packages(slower, catalog)) {
    asked.old_end = write_end(advised, catalog, subject.id() + "-advised.txt");
    asked.new_end = write_end(slower, catalog, subject.id() + "-slower.txt");
    if (const auto python = slower.components.find("python"); python != slower.components.end()) asked.python = python->second;
  } else {
    asked.old_end = advised.short_id();
    asked.new_end = slower.short_id();
    asked.project = options.project;
  }
  if (subject.program) {
    asked.pi = options.pi;
    asked.files = options.files;
    if (options.prints == "rate") asked.metric = specs::Yardstick();
  } else {
    asked.workload = subject.workload.text();
  }
  asked.index_url = options.pip.index_url;
  asked.pip = options.pip.python;
  asked.offline = options.offline;
  asked.settings.delta = options.rule.delta;
  if (!options.runner.empty()) asked.limits.runner = options.runner;
  return asked;
}

std::string blame_command(const blame::BlameOptions& asked) {
  auto text = fmt::format("stackx blame {} {}", shell_quoted(asked.old_end), shell_quoted(asked.new_end));
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) text += fmt::format(" {} {}", option, shell_quoted(value));
  };
  add("--project", asked.project.string());
  add("--pi", asked.pi);
  add("--files", asked.files);
  add("--workload", asked.workload);
  if (asked.metric) add("--metric", asked.metric->word());
  add("--python", asked.python);
  const blame::BlameOptions usual;
  if (asked.limits.runner != usual.limits.runner) add("--runner", asked.limits.runner);
  if (asked.settings.delta != usual.settings.delta) add("--delta", fmt::format("{:g}", 100 * asked.settings.delta));
  add("--index-url", asked.index_url);
  if (asked.pip != usual.pip) add("--pip", asked.pip);
  return specs::without_passwords(text);
}

}  // namespace

Blamed blame_between(const WatchOptions& options, const Subject& subject, const specs::Stack& advised, const specs::Stack& slower,
                     const specs::Catalog& catalog, const workspace::Context& context, const std::function<void(const std::string&)>& say) {
  if (subject.program && !subject.program->plain)
    return {{"which of the changes it is: `stackx blame` measures with plain programs and stackx's own workloads, not with a PI of one's own"}, {}};
  const auto asked_options = blame_options(options, subject, advised, slower, catalog);
  const auto command = blame_command(asked_options);
  if (options.cluster) return {{fmt::format("which of the changes it is, asked on a node: `{}`", command)}, {}};
  if (!options.blame) return {{fmt::format("which of the changes it is: `{}`", command)}, {}};
  try {
    auto asked = blame::ask(asked_options, context);
    const blame::Named named{"the advised stack", "the newcomer's", command};
    const auto [trial, finding] = blame::answered(asked, {options.budget_minutes, false, options.offline}, named, context, say);
    return {{finding.headline}, blame::finding_json(finding, asked.between, trial, asked.question.settings, named).dump()};
  } catch (const Error& error) {  // the verdict stands without it
    return {{fmt::format("blame could not be asked: {}", error.what()), fmt::format("which of the changes it is: `{}`", command)}, {}};
  }
}

}  // namespace stackx::watch
