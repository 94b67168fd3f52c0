#include "specs/hardware/processor.hpp"

#include <catch2/catch.hpp>

#include "specs/format/json.hpp"
#include "tests/specs/message_of.hpp"

namespace processor_tests {

using namespace stackx;
using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;

namespace {

constexpr const char* data = STACKX_SOURCE_DIR "/specs/data";

std::string identified(const Processors& table, std::string_view name) {
  const auto* model = table.identify(name);
  return model == nullptr ? "" : model->name;
}

void parse(const std::string& attributes) {
  const Catalog catalog = parse_catalog(Node::parse_text(
      R"({"$schema": "stackx/catalog/1", "components": {"cpu-model": {"kind": "hardware",
         "versioning": "opaque", "versions": {"x": {"attributes": )" +
          attributes + "}}}}}",
      "cpus.json"));
  Processors{*catalog.find("cpu-model")};
}

}  // namespace

TEST_CASE("processors are found in the names that systems print", "[processor]") {
  const Processors table = load_processors(data);
  CHECK(identified(table, "Intel(R) Xeon(R) Platinum 8260L CPU @ 2.40GHz") ==
        "xeon-platinum-8260l");
  CHECK(identified(table, "Intel(R) Xeon(R) CPU E5-2698 v4 @ 2.20GHz") == "xeon-e5-2698-v4");
  CHECK(identified(table, "AMD EPYC 7742 64-Core Processor") == "epyc-7742");
  CHECK(identified(table, "xeon-platinum-8168") == "xeon-platinum-8168");
  for (const char* name : {"", "Xeon", "Platinum", "Intel(R) Xeon(R) Platinum 8260 CPU", "EPYC 77"})
    CHECK(identified(table, name) == "");
  const auto microarchitectures =
      Microarchitectures::load(std::string(data) + "/microarchitectures.json");
  for (const auto& processor : table.all()) {
    INFO(processor.name);
    CHECK_FALSE(processor.sources.empty());
    CHECK(microarchitectures.find(processor.microarchitecture) != nullptr);
    for (const auto& name : {processor.name, processor.title}) {
      const auto* numbered = microarchitectures.of_processor(name);
      CHECK((numbered ? numbered->id : "") == processor.microarchitecture);
    }
  }
}

TEST_CASE("a processor's peak is cores times clock times flop per cycle", "[processor]") {
  const Processors table = load_processors(data);
  const auto microarchitectures =
      Microarchitectures::load(std::string(data) + "/microarchitectures.json");
  const auto peak = peak_of(*table.identify("EPYC 7742"), microarchitectures);
  REQUIRE(peak);
  CHECK(peak->float32 == Approx(64 * 2.25 * 32));
  CHECK(peak->float64 == Approx(2304));
  CHECK_FALSE(peak_of(*table.identify("Xeon Platinum 9282"), microarchitectures));  // cores?
}

TEST_CASE("mistakes in the processor catalog are named", "[processor]") {
  CHECK_THAT(message_of([] { parse(R"({"title": "X", "vendor": "intel"})"); }),
             Contains("/components/cpu-model/versions/x/attributes/microarchitecture: missing"));
  CHECK_THAT(message_of([] {
               parse(R"({"title": "X", "vendor": "amd", "microarchitecture": "zen", "cores": "x"})");
             }),
             Contains("cores: \"x\" is no number above 0"));
}

}  // namespace processor_tests
