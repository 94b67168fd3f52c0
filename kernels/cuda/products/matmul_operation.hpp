// matmul on a GPU: C = A * B in the device's memory, by the library that --library names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/dtype.hpp"
#include "kernels/operation.hpp"

namespace stackx::kernels::cuda {

// Whether `library` is cuBLAS, cuBLASLt or NVRTC, by its file name: nothing is opened.
bool multiplies(const std::string& library);

// What they take beside m, n, k, dtype.
std::vector<Parameter> matmul_parameters();

struct MatmulProblem {
  Dtype dtype;
  std::size_t m, n, k;
  std::uint64_t seed;
  Element result;  // the type of C
};

std::unique_ptr<Operation> matmul_operation(const Parameters& parameters,
                                            const PiArguments& arguments,
                                            const MatmulProblem& problem);

}  // namespace stackx::kernels::cuda
