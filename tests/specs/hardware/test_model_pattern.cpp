#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <set>

#include "specs/hardware/microarchitecture.hpp"
#include "specs/hardware/model_pattern.hpp"

namespace model_pattern_tests {

using namespace stackx::specs;

namespace {

const Microarchitectures& shipped() {
  static const auto table = Microarchitectures::load(STACKX_SOURCE_DIR "/specs/data/microarchitectures.json");
  return table;
}

bool matches(std::string_view pattern, std::string_view name) {
  return ModelPattern(pattern).matches(model_words(name));
}

std::string of(std::string_view name) {
  const auto* row = shipped().of_processor(name);
  return row ? row->id : "";
}

struct Known {
  std::string name, code_name;
};

std::vector<Known> quattor() {
  std::ifstream file(STACKX_SOURCE_DIR "/tests/specs/hardware/processors.tsv");
  std::vector<Known> result;
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with('#')) result.push_back({line.substr(0, line.find('\t')), line.substr(line.find('\t') + 1)});
  return result;
}

}  // namespace

TEST_CASE("a pattern is a product's number, with what may stand around it", "[model_pattern]") {
  for (const char* name : {"EPYC 7763", "AMD EPYC 7763 64-Core Processor", "epyc7763", "EPYC 7713P", "EPYC 7R13", "epyc-7773X",
                           "EPYC (TM) 7443"})
    CHECK(matches("EPYC 7?#3*", name));
  for (const char* name : {"7763", "EPYC", "EPYC 7742", "EPYC 77635", "EPYC 776", "7763 EPYC", "EPYC 9763", ""})
    CHECK_FALSE(matches("EPYC 7?#3*", name));
  CHECK(matches("E5-####* v4", "Intel(R) Xeon(R) CPU E5-2698 v4 @ 2.20GHz"));
  CHECK(matches("E5-####* v4", "Xeon E5-2698v4"));
  CHECK(matches("E5-####* v3", "E5-2630Lv3"));
  CHECK_FALSE(matches("E5-####* v4", "E5-2698 v3"));
  CHECK(matches("i#-13###*", "13th Gen Intel(R) Core(TM) i9-13900K"));
  CHECK(matches("Ultra 2##V", "Intel(R) Core(TM) Ultra 7 258V"));
  CHECK(matches("i#-11##G*", "i7-1165G7"));
  CHECK_FALSE(matches("i#-11##G*", "i7-11700K"));
  CHECK(ModelPattern("Gold 63##H*").fixed() == ModelPattern("Gold 63##*").fixed() + 1);
}

// What stackx says of a processor's name, against a library of processors that nobody here wrote.
TEST_CASE("processors are of the microarchitecture that Quattor has", "[model_pattern]") {
  const std::map<std::string, std::set<std::string>> alike = {
      {"skylake", {"skylake", "skylake-sp"}}, {"ice-lake", {"ice-lake", "ice-lake-sp"}}, {"armv8.2", {"neoverse-n1"}}};
  std::set<std::string> numbered;
  for (const auto& row : shipped().all())
    if (!row.processors.empty()) numbered.insert(row.id);
  const auto known = quattor();
  REQUIRE(known.size() > 1000);
  std::size_t named = 0;
  for (const auto& [name, code_name] : known) {
    INFO(name << " " << code_name);
    const auto said = of(name);
    if (said.empty() && (name.contains("Pentium") || name.contains("Celeron"))) continue;  // no patterns of these
    named += said.empty() ? 0 : 1;
    if (const auto found = alike.find(code_name); found != alike.end())
      CHECK(found->second.contains(said));
    else if (!numbered.contains(code_name))
      CHECK(said.empty());  // too old to be told
    else
      CHECK(said == code_name);
  }
  CHECK(named > 800);
}

// Whatever their order: of the most exact patterns that fit a name, all are of one row.
TEST_CASE("no two microarchitectures claim a processor alike", "[model_pattern]") {
  for (const auto& [name, code_name] : quattor()) {
    std::map<std::size_t, std::set<std::string>> claims;  // how exact -> rows
    for (const auto& row : shipped().all())
      for (const auto& pattern : row.processors)
        if (pattern.matches(model_words(name))) claims[pattern.fixed()].insert(row.id);
    INFO(name);
    CHECK((claims.empty() || claims.rbegin()->second.size() == 1));
  }
}

