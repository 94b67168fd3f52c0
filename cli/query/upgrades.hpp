// `stackx query upgrades`: what newer versions of a component did to published rates. Not one of the
// questions to the store's sums, as it needs whole results and the catalogs of hardware.
#pragma once

#include <cstddef>
#include <string>

#include "cli/commands.hpp"

namespace stackx::cli {

struct UpgradesQuestion {
  std::string component, hw, workload, format;
  std::size_t limit = 20;
};

void query_upgrades(const UpgradesQuestion& question, Globals& globals);

}  // namespace stackx::cli
