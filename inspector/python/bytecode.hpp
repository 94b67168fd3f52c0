// The bytecode of an installed wheel, which an interpreter makes that may be anybody's program.
//
// It is given copies of the sources to compile, in a directory of its own; bytecode alone is taken from there, where a
// source stands for it. So it can neither change what was installed by hash, nor what uv's cache shares with that.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <vector>

namespace stackx::inspector {

// Relative paths of the sources, copied with their times, which bytecode holds. Throws filesystem_error.
std::vector<std::string> copy_sources(const std::filesystem::path& from, const std::filesystem::path& room);

// x.pyc and __pycache__/x.*.pyc of those sources, out of the room and into the tree that they were copied from;
// anything else stays. The reason if the room holds what no compiler leaves.
std::expected<void, std::string> take_bytecode(const std::vector<std::string>& sources,
                                               const std::filesystem::path& room, const std::filesystem::path& to,
                                               std::uint64_t most_bytes);

}  // namespace stackx::inspector
