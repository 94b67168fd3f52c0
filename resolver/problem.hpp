// A project over its catalog in numbers: components and versions become indices, every requirement
// a set of versions, and everything that can be left out a clause.
//
// A slot is a name that can be required; its holders are the component of that name and those with
// a version that provides it. Only components reachable from the roots through requirements of any
// version take part: no other can be in a stack.
#pragma once

#include <boost/dynamic_bitset.hpp>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "resolver/resolver.hpp"

namespace stackx::resolver {

using VersionSet = boost::dynamic_bitset<std::uint64_t>;

struct Holder {
  std::size_t component = 0;
  VersionSet versions;  // those that hold the name
};

struct Slot {
  std::string name;
  std::vector<Holder> holders;
};

// Somebody holds the slot, in one of these versions.
struct Need {
  std::size_t slot = 0;
  std::vector<VersionSet> satisfied;  // for each holder; a subset of its versions
  // For each holder the versions that the need may bring into a stack; empty: all that hold the slot. Fewer only where some
  // of them must be named (specs::ByName).
  std::vector<VersionSet> brought = {};
  const VersionSet& brought_of(const Slot& slot, std::size_t holder) const {
    return brought.empty() ? slot.holders[holder].versions : brought[holder];
  }
};

struct CompiledClause {
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);

  Clause clause;
  std::size_t owner = nobody;
  VersionSet owners;        // versions of the owner that say so
  std::vector<Need> if_;    // condition: all of these
  std::vector<Need> needs;  // all of these; for a conflict the one that must not hold
  std::string to_have = {};  // left_out: what would have the owners in the catalog
};

struct Problem {
  std::vector<ComponentVersions> components;  // by name
  std::vector<Slot> slots;
  std::vector<CompiledClause> clauses;  // hardware, roots, pins, then those of the components
  std::vector<VersionSet> by_name;      // by component: versions that are in a stack only if named; empty: none anywhere
};

// Throws Error(bad_input) where hardware is not in the catalog. Of the components in `with_left_out` the versions that were
// left out are there too, each with a clause that excludes it: for explanations. What they require is not known.
Problem compile(const specs::Project& project, const specs::Catalog& catalog,
                const std::set<std::string>& with_left_out = {});

// "if cuda >=12: cupy *, cudnn *": how a clause writes a conditional requirement.
std::string condition_text(const specs::ConditionalRequirement& conditional);

}  // namespace stackx::resolver
