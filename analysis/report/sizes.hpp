// Rate and elapsed time against the size of the problem, where a workload was measured in several.
//
// Sizes are parameters that are whole numbers and differ between the measured workloads, but for
// those that say how to measure (repetitions, warmup_ms, ...) or with how many threads. Compared are
// the workloads that agree with the ranked one in everything else; how they are measured may differ.
// One size parameter, or several that are always equal (m = n = k), is the axis as it is; else it is
// their geometric mean.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/ranking/rates.hpp"

namespace stackx::analysis {

struct Quartiles {
  double q1 = 0, median = 0, q3 = 0;
};

struct SizePoint {
  double size = 0;
  std::size_t inspections = 0, failed = 0;
  std::optional<Quartiles> rate;     // over inspections; absent if all failed
  std::optional<Quartiles> seconds;  // of one operation
  std::optional<double> efficiency;  // where sizes are workers (workers.hpp)
};

struct SizeCurve {
  specs::Stack stack;
  std::vector<SizePoint> points;  // by size
};

struct Sizes {
  std::string axis;                        // "m = n = k", "geometric mean of m and n"
  std::vector<specs::Workload> workloads;  // without the parameters that say how to measure
  std::vector<SizeCurve> curves;           // in the order of the stacks' components
  std::size_t left_out = 0;                // workloads: of very many sizes some hundred are taken, evenly
  std::size_t without_batch =
      0;  // inspections that do not say how many operations a sample has: one
};

// Operations in a sample of an inspection, if its document says so.
using FindBatch = std::function<std::optional<double>(const store::Measurement&)>;

// None with fewer than two sizes.
std::optional<Sizes> sizes(const std::vector<store::Measurement>& measurements,
                           const specs::Workload& ranked, const std::string& unit,
                           const std::string& this_host, const FindBatch& batch,
                           const specs::Yardstick& yardstick = {});

}  // namespace stackx::analysis
