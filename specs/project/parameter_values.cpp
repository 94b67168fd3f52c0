#include "specs/project/parameter_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "specs/format/json.hpp"

namespace stackx::specs {
namespace {

bool same_but_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

bool says(const std::pair<std::string, std::vector<std::string>>& word, std::string_view text) {
  return same_but_case(word.first, text) ||
         std::ranges::any_of(word.second, [&](const auto& same) { return same_but_case(same, text); });
}

// "0512" is 512; sizes are not negative.
std::optional<std::string> whole_number_in(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return std::nullopt;
  const auto first = std::min(text.find_first_not_of('0'), text.size() - 1);
  return std::string(text.substr(first));
}

ParameterValues::Words words_from(const Node& node) {
  ParameterValues::Words words;
  std::set<std::string> seen;
  const auto take = [&](std::string text, const Node& place) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    if (!seen.insert(text).second) place.fail(fmt::format("\"{}\" stands for two values", text));
  };
  for (const auto& [word, synonyms] : node.members()) {
    take(word, synonyms);
    words.emplace_back(word, std::vector<std::string>{});
    for (const Node& synonym : synonyms.items()) {
      take(synonym.nonempty(), synonym);
      words.back().second.push_back(synonym.text());
    }
  }
  if (words.empty()) node.fail("expected at least one word");
  return words;
}

}  // namespace

std::optional<std::string> ParameterValues::canonical(std::string_view text) const {
  for (const auto& word : words)  // as it is written, before what only looks like it
    if (word.first == text) return word.first;
  for (const auto& word : words)
    if (says(word, text)) return word.first;
  if (integer) {
    const auto number = whole_number_in(text);
    return positive && number == "0" ? std::nullopt : number;
  }
  return open ? std::optional<std::string>(text) : std::nullopt;
}

std::vector<std::string> ParameterValues::names() const {
  std::vector<std::string> result;
  for (const auto& [word, synonyms] : words) result.push_back(word);
  return result;
}

std::string ParameterValues::expected() const {
  if (integer && words.empty()) return positive ? "a whole number from 1 on" : "a whole number";
  if (integer) return fmt::format("a whole number or {}", fmt::join(names(), ", "));
  return fmt::format("{} {}", open ? "a word like" : "one of", fmt::join(names(), ", "));
}

ParameterValues parameter_values(const Node& node) {
  ParameterValues values;
  if (node.json().is_string()) {
    values.positive = node.text() == "size";
    values.integer = values.positive || node.text() == "integer";
    if (!values.integer) node.fail("expected \"integer\", \"size\" or an object with one_of, words or integer_or");
    return values;
  }
  node.only({"one_of", "words", "integer_or"});
  if (node.members().size() != 1) node.fail("expected one of one_of, words and integer_or");
  if (const auto or_else = node.find("integer_or")) {
    values.integer = true;
    for (const Node& word : or_else->items()) values.words.emplace_back(word.nonempty(), std::vector<std::string>{});
    return values;
  }
  values.open = node.find("words").has_value();
  values.words = words_from(values.open ? node.at("words") : node.at("one_of"));
  return values;
}

}  // namespace stackx::specs
