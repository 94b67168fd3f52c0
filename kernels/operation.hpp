// What a PI measures, and the one function that measures any of them:
//
//   load -> need -> prepare -> call -> check -> measure -> describe
//
// An Operation knows a library and a problem, not how time is taken: the sampler is the clock around
// a loop of calls unless it brings its own (events on a GPU). A result that differs from the
// reference is never timed, and what does not fit the memory is refused before it is allocated.
// Rejected: a PI as one function with its own copy of these steps, which is how each new one would
// forget one of them.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/blas/library.hpp"
#include "kernels/memory.hpp"
#include "kernels/parameters.hpp"
#include "kernels/pi.hpp"
#include "kernels/reference/product.hpp"
#include "kernels/timing/measure.hpp"

namespace stackx::kernels {

struct OperationWork {  // of one call
  double flop = 0, bytes = 0, items = 1;
};

class Operation {
 public:
  virtual ~Operation() = default;

  // Opens the library and sets what holds for all calls: threads, device. Throws LoadError.
  virtual std::optional<Unsupported> load() = 0;
  // Of what prepare() to result() take, and what the device has left for it; after load().
  virtual Need need() const = 0;
  virtual std::optional<double> free_device_memory() const { return std::nullopt; }
  // What all processes say to a refusal by one of them, where several measure together.
  virtual std::optional<Unsupported> agreed(std::optional<Unsupported> refusal) const { return refusal; }
  // Inputs filled, outputs poisoned, the call made ready.
  virtual std::optional<Unsupported> prepare() = 0;
  // On a CPU complete when it returns, on a GPU enqueued.
  virtual void call() = 0;
  // Of the result of the one call made after prepare(); waits for it.
  virtual Check check() = 0;
  // What the last call wrote, all of it, on the host: row by row, of images the channels last. Waits for it. Empty: its bits
  // are not compared (bits.hpp).
  virtual std::vector<std::span<const std::byte>> result() { return {}; }
  // The digest of all processes' results, where several measure together.
  virtual std::string joined(const std::string& digest) const { return digest; }
  virtual OperationWork work() const = 0;
  virtual std::unique_ptr<Sampler> sampler(const Clock& clock);
  // Fills in "component", "loaded", "library" and what is its own. Also called after load() or
  // prepare() refused: it tells what is known then.
  virtual void describe(nlohmann::json& document) const = 0;
};

// The PI's document; where the operation is refused it holds "unsupported" and no samples.
nlohmann::json run_operation(const Pi& pi, Parameters parameters, Operation& operation,
                             const Clock& clock);

// The members that operations on a library share: "component" (its kind, unless `component` names
// it), "loaded" and "library".
void put_library(nlohmann::json& document, const LibraryInfo& info, const std::string& path,
                 const std::optional<std::string>& component);
nlohmann::json json_of(const Check& check);

}  // namespace stackx::kernels
