// What squeue and sacct print of our jobs -> tasks.
//
// Fields are divided by U+001F, which no reason holds and names of our jobs cannot. A job is ours by its name, and lives until
// Slurm says that it ended: a state that nobody has heard of is one that lives, because blocks of what does not live are
// submitted again. Rejected: `--json`, which only later versions have, with other members in each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "campaigns/cluster/scheduler.hpp"

namespace stackx::campaigns::cluster {

inline constexpr const char* squeue_format = "%i\x1f%T\x1f%N\x1f%j\x1f%r";  // squeue -h -r -t all -o
inline constexpr const char* sacct_format = "JobID,State,NodeList,ExitCode,JobName%200";  // sacct -n -P -X -D --delimiter=U+001F -o

struct Jobs {
  std::vector<Task> live, ended;
};

// `prefix` is job_prefix()'s. Throws Error(environment) for a job of that name whose task cannot be told: it may live.
Jobs jobs_in_squeue(std::string_view printed, const std::string& prefix);

std::vector<Task> ended_in_sacct(std::string_view printed, const std::string& prefix);

// Lines that have as many fields; what is too much belongs to the last.
std::vector<std::vector<std::string_view>> rows_of(std::string_view printed, std::size_t fields);

}  // namespace stackx::campaigns::cluster
