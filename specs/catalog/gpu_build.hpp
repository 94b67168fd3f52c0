// For which GPUs a build holds code, and which it therefore runs on. One rule for all builds:
//
//   cubins  machine code for sm_XY runs on compute capability X.Z with Z >= Y
//           (CUDA C++ Programming Guide, "Binary compatibility"); of sm_100a and the like only what is said to run
//   ptx     code for compute capability P is compiled by the driver for anything from P on
//           (the same, "PTX compatibility"), by a driver that knows the PTX: one as new as the toolkit it came from
//   minimum where neither list is published but a least compute capability is
//   gfx     AMD: code objects run on exactly these targets
//   tpu     Google: the chips that it drives, by their names in gpus.json
//   xpu     Intel: the architectures that it is compiled for, as in gpus.json
//   neuron  AWS: the NeuronCores that it drives, by their architecture in gpus.json
// A build of which none of these is known runs nowhere that anyone could promise: `known()` is false, and the answer
// "unknown". Written in catalogs under `built_for` (specs/catalog/fact.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "specs/catalog/requirement.hpp"

namespace stackx::specs {

class Node;

struct GpuBuild {
  std::string cuda;  // "12.6"; "none": holds no GPU code; "any": needs no particular release; "": not of CUDA
  std::string rocm;  // "6.2"
  std::vector<std::string> cubins, ptx, gfx, tpu, xpu, neuron;
  std::string minimum;

  bool for_cpus() const { return cuda == "none"; }
  bool known() const {
    return for_cpus() || !cubins.empty() || !ptx.empty() || !minimum.empty() || !gfx.empty() || !tpu.empty() || !xpu.empty() || !neuron.empty();
  }
  // Whose accelerators it is for: "amd", "google", "intel", "aws"; else "nvidia".
  std::string vendor() const {
    return !gfx.empty() || !rocm.empty() ? "amd" : !tpu.empty() ? "google" : !xpu.empty() ? "intel" : !neuron.empty() ? "aws" : "nvidia";
  }

  enum class Reach { none, cubin, ptx };
  Reach reach(const std::string& compute_capability) const;
  // The compute capabilities as ranges, and in words: "7.5, 8.x, 9.x, by compilation from 9.0 on".
  Constraint runs_on() const;
};

GpuBuild read_gpu_build(const Node& node);
std::vector<std::string> read_capabilities(const Node& node);  // ["7.5", "8.0"]

// What a framework states of itself: "sm_70 sm_80 compute_90" (torch.cuda.get_arch_list()).
GpuBuild gpu_build_of(const std::string& architectures);

// In words where a framework's own list runs on other GPUs than a catalog says: "states code for 7.0, which the catalog
// has not". `capabilities`: those to compare.
std::optional<std::string> contradiction(const GpuBuild& stated, const Constraint& of_catalog,
                                         const std::vector<std::string>& capabilities);

}  // namespace stackx::specs
