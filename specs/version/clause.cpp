#include "specs/version/clause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "specs/version/debian.hpp"
#include "specs/version/key.hpp"
#include "specs/version/pep440.hpp"
#include "specs/version/semver.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs {
namespace {

// Longer spellings before those they start with.
constexpr std::pair<std::string_view, Operator> operators[] = {
    {"===", Operator::arbitrary_equal},
    {"==", Operator::equal},
    {"~=", Operator::compatible},
    {"!=", Operator::not_equal},
    {"<=", Operator::less_equal},
    {">=", Operator::greater_equal},
    {"<", Operator::less},
    {">", Operator::greater},
};

std::string_view spelling(Operator operation) {
  return std::ranges::find(operators, operation, &std::pair<std::string_view, Operator>::second)
      ->first;
}

const char* spellings(Versioning scheme) {
  switch (scheme) {
    case Versioning::pep440:
    case Versioning::semver:
      return "~= == != <= >= < > ===";
    case Versioning::debian:
      return "== != <= >= < >";
    case Versioning::opaque:
      return "== != ===";
  }
  return "";
}

bool knows(Versioning scheme, Operator operation) {
  const bool equality = operation == Operator::equal || operation == Operator::not_equal;
  if (scheme == Versioning::opaque) return equality || operation == Operator::arbitrary_equal;
  if (scheme == Versioning::debian)
    return operation != Operator::compatible && operation != Operator::arbitrary_equal;
  return true;
}

// What a clause says after its operator: a version, or with a wildcard (".*") all that start with
// it.
struct Operand {
  Operator operation;
  std::string_view text;
  bool wildcard = false;

