#include "cli/manual/command_tree.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace stackx::cli::manual {
namespace {

using Meaning = std::pair<std::string_view, Kind>;
constexpr std::array meanings{
    Meaning{"FILE", Kind::files},    Meaning{"PATH", Kind::files},     Meaning{"PROJECT", Kind::files},
    Meaning{"ADVICE", Kind::files},  Meaning{"PYTHON", Kind::files},   Meaning{"SIDE", Kind::files},
    Meaning{"DIR", Kind::directories}, Meaning{"MODEL", Kind::hardware}, Meaning{"WORKLOAD", Kind::workload},
    Meaning{"NAME[:KEY=VALUE,...]", Kind::workload}, Meaning{"CATALOG", Kind::catalog}};

bool is_store(std::string_view word) { return word.contains(".db"); }  // "DAMAGED.db"

}  // namespace

Kind kind_of(const std::string& value_name) {
  for (std::size_t at = 0; at <= value_name.size();) {  // of "REQUIREMENT|FILE" one is enough
    const std::size_t end = std::min(value_name.find('|', at), value_name.size());
    const auto word = std::string_view(value_name).substr(at, end - at);
    const auto found = std::ranges::find(meanings, word, &Meaning::first);
    if (found != meanings.end()) return found->second;
    if (is_store(word)) return Kind::files;
    at = end + 1;
  }
  return Kind::other;
}

std::string words_of(const Command& command) {
  const std::size_t blank = command.path.find(' ');
  return blank == command.path.npos ? "" : command.path.substr(blank + 1);
}

std::string names_of(Kind kind) {
  switch (kind) {
    case Kind::hardware: return "hardware";
    case Kind::workload: return "workloads";
    case Kind::catalog: return "catalogs";
    default: return "";
  }
}

std::vector<Argument> global_options(const Command& root) {
  std::vector<Argument> options;
  for (const auto& one : root.options)
    if (main_name(one) != "--help" && main_name(one) != "--version") options.push_back(one);
  return options;
}

const std::string& main_name(const Argument& argument) {
  const auto found = std::ranges::find_if(argument.names, [](const std::string& name) { return name.starts_with("--"); });
  return found == argument.names.end() ? argument.names.front() : *found;
}

std::string brief(const std::string& help) {
  std::size_t end = help.size();
  for (const char* stop : {"; ", ". ", " ("}) end = std::min(end, help.find(stop));
  return help.substr(0, end);
}

}  // namespace stackx::cli::manual
