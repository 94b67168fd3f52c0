// The rows of a damaged store, laid into a new file with the same tables under the same row numbers.
//
// Which table a record belongs to is told by the tree it stands in and, always, by its shape: number
// and types of its values. Nothing is proved here: a record of the right shape may still be wrong, and
// what is read from the result must be verified as ever (rows.hpp).
#pragma once

#include <cstdint>
#include <filesystem>

#include "store/mending/pages.hpp"

namespace stackx::store {

struct RawRows {
  int schema = 0;  // of the damaged file
  std::uint64_t pages = 0, unreadable = 0, rows = 0;
};

// `to` must not exist; it is not synced. Throws Error where it cannot be written.
RawRows copy_rows(const std::filesystem::path& damaged, const std::filesystem::path& to);

}  // namespace stackx::store
