#include "kernels/blas/cblas.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace stackx::kernels {
namespace {

using Int = std::int64_t;

template <typename In, typename Out>
using CblasGemm = void(int layout, int transpose_a, int transpose_b, Int m, Int n, Int k, Out alpha,
                       const In* a, Int lda, const In* b, Int ldb, Out beta, Out* c, Int ldc);

// Fortran: everything by address, then the hidden lengths of the two strings.
template <typename T>
using FortranGemm = void(const char* transpose_a, const char* transpose_b, const Int* m,
                         const Int* n, const Int* k, const T* alpha, const T* a, const Int* lda,
                         const T* b, const Int* ldb, const T* beta, T* c, const Int* ldc,
                         std::size_t, std::size_t);

template <typename T>
using CblasGemmBatch = void(int layout, int transpose_a, int transpose_b, Int m, Int n, Int k,
                            T alpha, const T* a, Int lda, Int stride_a, const T* b, Int ldb,
                            Int stride_b, T beta, T* c, Int ldc, Int stride_c, Int batch);

struct Sizes {
  Int m, n, k, batch;
  int transpose_b;
  explicit Sizes(const Product& p)
      : m(static_cast<Int>(p.m())),
        n(static_cast<Int>(p.n())),
        k(static_cast<Int>(p.k())),
        batch(static_cast<Int>(p.batch)),
        transpose_b(p.transposed_b ? kTranspose : kNoTranspose) {}
  Int row_of_b() const { return transpose_b == kTranspose ? k : n; }
};

template <typename In, typename Out>
std::function<void()> bind(CblasGemm<In, Out>* gemm, const Product& p) {
  return [gemm, s = Sizes(p), a = static_cast<const In*>(p.a.data()),
          b = static_cast<const In*>(p.b.data()), c = static_cast<Out*>(p.c.data())] {
    for (Int i = 0; i < s.batch; ++i)
      gemm(kRowMajor, kNoTranspose, s.transpose_b, s.m, s.n, s.k, 1, a + i * s.m * s.k, s.k,
           b + i * s.k * s.n, s.row_of_b(), 0, c + i * s.m * s.n, s.n);
  };
}

template <typename T>
std::function<void()> bind(CblasGemmBatch<T>* gemm, const Product& p) {
  return [gemm, s = Sizes(p), a = static_cast<const T*>(p.a.data()),
          b = static_cast<const T*>(p.b.data()), c = static_cast<T*>(p.c.data())] {
    gemm(kRowMajor, kNoTranspose, s.transpose_b, s.m, s.n, s.k, 1, a, s.k, s.m * s.k, b, s.row_of_b(),
         s.k * s.n, 0, c, s.n, s.m * s.n, s.batch);
  };
}

// Fortran is column-major: what it sees in our memory is the transposed matrices, and C' = B'A'.
template <typename T>
std::function<void()> bind(FortranGemm<T>* gemm, const Product& p) {
  return [gemm, s = Sizes(p), a = static_cast<const T*>(p.a.data()),
          b = static_cast<const T*>(p.b.data()), c = static_cast<T*>(p.c.data())] {
    const T one = 1, zero = 0;
    const Int row_of_b = s.row_of_b();
    const char* transpose_b = s.transpose_b == kTranspose ? "T" : "N";
    for (Int i = 0; i < s.batch; ++i)
      gemm(transpose_b, "N", &s.n, &s.m, &s.k, &one, b + i * s.k * s.n, &row_of_b, a + i * s.m * s.k, &s.k,
           &zero, c + i * s.m * s.n, &s.n, 1, 1);
  };
}

template <typename T>
std::expected<Multiply, Unsupported> prepare_real(const SharedObject& object, const Naming& naming,
                                                  const Product& product, const std::string& gemm) {
  const std::string batched = naming.of("cblas_" + gemm + "_batch_strided"),
                    cblas = naming.of("cblas_" + gemm), fortran = naming.of(gemm + "_");
  if (product.batch > 1)
    if (auto* function = object.find<CblasGemmBatch<T>>(batched))
      return Multiply{bind<T>(function, product), batched};
  if (auto* function = object.find<CblasGemm<T, T>>(cblas))
    return Multiply{bind<T, T>(function, product), looped(cblas, product)};
  if (auto* function = object.find<FortranGemm<T>>(fortran))
    return Multiply{bind<T>(function, product), looped(fortran, product)};
  return std::unexpected(fmt::format("the library exports neither {} nor {}", cblas, fortran));
}

}  // namespace

std::optional<Naming> find_naming(const SharedObject& object, const std::string& function) {
  for (const char* prefix : {"", "scipy_"})
    for (const char* suffix : {"", "64_", "_64"}) {
      Naming naming{prefix, suffix};
      if (object.find<void()>(naming.of(function))) return naming;
    }
  return std::nullopt;
}

std::string looped(const std::string& function, const Product& product) {
  return product.batch == 1 ? function : fmt::format("{}, {} calls", function, product.batch);
}

std::expected<Multiply, Unsupported> prepare_gemm(const SharedObject& object, const Naming& naming,
                                                  const Product& product) {
  switch (product.dtype) {
    case Dtype::float32:
      return prepare_real<float>(object, naming, product, "sgemm");
    case Dtype::float64:
      return prepare_real<double>(object, naming, product, "dgemm");
    case Dtype::bfloat16: {
      const std::string name = naming.of("cblas_sbgemm");
      if (auto* function = object.find<CblasGemm<std::uint16_t, float>>(name))
        return Multiply{bind<std::uint16_t, float>(function, product), looped(name, product)};
      return std::unexpected(fmt::format("no bfloat16: the library exports no {}", name));
    }
    default:
      return std::unexpected(
          fmt::format("no {}: BLAS has no such product", to_string(product.dtype)));
  }
}

}  // namespace stackx::kernels
