#include "cli/output/cluster_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/text/table.hpp"
#include "analysis/text/words.hpp"

namespace stackx::cli {
namespace {

using campaigns::cluster::AttemptState;
using campaigns::cluster::Blocks;
using campaigns::cluster::Task;
using campaigns::cluster::TargetView;
using campaigns::cluster::View;
using analysis::counted;

struct Sums {
  std::size_t blocks = 0, done = 0, running = 0, waiting = 0, held = 0, missing = 0, given_up = 0, unknown = 0;
  std::uint64_t inspections = 0, failed = 0, planned = 0;
};

// Inspections of the waves so far, as if every arm of the last ran in all of them: the most there can be.
std::uint64_t planned_of(const specs::ClusterCampaign& campaign, const TargetView& target) {
  return std::max<std::uint64_t>(target.standing.inspections, target.blocks() * campaign.settings.rounds_per_block * target.arms);
}

Sums sums_of(const specs::ClusterCampaign& campaign, const View& view) {
  Sums sums;
  for (const auto& target : view.targets) {
    sums.blocks += target.blocks();
    sums.done += target.done.size();
    sums.running += target.running.size();
    sums.waiting += target.waiting.size();
    sums.held += target.held.size();
    sums.missing += target.missing.size();
    sums.given_up += target.given_up.size();
    sums.unknown += target.unknown.size();
    sums.inspections += target.standing.inspections;
    sums.failed += target.standing.failed;
    sums.planned += planned_of(campaign, target);
  }
  return sums;
}

// "3 run, 1 waits, 2 are held"
std::string states_text(const Sums& sums) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, const char* one, const char* many) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
  };
  add(sums.running, "runs", "run");
  add(sums.waiting, "waits", "wait");
  add(sums.held, "is held", "are held");
  add(sums.missing, "is not submitted", "are not submitted");
  add(sums.given_up, "is given up", "are given up");
  add(sums.unknown, "is in a state that nobody knows now", "are in a state that nobody knows now");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string answer(const specs::ClusterCampaign& campaign, const View& view) {
  const Sums sums = sums_of(campaign, view);
  const auto failed = sums.failed > 0 ? fmt::format(", {} of them failed", sums.failed) : "";
  if (!view.spool_is_there)
    return fmt::format("The spool {} is not there; the store holds {}{}.", campaign.settings.spool, counted(sums.inspections, "inspection"), failed);
  if (view.cancelled)
    return fmt::format("Cancelled, with {} of {} blocks done: {}{}.", sums.done, sums.blocks, counted(sums.inspections, "inspection"), failed);
  if (view.finished() && sums.given_up == 0)
    return fmt::format("All is there: {}, {}{}.", counted(sums.done, "block"), counted(sums.inspections, "inspection"), failed);
  if (view.finished())
    return fmt::format("It has ended with {} of {} blocks done, and {}: {}{}.", sums.done, sums.blocks, states_text(sums),
                       counted(sums.inspections, "inspection"), failed);
  if (sums.blocks == 0 || (sums.missing == sums.blocks && view.was_refused())) return "Nothing is submitted.";
  const auto states = states_text(sums);
  return fmt::format("{} of {} blocks {} done{}: {}{}.", sums.done, sums.blocks, sums.done == 1 ? "is" : "are",
                     states.empty() ? "" : ", " + states, counted(sums.inspections, "inspection"), failed);
}

std::string target_table(const specs::ClusterCampaign& campaign, const View& view, std::size_t width) {
  std::vector<analysis::Column> columns{{"target", false, {}}, {"on", false, {}},     {"wave", true, {}},   {"arms", true, {}},
                                        {"blocks", true, {}},  {"done", true, {}},    {"run", true, {}},    {"wait", true, {}},
                                        {"held", true, {}},    {"rounds", true, {}},  {"inspections", true, {}}};
  for (const auto& target : view.targets) {
    const std::string cells[] = {target.name,
                                 target.on_slurm ? "Slurm" : "Kubernetes",
                                 fmt::format("{}", target.waves),
                                 fmt::format("{}", target.arms),
                                 fmt::format("{}", target.blocks()),
                                 fmt::format("{}", target.done.size()),
                                 fmt::format("{}", target.running.size()),
                                 fmt::format("{}", target.waiting.size()),
                                 fmt::format("{}", target.held.size()),
                                 fmt::format("{}", target.standing.rounds),
                                 fmt::format("{}/{}", target.standing.inspections, planned_of(campaign, target))};
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].cells.push_back(cells[i]);
  }
  return analysis::table_text(columns, analysis::Paint{false}, width);
}

