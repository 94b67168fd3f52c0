#include "kernels/cuda/device/api.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "kernels/cuda/device/errors.hpp"

namespace stackx::kernels::cuda {
namespace {

struct Resolver {
  const SharedObject& object;
  int version;
  bool lenient = false;  // what is missing stays nullptr

  template <typename Function>
  void operator()(const char* library, const char* symbol, int since, int until,
                  Function*& function) const {
    if (version < since || (until != 0 && version >= until)) return;
    function = object.find<Function>(symbol);
    if (function == nullptr && !lenient)
      throw LoadError(fmt::format("{}: has no function {}, which {} {} should have", object.path(),
                                  symbol, library, version));
  }
};

#define STACKX_RESOLVE(library, symbol, since, until, result, parameters) \
  resolve(#library, #symbol, since, until, api.symbol);

void fill(Cudart& api, const Resolver& resolve) {
#define STACKX_CUDA STACKX_RESOLVE
#define STACKX_ABI_cudart
#include "kernels/cuda/device/abi.inc"
}

void fill(Driver& api, const Resolver& resolve) {
#define STACKX_CUDA STACKX_RESOLVE
#define STACKX_ABI_driver
#include "kernels/cuda/device/abi.inc"
}

void fill(Nvml& api, const Resolver& resolve) {
#define STACKX_CUDA STACKX_RESOLVE
#define STACKX_ABI_nvml
#include "kernels/cuda/device/abi.inc"
}

void fill(Nvrtc& api, const Resolver& resolve) {
#define STACKX_CUDA STACKX_RESOLVE
#define STACKX_ABI_nvrtc
#include "kernels/cuda/device/abi.inc"
}

void fill(Cublas& api, const Resolver& resolve) {
#define STACKX_CUDA STACKX_RESOLVE
#define STACKX_ABI_cublas
#include "kernels/cuda/device/abi.inc"
}

void fill(CublasLt& api, const Resolver& resolve) {
#define STACKX_CUDA STACKX_RESOLVE
#define STACKX_ABI_cublaslt
#include "kernels/cuda/device/abi.inc"
}

void fill(Cudnn& api, const Resolver& resolve) {
#define STACKX_CUDA STACKX_RESOLVE
#define STACKX_ABI_cudnn
#include "kernels/cuda/device/abi.inc"
}

void fill(Nccl& api, const Resolver& resolve) {
#define STACKX_CUDA STACKX_RESOLVE
#define STACKX_ABI_nccl
#include "kernels/cuda/device/abi.inc"
}

// The version decides which functions must be there, so it is asked first, past the table.
int number_by(const SharedObject& object, const char* symbol) {
  int version = 0;
  if (const int status = object.require<int(int*)>(symbol)(&version); status != 0)
    throw LoadError(fmt::format("{}: {} fails with error {}{}", object.path(), symbol, status, remedy(status)));
  return version;
}

// "libcudart.so.11.0": the first release of that name; 0 if the name does not tell.
int version_in_name(const std::string& path) {
  int major = 0, minor = 0;
  const auto at = path.rfind(".so.");
  if (at == std::string::npos || std::sscanf(path.c_str() + at, ".so.%d.%d", &major, &minor) < 1)
    return 0;
  return 1000 * major + 10 * minor;
}

// Until 11.8 cudart asks the driver before it tells its own version, and fails with
// cudaErrorInsufficientDriver where there is none.
int version_of(const Cudart&, const SharedObject& object) {
  constexpr int kInsufficientDriver = 35;
  int version = 0;
  const int status = object.require<int(int*)>("cudaRuntimeGetVersion")(&version);
  if (status == kInsufficientDriver) version = version_in_name(object.path());
  if (status != 0 && version == 0)
    throw LoadError(fmt::format("{}: cudaRuntimeGetVersion fails with error {}{}", object.path(), status, remedy(status)));
  return version;
}

int version_of(const Driver&, const SharedObject& object) {
  return number_by(object, "cuDriverGetVersion");
}

int version_of(const Nvrtc&, const SharedObject& object) {
  int major = 0, minor = 0;
  if (object.require<int(int*, int*)>("nvrtcVersion")(&major, &minor) != 0)
    throw LoadError(fmt::format("{}: nvrtcVersion fails", object.path()));
  return 1000 * major + 10 * minor;
}

int version_of(const Cublas&, const SharedObject& object) {  // cublasGetVersion needs a device
  int part[3] = {};
  auto* get = object.require<int(int, int*)>("cublasGetProperty");
  for (int i = 0; i < 3; ++i)  // libraryPropertyType: MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL
    if (get(i, &part[i]) != 0)
      throw LoadError(fmt::format("{}: cublasGetProperty fails", object.path()));
  return (part[0] < 11 ? 1000 : 10000) * part[0] + 100 * part[1] + part[2];
}

int version_of(const CublasLt&, const SharedObject& object) {
  return static_cast<int>(object.require<std::size_t()>("cublasLtGetVersion")());
}

int version_of(const Cudnn&, const SharedObject& object) {
  return static_cast<int>(object.require<std::size_t()>("cudnnGetVersion")());
}

int version_of(const Nccl&, const SharedObject& object) {
  return number_by(object, "ncclGetVersion");
}

}  // namespace

template <typename Library>
Library load_api(const SharedObject& object) {
  Library api;
  api.path = object.path();
  api.version = version_of(api, object);
  fill(api, Resolver{object, api.version});
  return api;
}

template Cudart load_api<Cudart>(const SharedObject&);
template Driver load_api<Driver>(const SharedObject&);
template Nvrtc load_api<Nvrtc>(const SharedObject&);
template Cublas load_api<Cublas>(const SharedObject&);
template CublasLt load_api<CublasLt>(const SharedObject&);
template Cudnn load_api<Cudnn>(const SharedObject&);
template Nccl load_api<Nccl>(const SharedObject&);

Nvml load_nvml(const SharedObject& object, int cuda_version) {
  Nvml api;
  api.path = object.path();
  api.version = cuda_version;
  fill(api, Resolver{object, cuda_version, true});
  for (const bool there : {api.nvmlInit_v2 != nullptr, api.nvmlErrorString != nullptr,
                           api.nvmlDeviceGetHandleByUUID != nullptr})
    if (!there) throw LoadError(fmt::format("{}: is no NVML", object.path()));
  return api;
}

std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace stackx::kernels::cuda
