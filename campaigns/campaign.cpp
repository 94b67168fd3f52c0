#include "campaigns/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>

#include "specs/random.hpp"

namespace stackx::campaigns {
namespace {

using specs::Arm;
using specs::Inspection;
using specs::Outcome;
using specs::Plan;

// How long an inspection of an arm takes: its own mean, else the mean of all.
class Durations {
 public:
  void add(const std::string& arm, double seconds) {
    for (auto* sum : {&by_arm_[arm], &all_}) {
      sum->seconds += seconds;
      ++sum->count;
    }
  }
  bool known() const { return all_.count > 0; }
  double of(const std::string& arm) const {
    const auto found = by_arm_.find(arm);
    return found != by_arm_.end() ? found->second.mean() : all_.mean();
  }

 private:
  struct Sum {
    double seconds = 0;
    std::uint64_t count = 0;
    double mean() const { return count > 0 ? seconds / static_cast<double>(count) : 0; }
  };
  std::map<std::string, Sum> by_arm_;
  Sum all_;
};

// The components in which arms differ: the others tell nothing, and a stack may have fifty.
std::set<std::string> differing(const Plan& plan) {
  std::map<std::string, std::set<std::string>> versions;
  std::map<std::string, std::size_t> present;
  for (const auto& arm : plan.arms)
    for (const auto& [component, version] : arm.stack.components) {
      versions[component].insert(version);
      ++present[component];
    }
  std::set<std::string> result;
  for (const auto& [component, seen] : versions)
    if (seen.size() > 1 || present[component] < plan.arms.size()) result.insert(component);
  return result;
}

class Campaign {
 public:
  Campaign(const Plan& plan, inspector::StackInspector& inspector, Schedule& schedule,
           const std::set<Slot>& done, Listener& listener, const std::function<bool()>& stop,
           const Seconds& now)
      : plan_(plan),
        inspector_(inspector),
        schedule_(schedule),
        done_(done),
        listener_(listener),
        stop_(stop),
        now_(now),
        started_(now()),
        differing_(differing(plan)) {
    std::map<std::string, std::vector<std::uint64_t>> rounds;  // ascending
    for (const auto& [round, label] : done) rounds[label].push_back(round);
    for (auto& [label, of_arm] : rounds) {
      seen_.insert(label);
      auto end = schedule.most_rounds();
      for (; !of_arm.empty() && of_arm.back() + 1 >= end; of_arm.pop_back()) end = std::min(end, of_arm.back());
      complete_from_[label] = end;
    }
  }

  Ending run() {
    for (const auto& arm : plan_.arms) inspector_.check(arm.stack, arm.workload);
    if (plan_.campaign.parallel > 1) {
      listener_.say(
          fmt::format("parallel={}: inspections run one at a time, because measurements "
                      "that share a machine disturb each other",
                      plan_.campaign.parallel));
    }
    for (round_ = 0;; ++round_) {
      active_ = schedule_.arms(round_);
      for (const auto& line : schedule_.remarks()) listener_.say(line);
      if (active_.empty()) break;
      if (!prepare() || !run_round()) return ending_;
      listener_.finished(round_);
    }
    report("done");
    return Ending::complete;
  }

 private:
  bool stopped() { return stop_ && stop_(); }

  // "3f2a... numpy=1.26.4 python=3.11", as much as fits beside the counts.
  std::string describe(const Arm& arm) const {
    constexpr std::size_t most = 100;
    std::string text = arm.label;
    for (const auto& [component, version] : arm.stack.components) {
      if (!differing_.contains(component)) continue;
      if (text.size() + component.size() + version.size() > most) return text + " ...";
      text += " " + component + "=" + version;
    }
    return text;
  }

  bool end(Ending ending, const std::string& why) {
    ending_ = ending;
    report(why.empty() ? "interrupted" : why);
    if (!why.empty()) listener_.say(why);
    return false;
  }

