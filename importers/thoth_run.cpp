#include "importers/thoth_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "importers/collector.hpp"
#include "importers/literal.hpp"
#include "importers/words.hpp"
#include "specs/thoth/pi.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::importers {
namespace {

using specs::Json;
using specs::Node;

std::string text_of(const Node& object, std::string_view key) {
  if (!object.json().is_object()) return "";
  const auto node = object.find(key);
  return node && !node->json().is_structured() ? node->scalar() : "";
}

std::optional<Node> child(const std::optional<Node>& object, std::string_view key) {
  if (!object || !object->json().is_object()) return std::nullopt;
  return object->find(key);
}

// What the PI printed: an object, a text that is one, or a text that ends in one.
Json printed(const Node& document) {
  const auto stdout_node = document.find("stdout");
  if (!stdout_node) return nullptr;
  if (!stdout_node->json().is_string()) return stdout_node->json();
  const auto words = stdout_node->text();
  if (auto whole = parse_literal(words)) return *whole;
  const auto brace = words.find('{');
  if (brace == words.npos) return nullptr;
  return parse_literal(std::string_view(words).substr(brace)).value_or(nullptr);
}

const Json& member(const Json& object, const char* key) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

std::string word(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_number() ? value.dump() : "";
}

// PyPI's name of what the PI measured.
std::string framework_of(const Json& out) {
  auto name = word(member(out, "component"));
  if (name.empty()) name = word(member(out, "framework"));
  if (name.empty()) name = word(member(member(out, "@parameters"), "framework"));
  name = specs::lowered(name);
  return name == "pytorch" ? "torch" : name;
}

// "PiMatmul" -> "matmul"; import and hello_world by their script, where nothing was printed of them.
std::string pi_of(const Json& out, const std::string& script) {
  auto name = word(member(out, "name"));
  if (name.empty()) name = word(member(member(out, "@parameters"), "name"));
  name = specs::lowered(name);
  if (name.starts_with("pi") && name.size() > 2) name = name.substr(2);
  if (name == "helloworld") name = "hello_world";
  if (!name.empty()) return name;
  const auto parts = path_parts(script);
  const auto file = parts.empty() ? "" : parts.back();
  return file.ends_with(".py") ? file.substr(0, file.size() - 3) : "";
}

// The parameters as the scripts' environment variables (specs/thoth/pi.hpp).
std::map<std::string, std::string> variables(const Json& parameters) {
  std::map<std::string, std::string> result;
  for (const auto& [key, variable] : std::initializer_list<std::pair<const char*, const char*>>{
           {"matrix_size", "MATMUL_MATRIX_SIZE"},
           {"dtype", "MATMUL_DTYPE"},
           {"dtype", "TENSOR_DTYPE"},
           {"device", "MATMUL_DEVICE"},
           {"device", "CONV2D_DEVICE"},
           {"batch", "BATCH"},
           {"data_format", "CONV_DATA_FORMAT"},
           {"input_channels", "TENSOR_INPUT_CHANNELS"},
           {"input_channels", "FILTER_INPUT_CHANNELS"},
           {"input_height", "TENSOR_INPUT_HEIGHT"},
           {"input_width", "TENSOR_INPUT_WIDTH"},
           {"output_channels", "FILTER_OUTPUT_CHANNELS"},
           {"filter_height", "FILTER_INPUT_HEIGHT"},
           {"filter_width", "FILTER_INPUT_WIDTH"},
           {"padding", "FILTER_PADDING"},
           {"strides", "FILTER_STRIDES"},
           {"stride", "FILTER_STRIDE"},
           {"strides", "FILTER_STRIDE"},
           {"stride", "FILTER_STRIDES"}})
    if (const auto value = word(member(parameters, key)); !value.empty())
      result.emplace(variable, value);
  return result;
}

specs::Workload workload_of(const std::string& pi, const std::string& framework,
                            const Json& parameters) {
  const auto url = fmt::format("https://example.org/performance/{}/{}.py",
                               framework == "torch" ? "pytorch" : "tensorflow", pi);
  // A parameter that is not stated must not become the script's default: that differs by version.
  const bool sized = pi != "matmul" || parameters.contains("matrix_size");
  if (sized && pi.find('/') == pi.npos)
    if (auto ours = specs::thoth_pi(url, variables(parameters))) return ours->workload;
  specs::Workload own{name_of("thoth-" + pi), {}};
  for (const auto& [key, value] : parameters.items())
    if (!word(value).empty() && key != "reps" && key != "mini_batch")
      own.params[name_of(key)] = value_of(word(value));
  return own;
}

std::optional<double> number(const Json& value) {
  if (value.is_number()) return value.get<double>();
  return value.is_string() ? number_of(value.get<std::string>()) : std::nullopt;
}

// "# Version: 2.2.0, path: [...]"
std::string printed_version(const std::string& words) {
  constexpr std::string_view mark = "# Version: ";
  const auto at = words.find(mark);
  if (at == words.npos) return "";
  const auto begin = at + mark.size();
  const auto end = std::min(words.find_first_of(", \r\n", begin), words.size());
  return words.substr(begin, std::min<std::size_t>(end - begin, 64));
}

void read_place(ThothRun& run, const Node& document, const std::optional<Node>& beside) {
  auto hwinfo = document.find("hwinfo");
  if (!hwinfo || !hwinfo->json().is_object() || hwinfo->json().empty()) hwinfo = beside;
  const auto cpu = child(hwinfo, "cpu_info");
  if (cpu)
    for (const char* key : {"brand_raw", "brand", "model_name"})
      if (run.cpu.empty()) run.cpu = text_of(*cpu, key);
  const auto runtime = document.find("runtime_environment");
  if (runtime) {
    run.python = text_of(*runtime, "python_version");
    run.cuda = text_of(*runtime, "cuda_version");
    if (const auto os = child(runtime, "operating_system"))
      run.os = text_of(*os, "name") + (text_of(*os, "version").empty() ? "" : " " + text_of(*os, "version"));
  }
  for (const char* key : {"start_datetime", "datetime", "end_datetime"})
    if (run.date.empty()) run.date = text_of(document, key);
  run.host = text_of(document, "hostname");
}

// Of matmul: both rates, for what they are.
void keep_rates(ThothRun& run, const Json& parameters, const Json& result, double elapsed_ms,
                double mini_batch) {
  if (const auto stated = number(member(result, "rate")))
    run.details["rate_stated_gflops"] = fmt::format("{}", *stated);
  const auto size = number(member(parameters, "matrix_size"));
  if (run.workload.pi != "matmul" || !size || !(*size >= 1 && *size < 1e7)) return;
  const double flop = 2 * *size * *size * *size * mini_batch;
  run.details["rate_gflops"] = fmt::format("{}", flop / elapsed_ms / 1e6);
}

}  // namespace

