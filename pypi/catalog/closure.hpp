// Everything that may have to be installed for some projects: their candidates' requirements, followed until nothing
// new is named, on an index and for some targets.
//
// Breadth first: all listings of a round are asked for together, then all metadata. Markers decide with each target's
// environment. An extra that somebody asks for is followed like a project of its own. A version whose requirements
// cannot be known or kept (not PEP 508, a URL, itself in another version, what no catalog can name) is left out, with
// the reason. So is a project whose page cannot be read, if the user did not name it.
//
// Not pruned by ranges: which versions can meet is the resolver's question, and its answer is exact. With
// `Rules::newest` the versions of a dependency are pruned: each requirement on it keeps, for each target, the newest
// of those that it allows; with a wheel before those without. What is read and followed shrinks with it. Every stack of
// the smaller catalog is one of the whole; what two requirements would have agreed on may be missing, where it is the
// newest for neither. The projects that the user names keep all versions that were asked for.
//
// Versions that must be named (candidates.hpp) are read only where a requirement names them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "pypi/catalog/candidates.hpp"
#include "pypi/index/facts.hpp"
#include "pypi/index/index.hpp"
#include "specs/python/pep508.hpp"

namespace stackx::pypi {

// Wheels of one version may state different requirements, where the author's setup.py looked at its Python.
struct Release {
  Candidate candidate;
  std::vector<Facts> facts;  // one for each serving
};

struct Project {
  bool known = false;             // to the index
  std::string fault = {};         // why its page could not be read, though the index can be reached
  std::vector<Release> releases;  // oldest first
  std::vector<LeftOut> left_out;
  std::set<std::string> extras;  // that somebody asks for
};

using Closure = std::map<std::string, Project>;  // by normalised name

// What the user names; the ranges of one project named twice are a union.
struct Root {
  specs::Dependency dependency;
  Indices targets;  // that its marker holds for
};

// Throws Error(bad_input) if the index does not know a root, Error(environment) if its page cannot be read.
Closure walk(const std::vector<Root>& roots, const Targets& targets, const Rules& rules, Index& index);

// A dependency, and for which of the targets that the release serves it holds.
struct Need {
  const specs::Dependency* dependency;
  Indices targets;
};

// Those that hold without an extra, or those that `extra` adds; in the order in which they are stated.
std::vector<Need> needs(const Release& release, const Targets& targets, const std::string& extra);

}  // namespace stackx::pypi
