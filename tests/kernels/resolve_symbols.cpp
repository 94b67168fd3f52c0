// resolve_symbols LIBRARY...: opens NVIDIA's libraries with the PIs' own loader and resolves all
// that the table kernels/cuda/device/abi.inc says their version has. One JSON object a line:
//
//   {"file": "libcublas.so.12", "library": "cublas", "version": 120902, "expected": 12,
//    "resolved": 12, "later": 1, "ms": 812.5}
//   {"file": "...", "error": "/.../libcublas.so.12: has no function ..., which cublas 120902 should have"}
//
// "later": those of the table that came after this version, or were gone before it. Exit status 1 if
// one library has an error. No GPU and no driver is needed: loading is all that is done.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "kernels/cuda/device/api.hpp"

namespace {

using namespace stackx::kernels;
using namespace stackx::kernels::cuda;
using nlohmann::json;

struct Count {
  int version, expected = 0, resolved = 0, later = 0;

  void operator()(int since, int until, bool found) {
    const bool wanted = version >= since && (until == 0 || version < until);
    ++(wanted ? expected : later);
    if (wanted && found) ++resolved;
  }
};

#define STACKX_COUNT(library, symbol, since, until, result, parameters) \
  count(since, until, api.symbol != nullptr);

void count_all(const Cudart& api, Count& count) {
#define STACKX_CUDA STACKX_COUNT
#define STACKX_ABI_cudart
#include "kernels/cuda/device/abi.inc"
}

void count_all(const Nvrtc& api, Count& count) {
#define STACKX_CUDA STACKX_COUNT
#define STACKX_ABI_nvrtc
#include "kernels/cuda/device/abi.inc"
}

void count_all(const Cublas& api, Count& count) {
#define STACKX_CUDA STACKX_COUNT
#define STACKX_ABI_cublas
#include "kernels/cuda/device/abi.inc"
}

void count_all(const CublasLt& api, Count& count) {
#define STACKX_CUDA STACKX_COUNT
#define STACKX_ABI_cublaslt
#include "kernels/cuda/device/abi.inc"
}

void count_all(const Cudnn& api, Count& count) {
#define STACKX_CUDA STACKX_COUNT
#define STACKX_ABI_cudnn
#include "kernels/cuda/device/abi.inc"
}

void count_all(const Nccl& api, Count& count) {
#define STACKX_CUDA STACKX_COUNT
#define STACKX_ABI_nccl
#include "kernels/cuda/device/abi.inc"
}

template <typename Library>
json resolve(const char* library, const SharedObject& object) {
  const auto api = load_api<Library>(object);
  Count count{api.version};
  count_all(api, count);
  return {{"library", library},          {"version", api.version}, {"expected", count.expected},
          {"resolved", count.resolved}, {"later", count.later}};
}

// By what it exports. dlsym also looks into dependencies: cuDNN before cuBLAS, and that before
// cuBLASLt.
json resolve(const SharedObject& object) {
  const auto exports = [&](const char* symbol) { return object.find<void()>(symbol) != nullptr; };
  if (exports("ncclGetVersion")) return resolve<Nccl>("nccl", object);
  if (exports("cudnnGetVersion")) return resolve<Cudnn>("cudnn", object);
  if (exports("cublasGetProperty")) return resolve<Cublas>("cublas", object);
  if (exports("cublasLtGetVersion")) return resolve<CublasLt>("cublaslt", object);
  if (exports("nvrtcVersion")) return resolve<Nvrtc>("nvrtc", object);
  if (exports("cudaRuntimeGetVersion")) return resolve<Cudart>("cudart", object);
  throw LoadError(object.path() + ": is none of cudart, nvrtc, cublas, cublasLt, cudnn, nccl");
}

json look_at(const std::string& path) {
  const auto begin = std::chrono::steady_clock::now();
  json line = {{"file", std::filesystem::path(path).filename().string()}};
  try {
    line.update(resolve(SharedObject(path)));
  } catch (const LoadError& error) {
    line["error"] = error.what();
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  line["ms"] = took.count();
  return line;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::cerr << "usage: resolve_symbols LIBRARY...\n";
    return 2;
  }
  bool right = true;
  for (int i = 1; i < count; ++i) {
    const json line = look_at(arguments[i]);
    right = right && !line.contains("error") && line["expected"] == line["resolved"];
    std::cout << line.dump() << "\n";
  }
  return right ? 0 : 1;
}
