#include <catch2/catch.hpp>

#include "inspector/discover/cuda/wheels.hpp"
#include "tests/inspector/discover/cuda/played.hpp"
#include "tests/inspector/fake_machine.hpp"
#include "tests/inspector/remarks.hpp"

using namespace stackx::inspector;
using namespace stackx::inspector::testing;

namespace {

std::vector<CudaToolkit> wheels(const FakeMachine& machine, const PythonEnvironment& environment, KeptRemarks& remarks) {
  return cuda_wheels(machine.tree(), "/" + environment.name + "/nvidia", environment, remarks.keep());
}

}  // namespace

TEST_CASE("the wheels of one environment are a toolkit for each CUDA") {
  FakeMachine machine;
  for (const char* file :
       {"cublas/lib/libcublas.so.12", "cublas/lib/libcublasLt.so.12", "cuda_runtime/lib/libcudart.so.12",
        "cuda_nvrtc/lib/libnvrtc.so.12", "cuda_nvrtc/lib/libnvrtc-builtins.so.12.4", "cudnn/lib/libcudnn.so.9",
        "nccl/lib/libnccl.so.2", "cu13/lib/libcublas.so.13", "cu13/lib/libcudart.so.13"})
    machine.file(std::string("/a/nvidia/") + file, "x");
  KeptRemarks remarks;
  const auto found = wheels(machine,
                            environment_with("a", {{"torch", "2.6.0"},
                                                    {"jax-cuda13-plugin", "0.11.2"},
                                                    {"nvidia-cublas-cu12", "12.4.5.8"},
                                                    {"nvidia-cuda-runtime-cu12", "12.4.127"},
                                                    {"nvidia-cuda-nvrtc-cu12", "12.4.127"},
                                                    {"nvidia-cudnn-cu12", "9.1.0.70"},
                                                    {"nvidia-nccl-cu12", "2.21.5"},
                                                    {"nvidia-cublas", "13.1.0.3"},
                                                    {"nvidia-cuda-runtime", "13.0.96"},
                                                    {"nvidia-cuda-nvrtc", "13.0.88"}}),  // its file is gone
                            remarks);
  REQUIRE(found.size() == 2);
  CHECK(found[0].version == "12.4.127");
  CHECK(found[0].told_by == "/a/nvidia-cuda-runtime-cu12/METADATA");
  CHECK(texts(found[0]) == Texts{"cublas 12.4.5.8 says 12.4.5 in /a/nvidia/cublas/lib/libcublas.so.12",
                                 "cublaslt 12.4.5.8 says 12.4.5 in /a/nvidia/cublas/lib/libcublasLt.so.12",
                                 "cudart 12.4.127 says 12.4 in /a/nvidia/cuda_runtime/lib/libcudart.so.12",
                                 "nvrtc 12.4.127 says 12.4 in /a/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
                                 "cudnn 9.1.0.70 says 9.1.0 in /a/nvidia/cudnn/lib/libcudnn.so.9",
                                 "nccl 2.21.5 says 2.21.5 in /a/nvidia/nccl/lib/libnccl.so.2"});
  CHECK(found[1].version == "13.0.96");
  CHECK(texts(found[1]) == Texts{"cublas 13.1.0.3 says 13.1.0 in /a/nvidia/cu13/lib/libcublas.so.13",
                                 "cudart 13.0.96 says 13.0 in /a/nvidia/cu13/lib/libcudart.so.13"});
}

TEST_CASE("wheels without a runtime, and a library that two of them bring, are left out") {
  FakeMachine machine;
  machine.file("/a/nvidia/cublas/lib/libcublas.so.12", "x");
  machine.file("/b/nvidia/cudnn/lib/libcudnn.so.9", "x");
  machine.file("/b/nvidia/cuda_runtime/lib/libcudart.so.12", "x");
  KeptRemarks remarks;
  CHECK(wheels(machine, environment_with("a", {{"nvidia-cublas-cu12", "12.4.5.8"}}), remarks).empty());
  const auto found = wheels(machine,
                            environment_with("b", {{"nvidia-cuda-runtime-cu12", "12.4.127"},
                                                   {"nvidia-cudnn-cu12", "9.1.0.70"},
                                                   {"nvidia-cudnn-cu13", "9.2.0.1"}}),
                            remarks);
  REQUIRE(found.size() == 1);
  CHECK(found[0].libraries.size() == 1);
  CHECK(remarks.has(Remark::left_out, "/a/nvidia: its libraries for CUDA 12 have no CUDA runtime beside them"));
  CHECK(remarks.has(Remark::left_out, "nvidia-cudnn-cu12 and nvidia-cudnn-cu13 both put their library there"));
}

