#include "specs/thoth/pi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "specs/format/text_file.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs {
namespace {

using Environment = std::map<std::string, std::string>;
using Result = std::expected<ThothPi, std::string>;

// Thrown on the way out, caught in thoth_pi().
struct NotOurs {
  std::string reason;
};

class Parameters {
 public:
  explicit Parameters(const Environment& environment) : environment_(environment) {}

  std::string text(const char* variable, const std::string& usual) const {
    const auto found = environment_.find(variable);
    return found == environment_.end() ? usual : std::string(trim(found->second).text);
  }
  // A positive whole number.
  std::string number(const char* variable, const std::string& usual) const {
    const auto value = text(variable, usual);
    const bool good = !value.empty() && value.size() < 10 && value[0] != '0' &&
                      value.find_first_not_of("0123456789") == value.npos;
    if (!good)
      throw NotOurs{
          fmt::format("{}={}: expected a whole number above 0", variable, in_quotes(value))};
    return value;
  }
  std::string one_of(const char* variable, const std::string& usual,
                     const Environment& known) const {
    const auto value = text(variable, usual);
    if (const auto found = known.find(value); found != known.end()) return found->second;
    throw NotOurs{fmt::format("{}={}: our PI has no such value", variable, in_quotes(value))};
  }
  bool has(const char* variable) const { return environment_.contains(variable); }

 private:
  const Environment& environment_;
};

const Environment dtypes{{"float16", "float16"},
                         {"half", "float16"},
                         {"bfloat16", "bfloat16"},
                         {"float32", "float32"},
                         {"float64", "float64"}};
const Environment devices{{"cpu", "cpu"}, {"gpu", "gpu"}};

void add_plan(const Parameters& given, const char* device, const char* repetitions, Workload& to) {
  const auto where = given.one_of(device, "cpu", devices);
  if (where != "cpu") to.params["device"] = where;  // the PIs' own default
  if (given.has(repetitions)) to.params["repetitions"] = given.number(repetitions, "");
}

Workload matmul(const Parameters& given, bool torch) {
  const auto size = given.number("MATMUL_MATRIX_SIZE", torch ? "64" : "512");
  Workload result{"matmul", {{"m", size}, {"n", size}, {"k", size}}};
  result.params["dtype"] = given.one_of("MATMUL_DTYPE", "float32", dtypes);
  add_plan(given, "MATMUL_DEVICE", "MATMUL_REPS", result);
  return result;
}

// PyTorch's scripts pad by a number of zeros, ours by a rule.
std::string padding(const Parameters& given, bool torch) {
  if (!torch) return given.one_of("FILTER_PADDING", "SAME", {{"SAME", "same"}, {"VALID", "valid"}});
  const auto zeros = given.text("FILTER_PADDING", "1");
  if (zeros == "0") return "valid";
  throw NotOurs{fmt::format("FILTER_PADDING={}: our PI pads by \"same\" or \"valid\" alone",
                            in_quotes(zeros))};
}

Workload convolution(const Parameters& given, bool torch, bool flat) {
  Workload result{flat ? "conv1d" : "conv2d", {}};
  auto& to = result.params;
  const std::string channels = given.number("TENSOR_INPUT_CHANNELS", flat ? "5" : "1");
  to["batch"] = given.number("BATCH", "4");
  to["in_channels"] = channels;
  to["out_channels"] = given.number("FILTER_OUTPUT_CHANNELS", "32");
  if (given.number("FILTER_INPUT_CHANNELS", channels) != channels)
    throw NotOurs{
        "FILTER_INPUT_CHANNELS differs from TENSOR_INPUT_CHANNELS: a grouped convolution"};
  if (flat) {
    to["length"] = given.number("TENSOR_INPUT_WIDTH", "161");
    to["kernel"] = given.number("FILTER_INPUT_WIDTH", "5");
    to["stride"] = given.number("FILTER_STRIDE", "2");
    to["layout"] = given.one_of("CONV_DATA_FORMAT", torch ? "NCW" : "NWC",
                                {{"NWC", "channels_last"}, {"NCW", "channels_first"}});
  } else {
    to["height"] = given.number("TENSOR_INPUT_HEIGHT", "700");
    to["width"] = given.number("TENSOR_INPUT_WIDTH", "161");
    to["kernel_h"] = given.number("FILTER_INPUT_HEIGHT", "20");
    to["kernel_w"] = given.number("FILTER_INPUT_WIDTH", "5");
    to["stride"] = given.number("FILTER_STRIDES", "2");
    to["layout"] = given.one_of("CONV_DATA_FORMAT", torch ? "NCHW" : "NHWC",
                                {{"NHWC", "channels_last"}, {"NCHW", "channels_first"}});
  }
  to["padding"] = padding(given, torch);
  to["dtype"] = given.one_of(torch ? "MATMUL_DTYPE" : "TENSOR_DTYPE", "float32", dtypes);
  add_plan(given, "CONV2D_DEVICE", "CONV_REPS", result);
  return result;
}

// The last two parts of the path, where it is one of the repository "performance": "tensorflow/matmul.py".
std::string script_name(std::string url) {
  url = url.substr(0, url.find_first_of("?#"));
  std::vector<std::string> parts;
  for (const auto& part : std::filesystem::path(url)) parts.push_back(part.string());
  if (parts.size() < 4 || std::ranges::find(parts, "performance") == parts.end()) return "";
  return parts[parts.size() - 2] + "/" + parts.back();
}

Workload workload_of(const std::string& script, const Parameters& given, bool torch) {
  if (script == "matmul.py") return matmul(given, torch);
  if (script == "conv1d.py") return convolution(given, torch, true);
  if (script == "conv2d.py") return convolution(given, torch, false);
  if (script == "import.py") return {"import", {}};
  if (script == "hello_world.py") return {"hello_world", {}};
  throw NotOurs{"our PIs are matmul, conv1d, conv2d, import and hello_world"};
}

}  // namespace

Result thoth_pi(const std::string& url, const Environment& environment) {
  const auto name = script_name(url);
  const bool torch = name.starts_with("pytorch/");
  if (!torch && !name.starts_with("tensorflow/"))
    return std::unexpected(
        "it is none of thoth-station/performance (tensorflow/*.py, pytorch/*.py)");
  try {
    return ThothPi{workload_of(name.substr(name.find('/') + 1), Parameters(environment), torch),
                   torch ? "torch" : "tensorflow"};
  } catch (const NotOurs& error) {
    return std::unexpected(error.reason);
  }
}

}  // namespace stackx::specs
