// conda's environment.yml: what it asks of Python's packages.
//
//   dependencies: [python=3.11, pytorch::pytorch=2.4, numpy>=1.26, pip, {pip: [transformers]}]
//
// What stands under `pip:` is a requirement as elsewhere. conda's own packages are other builds than the index's: of those
// that are frameworks, or what is used beside one, `meant` says what the same would be there (pytorch=2.4 is
// torch==2.4.*), for who asks what to install; the others say nothing of an index.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "specs/python/project.hpp"

namespace stackx::specs {

struct CondaEnvironment {
  std::optional<PlacedDependency> python;
  std::vector<PlacedDependency> pip, meant;
  std::string cuda;                    // that its builds are for, "11.6": cudatoolkit=11.6, pytorch-cuda, cuda-version
  std::vector<std::string> of_conda;   // names of its own packages, but python
  std::vector<std::string> no_name;    // those of them of which nobody here knows what an index calls them
  std::vector<std::string> elsewhere;  // under `pip:`, but no package of an index: options, URLs, paths
};

bool is_conda_environment(const std::filesystem::path& file);  // *.yml, *.yaml
// Throws Error(bad_input) for what is no such file.
CondaEnvironment read_conda_environment(const std::filesystem::path& file);

}  // namespace stackx::specs
