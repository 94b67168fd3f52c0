#include "watch/told.hpp"

#include <algorithm>

#include "specs/project/plan.hpp"

namespace stackx::watch {

Told::Told(const store::Store& store, const std::string& watch) : project_(watch + "-told") {
  for (const auto& row : store.campaigns()) {  // newest first
    if (row.project != project_) continue;
    if (const auto plan = store.plan(row.id))
      for (const auto& arm : plan->arms) {
        labels_.insert(arm.label);
        if (!advice_ && arm.label.starts_with("advice/")) advice_ = arm.stack;
      }
  }
}

bool Told::gave_up(const std::string& campaign) const {
  const auto label = "given-up/" + campaign.substr(0, 12);
  return has(label) || std::ranges::any_of(fresh_, [&](const auto& one) { return one.first == label; });
}

bool Told::is_news(const std::string& label, const specs::Stack& stack) const {
  return label.starts_with("advice/") ? advice_ != stack : !labels_.contains(label);
}

void Told::keep(store::Store& store, store::Spool& spool, const specs::Workload& workload, const std::string& created) const {
  specs::Plan plan;
  plan.project = project_;
  plan.created = created;
  plan.campaign.rounds = 1;
  for (const auto& [label, stack] : fresh_)
    if (is_news(label, stack) && std::ranges::find(plan.arms, label, &specs::Arm::label) == plan.arms.end())
      plan.arms.push_back({label, stack, workload, false});
  if (plan.arms.empty()) return;
  specs::seal(plan);
  spool.write(plan);
  store.ingest(plan);
}

}  // namespace stackx::watch
