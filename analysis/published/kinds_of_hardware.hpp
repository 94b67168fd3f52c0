// Which hardware a published name means, looked up once each.
#pragma once

#include <map>
#include <string>

#include "specs/hardware/accelerator.hpp"
#include "specs/hardware/processor.hpp"

namespace stackx::analysis {

class KindsOfHardware {
 public:
  KindsOfHardware(const specs::Accelerators& accelerators, const specs::Processors& processors)
      : accelerators_(accelerators), processors_(processors) {}

  struct Kind {
    std::string model, architecture;  // "" and the name itself where the catalogs do not know it
  };
  const Kind& of(const std::string& name);

 private:
  const specs::Accelerators& accelerators_;
  const specs::Processors& processors_;
  std::map<std::string, Kind> kinds_;
};

}  // namespace stackx::analysis
