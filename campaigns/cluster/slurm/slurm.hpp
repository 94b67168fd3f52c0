// Slurm, by sbatch, squeue, scancel, sinfo and scontrol, and sacct where there is accounting.
#pragma once

#include "campaigns/cluster/scheduler.hpp"

namespace stackx::campaigns::cluster {

std::unique_ptr<Scheduler> make_slurm(const Asked& asked);

}  // namespace stackx::campaigns::cluster
