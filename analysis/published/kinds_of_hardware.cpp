#include "analysis/published/kinds_of_hardware.hpp"

namespace stackx::analysis {

const KindsOfHardware::Kind& KindsOfHardware::of(const std::string& name) {
  const auto [found, fresh] = kinds_.try_emplace(name, Kind{"", name});
  if (!fresh) return found->second;
  if (const auto* gpu = accelerators_.identify(name))
    found->second = {gpu->name, gpu->architecture};
  else if (const auto* cpu = processors_.identify(name))
    found->second = {cpu->name, cpu->microarchitecture};
  return found->second;
}

}  // namespace stackx::analysis
