// memory_bandwidth: how fast the device moves data between its memory and itself.
//
// The loops and the counting of bytes are STREAM's (McCalpin 1995): what a loop reads and writes, 16
// bytes an element for copy, 24 for triad; a write that must first read the line is not counted
// (GPUs have none). Our kernels, in PTX; "memcpy" is the runtime's own device-to-device copy. Arrays
// are 8 times the L2 cache by default, so that little of one pass is left for the next.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "kernels/cuda/gpu_operation.hpp"
#include "kernels/cuda/ptx.hpp"
#include "kernels/cuda/values.hpp"
#include "kernels/pi.hpp"

namespace stackx::kernels::cuda {
namespace {

constexpr double kScalar = 3;
constexpr std::size_t kMib = std::size_t{1} << 20, kLeastMib = 256, kCacheMultiple = 8;
constexpr std::uint64_t kMostMib = 1 << 20;
constexpr unsigned kBlocksPerMultiprocessor = 8;  // read: all threads that a multiprocessor holds
constexpr int kDeviceToDevice = 3;                // cudaMemcpyKind

struct Loop {
  const char* name;
  const char* function;  // nullptr: the runtime's copy
  int reads, writes;     // arrays
  int flop;              // per element
};

constexpr Loop kLoops[] = {{"copy", "stackx_copy", 1, 1, 0},
                           {"triad", "stackx_triad", 2, 1, 2},
                           {"read", "stackx_read", 1, 0, 1},
                           {"write", "stackx_write", 0, 1, 0},
                           {"memcpy", nullptr, 1, 1, 0}};

const Loop& loop_of(const Parameters& parameters) {
  const std::string name = parameters.one_of("loop", {"copy", "triad", "read", "write", "memcpy"});
  return *std::find_if(std::begin(kLoops), std::end(kLoops),
                       [&](const Loop& loop) { return loop.name == name; });
}

class MemoryBandwidth : public GpuOperation {
 public:
  MemoryBandwidth(const Parameters& parameters, const PiArguments& arguments)
      : GpuOperation(parameters, arguments),
        loop_(loop_of(parameters)),
        size_mib_(parameters.whole("size_mib", 0, kMostMib)),
        seed_(parameters.whole("seed", 0, ~std::uint64_t{0})) {}

  // On the host there is a piece at a time (values.hpp).
  Need need() const override {
    const double arrays = loop_.reads + (loop_.writes > 0 ? 1 : 0);
    return {.keys = {"size_mib"}, .arrays = kPiece * sizeof(double), .device = arrays * static_cast<double>(size_mib_) * kMib};
  }

  std::optional<Unsupported> prepare() override {
    count_ = size_mib_ * kMib / sizeof(double);
    if (auto refusal = allocate()) return refusal;
    for (const int input : {1, 2})
      if (arrays_[input].bytes() > 0)
        upload_values(device(), arrays_[input], count_, input_seed(input));
    device().fill(arrays_[0], 0xff);  // NaN
    if (loop_.function == nullptr) return std::nullopt;
    const auto module = device().load_module(kPtx);
    if (!module) return module.error();
    function_ = device().function(*module, loop_.function);
    return std::nullopt;
  }

  void call() override {
    if (function_ == nullptr) {
      device().check(
          device().cudart().cudaMemcpyAsync(arrays_[0].data(), arrays_[1].data(),
                                            arrays_[0].bytes(), kDeviceToDevice, device().stream()),
          "cudaMemcpyAsync");
      return;
    }
    void *a = arrays_[0].data(), *b = arrays_[1].data(), *c = arrays_[2].data();
    double scalar = kScalar;
    unsigned tiles = static_cast<unsigned>(count_ / kTile);
    void* copy_or_triad[] = {&a, &b, &c, &scalar};
    void* write[] = {&a, &scalar};
    void* read[] = {&a, &b, &tiles};
    const bool reads_only = loop_.writes == 0;
    device().launch(function_, {.x = reads_only ? read_blocks() : tiles}, {.x = kBlock},
                    reads_only         ? read
                    : loop_.reads == 0 ? write
                                       : copy_or_triad);
  }

