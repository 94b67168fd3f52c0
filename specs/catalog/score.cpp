#include "specs/catalog/score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "specs/format/json.hpp"
#include "specs/format/nearest.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs {
namespace {

// What a JSON number says: digits * 10^exponent.
struct Decimal {
  bool negative = false;
  std::string digits;  // without leading zeros; "" is zero
  long exponent = 0;
};

Decimal parse_decimal(std::string_view text) {
  Decimal result;
  if (text.starts_with('-')) result.negative = true, text.remove_prefix(1);
  bool fraction = false;
  std::size_t i = 0;
  for (; i < text.size() && (is_digit(text[i]) || text[i] == '.'); ++i) {
    if (text[i] == '.') {
      fraction = true;
      continue;
    }
    if (fraction) --result.exponent;
    if (text[i] != '0' || !result.digits.empty()) result.digits += text[i];
  }
  if (i < text.size()) {
    text.remove_prefix(i + 1);
    if (text.starts_with('+')) text.remove_prefix(1);
    long exponent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    result.exponent += error == std::errc{} ? exponent : (text.starts_with('-') ? -10'000 : 10'000);
  }
  while (!result.digits.empty() && result.digits.back() == '0') {
    result.digits.pop_back();
    ++result.exponent;
  }
  if (result.digits.empty()) return {};
  return result;
}

constexpr long most_digits = 30;  // of one score; sums of thousands still fit into a Score

struct Entry {
  std::string component, version;
  Decimal value;
  Node place;
};

Score scaled(const Entry& entry, long decimals) {
  const long zeros = decimals + entry.value.exponent;
  if (static_cast<long>(entry.value.digits.size()) + zeros > most_digits)
    entry.place.fail(fmt::format(
        "the scores of one file may span {} digits, from the largest to the last decimal of the "
        "finest; round them",
        most_digits));
  Score score = 0;
  for (const char digit : entry.value.digits) score = score * 10 + (digit - '0');
  for (long i = 0; i < zeros; ++i) score *= 10;
  return entry.value.negative ? -score : score;
}

}  // namespace

std::string Scores::text(Score score) const {
  const bool negative = score < 0;
  std::string digits;
  for (unsigned i = 0; score != 0 || i <= decimals; ++i, score /= 10) {
    const auto digit = static_cast<int>(score % 10);
    if (i == decimals && decimals > 0) digits += '.';
    digits += static_cast<char>('0' + (digit < 0 ? -digit : digit));
  }
  if (negative) digits += '-';
  std::ranges::reverse(digits);
  return digits;
}

Scores parse_scores(const Node& document, const Catalog& catalog) {
  document.schema("stackx/score/1");
  document.only({"$schema", "description", "source", "sources", "scores"});
  std::vector<Entry> entries;
  long decimals = 0;
  for (const auto& [name, versions] : document.at("scores").members()) {
    const auto* component = catalog.find(name);
    if (!component) {
      std::vector<std::string> known;
      for (const auto& [other, ignored] : catalog.components) known.push_back(other);
      versions.fail(fmt::format("no catalog declares \"{}\"{}", name, suggestion(name, known)));
    }
    for (const auto& [text, value] : versions.members()) {
      const auto* entry = component->find(text);
      if (!entry) {
        std::vector<std::string> known;
        for (const auto& one : component->versions) known.push_back(one.version.text());
        value.fail(
            fmt::format("the catalog has no {} \"{}\"{}", name, text, suggestion(text, known)));
      }
      if (!value.json().is_number()) value.fail("expected a number");
      entries.push_back({name, entry->version.text(), parse_decimal(value.scalar()), value});
      if (-entries.back().value.exponent > most_digits)
        value.fail(fmt::format("a score has at most {} decimals; round it", most_digits));
      decimals = std::max(decimals, -entries.back().value.exponent);
    }
  }
  Scores scores;
  scores.decimals = static_cast<unsigned>(decimals);
  for (const auto& entry : entries)
    scores.of[entry.component][entry.version] =
        entry.value.digits.empty() ? 0 : scaled(entry, decimals);
  return scores;
}

Scores load_scores(const std::filesystem::path& file, const Catalog& catalog) {
  return parse_scores(Node::parse_file(file), catalog);
}

}  // namespace stackx::specs
