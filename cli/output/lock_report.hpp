// Is a lock file a valid stack of the project, and where does it rank?
//
// A lock knows packages only: python, hardware and settings are filled in by the stack that agrees
// with it best. It is valid if there is a stack that holds just its packages in its versions.
#pragma once

#include <filesystem>

#include "resolver/resolver.hpp"
#include "workspace/load.hpp"

namespace stackx::cli {

// Prints the answer; false if it is no.
bool report_lock(const workspace::Loaded& loaded, const resolver::Resolver& resolver,
                 const std::filesystem::path& lock_file, const specs::PythonContext& context,
                 const std::filesystem::path& scores, bool json);

}  // namespace stackx::cli
