#include <catch2/catch.hpp>

#include "inspector/machine/gpu/nvml.hpp"
#include "tests/inspector/fake_machine.hpp"

using namespace stackx::inspector;
using Catch::Contains;
using stackx::inspector::testing::FakeMachine;

namespace {

NvmlReport report_of(const std::string& variant) {
  return read_nvml(std::string(STACKX_BINARY_DIR) + "/tests/nvml/" + variant +
                   "/libnvidia-ml.so.1");
}

}  // namespace

TEST_CASE("two GPUs are described in NVML's order") {
  const auto report = report_of("two_gpus");
  REQUIRE(report.gpus.size() == 2);
  CHECK(report.note.empty());
  CHECK(report.driver == "550.54.15");
  CHECK(report.cuda_driver == "12.4");
  CHECK(report.gpus[0].model == "NVIDIA H200");
  CHECK(report.gpus[0].uuid == "GPU-11111111-2222-3333-4444-555555555555");
  CHECK(report.gpus[0].pci == "00000000:17:00.0");
  CHECK(report.gpus[0].memory_bytes == 150754820096ULL);
  CHECK(report.gpus[0].compute_capability == "9.0");
  CHECK(report.gpus[1].model == "Tesla V100-SXM2-16GB");
  CHECK(report.gpus[1].compute_capability == "7.0");
}

TEST_CASE("the instances of a card that MIG splits are devices of their own") {
  const auto report = report_of("mig");
  REQUIRE(report.gpus.size() == 2);
  REQUIRE(report.gpus[0].mig.size() == 2);
  CHECK(report.gpus[0].mig[0].uuid == "MIG-aaaa1111-0000-0000-0000-000000000000");
  CHECK(report.gpus[0].mig[0].profile == "1g.18gb");
  CHECK(report.gpus[0].mig[0].memory_bytes == 18432ULL << 20);
  CHECK(report.gpus[0].mig[1].profile == "3g.71gb");
  CHECK(report.gpus[1].mig.empty());
  CHECK(report_of("two_gpus").gpus[0].mig.empty());  // a driver without the functions
}

TEST_CASE("a driver that does not match its kernel module says what to do") {
  const auto report = report_of("mismatch");
  CHECK(report.gpus.empty());
  CHECK(report.driver.empty());
  CHECK_THAT(report.note, Contains("Driver/library version mismatch (NVML error 18)"));
  CHECK_THAT(report.note, Contains("reboot"));
}

TEST_CASE("a kernel module that is not loaded is told from a mismatch") {
  CHECK_THAT(report_of("not_loaded").note, Contains("NVML error 9") && Contains("modprobe nvidia"));
}

TEST_CASE("a missing function is named") {
  const auto report = report_of("incomplete");
  CHECK(report.gpus.empty());
  CHECK_THAT(report.note, Contains("lacks nvmlDeviceGetCount_v2"));
}

TEST_CASE("functions that came late may be missing") {
  const auto report = report_of("old");
  REQUIRE(report.gpus.size() == 2);
  CHECK(report.cuda_driver.empty());
  CHECK(report.gpus[1].pci.empty());
  CHECK(report.gpus[1].compute_capability.empty());
  CHECK(report.gpus[1].model == "Tesla V100-SXM2-16GB");
}

TEST_CASE("a library that is missing, or is none, is told apart") {
  CHECK(read_nvml("libno-such-nvml.so.1").note == "libno-such-nvml.so.1 not found");
  FakeMachine machine;
  machine.file("/libnvidia-ml.so.1", "this is no ELF file");
  CHECK_THAT(read_nvml((machine.root() / "libnvidia-ml.so.1").string()).note,
             Contains("cannot be loaded"));
}

TEST_CASE("a driver without GPUs, and one with a lost GPU") {
  CHECK(report_of("no_gpu").note == "NVIDIA driver 550.54.15 runs but shows no GPU");
  const auto report = report_of("lost_gpu");
  CHECK(report.gpus.size() == 1);
  CHECK(report.note == "GPU 1 cannot be opened: GPU is lost (NVML error 15)");
}

TEST_CASE("what the kernel knows explains a missing library") {
  FakeMachine machine;
  CHECK(explain_missing_gpu(machine.tree()).empty());
  machine.file("/sys/bus/pci/devices/0000:00:02.0/vendor", "0x8086\n");
  machine.file("/sys/bus/pci/devices/0000:00:02.0/class", "0x030000\n");
  machine.file("/sys/bus/pci/devices/0000:17:00.1/vendor", "0x10de\n");
  machine.file("/sys/bus/pci/devices/0000:17:00.1/class",
               "0x040300\n");  // its audio function is no GPU
  CHECK(explain_missing_gpu(machine.tree()).empty());
  machine.file("/sys/bus/pci/devices/0000:17:00.0/vendor", "0x10de\n");
  machine.file("/sys/bus/pci/devices/0000:17:00.0/class", "0x030200\n");
  CHECK_THAT(explain_missing_gpu(machine.tree()),
             Contains("0000:17:00.0") && Contains("install its driver"));
  machine.file("/proc/driver/nvidia/version",
               "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15\nGCC version:\n");
  CHECK_THAT(explain_missing_gpu(machine.tree()), Contains("550.54.15") && Contains("container"));
}
