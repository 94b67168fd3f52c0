#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "inspector/discover/cuda/toolkits.hpp"
#include "tests/inspector/fake_machine.hpp"
#include "tests/inspector/fake_packages.hpp"
#include "tests/inspector/remarks.hpp"
#include "tests/inspector/support.hpp"


using namespace stackx::inspector;
using namespace stackx::inspector::testing;
namespace fs = std::filesystem;

namespace {

struct Looked {
  CudaFound cuda;
  KeptRemarks remarks;
};

Looked look(const FakeMachine& machine, FakePackages packages = {}) {
  const Variable home("CUDA_HOME", std::nullopt), path("CUDA_PATH", std::nullopt),
      root("CUDA_ROOT", std::nullopt);
  Looked result;
  result.cuda =
      find_cuda(machine.tree(), usual_cuda_roots(machine.tree()), packages, result.remarks.keep());
  return result;
}

std::map<std::string, std::string> versions(const CudaToolkit& toolkit) {
  std::map<std::string, std::string> result;
  for (const auto& library : toolkit.libraries)
    result[library.component] = library.version + " says " + library.reports;
  return result;
}

}  // namespace

TEST_CASE("a toolkit with version.json: once under its links, versions of files and of the JSON") {
  FakeMachine machine;
  machine.file(
      "/usr/local/cuda-12.2/version.json",
      R"({"cuda": {"name": "CUDA SDK", "version": "12.2.2"}, "cuda_cudart": {"version": "12.2.140"},
                   "libcublas": {"version": "12.2.5.6"}})");
  machine.file("/usr/local/cuda-12.2/lib64/libcublas.so.12.2.5.6", "x");
  fs::create_symlink("libcublas.so.12.2.5.6",
                     machine.root() / "usr/local/cuda-12.2/lib64/libcublas.so.12");
  fs::create_symlink("libcublas.so.12", machine.root() / "usr/local/cuda-12.2/lib64/libcublas.so");
  machine.file("/usr/local/cuda-12.2/lib64/libcublasLt.so.12.2.5.6", "x");
  machine.file("/usr/local/cuda-12.2/lib64/libcudart.so.12", "x");
  fs::create_directory_symlink("cuda-12.2", machine.root() / "usr/local/cuda");
  const auto looked = look(machine);
  REQUIRE(looked.cuda.toolkits.size() == 1);
  const auto& toolkit = looked.cuda.toolkits[0];
  CHECK(toolkit.version == "12.2.2");
  CHECK(toolkit.root == "/usr/local/cuda-12.2");
  CHECK(versions(toolkit) == std::map<std::string, std::string>{{"cublas", "12.2.5.6 says 12.2.5"},
                                                                {"cublaslt", "12.2.5.6 says 12.2.5"},
                                                                {"cudart", "12.2.140 says 12.2"}});
  CHECK(toolkit.libraries[0].file == "/usr/local/cuda-12.2/lib64/libcublas.so.12.2.5.6");
  CHECK(looked.remarks.has(Remark::found, "cublas 12.2.5.6"));
}

TEST_CASE("a toolkit without version.json is told by its headers and NVRTC's builtins") {
  FakeMachine machine;
  const std::string root = "/opt/cuda";
  machine.file(root + "/include/cuda.h", "#ifndef X\n#define CUDA_VERSION 13000\n");
  machine.file(root + "/include/cublas_api.h",
               "#define CUBLAS_VER_MAJOR 13\n#define CUBLAS_VER_MINOR 1\n#define CUBLAS_VER_PATCH "
               "0\n#define CUBLAS_VER_BUILD 3\n");
  machine.file(root + "/include/cuda_runtime_api.h", "#define CUDART_VERSION  13000\n");
  machine.file(root + "/include/cudnn_version.h",
               "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 19\n#define CUDNN_PATCHLEVEL 0\n");
  machine.file(root + "/include/nccl.h",
               "#define NCCL_MAJOR 2\n#define NCCL_MINOR 28\n#define NCCL_PATCH 9\n");
  for (const char* name : {"libcublas.so.13", "libcublasLt.so.13", "libcudart.so.13", "libcudnn.so.9",
                           "libnvrtc.so.13", "libnvrtc-builtins.so.13.0", "libnccl.so.2"})
    machine.file(root + "/lib/" + name, "x");
  const auto looked = look(machine);
  REQUIRE(looked.cuda.toolkits.size() == 1);
  CHECK(looked.cuda.toolkits[0].version == "13.0");
  CHECK(versions(looked.cuda.toolkits[0]) ==
        std::map<std::string, std::string>{{"cublas", "13.1.0.3 says 13.1.0"},
                                           {"cublaslt", "13.1.0.3 says 13.1.0"},
                                           {"cudart", "13.0 says 13.0"},
                                           {"cudnn", "9.19.0 says 9.19.0"},
                                           {"nccl", "2.28.9 says 2.28.9"},
                                           {"nvrtc", "13.0 says 13.0"}});
}

