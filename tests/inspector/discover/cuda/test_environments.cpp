#include <catch2/catch.hpp>

#include "inspector/discover/cuda/environments.hpp"
#include "tests/inspector/discover/cuda/played.hpp"
#include "tests/inspector/fake_machine.hpp"
#include "tests/inspector/remarks.hpp"

using namespace stackx::inspector;
using namespace stackx::inspector::testing;
namespace fs = std::filesystem;

namespace {

struct EnvironmentsFound {
  std::vector<CudaToolkit> toolkits;
  KeptRemarks remarks;
  Texts asked;
};

// Libraries say "11.5.1"; which were asked, by whose interpreter.
EnvironmentsFound found_in(const FakeMachine& machine, const std::vector<PythonEnvironment>& environments,
                           const std::vector<fs::path>& prefixes = {}) {
  EnvironmentsFound result;
  const AskIn ask = [&](const Interpreter& interpreter) -> AskVersion {
    return [&result, program = interpreter.program.string()](const CudaKind& kind, const fs::path& file) {
      result.asked.push_back(program + " " + kind.component + " " + file.filename().string());
      return std::string(kind.component) == "cudnn" ? "no number" : "11.5.1";
    };
  };
  CudaFound found;
  add_environments(found, machine.tree(), environments, prefixes, ask, result.remarks.keep());
  result.toolkits = std::move(found.toolkits);
  return result;
}

void put(FakeMachine& machine, const std::string& directory, const Texts& names) {
  for (const auto& name : names) machine.file(directory + "/" + name, "x");
}

}  // namespace

TEST_CASE("wheels are named by what brought them; of one framework and one CUDA in two environments, by these, too") {
  FakeMachine machine;
  const std::map<std::string, std::string> packages{
      {"torch", "2.6.0"}, {"nvidia-cuda-runtime-cu12", "12.4.127"}, {"nvidia-cublas-cu12", "12.4.5.8"}};
  auto both = packages;
  both["jax-cuda12-plugin"] = "0.5";
  for (const char* site : {"/a", "/b", "/c"}) {
    put(machine, std::string(site) + "/nvidia/cuda_runtime/lib", {"libcudart.so.12"});
    put(machine, std::string(site) + "/nvidia/cublas/lib", {"libcublas.so.12"});
  }
  const auto found = found_in(machine, {environment_with("a", packages), environment_with("b", packages), environment_with("c", both)});
  REQUIRE(found.toolkits.size() == 3);
  CHECK(found.toolkits[0].holder == "torch");
  CHECK(found.toolkits[1].holder == "torch.b");
  CHECK(found.toolkits[2].holder == "jax.torch");
  CHECK(found.remarks.has(Remark::found, "cuda 12.4.127+jax.torch: /c/nvidia"));
  CHECK(found.remarks.has(Remark::found, "cublas 12.4.5.8+torch: nvidia/cublas/lib/libcublas.so.12"));
}

// As wheels of download.pytorch.org hold them: github.com/pytorch/builder, manywheel/build_cuda.sh (which libraries) and
// build_common.sh (fname_with_sha256: in their names the hash; at first of all but NVRTC's builtins, later not of cuBLAS
// and cuDNN).
TEST_CASE("torch/lib: PyTorch's own copies, with the versions that they tell") {
  FakeMachine machine;
  const std::string lib = "/a/torch/lib";
  put(machine, lib, {"libcublas.so.11", "libcublasLt.so.11", "libcudart-45da57e3.so.11.0", "libcudnn.so.8", "libcudnn_ops_infer.so.8",
                     "libnvrtc-1ea278b5.so.11.2", "libnvrtc-builtins.so.11.3", "libnvToolsExt-24de1d56.so.1", "libtorch_cuda.so"});
  machine.file("/a/torch/version.py", "__version__ = '1.12.1+cu113'\ndebug = False\ncuda = '11.3'\nhip = None\n");
  auto environment = environment_with("a", {{"torch", "1.12.1+cu113"}});
  environment.interpreter.program = "/a/python";
  const auto found = found_in(machine, {environment});
  REQUIRE(found.toolkits.size() == 1);
  CHECK(found.toolkits[0].version == "11.3");
  CHECK(found.toolkits[0].holder == "torch");
  CHECK(found.toolkits[0].told_by == "/a/torch/version.py");
  CHECK(texts(found.toolkits[0]) == Texts{"cublas 11.5.1 says 11.5.1 in " + lib + "/libcublas.so.11",
                                          "cublaslt 11.5.1 says 11.5.1 in " + lib + "/libcublasLt.so.11",
                                          "cudart 11.3 says 11.3 in " + lib + "/libcudart-45da57e3.so.11.0",
                                          "nvrtc 11.3 says 11.3 in " + lib + "/libnvrtc-1ea278b5.so.11.2"});
  CHECK(found.asked == Texts{"/a/python cublas libcublas.so.11", "/a/python cublaslt libcublasLt.so.11", "/a/python cudnn libcudnn.so.8"});
  CHECK(found.remarks.has(Remark::left_out, "libcudnn.so.8: neither its name nor the library itself says which version it is"));
}

