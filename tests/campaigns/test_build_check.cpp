#include "campaigns/build_check.hpp"

#include <catch2/catch.hpp>

#include "specs/catalog/gpu_build.hpp"
#include "specs/format/json.hpp"

namespace stackx::campaigns {
namespace build_check_tests {

const specs::Catalog& catalog() {
  static const auto read = specs::parse_catalog(specs::Node::parse_text(R"({"$schema": "stackx/catalog/1", "components": {
    "gpu": {"kind": "hardware", "versioning": "opaque", "versions": {
      "v100": {"attributes": {"compute_capability": "7.0"}}, "t4": {"attributes": {"compute_capability": "7.5"}},
      "h100": {"attributes": {"compute_capability": "9.0"}}}},
    "torch": {"kind": "package", "versions": {"2.7.1+cu128": {"requires": {"gpu.compute_capability": ">=7.5,<8"}}}}}})",
                                                                        "catalog.json"));
  return read;
}

specs::Inspection inspection(const std::string& list) {
  specs::Inspection result;
  result.stack.components["torch"] = "2.7.1+cu128";
  if (!list.empty()) result.loaded["torch-gpus"] = list;
  return result;
}

TEST_CASE("build check: a framework's own list against the catalog") {
  CHECK_FALSE(build_contradiction(inspection("sm_75"), catalog()));
  CHECK_FALSE(build_contradiction(inspection(""), catalog()));  // nobody says
  const auto more = build_contradiction(inspection("sm_70 sm_75 sm_90a"), catalog());
  REQUIRE(more);
  CHECK(*more == "torch 2.7.1+cu128 states code for 7.0, 9.0, which the catalog denies; its own list: sm_70 sm_75 sm_90a");
  const auto less = build_contradiction(inspection("sm_90"), catalog());
  REQUIRE(less);
  CHECK(less->find("states none for 7.5, which the catalog promises") != std::string::npos);
}

TEST_CASE("build check: PTX counts for what is newer") {
  CHECK(specs::gpu_build_of("sm_70,compute_80").reach("9.0") == specs::GpuBuild::Reach::ptx);
  CHECK(specs::gpu_build_of("sm_120").reach("12.0") == specs::GpuBuild::Reach::cubin);
  CHECK(specs::gpu_build_of("garbage sm_ sm_x").cubins.empty());
}

}  // namespace build_check_tests
}  // namespace stackx::campaigns
