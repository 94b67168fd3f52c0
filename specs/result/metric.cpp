#include "specs/result/metric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "specs/format/json.hpp"
#include "specs/format/json_reader.hpp"
#include "specs/format/nearest.hpp"

namespace stackx::specs {
namespace {

constexpr std::array<Metric, 33> table{{
    {"algorithm_gbps", "GB/s", false,
     "10^9 bytes of the message a second, whatever travels for it (nccl-tests: algbw)", "GB/s", 1, 1e9, "algorithm", "algorithm bandwidth"},
    {"bytes_per_s", "B/s", false, "bytes read and written a second", "GB/s", 1e-9, 1},
    {"compile_ms", "ms", true, "what the first call of a compiled function takes longer than a later one",
     "", 0, 1e-3, "compile", "compile time"},
    {"container_start_ms", "ms", true, "from starting the container engine to the first moment inside of the container", "", 0,
     1e-3, "container_start", "time of starting the container"},
    {"cpu_ms", "ms", true, "processor time of one run, all threads", "", 0, 1e-3},
    {"elapsed_ms", "ms", true, "wall-clock time of one run", "", 0, 1e-3, "time", "time"},
    {"energy_j", "J", true, "energy of one run", "", 0, 1, "energy", "energy"},
    {"first_call_ms", "ms", true, "time of the first call after the import", "", 0, 1e-3, "first_call", "time of the first call"},
    {"first_step_ms", "ms", true, "from the start of the process to the end of its first step", "", 0, 1e-3,
     "first_step", "time to the first step"},
    {"first_token_ms", "ms", true, "from the prompt to the first token", "", 0, 1e-3, "first_token", "time to the first token"},
    {"images_per_s", "images/s", false, "images processed a second", "items/s", 1, 1},
    {"import_ms", "ms", true, "time of importing the framework", "", 0, 1e-3, "import", "import time"},
    {"interpreter_start_ms", "ms", true, "from the start of the process to its first statement", "", 0, 1e-3,
     "interpreter", "time of starting the interpreter"},
    {"items_per_s", "items/s", false, "items processed a second", "items/s", 1, 1},
    {"kv_cache_bytes", "B", true, "keys and values that are kept for the context", "", 0, 1, "kv_cache", "KV cache"},
    {"latency_ms", "ms", true, "time to one answer", "", 0, 1e-3, "latency", "latency"},
    {"max_relative_error", "1", true, "largest relative error of the result against its reference", "", 0, 1, "error", "error"},
    {"max_ulps", "ulp", true, "largest error of the result in units in the last place of its type", "", 0, 1, "ulps", "error in ulps"},
    {"minutes_to_train", "min", true, "time of a training to the stated quality", "", 0, 60},
    {"peak_device_memory_bytes", "B", true, "most memory of the device in use at once", "", 0, 1, "device_memory", "device memory"},
    {"peak_memory_bytes", "B", true, "most memory in use at once", "", 0, 1, "memory", "memory"},
    {"peak_nvml_memory_bytes", "B", true, "most memory of the device that its processes held at once, as NVML counts", "", 0, 1,
     "nvml_memory", "device memory by NVML"},
    {"queries_per_s", "queries/s", false, "queries answered a second", "items/s", 1, 1},
    {"rate_gbps", "GB/s", false, "10^9 bytes a second", "GB/s", 1, 1e9},
    {"rate_gflops", "GFLOP/s", false, "10^9 floating-point operations a second", "GFLOP/s", 1, 1e9},
    {"rate_tflops", "TFLOP/s", false, "10^12 floating-point operations a second", "GFLOP/s", 1e3, 1e12},
    {"samples_per_s", "samples/s", false, "samples processed a second", "items/s", 1, 1},
    {"sequences_per_s", "sequences/s", false, "sequences processed a second", "items/s", 1, 1},
    {"steps_per_s", "steps/s", false, "training steps a second", "items/s", 1, 1},
    {"streams", "streams", false, "streams served within the latency bound", "", 0, 1},
    {"token_ms", "ms", true, "time of each token after the first", "", 0, 1e-3, "token", "time of a token"},
    {"tokens_per_s", "tokens/s", false, "tokens processed a second", "items/s", 1, 1},
    {"words_per_s", "words/s", false, "words processed a second", "items/s", 1, 1},
}};
static_assert(std::ranges::is_sorted(table, {}, &Metric::name));
constexpr double least_value = 1e-12, most_value = 1e30;  // in base units

// Numbers among the parameters: 0 if absent, NaN if not a number that counts something.
class Parameters {
 public:
  explicit Parameters(const Workload& workload) : workload_(workload) {}

