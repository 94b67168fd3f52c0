// The evidence that comes with stackx, and made-up evidence, for the tests of prediction.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/prediction/observation.hpp"
#include "specs/random.hpp"

namespace stackx::test {

struct RateEvidence {
  std::unique_ptr<specs::Accelerators> accelerators;
  std::vector<specs::Published> results;
  analysis::Observations observations;
};

// Of these files of specs/data/evidence.
std::unique_ptr<RateEvidence> rate_evidence(const std::vector<std::string>& files);
const RateEvidence& deepbench();   // its three files, read once
const RateEvidence& all_matmul();  // every file with matmul in it, read once

// Products on made-up GPUs of one architecture, float32, with CUDA 10.0.
class MadeUp {
 public:
  // `gpus` of them, peaks from 5 to 20 TFLOP/s, bandwidths from 200 to 1,000 GB/s.
  MadeUp(std::size_t gpus, std::size_t shapes, std::uint64_t seed);

  using Rate = std::function<double(const specs::Workload&, const specs::Accelerator&)>;
  void measure(const Rate& rate);

  specs::Random random;
  std::vector<std::unique_ptr<specs::Accelerator>> accelerators;
  std::vector<std::unique_ptr<specs::Workload>> workloads;
  specs::Stack stack{{{"cuda", "10.0.130"}}};
  std::vector<analysis::Observation> observations;
};

}  // namespace stackx::test
