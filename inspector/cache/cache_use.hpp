// Says that a campaign uses the cache, so that `stackx env prune` frees nothing under it.
//
//   <cache>/campaigns/<pid>-<n>   locked while the campaign lives; its time is when that began
//
// A campaign touches what it takes (the .lock of every wheel, tree and image), so all that was used since
// the oldest campaign that still lives began is in use. The kernel releases the lock of one that was killed.
// Rejected: a shared lock on every entry for as long as a campaign lives: builders that need it alone would
// wait for hours, and a stack of TensorFlow would hold 40 descriptors.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "inspector/cache/file_lock.hpp"

namespace stackx::inspector {

class CacheUse {
 public:
  // Throws Error(environment) if the cache cannot be written.
  explicit CacheUse(const std::filesystem::path& cache);
  ~CacheUse();
  CacheUse(const CacheUse&) = delete;
  CacheUse& operator=(const CacheUse&) = delete;

 private:
  std::filesystem::path file_;
  std::optional<FileLock> lock_;
};

// When the oldest campaign that lives began; nothing if none does. Removes the marks of dead ones.
std::optional<std::filesystem::file_time_type> in_use_since(const std::filesystem::path& cache);

// Calls `act` while no campaign lives and none can begin; false, without calling it, if one lives.
bool while_unused(const std::filesystem::path& cache, const std::function<void()>& act);

}  // namespace stackx::inspector
