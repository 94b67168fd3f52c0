// Why no version of a project can be had, as pip says it ("no matching distribution", "from versions: ..."):
//   click==99: the index has no such version; nearest are 8.5.1, 8.5.0, 8.4.2 (of 66)
//   click>=8: no version can be used: 10 needs another Python; 2 no wheel for the target; newest 8.5.1
#pragma once

#include <string>

#include "pypi/catalog/candidates.hpp"
#include "pypi/catalog/closure.hpp"

namespace stackx::pypi {

// Of a project without releases. `asked`: what was asked of it; no range, or one that is any: every version would do.
std::string why_no_version(const std::string& name, const Ranges& asked, const Project& project);

}  // namespace stackx::pypi
