#include "specs/version/version.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "specs/version/debian.hpp"
#include "specs/version/pep440.hpp"
#include "specs/version/semver.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs {

struct Version::Data {
  Versioning scheme = Versioning::opaque;
  std::string text;
  std::string normal;
  std::string key;
  bool prerelease = false;
};

namespace {

// What a scheme knows of a text.
struct Reading {
  std::string key;
  std::string normal;
  bool prerelease = false;
};

std::expected<Reading, ParseError> read(std::string_view text, Versioning scheme) {
  const std::string as_written(text);
  if (scheme == Versioning::pep440) {
    const auto parts = pep440::parse(text);
    if (!parts) return std::unexpected(parts.error());
    return Reading{pep440::full_key(*parts), pep440::normal(*parts), parts->is_prerelease()};
  }
  if (scheme == Versioning::semver) {
    const auto parts = semver::parse(text);
    if (!parts) return std::unexpected(parts.error());
    return Reading{semver::full_key(*parts), as_written, !parts->pre.empty()};
  }
  if (scheme == Versioning::debian) {
    const auto key = debian::parse_key(text);
    if (!key) return std::unexpected(key.error());
    return Reading{*key, as_written, false};
  }
  if (text.empty()) return std::unexpected(ParseError{"a version must not be empty", 1});
  return Reading{as_written, as_written, false};
}

}  // namespace

Version::Version() {
  static const auto empty = std::make_shared<const Data>();
  data_ = empty;
}

Version::Version(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

std::expected<Version, ParseError> Version::parse(std::string_view text, Versioning scheme) {
  const Trimmed trimmed = trim(text);
  auto reading = read(trimmed.text, scheme);
  if (!reading)
    return std::unexpected(
        ParseError{reading.error().reason, reading.error().column + trimmed.offset});
  return Version(std::make_shared<const Data>(Data{scheme, std::string(trimmed.text),
                                                   std::move(reading->normal),
                                                   std::move(reading->key), reading->prerelease}));
}

Versioning Version::scheme() const { return data_->scheme; }
const std::string& Version::text() const { return data_->text; }
std::string Version::normal() const { return data_->normal; }
bool Version::is_prerelease() const { return data_->prerelease; }
std::string_view Version::key() const { return data_->key; }

namespace {

void require_one_scheme(const Version& a, const Version& b) {
  if (a.scheme() == b.scheme()) return;
  throw std::invalid_argument(
      fmt::format("versions of two schemes do not compare: {} ({}) and {} ({})", a.text(),
                  to_string(a.scheme()), b.text(), to_string(b.scheme())));
}

}  // namespace

std::partial_ordering operator<=>(const Version& a, const Version& b) {
  require_one_scheme(a, b);
  const auto order = a.key() <=> b.key();
  if (a.scheme() == Versioning::opaque && order != 0) return std::partial_ordering::unordered;
  return order;
}

bool operator==(const Version& a, const Version& b) {
  require_one_scheme(a, b);
  return a.key() == b.key();
}

const char* to_string(Versioning scheme) {
  switch (scheme) {
    case Versioning::pep440:
      return "pep440";
    case Versioning::semver:
      return "semver";
    case Versioning::debian:
      return "debian";
    case Versioning::opaque:
      return "opaque";
  }
  return "unknown";
}

std::expected<Versioning, std::string> versioning_from(std::string_view name) {
  for (const auto scheme :
       {Versioning::pep440, Versioning::semver, Versioning::debian, Versioning::opaque})
    if (name == to_string(scheme)) return scheme;
  return std::unexpected(
      fmt::format("unknown versioning \"{}\"; expected pep440, semver, debian or opaque", name));
}

}  // namespace stackx::specs
