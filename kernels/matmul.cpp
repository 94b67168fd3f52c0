// matmul: C = A * B, through the library that --library names.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kernels/batched_check.hpp"
#include "kernels/library.hpp"
#include "kernels/operation.hpp"
#include "kernels/pi.hpp"

namespace stackx::kernels {
namespace {

using nlohmann::json;

constexpr std::uint64_t kLargestSide = 1 << 20;
constexpr std::uint64_t kLargestBatch = 1 << 20;

struct Problem {
  std::size_t m, n, k, batch;
  Dtype dtype;
  int threads;
  std::uint64_t seed;

  explicit Problem(const Parameters& parameters)
      : m(parameters.whole("m", 1, kLargestSide)),
        n(parameters.whole("n", 1, kLargestSide)),
        k(parameters.whole("k", 1, kLargestSide)),
        batch(parameters.whole("batch", 1, kLargestBatch)),
        dtype(*dtype_from(parameters.one_of("dtype", {"float32", "float64", "bfloat16", "int8"}))),
        threads(static_cast<int>(parameters.whole("threads", 1, 4096))),
        seed(parameters.whole("seed", 0, ~std::uint64_t{0})) {
    if (dtype == Dtype::int8 && k > kLargestInt8Depth)
      throw UsageError(
          fmt::format("k={}: an int8 product is exact up to k={}", k, kLargestInt8Depth));
  }
};

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
    const auto threads = library_->use_threads(problem_.threads);
    if (!threads) return threads.error();
    if (*threads == problem_.threads) return std::nullopt;
    return fmt::format("{} threads asked for, the library uses {}", problem_.threads, *threads);
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

json run(const Pi& pi, const PiArguments& arguments, const Clock& clock) {
  const Parameters parameters(pi.parameters, arguments.words);
  const Problem problem(parameters);
  if (!arguments.library) throw UsageError("matmul needs --library PATH: the library to measure");
  Matmul matmul(problem, *arguments.library, arguments.component);
  return run_operation(pi, parameters, matmul, clock);
}

}  // namespace

Pi matmul_pi() {
  return {"matmul", "matrix product C = A * B by a BLAS library or oneDNN",
          with_plan_parameters(
              {{"m", "512", "rows of A and C"},
               {"n", "512", "columns of B and C"},
               {"k", "512", "columns of A, rows of B"},
               {"batch", "1", "independent products of these sizes in one call"},
               {"dtype", "float32", "float32, float64, bfloat16 (C float32), int8 (C int32)"},
               {"threads", "1", "threads that the library may use"}}),
          run};
}

}  // namespace stackx::kernels