  Check check() override {
    device().synchronize();
    Check check{"recomputed on the host, every element", 0, 0, false, ""};
    if (loop_.writes == 0) {
      check_sum(check);
    } else {
      std::size_t wrong = 0, first = 0;
      download_values(device(), arrays_[0], count_, [&](std::size_t i, double value) {
        if (value == expected(i)) return;
        if (wrong++ == 0) first = i;
        check.max_relative_error = std::max(check.max_relative_error, error(value, expected(i)));
      });
      if (wrong > 0)
        check.detail =
            fmt::format("{} of {} elements differ, the first at {}", wrong, count_, first);
    }
    check.pass = check.detail.empty();
    return check;
  }

  OperationWork work() const override {
    const double n = static_cast<double>(count_);
    return {loop_.flop * n, (loop_.reads + loop_.writes) * n * sizeof(double), 1};
  }

 protected:
  std::optional<Unsupported> load_library() override {
    if (size_mib_ == 0) size_mib_ = std::max(kLeastMib, kCacheMultiple * device().info().l2_bytes / kMib);
    return std::nullopt;
  }

  void describe_library(nlohmann::json& document) const override {
    GpuOperation::describe_library(document);
    document["parameters"]["size_mib"] = size_mib_;
  }

 private:
  unsigned read_blocks() const {
    return kBlocksPerMultiprocessor *
           static_cast<unsigned>(std::max(device().info().multiprocessors, 1));
  }

  std::uint64_t input_seed(int input) const { return 2 * seed_ + static_cast<unsigned>(input) - 1; }

  double expected(std::size_t i) const {
    if (loop_.reads == 0) return kScalar;
    const double b = value_at(input_seed(1), i);
    return loop_.reads == 1 ? b : b + kScalar * value_at(input_seed(2), i);
  }

  static double error(double value, double expected) {
    const double difference = std::abs(value - expected) / std::max(1.0, std::abs(expected));
    return std::isfinite(difference) ? difference : 1e300;
  }

  // Array 0 is written, 1 and 2 are read.
  std::optional<Unsupported> allocate() {
    for (int i = 0; i <= loop_.reads; ++i) {
      const std::size_t bytes =
          i == 0 && loop_.writes == 0 ? read_blocks() * kBlock * sizeof(double) : size_mib_ * kMib;
      auto buffer = device().allocate(bytes);
      if (!buffer) return fmt::format("size_mib={}: {}", size_mib_, buffer.error());
      arrays_[i] = std::move(*buffer);
    }
    return std::nullopt;
  }

  void check_sum(Check& check) {
    double sum = 0, reference = 0;
    download_values(device(), arrays_[0], arrays_[0].bytes() / sizeof(double),
                    [&](std::size_t, double value) { sum += value; });
    for (std::size_t i = 0; i < count_; ++i) reference += value_at(input_seed(1), i);
    check.reference = "the sum of all elements, on the host";
    if (sum == reference) return;
    check.max_relative_error = error(sum, reference);
    check.detail = fmt::format("sum {} instead of {}", sum, reference);
  }

  const Loop& loop_;
  std::uint64_t size_mib_, seed_;
  std::size_t count_ = 0;  // elements of an array
  Buffer arrays_[3];
  void* function_ = nullptr;
};

nlohmann::json run_memory_bandwidth(const Pi& pi, const PiArguments& arguments, const Clock& clock) {
  Parameters parameters(pi.parameters, arguments.words);
  MemoryBandwidth operation(parameters, arguments);
  return run_operation(pi, std::move(parameters), operation, clock);
}

}  // namespace
}  // namespace stackx::kernels::cuda

namespace stackx::kernels {

Pi memory_bandwidth_pi() {
  return {"memory_bandwidth", "GPU memory: copy, triad, read, write, through the CUDA runtime",
          with_plan_parameters({{"loop", "triad", "copy, triad, read, write, or memcpy"},
                                {"size_mib", "0", "of an array; 0: 8 times the L2, at least 256"},
                                cuda::kDeviceParameter,
                                cuda::kL2Parameter}),
          cuda::run_memory_bandwidth};
}

}  // namespace stackx::kernels
