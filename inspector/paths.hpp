// Where stackx keeps things, after the XDG base directory specification.
#pragma once

#include <filesystem>

namespace stackx::inspector {

// $XDG_CACHE_HOME/stackx, else ~/.cache/stackx: what can be made again.
std::filesystem::path cache_directory();

// $XDG_DATA_HOME/stackx, else ~/.local/share/stackx: what cannot.
std::filesystem::path data_directory();

}  // namespace stackx::inspector
