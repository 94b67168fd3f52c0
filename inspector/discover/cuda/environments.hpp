// The CUDA that Python environments and environments of conda hold, beside toolkits.
//
//   site-packages/nvidia/*/lib  NVIDIA's wheels (wheels.hpp)
//   site-packages/torch/lib     what PyTorch's own wheels up to CUDA 11.8 bring: libcublas.so.11, libcudnn.so.8,
//                               libcudart-d0da41ae.so.11.0; the runtime's version stands in torch/version.py
//   PREFIX/lib                  conda's packages, where PREFIX/conda-meta is (conda-forge's are links to PREFIX/targets)
//
// Each is a CudaToolkit of its own, with its runtime's version. Its holder tells it from others: the frameworks of the
// environment ("torch", "jax.torch"), else its name; where two would have one holder and version, the name follows.
// Rejected: one toolkit for all environments (a cuBLAS would be measured with the runtime of another); an environment of
// conda as a toolkit with its directory (a run would see all of it, and its cuBLAS would hide one of the same version).
#pragma once

#include <filesystem>
#include <vector>

#include "inspector/discover/cuda/toolkits.hpp"
#include "inspector/discover/python_environments.hpp"

namespace stackx::inspector {

// Who asks a library of the environment which version it is: asked_by().
using AskIn = std::function<AskVersion(const Interpreter&)>;

// `prefixes`: where environments of conda may be, with or without a Python; further ones are those of `environments`.
void add_environments(CudaFound& found, const Tree& tree, const std::vector<PythonEnvironment>& environments,
                      const std::vector<std::filesystem::path>& prefixes, const AskIn& ask, const Remarks& remarks);

}  // namespace stackx::inspector
