#include "cli/manual/man_page.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>

#include "cli/manual/roff.hpp"
#include "cli/manual/surroundings.hpp"

namespace stackx::cli::manual {
namespace {

constexpr std::size_t short_choice = 34;  // "rate|stability|balanced|cost" still reads as one word

std::string sentence(std::string text) {
  if (!text.empty() && !std::string_view(".?!").contains(text.back())) text += '.';
  return text;
}

// "the newest stack" of "The newest stack", as NAME sections are written; "GPU" stays.
std::string in_a_sentence(std::string text) {
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])))
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

// "stackx-hw" of "stackx hw".
std::string page_name(const Command& command) {
  std::string name = command.path;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

bool shows_words(const Argument& argument) {
  if (argument.value != "TEXT" || argument.words.empty()) return false;
  return fmt::format("{}", fmt::join(argument.words, "|")).size() <= short_choice;
}

// What stands for the value: "dot|svg", "FILE"; of a positional its name, where it has no other.
std::string value_text(const Argument& argument) {
  if (shows_words(argument)) {
    std::string text;
    for (const auto& word : argument.words) text += (text.empty() ? "" : "|") + bold(word);
    return text;
  }
  if (argument.value != "TEXT") return italic(argument.value);
  return italic(argument.words.empty() && !argument.names.front().starts_with('-') ? upper(argument.names.front()) : "WORD");
}

std::string option_tag(const Argument& option) {
  std::string tag;
  for (const auto& name : option.names) tag += (tag.empty() ? "" : ", ") + bold(name);
  if (!option.value.empty()) tag += " " + value_text(option);
  return tag;
}

std::string synopsis_of(const Argument& positional) {
  std::string text = value_text(positional);
  if (positional.repeated && !positional.value.ends_with("...")) text += "...";
  return positional.required ? text : "[" + text + "]";
}

// What the declaration says beyond the help text.
std::string conditions(const Argument& argument) {
  std::string text;
  const bool told = argument.words.size() < 2 || shows_words(argument) || argument.help.contains(argument.words[1]);
  if (!told) text += fmt::format(" One of {}.", fmt::join(argument.words, ", "));
  if (!argument.range.empty()) text += " " + upper(argument.range.substr(0, 1)) + argument.range.substr(1) + ".";
  if (!argument.default_value.empty()) text += fmt::format(" Default: {}.", argument.default_value);
  if (!argument.needs.empty()) text += fmt::format(" Only with {}.", fmt::join(argument.needs, ", "));
  if (!argument.excludes.empty()) text += fmt::format(" Not with {}.", fmt::join(argument.excludes, ", "));
  const bool option = argument.names.front().starts_with('-');
  if (argument.required && option) text += " Required.";
  const bool says_repeated = argument.help.contains("repeat") || argument.help.contains("again");
  if (argument.repeated && option && !says_repeated) text += " May be repeated.";
  return text;
}

std::string entry(const std::string& tag, const Argument& argument) {
  return ".TP\n" + tag + "\n" + roff_marked(sentence(argument.help) + conditions(argument)) + "\n";
}

std::string arguments(const Command& command, bool with_help) {
  std::string text;
  for (const auto& one : command.positionals) text += entry(value_text(one), one);
  for (const auto& one : command.options)
    if (with_help || main_name(one) != "--help") text += entry(option_tag(one), one);
  return text;
}

// "stackx hw show MODEL", with what it takes.
std::string usage(const Command& command, bool with_options) {
  std::string text = bold(command.path);
  if (with_options) text += " [" + italic("OPTION") + "]...";
  if (!command.commands.empty()) {
    const std::string below = italic("COMMAND") + " [" + italic("ARGUMENT") + "]...";
    return text + " " + (command.needs_command ? below : "[" + below + "]");
  }
  for (const auto& one : command.positionals) text += " " + synopsis_of(one);
  return text;
}

void add_usages(const Command& command, std::string& text) {
  if (command.commands.empty() || !command.needs_command) text += (text.empty() ? "" : ".br\n") + usage(command, true) + "\n";
  for (const auto& one : command.commands) add_usages(one, text);
}

// What --help lays out for wide terminals: lines "  best    the fastest stacks" become a list, others flow.
std::string notes(std::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    const auto line = lines.substr(0, lines.find('\n'));
    const std::size_t gap = line.starts_with("  ") ? line.find("  ", 2) : line.npos;
    if (gap != line.npos)
      text += ".TP\n" + bold(line.substr(2, gap - 2)) + "\n" +
              roff_marked(line.substr(std::min(line.find_first_not_of(' ', gap), line.size()))) + "\n";
    else
      text += roff_marked(line) + "\n";
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
  }
  return text;
}

