// Processor models by name: what the catalog cpus.json says of each version of the component
// `cpu-model`, found in the names that /proc/cpuinfo and papers give ("Intel(R) Xeon(R) Platinum
// 8168 CPU @ 2.70GHz"). Vector units are those of the microarchitecture (microarchitecture.hpp).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/catalog/catalog.hpp"
#include "specs/hardware/microarchitecture.hpp"

namespace stackx::specs {

struct Processor {
  std::string name;   // the version of `cpu-model`: "xeon-platinum-8168"
  std::string title;  // "Xeon Platinum 8168"
  std::vector<std::string> aliases;
  std::string vendor, microarchitecture;  // "intel", "skylake-sp"
  std::optional<double> cores, base_ghz;  // of one socket
  std::vector<std::string> sources;
};

class Processors {
 public:
  explicit Processors(const Component& cpu_model);  // throws Error(bad_input)

  const std::vector<Processor>& all() const { return all_; }
  // The model that `name` names, or whose name stands in it; nullptr: none.
  const Processor* identify(std::string_view name) const;

 private:
  std::vector<Processor> all_;
};

Processors load_processors(const std::filesystem::path& data_directory);

// GFLOP/s of one socket with all cores at the base clock; nothing where a part of it is not known.
struct ProcessorPeak {
  double float32, float64;
};
std::optional<ProcessorPeak> peak_of(const Processor& processor, const Microarchitectures& table);

}  // namespace stackx::specs
