// What was found on this machine, as a catalog (stackx/catalog/1) whose stacks need nothing downloaded.
//
//   cuda, cublas, cudart, nvrtc, cudnn   toolkits and their libraries; a library requires its toolkit
//   local-openblas-pthreads, local-mkl, ...  BLAS libraries by kind, width of integers and threading; they provide
//                          `blas` and require the settings that they take (of an OpenBLAS the kernels it has)
//   python                 plain interpreters, each a `path` artifact with its program
//   python-environment     interpreters with their site-packages: opaque names, a `path` artifact each, which
//                          requires its Python and every framework it holds, exactly
//   numpy, torch, ...      frameworks, without artifacts: a version requires an environment that holds it
//   framework              a setting, one version a framework: what the PI measures
//   threads, openblas-coretype, ...  the settings, copied from the catalog that comes with stackx
//
// So `framework` has exactly one stack an environment and framework in it, `blas` one a library and combination of
// its settings. Where an environment's Python is installed too, its stack has two programs: the environment's counts.
// Rejected: one component an environment (nothing could require "some TensorFlow 2.15"); frameworks with the artifact
// (two frameworks of one environment would be two artifacts with one interpreter each).
#pragma once

#include <string>
#include <vector>

#include "inspector/discover/blas_libraries.hpp"
#include "inspector/discover/cuda_toolkits.hpp"
#include "inspector/discover/python_environments.hpp"
#include "inspector/machine/remark.hpp"
#include "specs/format/json.hpp"

namespace stackx::inspector {

struct Discovered {
  CudaFound cuda;
  std::vector<BlasLibrary> libraries;
  std::vector<Interpreter> interpreters;  // plain ones
  std::vector<PythonEnvironment> environments;
};

// `components` are those of the catalog that comes with stackx (blas.json): the values that libraries are asked
// whether they take.
Settings settings_of(const specs::Json& components);

// `day`: when it was found, "2026-11-21".
specs::Json catalog_of(const Discovered& found, const specs::Json& components,
                       const std::string& day, const Remarks& remarks);

}  // namespace stackx::inspector
