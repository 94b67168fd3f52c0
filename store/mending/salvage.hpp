// What is sound in a damaged store, saved into a new one.
//
// The damaged file is only read. Its rows are copied page by page into a scratch file (raw_rows.hpp),
// every document is put together from them and proved by its id, and what is proved goes into the new
// store like any other document. Then the result documents in `<damaged>-results/` are taken in: they
// hold whatever this machine measured itself. The new store gets its name only when all that is done, and never that of
// another file: of two salvages to one name the second says so. Killed before, it leaves a draft.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "store/store.hpp"

namespace stackx::store {

struct Salvage {
  int schema = 0;                           // of the damaged file
  std::uint64_t pages = 0, unreadable = 0;  // of the damaged file; pages and records without sense
  std::uint64_t inspections = 0, plans = 0, published = 0;  // saved
  std::uint64_t lost = 0;             // documents of which a row is left that proves nothing
  std::vector<std::string> examples;  // why: a few of them
  std::vector<std::string> remarks;   // of the result documents beside the store
};

// Throws Error if `damaged` is no file of SQLite's, or `to` exists or cannot be written.
Salvage salvage(const std::filesystem::path& damaged, const std::filesystem::path& to,
                const std::function<void(std::uint64_t done, std::uint64_t of)>& progress = {});

}  // namespace stackx::store
