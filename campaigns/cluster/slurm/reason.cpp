#include "campaigns/cluster/slurm/reason.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/format/printable.hpp"

namespace stackx::campaigns::cluster {
namespace {

struct Meaning {
  std::string_view begins, words, advice;  // the first that `begins` the reason
};

constexpr std::string_view who_limits = "sacctmgr show assoc and sacctmgr show qos say what the limits are";

constexpr Meaning meanings[] = {
    {"None", "", ""},
    {"WaitingForScheduling", "", ""},
    {"Resources", "waits for a free node", ""},
    {"Priority", "jobs of higher priority are before it", ""},
    {"JobArrayTaskLimit", "as many blocks run as `parallel` lets run", ""},
    {"BeginTime", "its start is put off: a requeued job waits for two minutes", ""},
    {"Cleaning", "its earlier start is not yet cleaned up", ""},
    {"Prolog", "the node is being prepared for it", ""},
    {"BadConstraints", "no node has what the target asks for",
     "compare its constraint, gres, nodelist and directives with sinfo -o '%N %f %G'"},
    {"PartitionNodeLimit", "the partition does not take it, or the nodes asked for are down", "sinfo -R says which nodes are down"},
    {"PartitionTimeLimit", "its time is longer than the partition allows", "sinfo -o '%P %l' says how long; set the target's `time`"},
    {"PartitionConfig", "the partition does not take it", "scontrol show partition says whom it takes"},
    {"PartitionDown", "the partition is down", "wait for the administrators, or choose another partition"},
    {"PartitionInactive", "the partition starts no jobs", "wait for the administrators, or choose another partition"},
    {"ReqNodeNotAvail", "nodes that it needs are down, drained, reserved or busy",
     "sinfo -R says which are down, scontrol show reservation what is reserved: what ends before that (the target's `time`) may start"},
    {"Nodes required for job are", "nodes that it needs are down, drained or reserved", "sinfo -R says which are down"},
    {"NodeDown", "a node that it needs is down", "sinfo -R says why"},
    {"FrontEndDown", "the front end is down", "wait for the administrators"},
    {"InvalidAccount", "Slurm knows no such account", "set the target's `account`; sacctmgr show assoc user=$USER says which are yours"},
    {"AccountNotAllowed", "the partition does not take its account", "set the target's `account` or `partition`"},
    {"InvalidQOS", "Slurm knows no such qos", "set the target's `qos`; sacctmgr show qos says which there are"},
    {"QOSNotAllowed", "its account or partition does not take its qos", "set the target's `qos`"},
    {"QOSUsageThreshold", "its qos needs more of its share left", who_limits},
    {"Assoc", "its account has reached a limit", who_limits},
    {"QOS", "its qos has reached a limit", who_limits},
    {"Max", "its account or user has reached a limit", who_limits},
    {"AccountingPolicy", "its account or qos has reached a limit", who_limits},
    {"Licenses", "waits for a licence", ""},
    {"Licences", "waits for a licence", ""},
    {"ReservationDeleted", "its reservation is gone", "remove the target's `reservation`, and cancel the job"},
    {"Reservation", "its reservation has not begun", "scontrol show reservation says when it does"},
    {"DependencyNeverSatisfied", "it depends on a job that failed", "cancel it"},
    {"Dependency", "it depends on another job", ""},
    {"JobHoldMaxRequeue", "it was requeued too often, and is held", "see the log of it, then: scontrol release JOB"},
    {"JobHeldUser", "it is held by its user", "scontrol release JOB"},
    {"JobHeldAdmin", "it is held by an administrator", "ask them, then: scontrol release JOB"},
    {"JobLaunchFailure", "it could not be launched", "the log of slurmd on its node says why"},
    {"SystemFailure", "a failure of Slurm, a file system or the network", ""},
    {"NonZeroExitCode", "", ""},
};

// Where these end a reason, nobody but a person lets it start: "launch failed requeued held".
bool says_held(std::string_view reason) { return reason.ends_with(" held") || reason.ends_with(" held state"); }

bool holds(std::string_view reason) {
  return says_held(reason) || reason.starts_with("JobHeld") || reason == "JobHoldMaxRequeue" || reason == "DependencyNeverSatisfied";
}

std::string with_job(std::string_view advice, const std::string& job) {
  std::string text(advice);
  if (const auto at = text.find("JOB"); at != text.npos) text.replace(at, 3, job);
  return text;
}

// "JobHeldUser: it is held by its user", so that both can be searched for.
std::string both(std::string_view words, std::string_view slurms) {
  if (words.empty()) return "";
  return fmt::format("{} ({})", words, specs::printable(slurms));
}

std::string exit_words(std::string_view exit_code) {
  const auto colon = exit_code.find(':');
  if (colon == exit_code.npos) return "";
  const auto status = exit_code.substr(0, colon), signal = exit_code.substr(colon + 1);
  if (signal != "0") return fmt::format(", signal {}", signal);
  return status == "0" ? "" : fmt::format(", exit code {}", status);
}

std::string advice_on_ending(std::string_view state, std::string_view exit_code) {
  if (exit_code == "127:0") return "stackx was not found on the node: set the target's `program` to where nodes see it";
  if (exit_code == "126:0") return "stackx could not be run on the node: set the target's `program` to one that can";
  if (state.starts_with("OUT_OF_ME")) return "give it the node's memory: \"directives\": [\"--mem=0\"]";
  if (state.starts_with("TIMEOUT")) return "set the target's `time` to more, or take fewer rounds_per_block";
  return "";
}

}  // namespace

Reason reason_for_waiting(std::string_view reason, const std::string& job) {
  std::string text(reason);
  if (text.find(' ') == text.npos && text.find('_') != text.npos) std::ranges::replace(text, '_', ' ');  // some versions
  if (says_held(text))
    return {fmt::format("held by Slurm: {}", specs::printable(text)), "see why it failed, then: scontrol release " + job, true};
  const bool never = text.find("PerJob") != text.npos || text.find("PerNode") != text.npos;
  for (const auto& [begins, words, advice] : meanings) {
    if (!text.starts_with(begins)) continue;
    if (never) return {both("it asks for more than one job may have", text), std::string(who_limits), holds(text)};
    return {both(words, text), with_job(advice, job), holds(text)};
  }
  return {specs::printable(text), "", false};
}

Reason reason_for_ending(std::string_view state, std::string_view exit_code, std::string_view reason) {
  // Slurm says so of a task whose slurmstepd broke, when nothing ran.
  std::string words = state == "COMPLETED" ? "Slurm says COMPLETED" : specs::printable(state);
  if (state.starts_with("NODE_FAIL")) words = "its node failed (NODE_FAIL)";
  if (state.starts_with("PREEMPTED")) words = "its node was given to others (PREEMPTED)";
  words += specs::printable(exit_words(exit_code));
  if (!reason.empty() && reason != "None") words += fmt::format(": {}", specs::printable(reason));
  return {words, advice_on_ending(state, exit_code), false};
}

}  // namespace stackx::campaigns::cluster
