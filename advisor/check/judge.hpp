// What an installer would take of a world, and whether that runs on its machine.
//
// The choice: each package in turn takes the newest version that any installable stack has left, requested ones first,
// then what these require, and so on (breadth first). That is what pip's backtracking ends in where nothing is in conflict, and
// exact also where something is. An installer knows nothing of GPUs and drivers: requirements on those are held against
// the choice afterwards. Rejected: judging whether any stack runs ("pip install torch" would run on every GPU).
#pragma once

#include <optional>

#include "resolver/resolver.hpp"

namespace stackx::advisor {

struct Case {
  const specs::Project& project;
  const specs::Catalog& catalog;
  const std::vector<std::string>& order;  // components in the order of choice
};

struct Judged {
  bool installable = false, runs = false;
  specs::Stack chosen;                      // of what is installed, if that can be
  specs::Stack running;                     // one whole stack with the choice, if it runs: with gpu, driver
  std::optional<resolver::Unsolvable> why;  // not installable, or does not run
};

Judged judge(const Case& one);

// The newest stack of all that hold, in the order of choice; nothing if there is none.
std::optional<specs::Stack> newest_stack(const specs::Project& project, const specs::Catalog& catalog,
                                         const std::vector<std::string>& order);

// Versions of `component` that some stack holds.
std::set<std::string> possible_versions(const specs::Project& project, const specs::Catalog& catalog,
                                        const std::string& component);

// Only what is chosen: every component of the stack with that version alone.
specs::Catalog only(const specs::Catalog& catalog, const specs::Stack& stack);

}  // namespace stackx::advisor
