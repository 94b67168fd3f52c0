// A counter of this machine that says how much energy was drawn so far: rapl.hpp has the processors', gpu/energy.hpp a GPU's.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace stackx::inspector {

class EnergyCounter {
 public:
  virtual ~EnergyCounter() = default;
  virtual std::string source() const = 0;              // of specs/result/energy.hpp
  virtual std::vector<std::string> names() const = 0;  // "package-0", "package-0 dram"
  // Since some beginning that stays the same; nothing where it cannot be read this time. It moves in steps.
  virtual std::optional<double> joules() = 0;
};

}  // namespace stackx::inspector
