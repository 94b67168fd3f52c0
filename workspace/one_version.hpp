// Components that are made in memory, at one version, and the requirement of exactly that.
#pragma once

#include <string>

#include "specs/catalog/catalog.hpp"

namespace stackx::workspace {

// Throws Error(bad_input) at `where` for a text that is no such version.
specs::Component one_version(const std::string& name, specs::Kind kind,
                             specs::Versioning versioning, const std::string& version,
                             const std::string& where);

// On the component's only version.
specs::Requirement exactly(const specs::Component& component);

}  // namespace stackx::workspace
