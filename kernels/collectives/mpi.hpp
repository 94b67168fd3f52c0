// MPI as a communicator: this process is one rank of MPI_COMM_WORLD.
//
// A sample is what nccl-tests and OSU take: a barrier, then a loop of calls, and of the ranks' times
// the largest. There is no barrier between calls (OSU's osu_allreduce has one, outside of the time;
// nccl-tests has none): where ranks run apart within a sample they wait in the next call, so that the
// loop as a whole takes what n calls take, and one long sample hides no waiting. Buffers lie on
// pages of their own, written before the first call.
//
// An error in a rank ends all ranks (MPI_Abort): without it the others would wait for it.
#pragma once

#include <memory>
#include <string>

#include "kernels/collectives/communicator.hpp"
#include "kernels/shared_object.hpp"

namespace stackx::kernels::collectives {

// `wanted` ranks: 0 takes as many as there are; a different number is a LoadError, since it means
// that the ranks found no one, or another library's launcher started them.
std::unique_ptr<Communicator> mpi_communicator(const SharedObject& library, std::size_t wanted,
                                               std::optional<std::string> component,
                                               const Clock& clock);

}  // namespace stackx::kernels::collectives
