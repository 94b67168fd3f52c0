// A library that multiplies matrices on a device: cuBLAS, cuBLASLt, our kernels through NVRTC.
//
// As kernels/blas/library.hpp is for the CPU's libraries, with operands in the device's memory and calls
// that are enqueued on the device's stream.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kernels/blas/library.hpp"
#include "kernels/cuda/device/device.hpp"
#include "kernels/dtype.hpp"
#include "kernels/parameters.hpp"

namespace stackx::kernels::cuda {

struct DeviceProduct {  // C = A * B, row-major
  Dtype dtype;
  std::size_t m, n, k;
  const void* a;
  const void* b;  // n x k where the multiplier takes B transposed
  void* c;
  // By cuBLAS alone:
  std::size_t batch = 1;      // independent products, one behind the other in a, b and c
  bool transposed_b = false;  // B is n x k
  float factor = 1;           // C = factor * A * B
  std::optional<Element> result = {};  // the type of C, where it is not the dtype's own: bfloat16 of bfloat16

  Element written() const { return result.value_or(elements(dtype).c); }
  bool plain() const { return batch == 1 && !transposed_b && factor == 1; }
};

using Enqueue = std::function<void()>;

class Multiplier {
 public:
  virtual ~Multiplier() = default;
  virtual LibraryInfo info() const = 0;
  // Whether this dtype's B has to lie transposed.
  virtual bool takes_transposed_b(Dtype) const { return false; }
  // The operands must outlive the call returned. May use them, and write C.
  virtual std::expected<Enqueue, Unsupported> prepare(const DeviceProduct& product) = 0;
};

// nullptr: --library is none of these by its name. Nothing is opened.
using MakeMultiplier = std::expected<std::unique_ptr<Multiplier>, Unsupported> (*)(
    const Device& device, const Stack& stack, const Parameters& parameters);
MakeMultiplier multiplier_for(const std::string& library);

// One each in cublas.cpp, cublaslt.cpp, own_multiplier.cpp. Throw LoadError.
std::expected<std::unique_ptr<Multiplier>, Unsupported> make_cublas(const Device&, const Stack&,
                                                                    const Parameters&);
std::expected<std::unique_ptr<Multiplier>, Unsupported> make_cublaslt(const Device&, const Stack&,
                                                                      const Parameters&);
std::expected<std::unique_ptr<Multiplier>, Unsupported> make_own(const Device&, const Stack&,
                                                                 const Parameters&);

// What cuBLAS and cuBLASLt share: CUDA's names for types, and statuses.
inline constexpr int kReal32F = 0, kReal64F = 1, kReal16F = 2, kReal8I = 3, kReal32I = 10,
                     kReal16BF = 14, kReal8E4M3 = 28;  // cudaDataType_t
int cuda_type(Element element);
std::string cublas_version_text(int version);  // 120103 -> "12.1.3", 10202 -> "10.2.2"
const char* cublas_status(int status);         // "CUBLAS_STATUS_NOT_SUPPORTED"
// Throws OutOfMemory or CudaError.
[[noreturn]] void fail_cublas(const Device& device, const std::string& path, const char* function, int status);
bool cublas_refuses(int status);               // says that it cannot, rather than that it failed

// What to compute `dtype` in: cublasComputeType_t from 11.0 on, cudaDataType_t before. Unsupported
// where that version or a device of that capability (ten times) has no such product.
std::expected<int, Unsupported> cublas_compute_type(Dtype dtype, int version, int capability);

}  // namespace stackx::kernels::cuda
