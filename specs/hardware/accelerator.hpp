// GPUs and other accelerators by model: what the catalog gpus.json says of each version of the
// component `gpu`, under the names that drivers, benchmarks and clouds give it.
//
// A name is looked up by whole words (name.hpp), which may be run together (glued_name.hpp): "v100" names a family, of
// which "Tesla V100-SXM2-16GB" is one model. Peaks are dense rates (no structured sparsity) at boost clock; a rate
// that no source states is absent, never derived. Rejected: a table in code, which has no sources.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/catalog/catalog.hpp"
#include "specs/catalog/first_driver.hpp"
#include "specs/project/workload.hpp"

namespace stackx::specs {

struct Accelerator {
  std::string name;                  // the version of `gpu`: "v100-sxm2-16gb"
  std::string title;                 // "Tesla V100 SXM2 16GB"
  std::vector<std::string> aliases;  // "NVIDIA V100", "Tesla V100-SXM2-16GB", "p3.2xlarge"
  std::map<std::string, std::size_t> instances;  // that carry several of it, as hardware_words() has them: "-p3.8xlarge-" -> 4
  std::string vendor, architecture;  // "nvidia", "volta"
  std::string compute_capability;    // "7.0"; "" if it has none (not of NVIDIA)
  std::string gfx;                   // of AMD, what ROCm calls it: "gfx90a"
  std::string machine;               // processor of the host it is built into: "aarch64"; "": any, usually x86_64
  std::string segment;               // "datacenter", "workstation", "geforce", "jetson"
  std::optional<double> memory_gb, bandwidth_gb_s, tdp_w;
  std::optional<double> sms;  // multiprocessors, of a slice its own
  // TFLOP/s (int8: TOP/s) by the unit that reaches it: float64, float64_tensor, float32,
  // tensorfloat32, float16, float16_tensor, float16_tensor_float16_sums, bfloat16, float8, float4, int8. GeForce adds half as fast
  // in float32, as frameworks do, as in float16: float16_tensor is with float32 sums everywhere.
  std::map<std::string, double> peaks;
  FirstDriver first_driver;  // NVIDIA's on Linux: which drivers are as new as the product
  std::vector<std::string> sources;
};

class Accelerators {
 public:
  explicit Accelerators(const Component& gpu);  // throws Error(bad_input)

  const std::vector<Accelerator>& all() const { return all_; }
  // The models that a name may mean, the most usual first; empty: none.
  std::vector<const Accelerator*> named(std::string_view name) const;
  // What people call several models by, in the models' order: "v100", "rtx-3080".
  std::vector<std::string> families() const;
  // The model that a name stands for where several share it; nullptr: none.
  const Accelerator* identify(std::string_view name) const;
  // Of what a name may mean, the one that older drivers drive: "h100" may be a PCIe card of the year before.
  FirstDriver first_driver(std::string_view name) const;
  // Names like this one, for an error message.
  std::vector<std::string> nearest(std::string_view name) const;

 private:
  std::vector<const Accelerator*> whole(const std::string& wanted) const;
  std::vector<const Accelerator*> by_words(const std::string& wanted, const std::vector<std::string>& words) const;
  std::vector<const Accelerator*> by_glued_words(std::string_view name, bool slices) const;
  std::vector<const Accelerator*> by_family(const std::string& wanted) const;
  std::vector<const Accelerator*> in_system(std::vector<std::string> words) const;

  std::vector<Accelerator> all_;
  std::vector<std::vector<std::string>> words_;  // of each, its names as hardware_words() has them
};

// The versions of `gpu` that a name may mean, the most usual first, of those that are described as above; empty: none.
std::vector<std::string> models_named(const Component& gpu, std::string_view name);

Accelerators load_accelerators(const std::filesystem::path& data_directory);

struct Peak {
  double rate;       // GFLOP/s (int8: GOP/s); of memory GB/s
  std::string unit;  // the key of `peaks`; "memory"

  const char* rate_unit() const { return unit == "memory" ? "GB/s" : "GFLOP/s"; }
  const char* rate_member() const { return unit == "memory" ? "gb_s" : "gflop_s"; }  // of documents
};
// The highest rate that the device could reach for a workload's dtype (params dtype, mul, acc;
// float32 is not taken for tensorfloat32, nor float16's rate of other cores for that of tensor cores). Nothing where dtype
// or rate are not stated.
std::optional<Peak> peak_of(const Accelerator& accelerator, const Workload& workload);
// Of a result in that unit: bytes a second are those of the memory where the workload measures it, and nobody's peak in a transfer.
std::optional<Peak> peak_of(const Accelerator& accelerator, const Workload& workload, std::string_view unit);

}  // namespace stackx::specs
