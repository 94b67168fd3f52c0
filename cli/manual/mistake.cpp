#include "cli/manual/mistake.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "specs/format/nearest.hpp"
#include "specs/format/text_file.hpp"

namespace stackx::cli::manual {
namespace {

// "; did you mean X?", or "" where nothing is within so many edits.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known, std::size_t edits,
                         const std::string& before = "") {
  const auto near = specs::nearest(word, known);
  return near && specs::edit_distance(word, *near) <= edits ? fmt::format("; did you mean {}{}?", before, *near) : "";
}

// In commands that people paste: python -m pip, docker run --gpus.
constexpr std::string_view installers_options[] = {"-m", "-f", "--find-links", "--pre", "-U", "--upgrade", "-i", "-c", "--constraint", "-q", "--user",
                                                   "--gpus", "--rm", "-it", "--no-cache-dir", "--force-reinstall", "--default-index"};

// Of a help text what stands before further ways and defaults.
std::string beginning(const std::string& help) {
  int depth = 0;  // of parentheses
  for (std::size_t at = 0; at + 1 < help.size(); ++at) {
    depth += help[at] == '(' ? 1 : help[at] == ')' ? -1 : 0;
    if (depth == 0 && (help[at] == ';' || help[at] == '.') && help[at + 1] == ' ') return help.substr(0, at);
  }
  return help;
}

class Wording {
 public:
  Wording(const Mistake& mistake, const Command& root) : mistake_(mistake), root_(root), at_(&root) {
    for (const auto& name : mistake.path) {
      const auto found = std::ranges::find(at_->commands, name, &Command::name);
      if (found == at_->commands.end()) break;  // a hidden one
      at_ = &*found;
    }
  }

  std::string text() const {
    using enum Mistake::Kind;
    switch (mistake_.kind) {
      case missing: return missing_text();
      case unexpected: return unexpected_text();
      case no_value: return fmt::format("{} needs a value: {}", mistake_.name, described(mistake_.name));
      case too_often: return fmt::format("{}: given several times; once is enough", mistake_.name);
      case takes_no_value: return fmt::format("{} takes no value: it is given, or not", option_name(mistake_.name));
      case needs: return fmt::format("{} needs {}; add it{}", mistake_.name, shown(mistake_.other), hardware_instead());
      case excludes: return fmt::format("{} and {} exclude each other; keep one", mistake_.name, mistake_.other);
      case other: break;
    }
    const auto* argument = find(mistake_.name);  // CLI11 calls positionals by their name here
    const bool positional = argument && !argument->names.front().starts_with('-');
    return positional ? argument->value + mistake_.text.substr(std::min(mistake_.name.size(), mistake_.text.size()))
                      : mistake_.text;
  }

 private:
  const Argument* find(const std::string& name) const {
    for (const auto* list : {&at_->positionals, &at_->options, &root_.options})
      for (const auto& one : *list)
        if (std::ranges::any_of(one.names, [&](const std::string& each) { return each == name || each == "--" + name; }))
          return &one;
    return nullptr;
  }

  // Where --hw is of one question alone, what people mean by it is another command's.
  std::string hardware_instead() const {
    if (mistake_.name != "--hw") return "";
    return ". For what runs on that hardware: stackx advise PROJECT --hw MODEL, stackx check; a project of stackx's own states it as \"hardware\"";
  }

  std::string option_name(const std::string& name) const {
    const auto* argument = find(name);
    return argument ? main_name(*argument) : name;
  }

  // As it is typed: "PROJECT", "--python X.Y".
  static std::string shown(const Argument& argument) {
    if (!argument.names.front().starts_with('-')) return argument.value + (argument.repeated ? "..." : "");
    return main_name(argument) + (argument.value.empty() ? "" : " " + argument.value);
  }
  std::string shown(const std::string& name) const {
    const auto* argument = find(name);
    return argument ? shown(*argument) : name;
  }
  std::string described(const std::string& name) const {
    const auto* argument = find(name);
    if (!argument) return name;
    return argument->words.empty() ? fmt::format("{} ({})", argument->value, beginning(argument->help))
                                   : fmt::format("{}", fmt::join(argument->words, ", "));
  }

