// Under what a result was got, besides its shape: hardware, library, number types; how far two such
// are apart, and two shapes (analysis/prediction/rate_model.hpp says what the distances mean).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "specs/catalog/stack.hpp"
#include "specs/hardware/accelerator.hpp"
#include "specs/project/workload.hpp"
#include "specs/result/published.hpp"

namespace stackx::analysis {

struct Library {
  std::string name;     // "cuda", "rocm", "clblas", ...; "" if the stack names none
  double version = 0;   // 10.1
  std::string text;     // "cuda 10.1"
  std::string release;  // of cuDNN or MIOpen, as the stack has it
};
Library library_from(const specs::Stack& stack);

// The program that calls the library, without its version: "torch", "vllm"; "" where the stack names none, which is the
// library called by itself.
std::string caller_from(const specs::Stack& stack);

// The type in which a matmul writes its result, as its workload says (`result`) or else as frameworks do; "" where it is
// not known. What stackx's own PI writes of a library called by itself is the usual type of its dtype.
std::string result_from(const specs::Workload& workload, const specs::Stack& stack);
std::string usual_result(std::string_view dtype);
// As its source says (`details.result`), else as its workload and stack do.
std::string result_of(const specs::Published& result);

// The model without its form and memory: "p100" of "p100-pcie-16gb". Benchmarks rarely say which of
// a family they ran on, so that the same card may go by several of its names.
std::string family_of(const specs::Accelerator& accelerator);

struct Configuration {
  const specs::Accelerator* accelerator = nullptr;
  Library library;
  std::string dtype, multiply;
  std::string caller, result;      // as above
  double peak = 0, bandwidth = 0;  // GFLOP/s, GB/s
};
Configuration configuration_from(const specs::Workload& workload,
                                 const specs::Accelerator& accelerator, const specs::Stack& stack,
                                 const std::string& result = {});  // where a source tells it

double hardware_distance(const Configuration& a, const Configuration& b);
double distance(const Configuration& a, const Configuration& b);
// Whether the same program calls the library, for a result of the same type: which of two equally near results counts.
double call_distance(const Configuration& a, const Configuration& b);

struct Shape {
  std::vector<double> logs;        // of the sizes
  std::vector<std::string> words;  // pass, transposition, cell
  auto operator<=>(const Shape&) const = default;
};
Shape shape_from(const specs::Workload& workload);
double distance(const Shape& a, const Shape& b);

}  // namespace stackx::analysis
