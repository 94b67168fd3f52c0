// The rounds of a pass as a campaign's schedule (settling.hpp has the rule): who is open runs, and the advised stack and its
// sentinel with them.
#pragma once

#include <vector>

#include "campaigns/schedule.hpp"
#include "specs/project/plan.hpp"
#include "watch/settling.hpp"

namespace stackx::watch {

class SettlingSchedule : public campaigns::Schedule {
 public:
  // `earlier`: results of starts before this one.
  SettlingSchedule(const specs::Plan& plan, const SettlingRule& rule, std::vector<ArmResult> earlier = {});

  void add(const specs::Inspection& inspection) override;
  std::vector<std::size_t> arms(std::uint64_t round) override;
  std::uint64_t most_rounds() const override { return rule_.most_rounds; }

 private:
  const specs::Plan& plan_;
  SettlingRule rule_;
  std::vector<std::size_t> places_, sentinels_;  // of the plan's arms: the advised stack, then the newcomers; its sentinels
  std::vector<ArmResult> results_;
};

}  // namespace stackx::watch
