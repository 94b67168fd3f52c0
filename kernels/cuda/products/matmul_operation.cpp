#include "kernels/cuda/products/matmul_operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "kernels/cuda/gpu_operation.hpp"
#include "kernels/cuda/products/multiplier.hpp"
#include "kernels/parallel.hpp"
#include "kernels/result_type.hpp"

namespace stackx::kernels::cuda {
namespace {

// What no product gives: NaN, or a sum larger than any.
unsigned char poison_of(Element element) { return element == Element::int32 ? 0x80 : 0xff; }

Unit unit_of(Dtype dtype, const Parameters& parameters) {
  const bool scalar = dtype == Dtype::float32 || dtype == Dtype::float64 || dtype == Dtype::int8 ||
                      parameters.text("kernel") == "tiled";
  return scalar ? Unit::scalar : Unit::tensor_cores;
}

class MatmulOperation : public GpuOperation {
 public:
  MatmulOperation(const Parameters& parameters, const PiArguments& arguments,
                  const MatmulProblem& problem)
      : GpuOperation(parameters, arguments),
        parameters_(parameters),
        problem_(problem),
        types_{elements(problem.dtype).a, elements(problem.dtype).b, problem.result},
        make_(multiplier_for(*arguments.library)),
        a_(problem.m, problem.k, types_.a),
        b_(problem.k, problem.n, types_.b),
        c_(problem.m, problem.n, types_.c) {}

  Need need() const override {
    const double arrays = a_.need() + b_.need() + c_.need(),
                 check = check_memory(static_cast<double>(problem_.m), static_cast<double>(problem_.n), static_cast<double>(problem_.k)),
                 transposed = multiplier_->takes_transposed_b(problem_.dtype) ? b_.need() : 0;  // is gone before the check
    return {.keys = {"m", "n", "k", "dtype"}, .arrays = arrays, .check = std::max(check, transposed), .device = arrays};
  }

  std::optional<Unsupported> prepare() override {
    const auto [dtype, m, n, k, seed, result] = problem_;
    a_.fill_random(2 * seed);
    b_.fill_random(2 * seed + 1);
    for (const auto& [host, buffer] : {std::pair{&a_, &device_a_}, std::pair{&b_, &device_b_},
                                       std::pair{&c_, &device_c_}}) {
      auto allocated = device().allocate(host->bytes());
      if (!allocated) return allocated.error();
      *buffer = std::move(*allocated);
    }
    device().upload(device_a_, a_.data(), a_.bytes());
    if (multiplier_->takes_transposed_b(dtype)) {
      const Matrix transposed = transpose(b_);
      device().upload(device_b_, transposed.data(), transposed.bytes());
    } else {
      device().upload(device_b_, b_.data(), b_.bytes());
    }
    auto call = multiplier_->prepare(
        {.dtype = dtype, .m = m, .n = n, .k = k, .a = device_a_.data(), .b = device_b_.data(), .c = device_c_.data(), .result = result});
    if (!call) return call.error();
    call_ = std::move(*call);
    // Only now: what the multiplier tried out has written C.
    device().fill(device_c_, poison_of(types_.c));
    return std::nullopt;
  }

  void call() override { call_(); }

  Check check() override {
    fetch();
    return check_product(a_, b_, c_,
                         tolerance_of(problem_.dtype, problem_.k, unit_of(problem_.dtype, parameters_), problem_.result),
                         problem_.seed);
  }

  std::vector<std::span<const std::byte>> result() override {
    fetch();
    return {c_.contents()};
  }

  OperationWork work() const override {
    const double m = static_cast<double>(problem_.m), n = static_cast<double>(problem_.n),
                 k = static_cast<double>(problem_.k);
    return {2 * m * n * k,
            m * k * static_cast<double>(size_of(types_.a)) +
                k * n * static_cast<double>(size_of(types_.b)) +
                m * n * static_cast<double>(size_of(types_.c)),
            1};
  }

 protected:
  std::optional<Unsupported> load_library() override {
    if (auto refusal = unwritten(problem_.dtype, problem_.result, true)) return refusal;
    auto multiplier = make_(device(), stack(), parameters_);
    if (!multiplier) return multiplier.error();
    multiplier_ = std::move(*multiplier);
    return std::nullopt;
  }

  void describe_library(nlohmann::json& document) const override {
    if (multiplier_ == nullptr) return GpuOperation::describe_library(document);
    LibraryInfo info = multiplier_->info();
    info.partners["cudart"] = cuda_version_text(device().cudart().version);
    put_library(document, info, stack().library(), component());
  }

 private:
  void fetch() {
    c_.poison();
    device().download(c_.data(), device_c_, c_.bytes());
  }

  // Operands of one byte, in blocks that stay in the cache.
  static Matrix transpose(const Matrix& matrix) {
    constexpr std::size_t kBlock = 64;
    const std::size_t rows = matrix.rows(), columns = matrix.columns();
    Matrix transposed(columns, rows, matrix.element());
    const auto* from = static_cast<const std::uint8_t*>(matrix.data());
    auto* to = static_cast<std::uint8_t*>(transposed.data());
    in_parallel((rows + kBlock - 1) / kBlock, 64, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin * kBlock; i < std::min(rows, end * kBlock); i += kBlock)
        for (std::size_t j = 0; j < columns; ++j)
          for (std::size_t r = i; r < std::min(rows, i + kBlock); ++r)
            to[j * rows + r] = from[r * columns + j];
    });
    return transposed;
  }

  Parameters parameters_;
  MatmulProblem problem_;
  Elements types_;
  MakeMultiplier make_;
  Matrix a_, b_, c_;
  Buffer device_a_, device_b_, device_c_;
  std::unique_ptr<Multiplier> multiplier_;
  Enqueue call_;
};

}  // namespace

bool multiplies(const std::string& library) { return multiplier_for(library) != nullptr; }

std::vector<Parameter> matmul_parameters() {
  return {kDeviceParameter,
          kL2Parameter,
          {"kernel", "tensor", "of ours, by libnvrtc: tensor or tiled"},
          {"search", "0", "libcublasLt: candidates to time first; 0: the heuristic's first"},
          {"workspace_mib", "32", "libcublasLt: scratch memory it may use"}};
}

std::unique_ptr<Operation> matmul_operation(const Parameters& parameters,
                                            const PiArguments& arguments,
                                            const MatmulProblem& problem) {
  return std::make_unique<MatmulOperation>(parameters, arguments, problem);
}

}  // namespace stackx::kernels::cuda