std::string about(const Command& command) {
  std::string text = roff_marked(sentence(command.help)) + "\n";
  for (std::string_view rest = command.manual.about; !rest.empty();) {
    const std::size_t end = rest.find("\n\n");
    text += ".PP\n" + roff_marked(rest.substr(0, end)) + "\n";
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 2);
  }
  if (!command.notes.empty()) text += ".PP\n" + notes(command.notes);
  return text;
}

// Those below a page's command, each with all that it takes.
std::string sections_below(const Command& command) {
  std::string text;
  for (const auto& one : command.commands) {
    if (one.commands.empty()) text += ".SS " + usage(one, false) + "\n" + about(one) + arguments(one, false);
    text += sections_below(one);
  }
  return text;
}

std::string list_below(const Command& root) {
  std::string text;
  for (const auto& one : root.commands)
    text += ".TP\n" + bold(page_name(one)) + "(1)\n" + roff_marked(sentence(one.help)) + "\n";
  return text;
}

void add_examples(const Command& command, bool of_those_below, std::string& text) {
  for (const auto& [does, line] : command.manual.examples) {
    if (!text.empty()) text += ".PP\n";
    text += roff_marked(does + ":") + "\n.PP\n.nf\n.RS 4\n" + roff_lines(line) + ".RE\n.fi\n";
  }
  if (of_those_below)
    for (const auto& one : command.commands) add_examples(one, true, text);
}

std::string see_also(const Command& root, const Command& command) {
  std::string text;
  if (&root != &command) text = bold("stackx") + "(1)";
  for (const auto& one : root.commands)
    if (&one != &command) text += (text.empty() ? "" : ",\n") + bold(page_name(one)) + "(1)";
  return text + "\n";
}

std::string section(const char* title, const std::string& text) {
  return text.empty() ? "" : fmt::format(".SH {}\n{}", title, text);
}

std::string options_of_all(const Command& root) {
  std::string text;
  for (const auto& one : global_options(root)) text += entry(option_tag(one), one);
  return text;
}

}  // namespace

Page man_page(const Command& root, const Command& command, const Edition& edition) {
  const bool whole = &root == &command;
  std::string name = whole ? "which versions should run this workload on this hardware" : in_a_sentence(command.help);
  name.resize(std::min({name.find(". "), name.find("? "), name.size()}));  // NAME is one phrase
  while (name.ends_with('.') || name.ends_with('?')) name.pop_back();
  std::string synopsis, examples;
  if (whole)
    synopsis = usage(root, true) + "\n";
  else
    add_usages(command, synopsis);
  add_examples(command, !whole, examples);
  Page page{page_name(command), ""};
  page.text = fmt::format(".TH \"{}\" 1 \"{}\" \"stackx {}\" \"stackx manual\"\n.nh\n.if n .ad l\n", roff(upper(page.name)),
                          edition.date, roff(edition.version));
  page.text += section("NAME", roff(page.name) + " \\- " + roff_marked(name) + "\n") + section("SYNOPSIS", synopsis) +
               section("DESCRIPTION", about(command)) +
               section("OPTIONS", arguments(command, true) + (whole ? "" : options_of_all(root))) +
               section("COMMANDS", whole ? list_below(root) : sections_below(command)) + section("EXIT STATUS", exit_status()) +
               section("ENVIRONMENT", environment()) + section("FILES", files()) + section("EXAMPLES", examples) +
               section("SEE ALSO", see_also(root, command));
  return page;
}

std::vector<Page> man_pages(const Command& root, const Edition& edition) {
  std::vector<Page> pages{man_page(root, root, edition)};
  for (const auto& one : root.commands) pages.push_back(man_page(root, one, edition));
  return pages;
}

}  // namespace stackx::cli::manual
