// Options and subcommands as the command line declares them; the parser behind is CLI11.
//
// CLI11 is a header whose templates cost every file that declares an option six seconds of compiling: here it is
// declared only, and options.cpp and command_tree.cpp, one unit, alone include it. Names and meaning are CLI11's. Handles are as small as a pointer;
// what they stand for lives as long as the parser.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/manual/command_tree.hpp"

namespace CLI {
class Option;
class Validator;
}  // namespace CLI

namespace stackx::cli {

struct ToldApp;

// What the text of an option must be like.
class Check {
 public:
  explicit Check(CLI::Validator validator);
  const CLI::Validator& validator() const { return *validator_; }

 private:
  std::shared_ptr<const CLI::Validator> validator_;
};

Check one_of(const std::vector<std::string>& words);
Check one_of_ignoring_case(const std::vector<std::string>& words);
Check within(int least, int most);
Check within(double least, double most);
Check within(std::uint64_t least, std::uint64_t most);
Check at_least_zero();
Check above_zero();
Check at_least_one();  // of whole numbers

class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option type_name(const std::string& name) const;
  Option option_text(const std::string& text) const;  // in --help, instead of type and default
  Option default_text(const std::string& text) const;
  Option show_default() const;
  Option required() const;
  Option check(const Check& check) const;
  Option suggest(const std::vector<std::string>& words) const;  // for completions: usual values, where others are fine
  Option needs(const Option& other) const;
  Option needs(const std::string& other) const;
  Option excludes(const Option& other) const;
  Option excludes(const std::string& other) const;
  Option expected(int count) const;
  Option expected(int least, int most) const;
  Option take_all() const;  // given several times: one list
  Option with_commas() const;  // a list: a,b
  Option one_each() const;  // may be repeated, with one value each time

 private:
  CLI::Option* option_;
};

class Command {
 public:
  explicit Command(ToldApp* app) : app_(app) {}
  Command add_subcommand(const std::string& name, const std::string& help) const;
  // Instantiated in options.cpp for the types that options have. A number is finite, and whole and not negative where
  // the type is.
  template <typename T>
  Option add_option(const std::string& name, T& value, const std::string& help) const;
  // One of these words, each of which stands for a value.
  template <typename T>
  Option add_choice(const std::string& name, T& value, const std::vector<std::pair<std::string, T>>& words,
                    const std::string& help) const {
    const Option option = add_text(name, [&value, words](const std::string& text) {
      for (const auto& [word, meaning] : words)
        if (word == text) value = meaning;
    }, help);
    std::vector<std::string> names;
    for (const auto& [word, meaning] : words) names.push_back(word);
    return option.check(one_of(names));
  }
  // Given or not: no value, of which "--dry-run=false" would run what was to be looked at.
  Option add_flag(const std::string& name, bool& value, const std::string& help) const;
  Option option(const std::string& name) const;
  void callback(std::function<void()> run) const;
  void notes(const std::string& text) const;  // what --help ends with
  void describe(manual::Manual manual) const;
  void hide() const;  // from help, man pages and completions
  manual::Command tree() const;  // this command, the topmost, and all below it
  void require_subcommand(int least, int most) const;
  void require_subcommand(int count) const { require_subcommand(count, count); }
  bool given(const std::string& option) const;
  bool has_subcommand() const;  // whether one was given
  std::string name() const;
  // What was given of this command's own options and positionals: the name without dashes, the values as they were written; of a
  // flag "true".
  std::vector<std::pair<std::string, std::vector<std::string>>> given() const;
  // The same as words that ask it again, but for the options `without` ("--format").
  std::vector<std::string> words(const std::set<std::string>& without) const;

 private:
  Option add_text(const std::string& name, std::function<void(const std::string&)> take, const std::string& help) const;
  ToldApp* app_;
};

// The whole command line. Subcommands run while it is parsed.
class Parser {
 public:
  // `version` is asked for when it is to be printed.
  Parser(const std::string& description, const std::string& footer, std::function<std::string()> version);
  ~Parser();
  Command command() const;
  // helped: printed help or the version; bad_words: printed what is wrong with the words.
  enum class Ended { ran, helped, bad_words };
  Ended parse(int argc, char** argv) const;

 private:
  std::unique_ptr<ToldApp> app_;
};

}  // namespace stackx::cli