  bool prepare() {
    for (const auto place : active_) {
      const auto& arm = plan_.arms.at(place);
      if (stopped()) return end(Ending::interrupted, "");
      auto known = ready_.find(arm.stack);
      if (known == ready_.end() && wanted(arm)) {
        report("preparing " + describe(arm));
        const auto prepared =
            inspector_.prepare(arm.stack, [&](const std::string& line) { listener_.say(line); });
        if (stopped()) return end(Ending::interrupted, "");
        if (!prepared.ok) {
          listener_.say(fmt::format("{} is left out: {}", arm.label, prepared.reason));
        }
        known = ready_.emplace(arm.stack, prepared.ok).first;
      }
      if (known != ready_.end() && !known->second) broken_.insert(arm.label);
    }
    return true;
  }

  // Something of this arm is still to be run. Asked of every arm in every round of a campaign that is resumed.
  bool wanted(const Arm& arm) const {
    const auto found = complete_from_.find(arm.label);
    return round_ < (found == complete_from_.end() ? schedule_.most_rounds() : found->second);
  }

  bool due(std::uint64_t round, const Arm& arm) const {
    if (done_.contains({round, arm.label})) return false;
    return !broken_.contains(arm.label) || !seen_.contains(arm.label);
  }

  bool run_round() {
    const auto order = plan_.order(round_);
    for (std::size_t position = 0; position < order.size(); ++position) {
      if (std::ranges::find(active_, order[position]) == active_.end()) continue;
      const auto& arm = plan_.arms.at(order[position]);
      if (!due(round_, arm)) continue;
      if (!may_go_on()) return false;
      report(describe(arm));
      const double begin = now_();
      auto inspection = inspector_.inspect(arm.stack, arm.workload);
      if (stopped()) return end(Ending::interrupted, "");
      inspection.campaign = plan_.id;
      inspection.round = round_;
      inspection.position = position;
      inspection.arm = arm.label;
      inspection.sentinel = arm.sentinel;
      specs::seal(inspection);
      listener_.result(inspection);
      schedule_.add(inspection);
      count(arm, inspection, now_() - begin);
    }
    return true;
  }

  void count(const Arm& arm, const Inspection& inspection, double seconds) {
    ran_.insert({inspection.round, arm.label});
    seen_.insert(arm.label);
    if (!broken_.contains(arm.label)) durations_.add(arm.label, seconds);
    if (inspection.outcome == Outcome::ok) return;
    ++failed_;
    if (inspection.outcome != Outcome::unsupported) ++counted_failures_;
  }

  bool may_go_on() {
    const auto& limits = plan_.campaign;
    if (stopped()) return end(Ending::interrupted, "");
    if (counted_failures_ >= limits.max_failed) {
      return end(Ending::too_many_failures,
                 fmt::format("stopped: {} inspections failed (max_failed)", counted_failures_));
    }
    if (limits.budget_inspections && done_.size() + ran_.size() >= *limits.budget_inspections) {
      return end(Ending::budget, fmt::format("stopped: the budget of {} inspections is used up",
                                             *limits.budget_inspections));
    }
    if (limits.budget_minutes && now_() - started_ >= *limits.budget_minutes * 60) {
      const double minutes = *limits.budget_minutes;
      const auto budget = minutes < 1 ? fmt::format("{:g} s", minutes * 60) : fmt::format("{:g} min", minutes);
      return end(Ending::budget, fmt::format("stopped: the budget of {} is used up", budget));
    }
    return true;
  }

  void report(const std::string& current) {
    Progress progress;
    progress.done = done_.size() + ran_.size();
    progress.failed = failed_;
    progress.current = current;
    double left = 0;
    progress.planned = progress.done;
    const auto behind = done_from_here();
    for (const auto place : active_) {
      const auto& arm = plan_.arms.at(place);
      const auto rounds = rounds_left(arm, behind);
      progress.planned += rounds;
      if (!broken_.contains(arm.label)) left += static_cast<double>(rounds) * durations_.of(arm.label);
    }
    progress.seconds_left = durations_.known() ? bounded(left) : -1;
    if (plan_.campaign.budget_inspections) {
      progress.planned = std::clamp(progress.planned, progress.done,
                                    std::max(progress.done, *plan_.campaign.budget_inspections));
    }
    listener_.progress(progress);
  }

