// Whether something can be written at a place, before anybody tries.
#pragma once

#include <filesystem>
#include <string>

namespace stackx::workspace {

// The path, or what there is of the way to it.
std::filesystem::path nearest_existing(std::filesystem::path path);
// Why nothing can be written there, in the system's words; "" if it can.
std::string why_not_writable(const std::filesystem::path& path);

}  // namespace stackx::workspace
