// Files on this disk, as pip's find-links name them: by a path, or by a file: URL.
//
// Read like those of an index: a wheel's METADATA alone, a source archive up to 8 MiB.
#pragma once

#include <expected>
#include <filesystem>
#include <string>

namespace stackx::pypi {

bool is_file_url(const std::string& url);                     // begins with file:
std::string file_url(const std::filesystem::path& path);      // of an absolute path
std::filesystem::path path_of_file_url(const std::string& url);  // "" for one of another machine

// Core metadata of the wheel or source archive, or why there is none.
std::expected<std::string, std::string> local_metadata(const std::filesystem::path& file);

// All of it, if it is no larger than `most`.
std::expected<std::string, std::string> local_bytes(const std::filesystem::path& file, std::uint64_t most);

}  // namespace stackx::pypi
