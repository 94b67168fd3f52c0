#include "watch/told.hpp"

#include <algorithm>

#include "specs/project/plan.hpp"

namespace stackx::watch {

Told::Told(const store::Store& store, const std::string& watch) : project_(watch + "-told") {
  for (const auto& row : store.campaigns()) {
    if (row.project != project_) continue;
    if (const auto plan = store.plan(row.id))
      for (const auto& arm : plan->arms) labels_.insert(arm.label);
  }
}

bool Told::any_verdict(const std::string& campaign) const {
  const auto begin = "verdict/" + campaign.substr(0, 12) + "/";
  const auto found = labels_.lower_bound(begin);
  return found != labels_.end() && found->starts_with(begin);
}

void Told::keep(store::Store& store, store::Spool& spool, const specs::Workload& workload, const std::string& created) const {
  specs::Plan plan;
  plan.project = project_;
  plan.created = created;
  plan.campaign.rounds = 1;
  for (const auto& [label, stack] : fresh_)
    if (!labels_.contains(label) && std::ranges::find(plan.arms, label, &specs::Arm::label) == plan.arms.end())
      plan.arms.push_back({label, stack, workload, false});
  if (plan.arms.empty()) return;
  specs::seal(plan);
  spool.write(plan);
  store.ingest(plan);
}

}  // namespace stackx::watch
