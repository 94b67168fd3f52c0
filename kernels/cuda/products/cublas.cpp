// cuBLAS 10 to 13 by cublasSgemm, cublasDgemm and cublasGemmEx; batches, B transposed and factors by
// cublasGemmStridedBatchedEx.
//
// Column-major, so C^T = B^T * A^T is asked for, with n and m exchanged: the same memory. float32
// is computed as such (the default math mode uses no TF32; the fast compute type does). Sums that
// are split among blocks are added in float also where C is float16 or bfloat16, as our dtypes say.
#include <fmt/format.h>

#include "kernels/cuda/device/stack.hpp"
#include "kernels/cuda/products/multiplier.hpp"

namespace stackx::kernels::cuda {
namespace {

constexpr int kNoTranspose = 0, kTranspose = 1;              // cublasOperation_t
constexpr int kDefaultAlgorithm = -1, kTensorAlgorithm = 99;  // cublasGemmAlgo_t
// cublasMath_t; before 11.0 tensor cores are used where they are asked for only.
constexpr int kDefaultMath = 0, kTensorMath = 1, kNoReducedReduction = 16;

class CublasMultiplier : public Multiplier {
 public:
  CublasMultiplier(const Device& device, Cublas api) : device_(device), api_(std::move(api)) {
    check(api_.cublasCreate_v2(&handle_), "cublasCreate");
    check(api_.cublasSetStream_v2(handle_, device.stream()), "cublasSetStream");
  }
  ~CublasMultiplier() override { api_.cublasDestroy_v2(handle_); }

  LibraryInfo info() const override {
    LibraryInfo info;
    info.kind = "cublas";
    info.version = cublas_version_text(api_.version);
    info.core = core_;
    return info;
  }

  std::expected<Enqueue, Unsupported> prepare(const DeviceProduct& p) override {
    const DeviceInfo& device = device_.info();
    if (p.dtype == Dtype::fp8)
      return std::unexpected("fp8 is in cuBLASLt only: --library libcublasLt.so");
    const auto type =
        cublas_compute_type(p.dtype, api_.version, device.major * 10 + device.minor);
    if (!type) return std::unexpected(type.error());
    const bool modern = api_.version >= 110000;
    const bool half = p.dtype == Dtype::float16 || p.written() == Element::bfloat16;
    int mode = kDefaultMath;
    if (half) mode = modern ? kNoReducedReduction : kTensorMath;
    check(api_.cublasSetMathMode(handle_, mode), "cublasSetMathMode");

    auto [function, gemm] = bind(p, *type, modern ? kDefaultAlgorithm : kTensorAlgorithm);
    core_ = function;
    const int status = gemm();
    if (cublas_refuses(status))
      return std::unexpected(fmt::format("cuBLAS {} has no {} product for this device ({})",
                                         cublas_version_text(api_.version), to_string(p.dtype),
                                         cublas_status(status)));
    check(status, function);
    return [this, gemm = std::move(gemm), function] { check(gemm(), function); };
  }

 private:
  struct Call {
    const char* function;
    std::function<int()> gemm;
  };

  Call bind(const DeviceProduct& p, int compute_type, int algorithm) {
    const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
    if (!p.plain()) return {"cublasGemmStridedBatchedEx", batched(p, compute_type, algorithm)};
    if (p.dtype == Dtype::float32)
      return {"cublasSgemm", real<float>(api_.cublasSgemm_v2, p)};
    if (p.dtype == Dtype::float64)
      return {"cublasDgemm", real<double>(api_.cublasDgemm_v2, p)};
    const Elements types = elements(p.dtype);
    return {"cublasGemmEx",
            [=, this, a = cuda_type(types.a), b = cuda_type(types.b), c = cuda_type(p.written()),
             whole = p.dtype == Dtype::int8] {
              const float one = 1, zero = 0;
              const int whole_one = 1, whole_zero = 0;
              return api_.cublasGemmEx(
                  handle_, kNoTranspose, kNoTranspose, n, m, k,
                  whole ? static_cast<const void*>(&whole_one) : &one, p.b, b, n, p.a, a, k,
                  whole ? static_cast<const void*>(&whole_zero) : &zero, p.c, c, n, compute_type,
                  algorithm);
            }};
  }

  // In the types that sum in float.
  std::function<int()> batched(const DeviceProduct& p, int compute_type, int algorithm) {
    const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
    const Elements types = elements(p.dtype);
    return [=, this, a = cuda_type(types.a), b = cuda_type(types.b), c = cuda_type(p.written())] {
      const float factor = p.factor, zero = 0;
      return api_.cublasGemmStridedBatchedEx(
          handle_, p.transposed_b ? kTranspose : kNoTranspose, kNoTranspose, n, m, k, &factor, p.b, b,
          p.transposed_b ? k : n, static_cast<long long>(p.n * p.k), p.a, a, k,
          static_cast<long long>(p.m * p.k), &zero, p.c, c, n, static_cast<long long>(p.m * p.n),
          static_cast<int>(p.batch), compute_type, algorithm);
    };
  }

  template <typename T, typename Gemm>
  std::function<int()> real(Gemm gemm, const DeviceProduct& p) {
    return [=, this, m = static_cast<int>(p.m), n = static_cast<int>(p.n),
            k = static_cast<int>(p.k)] {
      const T one = 1, zero = 0;
      return gemm(handle_, kNoTranspose, kNoTranspose, n, m, k, &one, static_cast<const T*>(p.b), n,
                  static_cast<const T*>(p.a), k, &zero, static_cast<T*>(p.c), n);
    };
  }

  void check(int status, const char* function) const {
    if (status != 0) fail_cublas(device_, api_.path, function, status);
  }

  const Device& device_;
  Cublas api_;
  void* handle_ = nullptr;
  std::string core_;
};

}  // namespace

std::expected<std::unique_ptr<Multiplier>, Unsupported> make_cublas(const Device& device,
                                                                    const Stack& stack,
                                                                    const Parameters&) {
  // Needs libcublasLt, which wheels put beside it.
  return std::make_unique<CublasMultiplier>(device, load_api<Cublas>(stack.open("cublas")));
}

}  // namespace stackx::kernels::cuda
