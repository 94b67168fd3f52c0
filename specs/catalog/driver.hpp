// NVIDIA's driver: which GPUs a version drives, and which CUDA it runs. Read from the facts of three pseudo packages:
//
//   {"of": "cuda", "versions": ["12.8"], "driver": "570.26", "minor": "525.60.13"}
//       the toolkit's own driver (Linux); the least for its programs by minor-version compatibility, where there is any
//   {"of": "driver", "gpu": ["9.0"], "since": "525.60.13"}      the first that knows these GPUs
//   {"of": "driver", "branch": "470", "last_for": ["3.5", "3.7"]}  the last branch that does
//   {"of": "cuda-compat", "cuda": "12.8", "branches": ["470", "535"]}
//       forward compatibility: with NVIDIA's package cuda-compat these branches run that CUDA, on data-center GPUs
// Minor-version compatibility (NVIDIA, CUDA Compatibility) holds for machine code; PTX is compiled by the driver, which
// must be as new as the toolkit.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "specs/catalog/catalog.hpp"
#include "specs/catalog/first_driver.hpp"
#include "specs/catalog/gpu_build.hpp"

namespace stackx::specs {

class Node;

// People name a branch by its number alone: 525 is any driver of R525, not the one before its first.
bool is_branch(const std::string& driver);
// "525" -> "525.9999": what the branch meets, its newest does, since all that is asked of drivers is to be new enough or of a branch;
// "525.60.13" itself.
std::string newest_of_branch(const std::string& driver);

class DriverFacts {
 public:
  void read(const Node& document);  // what it says of the three; later documents win

  // A toolkit's own driver, where no fact says it.
  void add_toolkit(const std::string& cuda, const std::string& driver);

  // The least driver for code of this CUDA release that is reached in this way; nothing where nobody says.
  std::optional<std::string> least(const std::string& cuda, GpuBuild::Reach reach) const;
  // Releases that are known, the oldest first: "11.8", "12.0".
  std::vector<std::string> toolkits() const;
  // Branches whose drivers run it with cuda-compat.
  std::vector<std::string> compatible_branches(const std::string& cuda) const;
  // With that release of cuda-compat, which brings a driver's libraries of its own, a build for that CUDA runs: as new as the build, or
  // by minor-version compatibility.
  bool compat_runs(const std::string& compat, const std::string& cuda, GpuBuild::Reach reach) const;
  // The release with which a driver of that branch runs it: the build's own, else the newest of its major version that does.
  std::optional<std::string> compat_for(const std::string& cuda, GpuBuild::Reach reach, const std::string& branch) const;
  // The first that knows the GPU: as its product is named, else that of its compute capability.
  std::optional<std::string> since(const std::string& compute_capability, const FirstDriver& product = {}) const;
  // The first CUDA whose compiler and libraries have code that runs on it: of its compute capability or of a lower minor one.
  std::optional<std::string> first_toolkit(const std::string& compute_capability) const;
  // Its last branch.
  std::optional<std::string> last_branch(const std::string& compute_capability) const;

  // The open component `driver` for one GPU: a version each time something changes, each with `requires` that say
  // whether it drives GPUs of that compute capability. `asked`, the driver that is there, is one of them, and the only one that is
  // held against its own branch; of any driver the least number counts.
  Component component(const std::string& compute_capability, const FirstDriver& product = {}, const std::string& asked = {}) const;

 private:
  void read_gpus(const Node& fact);
  struct Release {
    std::string driver, minor;
  };
  std::map<std::string, Release> cuda_;
  std::map<std::string, std::string> since_, last_;
  std::map<std::string, std::vector<std::string>> compat_;
};

}  // namespace stackx::specs
