// Which build of a framework a GPU stack means, in pip's words.
//
// A release of PyTorch, TensorFlow or JAX is one component version; on package indexes it is several packages, one for
// each CUDA. The names follow the projects' own installation notes:
//   torch       the default index holds one CUDA build a release; the others carry a local version (+cu101) and are on
//               PyTorch's own wheel index (pytorch.org/get-started/previous-versions)
//   tensorflow  tensorflow-gpu before 2.1 (tensorflow.org/install/pip, 1.x: CPU and GPU packages are separate)
//   jax         the extra cuda12 or cuda13 since 0.4.26, jaxlib from JAX's own wheel index before
//               (docs/installation.md of jax at its release tags)
#pragma once

#include <string>
#include <vector>

#include "advisor/recipes/stack_packages.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/catalog/stack.hpp"

namespace stackx::advisor {

// Changes `packages` to the builds for the stack's CUDA; returns what must be said of them. Nothing without CUDA.
std::vector<std::string> choose_gpu_builds(StackPackages& packages, const specs::Stack& stack,
                                           const specs::Catalog& catalog);

}  // namespace stackx::advisor
