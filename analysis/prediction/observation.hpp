// Rates of workloads on accelerators, from whatever evidence there is, as the rate model takes
// them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "specs/hardware/accelerator.hpp"
#include "specs/result/published.hpp"
#include "store/store.hpp"

namespace stackx::analysis {

// Points into what it was made from (results, accelerators), which must outlive it.
struct Observation {
  const specs::Workload* workload = nullptr;
  const specs::Stack* stack = nullptr;
  const specs::Accelerator* accelerator = nullptr;
  double rate = 0;       // GFLOP/s
  std::string evidence;  // id of the published result, or of the inspection
  std::string source;    // URL; "" if it was measured here
  std::string result = {};  // type of a product's result, where that is known
};

struct Observations {
  std::vector<Observation> all;
  // Why others are not among them: "hardware that no catalog knows" -> how many.
  std::map<std::string, std::uint64_t> left_out;

  void add(const std::vector<specs::Published>& results, const specs::Accelerators& accelerators);
  // All of one model: a measurement names its device only by UUID, but the store finds those of a
  // model (store::Filter::hardware). Inspections of one stack and workload give one observation,
  // that of the median rate.
  void add(const std::vector<store::Measurement>& results, const specs::Accelerator& model);
};

}  // namespace stackx::analysis
