#include "analysis/published/configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>

namespace stackx::analysis {
namespace {

constexpr double other_vendor = 3, other_architecture = 0.15, other_capability = 0.15;
constexpr double other_library = 1, a_version = 0.3, other_release = 0.05;
constexpr double other_dtype = 1, other_multiply = 2, other_word = 1;
constexpr double other_caller = 0.3, other_result = 0.05;

std::string_view member_text(const std::map<std::string, std::string>& of, const char* key) {
  const auto found = of.find(key);
  return found == of.end() ? std::string_view() : found->second;
}

double number_or(std::string_view text, double absent) {
  double value = absent;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// "10.1.243" is 10.1, "8" is 8.
double version_number(std::string_view version) {
  const auto dot = version.find('.');
  const double major = number_or(version.substr(0, dot), 0);
  if (dot == version.npos) return major;
  const std::string_view rest = version.substr(dot + 1);
  return major + number_or(rest.substr(0, rest.find('.')), 0) / 10;
}

struct Sizes {
  std::string_view pi;
  std::array<const char*, 9> sizes;
  std::array<const char*, 2> words;
};
constexpr std::array<Sizes, 3> known{{
    {"matmul", {"m", "n", "k", "batch"}, {"ta", "tb"}},
    {"conv2d", {"w", "h", "c", "n", "k", "filter_w", "filter_h", "stride_w", "stride_h"}, {"pass"}},
    {"rnn", {"hidden", "batch", "timesteps"}, {"cell", "pass"}},
}};

}  // namespace

Library library_from(const specs::Stack& stack) {
  // The libraries of CUDA carry its version closely enough where CUDA itself is not stated.
  static constexpr std::array<std::pair<const char*, const char*>, 5> names{{{"cuda", "cuda"},
                                                                             {"rocm", "rocm"},
                                                                             {"cublas", "cuda"},
                                                                             {"clblas", "clblas"},
                                                                             {"rocblas", "rocm"}}};
  Library library;
  for (const auto& [component, name] : names) {
    const std::string_view version = member_text(stack.components, component);
    if (version.empty()) continue;
    library.name = name;
    library.version = version_number(version);
    const double major = std::floor(library.version);
    library.text = fmt::format("{} {}.{}", name, major, std::round((library.version - major) * 10));
    break;
  }
  library.release = member_text(stack.components, "cudnn");
  if (library.release.empty()) library.release = member_text(stack.components, "miopen");
  return library;
}

std::string caller_from(const specs::Stack& stack) {
  // Who serves models calls a framework that its stack may name, too, in its own way.
  for (const char* name : {"vllm", "sglang", "tensorrt-llm", "torch", "jax", "tensorflow", "mxnet", "cupy"})
    if (stack.components.contains(name)) return name;
  return stack.components.contains("pytorch") ? "torch" : "";
}

std::string usual_result(std::string_view dtype) {  // kernels/dtype.hpp
  if (dtype == "bfloat16" || dtype == "tf32") return "float32";
  if (dtype == "int8") return "int32";
  return std::string(dtype == "fp8" || dtype == "float8_e4m3" ? "bfloat16" : dtype);
}

std::string result_from(const specs::Workload& workload, const specs::Stack& stack) {
  if (workload.pi != "matmul") return "";
  const std::string_view dtype = member_text(workload.params, "dtype"), asked = member_text(workload.params, "result");
  const bool by_framework = !caller_from(stack).empty() && (dtype.starts_with("float") || dtype == "bfloat16") && dtype != "float8_e4m3";
  if (asked == "same" || (by_framework && (asked.empty() || asked == "usual")))
    return std::string(dtype == "tf32" ? "float32" : dtype);  // a way to multiply float32
  return asked == "usual" ? usual_result(dtype) : std::string(asked);
}

std::string result_of(const specs::Published& result) {
  const auto told = result.details.find("result");
  return told == result.details.end() ? result_from(result.workload, result.stack) : told->second;
}

std::string family_of(const specs::Accelerator& accelerator) {
  const std::string_view name = accelerator.name;
  std::string family;
  for (std::size_t at = 0; at < name.size();) {
    const std::string_view word = name.substr(at, name.find('-', at) - at);
    at += word.size() + 1;
    const bool form = word == "pcie" || word == "nvl" || word == "oam" || word == "fhhl" ||
                      word.starts_with("sxm");
    const bool memory = word.ends_with("gb") && word.find_first_not_of("0123456789gb") == word.npos;
    if (form || memory) continue;
    if (!family.empty()) family += '-';
    family += word;
  }
  return family;
}

Configuration configuration_from(const specs::Workload& workload,
                                 const specs::Accelerator& accelerator, const specs::Stack& stack,
                                 const std::string& result_type) {
  Configuration result;
  result.accelerator = &accelerator;
  result.library = library_from(stack);
  result.dtype = member_text(workload.params, "dtype");
  result.multiply = member_text(workload.params, "mul");
  if (result.multiply.empty()) result.multiply = result.dtype;
  result.caller = caller_from(stack);
  result.result = result_type.empty() ? result_from(workload, stack) : result_type;
  if (const auto peak = specs::peak_of(accelerator, workload)) result.peak = peak->rate;
  result.bandwidth = accelerator.bandwidth_gb_s.value_or(0);
  return result;
}

double hardware_distance(const Configuration& a, const Configuration& b) {
  const double rates = std::hypot(std::log(a.peak / b.peak), std::log(a.bandwidth / b.bandwidth));
  const specs::Accelerator &one = *a.accelerator, &two = *b.accelerator;
  if (one.vendor != two.vendor) return rates + other_vendor;
  return rates + (one.architecture != two.architecture ? other_architecture : 0) +
         (one.compute_capability != two.compute_capability ? other_capability : 0);
}

double distance(const Configuration& a, const Configuration& b) {
  double result = hardware_distance(a, b);
  const Library &one = a.library, &two = b.library;
  if (!one.name.empty() && !two.name.empty()) {  // else nothing says that they differ
    result += one.name != two.name ? other_library
                                   : a_version * std::min(1.0, std::abs(one.version - two.version));
    if (one.release != two.release) result += other_release;
  }
  if (a.dtype != b.dtype) result += other_dtype;
  if (a.multiply != b.multiply) result += other_multiply;
  return result;
}

double call_distance(const Configuration& a, const Configuration& b) {
  const bool results_differ = !a.result.empty() && !b.result.empty() && a.result != b.result;
  return (a.caller != b.caller ? other_caller : 0) + (results_differ ? other_result : 0);
}

Shape shape_from(const specs::Workload& workload) {
  Shape shape;
  for (const Sizes& sizes : known) {
    if (sizes.pi != workload.pi) continue;
    for (const char* key : sizes.sizes)
      if (key != nullptr)
        shape.logs.push_back(std::log(std::max(1.0, number_or(member_text(workload.params, key), 1))));
    for (const char* key : sizes.words)
      if (key != nullptr) shape.words.emplace_back(member_text(workload.params, key));
  }
  // Not transposed unless it says so; forwards unless it says so.
  for (std::string& word : shape.words)
    if (word == "N" || word == "fwd") word.clear();
  return shape;
}

double distance(const Shape& a, const Shape& b) {
  double squares = 0, result = 0;
  for (std::size_t i = 0; i < a.logs.size(); ++i)
    squares += (a.logs[i] - b.logs[i]) * (a.logs[i] - b.logs[i]);
  for (std::size_t i = 0; i < a.words.size(); ++i)
    if (a.words[i] != b.words[i]) result += other_word;
  return result + std::sqrt(squares);
}

}  // namespace stackx::analysis
