// Which files the loader would find for what an ELF file needs: glibc's rules, followed without running it.
//
// Names with a slash as they are; else DT_RPATH (of the file, and of those that needed it), DT_RUNPATH, ld.so.cache and
// the system's directories, $ORIGIN in all of them. Where a directory has variants for some processors (glibc-hwcaps),
// all of them: the loader inside will choose. LD_LIBRARY_PATH is a matter of who sets it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace stackx::inspector {

// With symbolic links resolved: whether that file may be opened. Where not, it is as if it were not there.
using MayOpen = std::function<bool(const std::filesystem::path& real)>;

// By the names under which they are found, those that they need in turn among them; at most 256.
std::vector<std::filesystem::path> needed_libraries(const std::filesystem::path& file, const MayOpen& may_open);

// What ld.so.cache knows under a library's name; `cache` is its bytes.
std::vector<std::filesystem::path> cached_libraries(const std::string& cache, const std::string& name);

}  // namespace stackx::inspector
