#include <algorithm>
#include <catch2/catch.hpp>

#include "specs/error.hpp"
#include "specs/hardware/microarchitecture.hpp"

namespace microarchitecture_tests {

using namespace stackx;
using namespace stackx::specs;
using Catch::Contains;

namespace {

const Microarchitectures& shipped() {
  static const auto table =
      Microarchitectures::load(STACKX_SOURCE_DIR "/specs/data/microarchitectures.json");
  return table;
}

std::string identify(std::string_view vendor, int family, int model, int stepping) {
  const auto* row = shipped().identify(vendor, family, model, stepping);
  return row == nullptr ? "" : row->id;
}

Microarchitectures parse(const std::string& rows) {
  return Microarchitectures::parse(Node::parse_text(
      R"({"$schema": "stackx/microarchitectures/1", "sources": {"s": {"url": "https://example.org", "read": "2026-11-20", "title": "t"}}, "microarchitectures": )" +
          rows + "}",
      "table.json"));
}

std::string row(const std::string& match, const std::string& more = "") {
  return R"({"name": "N", "vendor": "v", "match": )" + match + more + R"(, "sources": ["s"]})";
}

}  // namespace

// Numbers as GCC's get_amd_cpu() and get_intel_cpu() know them, typed in by hand rather than read
// from the data.
TEST_CASE("processors are identified by their numbers") {
  CHECK(identify("intel", 6, 207, 2) == "emerald-rapids");
  CHECK(identify("intel", 6, 0x8f, 8) == "sapphire-rapids");
  CHECK(identify("intel", 6, 0x6a, 6) == "ice-lake-sp");
  CHECK(identify("intel", 6, 0x4f, 1) == "broadwell");
  CHECK(identify("intel", 6, 0x3f, 2) == "haswell");
  CHECK(identify("intel", 6, 0x2d, 7) == "sandy-bridge");
  CHECK(identify("intel", 6, 0xad, 1) == "granite-rapids");
  CHECK(identify("intel", 6, 0x9e, 9) == "kaby-lake");
  CHECK(identify("intel", 6, 0x9e, 10) == "coffee-lake");
  CHECK(identify("intel", 19, 1, 0) == "diamond-rapids");
  CHECK(identify("amd", 0x17, 0x01, 2) == "zen");
  CHECK(identify("amd", 0x17, 0x31, 0) == "zen2");
  CHECK(identify("amd", 0x19, 0x01, 1) == "zen3");
  CHECK(identify("amd", 0x19, 0x21, 0) == "zen3");
  CHECK(identify("amd", 0x19, 0x11, 1) == "zen4");
  CHECK(identify("amd", 0x19, 0x61, 2) == "zen4");
  CHECK(identify("amd", 0x1a, 0x02, 1) == "zen5");
  CHECK(identify("amd", 0x1a, 0x44, 0) == "zen5");
  CHECK(identify("arm", 8, 0xd0c, 1) == "neoverse-n1");
  CHECK(identify("arm", 8, 0xd4f, 0) == "neoverse-v2");
  CHECK(identify("fujitsu", 8, 0x001, 0) == "a64fx");
  CHECK(identify("microsoft", 8, 0xd49, 0) == "cobalt-100");
  CHECK(identify("amd", 6, 207, 2).empty());
  CHECK(identify("intel", 6, 0xff, 0).empty());
  CHECK(identify("", 0, 0, 0).empty());
}

TEST_CASE("every row can be reached, and only by its own numbers") {
  for (const auto& known : shipped().all())
    for (const auto& match : known.matches) {
      const int family = match.family.value_or(8);
      const int model = match.models.empty() ? 0 : match.models.front().first;
      const int stepping = match.steppings.empty() ? 9999 : match.steppings.front().first;
      CHECK(identify(known.vendor, family, model, stepping) == known.id);
    }
}

TEST_CASE("identify agrees with a plain reading of the data") {
  const auto in = [](const std::vector<NumberRange>& ranges, int number) {
    bool found = ranges.empty();
    for (const auto& range : ranges)
      found = found || (number >= range.first && number <= range.last);
    return found;
  };
  for (const char* vendor : {"intel", "amd", "arm"})
    for (const int family : {6, 8, 19, 23, 25, 26})
      for (int model = 0; model < 256; ++model)
        for (const int stepping : {0, 4, 5, 7, 10, 11, 12, 15}) {
          std::vector<std::string> exact, general;
          for (const auto& known : shipped().all())
            for (const auto& match : known.matches)
              if (known.vendor == vendor && (!match.family || *match.family == family) &&
                  in(match.models, model) && in(match.steppings, stepping))
                (match.steppings.empty() ? general : exact).push_back(known.id);
          REQUIRE(exact.size() <= 1);
          REQUIRE(general.size() <= 1);
          const auto& expected = exact.empty() ? general : exact;
          REQUIRE(identify(vendor, family, model, stepping) ==
                  (expected.empty() ? "" : expected.front()));
        }
}

TEST_CASE("names, aliases and -march names find a row; spelling details do not matter") {
  for (const char* name : {"emerald-rapids", "Emerald Rapids", "EMR", "emeraldrapids"}) {
    INFO(name);
    REQUIRE(shipped().find(name) != nullptr);
    CHECK(shipped().find(name)->id == "emerald-rapids");
  }
  CHECK(shipped().find("znver3")->id == "zen3");
  CHECK(shipped().find("Zen 3")->id == "zen3");
  CHECK(shipped().find("skylake-avx512")->id == "skylake-sp");
  CHECK(shipped().find("skylake")->id == "skylake");
  CHECK(shipped().find("alderlake")->id ==
        "alder-lake");  // its own name, though others share the -march
  CHECK(shipped().find("") == nullptr);
  CHECK(shipped().find("v100") == nullptr);
}

TEST_CASE("a misspelt name brings the nearest ones") {
  CHECK(shipped().nearest("saphire-rapids").front() == "sapphire-rapids");
  CHECK(shipped().nearest("saphire").front() == "sapphire-rapids");
  CHECK(shipped().nearest("neoverse").size() == 3);
  CHECK(shipped().nearest("v100").empty());
  CHECK(shipped().nearest("").empty());
  CHECK(shipped().nearest("zen8").front().starts_with("zen"));
  CHECK(shipped().nearest("completely-different").empty());
}

TEST_CASE("the shipped data says where it is from") {
  for (const auto& known : shipped().all()) {
    INFO(known.id);
    REQUIRE_FALSE(known.sources.empty());
    for (const auto& source : known.sources)
      CHECK_THAT(source, Contains("http") && Contains("read 20"));
    CHECK(std::ranges::is_sorted(known.isa));
    if (known.fp32_flops_cycle && known.fp64_flops_cycle && known.vector_bits &&
        *known.fma_pipes > 0 && known.id != "zen") {
      CHECK(*known.fp32_flops_cycle == *known.vector_bits / 32.0 * *known.fma_pipes * 2);
      CHECK(*known.fp64_flops_cycle == *known.fp32_flops_cycle / 2);
    }
  }
}

TEST_CASE("a row with steppings may stand inside one without") {
  const auto table = parse(
      R"({"a": )" + row(R"([{"family": 1}])") +
      R"(, "b": {"name": "M", "vendor": "v", "match": [{"family": 1, "steppings": ["3-4", "8"]}], "sources": ["s"]}})");
  CHECK(table.identify("v", 1, 0, 2)->id == "a");
  CHECK(table.identify("v", 1, 0, 4)->id == "b");
  CHECK(table.identify("v", 1, 0, 8)->id == "b");
  CHECK(table.identify("v", 2, 0, 8) == nullptr);
}

}  // namespace microarchitecture_tests
