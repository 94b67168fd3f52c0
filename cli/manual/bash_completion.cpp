#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <string>
#include <vector>

#include "cli/manual/completions.hpp"

namespace stackx::cli::manual {
namespace {

constexpr const char* bash_begin = R"(# bash completion for stackx, as `stackx completion bash` prints it

# The words as stackx will get them, up to the cursor: COMP_WORDBREAKS took "--hw=v100" and "matmul:m=1" apart.
_stackx_words() {
  local line=${COMP_LINE:0:COMP_POINT} word i
  words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((i == 0)) || [[ $line == [[:space:]]* ]]; then
      line=${line#"${line%%[![:space:]]*}"}
      words+=("")
    fi
    ((i < COMP_CWORD)) || word=$line
    words[${#words[@]} - 1]+=$word
    line=${line#"$word"}
  done
}

# WORD...: those that begin as the word at the cursor does.
_stackx_reply() {
  local word
  for word; do
    [[ $word != "$cur"* ]] || COMPREPLY+=("$prefix$word")
  done
}

_stackx_paths() {
  local path
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do COMPREPLY+=("$prefix$path"); done < <(compgen "$1" -- "$cur")
}

_stackx_names() {
  local names
  mapfile -t names < <("${words[0]/#\~/$HOME}" completion names "$1" -- "$cur" 2>/dev/null)
  _stackx_reply "${names[@]%%$'\t'*}"
}

)";

constexpr const char* bash_end = R"(
_stackx() {
  local words cur prefix='' command='' commands options valued everywhere expects='' ended='' word head breaks=''
  local -i count=0
  COMPREPLY=()
  _stackx_words
  cur=${words[${#words[@]} - 1]#[\"\']}
  _stackx_command
  for word in "${words[@]:1:${#words[@]}-2}"; do
    if [[ -n $expects ]]; then
      expects=''
    elif [[ -z $ended && $word == -- ]]; then
      ended=1
    elif [[ -z $ended && $word == -?* ]]; then
      [[ " $valued " != *" $word "* ]] || expects=$word
    elif [[ -z $ended && " $commands " == *" $word "* ]]; then
      command+="${command:+ }$word"
      _stackx_command
    else
      count+=1
    fi
  done
  if [[ -n $expects ]]; then
    _stackx_value "$expects"
  elif [[ -z $ended && $cur == --*=* ]]; then
    prefix=${cur%%=*}=
    cur=${cur#*=}
    _stackx_value "${prefix%=}"
  elif [[ -z $ended && $cur == -* ]]; then
    # shellcheck disable=SC2086  # lists of words
    _stackx_reply $options $everywhere
  else
    # shellcheck disable=SC2086
    _stackx_reply $commands
    _stackx_value "$count"
  fi
  [[ $COMP_WORDBREAKS != *=* ]] || breaks+='='
  [[ $COMP_WORDBREAKS != *:* ]] || breaks+=':'
  if [[ -n $breaks && $prefix$cur == *[$breaks]* ]]; then  # bash replaces what stands behind these
    head=$prefix$cur
    head=${head%"${head##*["$breaks"]}"}
    COMPREPLY=("${COMPREPLY[@]#"$head"}")
  fi
  [[ ${COMPREPLY[0]-} != *[=:,] ]] || compopt -o nospace 2>/dev/null
}

complete -F _stackx stackx
)";

std::string bash_action(const Argument& argument) {
  if (argument.kind == Kind::words) return fmt::format("_stackx_reply {}", fmt::join(argument.words, " "));
  if (argument.kind == Kind::files) return "_stackx_paths -f";
  if (argument.kind == Kind::directories) return "_stackx_paths -d";
  if (const auto kind = names_of(argument.kind); !kind.empty())
    return "_stackx_names " + kind + (argument.kind == Kind::catalog ? "; _stackx_paths -f" : "");
  return "";
}

// Names of options, of all or of those that take a value.
std::string option_names(const std::vector<Argument>& options, bool only_valued) {
  std::string names;
  for (const auto& one : options)
    if (!only_valued || (!one.value.empty() && !one.value_optional))
      for (const auto& name : one.names) names += (names.empty() ? "" : " ") + name;
  return names;
}

// What a command has: its branch of _stackx_command.
void add_bash_command(const Command& command, std::string& text) {
  std::string commands;
  for (const auto& one : command.commands) commands += (commands.empty() ? "" : " ") + one.name;
  text += fmt::format("    '{}')\n      commands='{}'\n      options='{}'\n      valued='{}' ;;\n", words_of(command), commands,
                      option_names(command.options, false), option_names(command.options, true));
  for (const auto& one : command.commands) add_bash_command(one, text);
}

// What completes the values of a command's options and its positionals, by their count: its branches of _stackx_value.
void add_bash_values(const Command& command, std::string& text) {
  const auto branch = [&](const std::string& which, const Argument& argument) {
    if (const auto action = bash_action(argument); !action.empty()) text += fmt::format("    {}) {} ;;\n", which, action);
  };
  const auto path = words_of(command);
  for (const auto& one : command.options)
    for (const auto& name : one.names)
      branch(path.empty() ? fmt::format("*' {}'", name) : fmt::format("'{} {}'", path, name), one);
  for (std::size_t i = 0; i < command.positionals.size(); ++i) {
    const auto& one = command.positionals[i];
    branch(one.repeated ? fmt::format("'{} '[0-9]*", path) : fmt::format("'{} {}'", path, i), one);
  }
  for (const auto& one : command.commands) add_bash_values(one, text);
}

}  // namespace

std::string bash_completion(const Command& root) {
  std::string text = bash_begin;
  text += "# Of $command: the commands below it, its options, and those that take a value.\n"
          "_stackx_command() {\n  case $command in\n";
  add_bash_command(root, text);
  const auto global = global_options(root);
  text += fmt::format("  esac\n  everywhere='{}'\n  valued+=' {}'\n", option_names(global, false), option_names(global, true));
  text += "}\n\n# OPTION, or how many words stand before the one at the cursor.\n"
          "_stackx_value() {\n  case \"$command $1\" in\n";
  add_bash_values(root, text);
  return text + "  esac\n}\n" + bash_end;
}

}  // namespace stackx::cli::manual
