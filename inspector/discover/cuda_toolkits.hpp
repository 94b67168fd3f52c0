// CUDA toolkits that are installed here, and the libraries of theirs that stacks are made of.
//
// A toolkit is a directory with nvcc, cuda.h, version.json, version.txt or libcudart. Versions are read, never
// guessed, from the first of
//   toolkit   version.json, version.txt, CUDA_VERSION in cuda.h, `nvcc --version`
//   library   the real file's name (libcublas.so.12.2.5.6), version.json, its header (cublas_api.h, cudnn_version.h,
//             cuda_runtime_api.h), for NVRTC the name of its builtins (libnvrtc-builtins.so.13.0)
// What has no version is left out with a remark. cuDNN also stands beside the system's libraries, for any toolkit
// of the major version that its package is for. Rejected: loading the libraries to ask them (without a driver
// cuBLAS does not initialise, and cuDNN maps 600 MB).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "inspector/environment/packages.hpp"
#include "inspector/machine/remark.hpp"
#include "inspector/machine/tree.hpp"

namespace stackx::inspector {

struct CudaLibrary {
  std::string component;  // cublas, cudart, nvrtc, cudnn
  std::string version;    // "12.2.5.6"
  std::string reports;    // what its own version call tells of that: "12.2.5"
  std::filesystem::path file;
  std::string told_by;  // the file that says so
};

struct CudaToolkit {
  std::string version;  // "12.2.2", "13.0"
  std::filesystem::path root;
  std::string told_by;
  std::vector<CudaLibrary> libraries;
};

struct CudaFound {
  std::vector<CudaToolkit> toolkits;  // by root, each real directory once
  // cuDNN beside the system's libraries, and the major version of CUDA it is for ("" if nobody tells).
  std::vector<std::pair<CudaLibrary, std::string>> system;
};

// /usr/local/cuda*, /opt/cuda*, /usr, $CUDA_HOME, $CUDA_PATH and $CUDA_ROOT.
std::vector<std::string> usual_cuda_roots(const Tree& tree);

CudaFound find_cuda(const Tree& tree, const std::vector<std::string>& roots, Packages& packages,
                    const Remarks& remarks);

}  // namespace stackx::inspector
