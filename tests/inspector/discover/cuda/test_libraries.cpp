#include <catch2/catch.hpp>

#include "inspector/discover/cuda/libraries.hpp"
#include "tests/inspector/fake_machine.hpp"

using namespace stackx::inspector;
using namespace stackx::inspector::testing;

TEST_CASE("a library's file: by its name, by PyTorch's name with a hash, by its major version, the longest name") {
  FakeMachine machine;
  for (const char* name : {"libnvrtc-builtins.so.11.3", "libnvrtc-1ea278b5.so.11.2", "libcudart.so", "libcudart.so.12", "libcublas.so.11",
                           "libcublas.so.12", "libcublas.so.12.4.5.8", "libcublasLt.so.13", "libcudnn-notahash.so.8",
                           "libcudnn-1ea278b.so.8", "libcudnn.so.8.bak", "libnccl.so.txt"})
    machine.file(std::string("/lib/") + name, "x");
  const auto in = [&](const std::string& library, const std::string& major = "") {
    return library_in(machine.tree(), {"/nowhere", "/lib"}, library, major);
  };
  CHECK(in("libnvrtc.so") == "/lib/libnvrtc-1ea278b5.so.11.2");
  CHECK(in("libnvrtc-builtins.so") == "/lib/libnvrtc-builtins.so.11.3");
  CHECK(in("libcudart.so") == "/lib/libcudart.so.12");
  CHECK(in("libcublas.so") == "/lib/libcublas.so.12.4.5.8");
  CHECK(in("libcublas.so", "11") == "/lib/libcublas.so.11");
  CHECK(in("libcublas.so", "13").empty());
  CHECK(in("libcudnn.so").empty());
  CHECK(in("libnccl.so").empty());
}
