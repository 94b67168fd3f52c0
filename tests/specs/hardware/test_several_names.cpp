#include "specs/hardware/several_names.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "specs/hardware/accelerator.hpp"
#include "specs/result/evidence.hpp"

namespace several_names_tests {

using namespace stackx::specs;
using Names = std::vector<std::string>;

namespace {

const Accelerators& shipped() {
  static const Accelerators table = load_accelerators(STACKX_SOURCE_DIR "/specs/data");
  return table;
}

Names several(std::string_view text) { return several_names(text, shipped()); }

}  // namespace

TEST_CASE("names of several accelerators are told apart", "[several_names]") {
  CHECK(several("v100,l40s,b200") == Names{"v100", "l40s", "b200"});
  CHECK(several("b200, v100") == Names{"b200", "v100"});
  CHECK(several("v100;a100") == Names{"v100", "a100"});
  CHECK(several("v100 b200") == Names{"v100", "b200"});
  CHECK(several("h100+v100") == Names{"h100", "v100"});
  CHECK(several("h100 / v100") == Names{"h100", "v100"});
  CHECK(several("RTX 4090 and RTX 3090") == Names{"RTX 4090", "RTX 3090"});
  CHECK(several("4090 3090") == Names{"4090", "3090"});
  CHECK(several("8xh100,4xa100") == Names{"8xh100", "4xa100"});
  CHECK(several("mi300x, h100, v100") == Names{"mi300x", "h100", "v100"});
  CHECK(several("h100,b2000") == Names{"h100", "b2000"});
  CHECK(several("h100,zen3") == Names{"h100", "zen3"});
}

TEST_CASE("one accelerator is none of several, whatever stands around it", "[several_names]") {
  for (const char* one : {"", ",", "v100", "v100,", "v100,v100", "nobody,knows", "8 x H100", "Tesla V100-SXM2-16GB", "NVIDIA H100, 80GB HBM3", "GTX 1080 Ti",
                          "RTX 6000 Ada", "A100 MIG 1g.10gb", "16 p3.16xlarge (AWS)", "Xeon Gold 6248, Tesla T4", "EPYC 7763 + A100", "hopper h100", "zen3,zen4"}) {
    INFO(one);
    CHECK(several(one).empty());
  }
}

TEST_CASE("one word names one", "[several_names]") {
  for (const char* one : {"v100", "rtx-4090", "host", ""}) {
    CHECK(is_one_word(one));
    CHECK(several(one).empty());
  }
  for (const char* other : {"v100,b200", "v100 b200", "v100+b200", "v100/b200", "v100|b200", "v100&b200", "v100;b200", "RTX 4090"}) CHECK_FALSE(is_one_word(other));
}

TEST_CASE("a processor beside its GPU is a machine with that GPU", "[several_names]") {
  for (const char* one : {"EPYC 7763 + V100", "V100, EPYC 7763", "EPYC 7763/V100"}) CHECK(gpu_beside_processor(one, shipped()) == "V100");
  for (const char* one : {"EPYC 7763", "V100", "zen3,zen4", "v100,a100", ""}) CHECK(gpu_beside_processor(one, shipped()).empty());
}

TEST_CASE("no name of the catalog or of the evidence is taken for several", "[several_names][facts]") {
  for (const auto& model : shipped().all()) {
    CHECK(several(model.name).empty());
    INFO(model.title);
    CHECK(several(model.title).empty());
    for (const auto& alias : model.aliases) CHECK(several(alias).empty());
  }
  std::set<std::string> spellings;
  for (const auto& file : std::filesystem::recursive_directory_iterator(STACKX_SOURCE_DIR "/specs/data/evidence"))
    if (file.is_regular_file())
      for (const auto& row : load_evidence(file.path()).rows) spellings.insert(row.hardware);
  for (const auto& name : spellings) {
    INFO(name);
    CHECK(several(name).empty());
  }
}
}  // namespace several_names_tests
