#include <fmt/format.h>
#include <fmt/ranges.h>

#include "inspector/machine/rapl.hpp"
#include "workspace/doctor/probes.hpp"

namespace stackx::workspace {

Findings look_at_energy(const std::filesystem::path& root) {
  const auto rapl = inspector::Rapl::find(inspector::Tree(root));
  if (rapl) return {{"energy", Status::ok, fmt::format("RAPL: {}", fmt::join((*rapl)->names(), ", ")), "", ""}};
  if (!rapl.error().hidden) return {{"energy", Status::none, rapl.error().why, "", ""}};
  return {{"energy", Status::poor, rapl.error().why, "--metric energy: processors' is not measured",
           "sudo chmod a+r /sys/class/powercap/intel-rapl:*/energy_uj"}};
}

}  // namespace stackx::workspace
