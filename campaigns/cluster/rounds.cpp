#include "campaigns/cluster/rounds.hpp"

#include <algorithm>
#include <map>

namespace stackx::campaigns::cluster {
namespace {

// What a further round would not change: the environment, or the machine.
bool lasts(specs::Outcome outcome) {
  using specs::Outcome;
  constexpr Outcome lasting[] = {Outcome::build_failed, Outcome::hash_mismatch, Outcome::build_timed_out, Outcome::disk_full,
                                 Outcome::unsupported,  Outcome::missing_pi,    Outcome::too_large};
  return std::ranges::find(lasting, outcome) != std::end(lasting);
}

}  // namespace

std::set<std::uint64_t> complete_rounds(const specs::Plan& plan, const std::vector<Result>& results) {
  std::map<std::string, std::set<std::uint64_t>> ran;
  std::map<std::string, std::uint64_t> left_out_after;  // arm -> the first round with such a result
  for (const auto& one : results) {
    ran[one.arm].insert(one.round);
    if (!lasts(one.outcome)) continue;
    const auto [known, is_new] = left_out_after.emplace(one.arm, one.round);
    if (!is_new) known->second = std::min(known->second, one.round);
  }
  std::set<std::uint64_t> complete;
  for (std::uint64_t round = 0; round < plan.campaign.rounds; ++round) {
    const bool all = std::ranges::all_of(plan.arms, [&](const specs::Arm& arm) {
      const auto left = left_out_after.find(arm.label);
      return ran[arm.label].contains(round) || (left != left_out_after.end() && left->second < round);
    });
    if (all) complete.insert(round);
  }
  return complete;
}

}  // namespace stackx::campaigns::cluster
