// What was found on this machine, as a catalog (stackx/catalog/1) whose stacks need nothing downloaded.
//
//   gpu                    models that are here, by their names in the catalog that comes with stackx (gpus.json)
//   cuda                   toolkits with their runtime, and environments with theirs ("13.0.96+torch")
//   cublas, cublaslt, nvrtc  one version a library that was found ("13.1.0.3", "13.1.0.3+torch"), which requires its
//                          `cuda`; they provide `gpu-matmul`, cuBLASLt by each way to search, NVRTC by each own kernel
//   cudnn, nccl            likewise; they provide `gpu-convolution` and `gpu-collectives`
//   local-openblas-pthreads, local-mkl, ...  BLAS libraries by kind, width of integers and threading; they provide
//                          `blas` and require the settings that they take (of an OpenBLAS the kernels it has)
//   python                 plain interpreters, each a `path` artifact with its program
//   python-environment     interpreters with their site-packages: opaque names, a `path` artifact each, which
//                          requires its Python and every framework it holds, exactly
//   numpy, torch, ...      frameworks, without artifacts: a version requires an environment that holds it
//   framework              a setting, one version a framework: what the PI measures
//   threads, openblas-coretype, ...  the settings, copied from the catalog that comes with stackx
//
// So `gpu-matmul` has one stack a cuBLAS, two a cuBLASLt and two an NVRTC, `framework` exactly one an environment and
// framework in it, `blas` one a library and combination of its settings. Where an environment's Python is installed too,
// its stack has two programs: the environment's counts.
// Rejected: one component an environment (nothing could require "some TensorFlow 2.15"); frameworks with the artifact
// (two frameworks of one environment would be two artifacts with one interpreter each).
#pragma once

#include <string>
#include <vector>

#include "inspector/discover/blas_libraries.hpp"
#include "inspector/discover/cuda/toolkits.hpp"
#include "inspector/discover/python_environments.hpp"
#include "inspector/discover/remark.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/format/json.hpp"

namespace stackx::inspector {

struct FoundGpu {
  std::string model;              // as its driver says: "NVIDIA H200"
  std::string known;              // the model in gpus.json: "h200-sxm-141gb"; "": in none
  specs::VersionEntry detected;   // Host::gpu_entry()
};

struct Discovered {
  std::vector<FoundGpu> gpus;  // each model once
  CudaFound cuda;
  std::vector<BlasLibrary> libraries;
  std::vector<Interpreter> interpreters;  // plain ones
  std::vector<PythonEnvironment> environments;
};

// `components` are those of the catalogs that come with stackx: settings (blas.json, cuda-wheels.json), of which libraries
// are asked which values they take, and GPUs (gpus.json).
Settings settings_of(const specs::Json& components);

// `day`: when it was found, "2026-11-21".
specs::Json catalog_of(const Discovered& found, const specs::Json& components,
                       const std::string& day, const Remarks& remarks);

}  // namespace stackx::inspector
