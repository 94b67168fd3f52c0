// Input: a versioning, a specifier set, then a version a line.
#include <string>

#include "specs/version/specifier.hpp"
#include "tests/fuzz/lines.hpp"

using namespace stackx::specs;
using namespace stackx::fuzz;

namespace {

// A set holds where each of its clauses does; != holds where == does not.
bool by_clauses(std::string_view text, Versioning scheme, const Version& version) {
  bool all = true;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string clause(text.substr(begin, end - begin));
    begin = end + 1;
    const auto set = SpecifierSet::parse(clause, scheme);
    require(set.has_value(), "the clauses of a set are sets");
    all = all && set->contains(version);
    const std::size_t operation = clause.find("!=");
    // Not "==a!=b", nor an opaque "!==a", whose opposite is spelt "== =a".
    if (operation == std::string::npos || clause.find('=') != operation + 1) continue;
    if (clause.substr(operation + 2, 1) == "=") continue;
    clause[operation] = '=';
    const auto opposite = SpecifierSet::parse(clause, scheme);
    require(opposite && opposite->contains(version) != set->contains(version),
            "!= is the opposite of ==");
  }
  return all;
}

void check(const SpecifierSet& set, std::string_view text, Versioning scheme,
           const Version& version) {
  const bool holds = set.contains(version);
  require(holds || !set.contains(version, Prereleases::by_rule),
          "the rule for pre-releases only excludes");
  require(version.is_prerelease() || holds == set.contains(version, Prereleases::by_rule),
          "the rule for pre-releases is about pre-releases");
  require(!set.is_any() || holds, "* holds for everything");
  if (!set.is_any())
    require(holds == by_clauses(text, scheme, version), "a set is the conjunction of its clauses");
  if (version.text().find(',') != std::string::npos) return;  // an opaque version may hold one
  const auto itself = SpecifierSet::parse("==" + version.text(), scheme);
  const bool other_operator = version.text().starts_with('=');  // "===" is not "=="
  require(other_operator || (itself && itself->contains(version)), "a version is == itself");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto texts = lines(data, size);
  if (texts.size() < 2) return 0;
  const Versioning scheme = versioning(texts[0]);
  const auto set = SpecifierSet::parse(texts[1], scheme);
  if (!set) {
    check_error(set.error(), texts[1]);
    return 0;
  }
  for (std::size_t i = 2; i < texts.size(); ++i)
    if (const auto version = Version::parse(texts[i], scheme))
      check(*set, texts[1], scheme, *version);
  return 0;
}
