#include "analysis/statistics/paired_rounds.hpp"

#include <cmath>

namespace stackx::analysis {

PairedRounds::PairedRounds(const std::vector<const StackRates*>& stacks, const Finals& finals) {
  std::vector<std::map<Slot, double>> by_stack;
  std::map<Slot, std::uint32_t> numbers;
  for (const StackRates* stack : stacks) {
    by_stack.push_back(by_slot(*stack));
    for (const auto& [slot, rate] : by_stack.back()) numbers.try_emplace(slot, 0);
  }
  std::map<std::string, std::uint32_t> campaigns;
  for (auto& [slot, number] : numbers) {
    number = static_cast<std::uint32_t>(slots_.size());
    const auto& [campaign, round, device] = slot;
    const auto raced = finals.find(campaign);
    const std::uint32_t known =
        campaigns.try_emplace(campaign, static_cast<std::uint32_t>(campaigns.size())).first->second;
    slots_.push_back({known, raced != finals.end(), raced != finals.end() && round >= raced->second});
    any_race_ = any_race_ || slots_.back().raced;
  }
  campaigns_ = static_cast<std::uint32_t>(campaigns.size());
  for (const auto& slots : by_stack) {
    rates_.emplace_back();
    rates_.back().reserve(slots.size());
    for (const auto& [slot, rate] : slots) rates_.back().push_back({numbers.at(slot), rate});
  }
}

std::vector<double> PairedRounds::logs(std::size_t a, std::size_t b) const {
  std::vector<double> result;
  std::vector<std::uint32_t> shared;
  std::vector<bool> both_finalists(any_race_ ? campaigns_ : 0);
  auto of_a = rates_[a].begin(), of_b = rates_[b].begin();
  while (of_a != rates_[a].end() && of_b != rates_[b].end()) {
    if (of_a->slot < of_b->slot) {
      ++of_a;
    } else if (of_b->slot < of_a->slot) {
      ++of_b;
    } else {
      result.push_back(std::log(of_a->rate / of_b->rate));
      if (any_race_) {
        shared.push_back(of_a->slot);
        if (slots_[of_a->slot].fresh) both_finalists[slots_[of_a->slot].campaign] = true;
      }
      ++of_a;
      ++of_b;
    }
  }
  if (!any_race_) return result;
  std::size_t kept = 0;  // without the rounds that picked both as finalists
  for (std::size_t i = 0; i < result.size(); ++i) {
    const SlotInfo& slot = slots_[shared[i]];
    if (slot.raced && !slot.fresh && both_finalists[slot.campaign]) continue;
    result[kept++] = result[i];
  }
  result.resize(kept);
  return result;
}

}  // namespace stackx::analysis
