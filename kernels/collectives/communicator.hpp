// Ranks that a library connects: MPI (mpi.hpp: one rank a process) or NCCL (nccl.hpp: one rank a
// GPU, all of one process).
//
//   load -> connect -> prepare(exchange) -> for own ranks: write -> call -> for own ranks: read
//
// A communicator moves bytes; what the operations mean, count and must result in is known to
// collective.hpp and exchange_check.hpp, the order of things to operation.hpp.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "kernels/blas/library.hpp"
#include "kernels/collectives/collective.hpp"
#include "kernels/collectives/processes.hpp"
#include "kernels/timing/measure.hpp"

namespace stackx::kernels::collectives {

enum class Buffers { of_host, of_device };

class Communicator {
 public:
  virtual ~Communicator() = default;

  // After it ranks() and the processes are known. Throws LoadError.
  virtual std::optional<Unsupported> connect() = 0;
  virtual std::size_t ranks() const = 0;
  virtual std::vector<std::size_t> own_ranks() const = 0;  // of this process
  virtual const Processes& processes() const = 0;          // before connect(): this one alone

  // Where a rank's buffers are, and what the fullest of the own ranks' devices has left.
  virtual Buffers buffers() const { return Buffers::of_host; }
  virtual std::optional<double> free_device_memory() const { return std::nullopt; }

  // Buffers for the exchange, and whether the library has it.
  virtual std::optional<Unsupported> prepare(const Exchange& exchange) = 0;
  // sent() and received() elements of an own rank. Broadcast: both are one buffer of the library's,
  // which rank 0 has the input in and the others the poison.
  virtual void write(std::size_t rank, const void* input, const void* poison) = 0;
  virtual void read(std::size_t rank, void* received) = 0;  // waits
  virtual void call() = 0;                                  // by all own ranks

  virtual std::unique_ptr<Sampler> sampler(const Clock& clock) = 0;
  virtual void describe(nlohmann::json& document) const = 0;
};

}  // namespace stackx::kernels::collectives
