// The table abi.inc against NVIDIA's headers, where a toolkit is present: nothing here runs, it
// compiles or it does not. Each library is checked whose header the compiler finds, so a build
// without a toolkit checks nothing, and
//
//   g++ -std=c++23 -fsyntax-only -I SOURCE -isystem TOOLKIT/include SOURCE/kernels/cuda/abi_check.cpp
//
// checks a toolkit, or the headers inside NVIDIA's wheels, by hand; -DSTACKX_SKIP_cublas leaves out a
// library whose header is another toolkit's. With -DSTACKX_ABI_REPORT it is a program that prints
// what was checked.
//
// A function agrees if it takes as many parameters, each of the same kind and size (an enum is an
// int, a handle a pointer, a struct by value is as large), and what pointers to numbers point to has
// the same size: `size_t*` for `int*` is a mistake that no linker sees. One that the table says this
// version has must be declared.
//
// How a name is asked for that may not be declared: the table declares an overload `symbol(...)` of
// each, which C cannot have. It is the worst match of any call, so a call with our parameters, each
// convertible to parameters of its kind only, finds the header's function if that agrees, else ours.
// Ambiguous are only two that agree: without parameters (the result then goes unchecked), or C++
// overloads that the header adds.
#include <cstddef>
#include <type_traits>
#include <utility>

#ifdef STACKX_ABI_REPORT
#include <cstdio>
#endif

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // old names are what all versions have

namespace stackx_abi {

struct Missing {};
struct Dim3 {
  unsigned x, y, z;
};
struct Uuid {
  unsigned char bytes[16];
};
struct Utilization {
  unsigned gpu, memory;
};

template <typename T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <typename Ours, typename Theirs>
consteval bool same_kind() {
  if constexpr (std::is_pointer_v<Ours> || std::is_pointer_v<Theirs>) {
    using OurTarget = std::remove_cv_t<std::remove_pointer_t<Ours>>;
    using TheirTarget = std::remove_cv_t<std::remove_pointer_t<Theirs>>;
    if constexpr (!std::is_pointer_v<Ours> || !std::is_pointer_v<Theirs>) return false;
    if constexpr (std::is_pointer_v<OurTarget> && std::is_pointer_v<TheirTarget>) return true;
    if constexpr (is_number<OurTarget> && is_number<TheirTarget>)
      return sizeof(OurTarget) == sizeof(TheirTarget) &&
             std::is_floating_point_v<OurTarget> == std::is_floating_point_v<TheirTarget>;
    return true;
  } else if constexpr (std::is_void_v<Ours> || std::is_void_v<Theirs>) {
    return std::is_void_v<Ours> && std::is_void_v<Theirs>;
  } else {
    return sizeof(Ours) == sizeof(Theirs) && is_number<Ours> == is_number<Theirs> &&
           std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs>;
  }
}

template <typename Ours>
struct Argument {
  template <typename Theirs>
  requires(same_kind<Ours, Theirs>()) operator Theirs() const;
};

// The result of calling `symbol` with our parameters: Missing where only our overload takes them.
template <typename Ours, typename Theirs>
consteval bool agree() {
  if constexpr (std::is_same_v<Theirs, Missing>)
    return false;
  else
    return same_kind<Ours, Theirs>();
}

inline constexpr int kUnknown = -1;  // the header does not tell its version

consteval bool has(int version, int since, int until) {
  return version == kUnknown ? since == 0 && until == 0
                             : version >= since && (until == 0 || version < until);
}

}  // namespace stackx_abi

using stackx_abi::Dim3;
using stackx_abi::Utilization;
using stackx_abi::Uuid;

#define STACKX_DECLARE(library, symbol, since, until, result, parameters) \
  stackx_abi::Missing symbol(...);
#define STACKX_AGREES(symbol, result, parameters)                                                  \
  []<typename R, typename... P>(R(*)(P...)) consteval {                                            \
    if constexpr (requires { symbol(std::declval<stackx_abi::Argument<P>>()...); })                \
      return stackx_abi::agree<R, decltype(symbol(std::declval<stackx_abi::Argument<P>>()...))>(); \
    else                                                                                           \
      return true; /* ambiguous */                                                                 \
  }                                                                                                \
  (static_cast<result(*) parameters>(nullptr))
