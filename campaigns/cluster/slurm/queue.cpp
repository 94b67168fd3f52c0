#include "campaigns/cluster/slurm/queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "campaigns/cluster/slurm/reason.hpp"
#include "specs/error.hpp"
#include "specs/format/printable.hpp"
#include "specs/format/text_file.hpp"
#include "specs/project/cluster.hpp"

namespace stackx::campaigns::cluster {
namespace {

constexpr std::string_view ended_states[] = {"COMPLETED", "CANCELLED", "FAILED",  "TIMEOUT",       "NODE_FAIL",    "BOOT_FAIL",
                                             "DEADLINE",  "OUT_OF_ME", "REVOKED", "LAUNCH_FAILED", "RECONFIG_FAIL"};
constexpr std::string_view running_states[] = {"RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "RESIZING", "SIGNALING", "STAGE_OUT"};
constexpr std::string_view held_states[] = {"REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD"};

bool among(std::string_view state, const auto& states) {
  return std::ranges::any_of(states, [&](std::string_view one) { return state.starts_with(one); });
}

std::optional<std::uint64_t> digits_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value >= specs::most_blocks) return std::nullopt;
  return value;
}

// "stackx-3f2a09c1d2e4-h100-3.1001" -> 1001. Target h100-2 has the beginning of h100, but no two numbers after it.
std::optional<std::uint64_t> offset_in(std::string_view name, const std::string& prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  const auto point = name.find('.');
  if (point == name.npos || !digits_in(name.substr(0, point))) return std::nullopt;
  return digits_in(name.substr(point + 1));
}

// "123_4" -> 4
std::optional<std::uint64_t> index_in(std::string_view job) {
  const auto line = job.find('_');
  if (line == job.npos) return std::nullopt;
  return digits_in(job.substr(line + 1));
}

Task ended_task(Task task, std::string_view state, std::string_view exit_code, std::string_view reason) {
  const auto why = reason_for_ending(state, exit_code, reason);
  task.state = TaskState::ended;
  task.why = why.words;
  task.advice = why.advice;
  return task;
}

Task live_task(Task task, std::string_view state, std::string_view reason) {
  if (among(state, running_states)) {
    task.state = TaskState::running;
    if (state != "RUNNING") task.why = specs::printable(state);
    return task;
  }
  const auto why = reason_for_waiting(reason, task.job);
  task.why = why.words.empty() && state != "PENDING" ? specs::printable(state) : why.words;
  task.advice = why.advice;
  if (among(state, held_states) && task.advice.empty()) task.advice = "scontrol release " + task.job;
  task.state = why.is_held || among(state, held_states) ? TaskState::held : TaskState::waiting;
  return task;
}

}  // namespace

std::vector<std::vector<std::string_view>> rows_of(std::string_view printed, std::size_t fields) {
  std::vector<std::vector<std::string_view>> rows;
  while (!printed.empty()) {
    const auto end = std::min(printed.find('\n'), printed.size());
    auto line = printed.substr(0, end);
    printed.remove_prefix(std::min(end + 1, printed.size()));
    std::vector<std::string_view> row;
    for (auto at = line.find('\x1f'); row.size() + 1 < fields && at != line.npos; at = line.find('\x1f')) {
      row.push_back(line.substr(0, at));
      line.remove_prefix(at + 1);
    }
    row.push_back(line);
    if (row.size() == fields) rows.push_back(std::move(row));
  }
  return rows;
}

Jobs jobs_in_squeue(std::string_view printed, const std::string& prefix) {
  Jobs jobs;
  for (const auto& row : rows_of(printed, 5)) {
    const auto job = row[0], state = row[1], reason = row[4];
    const auto offset = offset_in(row[3], prefix);
    if (!offset) continue;
    const auto index = index_in(job);
    if (!index && among(state, ended_states)) continue;
    if (!index) throw broken_environment(fmt::format("squeue speaks of job {}, which is no task of an array", specs::in_quotes(job)));
    const Task task{*offset + *index, TaskState::waiting, std::string(job), std::string(row[2]), "", ""};
    if (among(state, ended_states)) jobs.ended.push_back(ended_task(task, state, "", reason));
    else jobs.live.push_back(live_task(task, state, reason));
  }
  return jobs;
}

std::vector<Task> ended_in_sacct(std::string_view printed, const std::string& prefix) {
  std::vector<Task> ended;
  for (const auto& row : rows_of(printed, 5)) {
    const auto job = row[0], state = row[1];
    const auto offset = offset_in(row[4], prefix), index = index_in(job);
    if (!offset || !index || !(among(state, ended_states) || state.starts_with("PREEMPTED"))) continue;
    const auto node = row[2] == "None assigned" ? "" : row[2];
    ended.push_back(ended_task({*offset + *index, TaskState::ended, std::string(job), std::string(node), "", ""}, state, row[3], ""));
  }
  return ended;
}

}  // namespace stackx::campaigns::cluster
