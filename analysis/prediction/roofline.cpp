#include "analysis/prediction/roofline.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "specs/result/metric.hpp"

namespace stackx::analysis {
namespace {

// Seconds. Of the order of a kernel launch with what goes before it, and of a recurrent step;
// between a half and double of these nothing changes that the held-out errors could tell.
constexpr double call_overhead = 10e-6;
constexpr double step_overhead = 5e-6;

class Parameters {
 public:
  explicit Parameters(const specs::Workload& workload) : params_(workload.params) {}

  std::string_view text(const char* key) const {
    const auto found = params_.find(key);
    return found == params_.end() ? std::string_view() : found->second;
  }
  double number(const char* key, double absent = 0) const {
    const std::string_view text = this->text(key);
    double value = absent;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }

 private:
  const std::map<std::string, std::string>& params_;
};

double element_bytes(std::string_view dtype) {
  if (dtype == "complex128") return 16;
  if (dtype == "float64" || dtype == "complex64") return 8;
  if (dtype == "float32" || dtype == "tensorfloat32" || dtype == "tf32" || dtype == "int32") return 4;
  if (dtype == "float16" || dtype == "bfloat16") return 2;
  if (dtype == "int8" || dtype == "float8") return 1;
  return 0;
}
double result_bytes(std::string_view dtype) { return dtype == "int8" ? 4 : element_bytes(dtype); }

double outputs(const Parameters& of, const char* size, const char* filter, const char* pad,
               const char* stride) {
  return std::floor((of.number(size) + 2 * of.number(pad) - of.number(filter)) /
                    std::max(1.0, of.number(stride, 1))) +
         1;
}

Operation matmul(const Parameters& of, double in, double out) {
  const double m = of.number("m"), n = of.number("n"), k = of.number("k");
  const double bytes = in * (m * k + k * n) + out * m * n;
  return {0, bytes * of.number("batch", 1), call_overhead};
}

Operation conv2d(const Parameters& of, double in, double out) {
  const double n = of.number("n"), c = of.number("c"), k = of.number("k");
  const double image = of.number("w") * of.number("h");
  const double filter = of.number("filter_w") * of.number("filter_h");
  const double points = outputs(of, "w", "filter_w", "pad_w", "stride_w") *
                        outputs(of, "h", "filter_h", "pad_h", "stride_h");
  return {0, in * (n * c * image + k * c * filter) + out * n * k * points, call_overhead};
}

// The weights are read once: libraries keep them close for all steps.
Operation rnn(const Parameters& of, double in) {
  const std::string_view cell = of.text("cell");
  const double gates = cell == "lstm" ? 4 : cell == "gru" ? 3 : cell == "vanilla" ? 1 : 0;
  const double hidden = of.number("hidden"), batch = of.number("batch", 1);
  const double steps = of.number("timesteps", 1);
  const double weights = gates * 2 * hidden * hidden;
  return {2 * weights * batch * steps, in * (weights + 2 * batch * hidden * steps),
          step_overhead * steps};
}

}  // namespace

std::optional<Operation> operation_of(const specs::Workload& workload) {
  const Parameters of(workload);
  const std::string_view dtype = of.text("dtype");
  const double in = element_bytes(dtype), out = result_bytes(dtype);
  if (in == 0) return std::nullopt;
  Operation operation;
  if (workload.pi == "rnn") {
    operation = rnn(of, in);
  } else if (workload.pi == "matmul" || workload.pi == "conv2d") {
    const auto flop = specs::flop_of(workload);
    if (!flop) return std::nullopt;
    operation = workload.pi == "matmul" ? matmul(of, in, out) : conv2d(of, in, out);
    operation.flop = *flop;
  }
  const bool whole = std::isfinite(operation.flop) && operation.flop > 0 &&
                     std::isfinite(operation.bytes) && operation.bytes > 0;
  return whole ? std::optional(operation) : std::nullopt;
}

double attainable(const Operation& operation, const Ceiling& ceiling) {
  return std::min(ceiling.peak_gflop_s, ceiling.bandwidth_gb_s * operation.flop / operation.bytes);
}

double expected_seconds(const Operation& operation, const Ceiling& ceiling) {
  return operation.flop / (ceiling.peak_gflop_s * 1e9) +
         operation.bytes / (ceiling.bandwidth_gb_s * 1e9) + operation.overhead_s;
}

}  // namespace stackx::analysis
