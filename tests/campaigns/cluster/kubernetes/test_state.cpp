// What Jobs and pods say, as a queue: every row of what was seen on a real Kubernetes 1.36, and what its sources say besides.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "campaigns/cluster/kubernetes/state.hpp"
#include "specs/error.hpp"

using namespace stackx;
using namespace stackx::campaigns::cluster;
using Json = nlohmann::json;
using Catch::Contains;

namespace {

constexpr const char* now = "2026-11-25T12:00:00.000Z";

Json job(const Json& status = Json::object(), const std::string& blocks = "4,8-9", const std::string& name = "j") {
  const auto count = blocks_from(blocks).size();
  return {{"kind", "Job"},
          {"metadata", {{"name", name}, {"annotations", {{"stackx.dev/blocks", blocks}}}}},
          {"spec", {{"completions", count}, {"parallelism", 3}}},
          {"status", status}};
}

Json conditions(const std::string& type, const std::string& reason = "", const std::string& message = "",
                const std::string& status = "True") {
  return {{"conditions", Json::array({Json{{"type", type}, {"status", status}, {"reason", reason}, {"message", message}}})}};
}

Json pod(int index, const std::string& phase, const Json& status = Json::object(), const std::string& name = "") {
  Json pod = {
      {"kind", "Pod"},
      {"metadata",
       {{"name", name.empty() ? fmt::format("p{}", index) : name},
        {"creationTimestamp", "2026-11-25T11:00:00Z"},
        {"labels", {{"batch.kubernetes.io/job-name", "j"}}},
        {"annotations", {{"stackx.dev/blocks", "4,8-9"}, {"batch.kubernetes.io/job-completion-index", std::to_string(index)}}}}},
      {"spec", {{"nodeName", "n1"}}},
      {"status", status}};
  pod["status"]["phase"] = phase;
  return pod;
}

Json in_container(const Json& state) { return {{"containerStatuses", Json::array({Json{{"name", "block"}, {"state", state}}})}}; }

Queue queue(const std::vector<Json>& items) {
  const Json list = {{"kind", "List"}, {"items", items}};
  return queue_of(specs::Node::parse_text(list.dump(), "list"), "kubectl -n x", now);
}

std::vector<std::uint64_t> blocks(const std::vector<Task>& tasks) {
  std::vector<std::uint64_t> found;
  for (const auto& task : tasks) found.push_back(task.block);
  std::ranges::sort(found);
  return found;
}

Task only(const std::vector<Task>& tasks, std::uint64_t block) {
  std::vector<Task> found;
  for (const auto& task : tasks)
    if (task.block == block) found.push_back(task);
  REQUIRE(found.size() == 1);
  return found.front();
}

}  // namespace

TEST_CASE("an index lives until its Job has done it, given it up or ended") {
  using Numbers = std::vector<std::uint64_t>;
  CHECK(blocks(queue({job()}).tasks) == Numbers{4, 8, 9});
  CHECK(blocks(queue({job({{"completedIndexes", "0"}, {"failedIndexes", "2"}})}).tasks) == Numbers{8});
  CHECK(blocks(queue({job({{"completedIndexes", "0,1"}})}).ended) == Numbers{4, 8});
  CHECK(blocks(queue({job({{"completedIndexes", "0-2"}})}).tasks).empty());
  for (const char* type : {"Complete", "SuccessCriteriaMet", "Failed", "FailureTarget"}) {
    CHECK(queue({job(conditions(type))}).tasks.empty());
    CHECK(blocks(queue({job(conditions(type))}).ended) == Numbers{4, 8, 9});
    CHECK(queue({job(conditions(type, "", "", "False"))}).tasks.size() == 3);
  }
  CHECK(queue({job({{"failedIndexes", ""}})}).tasks.size() == 3);
}

TEST_CASE("a Job that is being deleted starts nothing") {
  auto deleted = job();
  deleted["metadata"]["deletionTimestamp"] = "2026-11-25T11:00:00Z";
  CHECK(queue({deleted}).tasks.empty());
}

TEST_CASE("several Jobs of a target are one queue") {
  const auto all = queue({job({{"completedIndexes", "0-2"}}), job(Json::object(), "8", "k")});
  CHECK(blocks(all.tasks) == std::vector<std::uint64_t>{8});
  CHECK(only(all.tasks, 8).job == "k");
}

TEST_CASE("a pod says where its block is") {
  const auto all = queue({job(), pod(1, "Running"), pod(0, "Pending")});
  const auto running = only(all.tasks, 8);
  CHECK(running.state == TaskState::running);
  CHECK(running.node == "n1");
  CHECK(running.job == "p1");
  CHECK(only(all.tasks, 4).why == "starts");
}

