// What squeue and sacct print, also what nobody should print.
#include <catch2/catch.hpp>

#include "campaigns/cluster/slurm/queue.hpp"
#include "campaigns/cluster/slurm/reason.hpp"
#include "specs/error.hpp"

namespace slurm_queue_tests {

using namespace stackx;
using namespace stackx::campaigns::cluster;
using Catch::Contains;

namespace {

const std::string prefix = "stackx-3f2a09c1d2e4-h100-";

// With | for U+001F.
std::string divided(std::string text) {
  for (char& c : text)
    if (c == '|') c = '\x1f';
  return text;
}

Jobs jobs(const std::string& lines) { return jobs_in_squeue(divided(lines), prefix); }

Task task(const std::string& state, const std::string& reason) {
  const auto found = jobs("12_4|" + state + "|n1|" + prefix + "0.0|" + reason + "\n");
  REQUIRE(found.live.size() + found.ended.size() == 1);
  return found.live.empty() ? found.ended[0] : found.live[0];
}

}  // namespace

TEST_CASE("tasks are found by names of jobs, and their blocks by offset and index") {
  const auto found = jobs("12_4|RUNNING|n1|" + prefix + "0.0|None\n" +
                          "13_0|PENDING||" + prefix + "1.1001|Resources\n" +
                          "14|RUNNING|n2|stackx-3f2a09c1d2e4-h100|None\n"             // not ours
                          "15_1|RUNNING|n2|stackx-3f2a09c1d2e4-h100-2-0.0|None\n"     // of target h100-2
                          "16_1|RUNNING|n2|stackx-000000000000-h100-0.0|None\n"       // of another campaign
                          "17|PENDING||a\nb|JobHeldUser\n" +                          // a name of two lines
                          "11_9|FAILED|n3|" + prefix + "0.0|NonZeroExitCode\n");
  REQUIRE(found.live.size() == 2);
  CHECK(found.live[0].block == 4);
  CHECK(found.live[0].state == TaskState::running);
  CHECK(found.live[0].job == "12_4");
  CHECK(found.live[0].node == "n1");
  CHECK(found.live[0].why == "");
  CHECK(found.live[1].block == 1001);
  CHECK(found.live[1].state == TaskState::waiting);
  CHECK(found.live[1].why == "waits for a free node (Resources)");
  REQUIRE(found.ended.size() == 1);
  CHECK(found.ended[0].block == 9);
  CHECK(found.ended[0].why == "FAILED: NonZeroExitCode");
  CHECK(jobs("").live.empty());
}

TEST_CASE("what lives and what ended") {
  for (const char* state : {"RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "RESIZING", "SIGNALING", "STAGE_OUT"})
    CHECK(task(state, "None").state == TaskState::running);
  for (const char* state : {"PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_FED", "PREEMPTED", "A_STATE_OF_LATER_YEARS", ""})
    CHECK(task(state, "None").state == TaskState::waiting);
  for (const char* state : {"REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD"}) {
    CHECK(task(state, "None").state == TaskState::held);
    CHECK(task(state, "None").advice == "scontrol release 12_4");
  }
  for (const char* state : {"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY", "REVOKED"})
    CHECK(task(state, "None").state == TaskState::ended);
  CHECK(task("COMPLETED", "None").why == "Slurm says COMPLETED");
}

TEST_CASE("why a job waits, and what to do") {
  const std::vector<std::array<const char*, 4>> rows = {
      {"None", "waiting", "", ""},
      {"Priority", "waiting", "jobs of higher priority are before it (Priority)", ""},
      {"JobArrayTaskLimit", "waiting", "as many blocks run as `parallel` lets run", ""},
      {"BeginTime", "waiting", "waits for two minutes", ""},
      {"JobHeldUser", "held", "held by its user", "scontrol release 12_4"},
      {"JobHeldAdmin", "held", "held by an administrator", "scontrol release 12_4"},
      {"launch failed requeued held", "held", "held by Slurm: launch failed requeued held", "scontrol release 12_4"},
      {"launch_failed_requeued_held", "held", "held by Slurm: launch failed requeued held", "scontrol release 12_4"},
      {"job requeued in held state", "held", "held by Slurm", "scontrol release 12_4"},
      {"DependencyNeverSatisfied", "held", "depends on a job that failed", "cancel it"},
      {"Dependency", "waiting", "depends on another job", ""},
      {"BadConstraints", "waiting", "no node has what the target asks for", "sinfo"},
      {"PartitionTimeLimit", "waiting", "longer than the partition allows", "`time`"},
      {"PartitionNodeLimit", "waiting", "does not take it", "sinfo -R"},
      {"PartitionConfig", "waiting", "does not take it", "scontrol show partition"},
      {"PartitionDown", "waiting", "is down", "another partition"},
      {"PartitionInactive", "waiting", "starts no jobs", "another partition"},
      {"ReqNodeNotAvail, UnavailableNodes:n[1-2]", "waiting", "UnavailableNodes:n[1-2])", "sinfo -R"},
      {"InvalidAccount", "waiting", "no such account", "`account`"},
      {"InvalidQOS", "waiting", "no such qos", "`qos`"},
      {"AssocGrpCPUMinutesLimit", "waiting", "account has reached a limit (AssocGrpCPUMinutesLimit)", "sacctmgr"},
      {"QOSMaxJobsPerUserLimit", "waiting", "qos has reached a limit", "sacctmgr"},
      {"QOSMaxWallDurationPerJobLimit", "waiting", "more than one job may have", "sacctmgr"},
      {"Licenses", "waiting", "licence", ""},
      {"Reservation", "waiting", "has not begun", "scontrol show reservation"},
      {"NodeDown", "waiting", "is down", "sinfo -R"},
      {"Nodes_required_for_job_are_DOWN,_DRAINED", "waiting", "down, drained or reserved", "sinfo -R"},
      {"SomethingNew|in two\x1b[31m parts", "waiting", "SomethingNew", ""},
  };
  for (const auto& [reason, state, words, advice] : rows) {
    INFO(reason);
    const auto found = task("PENDING", reason);
    CHECK((found.state == TaskState::held ? "held" : "waiting") == std::string(state));
    CHECK_THAT(found.why, Contains(words));
    CHECK(found.why.empty() == std::string(words).empty());
    CHECK_THAT(found.advice, Contains(advice));
    CHECK(found.advice.empty() == std::string(advice).empty());
    CHECK(found.why.find('\x1b') == std::string::npos);
  }
}

TEST_CASE("a job of ours whose task cannot be told makes the queue unknown, not empty") {
  for (const std::string id : {"12", "12_[4-7%2]", "12_", "12_x", "", "12_99999999999999999999", "12_4.batch"})
    CHECK_THROWS_WITH(jobs(id + "|PENDING||" + prefix + "0.0|None\n"), Contains("no task of an array"));
  CHECK(jobs("12|FAILED||" + prefix + "0.0|BadConstraints\n").live.empty());
}

TEST_CASE("what accounting remembers") {
  const auto ended = ended_in_sacct(divided("12_4|NODE_FAIL|n2|0:0|" + prefix + "0.0\n" +
                                            "12_4|RUNNING|n1|0:0|" + prefix + "0.0\n" +
                                            "12_5|FAILED|n1|127:0|" + prefix + "0.0\n" +
                                            "12_6|CANCELLED by 1000|None assigned|0:15|" + prefix + "0.1001\n" +
                                            "12_7|OUT_OF_ME+|n1|0:125|" + prefix + "0.0\n" +
                                            "12_8|COMPLETED|n1|0:0|" + prefix + "0.0\n" +
                                            "12_9|TIMEOUT|n1|0:0|" + prefix + "0.0\n" +
                                            "12_[10-12]|PENDING|None assigned|0:0|" + prefix + "0.0\n" +
                                            "12_3|PREEMPTED|n1|0:0|" + prefix + "0.0\n13|FAILED|n1|1:0|other\n"),
                                    prefix);
  REQUIRE(ended.size() == 7);
  CHECK(ended[0].why == "its node failed (NODE_FAIL)");
  CHECK(ended[0].node == "n2");
  CHECK(ended[1].why == "FAILED, exit code 127");
  CHECK_THAT(ended[1].advice, Contains("`program`"));
  CHECK(ended[2].why == "CANCELLED by 1000, signal 15");
  CHECK(ended[2].node == "");
  CHECK(ended[2].block == 1007);
  CHECK_THAT(ended[3].advice, Contains("--mem=0"));
  CHECK(ended[4].why == "Slurm says COMPLETED");
  CHECK_THAT(ended[5].advice, Contains("`time`"));
  CHECK(ended[6].why == "its node was given to others (PREEMPTED)");
  for (const auto& one : ended) CHECK(one.state == TaskState::ended);
}

}  // namespace slurm_queue_tests
