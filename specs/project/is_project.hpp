// Whether a file can be a project, before anything is read of it or of catalogs.
#pragma once

#include <filesystem>

namespace stackx::specs {

// Throws Error(bad_input) for what cannot be one: not there, a directory, a lock, a file of another kind. Says what is one.
void check_is_project(const std::filesystem::path& file);

}  // namespace stackx::specs