TEST_CASE("a suspended Job is held, with what lets it go") {
  auto suspended = job();
  suspended["spec"]["suspend"] = true;
  const auto task = only(queue({suspended}).tasks, 4);
  CHECK(task.state == TaskState::held);
  CHECK_THAT(task.advice, Contains("kubectl -n x patch jobs.batch j") && Contains("{\"spec\":{\"suspend\":false}}"));
}

TEST_CASE("blocks without a pod say why, as far as it is known") {
  const auto none = only(queue({job()}).tasks, 9);
  CHECK(none.why == "no pod yet");
  CHECK_THAT(none.advice, Contains("kubectl -n x describe jobs.batch j"));
  auto narrow = job();
  narrow["spec"]["parallelism"] = 1;
  CHECK_THAT(only(queue({narrow, pod(0, "Running")}).tasks, 9).why, Contains("waits for one of the 1 that run at once"));
  const auto failed = pod(2, "Failed", in_container({{"terminated", {{"exitCode", 3}}}}));
  const auto again = queue({job(), failed});
  CHECK_THAT(only(again.tasks, 9).why, Contains("starts again") && Contains("exit code 3"));
  CHECK(only(again.ended, 9).why == "exit code 3");
}

TEST_CASE("reasons for which a pod waits") {
  struct Case {
    Json status;
    TaskState state;
    const char *why, *advice;
  };
  const auto unplaced = [](const char* message) { return conditions("PodScheduled", "Unschedulable", message, "False"); };
  const auto waiting = [](const char* reason) { return in_container({{"waiting", {{"reason", reason}, {"message", "M"}}}}); };
  const std::vector<Case> cases = {
      {unplaced("0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules."), TaskState::waiting, "0/3 nodes",
       "systemNamespaces"},
      {unplaced("0/3 nodes are available: 3 Insufficient nvidia.com/gpu."), TaskState::waiting, "Insufficient", "gpus"},
      {unplaced("0/3 nodes are available: 1 node(s) had untolerated taint {control-plane: }, 2 Insufficient memory."),
       TaskState::waiting, "taint", "memory_gib"},
      {unplaced("0/1 nodes are available: 1 node(s) had untolerated taint {a: b}."), TaskState::waiting, "taint", "tolerations"},
      {unplaced("0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."), TaskState::waiting, "selector",
       "nodeSelector"},
      {unplaced("persistentvolumeclaim \"stackx\" not found"), TaskState::waiting, "not found", "\"volume\""},
      {conditions("PodScheduled", "SchedulingGated", "", "False"), TaskState::held, "gate", "lets it go"},
      {waiting("ImagePullBackOff"), TaskState::waiting, "image cannot be fetched: M", "\"image\""},
      {waiting("ErrImagePull"), TaskState::waiting, "image cannot be fetched: M", "\"image\""},
      {waiting("InvalidImageName"), TaskState::held, "M", "\"image\""},
      {waiting("CreateContainerConfigError"), TaskState::held, "M", "runAsNonRoot"},
      {waiting("CreateContainerError"), TaskState::waiting, "M", "$PATH"},
      {waiting("ContainerCreating"), TaskState::waiting, "being made", ""},
      {waiting("SomethingNew"), TaskState::waiting, "SomethingNew: M", ""},
  };
  for (const auto& one : cases) {
    INFO(one.status.dump());
    const auto task = only(queue({job(), pod(0, "Pending", one.status)}).tasks, 4);
    CHECK(task.state == one.state);
    CHECK_THAT(task.why, Contains(one.why));
    CHECK_THAT(task.advice, Contains(one.advice));
  }
}

TEST_CASE("how pods ended, in words") {
  const auto disrupted = [](const char* reason) { return conditions("DisruptionTarget", reason, "M"); };
  const auto ended = [](int code, const char* reason) {
    return in_container({{"terminated", {{"exitCode", code}, {"reason", reason}}}});
  };
  Json evicted = disrupted("TerminationByKubelet");
  evicted["reason"] = "Evicted";
  evicted["message"] = "low on memory";
  const std::vector<std::pair<Json, std::string>> cases = {
      {disrupted("PreemptionByScheduler"), "preempted by a pod of higher priority: M"},
      {disrupted("DeletionByTaintManager"), "its node was lost, or tainted: M"},
      {evicted, "evicted: low on memory"},
      {Json{{"reason", "UnexpectedAdmissionError"}, {"message", "no GPU"}}, "UnexpectedAdmissionError: no GPU"},
      {ended(137, "OOMKilled"), "out of memory (OOMKilled)"},
      {ended(139, "Error"), "SIGSEGV"},
      {ended(3, "Error"), "exit code 3"},
      {Json::object(), "failed"},
  };
  for (const auto& [status, words] : cases) {
    INFO(status.dump());
    const auto all = queue({job({{"failedIndexes", "0"}}), pod(0, "Failed", status)});
    CHECK_THAT(only(all.ended, 4).why, Contains(words));
    CHECK(blocks(all.tasks) == std::vector<std::uint64_t>{8, 9});
  }
  CHECK(only(queue({job({{"completedIndexes", "0"}}), pod(0, "Succeeded")}).ended, 4).why.empty());
  CHECK_THAT(only(queue({job(conditions("Failed", "DeadlineExceeded", "M"))}).ended, 4).why, Contains("DeadlineExceeded: M"));
}

