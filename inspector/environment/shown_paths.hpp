// Which paths of this machine a sandbox may show because a catalog names them, and what else they need to be of use.
//
// A catalog is a stranger's text. Whatever it names, these stay hidden: the machine's own trees (/proc, /sys, /run, /etc,
// ...), homes and whatever holds homes, what users keep in their homes' hidden directories (but for the places below
// them where tools install Pythons and libraries), and what stackx itself keeps. That such a path is named by nobody
// but this machine's user is another matter: workspace/allowed_paths.hpp.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stackx::inspector {

// The reason, for people; nothing if it may be shown. `path` is canonical.
std::optional<std::string> why_not_shown(const std::filesystem::path& path);

// Why a file is not read to its end and hashed (it is none, or one without end), for people, after its path; nothing if
// it is.
std::optional<std::string> why_not_read(const std::filesystem::path& file);

// The installation that a program belongs to (PREFIX of PREFIX/bin/python3), at each of the names that lead to it; just
// the file where it lies elsewhere. Not what lies in /usr.
std::vector<std::filesystem::path> installations_of(const std::filesystem::path& program);

// Whether a path lies in such an installation, or in what every sandbox shows: what a program says that it needs.
bool belongs_to(const std::filesystem::path& program, const std::filesystem::path& path);

// The shared objects that a program or library is linked with, outside of /usr, as the loader would find them: read from
// the files, without mapping or running any of them (elf_needs.hpp). None of what is no ELF file.
std::vector<std::filesystem::path> linked_with(const std::filesystem::path& file);

}  // namespace stackx::inspector
