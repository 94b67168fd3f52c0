#include "campaigns/cluster/kubernetes/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "campaigns/cluster/kubernetes/manifest.hpp"
#include "campaigns/cluster/kubernetes/pod.hpp"
#include "specs/error.hpp"
#include "specs/format/printable.hpp"
#include "specs/format/text_file.hpp"

namespace stackx::campaigns::cluster {
namespace {

using Json = nlohmann::json;

struct KubernetesJob {
  std::string name;
  Blocks blocks;  // by index
  std::uint64_t parallelism = 1;
  bool is_suspended = false, is_deleted = false;
  std::string finished;  // how it ended, in words; "" while it may start something
  Blocks done, failed;   // indices, ascending
};

Blocks indices(const Json& job, const char* name) {
  const auto text = text_member(job, {"status", name});
  return text.empty() ? Blocks{} : blocks_from(text);
}

std::string how_finished(const Json& job) {
  for (const char* type : {"Complete", "SuccessCriteriaMet"})
    if (!condition(job, type).is_null()) return "complete";
  for (const char* type : {"Failed", "FailureTarget"}) {
    const auto& failed = condition(job, type);
    if (failed.is_null()) continue;
    const auto reason = text_member(failed, {"reason"}), message = text_member(failed, {"message"});
    return specs::printable(
        fmt::format("the Job failed{}{}{}{}", reason.empty() ? "" : ", ", reason, message.empty() ? "" : ": ", message));
  }
  return "";
}

KubernetesJob job_from(const Json& json) {
  KubernetesJob job;
  job.name = specs::printable(text_member(json, {"metadata", "name"}));
  const auto blocks = text_member(json, {"metadata", "annotations", blocks_annotation});
  if (job.name.empty() || blocks.empty())
    throw bad_input(fmt::format("Job {} lacks its annotation {}: which blocks it runs is not known", specs::in_quotes(job.name),
                                blocks_annotation));
  job.blocks = blocks_of_indices(json);
  if (job.blocks.size() > most_blocks_of_a_job)
    throw bad_input(
        fmt::format("Job {} has {} blocks, which no Job of stackx has", specs::in_quotes(job.name), job.blocks.size()));
  if (const auto& count = member(json, {"spec", "completions"}); count.is_number_unsigned())
    job.blocks.resize(std::min<std::uint64_t>(job.blocks.size(), count.get<std::uint64_t>()));
  if (const auto& count = member(json, {"spec", "parallelism"}); count.is_number_unsigned())
    job.parallelism = count.get<std::uint64_t>();
  job.is_suspended = member(json, {"spec", "suspend"}) == true || !condition(json, "Suspended").is_null();
  job.is_deleted = !text_member(json, {"metadata", "deletionTimestamp"}).empty();
  job.finished = how_finished(json);
  job.done = indices(json, "completedIndexes");
  job.failed = indices(json, "failedIndexes");
  return job;
}

// What is known of a Job's blocks from its pods: the pod that stands for each, and how the last one ended.
struct PodsOfJob {
  std::map<std::uint64_t, const Pod*> current, last_ended;
  std::uint64_t live = 0;

