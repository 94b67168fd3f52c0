// The index of PyTorch's builds: each CUDA, ROCm or processor build of a release is on one of its own, and the default index has
// one build of each (pytorch.org/get-started/previous-versions). torch 2.14.1+cu126 is at .../whl/cu126.
#pragma once

#include <string>

namespace stackx::specs {

// "cu126" of torch 2.14.1+cu126: the build of a package that PyTorch's index of that name has; "" for all others.
std::string pytorch_build(const std::string& package, const std::string& version);
// The URL of that index. Throws Error(bad_input) where a build's name is none.
std::string pytorch_index(const std::string& build);

}  // namespace stackx::specs