  // "usage: stackx resolve PROJECT"
  std::string usage() const {
    std::string text = "\n  usage: " + at_->path + (at_->commands.empty() ? "" : " COMMAND");
    for (const auto* list : {&at_->positionals, &at_->options})
      for (const auto& one : *list)
        if (one.required) text += " " + shown(one);
    return text + "; more: " + at_->path + " --help";
  }

  std::vector<std::string> command_names() const {
    std::vector<std::string> names;
    for (const auto& one : at_->commands) names.push_back(one.name);
    return names;
  }
  std::string there_are() const {
    const auto names = command_names();
    return fmt::format("; there {} {}", names.size() == 1 ? "is" : "are", fmt::join(names, ", "));
  }
  std::string below() const { return at_ == &root_ ? "" : words_of(*at_) + " "; }

  std::string missing_text() const {
    const auto* argument = find(mistake_.name);
    if (!argument) return fmt::format("{}a command is missing{}{}", at_ == &root_ ? "" : below().substr(0, below().size() - 1) + ": ", there_are(), usage());
    return fmt::format("{} is missing: {}{}", shown(*argument), beginning(argument->help), usage());
  }

  std::string unexpected_text() const {
    const auto word = std::ranges::find_if(mistake_.extra, [](const std::string& one) { return !one.starts_with('-'); });
    const auto option = std::ranges::find_if(mistake_.extra, [](const std::string& one) { return one.starts_with('-'); });
    if (at_->commands.empty() && option != mistake_.extra.end()) return no_such_option(option->substr(0, option->find('=')));
    if (at_->commands.empty()) return one_word_too_many(*word);
    if (word == mistake_.extra.end() || option < word)  // whose value the word is
      return no_such_option(option->substr(0, option->find('=')));
    const auto text = "no such command: " + below() + *word;
    const auto near = did_you_mean(*word, command_names(), std::max<std::size_t>(2, word->size() / 2), below());
    return text + (near.empty() ? there_are() : near);
  }

  std::string no_such_option(const std::string& typed) const {
    std::vector<std::string> known;
    for (const auto* list : {&at_->options, &root_.options})
      for (const auto& one : *list) known.insert(known.end(), one.names.begin(), one.names.end());
    if (std::ranges::find(known, typed) != known.end())  // it stands before the command
      return fmt::format("{} is an option of {} and stands behind it: {} ... {}", typed, words_of(*at_), at_->path, shown(typed));
    const auto near = typed.starts_with("--") ? did_you_mean(typed, known, std::max<std::size_t>(1, (typed.size() - 2) / 3)) : "";
    const bool takes_requirements = std::ranges::any_of(at_->positionals, [](const auto& one) { return one.value.starts_with("REQUIREMENT|"); });
    if (takes_requirements && (typed == "-r" || typed == "--requirement"))  // pip's
      return fmt::format("{} has no option {}: files stand for themselves, as in {} requirements.txt", words_of(*at_), typed, at_->path);
    if (near.empty() && std::ranges::any_of(installers_options, [&](const auto one) { return typed == one; }) &&
        std::ranges::any_of(at_->positionals, [](const auto& one) { return one.value.starts_with("REQUIREMENT|") || one.value == "PROJECT"; }))
      return fmt::format("{0} has no option {1}; a command of pip's is read as one word, in quotes: {2} \"pip install ...\"", words_of(*at_), typed, at_->path);
    return fmt::format("{} has no option {}{}", at_ == &root_ ? root_.name : words_of(*at_), typed.substr(0, 100),
                       near.empty() ? fmt::format("; {} --help lists them", at_->path) : near);
  }

  std::string one_word_too_many(const std::string& word) const {
    return fmt::format("{} is one word too many{}{}", specs::in_quotes(word), word.ends_with(".db") ? "; --db names a store" : "", usage());
  }

  const Mistake& mistake_;
  const Command& root_;
  const Command* at_;
};

}  // namespace

std::string mistake_text(const Mistake& mistake, const Command& root) { return Wording(mistake, root).text(); }

}  // namespace stackx::cli::manual