// https://www.notebookcheck.net, AMD's decoder of 2022, Intel ARK: as the data's sources say.
TEST_CASE("processors of PCs and clouds are known by their names", "[model_pattern]") {
  const std::map<std::string, std::string> expected = {
      {"AMD Ryzen 9 7950X 16-Core Processor", "zen4"}, {"Ryzen 7 7800X3D", "zen4"}, {"AMD Ryzen 9 9950X3D", "zen5"},
      {"AMD Ryzen 9 5950X 16-Core Processor", "zen3"}, {"Ryzen 7 5700U", "zen2"}, {"Ryzen 7 5700G", "zen3"},
      {"AMD Ryzen 7 PRO 7730U", "zen3"}, {"Ryzen 5 7520U", "zen2"}, {"Ryzen 9 7945HX", "zen4"}, {"Ryzen 7 3700X", "zen2"},
      {"Ryzen 5 3400G", "zen"}, {"Ryzen 5 1600", "zen"}, {"AMD Ryzen Threadripper PRO 5995WX 64-Cores", "zen3"},
      {"AMD Ryzen Threadripper PRO 7995WX 96-Cores", "zen4"}, {"AMD RYZEN AI MAX+ 395 w/ Radeon 8060S", "zen5"},
      {"Ryzen AI 9 HX 370", "zen5"}, {"12th Gen Intel(R) Core(TM) i7-12700H", "alder-lake"}, {"i9-13900k", "raptor-lake"},
      {"Core i9-14900KS", "raptor-lake"}, {"i7-8550U", "kaby-lake"}, {"i7-8700K", "coffee-lake"}, {"i7-8565U", "whiskey-lake"},
      {"i7-1065G7", "ice-lake"}, {"i7-11700K", "rocket-lake"}, {"i7-1165G7", "tiger-lake"}, {"i7-5960X", "haswell"},
      {"Intel(R) Core(TM) Ultra 9 285K", "arrow-lake"}, {"Core Ultra 7 155H", "meteor-lake"}, {"Core Ultra 7 155U", "meteor-lake"},
      {"Core Ultra 7 258V", "lunar-lake"}, {"E5-2698v4", "broadwell"}, {"Xeon 6980P", "granite-rapids"},
      {"Intel Xeon 6 6980P", "granite-rapids"},
      {"Xeon 6780E", "sierra-forest"}, {"Xeon 8480+", "sapphire-rapids"}, {"Xeon Platinum 8380H", "cooper-lake"},
      {"Intel(R) Xeon(R) CPU Max 9480", "sapphire-rapids"}, {"Xeon w9-3495X", "sapphire-rapids"}, {"AWS Graviton3", "neoverse-v1"},
      {"graviton4", "neoverse-v2"}, {"NVIDIA Grace", "neoverse-v2"}, {"Google Axion", "neoverse-v2"}, {"Apple M1 Pro", "apple-m1"}, {"Apple M3 Max", "apple-m3"}, {"Apple M4", "apple-m4"},
      {"Ampere Altra Q80-30", "neoverse-n1"}, {"c7g.xlarge", "neoverse-v1"}, {"m6gd.16xlarge", "neoverse-n1"},
      {"r8g.metal-24xl", "neoverse-v2"}, {"c7a.large", "zen4"},
      {"c7i.4xlarge", "sapphire-rapids"}, {"m7i-flex.large", "sapphire-rapids"}, {"r6id.metal", "ice-lake-sp"}, {"m6a.xlarge", "zen3"},
      {"c5a.8xlarge", "zen2"}, {"m5ad.24xlarge", "zen"}, {"hpc6a.48xlarge", "zen3"}, {"r8i.xlarge", "granite-rapids"}, {"m8a.2xlarge", "zen5"},
      {"c3-standard-4", "sapphire-rapids"}, {"c3d-highmem-8", "zen4"}, {"c4d-standard-2", "zen5"}, {"n4-highcpu-16", "emerald-rapids"},
      {"t2d-standard-60", "zen3"}, {"c2-standard-30", "cascade-lake"}, {"c4a-standard-1", "neoverse-v2"},
      {"Standard_D4as_v6", "zen4"}, {"Standard_D16s_v6", "emerald-rapids"}, {"Standard_HB120-96rs_v3", "zen3"}, {"HB176rs_v4", "zen4"},
      {"Standard_HC44rs", "skylake-sp"}, {"AMD EPYC-Milan Processor", "zen3"}, {"Intel Xeon Processor (Icelake)", "ice-lake-sp"},
      {"Intel Xeon Processor (SapphireRapids)", "sapphire-rapids"}, {"Intel Xeon Processor (Skylake, IBRS)", "skylake-sp"}};
  for (const auto& [name, id] : expected) {
    INFO(name);
    CHECK(of(name) == id);
  }
  for (const char* nobody : {"Xeon", "Xeon 6315P", "AMD EPYC Processor", "Intel(R) Xeon(R) CPU @ 2.20GHz", "Apple M5", "Tesla V100",
                             "Xeon 5160", "m5.xlarge", "c3.large", "n2-standard-4", "Standard_D4s_v5"}) {
    INFO(nobody);
    CHECK(of(nobody).empty());
  }
}

}  // namespace model_pattern_tests
