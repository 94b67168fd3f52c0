// Runs stackx-pi on a machine of fakes: libcuda.so.1, libnvidia-ml.so.1 and libcudart.so.12 of
// tests/fakes/gpu/<build>.
#pragma once

#include "tests/kernels/run_pi.hpp"

inline std::string gpu_fake(const std::string& build, const std::string& file = "") {
  return std::string(STACKX_FAKES) + "/gpu/" + build + (file.empty() ? "" : "/" + file);
}

struct GpuRun {
  std::string pi;
  std::vector<std::string> words = {};
  std::vector<std::string> environment = {};
  std::string machine = "right";  // whose driver and NVML
  std::string stack = "right";    // whose libcudart

  PiResult operator()() const {
    std::vector<std::string> arguments{pi, "--library", gpu_fake(stack, "libcudart.so.12"),
                                       "warmup_ms=0", "min_sample_ms=0.01"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    std::vector<std::string> settings{"LD_LIBRARY_PATH=" + gpu_fake(machine)};
    settings.insert(settings.end(), environment.begin(), environment.end());
    return run_pi(arguments, settings);
  }
  nlohmann::json json() const { return (*this)().json(); }
};
