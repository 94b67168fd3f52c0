#include "inspector/gpu_requirements.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/project/own_pis.hpp"

namespace stackx::inspector {
namespace {

using specs::Requirement;
using specs::VersionEntry;

bool of_gpu(const std::string& component) {
  return component == "gpu" || component == "driver" || component == "cuda";
}

struct Selected {
  std::string name;
  const VersionEntry* entry;
};

std::vector<Selected> selected(const specs::Stack& stack, const specs::Catalog& catalog) {
  std::vector<Selected> result;
  for (const auto& [name, version] : stack.components) {
    if (const auto* entry = catalog.find(name, version)) result.push_back({name, entry});
  }
  return result;
}

std::string no_gpu(const specs::Host& host) {
  if (!host.gpus.empty())
    return "the stack needs a GPU, and $CUDA_VISIBLE_DEVICES shows none of this machine's; set it "
           "to an index or a UUID (stackx hw lists them), or unset it";
  return fmt::format("the stack needs a GPU, and none is to be seen on this machine{}; inspect it on "
                     "a machine with an NVIDIA GPU and driver",
                     host.gpu_note.empty() ? "" : " (" + host.gpu_note + ")");
}

// The driver that is here against what one version asks of a driver.
std::optional<std::string> wrong_driver(const Selected& one, const Requirement& requirement,
                                        const std::string& driver) {
  const auto here = specs::Version::parse(driver, specs::Versioning::pep440);
  if (!here || specs::holds(requirement.constraint, *here)) return std::nullopt;
  return fmt::format("{} {} needs driver {}, this machine has {}; update the driver, or pin {} to an "
                     "older version", one.name, one.entry->version.text(),
                     requirement.constraint.text, driver, one.name);
}

// What is measured here must not be filed under another model's name.
std::optional<std::string> other_model(const specs::Stack& stack, const specs::Host& host,
                                       std::size_t card, const specs::Catalog& catalog) {
  const auto asked = stack.components.find("gpu");
  const auto here = host.gpu_entry(card);
  if (asked == stack.components.end() || !here) return std::nullopt;
  if (specs::is_model_of(asked->second, host.gpus[card], catalog.find("gpu"))) return std::nullopt;
  return fmt::format("the stack is for {}, this machine has {}; inspect it on such a machine, or ask "
                     "for \"gpu\": \"host\"", asked->second, here->version.text());
}

std::optional<std::string> wrong_gpu(const Selected& one, const Requirement& requirement,
                                     const specs::Gpu& gpu) {
  if (requirement.attribute != "compute_capability" || gpu.compute_capability.empty())
    return std::nullopt;
  if (specs::holds(requirement.constraint, specs::Attribute(gpu.compute_capability)))
    return std::nullopt;
  return fmt::format("{} {} needs a GPU of compute capability {}; {} has {}", one.name,
                     one.entry->version.text(), requirement.constraint.text, gpu.model,
                     gpu.compute_capability);
}

}  // namespace

bool needs_gpu(const specs::Stack& stack, const specs::Catalog& catalog) {
  if (std::ranges::any_of(stack.components, [](const auto& one) { return of_gpu(one.first); }))
    return true;
  return std::ranges::any_of(selected(stack, catalog), [](const Selected& one) {
    return one.entry->attributes.contains(gpu_needed) ||
           std::ranges::any_of(one.entry->requires_,
                               [](const Requirement& r) { return of_gpu(r.component); });
  });
}

bool uses_gpu(const specs::Stack& stack, const specs::Workload& workload, const specs::Catalog& catalog) {
  const auto device = workload.params.find("device");
  return (device != workload.params.end() && device->second == "gpu") || needs_gpu(stack, catalog);
}

bool is_spread(const specs::Workload& workload) {
  const auto several = [&](const char* parameter) {
    const auto at = workload.params.find(parameter);
    return at != workload.params.end() && at->second != "0" && at->second != "1";
  };
  return specs::takes_ranks(workload.pi) || several("workers") || several("tensor_parallel");
}

std::vector<GpuDevice> devices_for(const GpuDevice& device, const std::vector<GpuDevice>& visible, const specs::Host& host,
                                   const specs::Workload& workload) {
  std::vector<GpuDevice> devices{device};
  if (!is_spread(workload) || !device.profile.empty()) return devices;
  for (const auto& other : visible)
    if (other != device && other.profile.empty() && host.gpus[other.card].model == host.gpus[device.card].model)
      devices.push_back(other);
  return devices;
}

std::optional<std::string> why_not_on(const std::optional<GpuDevice>& device,
                                      const specs::Host& host, const specs::Stack& stack,
                                      const specs::Catalog& catalog) {
  if (!device) return no_gpu(host);
  if (const auto why = other_model(stack, host, device->card, catalog)) return why;
  for (const auto& one : selected(stack, catalog)) {
    if (one.name == "driver") continue;  // what the stack was resolved for, not what is here
    for (const auto& requirement : one.entry->requires_) {
      std::optional<std::string> why;
      if (requirement.component == "driver" && requirement.attribute.empty())
        why = wrong_driver(one, requirement, host.driver);
      if (requirement.component == "gpu") why = wrong_gpu(one, requirement, host.gpus[device->card]);
      if (why) return why;
    }
  }
  return std::nullopt;
}

}  // namespace stackx::inspector
