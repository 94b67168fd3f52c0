#include "cli/options.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/told_app.hpp"
#include "specs/format/nearest.hpp"
#include "specs/format/printable.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {

Check::Check(CLI::Validator validator) : validator_(std::make_shared<CLI::Validator>(std::move(validator))) {}

namespace {

std::string words_name(const std::vector<std::string>& words) { return fmt::format("{}{}", words_mark, fmt::join(words, ",")); }

template <typename Number>
Check between(Number least, Number most) {
  return Check(CLI::Validator(CLI::Range(least, most)).name(fmt::format("{}from {} to {}", range_mark, least, most)));
}

}  // namespace

Check one_of(const std::vector<std::string>& words) {
  return Check(CLI::Validator(CLI::IsMember(words)).name(words_name(words)));
}
Check one_of_ignoring_case(const std::vector<std::string>& words) {
  return Check(CLI::Validator(CLI::IsMember(words, CLI::ignore_case)).name(words_name(words)));
}
Check within(int least, int most) { return between(least, most); }
Check within(double least, double most) { return between(least, most); }
Check within(std::uint64_t least, std::uint64_t most) { return between(least, most); }
Check at_least_zero() { return Check(CLI::Validator(CLI::NonNegativeNumber).name(fmt::format("{}0 or more", range_mark))); }
Check above_zero() { return Check(CLI::Validator(CLI::PositiveNumber).name(fmt::format("{}above 0", range_mark))); }
Check existing_file() { return Check(CLI::ExistingFile); }

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
Option Option::one_each() const { return Option(option_->allow_extra_args(false)); }

Command Command::add_subcommand(const std::string& name, const std::string& help) const {
  auto below = std::make_shared<ToldApp>(help, name, app_);
  app_->add_subcommand(below);
  return Command(below.get());  // which the command above owns
}

namespace {

// What CLI11 would read otherwise: "-1" as the largest number there is, "nan" as one that no check refuses.
template <typename Number>
std::string wrong_number(const std::string& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = std::is_integral_v<Number>;
  const bool good = error == std::errc{} && end == text.data() + text.size() && (whole || std::isfinite(number));
  return good ? "" : fmt::format("expected a {}number, found {}", whole ? "whole " : "", text.substr(0, 100));
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
  if constexpr (std::is_arithmetic_v<Number>) option->check(CLI::Validator(wrong_number<Number>, "", "number"));
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
bool Command::has_subcommand() const { return !app_->get_subcommands().empty(); }

namespace {

// The command that words of the line stand below: `hw` of `stackx hw shwo`.
const CLI::App& deepest(const CLI::App& app) {
  const auto given = app.get_subcommands();
  return given.empty() ? app : deepest(*given.front());
}

// "no such command: stackx advice; did you mean advise?"; "" where another thing is wrong.
std::string mistyped_command(const CLI::App& app) {
  const CLI::App& at = deepest(app);
  std::vector<std::string> known;
  const auto shown = [](const CLI::App* one) { return !one->get_group().empty(); };
  for (const CLI::App* one : at.get_subcommands(shown)) known.push_back(one->get_name());
  if (known.empty()) return "";
  for (const auto& word : app.remaining(true)) {
    if (word.starts_with('-')) continue;
    const auto near = specs::nearest(word, known);
    const bool close = near && specs::edit_distance(word, *near) <= std::max<std::size_t>(2, word.size() / 2);
    const std::string path = &at == &app ? "" : at.get_name() + " ";
    std::string text = "no such command: " + path + word;
    if (close) return text + "; did you mean " + path + *near + "?";
    text += "; there are ";
    for (const auto& one : known) text += (&one == &known.front() ? "" : ", ") + one;
    return text;
  }
  return "";
}

// Help and version as data, mistakes as a message.
void print_end(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out, err;
  app.exit(error, out, err);
  std::string said = err.str();
  if (const std::string what = error.what(); said.starts_with(what)) said.replace(0, what.size(), specs::printable(what));
  workspace::write_out(out.str());
  workspace::write_err(said);
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
  try {
    app_->parse(argc, argv);
    return Ended::ran;
  } catch (const CLI::ParseError& error) {
    const bool helped = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    const auto what = static_cast<CLI::ExitCodes>(error.get_exit_code());
    const bool extra = what == CLI::ExitCodes::ExtrasError || what == CLI::ExitCodes::RequiredError;
    if (const auto mistyped = extra ? mistyped_command(*app_) : ""; !mistyped.empty())
      workspace::say("stackx: {}\n", mistyped);
    else
      print_end(*app_, error);
    return helped ? Ended::helped : Ended::bad_words;
  }
}

}  // namespace stackx::cli
