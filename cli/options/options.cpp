#include "cli/options/options.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/manual/mistake.hpp"
#include "cli/options/told_app.hpp"
#include "cli/output/fold.hpp"
#include "cli/output/print.hpp"
#include "specs/format/printable.hpp"
#include "specs/format/text_file.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {

std::vector<CLI::Validator*> validators_of(CLI::Option& option) {
  std::vector<CLI::Validator*> all;
  try {
    for (int i = 0;; ++i) all.push_back(option.get_validator(i));
  } catch (const CLI::OptionNotFound&) {  // there is no count
  }
  return all;
}

Check::Check(CLI::Validator validator) : validator_(std::make_shared<CLI::Validator>(std::move(validator))) {}

namespace {

std::string words_name(const std::vector<std::string>& words) { return fmt::format("{}{}", words_mark, fmt::join(words, ",")); }

// "expected a whole number, from 1 to 3, found 0"
std::string expected_number(bool whole, std::string_view range, const std::string& found) {
  return fmt::format("expected a {}number{}{}, found {}", whole ? "whole " : "", range.empty() ? "" : ", ", range,
                     specs::in_quotes(found));
}

// The bounds of CLI11, in words of ours: its own hold all digits of the largest number there is.
template <typename Number>
Check bounded(CLI::Validator bounds, const std::string& range) {
  auto says = [bounds, range](std::string& text) {
    return bounds(text).empty() ? std::string() : expected_number(std::is_integral_v<Number>, range, text);
  };
  return Check(CLI::Validator(std::move(says), bounds.get_description(), range_mark + range));
}

template <typename Number>
Check between(Number least, Number most) {
  return bounded<Number>(CLI::Range(least, most), fmt::format("from {} to {}", least, most));
}

template <typename... Filter>
Check among(const std::vector<std::string>& words, Filter... filter) {
  CLI::Validator member = CLI::IsMember(words, filter...);
  auto says = [member, words](std::string& text) {  // which makes `text` the word, where its case does not matter
    if (member(text).empty()) return std::string();
    return fmt::format("expected {}{}, found {}", words.size() > 1 ? "one of " : "", fmt::join(words, ", "),
                       specs::in_quotes(text));
  };
  return Check(CLI::Validator(std::move(says), member.get_description(), words_name(words)));
}

}  // namespace

Check one_of(const std::vector<std::string>& words) { return among(words); }
Check one_of_ignoring_case(const std::vector<std::string>& words) { return among(words, CLI::ignore_case); }
Check within(int least, int most) { return between(least, most); }
Check within(double least, double most) { return between(least, most); }
Check within(std::uint64_t least, std::uint64_t most) { return between(least, most); }
Check at_least_zero() { return bounded<double>(CLI::NonNegativeNumber, "0 or more"); }
Check above_zero() { return bounded<double>(CLI::PositiveNumber, "above 0"); }
Check at_least_one() { return bounded<std::uint64_t>(CLI::PositiveNumber, "1 or more"); }

Option Option::type_name(const std::string& name) const { return Option(option_->type_name(name)); }
Option Option::option_text(const std::string& text) const { return Option(option_->option_text(text)); }
Option Option::default_text(const std::string& text) const { return Option(option_->default_str(text)); }
Option Option::show_default() const { return Option(option_->capture_default_str()); }
Option Option::required() const { return Option(option_->required()); }
Option Option::check(const Check& check) const { return Option(option_->check(check.validator())); }
Option Option::suggest(const std::vector<std::string>& words) const {
  return Option(option_->check(CLI::Validator([](std::string&) { return std::string(); }, "", words_name(words))));
}
Option Option::needs(const Option& other) const { return Option(option_->needs(other.option_)); }
Option Option::needs(const std::string& other) const { return Option(option_->needs(other)); }
Option Option::excludes(const Option& other) const { return Option(option_->excludes(other.option_)); }
Option Option::excludes(const std::string& other) const { return Option(option_->excludes(other)); }
Option Option::expected(int count) const { return Option(option_->expected(count)); }
Option Option::expected(int least, int most) const { return Option(option_->expected(least, most)); }
Option Option::take_all() const { return Option(option_->expected(1)->take_all()); }
Option Option::with_commas() const { return Option(option_->delimiter(',')->allow_extra_args(false)); }

Option Option::one_each() const { return Option(option_->allow_extra_args(false)); }

Command Command::add_subcommand(const std::string& name, const std::string& help) const {
  auto below = std::make_shared<ToldApp>(help, name, app_);
  app_->add_subcommand(below);
  return Command(below.get());  // which the command above owns
}