// Tasks that wait or are held for one reason, together: "blocks 3-5 (12_3, ...): held: ...; scontrol release 12".
void add_reasons(const TargetView& target, std::vector<std::string>& lines) {
  std::map<std::pair<std::string, std::string>, std::vector<const Task*>> by_reason;
  for (const auto& task : target.queue.tasks)
    if (!task.why.empty() && !std::ranges::binary_search(target.done, task.block)) by_reason[{task.why, task.advice}].push_back(&task);
  for (const auto& [reason, tasks] : by_reason) {
    Blocks blocks;
    for (const auto* task : tasks) blocks.push_back(task->block);
    std::ranges::sort(blocks);
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    lines.push_back(fmt::format("{}: block{} {} (job {}{}): {}{}", target.name, blocks.size() == 1 ? "" : "s",
                                campaigns::cluster::text_of(blocks), tasks.front()->job, tasks.size() > 1 ? ", ..." : "", reason.first,
                                reason.second.empty() ? "" : "; " + reason.second));
  }
}

// The last word of each block that is not done.
void add_attempts(const TargetView& target, std::vector<std::string>& lines) {
  std::map<std::string, std::vector<std::string>> nodes;  // why -> nodes
  for (const auto& attempt : target.attempts)
    if (attempt.state == AttemptState::wrong_node || attempt.state == AttemptState::failed)
      nodes[(attempt.state == AttemptState::wrong_node ? "not the node that was asked for: " : "a start failed: ") + attempt.reason].push_back(attempt.node);
  for (auto& [why, names] : nodes) {
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    lines.push_back(fmt::format("{}: {}: {}", target.name, fmt::join(names, ", "), why));
  }
}

std::vector<std::string> troubles(const specs::ClusterCampaign& campaign, const View& view) {
  std::vector<std::string> lines;
  for (const auto& target : view.targets) {
    if (!target.refused.empty())
      lines.push_back(fmt::format("{}: not submitted: {}", target.name, target.refused));
    else if (!target.queue.is_known && view.spool_is_there)
      lines.push_back(fmt::format("{}: the queue is unknown: {}; nothing is submitted until it answers", target.name, target.queue.why_unknown));
    add_reasons(target, lines);
    add_attempts(target, lines);
    for (const auto& remark : target.queue.remarks) lines.push_back(fmt::format("{}: {}", target.name, remark));
    for (const auto& remark : target.remarks) lines.push_back(fmt::format("{}: {}", target.name, remark));
    if (!target.given_up.empty()) {
      const bool one = target.given_up.size() == 1;
      lines.push_back(fmt::format("{}: {} {} {} not done after {} that brought no round; see {}; then: `stackx cluster collect {} --again`",
                                  target.name, one ? "block" : "blocks", campaigns::cluster::text_of(target.given_up), one ? "is" : "are",
                                  counted(campaign.settings.attempts, "submission"),
                                  (campaigns::cluster::root_of(campaign) / target.name / "log").string(), campaign.short_id()));
      for (const auto& ended : target.queue.ended)
        if (std::ranges::find(target.given_up, ended.block) != target.given_up.end() && !ended.why.empty())
          lines.push_back(fmt::format("{}: block {} (job {}): {}", target.name, ended.block, ended.job, ended.why));
    }
  }
  for (const auto& remark : view.collected.remarks) lines.push_back("left on the spool: " + remark);
  return lines;
}

// `collect --again` is asked of a cancelled one, too.
std::string after_cancelling(const specs::ClusterCampaign& campaign, const View& view, std::size_t width) {
  const auto id = campaign.short_id();
  const bool may_run = std::ranges::any_of(view.targets, [](const auto& target) { return !target.queue.is_known || !target.queue.tasks.empty(); });
  const auto again = may_run ? fmt::format("Jobs of it may still run: if they stay, `stackx cluster cancel {}` ends them. ", id) : "";
  return analysis::paragraph(fmt::format("{}Nothing of it is submitted any more; what was measured stays. `stackx cluster submit` begins another "
                                         "campaign of the project; to go on with this one, remove {}, then: stackx cluster collect {}",
                                         again, (campaigns::cluster::root_of(campaign) / "cancelled").string(), id), 0, width);
}