TEST_CASE("torch/lib: names of 1.5, the annotated version.py of 2.0, and a runtime alone, which PyPI's 1.13 has there") {
  FakeMachine machine;
  put(machine, "/old/torch/lib", {"libcublas-9e5bd8a5.so.10", "libcudart-80664282.so.10.2", "libnvrtc-08c4863f.so.10.2",
                                  "libnvrtc-builtins.so"});
  machine.file("/old/torch/version.py", "__version__ = '1.5.0'\ncuda = '10.2'\n");
  put(machine, "/new/torch/lib", {"libcublas.so.11", "libcudart-d0da41ae.so.11.0"});
  machine.file("/new/torch/version.py", "from typing import Optional\ncuda: Optional[str] = '11.8'\n");
  put(machine, "/pypi/torch/lib", {"libcudart-e409450e.so.11.0", "libtorch_cuda.so"});
  machine.file("/pypi/torch/version.py", "cuda = '11.7'\n");
  put(machine, "/cpu/torch/lib", {"libtorch_cpu.so", "libgomp-a34b3233.so.1"});
  machine.file("/cpu/torch/version.py", "cuda = None\n");
  const auto found = found_in(machine, {environment_with("old", {}), environment_with("new", {}), environment_with("pypi", {}),
                                        environment_with("cpu", {})});
  REQUIRE(found.toolkits.size() == 2);
  CHECK(found.toolkits[0].version == "10.2");
  CHECK(found.toolkits[0].libraries.size() == 3);
  CHECK(found.asked[1] == " nvrtc libnvrtc-08c4863f.so.10.2");  // its builtins tell nothing
  CHECK(found.toolkits[1].version == "11.8");
}

// As conda-forge's packages for CUDA 12 install them: github.com/conda-forge/libcublas-feedstock, recipe/build.sh and the
// tests of meta.yaml (links in lib to files in targets). NVIDIA's channel and cudatoolkit have files of the same names in lib.
TEST_CASE("conda: libraries without headers, in environments with a Python and without") {
  FakeMachine machine;
  const auto conda = [&](const std::string& prefix) {
    for (const std::string name : {"libcublas.so.12.4.5.8", "libcublasLt.so.12.4.5.8", "libcudart.so.12.4.127", "libnvrtc.so.12.4.127"}) {
      put(machine, prefix + "/targets/x86_64-linux/lib", {name});
      fs::create_directories(machine.root() / prefix.substr(1) / "lib");
      const auto stem = name.substr(0, name.find(".so") + 6);
      for (const auto& link : {name, stem})
        fs::create_symlink("../targets/x86_64-linux/lib/" + name, machine.root() / prefix.substr(1) / "lib" / link);
    }
    put(machine, prefix + "/lib", {"libnvrtc-builtins.so.12.4", "libcudnn.so.9", "libnccl.so.2.21.5"});
    put(machine, prefix + "/conda-meta", {"history", "libcublas-12.4.5.8-h614329b_2.json", "libcudnn-9.3.0.75-h93bb076_0.json",
                                          "cudnn-frontend-1.2-0.json"});
  };
  conda("/opt/conda");
  conda("/envs/plain");
  auto environment = environment_with("a", {{"torch", "2.5.1"}});
  environment.interpreter.prefix = "/opt/conda";
  auto venv = environment_with("b", {});
  venv.interpreter.prefix = "/envs/plain";
  venv.interpreter.environment = "/home/venv";
  const auto found = found_in(machine, {environment, venv}, {"/opt/conda", "/envs/plain/", "/usr"});
  REQUIRE(found.toolkits.size() == 2);
  CHECK(found.toolkits[0].version == "12.4.127");
  CHECK(found.toolkits[0].holder == "torch");
  CHECK(texts(found.toolkits[0]) == Texts{"cublas 12.4.5.8 says 12.4.5 in /opt/conda/targets/x86_64-linux/lib/libcublas.so.12.4.5.8",
                                          "cublaslt 12.4.5.8 says 12.4.5 in /opt/conda/targets/x86_64-linux/lib/libcublasLt.so.12.4.5.8",
                                          "cudart 12.4.127 says 12.4 in /opt/conda/targets/x86_64-linux/lib/libcudart.so.12.4.127",
                                          "nvrtc 12.4.127 says 12.4 in /opt/conda/targets/x86_64-linux/lib/libnvrtc.so.12.4.127",
                                          "cudnn 9.3.0.75 says 9.3.0 in /opt/conda/lib/libcudnn.so.9",
                                          "nccl 2.21.5 says 2.21.5 in /opt/conda/lib/libnccl.so.2.21.5"});
  CHECK(found.toolkits[1].holder == "plain");
  CHECK(found.asked.empty());
}

TEST_CASE("conda: an environment whose name has no letter of ASCII is held by conda, not a toolkit") {
  FakeMachine machine;
  put(machine, "/envs/\u6e2c\u8a66/lib", {"libcublas.so.12.4.5.8", "libcudart.so.12.4.127"});
  put(machine, "/envs/\u6e2c\u8a66/conda-meta", {"history"});
  const auto found = found_in(machine, {}, {"/envs/\u6e2c\u8a66"});
  REQUIRE(found.toolkits.size() == 1);
  CHECK(found.toolkits[0].holder == "conda");
}

TEST_CASE("conda: libraries without a runtime are left out, an environment without any says nothing") {
  FakeMachine machine;
  put(machine, "/envs/a/lib", {"libcublas.so.12.4.5.8"});
  put(machine, "/envs/a/conda-meta", {"history"});
  put(machine, "/envs/b/conda-meta", {"history"});
  const auto found = found_in(machine, {}, {"/envs/a", "/envs/b"});
  CHECK(found.toolkits.empty());
  REQUIRE(found.remarks.list.size() == 1);
  CHECK(found.remarks.has(Remark::left_out, "/envs/a: its libraries have no CUDA runtime beside them"));
}
