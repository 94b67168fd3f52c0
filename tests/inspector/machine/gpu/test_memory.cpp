// A GPU's memory as NVML counts it, of libraries that play NVML: each form of the question, hidden numbers, two devices.
#include <catch2/catch.hpp>

#include "inspector/machine/gpu/memory.hpp"
#include "tests/inspector/support.hpp"

namespace gpu_memory_tests {

using namespace stackx::inspector;
using namespace stackx::inspector::testing;

namespace {

std::string library(const std::string& variant) { return STACKX_BINARY_DIR "/tests/nvml/" + variant + "/libnvidia-ml.so.1"; }

constexpr const char *first_gpu = "GPU-11111111-2222-3333-4444-555555555555",
                     *second_gpu = "GPU-66666666-7777-8888-9999-aaaaaaaaaaaa";
constexpr std::uint64_t drivers_own = std::uint64_t{500} << 20;

std::vector<unsigned> pids_of(const std::vector<GpuProcess>& processes) {
  std::vector<unsigned> pids;
  for (const auto& one : processes) pids.push_back(one.pid);
  return pids;
}

}  // namespace

TEST_CASE("gpu memory: each device has its own, in each form of the question") {
  const TempDirectory directory;
  write(directory / "held", "0 41 1000000\n1 42 2000000\n0 43 3000000 hidden\n");
  const Variable held("FAKE_NVML_MEMORY", (directory / "held").string());
  for (const char* variant : {"memory_1", "memory_2", "memory_3"}) {
    INFO(variant);
    const auto first = gpu_memory(first_gpu, library(variant)), second = gpu_memory(second_gpu, library(variant));
    REQUIRE((first && second));
    CHECK(first->used() == drivers_own + 4'000'000);
    CHECK(second->used() == drivers_own + 2'000'000);
    const auto processes = first->processes();
    REQUIRE(pids_of(processes) == std::vector<unsigned>{41, 43});
    CHECK(processes[0].bytes == 1'000'000u);
    CHECK_FALSE(processes[1].bytes);
    CHECK(pids_of(second->processes()) == std::vector<unsigned>{42});
  }
}

TEST_CASE("gpu memory: more processes than there was room for") {
  const TempDirectory directory;
  std::string lines;
  for (int pid = 1; pid <= 100; ++pid) lines += "0 " + std::to_string(pid) + " 1000\n";
  write(directory / "held", lines);
  const Variable held("FAKE_NVML_MEMORY", (directory / "held").string());
  for (const char* variant : {"memory_1", "memory_3"}) {
    const auto processes = gpu_memory(first_gpu, library(variant))->processes();
    CHECK(processes.size() == 100);
    CHECK(processes.back().pid == 100);
    CHECK(processes.back().bytes == 1000u);
  }
}

TEST_CASE("gpu memory: an old driver knows no processes, another library nothing") {
  const auto old = gpu_memory(first_gpu, library("memory_0"));
  REQUIRE(old);
  CHECK(old->used() == drivers_own);
  CHECK(old->processes().empty());
  CHECK_FALSE(gpu_memory(first_gpu, "/nowhere/libnvidia-ml.so.1"));
  CHECK_FALSE(gpu_memory("GPU-99999999-0000-0000-0000-000000000000", library("memory_3")));
  CHECK_FALSE(gpu_memory(first_gpu, library("not_loaded")));
}

}  // namespace gpu_memory_tests