namespace {

// What CLI11 would read otherwise: "-1" as the largest number there is, "nan" as one that no check refuses.
template <typename Number>
std::string wrong_number(const std::string& text, CLI::Option& option) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = std::is_integral_v<Number>;
  const bool good = error == std::errc{} && end == text.data() + text.size() && (whole || std::isfinite(number));
  if (good) return "";
  std::string range;
  for (const auto* validator : validators_of(option))
    if (const auto& name = validator->get_name(); name.starts_with(range_mark)) range = name.substr(std::string_view(range_mark).size());
  return expected_number(whole, range, text) + (error == std::errc::result_out_of_range ? ": too large" : "");
}

// `--before "$DAY"` where the shell has no DAY: not given would mean another thing.
std::string empty_value(const std::string& text, const CLI::Option& option) {
  return text.empty() && !option.get_positional() && option.get_expected_min() > 0 ? "is empty; expected a value" : "";
}

template <typename T>
struct NumberOf {
  using type = T;
};
template <typename T>
struct NumberOf<std::optional<T>> {
  using type = T;
};

}  // namespace

template <typename T>
Option Command::add_option(const std::string& name, T& value, const std::string& help) const {
  using Number = typename NumberOf<T>::type;
  CLI::Option* option = app_->add_option(name, value, help);
  if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::filesystem::path>)
    option->check(CLI::Validator([option](std::string& text) { return empty_value(text, *option); }, "", "text"));
  if constexpr (std::is_arithmetic_v<Number>) option->check(CLI::Validator([option](std::string& text) { return wrong_number<Number>(text, *option); }, "", "number"));
  return Option(option);
}
#define STACKX_OPTION_OF(...) \
  template Option Command::add_option(const std::string&, __VA_ARGS__&, const std::string&) const
STACKX_OPTION_OF(std::string);
STACKX_OPTION_OF(double);
STACKX_OPTION_OF(std::uint64_t);
STACKX_OPTION_OF(std::filesystem::path);
STACKX_OPTION_OF(std::vector<std::string>);
STACKX_OPTION_OF(std::vector<std::filesystem::path>);
STACKX_OPTION_OF(std::optional<std::string>);
STACKX_OPTION_OF(std::optional<double>);
STACKX_OPTION_OF(std::optional<std::uint64_t>);
STACKX_OPTION_OF(std::optional<unsigned>);
STACKX_OPTION_OF(std::set<std::string>);
#undef STACKX_OPTION_OF

Option Command::add_text(const std::string& name, std::function<void(const std::string&)> take,
                         const std::string& help) const {
  return Option(app_->add_option_function<std::string>(name, take, help));
}

Option Command::add_flag(const std::string& name, bool& value, const std::string& help) const {
  return Option(app_->add_flag(name, value, help)->disable_flag_override());
}

Option Command::option(const std::string& name) const { return Option(app_->get_option(name)); }
void Command::callback(std::function<void()> run) const { app_->callback(std::move(run)); }
void Command::notes(const std::string& text) const {
  app_->notes = text;
  app_->footer(text);
}
void Command::hide() const { app_->group(""); }

void Command::describe(manual::Manual manual) const {
  app_->manual = std::move(manual);
  if (app_->manual.examples.empty()) return;
  app_->footer([app = app_] {
    std::string text = "Examples:\n";
    for (const auto& [does, command] : app->manual.examples) {
      text += fmt::format("  {}:\n      ", does);
      for (const char c : command) text += c == '\n' ? "\n      " : std::string(1, c);
      text += '\n';
    }
    return text;
  });
}
void Command::require_subcommand(int least, int most) const {
  app_->require_subcommand(static_cast<std::size_t>(least), static_cast<std::size_t>(most));
}
bool Command::given(const std::string& option) const { return app_->count(option) > 0; }
std::string Command::name() const { return app_->get_name(); }
std::vector<std::pair<std::string, std::vector<std::string>>> Command::given() const {
  std::vector<std::pair<std::string, std::vector<std::string>>> all;
  for (const auto* option : app_->get_options()) {
    if (option->count() == 0) continue;
    const bool positional = option->get_positional() || option->get_lnames().empty();
    all.emplace_back(positional ? option->get_name(true) : option->get_lnames().front(), option->results());
  }
  return all;
}
std::vector<std::string> Command::words(const std::set<std::string>& without) const {
  std::vector<std::string> positionals, options;
  for (const auto* option : app_->get_options()) {
    if (option->get_lnames().empty()) {
      std::ranges::copy(option->results(), std::back_inserter(positionals));
      continue;
    }
    const auto name = "--" + option->get_lnames().front();
    if (option->count() == 0 || without.contains(name)) continue;
    const bool is_flag = option->get_expected_max() == 0;
    for (const auto& value : option->results()) {
      options.push_back(name);
      if (!is_flag) options.push_back(value);
    }
  }
  positionals.insert(positionals.end(), options.begin(), options.end());
  return positionals;
}
bool Command::has_subcommand() const { return !app_->get_subcommands().empty(); }

