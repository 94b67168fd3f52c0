#include "serve/pages/asked.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "serve/pages/html.hpp"

namespace stackx::serve::pages {
namespace {

nlohmann::json lines_of(const std::string& text) {
  auto array = nlohmann::json::array();
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    if (end > at) array.push_back(nlohmann::json::parse(text.substr(at, end - at)));
    at = end + 1;
  }
  return array;
}

std::string words_of(const Answer& answer) {
  const auto document = nlohmann::json::parse(answer.body, nullptr, false);
  return document.is_object() ? document.value("error", "") : answer.body;
}

std::string for_shell(const std::string& word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || std::string_view("-_./:=,+@%").contains(c);
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace

Reply Asked::ask(std::vector<std::string> path, Parameters parameters) const {
  Reply reply{.target = {std::move(path), std::move(parameters)}, .document = {}, .words = {}};
  const auto answer = asker_.answer(reply.target, {});
  reply.status = answer.status;
  reply.exit_code = answer.exit_code;
  if (!reply.ok())
    reply.words = words_of(answer);
  else
    reply.document = answer.content_type == "application/jsonl" ? lines_of(answer.body) : nlohmann::json::parse(answer.body);
  return reply;
}

Reply Asked::must(std::vector<std::string> path, Parameters parameters) const {
  auto reply = ask(std::move(path), std::move(parameters));
  if (!reply.ok()) throw Refusal{reply.status, reply.words};
  return reply;
}

Parameters handed_on(const Target& page, std::string_view limit) {
  Parameters parameters;
  for (const auto& one : page.parameters)
    if (!one.second.empty()) parameters.push_back(one);
  if (!limit.empty() && page.parameter("limit").value_or("").empty()) parameters.emplace_back("limit", limit);
  return parameters;
}

std::string command_of(const Target& question) {
  if (question.parameter("project") || question.path.size() < 2) return "";
  std::string command = "stackx ";
  const auto& kind = question.path[1];
  const bool one = question.path.size() > 2;
  if (kind == "workloads" || kind == "hardware")
    command += std::string(kind == "hardware" ? "hw" : "workload") + (one ? " show" : " list");
  else
    command += kind;
  if (one) command += ' ' + for_shell(question.path[2]);
  for (const auto& [name, value] : question.parameters) command += " --" + name + ' ' + for_shell(value);
  return command;
}

std::string as_asked(const Reply& reply) {
  const auto command = command_of(reply.target);
  return fmt::format("<p class=\"asked\">The same {}{}</p>\n", link(to_text(reply.target), "as JSON"),
                     command.empty() ? "" : fmt::format(", or: <code>{}</code>", escaped(command)));
}

}  // namespace stackx::serve::pages
