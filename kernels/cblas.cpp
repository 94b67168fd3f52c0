#include "kernels/cblas.hpp"

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

struct Sizes {
  Int m, n, k;
  explicit Sizes(const Product& p)
      : m(static_cast<Int>(p.a.rows())),
        n(static_cast<Int>(p.b.columns())),
        k(static_cast<Int>(p.a.columns())) {}
};

template <typename In, typename Out>
Multiply bind(CblasGemm<In, Out>* gemm, const Product& p) {
  return [gemm, s = Sizes(p), a = static_cast<const In*>(p.a.data()),
          b = static_cast<const In*>(p.b.data()), c = static_cast<Out*>(p.c.data())] {
    gemm(kRowMajor, kNoTranspose, kNoTranspose, s.m, s.n, s.k, 1, a, s.k, b, s.n, 0, c, s.n);
  };
}

// Fortran is column-major: what it sees in our memory is the transposed matrices, and C' = B'A'.
template <typename T>
Multiply bind(FortranGemm<T>* gemm, const Product& p) {
  return [gemm, s = Sizes(p), a = static_cast<const T*>(p.a.data()),
          b = static_cast<const T*>(p.b.data()), c = static_cast<T*>(p.c.data())] {
    const T one = 1, zero = 0;
    gemm("N", "N", &s.n, &s.m, &s.k, &one, b, &s.n, a, &s.k, &zero, c, &s.n, 1, 1);
  };
}

template <typename T>
std::expected<Multiply, Unsupported> prepare_real(const SharedObject& object, const Naming& naming,
                                                  const Product& product, const std::string& gemm) {
  if (auto* function = object.find<CblasGemm<T, T>>(naming.of("cblas_" + gemm)))
    return bind<T, T>(function, product);
  if (auto* function = object.find<FortranGemm<T>>(naming.of(gemm + "_")))
    return bind<T>(function, product);
  return std::unexpected(fmt::format("the library exports neither {} nor {}",
                                     naming.of("cblas_" + gemm), naming.of(gemm + "_")));
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
        return bind<std::uint16_t, float>(function, product);
      return std::unexpected(fmt::format("no bfloat16: the library exports no {}", name));
    }
    case Dtype::int8:
      break;
  }
  return std::unexpected("no int8: BLAS has no integer product");
}

}  // namespace stackx::kernels
