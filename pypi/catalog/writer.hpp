// A closure as a catalog (stackx/catalog/1), the same bytes for the same facts and day.
//
//   name         kind package, ecosystem pypi; its description says how many versions were left out, and why
//   name+extra   one version for each of name's: requires that very version, and what the extra adds
//   python       kind runtime, the targets as versions: Requires-Python is a requirement on it
// Several requirements on one name become one specifier set. With several targets, a version that serves some of
// them says which (`python ==3.9.*`), what only some of those need is required under that condition, and every version
// requires python: a condition on an absent component would not hold. A project that nothing usable is known of
// stays, without versions: what requires it is in no stack, and the resolver can say why. Versions that were left out stand
// there by name (`left_out`), with the reason and what would have them in; those that must be named say so (`by_name`). Artifacts where a wheel
// fits a target, each once, and source archives where the closure names them; only with their hash. No URL and no
// host is written: the catalog is the same from any mirror.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pypi/catalog/closure.hpp"
#include "specs/catalog/imported.hpp"

namespace stackx::pypi {

struct CatalogHead {
  std::string description;
  std::string source;  // of all facts, with the day they were read
  std::optional<specs::Imported> imported = {};  // what was asked for
};

std::string write_catalog(const Closure& closure, const Targets& targets, const CatalogHead& head);

// "3 pre-release, 1 yanked": how often each reason stands there, the most frequent first.
std::string count_reasons(const std::vector<LeftOut>& left_out);

}  // namespace stackx::pypi
