#include "specs/version/debian.hpp"

#include <algorithm>
#include <optional>

#include "specs/version/key.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs::debian {
namespace {

constexpr char tilde = '\x01';
constexpr char run_end = '\x02';

char run_character(char c) {
  if (c == '~') return tilde;
  return is_letter(c) ? c : static_cast<char>(c + 0x80);
}

void append_runs(std::string& key, std::string_view text) {
  TextScanner in(text);
  do {
    for (const char c : in.take_while([](char c) { return !is_digit(c); }))
      key.push_back(run_character(c));
    key.push_back(run_end);
    key::append_number(key, in.digits());
  } while (!in.at_end());
  key.push_back(run_end);
}

struct Parts {
  std::string_view epoch, upstream, revision;
};

std::optional<ParseError> read_epoch(TextScanner& in, Parts& parts) {
  if (in.rest().find(':') == std::string_view::npos) return std::nullopt;
  parts.epoch = in.digits();
  if (parts.epoch.empty() || in.peek() != ':')
    return in.error("the epoch, before ':', must be a number");
  in.skip(1);
  return std::nullopt;
}

// The next `length` characters, all of which must be letters, digits or in `others`.
std::expected<std::string_view, ParseError> read_part(TextScanner& in, std::size_t length,
                                                      std::string_view others,
                                                      const char* expectation) {
  const std::string_view part = in.take_while([&, taken = std::size_t{0}](char c) mutable {
    return taken++ < length && (is_alphanumeric(c) || others.find(c) != std::string_view::npos);
  });
  if (part.size() < length) return std::unexpected(in.error(expectation));
  return part;
}

std::optional<ParseError> read_upstream_and_revision(TextScanner& in, Parts& parts) {
  if (!is_digit(in.peek())) return in.error("the upstream version must start with a digit");
  const std::size_t hyphen = std::min(in.rest().rfind('-'), in.rest().size());
  auto upstream =
      read_part(in, hyphen, ".+-~:", "an upstream version has letters, digits and . + - ~ :");
  if (!upstream) return upstream.error();
  parts.upstream = *upstream;
  if (in.at_end()) return std::nullopt;
  in.skip(1);
  if (in.at_end()) return in.error("a revision must follow '-'");
  auto revision =
      read_part(in, in.rest().size(), ".+~", "a revision has letters, digits and . + ~");
  if (!revision) return revision.error();
  parts.revision = *revision;
  return std::nullopt;
}

}  // namespace

std::expected<std::string, ParseError> parse_key(std::string_view text) {
  TextScanner in(text);
  Parts parts;
  if (auto error = read_epoch(in, parts)) return std::unexpected(*error);
  if (auto error = read_upstream_and_revision(in, parts)) return std::unexpected(*error);
  std::string key;
  key::append_number(key, parts.epoch);
  append_runs(key, parts.upstream);
  append_runs(key, parts.revision);
  return key;
}

}  // namespace stackx::specs::debian
