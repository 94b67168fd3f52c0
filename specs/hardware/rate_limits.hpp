// Rates that no device like this one reaches, whatever runs on it: above them a result is not fast but wrong (the clock,
// the count of work, or the program that reports it).
//
// Not a peak: a bound that no honest result may meet. A processor's is its threads x 6.2 GHz (the highest boost there
// is; what the system states leaves it out on some machines and is absent on virtual ones) x the operations a cycle of
// its widest unit for the data type x 1.5; a GPU's what the fastest of its compute capability is sold with, x 1.5.
// Units that software may choose on its own count as the type's: float32 by bfloat16 or TF32 (oneDNN's and cuBLAS's
// math modes), float64 by int8 slices, structured sparsity; Winograd's and FFT convolutions do fewer operations than
// are counted for them. Bytes: what a core's ports, or a multiprocessor's, load and store, since caches know no smaller
// bound.
//
// From the host's document alone, without tables that change: the inspector and the store, years apart, must judge
// alike: whoever sends one may lie about the machine, too. Where the units are not known (another architecture) the
// largest known count, and ten times the fastest GPU for a newer one. Rejected: the peaks of
// cpus.json and gpus.json, which lack most clocks, and units that were not stated (tests hold that none of them is
// above these).
#pragma once

#include <limits>
#include <map>
#include <string>

#include "specs/hardware/hardware.hpp"
#include "specs/project/workload.hpp"

namespace stackx::specs {

struct RateLimit {
  static constexpr double none = std::numeric_limits<double>::infinity();
  double flop_s = none, bytes_s = none;
};

class RateLimits {
 public:
  RateLimits() = default;
  explicit RateLimits(const Host& host);

  // Of one of the host's GPUs (`device`: a UUID, of a MIG instance too), else of its processors: as those a result ranks
  // whose GPU the host's document does not name.
  RateLimit of(const std::string& device, const Workload& workload) const;

 private:
  struct Units {  // flop/s by data type: float64, float32, anything narrower or not named
    double float64 = RateLimit::none, float32 = RateLimit::none, narrow = RateLimit::none;
    double bytes_s = RateLimit::none;
  };
  static Units of_processor(const Cpu& cpu);
  static Units of_gpu(const std::string& compute_capability);

  Units processor_;
  std::map<std::string, Units> gpus_;  // by UUID
};

}  // namespace stackx::specs
