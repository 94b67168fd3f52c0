// The rounds that pairs of stacks share, for rankings that ask for every pair: what paired_logs()
// (analysis/ranking/rates.hpp) gives, in a hundredth of its time, because slots are numbered once.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/ranking/rates.hpp"

namespace stackx::analysis {

class PairedRounds {
 public:
  PairedRounds(const std::vector<const StackRates*>& stacks, const Finals& finals);

  // Log of a's rate over b's, one for each slot that both have; as paired_logs(a, b, finals).
  std::vector<double> logs(std::size_t a, std::size_t b) const;

 private:
  struct Rate {
    std::uint32_t slot = 0;
    double rate = 0;
  };
  struct SlotInfo {
    std::uint32_t campaign = 0;
    bool raced = false, fresh = false;  // of a race; of its finals
  };
  std::vector<std::vector<Rate>> rates_;  // by stack, in the order of slots
  std::vector<SlotInfo> slots_;
  std::uint32_t campaigns_ = 0;
  bool any_race_ = false;
};

}  // namespace stackx::analysis