TEST_CASE("of several containers the one that failed says how it was") {
  const auto exit = [](int code) { return Json{{"state", {{"terminated", {{"exitCode", code}}}}}}; };
  const Json status = {{"initContainerStatuses", Json::array({exit(0)})}, {"containerStatuses", Json::array({exit(0), exit(4)})}};
  CHECK(only(queue({job({{"failedIndexes", "0"}}), pod(0, "Failed", status)}).ended, 4).why == "exit code 4");
}

TEST_CASE("a lost node: the index goes on elsewhere, and the Job that never is Complete holds nothing") {
  auto zombie = pod(0, "Running", conditions("DisruptionTarget", "DeletionByTaintManager", "M"), "old");
  zombie["metadata"]["deletionTimestamp"] = "2026-11-25T11:58:00Z";
  auto second = pod(0, "Running", Json::object(), "new");
  second["spec"]["nodeName"] = "n2";
  second["metadata"]["creationTimestamp"] = "2026-11-25T10:00:00Z";  // clocks differ: what is being deleted is never the one
  for (const auto& order : {std::vector{job(), zombie, second}, std::vector{second, zombie, job()}}) {
    const auto both = queue(order);
    CHECK(only(both.tasks, 4).job == "new");
    CHECK(only(both.tasks, 4).node == "n2");
    REQUIRE(both.remarks.size() == 1);
    CHECK_THAT(both.remarks[0], Contains("node n1") && Contains("block 4") && Contains("delete pod old --force"));
  }
  const auto alone = only(queue({job(), zombie}).tasks, 4);
  CHECK(alone.state == TaskState::waiting);
  CHECK_THAT(alone.why, Contains("starts again: old on n1"));
  auto met = conditions("SuccessCriteriaMet");
  met["completedIndexes"] = "0-2";
  CHECK(queue({job(met), zombie}).tasks.empty());
  zombie["metadata"]["deletionTimestamp"] = "2026-11-25T12:01:00Z";  // has time left
  CHECK(queue({job(), zombie}).remarks.empty());
}

TEST_CASE("pods of a Job that is gone live until they are being deleted") {
  auto orphan = pod(1, "Running");
  CHECK(only(queue({orphan}).tasks, 8).state == TaskState::running);
  orphan["metadata"]["deletionTimestamp"] = "2026-11-25T11:58:00Z";
  CHECK(queue({orphan}).tasks.empty());
  CHECK(queue({pod(1, "Succeeded")}).tasks.empty());
}

TEST_CASE("what is not known is no answer") {
  auto nameless = job();
  nameless["metadata"].erase("annotations");
  CHECK_THROWS_WITH(queue({nameless}), Contains("stackx.dev/blocks"));
  CHECK_THROWS_WITH(queue({job({{"completedIndexes", "one"}})}), Contains("numbers of blocks"));
  CHECK_THROWS_WITH(queue({pod(3, "Running")}), Contains("which one it runs"));
  CHECK_THROWS_AS(queue_of(specs::Node::parse_text("{}", "list"), "kubectl", now), Error);
  CHECK(queue({}).is_known);
}

TEST_CASE("words of pods cannot drive a terminal") {
  const auto status = in_container({{"waiting", {{"reason", "\x1b[2J"}, {"message", "a\nb"}}}});
  CHECK(only(queue({job(), pod(0, "Pending", status)}).tasks, 4).why == "\\u001b[2J: a b");
}

TEST_CASE("of several nodes a block lives as long as one of its indices does") {
  Json two = job({{"completedIndexes", "1-2"}}, "4,8");
  two["metadata"]["annotations"]["stackx.dev/nodes"] = "2";
  two["spec"]["completions"] = 4;
  Json running = pod(0, "Running");
  running["metadata"]["annotations"]["stackx.dev/blocks"] = "4,8";
  running["metadata"]["annotations"]["stackx.dev/nodes"] = "2";
  const auto found = queue({two, running});
  std::vector<std::uint64_t> live;
  for (const auto& task : found.tasks) live.push_back(task.block);
  CHECK(live == std::vector<std::uint64_t>{4, 8});
  CHECK(found.tasks[0].state == TaskState::running);
  two["metadata"]["annotations"]["stackx.dev/nodes"] = "x";
  CHECK_THROWS_AS(queue({two}), Error);
}
