#include "watch/schedule.hpp"

#include <algorithm>

#include "analysis/ranking/rates.hpp"
#include "store/store.hpp"

namespace stackx::watch {
namespace {

std::optional<double> log_rate_of(const specs::Inspection& inspection) {
  store::Measurement measurement;
  measurement.outcome = inspection.outcome;
  measurement.samples_ns = inspection.samples_ns;
  measurement.work = inspection.work;
  return analysis::log_rate(measurement);
}

}  // namespace

SettlingSchedule::SettlingSchedule(const specs::Plan& plan, const SettlingRule& rule, std::vector<ArmResult> earlier)
    : plan_(plan), rule_(rule), results_(std::move(earlier)) {
  for (std::size_t place = 0; place < plan.arms.size(); ++place) (plan.arms[place].sentinel ? sentinels_ : places_).push_back(place);
}

void SettlingSchedule::add(const specs::Inspection& inspection) {
  for (std::size_t arm = 0; arm < places_.size(); ++arm)
    if (plan_.arms[places_[arm]].label == inspection.arm)
      results_.push_back({arm, inspection.round, inspection.outcome, inspection.reason, log_rate_of(inspection)});
}

std::vector<std::size_t> SettlingSchedule::arms(std::uint64_t round) {
  std::vector<std::size_t> running;
  for (const auto arm : arms_of_round(results_, places_.size() - 1, round, rule_)) running.push_back(places_[arm]);
  if (!running.empty()) running.insert(running.end(), sentinels_.begin(), sentinels_.end());
  return running;
}

}  // namespace stackx::watch
