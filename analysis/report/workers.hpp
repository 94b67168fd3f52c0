// Training on N workers: how the rate grows with N. Workers are a size of the problem (sizes.hpp), whether the workload says how
// many, or a component of the stack does, as a campaign has it that measures one, two and four in the same rounds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/report/sizes.hpp"

namespace stackx::analysis {

inline constexpr const char* workers_axis = "workers";

struct Trainings {
  std::vector<store::Measurement> measurements;
  specs::Workload ranked;
};

// The same measurements with a component `workers` as a parameter of the workload; none where no stack has one.
std::optional<Trainings> workers_as_size(const std::vector<store::Measurement>& measurements, specs::Workload ranked);

// Of each point the median rate a worker over that of the fewest workers of the same curve: 1 is perfect.
void put_efficiency(Sizes& sizes);

}  // namespace stackx::analysis
