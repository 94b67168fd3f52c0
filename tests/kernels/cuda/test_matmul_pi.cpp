// Black-box tests of `stackx-pi matmul` on a machine whose GPU, driver and libraries are fakes.
#include <catch2/catch.hpp>

#include "tests/kernels/run_pi.hpp"

using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

const std::string kGpu = std::string(STACKX_FAKES) + "/gpu/right";

std::string library(const std::string& variant, const std::string& name) {
  return std::string(STACKX_FAKES) + "/" + variant + "/lib" + name + ".so";
}

PiResult matmul(const std::string& path, std::vector<std::string> words, bool gpu = true,
                const std::vector<std::string>& environment = {}) {
  std::vector<std::string> arguments{"matmul",     "--library",         path, "--with",
                                     kGpu + "/libcudart.so.12", "m=48", "n=48", "k=64",
                                     "repetitions=3", "warmup_ms=0",    "min_sample_ms=0.01"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  std::vector<std::string> settings{"LD_LIBRARY_PATH=" + (gpu ? kGpu : std::string("/nowhere"))};
  settings.insert(settings.end(), environment.begin(), environment.end());
  return run_pi(arguments, settings);
}

}  // namespace

TEST_CASE("matmul by cuBLAS on a GPU", "[gpu_matmul_pi]") {
  const auto result = matmul(library("cuda12", "cublas"), {"dtype=float16"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  const json document = result.json();
  CHECK(document["check"]["pass"] == true);
  CHECK(document["samples_ns"].size() == 3);
  CHECK(document["component"] == "cublas");
  CHECK(document["loaded"]["cublas"] == "12.9.1");
  CHECK(document["library"]["core"] == "cublasGemmEx");
  CHECK(document.contains("gpu"));
  CHECK_FALSE(document["parameters"].contains("threads"));
  CHECK(document["work"]["flop"] ==
        2.0 * 48 * 48 * 64 * document["work"]["items"].get<double>());
}

TEST_CASE("matmul by cuBLASLt on a GPU: the search and fp8", "[gpu_matmul_pi]") {
  const json document = matmul(library("cuda12", "cublasLt"), {"dtype=fp8", "search=3"}).json();
  CHECK(document["check"]["pass"] == true);
  CHECK_THAT(document["library"]["core"].get<std::string>(), Contains("the fastest of 3"));
}

TEST_CASE("matmul on a GPU: the type of the result", "[gpu_matmul_pi]") {
  const auto told = [](const std::string& path, std::vector<std::string> words) {
    const auto result = matmul(path, std::move(words));
    INFO(result.err);
    REQUIRE(result.status == 0);
    return result.json();
  };
  const auto bytes = [](const json& document) {
    return document["work"]["bytes"].get<double>() / document["work"]["items"].get<double>();
  };
  for (const char* name : {"cublas", "cublasLt"}) {
    INFO(name);
    const json usual = told(library("cuda12", name), {"dtype=bfloat16"});
    CHECK(usual["parameters"]["result"] == "float32");
    CHECK(bytes(usual) == 2 * 2 * 48 * 64 + 4 * 48 * 48);
    for (const char* word : {"result=same", "result=bfloat16"}) {
      const json same = told(library("cuda12", name), {"dtype=bfloat16", word});
      CHECK(same["check"]["pass"] == true);
      CHECK(same["check"]["bound"] == usual["check"]["bound"]);  // of the sum; the rounding of C comes with C
      CHECK(same["parameters"]["result"] == "bfloat16");
      CHECK(bytes(same) == 2 * 2 * 48 * 64 + 2 * 48 * 48);
    }
    CHECK(told(library("cuda12", name), {"dtype=float16"})["parameters"]["result"] == "float16");
    CHECK(told(library("cuda12", name), {"dtype=float16", "result=float32"})["check"]["pass"] == true);
    const json cut = told(library("cublas_cut", name), {"dtype=bfloat16", "result=same"});
    CHECK(cut["check"]["pass"] == false);
    CHECK(cut["samples_ns"].empty());
  }
}

TEST_CASE("matmul: a type that the result cannot have is unsupported, a word that is no type is an error", "[gpu_matmul_pi]") {
  const auto refused = [](const PiResult& result) { return result.json()["unsupported"].get<std::string>(); };
  const std::string cublas = library("cuda12", "cublas"), lt = library("cuda12", "cublasLt");
  CHECK(refused(matmul(cublas, {"dtype=float32", "result=bfloat16"})) == "float32 products are written as float32, not bfloat16");
  CHECK(refused(matmul(cublas, {"dtype=int8", "result=same"})) == "int8 products are written as int32, not uint8");
  CHECK(refused(matmul(cublas, {"dtype=bfloat16", "result=float16"})) ==
        "bfloat16 products are written as float32 or bfloat16, not float16");
  CHECK(refused(matmul(lt, {"dtype=fp8", "result=same"})) ==
        "fp8 products are written as bfloat16 or float16 or float32, not float8_e4m3");
  CHECK_THAT(refused(matmul(library("cuda12", "nvrtc"), {"dtype=bfloat16", "result=same"})), Contains("own kernels write bfloat16"));
  CHECK(refused(run_matmul(fake("onednn3"), {"dtype=bfloat16", "result=same"})) ==
        "bfloat16 products are written as float32 by CPU libraries, not bfloat16");
  CHECK(run_matmul(fake("right"), {"result=same"}).json()["parameters"]["result"] == "float32");
  const auto unknown = matmul(cublas, {"result=half"});
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.err, Contains("result=half: expected one of usual, same, float32"));
}

TEST_CASE("matmul on a GPU: a wrong result is never timed", "[gpu_matmul_pi]") {
  for (const char* variant : {"cublas_beta", "cublas_stale", "cublas_transposed", "cublas_short"}) {
    INFO(variant);
    const json document = matmul(library(variant, "cublas"), {"dtype=float32"}).json();
    CHECK(document["check"]["pass"] == false);
    CHECK(document["samples_ns"].empty());
  }
}

TEST_CASE("matmul without a GPU is unsupported and opens no library", "[gpu_matmul_pi]") {
  for (const char* name : {"cublas", "cublasLt", "nvrtc"}) {
    const auto result = matmul(library("cuda12", name), {}, false);
    REQUIRE(result.status == 0);
    const json document = result.json();
    CHECK_THAT(document["unsupported"].get<std::string>(), Contains("libcuda.so.1"));
    CHECK_FALSE(document.contains("samples_ns"));
    CHECK_THAT(document["files"].dump(), !Contains(name));
  }
}

TEST_CASE("matmul: parameters and dtypes of the other kind of machine", "[gpu_matmul_pi]") {
  CHECK(matmul(library("cuda12", "cublas"), {"threads=1"}).status == 2);
  CHECK(run_matmul(fake("right"), {"search=1"}).status == 2);
  const json document = run_matmul(fake("right"), {"dtype=tf32"}).json();
  CHECK_THAT(document["unsupported"].get<std::string>(), Contains("on GPUs only"));
}

TEST_CASE("matmul on a GPU: what does not fit is refused with both needs", "[gpu_matmul_pi]") {
  for (const char* name : {"cublas", "cublasLt", "nvrtc"}) {
    const auto result = run_pi({"matmul", "--library", library("cuda12", name), "--with", kGpu + "/libcudart.so.12", "m=1000000",
                                "n=1000000", "k=1000000"}, {"LD_LIBRARY_PATH=" + kGpu});
    INFO(name << ": " << result.err);
    REQUIRE(result.status == 0);
    CHECK_THAT(result.json()["unsupported"].get<std::string>(),
               Contains("m=1000000 n=1000000 k=1000000 dtype=float32 takes 10.9 TiB of host memory") &&
                   Contains("and 10.9 TiB of the GPU's; there are") &&
                   Contains("and 1.0 GiB of the GPU's: give a smaller m, n, k or dtype"));
  }
}

TEST_CASE("matmul on a GPU: a library that finds no memory is unsupported, what it leaves is told", "[gpu_matmul_pi]") {
  for (const char* name : {"cublas", "cublasLt"})
    for (const char* where : {"FAKE_CUBLAS_CREATE=3", "FAKE_CUBLAS_PRODUCT=3"}) {
      const auto result = matmul(library("cuda12", name), {}, true, {where, "FAKE_CUDA_FREE=50000000"});
      INFO(name << " " << where << ": " << result.err);
      REQUIRE(result.status == 0);
      CHECK_THAT(result.json()["unsupported"].get<std::string>(),
                 Contains("CUBLAS_STATUS_ALLOC_FAILED (3): the GPU's memory ran short") && Contains("47.7 MiB are free"));
    }
}

TEST_CASE("matmul on a GPU: a handle that finds little memory, and says that it was not initialized", "[gpu_matmul_pi]") {
  for (const char* name : {"cublas", "cublasLt"}) {
    const auto made = [&](const char* free) {
      return matmul(library("cuda12", name), {}, true, {"FAKE_CUBLAS_CREATE=1", std::string("FAKE_CUDA_FREE=") + free});
    };
    const auto little = made("50000000");
    INFO(name << ": " << little.err);
    REQUIRE(little.status == 0);
    CHECK_THAT(little.json()["unsupported"].get<std::string>(), Contains("CUBLAS_STATUS_NOT_INITIALIZED (1): the GPU's memory ran short"));
    CHECK(made("5000000000").status == 3);
  }
}

TEST_CASE("matmul on a GPU: behind a library's failure is that of the GPU", "[gpu_matmul_pi]") {
  const auto result =
      matmul(library("cuda12", "cublas"), {}, true, {"FAKE_CUBLAS_PRODUCT=13", "CUDA_FAKE_FAULT=700@3"});
  CHECK(result.status == 3);
  CHECK_THAT(result.err, Contains("cublasSgemm: CUBLAS_STATUS_EXECUTION_FAILED (13): an illegal memory access was encountered "
                                  "(cudaErrorIllegalAddress, 700); a kernel of the library went wrong"));
}
