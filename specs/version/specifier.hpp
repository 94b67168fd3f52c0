// A set of versions, written as PEP 440 writes it: comma-separated clauses that must all hold.
//
//   pep440  ~= == != <= >= < > ===, wildcards with == and !=, after PyPI's `packaging` (26.3)
//   semver  the same operators over semver's order (~=1.4 is >=1.4,<2); ==1.2.* works
//   debian  == != <= >= < > over Debian's order
//   opaque  == != === only
// "*" and "" hold for every version. Pre-releases: a catalog lists what may be chosen, so they
// match unless asked otherwise (`packaging`'s contains(..., prereleases=True)). With
// Prereleases::by_rule they match only if a clause other than != names a pre-release, as PEP 440
// has it for a choice among several versions (contains(...,
// prereleases=bool(specifiers.prereleases)); until packaging 25 that was the default).
//
// Details that PEP 440 leaves to `packaging` or that are easily got wrong:
//   <1.0  holds for no pre-release of 1.0      >1.0  holds for no post-release and no local version
//   of 1.0
//   ==1.0, <=1.0 hold for 1.0+local; ==1.0+local only for that
//   ===   compares the text as written, in either case
#pragma once

#include "specs/version/version.hpp"

namespace stackx::specs {

enum class Prereleases { allow, by_rule };

class SpecifierSet {
 public:
  SpecifierSet();  // any(Versioning::pep440)
  static std::expected<SpecifierSet, ParseError> parse(std::string_view text, Versioning scheme);
  static SpecifierSet any(Versioning scheme);  // "*"

  // Versions of another scheme are a std::invalid_argument, except for "*".
  bool contains(const Version& version, Prereleases policy = Prereleases::allow) const;
  bool is_any() const;
  // Of the interval that the clauses leave, holes aside. Where that has nothing in it (>=2,<1) a version may lie on both sides.
  bool is_impossible() const;
  bool lies_above(const Version& version) const;  // the version, above all that could be in the set
  bool lies_below(const Version& version) const;
  const std::string& text() const;  // as written, without the surrounding white space
  Versioning scheme() const;

 private:
  struct Data;  // immutable and shared: a copy is a pointer
  explicit SpecifierSet(std::shared_ptr<const Data> data);
  std::shared_ptr<const Data> data_;
};

}  // namespace stackx::specs
