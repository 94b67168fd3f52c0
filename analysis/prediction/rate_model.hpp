// The rate of a workload on a GPU that nobody measured there, from what was measured elsewhere.
//
//   seconds(workload, GPU, stack) = expected_seconds(operation, peak and bandwidth) * slowness
//
// The roofline part (roofline.hpp) says how peak, bandwidth and overhead scale from one GPU to
// another. The slowness, how far a library stays behind it, is taken from the nearest evidence: the
// weighted median of the log slowness of the results for this shape and the six shapes nearest to
// it (and all that are as far as the sixth), weight exp(-distance / 0.1). A distance is a sum, in
// about the units of log time:
//
//   hardware   sqrt(log(peak ratio)^2 + log(bandwidth ratio)^2), + 0.15 if the architecture
//              differs, + 0.15 if the compute capability does; another vendor: + 3 instead of these
//   library    0.03 a minor version, up to 0.3; another library 1; another release of cuDNN or
//              MIOpen 0.05
//   types      1 if the dtype differs, 2 if the multiplying type does
//   call       0.3 if another program calls the library (cuBLAS by torch, by vLLM, or by itself), 0.05 if the
//              product's result is known to be of another type
//   shape      sqrt(sum of log(size ratio)^2), + 1 for each other parameter that differs (pass,
//              transposition, cell)
//
// The call decides which of near results count and leaves the interval alone, whose errors are those of results that other
// programs' calls predicted, too. What a framework reached itself says most of it, whoever calls the same library elsewhere
// and under which conditions; on an H200 torch and cuBLAS by itself lie within 3% of each other, in bfloat16 with results of
// two types (docs/gpu.md), so the type counts for less.
//
// So efficiency by library, by shape and by generation of hardware is what near results show, and
// every prediction can name the results that it rests on. The median because evidence is not clean:
// one of DeepBench's sheets is slower than all others by 10 without saying why. The constants are
// rounded and were chosen once for all workloads by the errors of leaving out whole GPUs
// (held_out.hpp). Any one of them halved or doubled moves the median of those by 0.016 at most, of
// 0.11, and the coverage of the intervals by 3% (bench/prediction).
//
// Rejected: one ridge regression of log efficiency on shape, hardware and library with all their
// products, least squares or Huber: errs twice as much on left-out GPUs as the nearest GPU's number
// scaled by the peaks, for ten GPUs are too few to learn slopes from. A Gaussian process over all
// results: cubic in 6,600 of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/prediction/observation.hpp"

namespace stackx::analysis {

// What is taken away before a result is predicted: all of its shape; of its library version (CUDA
// 10.1, whatever the release); of its family of hardware (P100, whatever the form).
enum class LeaveOut { shape, library, hardware };

// "cuda 10.1"; "" if the stack names none. cuBLAS and cuDNN are of CUDA, MIOpen of ROCm.
std::string library_of(const specs::Stack& stack);

class RateModel {
 public:
  // Of those observations that are of this PI.
  RateModel(std::string pi, const std::vector<Observation>& observations);
  ~RateModel();
  RateModel(RateModel&&) noexcept;

  const std::string& pi() const;
  std::size_t size() const;
  const Observation& observation(std::size_t row) const;

  struct Estimate {
    double log_rate = 0;  // natural, of GFLOP/s
    double distance = 0;  // weighted mean of those of the evidence: how far off it is
  };
  struct Support {
    std::size_t row = 0;
    double share = 0;  // of the weight
    double distance = 0;
  };
  // Nothing where the peak, the bandwidth or the operations are not known, or there is no evidence.
  // With `support`, what it rests on, the largest share first.
  std::optional<Estimate> estimate(const specs::Workload& workload,
                                   const specs::Accelerator& accelerator, const specs::Stack& stack,
                                   std::vector<Support>* support = nullptr) const;

  // In what this is new to the evidence: the hardware (with this multiplying type), else the
  // library on it, else the shape on it. What is not new in any of these is taken for a new shape.
  LeaveOut novelty(const specs::Workload& workload, const specs::Accelerator& accelerator,
                   const specs::Stack& stack) const;

  // For leaving out (held_out.hpp). Rows of one group are left out together.
  std::size_t groups(LeaveOut what) const;
  std::size_t group(LeaveOut what, std::size_t row) const;
  std::string group_name(LeaveOut what, std::size_t group) const;
  double log_rate(std::size_t row) const;
  // Of a row of this model, without its group; and, of each other group whose absence would change
  // that, without both.
  struct LeftOut {
    std::optional<Estimate> estimate;
    std::vector<std::pair<std::size_t, std::optional<Estimate>>> without;
  };
  LeftOut leave_out(std::size_t row, LeaveOut what) const;
  // The naive rules: the number of the same types and the nearest shape on the nearest hardware
  // (same vendor first, then by peak and bandwidth; the same library first), and that times the
  // ratio of the peaks. Natural logs; nothing if no such number is left.
  struct Naive {
    double nearest = 0, peak_ratio = 0;
  };
  std::optional<Naive> naive(std::size_t row, LeaveOut what) const;

 private:
  struct Fit;
  std::unique_ptr<Fit> fit_;
};

}  // namespace stackx::analysis
