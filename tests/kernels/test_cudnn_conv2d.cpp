// conv2d through look-alikes of cuDNN 7, 8 and 9 on a driver and runtime that the tests made: right
// in every dtype, layout and kind of padding, and wrong builds found out.
#include <catch2/catch.hpp>

#include "tests/kernels/run_pi.hpp"

using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

const std::string kFakes = STACKX_FAKES "/gpu";

PiResult convolve(const std::string& library, std::vector<std::string> words,
                  std::vector<std::string> environment = {}) {
  const std::string machine = kFakes + "/right";
  std::vector<std::string> arguments{"conv2d",        "--library",       library,
                                     "--with",        machine + "/libcudart.so.12",
                                     "batch=2",       "height=9",        "width=8",
                                     "out_channels=6", "repetitions=3",  "min_sample_ms=0",
                                     "warmup_ms=0"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  environment.push_back("LD_LIBRARY_PATH=" + machine);
  return run_pi(arguments, environment);
}

std::string cudnn(int major, const std::string& variant = "cudnn") {
  return kFakes + "/" + variant + "/libcudnn.so." + std::to_string(major);
}

bool passes(const json& document) {
  return document.at("check").at("pass").get<bool>() && document.at("samples_ns").size() == 3;
}

}  // namespace

TEST_CASE("cuDNN 7, 8 and 9 convolve in every dtype, layout and padding", "[gpu][cudnn]") {
  const int major = GENERATE(7, 8, 9);
  const std::string dtype = GENERATE("float32", "float64", "float16", "tf32"),
                    layout = GENERATE("channels_last", "channels_first");
  // Same with stride 2 on 9 x 8: symmetric in one dimension, one zero more at the end in the other.
  const std::vector<std::string> shape =
      GENERATE(std::vector<std::string>{"padding=same", "stride=2"},
               std::vector<std::string>{"kernel_h=2", "kernel_w=3", "stride=3"});
  std::vector<std::string> words{"in_channels=5", "dtype=" + dtype, "layout=" + layout};
  words.insert(words.end(), shape.begin(), shape.end());
  const PiResult result = convolve(cudnn(major), words);
  INFO(major << " " << dtype << " " << layout << " " << shape[0] << result.out << result.err);
  REQUIRE(result.status == 0);
  const json document = result.json();
  if (dtype == "tf32" && major == 7) {
    CHECK_THAT(document.at("unsupported").get<std::string>(), Contains("takes cuDNN 8"));
    return;
  }
  CHECK(passes(document));
  CHECK(document.at("component") == "cudnn");
  CHECK(document.at("loaded").at("cudnn") == (major == 7   ? "7.6.5"
                                              : major == 8 ? "8.9.7"
                                                           : "9.10.2"));
  // Winograd comes first, is faster and errs more; the next two do not run.
  CHECK(document.at("library").at("algorithm") == "implicit precomputed GEMM");
  // 9 x 8 with stride 2 has 5 x 4 positions; of 2 x 3 taps with stride 3, 3 x 2.
  const double sums = shape[0] == "padding=same" ? 5 * 4 * 9 : 3 * 2 * 6;
  CHECK(document.at("work").at("flop").get<double>() ==
        2.0 * 2 * sums * 6 * 5 * document.at("parameters").at("mini_batch").get<double>());
}

TEST_CASE("what cuDNN takes is said", "[gpu][cudnn]") {
  const auto algorithm = [](std::vector<std::string> words) {
    words.push_back("in_channels=5");
    const json document = convolve(cudnn(9), words).json();
    CHECK(passes(document));
    return document.at("library").at("algorithm").get<std::string>();
  };
  CHECK(algorithm({"search=1"}) == "GEMM");
  CHECK(algorithm({"algorithms=all"}) == "Winograd");
  CHECK(algorithm({"workspace_mib=0"}) == "implicit GEMM");
  CHECK(algorithm({"workspace_mib=0", "search=1"}) == "implicit GEMM");
  CHECK(convolve(cudnn(9), {"in_channels=5"}).json().at("library").at("math") == "FMA");
  CHECK(convolve(cudnn(7), {"in_channels=5"}).json().at("library").at("math") == "default");
}

TEST_CASE("what cannot be convolved is refused with the reason", "[gpu][cudnn]") {
  const auto reason = [](const PiResult& result) {
    INFO(result.out << result.err);
    REQUIRE(result.status == 0);
    return result.json().at("unsupported").get<std::string>();
  };
  CHECK_THAT(reason(convolve(cudnn(9, "cudnn_fast_only"), {})), Contains("none of the 1 algorithms"));
  CHECK_THAT(reason(convolve(cudnn(9), {}, {"FAKE_CUDA_DRIVER=11080", "FAKE_CUDART_VERSION=11080"})),
             Contains("cuDNN 9.10.2: the driver is too old"));
  const PiResult bias = convolve(cudnn(9), {"bias=1"});
  CHECK(bias.status == 2);
  CHECK_THAT(bias.err, Contains("bias=0"));
  CHECK(convolve(cudnn(9), {"threads=2"}).status == 2);
}

TEST_CASE("a cuDNN that convolves wrongly is found out", "[gpu][cudnn]") {
  const std::string fault =
      GENERATE("cudnn_flipped", "cudnn_stride", "cudnn_padding", "cudnn_short", "cudnn_stale",
               "cudnn_half_sums", "cudnn_layout", "cudnn_tf32");
  std::vector<std::string> words{"in_channels=128", "stride=2", "padding=same"};
  if (fault == "cudnn_half_sums") words.push_back("dtype=float16");
  const PiResult result = convolve(cudnn(9, fault), words);
  INFO(fault << result.out << result.err);
  REQUIRE(result.status == 0);
  const json document = result.json();
  CHECK_FALSE(document.at("check").at("pass").get<bool>());
  CHECK(document.at("samples_ns").empty());
}
