// The BLAS interface as libraries export it: cblas_sgemm, scipy_cblas_sgemm64_, sgemm_, ...
//
// Integers are always passed as 64 bits wide, to LP64 and ILP64 libraries alike. In the calling
// conventions of 64-bit Linux (x86-64, AArch64; little-endian) every argument has a 64-bit register
// or stack slot of its own and a callee with 32-bit integers reads the lower half, so one call
// serves both, and a library whose integer width cannot be told is not called wrongly. Rejected:
// two instantiations chosen by a guess.
#pragma once

#include <optional>
#include <string>

#include "kernels/blas/library.hpp"

namespace stackx::kernels {

struct Naming {
  std::string prefix, suffix;
  std::string of(const std::string& function) const { return prefix + function + suffix; }
};

// The naming under which `function` is exported, among those in use: {"", "scipy_"} x {"", "64_",
// "_64"}.
std::optional<Naming> find_naming(const SharedObject& object, const std::string& function);

// float32 and float64 through cblas_?gemm, or ?gemm_ where there is no CBLAS. bfloat16 through
// cblas_sbgemm, which OpenBLAS has when built for it.
//
// A batch goes through cblas_?gemm_batch_strided where there is one (MKL from 2020, OpenBLAS from
// 0.3.31), else through a loop of single products, as a program without batching would do. Not
// through cblas_?gemm_batch: it takes its integers in arrays, whose width could be told only by a
// guess.
std::expected<Multiply, Unsupported> prepare_gemm(const SharedObject& object, const Naming& naming,
                                                  const Product& product);

// Multiply::through of a function that is called once for each product of the batch.
std::string looped(const std::string& function, const Product& product);

// Values of the CBLAS enumerations (cblas.h of the reference implementation).
inline constexpr int kRowMajor = 101, kNoTranspose = 111, kTranspose = 112;

}  // namespace stackx::kernels
