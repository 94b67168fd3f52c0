#include "specs/version/semver.hpp"

#include <algorithm>
#include <optional>

#include "specs/version/key.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs::semver {
namespace {

enum PreMark : char { pre_release = '\x01', release };
enum IdentifierMark : char { text_end = '\x01', number, text };

bool is_identifier_character(char c) { return is_alphanumeric(c) || c == '-'; }
bool is_number(std::string_view identifier) { return std::ranges::all_of(identifier, is_digit); }
bool has_leading_zero(std::string_view digits) { return digits.size() > 1 && digits[0] == '0'; }

std::optional<ParseError> read_numbers(TextScanner& in, Parts& parts) {
  do {
    if (!parts.numbers.empty()) in.skip(1);  // the dot
    const TextScanner start = in;
    if (!is_digit(in.peek())) return in.error("a number must stand here (MAJOR.MINOR.PATCH)");
    parts.numbers.push_back(in.digits());
    if (has_leading_zero(parts.numbers.back()))
      return start.error("semver numbers have no leading zeros");
  } while (in.peek() == '.' && parts.numbers.size() < 3);
  return std::nullopt;
}

enum class LeadingZeros { allowed, forbidden };

std::optional<ParseError> read_identifiers(TextScanner& in, LeadingZeros zeros,
                                           std::vector<std::string_view>& identifiers) {
  do {
    in.skip(1);  // '-' or '+', then dots
    const TextScanner start = in;
    identifiers.push_back(in.take_while(is_identifier_character));
    if (identifiers.back().empty())
      return in.error("an identifier of letters, digits and hyphens must stand here");
    if (zeros == LeadingZeros::forbidden && is_number(identifiers.back()) &&
        has_leading_zero(identifiers.back()))
      return start.error("numeric pre-release identifiers have no leading zeros");
  } while (in.peek() == '.');
  return std::nullopt;
}

}  // namespace

std::expected<Parts, ParseError> parse(std::string_view text, Form form) {
  TextScanner in(text);
  Parts parts;
  if (auto error = read_numbers(in, parts)) return std::unexpected(*error);
  const bool complete = parts.numbers.size() == 3;
  if (!complete && form == Form::full)
    return std::unexpected(in.error("a semantic version has three numbers, MAJOR.MINOR.PATCH"));
  if (complete && in.peek() == '-')
    if (auto error = read_identifiers(in, LeadingZeros::forbidden, parts.pre))
      return std::unexpected(*error);
  std::vector<std::string_view> build;
  if (complete && in.peek() == '+')
    if (auto error = read_identifiers(in, LeadingZeros::allowed, build))
      return std::unexpected(*error);
  if (!in.at_end())
    return std::unexpected(in.error(
        complete
            ? "the version should end here: after MAJOR.MINOR.PATCH come -PRERELEASE and +BUILD"
            : "an abbreviated version should end here (only a full one has -PRERELEASE and "
              "+BUILD)"));
  return parts;
}

std::string numbers_key(const Parts& parts) {
  std::string out;
  for (const std::string_view digits : parts.numbers) key::append_number(out, digits);
  return out;
}

std::string full_key(const Parts& parts) {
  std::string out = numbers_key(parts);
  for (std::size_t i = parts.numbers.size(); i < 3; ++i) key::append_number(out, "0");
  if (parts.pre.empty()) {
    out.push_back(PreMark::release);
    return out;
  }
  out.push_back(PreMark::pre_release);
  for (const std::string_view identifier : parts.pre) {
    if (is_number(identifier)) {
      out.push_back(IdentifierMark::number);
      key::append_number(out, identifier);
    } else {
      out.push_back(IdentifierMark::text);
      out.append(identifier);
      out.push_back(IdentifierMark::text_end);
    }
  }
  return out;  // fewer identifiers sort first, as shorter strings do
}

}  // namespace stackx::specs::semver
