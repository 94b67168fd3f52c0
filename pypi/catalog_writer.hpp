// A closure as a catalog (stackx/catalog/1), the same bytes for the same facts and day.
//
//   name         kind package, ecosystem pypi; its description says how many versions were left out, and why
//   name+extra   one version for each of name's: requires that very version, and what the extra adds
//   python       kind runtime, the target's version: Requires-Python is a requirement on it
// Several requirements on one name become one specifier set. A project that nothing usable is known of
// stays, without versions: what requires it is in no stack, and the resolver can say why. Artifacts only where a wheel
// fits the target and its hash is known. No URL and no host is written: the catalog is the same from any
// mirror.
#pragma once

#include <string>
#include <vector>

#include "pypi/closure.hpp"

namespace stackx::pypi {

struct CatalogHead {
  std::string description;
  std::string source;  // of all facts, with the day they were read
};

std::string write_catalog(const Closure& closure, const specs::Target& target, const CatalogHead& head);

// "3 pre-release, 1 yanked": how often each reason stands there, the most frequent first.
std::string count_reasons(const std::vector<LeftOut>& left_out);

}  // namespace stackx::pypi