ThothRun read_thoth_run(const Node& document, const std::optional<Node>& hwinfo,
                        const std::string& script) {
  ThothRun run;
  read_place(run, document, hwinfo);
  const auto code = document.find("exit_code");
  if (code && code->scalar() != "0") {
    run.failure = fmt::format("exit code {}", one_line(code->scalar(), 20));
    return run;
  }
  const Json out = printed(document);
  const Json& result = member(out, "@result");
  const auto elapsed = number(member(result, "elapsed"));
  if (!elapsed || !(*elapsed > 0)) {
    run.failure = out.is_object() && out.empty() ? "stdout is {}: nothing was measured"
                                                 : "stdout has no @result with a positive elapsed";
    return run;
  }
  run.framework = framework_of(out);
  const auto pi = pi_of(out, script);
  const Json parameters =
      member(out, "@parameters").is_object() ? member(out, "@parameters") : Json::object();
  if (pi.empty()) {
    run.failure = "neither stdout nor the specification says which PI ran";
    return run;
  }
  if (pi.starts_with("matmul") && run.date >= "2019-05-10" && run.date < "2019-07-20") {
    run.failure = "in these weeks of 2019 elapsed was the sum of all repetitions";
    return run;
  }
  run.workload = workload_of(pi, run.framework, parameters);
  const bool seconds = pi == "import" || pi == "hello_world";
  const double elapsed_ms = *elapsed * (seconds ? 1e3 : 1);
  const auto stated = number(member(parameters, "mini_batch"));
  const double mini_batch = stated && *stated >= 1 && *stated < 1e12 ? *stated : 1;
  run.elapsed_ms = elapsed_ms / mini_batch;
  if (stated) run.details["mini_batch"] = fmt::format("{}", mini_batch);
  run.details["elapsed_stated"] = fmt::format("{} {}", *elapsed, seconds ? "s" : "ms");
  if (const auto repetitions = number(member(parameters, "reps")))
    run.details["repetitions"] = fmt::format("{}", *repetitions);
  keep_rates(run, parameters, result, elapsed_ms, mini_batch);
  const auto words = document.find("stderr");
  if (words && words->json().is_string()) run.framework_version = printed_version(words->text());
  return run;
}

}  // namespace stackx::importers
