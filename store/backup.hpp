// A whole copy of a store at one moment, while others write to it.
//
// SQLite's VACUUM INTO reads one snapshot and writes a file without holes; it is made beside its place, looked through as
// `db check --quick` does, and gets its name at the end, and never that of a file that is there. Rejected: SQLite's online backup,
// which begins anew whenever another process writes, so that beside a campaign it may never end; `cp`, which may copy a file in the
// middle of a write and leaves out what stands in the log.
#pragma once

#include <cstdint>
#include <filesystem>

#include "store/store.hpp"

namespace stackx::store {

// Gives its size in bytes. Throws Error(bad_input) where `to` exists, Damaged where the store is damaged.
std::uint64_t backup(const std::filesystem::path& file, const std::filesystem::path& to, const CheckProgress& progress = {});

}  // namespace stackx::store
