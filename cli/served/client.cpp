#include "cli/served/client.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/print.hpp"
#include "cli/served/question.hpp"
#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "workspace/output.hpp"
#include "workspace/remote.hpp"

namespace stackx::cli {
namespace {

bool takes(const ServedQuestion& question, const std::string& name) {
  return std::ranges::find(question.options, name) != question.options.end() ||
         std::ranges::find(question.positionals, name) != question.positionals.end();
}

serve::Target target_of(const ServedQuestion& question, const Command& command, const Instead& instead) {
  serve::Target target{question.path, {}};
  for (const auto& [name, given] : command.given()) {
    const auto found = instead.find(name);
    const auto& values = found == instead.end() ? given : found->second;
    if (name == "server" || name == "json" || values.empty()) continue;
    if (name == question.variable) {
      target.path.push_back(values.front());
      continue;
    }
    if (!takes(question, name))
      throw bad_input(fmt::format("--{}: has no place beside --server, which answers from its own store and facts and reads no file of "
                                  "this machine", name));
    for (const auto& value : values) target.parameters.emplace_back(name, value);
  }
  return target;
}

// What a server of an older stackx says of a parameter that it has not.
std::string with_age(const std::string& refusal, const serve::Target& target) {
  for (const auto& [name, value] : target.parameters)
    if (refusal.find(specs::in_quotes(name) + ": no such parameter") != refusal.npos)
      return fmt::format("{}; an older stackx answers there, which does not know --{}: leave it out, or bring that server up to date",
                         refusal.substr(0, refusal.find("; did you mean")), name);
  return refusal;
}

std::string accepted(const serve::Target& target, const Globals& globals) {
  return globals.json || target.parameter("format").value_or("") == "json" ? "application/json" : "text/plain";
}

}  // namespace

void add_server_option(Command command, std::string& url) {
  command.add_option("--server", url, "Ask this server (`stackx serve`) instead of the store here; a token stands in $STACKX_TOKEN")
      .type_name("URL");
}

void ask_server(const std::string& url, const Command& command, Globals& globals, const Instead& instead) {
  if (!globals.db.empty()) throw bad_input("--db and --server: give one of them");
  const auto* question = question_of({command.name()});
  if (question == nullptr) throw broken_environment(command.name() + ": no server answers this");
  const auto target = target_of(*question, command, instead);
  workspace::Remote remote(url, "--server");
  try {
    const auto answered = remote.ask(serve::to_text(target), accepted(target, globals), output_width());
    workspace::write_out(answered.body);
    globals.exit_code = answered.exit_code;
  } catch (const Error& refused) {
    throw Error(refused.code(), with_age(refused.what(), target));
  }
}

}  // namespace stackx::cli
