#include "campaigns/cluster/head/pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "campaigns/cluster/head/waves.hpp"
#include "specs/error.hpp"
#include "specs/format/clock.hpp"
#include "specs/format/json.hpp"

namespace stackx::campaigns::cluster {
namespace {

// One target in one pass.
class TargetPass {
 public:
  TargetPass(const specs::ClusterCampaign& campaign, const specs::FrozenTarget& target, const fs::path& root, const fs::path& program)
      : campaign_(campaign), target_(target), root_(root), scheduler_(make_scheduler({campaign, target, root, root, program})) {
    view_.name = target.target.name;
    view_.on_slurm = target.target.is_slurm();
    view_.queue = scheduler_->queue();
  }

  TargetView look(const Standing& standing, const Collected& collected, const store::Store& store, const PassOptions& options) {
    view_.standing = standing;
    for (const auto& attempt : collected.attempts)
      if (attempt.target == view_.name) view_.attempts.push_back(attempt);
    view_.waves = waves_begun(root_, view_.name);
    submitted_ = read_submitted(root_, view_.name);
    sort_blocks(options.again);
    if (is_settled()) {
      if (has_brought()) begin_next_wave(store, options);
      else view_.finished = true;  // a further wave would bring no more
    }
    if (options.submit && !view_.missing.empty()) {
      if (view_.queue.is_known) submit();
      else view_.refused = view_.queue.why_unknown;
    }
    if (const auto wave = view_.waves > 0 ? read_wave(root_, view_.name, view_.waves - 1) : std::nullopt) view_.arms = wave->arms.size();
    if (view_.finished && !view_.queue.tasks.empty()) end_the_rest();
    return std::move(view_);
  }

 private:
  std::uint64_t blocks_begun() const { return view_.waves * campaign_.settings.blocks; }

  void sort_blocks(bool again) {
    std::map<std::uint64_t, TaskState> live;
    for (const auto& task : view_.queue.tasks) live[task.block] = std::max(live[task.block], task.state, by_life);
    std::map<std::uint64_t, std::uint64_t> times;
    for (const auto& one : submitted_)
      if (!one.jobs.empty())
        for (const auto block : one.blocks) ++times[block];
    for (std::uint64_t block = 0; block < blocks_begun(); ++block) {
      const auto found = live.find(block);
      if (view_.standing.is_done(block, campaign_.settings.rounds_per_block)) view_.done.push_back(block);
      else if (!view_.queue.is_known) view_.unknown.push_back(block);
      else if (found != live.end()) list_of(found->second).push_back(block);
      else if (!again && times[block] >= campaign_.settings.attempts + useful_starts(block)) view_.given_up.push_back(block);
      else view_.missing.push_back(block);
    }
  }

  std::uint64_t useful_starts(std::uint64_t block) const {
    const auto found = view_.standing.blocks.find(block);
    return found == view_.standing.blocks.end() ? 0 : found->second.useful;
  }

  // Of two jobs of a block the livelier one counts.
  static bool by_life(TaskState a, TaskState b) {
    const auto life = [](TaskState state) {
      return state == TaskState::running ? 3 : state == TaskState::waiting ? 2 : state == TaskState::held ? 1 : 0;
    };
    return life(a) < life(b);
  }

  Blocks& list_of(TaskState state) {
    if (state == TaskState::running) return view_.running;
    return state == TaskState::held ? view_.held : view_.waiting;
  }

  bool is_settled() const { return view_.done.size() + view_.given_up.size() == blocks_begun(); }
  bool has_brought() const {
    const auto last = blocks_begun() - std::min(blocks_begun(), campaign_.settings.blocks);
    return view_.waves == 0 || std::ranges::any_of(view_.done, [&](auto block) { return block >= last; });
  }

