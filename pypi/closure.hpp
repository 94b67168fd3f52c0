// Everything that may have to be installed for some projects: their candidates' requirements, followed until nothing
// new is named, on an index and for a target.
//
// Breadth first: all listings of a round are asked for together, then all metadata. Markers decide with the target's
// environment. An extra that somebody asks for is followed like a project of its own. A version whose requirements
// cannot be known or kept (not PEP 508, a URL, itself in another version) is left out, with the reason.
// Not pruned by ranges: which versions can meet is the resolver's question, and its answer is exact.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "pypi/candidates.hpp"
#include "pypi/index.hpp"
#include "specs/pep508.hpp"

namespace stackx::pypi {

struct Release {
  Candidate candidate;
  std::string requires_python;  // "" for any
  bool authoritative = true;
  std::vector<specs::Dependency> dependencies;  // all, whatever their markers say
};

struct Project {
  bool known = false;             // to the index
  std::vector<Release> releases;  // oldest first
  std::vector<LeftOut> left_out;
  std::set<std::string> extras;  // that somebody asks for
};

using Closure = std::map<std::string, Project>;  // by normalised name

// Throws Error(bad_input) if the index does not know a root.
Closure walk(const std::vector<specs::Dependency>& roots, const specs::Target& target, const Rules& rules,
             Index& index);

// The dependencies that hold without an extra, or those that `extra` adds.
std::vector<const specs::Dependency*> dependencies(const Release& release, const specs::Target& target,
                                                   const std::string& extra);

}  // namespace stackx::pypi
