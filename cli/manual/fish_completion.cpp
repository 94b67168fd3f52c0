#include <fmt/core.h>
#include <fmt/ranges.h>

#include <string>

#include "cli/manual/completions.hpp"

namespace stackx::cli::manual {
namespace {

constexpr const char* fish_begin = R"(# fish completion for stackx, as `stackx completion fish` prints it

)";

constexpr const char* fish_functions = R"(
# The command that the line is of: "hw show".
function __stackx_command
    set -l path
    set -l expects no
    for word in (commandline -opc)[2..-1]
        if test $expects = yes
            set expects no
            continue
        end
        set -l longer (string join ' ' -- $path $word)
        switch $word
            case --
                break
            case '-*'
                contains -- $longer $__stackx_valued; or contains -- $word $__stackx_valued; and set expects yes
            case '*'
                contains -- $longer $__stackx_commands; or break
                set path $longer
        end
    end
    printf '%s\n' $path
end

function __stackx_at
    set -l path (__stackx_command)
    test "$path" = "$argv"
end

# Names that the program knows, with what they are.
function __stackx_names
    set -l program (commandline -opc | string replace -r -- '^~' $HOME)[1]
    set -l word (commandline -ct | string replace -r -- '^--[a-z-]*=' '')
    $program completion names $argv -- $word 2>/dev/null
end

)";

// In single quotes of fish.
std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

// Options of `complete`: whether files come, and what else.
std::string fish_action(const Argument& argument, bool option) {
  const std::string only = option ? " -x" : " -f";
  switch (argument.kind) {
    case Kind::words: return fmt::format("{} -a '{}'", only, fmt::join(argument.words, " "));
    case Kind::files: return option ? " -r -F" : " -F";
    case Kind::directories: return only + " -a '(__fish_complete_directories)'";
    case Kind::catalog: return std::string(option ? " -r -F" : " -F") + " -a '(__stackx_names catalogs)'";
    default: break;
  }
  const auto kind = names_of(argument.kind);
  return kind.empty() ? only : fmt::format("{} -a '(__stackx_names {})'", only, kind);
}

void add_fish_lists(const Command& command, std::string& commands, std::string& valued) {
  const std::string path = words_of(command);
  if (!path.empty()) commands += " " + fish_quoted(path);
  for (const auto& one : command.options)
    if (!one.value.empty() && !one.value_optional)
      for (const auto& name : one.names) valued += " \\\n    " + fish_quoted(path.empty() ? name : path + " " + name);
  for (const auto& one : command.commands) add_fish_lists(one, commands, valued);
}

void add_fish_option(const std::string& begin, const Argument& option, std::string& text) {
  text += begin;
  for (const auto& name : option.names) text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.value.empty() && !option.value_optional) text += fish_action(option, true);
  text += " -d " + fish_quoted(brief(option.help)) + "\n";
}

void add_fish_command(const Command& root, const Command& command, std::string& text) {
  const std::string path = words_of(command);
  const std::string begin = "complete -c stackx -n " + fish_quoted("__stackx_at " + path);
  text += "\n";
  for (const auto& one : command.commands)
    text += fmt::format("{} -f -a {} -d {}\n", begin, one.name, fish_quoted(brief(one.help)));
  if (command.commands.empty() && command.positionals.empty()) text += begin + " -f\n";
  for (const auto& one : command.positionals) text += begin + fish_action(one, false) + "\n";
  for (const auto& one : command.options)
    if (&root != &command || main_name(one) == "--help" || main_name(one) == "--version") add_fish_option(begin, one, text);
  for (const auto& one : command.commands) add_fish_command(root, one, text);
}

}  // namespace

std::string fish_completion(const Command& root) {
  std::string commands, valued, text = fish_begin;
  add_fish_lists(root, commands, valued);
  text += "set -g __stackx_commands" + commands + "\nset -g __stackx_valued" + valued + "\n" + fish_functions;
  for (const auto& one : global_options(root)) add_fish_option("complete -c stackx", one, text);
  add_fish_command(root, root, text);
  return text;
}

}  // namespace stackx::cli::manual
