// NVIDIA's libraries as structs of function pointers, filled at run time from the table abi.inc.
//
//   const Cudart cudart = load_api<Cudart>(SharedObject("libcudart.so.12"));
//   cudart.cudaMalloc(&pointer, bytes);
//
// A function that this version of the library should have and has not is a LoadError; one of a later
// version, or one that is gone, stays nullptr. So one binary works with CUDA 10.0 to 13.x and the
// build needs no toolkit. Rejected: linking stubs, which fixes the major version; NVIDIA's headers,
// which fix it too and cannot be distributed with the source.
#pragma once

#include <cstddef>
#include <string>

#include "kernels/shared_object.hpp"

namespace stackx::kernels::cuda {

struct Dim3 {  // dim3
  unsigned x = 1, y = 1, z = 1;
};

struct Uuid {  // CUuuid
  unsigned char bytes[16];
};

struct Utilization {  // nvmlUtilization_t
  unsigned gpu, memory;
};

struct Api {
  int version = 0;   // in the library's own numbering, see abi.inc
  std::string path;  // of the file loaded
};

#define STACKX_MEMBER(library, symbol, since, until, result, parameters) \
  result(*symbol) parameters = nullptr;

struct Cudart : Api {
#define STACKX_CUDA STACKX_MEMBER
#define STACKX_ABI_cudart
#include "kernels/cuda/device/abi.inc"
};

struct Driver : Api {
#define STACKX_CUDA STACKX_MEMBER
#define STACKX_ABI_driver
#include "kernels/cuda/device/abi.inc"
};

struct Nvml : Api {  // version: that of the driver's CUDA
#define STACKX_CUDA STACKX_MEMBER
#define STACKX_ABI_nvml
#include "kernels/cuda/device/abi.inc"
};

struct Nvrtc : Api {
#define STACKX_CUDA STACKX_MEMBER
#define STACKX_ABI_nvrtc
#include "kernels/cuda/device/abi.inc"
};

struct Cublas : Api {
#define STACKX_CUDA STACKX_MEMBER
#define STACKX_ABI_cublas
#include "kernels/cuda/device/abi.inc"
};

struct CublasLt : Api {
#define STACKX_CUDA STACKX_MEMBER
#define STACKX_ABI_cublaslt
#include "kernels/cuda/device/abi.inc"
};

struct Cudnn : Api {
#define STACKX_CUDA STACKX_MEMBER
#define STACKX_ABI_cudnn
#include "kernels/cuda/device/abi.inc"
};

struct Nccl : Api {
#define STACKX_CUDA STACKX_MEMBER
#define STACKX_ABI_nccl
#include "kernels/cuda/device/abi.inc"
};

#undef STACKX_MEMBER

// Of Cudart, Driver, Nvrtc, Cublas, CublasLt, Cudnn, Nccl. Throws LoadError.
template <typename Library>
Library load_api(const SharedObject& object);

// NVML cannot tell which CUDA it is of; the driver can. Nothing but NVML's first functions must be
// there, it is of the machine.
Nvml load_nvml(const SharedObject& object, int cuda_version);

// 12040 -> "12.4": cudart, driver, nvrtc.
std::string cuda_version_text(int version);

}  // namespace stackx::kernels::cuda
