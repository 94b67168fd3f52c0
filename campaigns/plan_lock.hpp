// One process runs a plan at a time: two would measure beside each other, and disturb each other.
//
// A file beside the plan's documents, locked as long as this lives (flock: the kernel lets go of it when its holder ends,
// however that ends), which says who holds it. Rejected: a file that is there or not, which outlives a kill; a row in the
// store, likewise.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "inspector/cache/file_lock.hpp"
#include "store/spool.hpp"

namespace stackx::campaigns {

class PlanLock {
 public:
  // Throws Error(bad_input), naming the holder, where another process runs this plan.
  PlanLock(const store::Spool& spool, const std::string& plan);
  ~PlanLock();
  PlanLock(PlanLock&&) = default;

 private:
  std::filesystem::path file_;
  std::unique_ptr<inspector::FileLock> lock_;
};

}  // namespace stackx::campaigns
