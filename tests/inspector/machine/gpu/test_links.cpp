#include <catch2/catch.hpp>

#include "inspector/machine/gpu/nvml.hpp"

using namespace stackx::inspector;
using stackx::specs::GpuLink;
using stackx::specs::GpuPath;
using stackx::specs::PcieLink;

namespace {

NvmlReport read_machine(const std::string& variant) {
  return read_nvml(std::string(STACKX_BINARY_DIR) + "/tests/nvml/" + variant +
                   "/libnvidia-ml.so.1");
}

using Links = std::vector<GpuLink>;

}  // namespace

TEST_CASE("NVLinks join two pairs of GPUs, and only PCIe their sockets") {
  const auto report = read_machine("bridged");
  CHECK(report.note.empty());
  const GpuLink bridged{0, 1, GpuPath::host_bridge, 4, 0, 3, true};
  const auto across = [](std::size_t a, std::size_t b) {
    return GpuLink{a, b, GpuPath::system, 0, 0, std::nullopt, false};
  };
  GpuLink other = bridged;
  other.a = 2;
  other.b = 3;
  CHECK(report.gpu_links ==
        Links{bridged, across(0, 2), across(0, 3), across(1, 2), across(1, 3), other});
  CHECK(report.gpus[0].pcie == PcieLink{4, 16});
  CHECK(report.gpus[3].pcie == PcieLink{4, 8});
}

TEST_CASE("links are of the GPUs that could be opened, by their places among those") {
  const auto report = read_machine("bridged_lost");
  REQUIRE(report.gpus.size() == 3);
  REQUIRE(report.gpu_links.size() == 3);
  CHECK(report.gpu_links[0] == GpuLink{0, 1, GpuPath::system, 0, 0, std::nullopt, false});
  CHECK(report.gpu_links[2] == GpuLink{1, 2, GpuPath::host_bridge, 4, 0, 3, true});
}

TEST_CASE("what an older driver has no function for is absent") {
  const auto report = read_machine("bridged_old");
  REQUIRE(report.gpu_links.size() == 6);
  CHECK(report.gpu_links[0] ==
        GpuLink{0, 1, GpuPath::host_bridge, 4, std::nullopt, 3, std::nullopt});
  const auto older = read_machine("two_gpus");
  CHECK(older.gpus.size() == 2);
  CHECK(older.gpu_links.empty());
  CHECK_FALSE(older.gpus[0].pcie);
}

TEST_CASE("a card that MIG splits has its links, but no peer") {
  const auto report = read_machine("bridged_mig");
  REQUIRE(report.gpus[0].mig.size() == 2);
  CHECK(report.gpu_links == Links{{0, 1, GpuPath::host_bridge, 4, 0, 3, false}});
}

TEST_CASE("links that end in NVSwitches: as many as both GPUs have") {
  const auto report = read_machine("switched");
  CHECK(report.gpu_links == Links{{0, 1, GpuPath::host_bridge, 0, 17, 4, true},
                                  {0, 2, GpuPath::system, 0, 17, 4, false},
                                  {1, 2, GpuPath::system, 0, 17, 4, false}});
}

TEST_CASE("a driver that supports none of it leaves no links") {
  const auto report = read_machine("silent");
  CHECK(report.gpus.size() == 2);
  CHECK(report.gpu_links.empty());
  CHECK_FALSE(report.gpus[0].pcie);
}

TEST_CASE("answers that mean nothing are none") {
  CHECK(read_machine("strange").gpu_links.empty());
}

TEST_CASE("a version that NVML numbers in two ways is the one that the GPU has, or none") {
  const auto version = [](int number) {
    return read_machine("version_" + std::to_string(number)).gpu_links.at(0).nvlink_version;
  };
  CHECK(version(4) == 3);  // 3.0 in nvml.h, 2.2 in the kernel module
  CHECK(version(6) == 3);  // 4.0, 3.1
  CHECK_FALSE(version(0));
  CHECK_FALSE(version(7));  // 5.0, 4.0: no A100's
  CHECK_FALSE(version(9));
}
