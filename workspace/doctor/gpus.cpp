#include <fmt/format.h>

#include <map>
#include <string>

#include "inspector/machine/gpu/devices.hpp"
#include "inspector/machine/gpu/nvml.hpp"
#include "inspector/machine/tree.hpp"
#include "specs/hardware/hardware.hpp"
#include "workspace/doctor/outside.hpp"
#include "workspace/doctor/probes.hpp"

namespace stackx::workspace {
namespace {

constexpr const char* no_gpu = "stacks with a GPU cannot be measured";

// "2 x NVIDIA A100, NVIDIA T4"
std::string models(const inspector::NvmlReport& report) {
  std::map<std::string, int> counts;
  for (const auto& gpu : report.gpus) ++counts[gpu.model];
  std::string text;
  for (const auto& [model, count] : counts)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", count > 1 ? fmt::format("{} x ", count) : "", model);
  return brief_words(text);
}

// A machine without such hardware is none that lacks something; a driver that does not start is.
Finding without(const inspector::NvmlReport& report) {
  const auto hardware = inspector::explain_missing_gpu(inspector::Tree());
  if (report.driver.empty() && hardware.empty())
    return {"GPU", Status::none, "none here; advise --hw v100 and the like work without", "", ""};
  return {"GPU", Status::poor, brief_words(report.note + hardware, 300), no_gpu, "stackx hw"};
}

}  // namespace

Findings look_at_gpus() {
  const auto report = inspector::read_nvml();
  if (report.gpus.empty())
    return {without(report), {"GPU in containers", Status::none, "no GPU to show them", "", ""}};
  Finding gpu{"GPU", Status::ok, fmt::format("{}, NVIDIA driver {}", models(report), brief_words(report.driver)), "", ""};
  if (!report.cuda_driver.empty()) gpu.found += ", CUDA up to " + brief_words(report.cuda_driver);
  if (const auto why = inspector::why_no_cuda_driver(); !why.empty()) {
    gpu.status = Status::poor;
    gpu.found += "; CUDA's driver cannot be loaded: " + brief_words(why, 200);
    gpu.costs = no_gpu;
    gpu.remedy = "Install libcuda.so.1 of the same driver; in a container, start it with the capability compute (NVIDIA_DRIVER_CAPABILITIES)";
  }
  specs::Host host;
  host.gpus = report.gpus;
  if (inspector::visible_devices(host).empty()) {
    gpu.status = Status::poor;
    gpu.found += "; $CUDA_VISIBLE_DEVICES hides all";
    gpu.costs = no_gpu;
    gpu.remedy = "unset CUDA_VISIBLE_DEVICES";
  }
  if (inspector::has_cdi()) return {gpu, {"GPU in containers", Status::ok, "described by CDI", "", ""}};
  return {gpu,
          {"GPU in containers", Status::poor, "no CDI specification in /etc/cdi or /var/run/cdi", "containers cannot have the GPU",
           "nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml"}};
}

}  // namespace stackx::workspace
