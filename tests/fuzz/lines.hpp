// What the fuzz targets share: inputs are lines (the first names a versioning by its first letter),
// and broken invariants abort, which is what libFuzzer and replay.cpp notice.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "specs/version/version.hpp"

namespace stackx::fuzz {

inline void require(bool holds, const char* invariant) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", invariant);
  std::abort();
}

inline std::vector<std::string_view> lines(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string_view> result;
  for (std::size_t end; (end = text.find('\n')) != std::string_view::npos;
       text.remove_prefix(end + 1))
    result.push_back(text.substr(0, end));
  if (!text.empty()) result.push_back(text);
  return result;
}

inline specs::Versioning versioning(std::string_view line) {
  switch (line.empty() ? 'p' : line[0]) {
    case 's':
      return specs::Versioning::semver;
    case 'd':
      return specs::Versioning::debian;
    case 'o':
      return specs::Versioning::opaque;
    default:
      return specs::Versioning::pep440;
  }
}

inline void check_error(const specs::ParseError& error, std::string_view text) {
  require(!error.reason.empty(), "an error has a reason");
  require(error.column >= 1 && error.column <= text.size() + 1, "an error points into the text");
}

}  // namespace stackx::fuzz
