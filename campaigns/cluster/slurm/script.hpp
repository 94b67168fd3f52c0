// The batch script of an array of blocks: what a person reads before it is submitted.
//
// A task is a block: number `offset` + its index in the array, as indices end at MaxArraySize. Options of sbatch stand in the
// script, so that nothing is submitted that it does not show. The preamble stands in it as the settings have it, before `set
// -u`, which `module` does not bear. If its last line fails, nothing is measured: a module that is not there would make a
// result of something else. In the end the shell becomes stackx, since --signal=B: reaches the batch shell alone. Rejected:
// srun, which passes signals on to no batch step; one job a block, which a scheduler's limits on jobs meet first.
//
// A block of several nodes is started by srun on each of them, since there is no other way to those that are not the first. Signals go
// to its tasks then, without B:. A task that cannot even start (--kill-on-bad-exit) ends the others; else they tell one another how it
// goes (node/together.hpp), at a port of the first node that is the job's own, and by a secret in the job's environment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "campaigns/cluster/scheduler.hpp"

namespace stackx::campaigns::cluster {

struct ArrayJob {
  std::uint64_t number = 0;    // of the submission
  std::uint64_t offset = 0;
  Blocks indices;              // blocks less the offset
  std::uint64_t parallel = 1;  // tasks at once
};

// `array_size` is Slurm's MaxArraySize: one more than the largest index. `parallel` blocks at once are shared out among the jobs,
// each of which has one at least. A job has 1001 blocks at most, so that any list of them fits into a line that sbatch reads.
std::vector<ArrayJob> array_jobs(const Submission& submission, std::uint64_t array_size, std::uint64_t parallel);

std::string job_name(const Asked& asked, const ArrayJob& job);  // job_prefix() and "3.1001": submission and offset

std::string script_of(const Asked& asked, const ArrayJob& job);

}  // namespace stackx::campaigns::cluster
