// CUDA toolkits that are installed here, with the libraries of theirs that stacks are made of.
//
// A toolkit is a directory with nvcc, cuda.h, version.json, version.txt or libcudart that is no environment of conda
// (environments.hpp). Its version is read, never guessed, from the first of version.json, version.txt, CUDA_VERSION in
// cuda.h, `nvcc --version`; what has none is left out with a remark. cuDNN and NCCL also stand beside the system's
// libraries, for any toolkit of the major version that their package is for.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "inspector/discover/cuda/libraries.hpp"
#include "inspector/discover/remark.hpp"
#include "inspector/environment/packages.hpp"
#include "inspector/machine/tree.hpp"

namespace stackx::inspector {

struct CudaToolkit {
  std::string version;  // "12.2.2", "13.0"
  std::filesystem::path root;
  std::string told_by;
  std::string holder;  // whose libraries these are, "torch": see environments.hpp; "": a toolkit
  std::vector<CudaLibrary> libraries;
};

struct CudaFound {
  std::vector<CudaToolkit> toolkits;  // by root, each real directory once; then those of environments
  // cuDNN and NCCL beside the system's libraries, and the major version of CUDA each is for ("" if nobody tells).
  std::vector<std::pair<CudaLibrary, std::string>> system;
};

// /usr/local/cuda*, /opt/cuda*, /usr, $CUDA_HOME, $CUDA_PATH and $CUDA_ROOT.
std::vector<std::string> usual_cuda_roots(const Tree& tree);

CudaFound find_cuda(const Tree& tree, const std::vector<std::string>& roots, Packages& packages,
                    const Remarks& remarks);

}  // namespace stackx::inspector
