// What lies between two ends: the changes from one to the other, and which of them no valid stack separates.
//
// A state has each changed component old or new; of one that an end does not have, one of the two is "absent". Both ends are
// valid by definition: what an end itself breaks (its metadata says numpy<2, the lock has numpy 2) holds for nobody, and is named
// in `notes`. Every other requirement holds in every stack between. So each rule is "where A is new, B is", and the changes are
// a graph: what reaches each other is a group, and a group needs those that it reaches.
//
//   A requires B >=2        where A is at that end, B is
//   C, at one end alone     required by one group: belongs to it, because pip would not install it otherwise; by several: each of
//                           them has it; by nobody: free
//   three together          extras, another end's Python: a rule on two of the three, stricter and never weaker than what holds
// Rejected: trying a stack and asking pip. A search asks about hundreds, and half of them would differ in packages of neither end.
#pragma once

#include <string>
#include <vector>

#include "specs/catalog/catalog.hpp"
#include "specs/catalog/stack.hpp"
#include "specs/project/project.hpp"

namespace stackx::blame {

struct Change {
  std::string component, old_version, new_version;  // "": it is not there

  const std::string& version(bool is_new) const { return is_new ? new_version : old_version; }
  bool is_one_sided() const { return old_version.empty() || new_version.empty(); }
};

struct Group {
  std::vector<std::size_t> changes;  // the one that requires most of the others, also through some, first; then by name
  std::vector<std::string> because;  // "torch 2.4.0 requires triton ==3.0.0"
  std::vector<std::size_t> needs;    // groups that are new where this one is, ascending, also those that these need
};

struct Between {
  // The question to the resolver: its stacks are the valid ones. What is at one end alone is optional without a component
  // for that: one that is always there requires it if it is there (`requires_if`), and that is enough to be in a stack.
  specs::Project project;
  specs::Catalog catalog;
  std::vector<Change> changes;     // by name
  std::vector<Group> groups;       // each after all that it needs
  std::string valid_stacks;        // exact, in digits; "": too entangled to be counted
  std::vector<std::string> notes;  // sentences
  std::vector<std::string> broken;  // what an end itself breaks, each once: "scipy 1.6.2 requires numpy <1.23.0"; of packages

  // `is_new` for each group, closed: where a group is new, so are those that it needs.
  specs::Stack stack(const std::vector<bool>& is_new) const;
};

}  // namespace stackx::blame
