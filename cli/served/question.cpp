#include "cli/served/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/failure.hpp"
#include "serve/reply.hpp"
#include "specs/error.hpp"
#include "specs/format/nearest.hpp"
#include "specs/format/text_file.hpp"
#include "workspace/captured.hpp"

namespace stackx::cli {
namespace {

using Words = std::vector<std::string>;

Words joined(std::initializer_list<Words> lists) {
  Words all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

const Words selection{"hw", "workload", "campaign", "read", "read-seed", "pi"};

std::vector<ServedQuestion> all_questions() {
  return {
      {{"v1", "advise"}, "", {"advise"}, add_advise,
       joined({selection, {"objective", "format", "type", "price", "have", "driver", "require", "rows", "delta", "metric", "pareto", "python",
                           "explain"}}),
       {}, {"pi"}, {}, "What to run a workload with on some hardware, what to expect of it, and why"},
      {{"v1", "check"}, "", {"check"}, add_check, {"hw", "driver", "have", "python", "platform", "index-url", "extra-index-url", "strict"}, {"what"}, {"what"}, {"what"},
       "Will these packages run on that GPU, driver and Python?", "application/json", {"answer"}},
      {{"v1", "compare"}, "", {"compare"}, add_compare,
       {"workload", "pi", "hw", "source", "metric", "delta", "confidence", "max-slower", "rows", "no-plots", "format"}, {"A", "B"}, {"A", "B", "pi", "source"}, {},
       "Verdict with interval between two stacks, campaigns or hosts, or two sources"},
      {{"v1", "effects"}, "", {"effects"}, add_effects, joined({selection, {"metric", "component", "format"}}), {}, {"pi"}, {},
       "How much each change of a version matters"},
      {{"v1", "query"}, "question", {"query"}, add_query,
       {"hw", "workload", "component", "since", "stack", "campaign", "pi", "metric", "limit", "top", "least", "verdict", "project", "format"}, {}, {"pi"}, {},
       "A named question about everything in the store"},
      {{"v1", "report"}, "", {"report"}, add_report, joined({selection, {"format", "table", "metric", "delta"}}), {}, {"pi"}, {},
       "What was measured of a workload on some hardware, whole: ranking, spread, effects, rounds, failures, machines"},
      {{"v1", "workloads"}, "", {"workload", "list"}, add_workload, {}, {}, {}, {}, "Every workload family that the store or stackx knows",
       "application/json", {"workloads"}},
      {{"v1", "workloads"}, "NAME", {"workload", "show"}, add_workload, {}, {}, {}, {},
       "One workload family: parameters, hardware, where its stacks are"},
      {{"v1", "hardware"}, "", {"hw", "list"}, add_hw, {}, {}, {}, {}, "The processors and accelerators known by name: JSON Lines", "application/jsonl"},
      {{"v1", "hardware"}, "name", {"hw", "show"}, add_hw, {}, {}, {}, {}, "What is known of a processor or accelerator, with sources"},
  };
}

bool has(const Words& words, const std::string& one) { return std::ranges::find(words, one) != words.end(); }

// `text` stands where the command line would also take the name of a file of this machine; whether there is one of that name is
// never looked at (Context::words_name_files).
void refuse_file(const std::string& name, const std::string& text) {
  if (text.find('/') != text.npos || text == "-" || text.starts_with("store:") || text.starts_with("lock:"))
    throw bad_input(fmt::format("{} {}: a server reads no files for who asks it", name, specs::in_quotes(text)));
}

class CommandLine {
 public:
  CommandLine(const ServedQuestion& question, const manual::Command& declared, const ServedProjects& projects)
      : question_(question), declared_(declared), projects_(projects) {
    words_.push_back("stackx");
    words_.insert(words_.end(), question.words.begin(), question.words.end());
  }

  void take(const std::string& name, const std::string& value) {
    if (value.empty()) return;  // an empty field of a form
    if (has(question_.not_files, name)) refuse_file(name, value);
    if (has(question_.positionals, name)) return take_positional(name, value);
    if (!has(question_.options, name)) refuse_name(name);
    const auto option = "--" + name;
    const auto declared = std::ranges::find_if(declared_.options, [&](const auto& one) { return has(one.names, option); });
    if (declared == declared_.options.end()) throw broken_environment(option + ": is not declared");
    if (name == "project") {
      words_.push_back(option + '=' + file_of(value));
    } else if (!declared->value.empty()) {
      words_.push_back(option + '=' + value);
    } else if (value == "1" || value == "true") {
      words_.push_back(option);
    } else if (value != "0" && value != "false") {
      throw bad_input(fmt::format("{} {}: expected true or false", name, specs::in_quotes(value)));
    }
  }

  // What begins with a dash would be an option.
  void take_positional(const std::string& name, const std::string& value) {
    if (value.starts_with('-')) throw bad_input(fmt::format("{} {}: must not begin with \"-\"", name, specs::in_quotes(value)));
    positionals_.emplace_back(name, value);
  }

  Words finish() {
    for (const auto& name : question_.required)
      if (std::ranges::find(positionals_, name, &std::pair<std::string, std::string>::first) == positionals_.end())
        throw bad_input(fmt::format("{}: is required", name));
    if (!question_.variable.empty()) add_positionals(question_.variable);
    for (const auto& name : question_.positionals) add_positionals(name);
    return words_;
  }

 private:
  void add_positionals(const std::string& name) {
    for (const auto& [one, value] : positionals_)
      if (one == name) words_.push_back(value);
  }

  std::string file_of(const std::string& project) const {
    const auto found = projects_.find(project);
    if (found != projects_.end()) return found->second.string();
    Words known;
    for (const auto& [name, file] : projects_) known.push_back(name);
    throw bad_input(fmt::format("project {}: {}", specs::in_quotes(project), known.empty()
        ? "this server has none; `stackx serve --project FILE` gives it one" : "this server has none of that name" + specs::suggestion(project, known)));
  }

  [[noreturn]] void refuse_name(const std::string& name) const {
    const auto known = joined({question_.options, question_.positionals});
    throw bad_input(fmt::format("{}: no such parameter{}", specs::in_quotes(name), specs::suggestion(name, known)));
  }

  const ServedQuestion& question_;
  const manual::Command& declared_;
  const ServedProjects& projects_;
  Words words_;
  std::vector<std::pair<std::string, std::string>> positionals_;
};

std::unique_ptr<Parser> parser_for(const ServedQuestion& question, Globals& globals) {
  auto parser = std::make_unique<Parser>("", "", [] { return std::string(); });
  question.declare(parser->command(), globals);
  return parser;
}

// Of a parser that has one command.
manual::Command declared_by(const Parser& parser, const ServedQuestion& question) {
  auto command = parser.command().tree();
  for (const auto& word : question.words) {
    auto below = std::ranges::find(command.commands, word, &manual::Command::name);
    auto found = std::move(*below);
    command = std::move(found);
  }
  return command;
}

Words words_for(const ServedQuestion& question, const manual::Command& declared, const serve::Target& target, const ServedProjects& projects) {
  CommandLine line(question, declared, projects);
  if (!question.variable.empty()) line.take_positional(question.variable, target.path.back());
  for (const auto& [name, value] : target.parameters) line.take(name, value);
  return line.finish();
}

std::string without_prefix(std::string text) {
  constexpr std::string_view prefix = "stackx: ";
  if (text.starts_with(prefix)) text.erase(0, prefix.size());
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// "torch==2.4.0+cu121" in an address comes as "torch==2.4.0 cu121".
std::string lost_plus(const serve::Target& target) {
  for (const auto& [name, value] : target.parameters)
    for (std::size_t i = 1; i + 1 < value.size(); ++i)
      if (value[i] == ' ' && std::isdigit(static_cast<unsigned char>(value[i - 1])) && std::isalpha(static_cast<unsigned char>(value[i + 1])))
        return fmt::format("; {} has a space: a \"+\" in an address is one, and %2B a plus", specs::in_quotes(value));
  return "";
}

serve::Answer failed(const Failure& failure) {
  serve::Answer answer;
  answer.exit_code = failure.exit_code;
  answer.status = failure.exit_code == static_cast<int>(ErrorCode::bad_input) ? 400 : 500;
  answer.body = *serve::failure(answer.status, failure.text, failure.exit_code).body;
  return answer;
}

// What was asked for by name goes before what the client would rather have.
bool is_json(const serve::Target& target, const serve::Form& form) {
  const auto format = target.parameter("format").value_or("");
  return format.empty() ? form.kind == serve::Form::Kind::json : format == "json";
}

std::string content_type_of(const ServedQuestion& question, const serve::Target& target, const serve::Form& form) {
  const auto format = target.parameter("format").value_or("");
  if (format == "markdown" || (format.empty() && form.kind == serve::Form::Kind::markdown)) return "text/markdown; charset=utf-8";
  return is_json(target, form) ? question.content_type : "text/plain; charset=utf-8";
}

serve::Answer run(const ServedQuestion& question, const serve::Target& target, const serve::Form& form, Globals globals,
                  const ServedProjects& projects) {
  globals.words_name_files = false;
  globals.json = is_json(target, form);
  const auto parser = parser_for(question, globals);
  auto words = words_for(question, declared_by(*parser, question), target, projects);
  if (form.kind == serve::Form::Kind::markdown && has(question.options, "format")) words.push_back("--format=markdown");
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  workspace::Captured said(form.columns);
  const auto ended = parser->parse(static_cast<int>(arguments.size()), arguments.data());
  if (ended != Parser::Ended::ran) return failed({static_cast<int>(ErrorCode::bad_input), without_prefix(said.err)});
  return {.content_type = content_type_of(question, target, form), .body = std::move(said.out), .exit_code = globals.exit_code};
}

}  // namespace

const std::vector<ServedQuestion>& served_questions() {
  static const auto all = all_questions();
  return all;
}

const ServedQuestion* question_at(const serve::Target& target) {
  for (const auto& question : served_questions()) {
    const bool longer = !question.variable.empty();
    if (target.path.size() == question.path.size() + longer && std::ranges::equal(question.path, target.path | std::views::take(question.path.size())))
      return &question;
  }
  return nullptr;
}

const ServedQuestion* question_of(const std::vector<std::string>& words) {
  const auto found = std::ranges::find(served_questions(), words, &ServedQuestion::words);
  return found == served_questions().end() ? nullptr : &*found;
}

std::string address_of(const ServedQuestion& question, std::string_view braces) {
  std::string address;
  for (const auto& segment : question.path) address += "/" + segment;
  if (question.variable.empty()) return address;
  std::string variable = question.variable;
  if (braces.empty())
    std::ranges::transform(variable, variable.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  else
    variable = braces.front() + variable + braces.back();
  return address + "/" + variable;
}

manual::Command declaration_of(const ServedQuestion& question, const Globals& globals) {
  Globals own = globals;
  return declared_by(*parser_for(question, own), question);
}

serve::Answer run_question(const ServedQuestion& question, const serve::Target& target, const serve::Form& form, const Globals& globals,
                           const ServedProjects& projects) {
  try {
    return run(question, target, form, globals, projects);
  } catch (...) {
    auto failure = failure_of(std::current_exception());
    failure.text += lost_plus(target);
    return failed(failure);
  }
}

}  // namespace stackx::cli
