// What it means for one version of one component to hold a name and to meet a requirement: the
// words in which both the engine and violation() are written.
#pragma once

#include <string>

#include "specs/project/project.hpp"

namespace stackx::resolver {

// The version under which an entry of the component holds the name: its own, or the one it
// provides; null if it does not hold it.
const specs::Version* held_version(const specs::Component& component,
                                   const specs::VersionEntry& entry, const std::string& name);

// The entry holds the requirement's name and is in its range. An attribute is the entry's own, also
// where the name is virtual: blas.vendor is that of the provider.
bool meets(const specs::Component& component, const specs::VersionEntry& entry,
           const specs::Requirement& requirement);

// A requirement that leads to this entry may bring it into a stack: it names the entry, where that is needed (ByName). Only
// a requirement on the component itself names anything. `alone`: no entry that need not be named meets the requirement.
bool brings(const specs::Component& component, const specs::VersionEntry& entry,
            const specs::Requirement& requirement, bool alone);

// The entry that the project's hardware names for the component; throws Error(bad_input) without
// one.
const specs::VersionEntry& hardware_entry(const specs::Project& project,
                                          const specs::Catalog& catalog, const std::string& name);

}  // namespace stackx::resolver
