// NVML's counter of a GPU, of a library that plays one.
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "inspector/machine/gpu/energy.hpp"

using namespace stackx::inspector;

namespace {

std::string library(const char* variant) {
  return std::string(STACKX_BINARY_DIR "/tests/nvml/") + variant + "/libnvidia-ml.so.1";
}

constexpr const char* first_gpu = "GPU-11111111-2222-3333-4444-555555555555";

}  // namespace

TEST_CASE("gpu energy: the counter of the GPU that is meant, in joules") {
  const auto counter = gpu_energy(first_gpu, library("energy"));
  REQUIRE(counter);
  CHECK(counter->source() == "nvml");
  CHECK(counter->names() == std::vector<std::string>{first_gpu});
  const auto seconds = [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); };
  const double early = seconds(), before = *counter->joules(), began = seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  const double ended = seconds(), drawn = *counter->joules() - before, late = seconds();
  constexpr double step = 0.021;                // 75 W, in steps of 20 ms
  CHECK(drawn >= 75 * (ended - began - step));  // whenever in between it was read
  CHECK(drawn <= 75 * (late - early + step));
}

TEST_CASE("gpu energy: none where NVML, the GPU or the counter is not") {
  CHECK_FALSE(gpu_energy(first_gpu, "/nowhere/libnvidia-ml.so.1"));
  CHECK_FALSE(gpu_energy("GPU-99999999-0000-0000-0000-000000000000", library("energy")));
  CHECK_FALSE(gpu_energy("MIG-aaaa1111-0000-0000-0000-000000000000", library("energy")));  // not of a part of a GPU
  CHECK_FALSE(gpu_energy(first_gpu, library("two_gpus")));  // a driver without the function
  CHECK_FALSE(gpu_energy(first_gpu, library("not_loaded")));
}
