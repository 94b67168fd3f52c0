// Which arms of a plan run in which round. The campaign asks before each round; what the schedule
// knows are results. So strategies that look at rates (analysis) stay apart from what runs them.
#pragma once

#include <string>
#include <vector>

#include "specs/project/plan.hpp"
#include "specs/result/inspection.hpp"

namespace stackx::campaigns {

class Schedule {
 public:
  virtual ~Schedule() = default;

  // Every result of the campaign once, those of an earlier start first, in any order within a round.
  virtual void add(const specs::Inspection& inspection) = 0;

  // Places in the plan's arms, in any order, of those that run in `round` (asked in ascending order,
  // when all results of earlier rounds were added; what was added of this round or later ones must
  // not matter). Empty: the campaign is complete.
  virtual std::vector<std::size_t> arms(std::uint64_t round) = 0;

  // No round comes after so many.
  virtual std::uint64_t most_rounds() const = 0;

  // What there is to say since it was asked last: who left, and why.
  virtual std::vector<std::string> remarks() { return {}; }
};

// Every arm in each of the plan's rounds.
class FixedSchedule : public Schedule {
 public:
  explicit FixedSchedule(const specs::Plan& plan)
      : arms_(plan.arms.size()), rounds_(plan.campaign.rounds) {}
  void add(const specs::Inspection&) override {}
  std::vector<std::size_t> arms(std::uint64_t round) override {
    std::vector<std::size_t> all(round < rounds_ ? arms_ : 0);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
  }
  std::uint64_t most_rounds() const override { return rounds_; }

 private:
  std::size_t arms_;
  std::uint64_t rounds_;
};

}  // namespace stackx::campaigns
