#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "specs/error.hpp"
#include "tests/resolver/given.hpp"

namespace stackx::test {

using resolver::bind_host;
namespace {

specs::Host machine() {
  specs::Host host;
  host.cpu.vendor = "intel";
  host.cpu.microarchitecture = "haswell";
  host.cpu.isa = {"avx2", "sse2"};
  host.cpu.cores = 4;
  host.gpu_note = "libnvidia-ml.so.1 not found";
  return host;
}

const char* components = R"(
  "cpu": {"kind": "hardware", "versioning": "opaque", "versions": {
     "haswell": {"attributes": {"isa": ["sse2"], "socket": "lga1150"}, "provides": {"x86": "3"}},
     "zen4": {}}},
  "mkl": {"versions": {"1": {"requires": {"cpu.isa": {"contains": ["avx2"]}}}}})";

}  // namespace

TEST_CASE("host: detected attributes beat those of the table; the rest of the entry stays") {
  Given given(components, R"("requires": {"mkl": "*"}, "hardware": {"cpu": "host"})");
  bind_host(given.project, given.catalog, machine());
  CHECK(given.project.hardware.at("cpu") == "haswell");
  const auto& cpu = *given.catalog.find("cpu");
  REQUIRE(cpu.versions.size() == 2);
  const auto& entry = *cpu.find("haswell");
  CHECK(std::get<std::vector<std::string>>(entry.attributes.at("isa")) ==
        std::vector<std::string>{"avx2", "sse2"});
  CHECK(std::get<std::string>(entry.attributes.at("socket")) == "lga1150");
  CHECK(entry.provides.contains("x86"));
  CHECK(given.stacks() == std::set<std::string>{"cpu haswell, mkl 1"});
}

TEST_CASE("host: a model that no catalog knows is added, and so is its component") {
  Given given(components, R"("requires": {"mkl": "*"}, "hardware": {"cpu": "host"})");
  auto host = machine();
  host.cpu.microarchitecture = "granite-rapids";
  bind_host(given.project, given.catalog, host);
  CHECK(given.stacks() == std::set<std::string>{"cpu granite-rapids, mkl 1"});

  Given bare(R"("a": {"versions": {"1": {}}})",
             R"("requires": {"a": "*"}, "hardware": {"cpu": "host"})");
  bind_host(bare.project, bare.catalog, host);
  CHECK(bare.stacks() == std::set<std::string>{"a 1, cpu granite-rapids"});
  CHECK(bare.catalog.find("cpu")->kind == specs::Kind::hardware);
}

TEST_CASE("host: named hardware is left alone") {
  Given given(components, R"("requires": {"cpu": "*"}, "hardware": {"cpu": "zen4"})");
  bind_host(given.project, given.catalog, machine());
  CHECK(given.project.hardware.at("cpu") == "zen4");
  CHECK(given.catalog.find("cpu")->find("haswell")->attributes.contains("socket"));
}

TEST_CASE("host: what this machine does not have") {
  const auto bound = [](const char* hardware) {
    Given given(components, R"("requires": {"cpu": "*"})");
    given.project.hardware[hardware] = "host";
    bind_host(given.project, given.catalog, machine());
  };
  CHECK_THROWS_WITH(bound("gpu"),
                    Catch::Contains("no GPU") && Catch::Contains("libnvidia-ml.so.1"));
  CHECK_THROWS_WITH(bound("driver"), Catch::Contains("no GPU driver"));
  CHECK_THROWS_WITH(bound("tpu"), Catch::Contains("cpu, gpu and driver only"));
}

TEST_CASE("host: the driver, and a GPU") {
  auto host = machine();
  host.driver = "535.104.05";
  host.gpus.push_back({"NVIDIA H100", "GPU-1", "0", "9.0", std::uint64_t{80} << 30, {}});
  Given given(components, R"("requires": {"cpu": "*"})");
  given.project.hardware = {{"driver", "host"}, {"gpu", "host"}};
  bind_host(given.project, given.catalog, host);
  CHECK(given.project.hardware.at("driver") == "535.104.05");
  CHECK(given.catalog.find("driver")->versioning == specs::Versioning::pep440);
  CHECK(given.catalog.find("gpu")->versions.size() == 1);
}

TEST_CASE("host: a GPU is the model that the catalog knows by its driver's name for it") {
  auto host = machine();
  host.gpus.push_back({"NVIDIA H200", "GPU-1", "0", "9.0", std::uint64_t{140} << 30, {}});
  const auto bound = [&](const char* versions) {
    Given given(fmt::format(R"("a": {{"versions": {{"1": {{}}}}}},
      "gpu": {{"kind": "hardware", "versioning": "opaque", "versions": {{{}}}}})", versions), R"("requires": {"a": "*"})");
    given.project.hardware = {{"gpu", "host"}};
    bind_host(given.project, given.catalog, host);
    return given.project.hardware.at("gpu");
  };
  CHECK(bound(R"("h200-nvl": {"attributes": {"aliases": ["NVIDIA H200 NVL"]}},
                 "h200-sxm-141gb": {"attributes": {"aliases": ["H200 SXM", "NVIDIA H200"]}})") == "h200-sxm-141gb");
  CHECK(bound(R"("h200": {"attributes": {"title": "H200"}})") == "h200");
  CHECK(bound(R"("h200-sxm-141gb": {"attributes": {"aliases": ["NVIDIA H200"]}}, "nvidia-h200": {})") == "nvidia-h200");
  CHECK(bound(R"("h200-nvl": {"attributes": {"aliases": ["NVIDIA H200 NVL"]}})") == "nvidia-h200");
}

TEST_CASE("host: a name that the component's versioning does not know is bad input") {
  Given given(R"("cpu": {"kind": "hardware", "versions": {"1": {}}})",
              R"("requires": {"cpu": "*"}, "hardware": {"cpu": "host"})");
  CHECK_THROWS_WITH(bind_host(given.project, given.catalog, machine()),
                    Catch::Contains("haswell") && Catch::Contains("pep440"));
}

}  // namespace stackx::test
