// transformer_ops through look-alikes of cuBLAS and cuDNN, on a driver and runtime that the tests made.
#include <catch2/catch.hpp>

#include "tests/kernels/run_pi.hpp"

using Catch::Matchers::Contains;
using nlohmann::json;
using Words = std::vector<std::string>;

namespace {

const std::string kMachine = STACKX_FAKES "/gpu/right";

std::string cudnn(const std::string& variant = "cudnn", int major = 9) {
  return STACKX_FAKES "/gpu/" + variant + "/libcudnn.so." + std::to_string(major);
}

PiResult layer(const std::string& cublas, const std::string& cudnn, const Words& words, Words environment = {}) {
  Words arguments{"transformer_ops", "--library", STACKX_FAKES "/" + cublas + "/libcublas.so", "--with",
                  kMachine + "/libcudart.so.12", "model=tiny", "repetitions=3", "min_sample_ms=0", "warmup_ms=0"};
  if (!cudnn.empty()) arguments.insert(arguments.end(), {"--with", cudnn});
  arguments.insert(arguments.end(), words.begin(), words.end());
  environment.push_back("LD_LIBRARY_PATH=" + kMachine);
  return run_pi(arguments, environment);
}

const Words kPrefill{"batch=2", "context=5"}, kDecode{"phase=decode", "batch=3", "context=7", "head=1"};

Words in_bfloat16(Words words) {
  words.push_back("dtype=bfloat16");
  return words;
}

}  // namespace

TEST_CASE("cuBLAS with cuDNN computes a layer in every type, and tells each operation", "[gpu][layer]") {
  const std::string cublas = GENERATE("cuda10", "cuda11", "cuda12");
  const std::string dtype = GENERATE("float32", "tf32", "float16", "bfloat16");
  const bool decodes = GENERATE(false, true);
  Words words = decodes ? kDecode : kPrefill;
  words.push_back("dtype=" + dtype);
  const PiResult result = layer(cublas, cudnn("cudnn", cublas == "cuda10" ? 7 : 9), words);
  INFO(cublas << " " << dtype << " " << decodes << result.out << result.err);
  REQUIRE(result.status == 0);
  const json document = result.json();
  if (cublas == "cuda10" && (dtype == "tf32" || dtype == "bfloat16")) {
    CHECK_THAT(document["unsupported"].get<std::string>(), Contains(dtype + " needs cuBLAS 11.0.0"));
    return;
  }
  CHECK(document["check"]["pass"] == true);
  CHECK(document["samples_ns"].size() == 3);
  CHECK(document["component"] == "cublas");
  CHECK(document["loaded"]["cudnn"] == (cublas == "cuda10" ? "7.6.5" : "9.10.2"));
  CHECK_THAT(document["library"]["core"].get<std::string>(),
             Contains("cublasGemmStridedBatchedEx") && Contains("cudnnSoftmaxForward"));
  CHECK(document["layer"]["flop"] == (decodes ? 67584 : 160000));
  CHECK(document["layer"]["operations"].size() == 11);  // a mask, or a head
  CHECK(document["layer"]["operations"][4]["name"] == (decodes ? "softmax" : "mask"));
}

TEST_CASE("a cuBLAS or cuDNN that is wrong in one operation is found out", "[gpu][layer]") {
  const auto [cublas, dnn, words, where] = GENERATE(table<std::string, std::string, Words, std::string>({
      {"cublas_transposed", "cudnn", kPrefill, "q: "},
      {"cublas_beta", "cudnn", kDecode, "q: "},
      {"cublas_stale", "cudnn", kPrefill, "q: "},
      {"cublas_short", "cudnn", kDecode, "q: "},
      {"cublas_tf32", "cudnn", kPrefill, "q: "},
      {"cublas_first_factor", "cudnn", kPrefill, "attention: "},  // keys of other heads
      {"cublas_first_factor", "cudnn", kDecode, "attention: "},
      {"cublas_no_factor", "cudnn", kPrefill, "attention: "},
      {"cuda12", "cudnn_softmax_axis", kPrefill, "attention: "},
      {"cuda12", "cudnn_softmax_axis", kDecode, "attention: "},
      {"cuda12", "cudnn_added_once", kPrefill, "attention: "},  // a mask for the first heads alone
      {"cublas_transposed", "cudnn", in_bfloat16(kPrefill), "q: "},
      {"cublas_first_factor", "cudnn", in_bfloat16(kDecode), "attention: "},
      {"cublas_no_factor", "cudnn", in_bfloat16(kPrefill), "attention: "},
      {"cuda12", "cudnn_softmax_axis", in_bfloat16(kDecode), "attention: "},
      {"cuda12", "cudnn_added_once", in_bfloat16(kPrefill), "attention: "},
  }));
  const PiResult result = layer(cublas, cudnn(dnn), words);
  INFO(cublas << " " << dnn << result.out << result.err);
  REQUIRE(result.status == 0);
  const json document = result.json();
  CHECK(document["check"]["pass"] == false);
  CHECK_THAT(document["check"]["detail"].get<std::string>(), Catch::Matchers::StartsWith(where));
  CHECK(document["samples_ns"].empty());
}

TEST_CASE("what a layer on a GPU lacks is said", "[gpu][layer]") {
  const auto reason = [](const PiResult& result) {
    INFO(result.out << result.err);
    REQUIRE(result.status == 0);
    return result.json().at("unsupported").get<std::string>();
  };
  // No cuDNN at all cannot be tested where the dynamic linker knows one; a file that is none can.
  const auto file = std::filesystem::temp_directory_path() / ("stackx-layer-" + std::to_string(getpid())) / "libcudnn.so.9";
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << "no library";
  CHECK_THAT(reason(layer("cuda12", file.string(), {})), Contains("the softmax of the attention takes cuDNN: " + file.string()));
  std::filesystem::remove_all(file.parent_path());
  CHECK_THAT(reason(layer("cuda12", cudnn("cudnn", 7), {"dtype=bfloat16"})), Contains("cudnnSetTensor4dDescriptor"));
  CHECK(layer("cuda12", cudnn(), {"threads=2"}).status == 2);
}
