// A library that multiplies matrices, loaded at run time: what it is, and a call ready to be timed.
//
// open_library() tells by the functions a file exports which library it is; one file per kind
// adapts it. Multiplication is C = A * B on plain row-major operands everywhere (alpha 1, beta 0); B may lie transposed.
// oneDNN could pick its own layouts and reorder the operands once; it is given plain strides
// instead, so that all libraries do the same work on the same data.
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "kernels/dtype.hpp"
#include "kernels/reference/matrix.hpp"
#include "kernels/shared_object.hpp"

namespace stackx::kernels {

struct LibraryInfo {
  std::string kind;                    // openblas, mkl, blis, netlib, onednn
  std::optional<std::string> version;  // as the library itself reports it
  std::string interface;               // lp64, ilp64; empty where there are no BLAS integers
  std::string threading;               // pthreads, openmp, tbb, sequential, ...; empty if not told
  std::string config;                  // its description of itself
  std::string core;                    // the kernels it chose for this CPU
  std::string note;                    // what a reader should know
  std::map<std::string, std::string> partners;  // runtimes in use -> version as they report it
};

struct Product {
  Dtype dtype;
  const Matrix& a;        // m x k
  const Matrix& b;        // k x n
  Matrix& c;              // m x n
  std::size_t batch = 1;  // independent products in one call, one below the other in a, b and c
  bool transposed_b = false;  // b is n x k, and read transposed

  std::size_t m() const { return a.rows() / batch; }
  std::size_t n() const { return transposed_b ? b.rows() / batch : b.columns(); }
  std::size_t k() const { return a.columns(); }
};

struct Multiply {  // a call ready to be timed
  std::function<void()> call;
  std::string
      through;  // the library's function: "cblas_sgemm"; for a loop, "cblas_sgemm, 64 calls"
  void operator()() const { call(); }
};
using Unsupported = std::string;  // why the library or this machine cannot

class Library {
 public:
  virtual ~Library() = default;
  virtual LibraryInfo info() const = 0;
  // Makes the library use that many threads; returns how many it says it uses, which may differ.
  virtual std::expected<int, Unsupported> use_threads(int threads) = 0;
  // The operands must outlive the call returned.
  virtual std::expected<Multiply, Unsupported> prepare(const Product& product) = 0;
};

std::unique_ptr<Library> open_library(const std::string& path);  // throws LoadError

}  // namespace stackx::kernels