TEST_CASE("old toolkits have a version.txt; a day is no part of a version") {
  FakeMachine machine;
  machine.file("/usr/local/cuda-10.1/version.txt", "CUDA Version 10.1.243\n");
  machine.file("/usr/local/cuda-11.4/version.json", R"({"cuda": {"version": "11.4.20210728"}})");
  const auto looked = look(machine);
  REQUIRE(looked.cuda.toolkits.size() == 2);
  CHECK(looked.cuda.toolkits[0].version == "10.1.243");
  CHECK(looked.cuda.toolkits[1].version == "11.4");
}

TEST_CASE("an environment of conda is no toolkit, whatever it holds") {
  FakeMachine machine;
  for (const char* file : {"bin/nvcc", "include/cuda.h", "lib/libcudart.so.12", "conda-meta/history"})
    machine.file(std::string("/opt/cuda-env/") + file, "#define CUDA_VERSION 12040\n");
  CHECK(look(machine).cuda.toolkits.empty());
}

TEST_CASE("what says no version is left out, with the file's name") {
  FakeMachine machine;
  machine.file("/usr/local/cuda/lib64/libcudart.so.11.0", "x");
  machine.file("/usr/local/cuda-9/include/cuda.h", "#define CUDA_VERSION 9020\n");
  machine.file("/usr/local/cuda-9/lib64/libcublas.so.9", "x");
  machine.file("/usr/local/cuda-x/version.json", "{ not JSON");
  const auto looked = look(machine);
  REQUIRE(looked.cuda.toolkits.size() == 1);
  CHECK(looked.cuda.toolkits[0].version == "9.2");
  CHECK(looked.cuda.toolkits[0].libraries.empty());
  CHECK(looked.remarks.has(Remark::left_out, "CUDA in /usr/local/cuda:"));
  CHECK(looked.remarks.has(Remark::left_out, "/usr/local/cuda-9/lib64/libcublas.so.9"));
  CHECK(looked.remarks.has(Remark::left_out, "CUDA in /usr/local/cuda-x:"));
}

TEST_CASE("cuDNN of the system belongs to the CUDA that its package names") {
  const auto cuda_of = [](const std::string& package, const std::string& version) {
    FakeMachine machine;
    const std::string file = "/usr/lib/x86_64-linux-gnu/libcudnn.so.8.9.7";
    machine.file(file, "x");
    FakePackages packages;
    packages.owners[file] = package;
    packages.versions[package] = version;
    const auto looked = look(machine, packages);
    REQUIRE(looked.cuda.system.size() == 1);
    CHECK(looked.cuda.system[0].first.version == "8.9.7");
    CHECK(looked.cuda.toolkits.empty());
    return looked.cuda.system[0].second;
  };
  CHECK(cuda_of("libcudnn9-cuda-12", "9.1.0.70-1") == "12");
  CHECK(cuda_of("libcudnn8", "8.9.7.29-1+cuda12.2") == "12");
  CHECK(cuda_of("nvidia-cudnn", "8.9.7.29~cuda12") == "");
}

TEST_CASE("NCCL of the system belongs to the CUDA that its package's version names") {
  FakeMachine machine;
  const std::string file = "/usr/lib/x86_64-linux-gnu/libnccl.so.2.27.3";
  machine.file(file, "x");
  FakePackages packages;
  packages.owners[file] = "libnccl2";
  packages.versions["libnccl2"] = "2.27.3-1+cuda12.9";
  const auto looked = look(machine, packages);
  REQUIRE(looked.cuda.system.size() == 1);
  CHECK(looked.cuda.system[0].first.component == "nccl");
  CHECK(looked.cuda.system[0].first.version == "2.27.3");
  CHECK(looked.cuda.system[0].second == "12");
}

TEST_CASE("a machine without CUDA has none, and says nothing") {
  FakeMachine machine;
  machine.file("/usr/bin/gcc", "");
  const auto looked = look(machine);
  CHECK(looked.cuda.toolkits.empty());
  CHECK(looked.cuda.system.empty());
  CHECK(looked.remarks.list.empty());
}
