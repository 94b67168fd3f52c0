// NVIDIA's libraries that Python environments hold as wheels (site-packages/nvidia/*/lib): what PyTorch, JAX and CuPy
// compute with, each beside the CUDA runtime that came with it.
//
// Those of one environment and one major version of CUDA are a CudaToolkit of their own: its version is the runtime's
// (nvidia-cuda-runtime 13.0.96), its holder the frameworks of the environment, which tells it from others: "torch",
// "jax.torch"; where two environments would have one holder, the environment's name follows. Versions are those of the
// distributions. Rejected: the headers beside the libraries (not every wheel has some, and they lack the last number);
// one toolkit for all environments (a cuBLAS would be measured with the runtime of another).
#pragma once

#include <vector>

#include "inspector/discover/cuda_toolkits.hpp"
#include "inspector/discover/python_environments.hpp"

namespace stackx::inspector {

void add_wheels(CudaFound& found, const Tree& tree,
                const std::vector<PythonEnvironment>& environments, const Remarks& remarks);

// Marks libraries whose content another has, too, and drops wheels that hold nothing else: a file would be compared
// with itself.
void mark_copies(CudaFound& found, const Tree& tree, const Remarks& remarks);

}  // namespace stackx::inspector