std::string next_step(const specs::ClusterCampaign& campaign, const View& view, std::size_t width) {
  if (!view.spool_is_there) return analysis::paragraph("Mount it and ask again; jobs go on by themselves, and nothing is lost.", 0, width);
  if (view.cancelled) return after_cancelling(campaign, view, width);
  if (view.finished()) return "";
  const auto command = fmt::format("stackx cluster collect {} [--wait]", campaign.short_id());
  return analysis::wrap({"To go on, submitting what is missing:", command}, 2, "", width) + "\n";
}

nlohmann::json task_json(const Task& task) {
  constexpr const char* states[] = {"waiting", "running", "held", "ended"};
  nlohmann::json json = {{"block", task.block}, {"state", states[static_cast<int>(task.state)]}, {"job", task.job}};
  if (!task.node.empty()) json["node"] = task.node;
  if (!task.why.empty()) json["why"] = task.why;
  if (!task.advice.empty()) json["advice"] = task.advice;
  return json;
}

nlohmann::json tasks_json(const std::vector<Task>& tasks) {
  nlohmann::json json = nlohmann::json::array();
  for (const auto& task : tasks) json.push_back(task_json(task));
  return json;
}

nlohmann::json target_json(const specs::ClusterCampaign& campaign, const TargetView& target) {
  using campaigns::cluster::text_of;
  nlohmann::json attempts = nlohmann::json::array();
  for (const auto& attempt : target.attempts) attempts.push_back(campaigns::cluster::to_json(attempt));
  nlohmann::json queue = {{"known", target.queue.is_known}, {"tasks", tasks_json(target.queue.tasks)},
                          {"ended", tasks_json(target.queue.ended)}, {"remarks", target.queue.remarks}};
  if (!target.queue.why_unknown.empty()) queue["why_unknown"] = target.queue.why_unknown;
  return {{"name", target.name},
          {"scheduler", target.on_slurm ? "slurm" : "kubernetes"},
          {"finished", target.finished},
          {"waves", target.waves},
          {"arms", target.arms},
          {"blocks", target.blocks()},
          {"done", text_of(target.done)},
          {"running", text_of(target.running)},
          {"waiting", text_of(target.waiting)},
          {"held", text_of(target.held)},
          {"missing", text_of(target.missing)},
          {"given_up", text_of(target.given_up)},
          {"unknown", text_of(target.unknown)},
          {"submitted", text_of(target.submitted)},
          {"rounds", target.standing.rounds},
          {"inspections", target.standing.inspections},
          {"failed", target.standing.failed},
          {"planned", planned_of(campaign, target)},
          {"queue", std::move(queue)},
          {"attempts", std::move(attempts)},
          {"refused", target.refused},
          {"remarks", target.remarks}};
}

}  // namespace

std::string cluster_progress(const specs::ClusterCampaign& campaign, const View& view) {
  const Sums sums = sums_of(campaign, view);
  const auto width = fmt::formatted_size("{}", sums.planned);
  const auto states = states_text(sums);
  return fmt::format("[{:>{}}/{}]  {} of {} blocks done{}", sums.inspections, width, sums.planned, sums.done, sums.blocks,
                     states.empty() ? "" : ", " + states);
}

std::string cluster_text(const specs::ClusterCampaign& campaign, const View& view, std::size_t width) {
  const auto paragraph = [&](const std::string& text) { return analysis::wrap(text, 2, width) + "\n"; };
  std::string text = analysis::wrap(answer(campaign, view), 0, width) + "\n";
  for (const auto& line : troubles(campaign, view)) text += "  " + paragraph(line);
  if (view.spool_is_there) text += "\n" + target_table(campaign, view, width);
  text += "\n" + paragraph(fmt::format("Campaign {} of {}, in {}", campaign.short_id(), campaign.project,
                                       campaigns::cluster::root_of(campaign).string()));
  return text + next_step(campaign, view, width);
}

nlohmann::json cluster_json(const specs::ClusterCampaign& campaign, const View& view) {
  nlohmann::json targets = nlohmann::json::array();
  for (const auto& target : view.targets) targets.push_back(target_json(campaign, target));
  return {{"$schema", "stackx/cluster-status/1"},
          {"answer", answer(campaign, view)},
          {"campaign", campaign.id},
          {"project", campaign.project},
          {"root", campaigns::cluster::root_of(campaign).string()},
          {"spool", view.spool_is_there},
          {"cancelled", view.cancelled},
          {"finished", view.finished()},
          {"collected", {{"documents", view.collected.documents}, {"starts", view.collected.starts}, {"remarks", view.collected.remarks}}},
          {"targets", std::move(targets)}};
}

}  // namespace stackx::cli
