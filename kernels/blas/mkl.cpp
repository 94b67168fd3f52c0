#include "kernels/blas/mkl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>

#include "kernels/blas/cblas.hpp"
#include "kernels/blas/runtimes.hpp"

namespace stackx::kernels {
namespace {

using Int = std::int64_t;  // see cblas.hpp

// MKLVersion of mkl_types.h.
struct MklVersion {
  int major, minor, update;
  char *product_status, *build, *processor, *platform;
};

constexpr int kFixedOffset = 173;  // CblasFixOffset of mkl_cblas.h: one offset for all of C

using GemmBf16 = void(int layout, int transpose_a, int transpose_b, Int m, Int n, Int k,
                      float alpha, const std::uint16_t* a, Int lda, const std::uint16_t* b, Int ldb,
                      float beta, float* c, Int ldc);
using GemmInt8 = void(int layout, int transpose_a, int transpose_b, int offset_c, Int m, Int n,
                      Int k, float alpha, const void* a, Int lda, std::int8_t offset_a,
                      const void* b, Int ldb, std::int8_t offset_b, float beta, std::int32_t* c,
                      Int ldc, const std::int32_t* offsets_c);

std::string upper_variable(const char* name, const char* fallback) {
  const char* value = std::getenv(name);
  std::string text = value == nullptr || *value == '\0' ? fallback : value;
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  return text;
}

const char* runtime_of(const std::string& layer) {
  if (layer == "INTEL") return "libiomp5.so";
  if (layer == "GNU") return "libgomp.so.1";
  if (layer == "TBB") return "libtbb.so.12";
  return nullptr;
}

class Mkl : public Library {
 public:
  explicit Mkl(SharedObject object)
      : object_(std::move(object)), layer_(upper_variable("MKL_THREADING_LAYER", "INTEL")) {
    const char* name = runtime_of(layer_);
    if (name == nullptr) return;
    try {
      runtime_ = object_.partner(name);
    } catch (const LoadError& error) {
      throw LoadError(
          fmt::format("MKL_THREADING_LAYER={} needs {}: {}", layer_, name, error.what()));
    }
  }

  LibraryInfo info() const override {
    LibraryInfo info;
    info.kind = "mkl";
    char text[256] = "";
    object_.require<void(char*, int)>("MKL_Get_Version_String")(text, sizeof text - 1);
    info.config = text;
    info.config.erase(info.config.find_last_not_of(' ') + 1);
    info.version = mkl_version_in(info.config);
    if (info.version->empty()) info.version.reset();
    MklVersion version{};
    object_.require<void(MklVersion*)>("MKL_Get_Version")(&version);
    if (version.processor != nullptr) info.core = version.processor;
    const std::string interface = upper_variable("MKL_INTERFACE_LAYER", "LP64");
    info.interface = interface.starts_with("ILP64") ? "ilp64" : "lp64";
    info.threading = layer_;
    std::transform(layer_.begin(), layer_.end(), info.threading.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    if (runtime_) info.partners = runtime_versions(*runtime_);
    return info;
  }

  std::expected<int, Unsupported> use_threads(int threads) override {
    object_.require<void(int)>("MKL_Set_Dynamic")(0);
    object_.require<void(int)>("MKL_Set_Num_Threads")(threads);
    const int most = object_.require<int()>("MKL_Get_Max_Threads")();
    if (layer_ != "TBB") return most;
    const int bound = use_tbb_threads(*runtime_, threads);
    if (bound == 0) return std::unexpected("this oneTBB does not let its threads be bounded");
    return std::min(most, bound);
  }

  std::expected<Multiply, Unsupported> prepare(const Product& product) override {
    const bool real = product.dtype == Dtype::float32 || product.dtype == Dtype::float64;
    if (product.transposed_b && !real)
      return std::unexpected(fmt::format("no {} product with B transposed", to_string(product.dtype)));
    switch (product.dtype) {
      case Dtype::float32:
      case Dtype::float64:
        return prepare_gemm(object_, Naming{}, product);
      case Dtype::bfloat16:
        return prepare_bfloat16(product);
      case Dtype::int8:
        return prepare_int8(product);
      default:
        return std::unexpected(
            fmt::format("no {}: MKL has no such product", to_string(product.dtype)));
    }
  }

 private:
  std::expected<Multiply, Unsupported> prepare_bfloat16(const Product& p) {
    auto* gemm = object_.find<GemmBf16>("cblas_gemm_bf16bf16f32");
    if (gemm == nullptr)
      return std::unexpected("no bfloat16: the library exports no cblas_gemm_bf16bf16f32");
    const auto call =
        [gemm, m = Int(p.m()), n = Int(p.n()), k = Int(p.k()), batch = Int(p.batch),
         a = static_cast<const std::uint16_t*>(p.a.data()),
         b = static_cast<const std::uint16_t*>(p.b.data()), c = static_cast<float*>(p.c.data())] {
          for (Int i = 0; i < batch; ++i)
            gemm(kRowMajor, kNoTranspose, kNoTranspose, m, n, k, 1, a + i * m * k, k,
                 b + i * k * n, n, 0, c + i * m * n, n);
        };
    return Multiply{call, looped("cblas_gemm_bf16bf16f32", p)};
  }

  std::expected<Multiply, Unsupported> prepare_int8(const Product& p) {
    auto* gemm = object_.find<GemmInt8>("cblas_gemm_s8u8s32");
    if (gemm == nullptr)
      return std::unexpected("no int8: the library exports no cblas_gemm_s8u8s32");
    const auto call = [gemm, m = Int(p.m()), n = Int(p.n()), k = Int(p.k()), batch = Int(p.batch),
                       a = static_cast<const std::uint8_t*>(p.a.data()),
                       b = static_cast<const std::int8_t*>(p.b.data()),
                       c = static_cast<std::int32_t*>(p.c.data())] {
      const std::int32_t offset = 0;
      for (Int i = 0; i < batch; ++i)
        gemm(kRowMajor, kNoTranspose, kNoTranspose, kFixedOffset, m, n, k, 1, a + i * m * k, k, 0,
             b + i * k * n, n, 0, 0, c + i * m * n, n, &offset);
    };
    return Multiply{call, looped("cblas_gemm_s8u8s32", p)};
  }

  SharedObject object_;
  std::string layer_;
  std::optional<SharedObject> runtime_;
};

}  // namespace

std::string mkl_version_in(const std::string& version_string) {
  constexpr std::string_view kBefore = "Version ";
  const std::size_t begin = version_string.find(kBefore);
  if (begin == std::string::npos) return "";
  const std::size_t first = begin + kBefore.size();
  const std::size_t end = version_string.find_first_not_of("0123456789.", first);
  return version_string.substr(first, end == std::string::npos ? end : end - first);
}

std::unique_ptr<Library> make_mkl(const SharedObject& object) {
  if (object.find<void()>("MKL_Get_Version") == nullptr) return nullptr;
  return std::make_unique<Mkl>(object);
}

}  // namespace stackx::kernels
