#include <catch2/catch.hpp>

#include "inspector/machine/gpu/devices.hpp"
#include "specs/error.hpp"

using namespace stackx::inspector;
using stackx::specs::Gpu;
using stackx::specs::Host;
using Catch::Contains;

namespace {

Host machine() {
  Host host;
  host.gpus = {{"A", "GPU-aaaa1111", "", "8.0", 0, {}},
               {"B", "GPU-aaaa2222", "", "9.0", 0, {}},
               {"C", "GPU-cccc", "", "9.0", 0, {{"MIG-1", "1g.18gb", 0}, {"MIG-2", "3g.71gb", 0}}}};
  return host;
}

std::vector<std::string> visible(const std::string& variable) {
  std::vector<std::string> uuids;
  for (const auto& device : visible_devices(machine(), variable)) uuids.push_back(device.uuid);
  return uuids;
}
using Uuids = std::vector<std::string>;

std::string refusal(const std::string& word) {
  try {
    (void)choose_devices(visible_devices(machine(), std::nullopt), {word});
  } catch (const stackx::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a card that is split is its instances") {
  const auto devices = visible_devices(machine(), std::nullopt);
  REQUIRE(devices.size() == 4);
  CHECK(devices[1] == GpuDevice{"GPU-aaaa2222", "", 1});
  CHECK(devices[3] == GpuDevice{"MIG-2", "3g.71gb", 2});
}

TEST_CASE("CUDA_VISIBLE_DEVICES hides and orders; its first bad entry ends it") {
  CHECK(visible("1,0") == Uuids{"GPU-aaaa2222", "GPU-aaaa1111"});
  CHECK(visible("GPU-aaaa2,MIG-1") == Uuids{"GPU-aaaa2222", "MIG-1"});
  CHECK(visible("").empty());
  CHECK(visible("-1,0").empty());
  CHECK(visible("1,9,0") == Uuids{"GPU-aaaa2222"});
  CHECK(visible("GPU-aaaa,0").empty());            // two cards begin so
  CHECK(visible("0,0,1") == Uuids{"GPU-aaaa1111"});  // twice the same: as an error
  CHECK(visible("NoDevFiles").empty());
  CHECK(visible("1, 0 ,9") == Uuids{"GPU-aaaa2222", "GPU-aaaa1111"});
  CHECK(visible("0,-1,1") == Uuids{"GPU-aaaa1111"});
  CHECK(visible(" ").empty());
}

TEST_CASE("the loader's own directories are not named to it") {
  for (const char* own : {"/lib", "/usr/lib", "/lib64", "/usr/lib64", "/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"})
    CHECK(is_searched_anyway(own));
  for (const char* other : {"/run/opengl-driver/lib", "/usr/lib/x86_64-linux-gnu/nvidia/current", "/usr/local/nvidia/lib64", "/usr/lib64/nvidia"})
    CHECK_FALSE(is_searched_anyway(other));
}

TEST_CASE("devices are chosen by index, by UUID, or all at once") {
  const auto all = visible_devices(machine(), std::nullopt);
  CHECK(choose_devices(all, {"all"}) == all);
  CHECK(choose_devices(all, {"1", "MIG-2", "GPU-aaaa2222"}) ==
        std::vector<GpuDevice>{all[1], all[3]});
  CHECK(choose_devices({}, {"all"}).empty());
  for (const std::string word : {"4", "GPU-", "GPU-x", "H200", "MIG-"})
    CHECK_THAT(refusal(word), Contains("--device " + word) && Contains("GPU-aaaa1111") && Contains("MIG-2"));
}
