// Python environments and what was found of CUDA, for tests.
#pragma once

#include "inspector/discover/cuda/toolkits.hpp"
#include "inspector/discover/python_environments.hpp"

namespace stackx::inspector::testing {

using Texts = std::vector<std::string>;

// Its site-packages is /NAME.
inline PythonEnvironment environment_with(const std::string& name,
                                   const std::map<std::string, std::string>& packages) {
  PythonEnvironment result;
  result.name = name;
  result.sites = {"/" + name};
  for (const auto& [package, version] : packages)
    result.distributions[package] = {package, version, "/" + name + "/" + package + "/METADATA"};
  return result;
}

inline Texts texts(const CudaToolkit& toolkit) {
  Texts result;
  for (const auto& library : toolkit.libraries)
    result.push_back(library.component + " " + library.version + " says " + library.reports + " in " + library.file.string());
  return result;
}

}  // namespace stackx::inspector::testing
