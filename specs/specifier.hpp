// A set of versions, written as PEP 440 writes it: comma-separated clauses that must all hold.
//
//   pep440  ~= == != <= >= < > ===, wildcards with == and !=, after PyPI's `packaging`
//   semver  the same operators over semver's order (~=1.4 is >=1.4,<2); 1.2.* works
//   debian  == != <= >= < > over Debian's order
//   opaque  == != === only
// "*" and "" hold for every version. Pre-releases: a catalog lists what may be chosen, so they match
// unless asked otherwise (`packaging`'s contains(..., prereleases=True)); Prereleases::by_rule is PEP 440's own rule
// for one version (packaging's contains with prereleases=None).
#pragma once

#include "specs/version.hpp"

namespace stackx::specs {

enum class Prereleases { allow, by_rule };

class SpecifierSet {
 public:
  static std::expected<SpecifierSet, ParseError> parse(std::string_view text, Versioning scheme);
  static SpecifierSet any(Versioning scheme);  // "*"

  bool contains(const Version& version, Prereleases policy = Prereleases::allow) const;
  bool is_any() const;
  const std::string& text() const;  // as written

  // Private representation, implemented in specifier.cpp.
};

}  // namespace stackx::specs
