// What errors of CUDA mean, and what to do about them: the driver and the runtime say the first half.
//
// By number, which both share since CUDA 10.1 (before, the runtime had numbers of its own from 3 on; of those that would be mistaken
// none is here). From CUDA's documentation of CUresult and cudaError_t, and NVIDIA's of Xid errors.
#pragma once

#include <stdexcept>
#include <string>

namespace stackx::kernels::cuda {

struct CudaError : std::runtime_error {  // exit status 3
  using runtime_error::runtime_error;
};

inline constexpr int kOutOfMemory = 2;

// "; the driver was updated under a running kernel module: reboot"; empty where the error says enough.
std::string remedy(int error);

// Throws OutOfMemory or CudaError that says `text` and the remedy.
[[noreturn]] void raise(int error, const std::string& text);

}  // namespace stackx::kernels::cuda
