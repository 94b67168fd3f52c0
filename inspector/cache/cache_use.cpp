#include "inspector/cache/cache_use.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "specs/error.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

fs::path marks(const fs::path& cache) { return cache / "campaigns"; }
fs::path gate(const fs::path& cache) { return cache / "campaigns.lock"; }

fs::path new_mark(const fs::path& cache) {
  static std::atomic<unsigned> count = 0;
  return marks(cache) / fmt::format("{}-{}", getpid(), ++count);
}

std::vector<fs::path> unsorted_entries(const fs::path& directory) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) found.push_back(entry.path());
  return found;
}

}  // namespace

CacheUse::CacheUse(const fs::path& cache) {
  std::error_code error;
  fs::create_directories(marks(cache), error);
  if (error)
    throw broken_environment(fmt::format("{}: cannot be made: {}; is the cache directory writable?",
                                         marks(cache).string(), error.message()));
  const FileLock closed(gate(cache), {});
  file_ = new_mark(cache);
  lock_.emplace(file_, nullptr);
  fs::last_write_time(file_, fs::file_time_type::clock::now(), error);
}

CacheUse::~CacheUse() {
  std::error_code ignored;
  fs::remove(file_, ignored);
}

std::optional<fs::file_time_type> in_use_since(const fs::path& cache) {
  std::optional<fs::file_time_type> oldest;
  for (const auto& mark : unsorted_entries(marks(cache))) {
    std::error_code error;
    const auto began = fs::last_write_time(mark, error);
    if (error) continue;  // it ended just now
    const FileLock lock(mark, {}, never_wait);
    if (lock.held())
      fs::remove(mark, error);
    else
      oldest = std::min(oldest.value_or(began), began);
  }
  return oldest;
}

bool while_unused(const fs::path& cache, const std::function<void()>& act) {
  const FileLock closed(gate(cache), {});
  if (in_use_since(cache)) return false;
  act();
  return true;
}

}  // namespace stackx::inspector
