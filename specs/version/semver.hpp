// Semantic Versioning 2.0.0: the parts of a version and its order key (key.hpp).
//
// Key: major, minor, patch; then a mark for a pre-release and its identifiers, or the mark of a
// release. Build metadata is not in it.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "specs/version/version.hpp"

namespace stackx::specs::semver {

struct Parts {
  std::vector<std::string_view> numbers;  // as written; up to three
  std::vector<std::string_view> pre;      // identifiers
};

// `partial` also takes the abbreviations that a specifier may use: 1 and 1.2, without pre-release
// and build.
enum class Form { full, partial };
std::expected<Parts, ParseError> parse(std::string_view text, Form form = Form::full);

std::string numbers_key(
    const Parts& parts);  // of the numbers that are there: a prefix of the full key
std::string full_key(const Parts& parts);  // missing numbers are zero

}  // namespace stackx::specs::semver