  double number(const char* key, double absent = 0) const {
    const auto found = workload_.params.find(key);
    if (found == workload_.params.end()) return absent;
    const std::string& text = found->second;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool good = error == std::errc{} && end == text.data() + text.size();
    return good && std::isfinite(value) && value >= 0 ? value : std::nan("");
  }
  std::string_view text(const char* key) const {
    const auto found = workload_.params.find(key);
    return found == workload_.params.end() ? std::string_view() : found->second;
  }

 private:
  const Workload& workload_;
};

double matmul_flop(const Parameters& of) {
  const double each = of.text("dtype").starts_with("complex") ? 8 : 2;
  return each * of.number("m") * of.number("n") * of.number("k") * of.number("batch", 1);
}

double outputs(const Parameters& of, const std::string& side) {
  const double size = of.number(side == "w" ? "w" : "h");
  const double filter = of.number(("filter_" + side).c_str());
  const double stride = of.number(("stride_" + side).c_str(), 1);
  if (!(stride > 0)) return 0;
  return std::floor((size + 2 * of.number(("pad_" + side).c_str()) - filter) / stride) + 1;
}

double conv2d_flop(const Parameters& of) {
  return 2 * of.number("n") * of.number("k") * of.number("c") * of.number("filter_w") *
         of.number("filter_h") * std::max(outputs(of, "w"), 0.0) * std::max(outputs(of, "h"), 0.0);
}

}  // namespace

std::span<const Metric> metrics() { return table; }

const Metric* find_metric(std::string_view name) {
  const auto found = std::ranges::lower_bound(table, name, {}, &Metric::name);
  return found != table.end() && found->name == name ? &*found : nullptr;
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const Metric& metric : table) names.emplace_back(metric.name);
  return names;
}

std::string value_error(const Metric& metric, double value) {
  if (!std::isfinite(value) || value <= 0)
    return fmt::format("expected a positive number of {} ({}), found {}", metric.unit, metric.name, value);
  const double base = value * metric.to_base;
  if (base >= least_value && base <= most_value) return "";
  return fmt::format("expected between {:.4g} and {:.4g} {} ({}), found {}: no machine is like that; correct it",
                     least_value / metric.to_base, most_value / metric.to_base, metric.unit, metric.name, value);
}

std::map<std::string, double> metrics_from(const Node& node) {
  std::map<std::string, double> result;
  for (const auto& [name, value] : node.members()) {
    const Metric* metric = find_metric(name);
    if (metric == nullptr) value.fail(fmt::format("unknown metric \"{}\"{}", name, suggestion(name, metric_names())));
    if (const auto error = value_error(*metric, value.number()); !error.empty()) value.fail(error);
    result[name] = value.number();
  }
  return result;
}

std::optional<double> flop_of(const Workload& workload) {
  const Parameters of(workload);
  const double flop = workload.pi == "matmul"   ? matmul_flop(of)
                      : workload.pi == "conv2d" ? conv2d_flop(of)
                                                : 0;
  if (!std::isfinite(flop) || flop <= 0) return std::nullopt;
  return flop;
}

std::optional<Rate> rate_of(const Metric& metric, double value, const Workload& workload) {
  if (!metric.rate_unit.empty()) return Rate{value * metric.to_rate, std::string(metric.rate_unit)};
  const auto flop = metric.name == "elapsed_ms" ? flop_of(workload) : std::nullopt;
  if (!flop || !(value > 0)) return std::nullopt;
  return Rate{*flop / (value * 1e6), "GFLOP/s"};
}

std::string rate_error(const Metric& metric, double value, const Workload& workload) {
  if (!metric.rate_unit.empty()) return "";  // the value itself is one
  const auto rate = rate_of(metric, value, workload);
  if (!rate || rate->value <= most_value / 1e9) return "";  // GFLOP/s
  return fmt::format("{} {} of {} would be {} {}: no machine is like that; correct the value or the parameters", value,
                     metric.unit, workload.text(), rate->value, rate->unit);
}

}  // namespace stackx::specs