namespace {

std::vector<std::string> path_of(const CLI::App& app) {
  std::vector<std::string> path;
  for (auto given = app.get_subcommands(); !given.empty(); given = given.front()->get_subcommands())
    path.push_back(given.front()->get_name());
  return path;
}

// "--strategy requires --sample": {"--strategy", "--sample"}
std::pair<std::string, std::string> around(const std::string& text, std::string_view middle) {
  const std::size_t at = text.find(middle);
  return at == text.npos ? std::pair{text, std::string()} : std::pair{text.substr(0, at), text.substr(at + middle.size())};
}

// CLI11 keeps what it found in texts alone.
manual::Mistake mistake_of(const CLI::App& app, const CLI::ParseError& error) {
  using enum manual::Mistake::Kind;
  manual::Mistake found{other, path_of(app), "", "", app.remaining(true), specs::printable(error.what())};
  for (auto& word : found.extra) word = specs::printable(word);
  const auto begins = [&](std::string_view middle, manual::Mistake::Kind kind) {
    if (found.text.find(middle) == std::string::npos) return false;
    std::tie(found.name, found.other) = around(found.text, middle);
    found.kind = kind;
    return true;
  };
  switch (static_cast<CLI::ExitCodes>(error.get_exit_code())) {
    case CLI::ExitCodes::RequiredError: begins(" is required", missing); break;
    case CLI::ExitCodes::RequiresError: begins(" requires ", needs); break;
    case CLI::ExitCodes::ExcludesError: begins(" excludes ", excludes); break;
    case CLI::ExitCodes::ExtrasError: found.kind = unexpected; break;
    case CLI::ExitCodes::ArgumentMismatch:
      begins(" was given a disallowed", takes_no_value) || begins(": At Most 1 ", too_often) || begins(": 1 required ", no_value);
      break;
    case CLI::ExitCodes::Success: found.kind = unexpected; break;  // help on what is none
    default: found.name = around(found.text, ": ").first;
  }
  const bool no_command = found.kind == missing && found.name == "A subcommand";
  if (no_command && !found.extra.empty()) found.kind = unexpected;
  return found;
}

// `help chekc`, `hw shwo --help`: the word that is no command, where one is expected.
bool asks_for_no_command(const CLI::App& app) {
  const auto* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  const auto left = app.remaining(true);
  return !left.empty() && !left.front().starts_with('-') && !at->get_subcommands([](const CLI::App*) { return true; }).empty();
}

// Help and version are data, as what they end with.
void print_help(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out, err;
  app.exit(error, out, err);
  workspace::write_out(folded_help(out.str(), output_width()));
}

}  // namespace

Parser::Parser(const std::string& description, const std::string& footer, std::function<std::string()> version)
    : app_(std::make_unique<ToldApp>(description)) {
  app_->footer(footer);
  app_->require_subcommand(1);
  app_->fallthrough();  // options of all commands may stand after the subcommand, too
  app_->set_version_flag("--version", std::move(version), "Print version, commit and the date of the facts, and exit");
}

Parser::~Parser() = default;

Command Parser::command() const { return Command(app_.get()); }

Parser::Ended Parser::parse(int argc, char** argv) const {
  std::vector<char*> words(argv, argv + argc);
  std::string help = "--help";
  if (argc > 1 && words[1] == std::string_view("help")) {  // "stackx help advise"
    words.erase(words.begin() + 1);
    words.push_back(help.data());
  }
  try {
    app_->parse(static_cast<int>(words.size()), words.data());
    return Ended::ran;
  } catch (const CLI::ParseError& error) {
    const bool unknown = asks_for_no_command(*app_);
    const bool helped = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success) && !unknown;
    if (helped)
      print_help(*app_, error);
    else
      workspace::say("{}\n", workspace::Block{folded_error("stackx: " + manual::mistake_text(mistake_of(*app_, error), command().tree()))});
    return helped ? Ended::helped : Ended::bad_words;
  }
}

}  // namespace stackx::cli
