// What the result documents say of the machines that were measured on.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/store.hpp"

namespace stackx::analysis {

// The result document of a measurement; none if it cannot be had.
using FindDocument =
    std::function<std::optional<specs::Inspection>(const store::Measurement& measurement)>;

struct Machine {
  std::vector<std::string> campaigns;  // ids; "" for single inspections
  std::size_t inspections = 0;         // that ran there
  // "CPU" -> "Intel ...", always the same keys in the same order; "unknown" where nothing is said.
  std::vector<std::pair<std::string, std::string>> facts;
};

// From the first document of each campaign on each host; campaigns that agree in all of it are one
// entry.
std::vector<Machine> machines(const std::vector<const store::Measurement*>& measurements,
                              const FindDocument& document);

}  // namespace stackx::analysis
