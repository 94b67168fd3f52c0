// Frees what the cache (cache.hpp) holds and nobody used for some time.
//
// Each entry goes under its own lock, and only if its last use, read again then, is neither later than
// `before` nor later than the start of a campaign that lives (cache_use.hpp), nor than that of this pruning.
// It is renamed first, so that nobody ever finds half of it. Environments go before the wheels that they are
// linked to, images before those they are built on.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "inspector/cache/cache.hpp"

namespace stackx::inspector {

struct PruneOrder {
  std::filesystem::file_time_type before{};  // last used before: goes
  bool all = false;                          // uv's cache and the index's answers, too
  bool dry_run = false;
};

struct Pruned {
  std::string kind, name;      // "wheel", "numpy 1.26.4 (cpython-311)"
  std::filesystem::path path;
  std::uint64_t freed = 0;     // bytes that came back
  std::string kept;            // why it stays although it is old enough; empty: it is gone
};

// What went, and what was due and stays. `engine` may be null: then images stay.
std::vector<Pruned> prune(const Cache& cache, const PruneOrder& order, const Engine* engine);

std::string name_of(const CachedWheel& wheel);              // "numpy 1.26.4 (cpython-311)"
std::string name_of(const CachedEnvironment& environment);  // "41 packages: tensorflow 2.19.0, ..."
std::string name_of(const CachedImage& image);              // "bookworm + python3, gcc"

}  // namespace stackx::inspector
