// NCCL as a communicator: a rank a GPU, all GPUs of this process (ncclCommInitAll).
//
// A sample is nccl-tests' without its launcher: a loop of calls enqueued on every GPU's stream, then a
// wait for all, by the host's clock. One process holds all ranks, so nothing has to be agreed on.
//
// Not here: one process a GPU over several machines, which needs a way to send NCCL's id to all
// (nccl-tests takes MPI). PyTorch's PI (kernels/python/collective.py) does that by torch.distributed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/collectives/communicator.hpp"
#include "kernels/shared_object.hpp"

namespace stackx::kernels::collectives {

bool is_nccl(const SharedObject& object);

// `wanted` GPUs, the first ones that are visible; 0: all. `with`: further libraries of the stack.
std::unique_ptr<Communicator> nccl_communicator(const std::string& library,
                                                std::vector<std::string> with, std::size_t wanted,
                                                std::optional<std::string> component,
                                                const Clock& clock);

// 22105 -> "2.21.5", 2804 -> "2.8.4".
std::string nccl_version_text(int version);

}  // namespace stackx::kernels::collectives
