// NVIDIA's libraries that a Python environment holds as wheels (site-packages/nvidia/*/lib): what PyTorch, JAX and CuPy
// compute with, each beside the CUDA runtime that came with it.
//
// Those of one major version of CUDA are a CudaToolkit of their own, whose version is the runtime's (nvidia-cuda-runtime
// 13.0.96). Versions are those of the distributions. Rejected: the headers beside the libraries (not every wheel has some,
// and they lack the last number).
#pragma once

#include <vector>

#include "inspector/discover/cuda/toolkits.hpp"
#include "inspector/discover/python_environments.hpp"

namespace stackx::inspector {

// Those in `directory`, a site-packages/nvidia; their holder is not said yet.
std::vector<CudaToolkit> cuda_wheels(const Tree& tree, const std::string& directory, const PythonEnvironment& environment,
                                     const Remarks& remarks);

}  // namespace stackx::inspector