  // Of each arm, how many results of this round and of later ones there are: as many steps as those, not as rounds left.
  std::map<std::string, std::uint64_t> done_from_here() const {
    std::map<std::string, std::uint64_t> behind;
    for (const auto* slots : {&done_, &ran_})
      for (auto at = slots->lower_bound({round_, ""}); at != slots->end() && at->first < schedule_.most_rounds(); ++at)
        ++behind[at->second];
    return behind;
  }

  std::uint64_t rounds_left(const Arm& arm, const std::map<std::string, std::uint64_t>& behind) const {
    const auto most = std::max(schedule_.most_rounds(), round_);
    if (broken_.contains(arm.label)) return round_ < most && !seen_.contains(arm.label) ? 1 : 0;
    const auto found = behind.find(arm.label);
    return most - round_ - (found == behind.end() ? 0 : found->second);
  }

  double bounded(double seconds) const {
    if (!plan_.campaign.budget_minutes) return seconds;
    return std::clamp(*plan_.campaign.budget_minutes * 60 - (now_() - started_), 0.0, seconds);
  }

  const Plan& plan_;
  inspector::StackInspector& inspector_;
  Schedule& schedule_;
  const std::set<Slot>& done_;
  Listener& listener_;
  const std::function<bool()>& stop_;
  const Seconds& now_;
  double started_;
  std::set<std::string> differing_;
  std::uint64_t round_ = 0;
  std::vector<std::size_t> active_;       // places of the arms of this round
  std::map<specs::Stack, bool> ready_;    // arms of several workloads, and sentinels, share a stack
  std::set<std::string> broken_;          // arms without an environment
  std::set<std::string> seen_;            // arms with a result
  std::map<std::string, std::uint64_t> complete_from_;  // arms done earlier: the round from which on nothing is missing
  std::set<Slot> ran_;
  Durations durations_;
  std::uint64_t failed_ = 0, counted_failures_ = 0;
  Ending ending_ = Ending::complete;
};

// "A", "B", ..., "Z", "AA": a second name, a third, ...
std::string letters(std::size_t number) {
  std::string text;
  for (++number; number > 0; number = (number - 1) / 26) {
    text.insert(text.begin(), static_cast<char>('A' + (number - 1) % 26));
  }
  return text;
}

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Ending run(const Plan& plan, inspector::StackInspector& inspector, Schedule& schedule,
           const std::set<Slot>& done, Listener& listener, const std::function<bool()>& stop,
           const Seconds& now) {
  return Campaign(plan, inspector, schedule, done, listener, stop, now).run();
}

Plan make_plan(const specs::Project& project, const std::vector<specs::Stack>& stacks,
               const std::string& created, const std::string& device,
               const std::optional<specs::PiProgram>& program) {
  Plan plan;
  plan.program = program;
  plan.device = device;
  plan.project = project.name;
  plan.created = created;
  plan.seed = project.campaign.sampler.seed;
  plan.campaign = project.campaign;
  for (const auto& stack : stacks) {
    for (std::size_t i = 0; i < project.workloads.size(); ++i) {
      const auto suffix = i == 0 ? "" : "/" + std::to_string(i + 1);
      plan.arms.push_back({stack.short_id() + suffix, stack, project.workloads[i], false});
      if (program) plan.arms.back().workload.program = program->identity();
    }
  }
  std::vector<std::size_t> drawn(plan.arms.size());
  std::iota(drawn.begin(), drawn.end(), std::size_t{0});
  specs::Random random(specs::derive_seed(plan.seed, "sentinels"));
  random.shuffle(drawn);
  for (std::uint64_t i = 0; i < project.campaign.sentinels && !drawn.empty(); ++i) {
    auto arm = plan.arms[drawn[i % drawn.size()]];
    arm.label += "+" + letters(i / drawn.size());
    arm.sentinel = true;
    plan.arms.push_back(std::move(arm));
  }
  specs::seal(plan);
  return plan;
}

}  // namespace stackx::campaigns