  void add(const Pod& pod) {
    auto& best = (pod.is_live() ? current : last_ended)[pod.block];
    live += pod.is_live() && pod.deleted.empty();
    const auto rank = [](const Pod& one) { return std::pair(one.deleted.empty(), one.created); };
    if (best == nullptr || rank(pod) > rank(*best)) best = &pod;
  }
  const Pod* find(const std::map<std::uint64_t, const Pod*>& pods, std::uint64_t block) const {
    const auto found = pods.find(block);
    return found == pods.end() ? nullptr : found->second;
  }
};

// Of an index that its Job may still start.
Task live_task(const KubernetesJob& job, const PodsOfJob& pods, std::uint64_t block, const std::string& kubectl) {
  Task task{block, TaskState::waiting, job.name, "", "", ""};
  if (job.is_suspended) {
    task.state = TaskState::held;
    task.why = "the Job is suspended";
    task.advice = fmt::format(
        "the cluster's queue lets it go, or you do: {} patch jobs.batch {} --type=merge --patch='{{\"spec\":"
        "{{\"suspend\":false}}}}'",
        kubectl, job.name);
    return task;
  }
  if (const auto* pod = pods.find(pods.current, block); pod != nullptr && pod->deleted.empty()) return pod->task();
  if (const auto* pod = pods.find(pods.current, block)) {
    task.why = fmt::format("starts again: {} on {} is being ended", pod->name, pod->node.empty() ? "no node" : pod->node);
  } else if (pods.live >= job.parallelism) {
    task.why = fmt::format("waits for one of the {} that run at once (\"parallel\")", job.parallelism);
  } else if (const auto* ended = pods.find(pods.last_ended, block)) {
    task.why = fmt::format("starts again, after a pause of up to ten minutes; last time: {}", ended->why);
    task.advice = ended->advice;
  } else {
    task.why = "no pod yet";
    task.advice =
        fmt::format("if it stays so, its events say why (a quota, a policy): {} describe jobs.batch {}", kubectl, job.name);
  }
  return task;
}

void add_job(Queue& queue, const KubernetesJob& job, const PodsOfJob& pods, const std::string& kubectl) {
  for (std::uint64_t index = 0; index < job.blocks.size(); ++index) {
    const auto block = job.blocks[index];
    const bool done = std::ranges::binary_search(job.done, index), failed = std::ranges::binary_search(job.failed, index);
    if (!done && !failed && job.finished.empty() && !job.is_deleted) {
      queue.tasks.push_back(live_task(job, pods, block, kubectl));
    } else if (pods.find(pods.last_ended, block) == nullptr) {  // or the pod's own words are there
      const auto why = done ? "" : failed ? "failed too often" : job.is_deleted ? "the Job is being deleted" : job.finished;
      queue.ended.push_back({block, TaskState::ended, job.name, "", why, ""});
    }
  }
}

void add_pod_without_job(Queue& queue, const Pod& pod) {
  if (!pod.is_live() || !pod.deleted.empty()) return;
  auto task = pod.task();
  task.why = "its Job is deleted; it ends within minutes";
  task.advice = "";
  queue.tasks.push_back(std::move(task));
}

std::string overdue(const Pod& pod, const std::string& kubectl) {
  return fmt::format(
      "node {}: pod {} (block {}) should have ended by {} and has not, so the node is probably lost; what it runs may "
      "go on, which is no harm. Once the machine is certainly off: {} delete pod {} --force",
      pod.node, pod.name, pod.block, specs::printable(pod.deleted), kubectl, pod.name);
}

}  // namespace

Queue queue_of(const specs::Node& list, const std::string& kubectl, std::string_view now) {
  const auto& items = member(list.json(), {"items"});
  if (!items.is_array()) list.fail("expected a List of Jobs and Pods, as kubectl prints it");
  std::map<std::string, KubernetesJob> jobs;
  std::vector<Pod> pods;
  for (const auto& item : items) {
    const auto kind = text_member(item, {"kind"});
    if (kind == "Pod") pods.push_back(pod_from(item));
    if (kind != "Job") continue;
    auto job = job_from(item);
    jobs.insert_or_assign(job.name, std::move(job));
  }
  std::ranges::sort(pods, {}, [](const Pod& pod) { return std::pair(pod.created, pod.name); });

  Queue queue;
  queue.is_known = true;
  std::map<std::string, PodsOfJob> of_jobs;
  for (const auto& pod : pods) {
    if (jobs.contains(pod.job))
      of_jobs[pod.job].add(pod);
    else
      add_pod_without_job(queue, pod);
    if (!pod.is_live()) queue.ended.push_back(pod.task());
    if (pod.is_live() && !pod.deleted.empty() && !pod.node.empty() && pod.deleted < now)
      queue.remarks.push_back(overdue(pod, kubectl));
  }
  for (const auto& [name, job] : jobs) add_job(queue, job, of_jobs[name], kubectl);
  return queue;
}

}  // namespace stackx::campaigns::cluster
