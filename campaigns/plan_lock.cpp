#include "campaigns/plan_lock.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "specs/error.hpp"

namespace stackx::campaigns {
namespace {

// A killed campaign's child holds the lock until it has become another program: longer than that nobody waits.
constexpr std::chrono::milliseconds patience{300};

std::string this_process() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return fmt::format("process {} on {}", getpid(), host);
}

std::string first_line(const std::filesystem::path& file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return line.empty() ? "another process" : line;
}

}  // namespace

PlanLock::PlanLock(const store::Spool& spool, const std::string& plan) {
  const std::string name = plan.substr(0, 12);
  file_ = spool.place_of(plan) / "lock";
  const auto until = std::chrono::steady_clock::now() + patience;
  const auto waited = [&] { return std::chrono::steady_clock::now() >= until; };
  lock_ = std::make_unique<inspector::FileLock>(file_, nullptr, waited);
  if (!lock_->held())
    throw bad_input(fmt::format("campaign {} is being run by {}: wait until that ends, or end it; --resume goes on then",
                                name, first_line(file_)));
  std::ofstream(file_) << this_process() << "\n";
}

PlanLock::~PlanLock() {
  std::error_code ignored;
  if (lock_) std::filesystem::remove(file_, ignored);  // while it is held: who waits for it looks again
}

}  // namespace stackx::campaigns
