// What a run takes of memory against what can be had: told before anything is allocated. The kernel ends a process that takes
// too much without a word, and a full GPU says "out of memory" and no more.
//
// Bytes are doubles: a product of sizes may pass 2^64 and must not come out small. They are those of our own arrays, and what
// the check takes beside them; what a library allocates for itself is not known, so a run that is let through may still run
// short (OutOfMemory). What can be had of the host is the least of what the kernel says is available (MemAvailable), what the
// control groups of this process leave (v1, v2; pages of files that were not used lately can be dropped and do not count as used), and
// the limit of address space, which is each process's own: several have as much more. Rejected: a share of the machine's memory, which
// others use, too.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/blas/library.hpp"
#include "kernels/parameters.hpp"

namespace stackx::kernels {

struct Need {                     // bytes, at one time
  std::vector<std::string> keys;  // the parameters that they follow from
  double arrays = 0;              // of the host: operands, results, copies
  double check = 0;               // of the host: what the check takes beside them
  double device = 0;              // of the GPU
  double processes = 1;           // that take as much of this host

  double host() const { return (arrays + check) * processes; }
};

struct Free {
  double bytes = 0;
  const char* by = "";  // what says so
};

// For so many processes that take as much, together. Nothing where the machine does not tell. `root`: of the file system; tests have
// their own.
std::optional<Free> free_host_memory(double processes = 1, const std::string& root = "");

// The sentence that says that it does not fit; nothing if it does, or nobody knows.
std::optional<Unsupported> too_large(const Need& need, const Parameters& parameters, const std::optional<Free>& host,
                                     const std::optional<double>& device);

// An allocation on the GPU that failed nevertheless, most often one of a library. The answer is `unsupported`.
struct OutOfMemory : std::runtime_error {
  using runtime_error::runtime_error;
};
Unsupported ran_short(const OutOfMemory& error, const Need& need, const std::optional<double>& device);

std::string amount(double bytes);  // "447.0 GiB"

}  // namespace stackx::kernels