  ParseError error(std::string reason, std::size_t column = 1) const {
    return {std::move(reason), column};
  }
};

using Parsed = std::expected<Clause, ParseError>;

KeyRange only(std::string_view key) { return {std::string(key), key::successor(key)}; }

// Operators that need nothing but the order.
KeyRange plain_range(Operator operation, std::string_view key) {
  switch (operation) {
    case Operator::less:
      return {"", std::string(key)};
    case Operator::less_equal:
      return {"", key::successor(key)};
    case Operator::greater:
      return {key::successor(key), {}};
    case Operator::greater_equal:
      return {std::string(key), {}};
    default:
      return only(key);
  }
}

namespace pep {

// All versions whose release starts with the first `count` numbers of `parts`: 1.2 ->
// [1.2.dev0, 1.3.dev0).
KeyRange starting_with(const pep440::Parts& parts, std::size_t count) {
  pep440::Parts prefix;
  prefix.epoch = parts.epoch;
  prefix.release.assign(parts.release.begin(), parts.release.begin() + std::ptrdiff_t(count));
  std::string lower = pep440::release_key(prefix);
  const std::string next = key::incremented(prefix.release.back());
  prefix.release.back() = next;
  return {std::move(lower), pep440::release_key(prefix)};
}

KeyRange less(const pep440::Parts& parts) {
  if (parts.is_prerelease()) return {"", pep440::public_key(parts)};
  pep440::Parts first_development = parts;  // 1.0.dev0: no pre-release of 1.0 is below 1.0
  first_development.dev = "0";
  return {"", pep440::public_key(first_development)};
}

KeyRange greater(const pep440::Parts& parts) {
  // Not 1.0+local; and, unless V is one itself, no post-release of V.
  const bool last_of_family = parts.post || parts.dev;
  return {key::above_prefix(last_of_family ? pep440::public_key(parts) : pep440::pre_key(parts)),
          {}};
}

KeyRange range(Operator operation, const pep440::Parts& parts) {
  const std::string whole = pep440::public_key(parts);
  switch (operation) {
    case Operator::compatible: {
      KeyRange result = starting_with(parts, parts.release.size() - 1);
      result.lower = whole;
      return result;
    }
    case Operator::less:
      return less(parts);
    case Operator::greater:
      return greater(parts);
    case Operator::less_equal:
      return {"", key::above_prefix(whole)};
    case Operator::greater_equal:
      return {whole, {}};
    default:
      return parts.local.empty() ? KeyRange{whole, key::above_prefix(whole)}
                                 : only(pep440::full_key(parts));
  }
}

Parsed clause(const Operand& operand) {
  const auto parts = pep440::parse(operand.text);
  if (!parts) return std::unexpected(parts.error());
  if (operand.wildcard) {
    if (parts->is_prerelease() || parts->post || !parts->local.empty())
      return std::unexpected(operand.error("before .* only a release like 1.2 may stand"));
    return Clause{operand.operation, starting_with(*parts, parts->release.size()), "", false};
  }
  const bool equality =
      operand.operation == Operator::equal || operand.operation == Operator::not_equal;
  if (!parts->local.empty() && !equality)
    return std::unexpected(
        operand.error(fmt::format("{} takes no local version (+...); only == and != do",
                                  spelling(operand.operation)),
                      operand.text.find('+') + 1));
  if (operand.operation == Operator::compatible && parts->release.size() < 2)
    return std::unexpected(operand.error("~= needs at least two numbers: ~=1.4 is >=1.4, ==1.*"));
  return Clause{operand.operation, range(operand.operation, *parts), "",
                operand.operation != Operator::not_equal && parts->is_prerelease()};
}

}  // namespace pep

namespace sem {

KeyRange starting_with(const semver::Parts& parts, std::size_t count) {
  semver::Parts prefix;
  prefix.numbers.assign(parts.numbers.begin(), parts.numbers.begin() + std::ptrdiff_t(count));
  const std::string key = semver::numbers_key(prefix);
  return {key, key::above_prefix(key)};
}

Parsed clause(const Operand& operand) {
  const auto parts = semver::parse(operand.text, semver::Form::partial);
  if (!parts) return std::unexpected(parts.error());
  const std::size_t numbers = parts->numbers.size();
  if (operand.wildcard) {
    if (numbers == 3)
      return std::unexpected(
          operand.error("before .* only 1 or 1.2 may stand: a version has three numbers"));
    return Clause{operand.operation, starting_with(*parts, numbers), "", false};
  }
  Clause clause{operand.operation, plain_range(operand.operation, semver::full_key(*parts)), "",
                operand.operation != Operator::not_equal && !parts->pre.empty()};
  if (operand.operation != Operator::compatible) return clause;
  if (numbers < 2)
    return std::unexpected(operand.error("~= needs at least two numbers: ~=1.4 is >=1.4, <2"));
  clause.range.upper = starting_with(*parts, numbers - 1).upper;
  return clause;
}

}  // namespace sem

Parsed debian_clause(const Operand& operand) {
  const auto key = debian::parse_key(operand.text);
  if (!key) return std::unexpected(key.error());
  return Clause{operand.operation, plain_range(operand.operation, *key), "", false};
}

Parsed arbitrary_clause(const Operand& operand, Versioning scheme) {
  const auto bad = [](char c) { return is_space(c) || c == ';' || c == ')'; };
  if (scheme != Versioning::opaque)
    if (const auto at = std::ranges::find_if(operand.text, bad); at != operand.text.end())
      return std::unexpected(operand.error("=== takes one word, without white space, ';' and ')'",
                                           std::size_t(at - operand.text.begin()) + 1));
  const auto version = Version::parse(operand.text, scheme);
  return Clause{
      operand.operation, {}, std::string(operand.text), version && version->is_prerelease()};
}

Parsed clause(Operand operand, Versioning scheme) {
  if (operand.operation == Operator::arbitrary_equal) return arbitrary_clause(operand, scheme);
  if (scheme == Versioning::opaque) return Clause{operand.operation, only(operand.text), "", false};
  if (scheme == Versioning::debian) return debian_clause(operand);
  if (operand.text.ends_with(".*")) {
    if (operand.operation != Operator::equal && operand.operation != Operator::not_equal)
      return std::unexpected(operand.error(
          fmt::format("{} takes no wildcard; only == and != do", spelling(operand.operation)),
          operand.text.size() - 1));
    operand.wildcard = true;
    operand.text.remove_suffix(2);
  }
  return scheme == Versioning::pep440 ? pep::clause(operand) : sem::clause(operand);
}

std::expected<Operator, ParseError> read_operator(TextScanner& in, Versioning scheme) {
  const TextScanner start = in;
  for (const auto& [text, operation] : operators) {
    if (!in.skip_word(text)) continue;
    if (knows(scheme, operation)) return operation;
    return std::unexpected(ParseError{fmt::format("{} versions have no {}; use one of {}",
                                                  to_string(scheme), text, spellings(scheme)),
                                      start.column()});
  }
  return std::unexpected(
      in.error(fmt::format("a specifier starts with one of {}", spellings(scheme))));
}

}  // namespace

void KeyRange::intersect(const KeyRange& other) {
  lower = std::max(lower, other.lower);
  if (other.upper && (!upper || *other.upper < *upper)) upper = other.upper;
}

bool KeyRange::unite(const KeyRange& above) {
  if (upper && above.lower > *upper) return false;
  if (upper && (!above.upper || *above.upper > *upper)) upper = above.upper;
  return true;
}

std::expected<Clause, ParseError> parse_clause(std::string_view text, Versioning scheme) {
  TextScanner in(text);
  const auto operation = read_operator(in, scheme);
  if (!operation) return std::unexpected(operation.error());
  in.take_while(is_space);
  if (in.at_end())
    return std::unexpected(in.error(fmt::format("a version must follow {}", spelling(*operation))));
  auto result = clause({*operation, in.rest()}, scheme);
  if (!result)
    return std::unexpected(
        ParseError{result.error().reason, result.error().column + in.column() - 1});
  return result;
}

}  // namespace stackx::specs
