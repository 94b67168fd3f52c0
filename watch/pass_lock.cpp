#include "watch/pass_lock.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "specs/error.hpp"

namespace stackx::watch {
namespace {

// A killed pass's child holds the lock until it has become another program: longer than that nobody waits.
constexpr std::chrono::milliseconds lock_patience{300};

std::string holder_in(const std::filesystem::path& file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return line.empty() ? "another process" : line;
}

}  // namespace

PassLock::PassLock(const std::filesystem::path& database, const std::string& id, const std::string& project)
    : file_(database.string() + "-" + id + ".lock") {
  std::error_code refused;
  std::filesystem::create_directories(file_.parent_path(), refused);
  const auto until = std::chrono::steady_clock::now() + lock_patience;
  lock_ = std::make_unique<inspector::FileLock>(file_, nullptr, [&] { return std::chrono::steady_clock::now() >= until; });
  if (!lock_->held())
    throw bad_input(fmt::format("a pass over {} is under way: {}; nothing was done, the next time the timer comes will do", project, holder_in(file_)));
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  std::ofstream(file_) << fmt::format("process {} on {}\n", getpid(), host);
}

PassLock::~PassLock() {
  std::error_code ignored;
  if (lock_) std::filesystem::remove(file_, ignored);  // while it is held: who waits for it looks again
}

}  // namespace stackx::watch
