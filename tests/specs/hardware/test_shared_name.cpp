// Names that processors of several microarchitectures have: who asks for one is asked back.
#include "specs/hardware/shared_name.hpp"

#include <catch2/catch.hpp>

#include "specs/error.hpp"
#include "specs/hardware/microarchitecture.hpp"

namespace shared_name_tests {

using namespace stackx;
using Ids = std::vector<std::string>;

const specs::Microarchitectures& shipped() {
  static const auto table = specs::Microarchitectures::load(STACKX_SOURCE_DIR "/specs/data/microarchitectures.json");
  return table;
}

Ids of(const std::string& name) {
  const auto* shared = shipped().shared_name(name);
  return shared ? shared->are : Ids();
}

// Sources: Google's CPU platforms of 2026-03-22, Azure's sizes of 2026-01, EC2's processors, as the data names them.
TEST_CASE("brands and the instances of clouds are several microarchitectures", "[shared_name]") {
  CHECK(of("EPYC") == Ids{"zen", "zen2", "zen3", "zen4", "zen5"});
  CHECK(of("AMD EPYC Processor") == of("EPYC"));
  CHECK(of("Intel Xeon").size() == 12);
  CHECK(of("xeon gold") == of("Xeon"));
  CHECK(of("m5.xlarge") == Ids{"skylake-sp", "cascade-lake"});
  CHECK(of("n2-standard-8") == Ids{"cascade-lake", "ice-lake-sp"});
  CHECK(of("N2D-highcpu-4") == Ids{"zen2", "zen3"});
  CHECK(of("c4-standard-2") == Ids{"emerald-rapids", "granite-rapids"});
  CHECK(of("Standard_D4s_v5") == Ids{"ice-lake-sp", "sapphire-rapids", "emerald-rapids"});
  CHECK(of("Standard_D16as_v5") == Ids{"zen3", "zen4"});
  for (const char* other : {"EPYC 7763", "Apple M5", "m5ad.large", "m5.", "v100", "zen3", "Xeon Gold 6148", "c4d-standard-2", ""}) {
    INFO(other);
    CHECK(of(other).empty());
  }
}

TEST_CASE("names are shared by rows that exist, two at least", "[shared_name]") {
  const auto refused = [](const std::string& shared) {
    const auto text = R"({"$schema": "stackx/microarchitectures/1", "sources": {"s": {"url": "https://a.b", "read": "2026-11-29", "title": "t"}},
      "microarchitectures": {"a": {"name": "A", "vendor": "amd", "match": [{"family": 1}], "sources": ["s"]},
                             "b": {"name": "B", "vendor": "amd", "match": [{"family": 2}], "sources": ["s"]}}, "shared_names": [)" + shared + "]}";
    try {
      (void)specs::Microarchitectures::parse(specs::Node::parse_text(text, "table.json"));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused(R"({"names": ["X"], "are": ["a", "b"], "sources": ["s"]})").empty());
  CHECK(refused(R"({"names": ["X"], "are": ["a", "c"], "sources": ["s"]})") == "table.json: /shared_names/0/are/1: no such row under /microarchitectures");
  CHECK(refused(R"({"names": ["X"], "are": ["a"], "sources": ["s"]})").find("at least two") != std::string::npos);
  CHECK(refused(R"({"names": ["X"], "are": ["a", "b"], "sources": ["t"]})").find("no such source") != std::string::npos);
  CHECK(refused(R"({"names": ["X"], "are": ["a", "b"], "sources": ["s"], "more": 1})").find("more") != std::string::npos);
}

}  // namespace shared_name_tests
