// matmul: C = A * B, through the library that --library names.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kernels/blas/library.hpp"
#include "kernels/cuda/products/matmul_operation.hpp"
#include "kernels/operation.hpp"
#include "kernels/pi.hpp"
#include "kernels/reference/batched_check.hpp"
#include "kernels/result_type.hpp"
#include "kernels/timing/scenario.hpp"

namespace stackx::kernels {
namespace {

using nlohmann::json;

constexpr std::uint64_t kLargestProduct = (std::uint64_t{1} << 31) - 1;  // what the ints of most libraries hold
constexpr std::uint64_t kLargestBatch = 1 << 20;

struct Problem {
  std::size_t m, n, k, batch;
  Dtype dtype;
  Element result;  // the type of C
  int threads;
  std::uint64_t seed;

  Problem(const Parameters& parameters, bool gpu)
      : m(parameters.whole("m", 1, kLargestProduct)),
        n(parameters.whole("n", 1, kLargestProduct)),
        k(parameters.whole("k", 1, kLargestProduct)),
        batch(gpu ? 1 : parameters.whole("batch", 1, kLargestBatch)),
        dtype(*dtype_from(parameters.one_of("dtype", {"float32", "float64", "bfloat16", "int8",
                                                      "float16", "tf32", "fp8"}))),
        result(result_of(dtype, parameters.one_of("result", kResultWords))),
        threads(gpu ? 1 : static_cast<int>(parameters.whole("threads", 1, 4096))),
        seed(parameters.whole("seed", 0, ~std::uint64_t{0})) {
    if (dtype == Dtype::int8 && k > kLargestInt8Depth)
      throw UsageError(
          fmt::format("k={}: an int8 product is exact up to k={}", k, kLargestInt8Depth));
  }
};

bool for_gpus(Dtype dtype) {
  return dtype == Dtype::float16 || dtype == Dtype::tf32 || dtype == Dtype::fp8;
}

// Through a library of the CPU: BLAS or oneDNN.
class Matmul : public Operation {
 public:
  Matmul(const Problem& problem, std::string path, std::optional<std::string> component)
      : problem_(problem),
        path_(std::move(path)),
        component_(std::move(component)),
        types_(elements(problem.dtype)),
        a_(problem.batch * problem.m, problem.k, types_.a),
        b_(problem.batch * problem.k, problem.n, types_.b),
        c_(problem.batch * problem.m, problem.n, types_.c) {}

  std::optional<Unsupported> load() override {
    library_ = open_library(path_);
    if (for_gpus(problem_.dtype))
      return fmt::format("{} is measured on GPUs only", to_string(problem_.dtype));
    if (auto refusal = unwritten(problem_.dtype, problem_.result, false)) return refusal;
    const auto threads = library_->use_threads(problem_.threads);
    if (!threads) return threads.error();
    if (*threads == problem_.threads) return std::nullopt;
    return fmt::format("{} threads asked for, the library uses {}", problem_.threads, *threads);
  }

  Need need() const override {
    using Keys = std::vector<std::string>;
    const double m = static_cast<double>(problem_.m), n = static_cast<double>(problem_.n), k = static_cast<double>(problem_.k),
                 batch = static_cast<double>(problem_.batch);
    return {.keys = problem_.batch > 1 ? Keys{"m", "n", "k", "batch", "dtype"} : Keys{"m", "n", "k", "dtype"},
            .arrays = a_.need() + b_.need() + c_.need(),
            .check = check_memory(m, n, k, kFullCheckFlop / batch)};
  }

  std::optional<Unsupported> prepare() override {
    a_.fill_random(2 * problem_.seed);
    b_.fill_random(2 * problem_.seed + 1);
    c_.poison();
    auto multiply = library_->prepare({problem_.dtype, a_, b_, c_, problem_.batch});
    if (!multiply) return multiply.error();
    multiply_ = std::move(*multiply);
    return std::nullopt;
  }

  void call() override { multiply_.call(); }

  Check check() override {
    return check_products(a_, b_, c_, problem_.batch, problem_.dtype, problem_.seed);
  }

  std::vector<std::span<const std::byte>> result() override { return {c_.contents()}; }

  OperationWork work() const override {
    const double m = static_cast<double>(problem_.m), n = static_cast<double>(problem_.n),
                 k = static_cast<double>(problem_.k), batch = static_cast<double>(problem_.batch);
    return {2 * m * n * k * batch, static_cast<double>(a_.bytes() + b_.bytes() + c_.bytes()), 1};
  }

  std::unique_ptr<Sampler> sampler(const Clock& clock) override {
    return std::make_unique<ClockSampler>(multiply_.call, clock);  // one indirect call less
  }

  void describe(json& document) const override {
    put_library(document, library_->info(), SharedObject(path_).path(), component_);
    if (const auto threads = library_->use_threads(problem_.threads))
      document["library"]["threads"] = *threads;
    if (!multiply_.through.empty()) document["library"]["function"] = multiply_.through;
  }

 private:
  Problem problem_;
  std::string path_;
  std::optional<std::string> component_;
  Elements types_;
  Matrix a_, b_, c_;
  std::unique_ptr<Library> library_;
  Multiply multiply_;
};

// Which of a PI's parameters mean something where it runs.
bool applies(const std::string& key, bool gpu) {
  if (key == "threads" || key == "batch") return !gpu;
  for (const Parameter& parameter : cuda::matmul_parameters())
    if (key == parameter.key) return gpu;
  return true;
}

json run_matmul(const Pi& pi, const PiArguments& arguments, const Clock& clock) {
  if (!arguments.library) throw UsageError("matmul needs --library PATH: the library to measure");
  const bool gpu = cuda::multiplies(*arguments.library);
  std::vector<Parameter> known = pi.parameters;
  std::erase_if(known, [&](const Parameter& p) { return !applies(p.key, gpu); });
  Parameters parameters(std::move(known), arguments.words);
  const Problem problem(parameters, gpu);
  parameters.set("result", to_string(problem.result));
  if (gpu) {
    const auto operation = cuda::matmul_operation(parameters, arguments, {problem.dtype, problem.m, problem.n, problem.k, problem.seed,
                                                                          problem.result});
    return run_operation(pi, parameters, *operation, clock);
  }
  Matmul matmul(problem, *arguments.library, arguments.component);
  return run_operation(pi, parameters, matmul, clock);
}

}  // namespace

Pi matmul_pi() {
  std::vector<Parameter> parameters = {
      {"m", "512", "rows of A and C"},
      {"n", "512", "columns of B and C"},
      {"k", "512", "columns of A, rows of B"},
      {"batch", "1", "independent products of these sizes in one call (CPU)"},
      {"dtype", "float32",
       "float32, float64, bfloat16 (C float32), int8 (C int32); GPU also float16, tf32, fp8 (C "
       "bfloat16)"},
      {"result", "usual",
       "type of C: usual (what dtype says), same (as A and B: of bfloat16 what frameworks write), or float32, float16, bfloat16 (GPU)"},
      {"threads", "1", "threads that the library may use (CPU)"}};
  for (Parameter& parameter : cuda::matmul_parameters()) parameters.push_back(std::move(parameter));
  return {"matmul",
          "matrix product C = A * B by a BLAS library, oneDNN, cuBLAS, cuBLASLt, or by our own "
          "kernels through NVRTC",
          with_scenario_parameters(with_plan_parameters(std::move(parameters))), run_matmul};
}

}  // namespace stackx::kernels