  void begin_next_wave(const store::Store& store, const PassOptions& options) {
    const bool looks = target_.plan.campaign.strategy.kind != specs::StrategySpec::Kind::fixed;
    const auto measured = view_.waves > 0 && looks ? joined_blocks(campaign_, view_.name, store) : Joined{};
    auto next = next_wave(target_, campaign_.settings, view_.waves, measured);
    view_.remarks = std::move(next.remarks);
    if (next.arms.empty()) {
      view_.finished = true;
      for (auto& line : final_words(target_, campaign_.settings, measured)) view_.remarks.push_back(std::move(line));
      return;
    }
    if (!options.submit) return;
    begin_wave(root_, {campaign_.id, view_.name, view_.waves, next.arms});
    for (std::uint64_t i = 0; i < campaign_.settings.blocks; ++i) view_.missing.push_back(blocks_begun() + i);
    ++view_.waves;
  }

  void submit() {
    Submitted one{submitted_.size(), specs::rfc3339_utc(std::chrono::system_clock::now()), view_.missing, {}};
    if (!begin_submission(root_, view_.name, one)) {
      view_.remarks.emplace_back("another head submits at this moment");
      return;
    }
    try {
      one.jobs = scheduler_->submit({one.number, one.blocks});
    } catch (const Error& error) {
      view_.refused = error.what();
      return;
    }
    write_submitted(root_, view_.name, one);
    view_.submitted = std::exchange(view_.missing, {});
    view_.waiting.insert(view_.waiting.end(), view_.submitted.begin(), view_.submitted.end());
    std::ranges::sort(view_.waiting);
  }

  // Jobs of blocks that others have done: held ones would stay for ever.
  void end_the_rest() {
    try {
      scheduler_->cancel();
    } catch (const Error& error) {
      view_.remarks.push_back(fmt::format("all is there, but jobs that are left could not be ended: {}", error.what()));
    }
  }

  const specs::ClusterCampaign& campaign_;
  const specs::FrozenTarget& target_;
  const fs::path& root_;
  std::unique_ptr<Scheduler> scheduler_;
  std::vector<Submitted> submitted_;
  TargetView view_;
};

// From the store alone.
TargetView view_without_spool(const specs::FrozenTarget& target, const Standing& standing) {
  TargetView view;
  view.name = target.target.name;
  view.on_slurm = target.target.is_slurm();
  view.standing = standing;
  view.queue.why_unknown = "not asked: without the spool nothing can be submitted";
  return view;
}

}  // namespace

std::size_t TargetView::blocks() const {
  return done.size() + running.size() + waiting.size() + held.size() + missing.size() + given_up.size() + unknown.size();
}

bool View::finished() const { return std::ranges::all_of(targets, &TargetView::finished); }

bool View::has_given_up() const {
  return std::ranges::any_of(targets, [](const auto& target) { return !target.given_up.empty(); });
}

bool View::was_refused() const {
  return std::ranges::any_of(targets, [](const auto& target) { return !target.refused.empty(); });
}

View pass(const specs::ClusterCampaign& campaign, const fs::path& root, const fs::path& program, store::Store& store,
          const PassOptions& options, const std::function<void(std::uint64_t documents)>& progress) {
  View view;
  view.spool_is_there = is_there(root);
  if (!view.spool_is_there) {
    const auto standings = standing(campaign, store);
    for (const auto& target : campaign.targets) view.targets.push_back(view_without_spool(target, standings.at(target.target.name)));
    return view;
  }
  view.cancelled = fs::exists(root / "cancelled");
  std::vector<TargetPass> targets;
  for (const auto& target : campaign.targets) targets.emplace_back(campaign, target, root, program);
  view.collected = collect(campaign, root, store, progress);
  PassOptions allowed = options;
  allowed.submit = options.submit && !view.cancelled && view.collected.whole;
  const auto standings = standing(campaign, store);
  for (std::size_t i = 0; i < targets.size(); ++i)
    view.targets.push_back(targets[i].look(standings.at(campaign.targets[i].target.name), view.collected, store, allowed));
  return view;
}

}  // namespace stackx::campaigns::cluster
