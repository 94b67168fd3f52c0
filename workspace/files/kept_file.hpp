// Files that the cache keeps for later commands, made anew each time.
#pragma once

#include <filesystem>
#include <string_view>

namespace stackx::workspace {

// Whole, with the directory that it lies in. Throws Error(environment).
void keep_file(const std::filesystem::path& file, std::string_view text);

}  // namespace stackx::workspace
