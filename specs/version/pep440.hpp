// PEP 440: the parts of a version, its normal form and its order key (key.hpp).
//
// Key: epoch, release numbers without trailing zeros, end; then pre-release, post-release and
// development release, each a mark and, where there is one, its number; then the segments of the
// local version.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/version/version.hpp"

namespace stackx::specs::pep440 {

enum class Pre : char { a, b, rc };

struct PreRelease {
  Pre kind;
  std::string_view number;
};

// Numbers are digits as written (perhaps none, which means zero); they view the parsed text.
struct Parts {
  std::string_view epoch;
  std::vector<std::string_view> release;  // at least one
  std::optional<PreRelease> pre;
  std::optional<std::string_view> post;
  std::optional<std::string_view> dev;
  std::vector<std::string_view> local;

  bool is_prerelease() const { return pre || dev; }
};

// All of `text`, without surrounding white space.
std::expected<Parts, ParseError> parse(std::string_view text);

std::string normal(const Parts& parts);

// Each is a prefix of the next.
std::string release_key(const Parts& parts);  // epoch and release
std::string pre_key(const Parts& parts);      // ... and pre-release
std::string public_key(const Parts& parts);   // ... all but the local version
std::string full_key(const Parts& parts);

}  // namespace stackx::specs::pep440
