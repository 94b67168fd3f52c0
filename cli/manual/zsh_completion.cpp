#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "cli/manual/completions.hpp"

namespace stackx::cli::manual {
namespace {

constexpr const char* zsh_begin = R"(#compdef stackx
# zsh completion for stackx, as `stackx completion zsh` prints it

# Names that the program knows, with what they are. KIND is the last word, what stands before it is compadd's.
_stackx_names() {
  local -a lines names shown ends
  lines=("${(@f)$("${_stackx_program}" completion names "${@[-1]}" -- "$PREFIX" 2>/dev/null)}")
  [[ -n $lines ]] || return 1
  names=("${(@)lines%%$'\t'*}")
  shown=("${(@)lines/$'\t'/  -- }")
  [[ $names[1] != *[=:,] ]] || ends=(-S '')
  compadd "${@[1,-2]}" "${ends[@]}" -l -d shown -a names
}

_stackx_catalogs() {
  _alternative "names:catalog:_stackx_names catalogs" 'files:file:_files'
}

)";

constexpr const char* zsh_end = R"(
_stackx() {
  local _stackx_program=${~${(Q)words[1]}}
  _stackx_of
}

if [[ $funcstack[1] == _stackx ]]; then  # found in fpath, else sourced
  _stackx "$@"
else
  compdef _stackx stackx
fi
)";

// In single quotes of zsh.
std::string zsh_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// With a backslash before each of these.
std::string zsh_escaped(const std::string& text, const char* which) {
  std::string result;
  for (const char c : text) {
    if (std::string_view(which).contains(c)) result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_action(const Argument& argument) {
  switch (argument.kind) {
    case Kind::words: return fmt::format("({})", fmt::join(argument.words, " "));
    case Kind::files: return "_files";
    case Kind::directories: return "_files -/";
    case Kind::catalog: return "_stackx_catalogs";
    default: break;
  }
  const auto kind = names_of(argument.kind);
  return kind.empty() ? " " : "_stackx_names " + kind;
}

std::string zsh_value(const Argument& argument) {
  const bool option = argument.names.front().starts_with('-');
  const std::string what = argument.value != "TEXT" ? argument.value : option ? "word" : argument.names.front();
  return ":" + zsh_escaped(what, ":\\") + ":" + zsh_action(argument);
}

// '--hw=[Hardware]:MODEL:_stackx_names hardware', one for each name.
void add_zsh_option(const Argument& option, std::string& text) {
  const std::string all = fmt::format("{}", fmt::join(option.names, " "));
  for (const auto& name : option.names) {
    std::string spec = option.repeated ? "*" : option.names.size() > 1 ? "(" + all + ")" : "";
    spec += name;
    if (!option.value.empty()) spec += name.starts_with("--") ? "=" : "+";
    spec += "[" + zsh_escaped(brief(option.help), "[]\\") + "]";
    if (!option.value.empty()) spec += (option.value_optional ? ":" : "") + zsh_value(option);
    text += " \\\n    " + zsh_quoted(spec);
  }
}

std::string zsh_function(const Command& command) {
  const std::string words = words_of(command);
  std::string name = "_stackx_of" + (words.empty() ? "" : " " + words);
  std::ranges::replace(name, ' ', '_');
  return name;
}

std::string zsh_choice(const Command& below) {
  std::string list = "  local -a commands=(";
  for (const auto& one : below.commands) list += "\n    " + zsh_quoted(zsh_escaped(one.name, ":\\") + ":" + brief(one.help));
  return list + ")\n";
}

void add_zsh_function(const Command& root, const Command& command, std::string& text) {
  const bool nested = !command.commands.empty();
  text += zsh_function(command) + "() {\n";
  if (nested) text += "  local state line\n  local -A opt_args\n" + zsh_choice(command);
  text += nested ? "  _arguments -C -s -S -A '-*'" : "  _arguments -s -S";  // what stands behind a command is its own
  for (const auto& one : command.options) add_zsh_option(one, text);
  if (&root != &command)
    for (const auto& one : global_options(root)) add_zsh_option(one, text);
  for (const auto& one : command.positionals)
    text += " \\\n    " + zsh_quoted((one.repeated ? "*" : one.required ? "" : ":") + zsh_value(one));
  if (!nested) {
    text += "\n}\n\n";
    return;
  }
  text += fmt::format(" \\\n    ': :->command' '*:: :->below' && return\n  case $state in\n"
                      "    command) _describe -t commands '{} command' commands ;;\n"
                      "    below) (( $+functions[{}_$words[1]] )) && {}_$words[1] ;;\n  esac\n}}\n\n",
                      command.path, zsh_function(command), zsh_function(command));
  for (const auto& one : command.commands) add_zsh_function(root, one, text);
}

}  // namespace

std::string zsh_completion(const Command& root) {
  std::string text = zsh_begin;
  add_zsh_function(root, root, text);
  text.pop_back();  // an empty line
  return text + zsh_end;
}

}  // namespace stackx::cli::manual
