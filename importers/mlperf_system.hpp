// MLPerf's descriptions of systems, in the shapes that submitters gave them:
//   {"accelerator_model_name": ..., "accelerators_per_node": "8", "number_of_nodes": "1",
//    "other_software_stack": {"cuda_version": ...} | [{...}] | "cuda 11.0, cudnn 8.0.1", ...}
//   {"hardware": ..., "libraries": "... / cuda_version 9.2 / ...",
//    "nodes": [{"accelerator", "num_accelerators", "num_nodes", "cpu"}]}
//   org: {"value": ...} lines, whose entry holds Python dicts in texts (NVIDIA in v0.6)
// with their misspellings ("number of nodes", "sumitter") and trailing commas.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace stackx::importers {

struct MlperfSystem {
  std::string submitter, division, status, name;
  std::string accelerator, cpu;  // models
  std::optional<std::uint64_t> nodes, devices;  // devices: accelerators of all nodes, or CPUs
  std::string framework, os, software;          // as written
  std::map<std::string, std::string> versions;  // what of it is unambiguous
  std::string hardware() const { return accelerator.empty() ? cpu : accelerator; }
};

// Nothing for what has none of these shapes.
std::optional<MlperfSystem> read_mlperf_system(std::string_view text);

}  // namespace stackx::importers
