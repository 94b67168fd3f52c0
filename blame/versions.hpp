// The first bad version: all releases of the culprit's leading package between its two versions, in everything else the new
// end, as a search on a chain (each step needs the one before).
//
// A release whose requirements the new end does not meet is tried with the rest of the culprit's group as it was, then with
// all others as they were: they were shown to do little. Where that does not do either, it is skipped with the reason.
// Pre-releases count, they are what one bisects with.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "blame/asked.hpp"
#include "blame/report/finding.hpp"

namespace stackx::blame {

struct VersionWalk {
  Question question;                  // groups: the steps between neighbours
  specs::Catalog catalog;             // of all its stacks
  std::string package;
  std::vector<std::string> versions;  // the old end's first
  std::vector<std::string> in_old_company;  // those of them that the new end's other packages do not allow
  std::vector<std::string> skipped;   // why a release goes with neither: "torch 2.4.0rc1 requires triton ==3.1.0"
};

// Whether releases may lie between: of a package that is at both ends, from an index.
bool has_releases(const Asked& asked, std::size_t group);
// Of the group that was found; nothing where its leading package is at one end only, or no release lies between.
std::optional<VersionWalk> version_walk(Asked& asked, std::size_t group);

// `breaks`: what is new gives no result at all.
FirstBad first_bad(const VersionWalk& walk, const Trial& trial, Yardstick metric, bool breaks);

}  // namespace stackx::blame
