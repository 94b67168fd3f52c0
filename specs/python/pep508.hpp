// Dependency specifiers (PEP 508): `requests[security]>=2.8,<3; python_version < "3.8"` or
// `name @ URL`.
//
// Names and extras are normalised (PEP 503), so that they equal the names of imported components.
// Versions are read as specs/version/specifier.hpp reads them, except that "*" is not PEP 508.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/python/marker.hpp"
#include "specs/version/specifier.hpp"

namespace stackx::specs {

struct Dependency {
  std::string name;
  std::vector<std::string> extras;  // sorted, each once
  SpecifierSet versions;            // "*" if none are named
  std::string url;                  // or a place to take it from
  std::optional<Marker> marker;

  bool holds(const MarkerEnvironment& environment) const {
    return !marker || marker->holds(environment);
  }
  bool is_of_an_extra() const;  // asked for by one alone: `; extra == "gpu"`
  std::string with_extras() const;  // "jax[cuda12]"
  std::string text() const;         // parses to an equal dependency
};

std::expected<Dependency, ParseError> parse_dependency(std::string_view text);

// PEP 503: lower case, runs of '-', '_' and '.' are one '-'.
std::string normalized_name(std::string_view name);

}  // namespace stackx::specs
