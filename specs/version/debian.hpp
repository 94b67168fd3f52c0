// Debian versions, [epoch:]upstream[-revision], after deb-version(7): what `dpkg
// --validate-version` takes, ordered as `dpkg --compare-versions` does (but an epoch may have any
// size), as an order key (key.hpp).
//
// Key: epoch, upstream, revision. dpkg compares the latter two as alternating runs of non-digits
// and digits: a run of non-digits is its characters, each mapped so that ~ < end < letters < the
// rest, and an end mark; a run of digits is a number. Both runs may be missing, so 1.0, 0:1.0
// and 1.0-0 are one version, and so are 1.a and 1.a0.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "specs/version/version.hpp"

namespace stackx::specs::debian {

std::expected<std::string, ParseError> parse_key(std::string_view text);

}  // namespace stackx::specs::debian