#define STACKX_CHECK(library, symbol, since, until, result, parameters)                      \
  static_assert(                                                                             \
      !stackx_abi::has(kVersion, since, until) || STACKX_AGREES(symbol, result, parameters), \
      #library " " #symbol ": the header declares it otherwise, or not at all");
#define STACKX_COUNT(library, symbol, since, until, result, parameters) \
  +(stackx_abi::has(kVersion, since, until) && STACKX_AGREES(symbol, result, parameters))

// Each library in turn, headers that bring C++ overloads of the runtime's functions last.

#if __has_include(<cuda_runtime_api.h>) && !defined(STACKX_SKIP_cudart)
#include <cuda_runtime_api.h>
#define STACKX_CUDA STACKX_DECLARE
#define STACKX_ABI_cudart
#include "kernels/cuda/device/abi.inc"
namespace stackx_abi_cudart {
constexpr int kVersion = CUDART_VERSION;
#define STACKX_CUDA STACKX_CHECK
#define STACKX_ABI_cudart
#include "kernels/cuda/device/abi.inc"
constexpr int kChecked = 0
#define STACKX_CUDA STACKX_COUNT
#define STACKX_ABI_cudart
#include "kernels/cuda/device/abi.inc"
    ;
}  // namespace stackx_abi_cudart
#define STACKX_HAS_cudart
#endif

#if __has_include(<cuda.h>) && !defined(STACKX_SKIP_driver)
#include <cuda.h>
#define STACKX_CUDA STACKX_DECLARE
#define STACKX_ABI_driver
#include "kernels/cuda/device/abi.inc"
namespace stackx_abi_driver {
constexpr int kVersion = CUDA_VERSION;
#define STACKX_CUDA STACKX_CHECK
#define STACKX_ABI_driver
#include "kernels/cuda/device/abi.inc"
constexpr int kChecked = 0
#define STACKX_CUDA STACKX_COUNT
#define STACKX_ABI_driver
#include "kernels/cuda/device/abi.inc"
    ;
}  // namespace stackx_abi_driver
#define STACKX_HAS_driver
#endif

#if __has_include(<nvml.h>) && !defined(STACKX_SKIP_nvml)
#include <nvml.h>
#define STACKX_CUDA STACKX_DECLARE
#define STACKX_ABI_nvml
#include "kernels/cuda/device/abi.inc"
namespace stackx_abi_nvml {
#ifdef CUDA_VERSION
constexpr int kVersion = CUDA_VERSION;
#else
constexpr int kVersion = stackx_abi::kUnknown;  // NVML_API_VERSION is the major version alone
#endif
#define STACKX_CUDA STACKX_CHECK
#define STACKX_ABI_nvml
#include "kernels/cuda/device/abi.inc"
constexpr int kChecked = 0
#define STACKX_CUDA STACKX_COUNT
#define STACKX_ABI_nvml
#include "kernels/cuda/device/abi.inc"
    ;
}  // namespace stackx_abi_nvml
#define STACKX_HAS_nvml
#endif

#if __has_include(<nvrtc.h>) && !defined(STACKX_SKIP_nvrtc)
#include <nvrtc.h>
#define STACKX_CUDA STACKX_DECLARE
#define STACKX_ABI_nvrtc
#include "kernels/cuda/device/abi.inc"
namespace stackx_abi_nvrtc {
#ifdef CUDA_VERSION
constexpr int kVersion = CUDA_VERSION;
#else
constexpr int kVersion = stackx_abi::kUnknown;
#endif
#define STACKX_CUDA STACKX_CHECK
#define STACKX_ABI_nvrtc
#include "kernels/cuda/device/abi.inc"
constexpr int kChecked = 0
#define STACKX_CUDA STACKX_COUNT
#define STACKX_ABI_nvrtc
#include "kernels/cuda/device/abi.inc"
    ;
}  // namespace stackx_abi_nvrtc
#define STACKX_HAS_nvrtc
#endif

#if __has_include(<cublas_v2.h>) && !defined(STACKX_SKIP_cublas)
#include <cublas_v2.h>
#define STACKX_CUDA STACKX_DECLARE
#define STACKX_ABI_cublas
#include "kernels/cuda/device/abi.inc"
namespace stackx_abi_cublas {
#ifdef CUBLAS_VER_MAJOR
constexpr int kVersion = (CUBLAS_VER_MAJOR < 11 ? 1000 : 10000) * CUBLAS_VER_MAJOR +
                         100 * CUBLAS_VER_MINOR + CUBLAS_VER_PATCH;
#else
constexpr int kVersion = stackx_abi::kUnknown;  // 10.0
#endif
#define STACKX_CUDA STACKX_CHECK
#define STACKX_ABI_cublas
#include "kernels/cuda/device/abi.inc"
constexpr int kChecked = 0
#define STACKX_CUDA STACKX_COUNT
#define STACKX_ABI_cublas
#include "kernels/cuda/device/abi.inc"
    ;
}  // namespace stackx_abi_cublas
#define STACKX_HAS_cublas
#endif

#if __has_include(<cublasLt.h>) && !defined(STACKX_SKIP_cublaslt)
#include <cublasLt.h>
#define STACKX_CUDA STACKX_DECLARE
#define STACKX_ABI_cublaslt
#include "kernels/cuda/device/abi.inc"
namespace stackx_abi_cublaslt {
#ifdef CUBLAS_VER_MAJOR
constexpr int kVersion = (CUBLAS_VER_MAJOR < 11 ? 1000 : 10000) * CUBLAS_VER_MAJOR +
                         100 * CUBLAS_VER_MINOR + CUBLAS_VER_PATCH;
#else
constexpr int kVersion = stackx_abi::kUnknown;
#endif
#define STACKX_CUDA STACKX_CHECK
#define STACKX_ABI_cublaslt
#include "kernels/cuda/device/abi.inc"
constexpr int kChecked = 0
#define STACKX_CUDA STACKX_COUNT
#define STACKX_ABI_cublaslt
#include "kernels/cuda/device/abi.inc"
    ;
}  // namespace stackx_abi_cublaslt
#define STACKX_HAS_cublaslt
#endif

#if __has_include(<cudnn.h>) && !defined(STACKX_SKIP_cudnn)
#include <cudnn.h>
#define STACKX_CUDA STACKX_DECLARE
#define STACKX_ABI_cudnn
#include "kernels/cuda/device/abi.inc"
namespace stackx_abi_cudnn {
constexpr int kVersion =
    (CUDNN_MAJOR < 9 ? 1000 : 10000) * CUDNN_MAJOR + 100 * CUDNN_MINOR + CUDNN_PATCHLEVEL;
#define STACKX_CUDA STACKX_CHECK
#define STACKX_ABI_cudnn
#include "kernels/cuda/device/abi.inc"
constexpr int kChecked = 0
#define STACKX_CUDA STACKX_COUNT
#define STACKX_ABI_cudnn
#include "kernels/cuda/device/abi.inc"
    ;
}  // namespace stackx_abi_cudnn
#define STACKX_HAS_cudnn
#endif

#if __has_include(<nccl.h>) && !defined(STACKX_SKIP_nccl)
#include <nccl.h>
#define STACKX_CUDA STACKX_DECLARE
#define STACKX_ABI_nccl
#include "kernels/cuda/device/abi.inc"
namespace stackx_abi_nccl {
constexpr int kVersion = NCCL_VERSION_CODE;
#define STACKX_CUDA STACKX_CHECK
#define STACKX_ABI_nccl
#include "kernels/cuda/device/abi.inc"
constexpr int kChecked = 0
#define STACKX_CUDA STACKX_COUNT
#define STACKX_ABI_nccl
#include "kernels/cuda/device/abi.inc"
    ;
}  // namespace stackx_abi_nccl
#define STACKX_HAS_nccl
#endif

#ifdef STACKX_ABI_REPORT
#define STACKX_REPORT(library)                                                   \
  std::printf("%s %d: %d functions\n", #library, stackx_abi_##library::kVersion, \
              stackx_abi_##library::kChecked);
int main() {
#ifdef STACKX_HAS_cudart
  STACKX_REPORT(cudart)
#endif
#ifdef STACKX_HAS_driver
  STACKX_REPORT(driver)
#endif
#ifdef STACKX_HAS_nvml
  STACKX_REPORT(nvml)
#endif
#ifdef STACKX_HAS_nvrtc
  STACKX_REPORT(nvrtc)
#endif
#ifdef STACKX_HAS_cublas
  STACKX_REPORT(cublas)
#endif
#ifdef STACKX_HAS_cublaslt
  STACKX_REPORT(cublaslt)
#endif
#ifdef STACKX_HAS_cudnn
  STACKX_REPORT(cudnn)
#endif
#ifdef STACKX_HAS_nccl
  STACKX_REPORT(nccl)
#endif
}
#endif
