#include "kernels/cuda/products/multiplier.hpp"

#include <fmt/format.h>

#include "kernels/cuda/device/stack.hpp"

namespace stackx::kernels::cuda {
namespace {

// cublasComputeType_t
constexpr int kCompute32F = 68, kCompute64F = 70, kCompute32I = 72, kComputeTf32 = 77;

constexpr int kEleven = 110000;
constexpr int kNotInitialized = 1, kAllocFailed = 3;  // cublasStatus_t
constexpr double kHandleBytes = 512 << 20;  // with the code that it loads

}  // namespace

MakeMultiplier multiplier_for(const std::string& library) {
  const std::string name = library_name(library);
  if (name == "cublas") return make_cublas;
  if (name == "cublasLt") return make_cublaslt;
  if (name == "nvrtc") return make_own;
  return nullptr;
}

int cuda_type(Element element) {
  switch (element) {
    case Element::float32:
      return kReal32F;
    case Element::float64:
      return kReal64F;
    case Element::float16:
      return kReal16F;
    case Element::bfloat16:
      return kReal16BF;
    case Element::e4m3:
      return kReal8E4M3;
    case Element::int32:
      return kReal32I;
    case Element::int8:
    case Element::uint8:  // our values are below 128, the same bytes either way
      break;
  }
  return kReal8I;
}

std::string cublas_version_text(int version) {
  const int major = version >= kEleven ? version / 10000 : version / 1000;
  const int rest = version - major * (version >= kEleven ? 10000 : 1000);
  return fmt::format("{}.{}.{}", major, rest / 100, rest % 100);
}

const char* cublas_status(int status) {
  switch (status) {
    case 0:
      return "CUBLAS_STATUS_SUCCESS";
    case 1:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case 3:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case 7:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case 8:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case 11:
      return "CUBLAS_STATUS_MAPPING_ERROR";
    case 13:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case 14:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case 15:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    case 16:
      return "CUBLAS_STATUS_LICENSE_ERROR";
  }
  return "unknown cuBLAS status";
}

void fail_cublas(const Device& device, const std::string& path, const char* function, int status) {
  const std::string text = fmt::format("{}: {}: {} ({})", path, function, cublas_status(status), status);
  // A handle that does not fit is "not initialized" (TensorFlow's issue 9489).
  const auto free = device.free_memory();
  if (status == kAllocFailed || (status == kNotInitialized && free && *free < kHandleBytes)) throw OutOfMemory(text);
  device.fail(text);
}

bool cublas_refuses(int status) { return status == 8 || status == 15; }

std::expected<int, Unsupported> cublas_compute_type(Dtype dtype, int version, int capability) {
  const bool new_types = version >= kEleven;
  const auto needs = [&](int least_version, int least_capability) -> std::optional<Unsupported> {
    if (version < least_version)
      return fmt::format("{} needs cuBLAS {}, this is {}", to_string(dtype),
                         cublas_version_text(least_version), cublas_version_text(version));
    if (capability < least_capability)
      return fmt::format("{} needs compute capability {}.{}, the device has {}.{}",
                         to_string(dtype), least_capability / 10, least_capability % 10,
                         capability / 10, capability % 10);
    return std::nullopt;
  };
  switch (dtype) {
    case Dtype::float32:
    case Dtype::float16:
      return new_types ? kCompute32F : kReal32F;
    case Dtype::float64:
      return new_types ? kCompute64F : kReal64F;
    case Dtype::int8:
      return new_types ? kCompute32I : kReal32I;
    case Dtype::bfloat16:
      if (auto reason = needs(kEleven, 0)) return std::unexpected(*reason);
      return kCompute32F;
    case Dtype::tf32:  // where the hardware has none the library would quietly use float32
      if (auto reason = needs(kEleven, 80)) return std::unexpected(*reason);
      return kComputeTf32;
    case Dtype::fp8:
      break;
  }
  if (auto reason = needs(110800, 89)) return std::unexpected(*reason);
  return kCompute32F;
}

}  // namespace stackx::kernels::cuda
