// The declarations of CLI11 as data: see manual/command_tree.hpp.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/options.hpp"
#include "cli/options/told_app.hpp"

namespace stackx::cli {
namespace {

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// "FILE" of "FILE:{a,b}": CLI11 hands out the name with what validators say of themselves behind it.
std::string value_name(const CLI::Option& option, const std::vector<CLI::Validator*>& validators) {
  std::string checks;
  for (const auto* validator : validators)
    if (const auto text = validator->get_description(); !text.empty()) checks += ":" + text;
  std::string name = option.get_type_name();
  if (name.ends_with(checks)) name.resize(name.size() - checks.size());
  return name;
}

std::vector<std::string> sorted_names(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const auto* option : options) names.push_back(option->get_name());
  std::ranges::sort(names);
  return names;
}

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

void read_value(CLI::Option& option, manual::Argument& argument) {
  const auto validators = validators_of(option);
  argument.value = value_name(option, validators);
  argument.kind = manual::kind_of(argument.value);
  for (const auto* validator : validators) {
    const std::string_view about = validator->get_name();
    if (about.starts_with(words_mark)) argument.words = split_words(about.substr(std::string_view(words_mark).size()));
    if (about.starts_with(range_mark)) argument.range = about.substr(std::string_view(range_mark).size());
  }
  if (!argument.words.empty()) argument.kind = manual::Kind::words;
  argument.default_value = option.get_default_str();
  argument.value_optional = option.get_expected_min() == 0;
}

manual::Argument argument_of(CLI::Option& option) {
  manual::Argument argument;
  if (option.get_positional())
    argument.names.push_back(option.get_name(true));
  else
    for (const auto& name : option.get_snames()) argument.names.push_back("-" + name);
  if (!option.get_positional())
    for (const auto& name : option.get_lnames()) argument.names.push_back("--" + name);
  argument.help = option.get_description();
  argument.required = option.get_required();
  argument.repeated = option.get_expected_max() >= CLI::detail::expected_max_vector_size ||
                      option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  argument.needs = sorted_names(option.get_needs());
  argument.excludes = sorted_names(option.get_excludes());
  if (!is_flag(option)) read_value(option, argument);
  return argument;
}

manual::Command command_of(CLI::App& app, const std::string& above) {
  manual::Command command;
  const auto& told = static_cast<const ToldApp&>(app);
  command.name = above.empty() ? "stackx" : app.get_name();
  command.path = above.empty() ? command.name : above + " " + command.name;
  command.help = app.get_description();
  command.notes = told.notes;
  command.manual = told.manual;
  command.needs_command = app.get_require_subcommand_min() > 0;
  for (auto* option : app.get_options())
    if (!option->get_group().empty())  // "" hides it
      (option->get_positional() ? command.positionals : command.options).push_back(argument_of(*option));
  for (auto* below : app.get_subcommands([](CLI::App* one) { return !one->get_group().empty(); }))
    command.commands.push_back(command_of(*below, command.path));
  return command;
}

}  // namespace

manual::Command Command::tree() const { return command_of(*app_, ""); }

}  // namespace stackx::cli
