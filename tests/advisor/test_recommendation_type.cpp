#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "advisor/price.hpp"
#include "advisor/recommendation_type.hpp"
#include "specs/format/json.hpp"
#include "tests/specs/message_of.hpp"

using namespace stackx;
using namespace stackx::advisor;
using namespace stackx::tests;
using Catch::Matchers::Contains;

namespace {

specs::Catalog catalog() {
  return specs::parse_catalog(
      specs::Node::parse_text(R"({"$schema": "stackx/catalog/1", "components": {
    "driver": {"kind": "driver", "versions": {"1.0rc1": {}}},
    "early": {"kind": "package", "ecosystem": "pypi", "versions": {"0.1a1": {}}},
    "torch": {"kind": "package", "ecosystem": "pypi", "versions": {"1.0": {}, "1.1": {}, "1.2.0a0": {}, "1.3.dev1": {}}}}})",
                              "c.json"));
}

struct File {
  std::filesystem::path path = std::filesystem::temp_directory_path() / "stackx-test-osv.json";
  explicit File(const std::string& text) { std::ofstream(path) << text; }
  ~File() { std::filesystem::remove(path); }
};

}  // namespace

TEST_CASE("type: names", "[type]") {
  for (const auto& name : recommendation_types()) CHECK(recommendation_type_from(name));
  CHECK(recommendation_types().size() == 4);
  CHECK_FALSE(recommendation_type_from("PERFORMANCE "));
}

TEST_CASE("type: security takes listed versions away and says which", "[type]") {
  const File file(
      R"([{"id": "PYSEC-1", "affected": [{"package": {"ecosystem": "PyPI", "name": "Torch"}, "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.1"}]}]}]},
                      {"id": "PYSEC-2", "withdrawn": "2024-01-01T00:00:00Z"}])");
  auto all = catalog();
  const auto prepared = prepare(all, RecommendationType::security, file.path);
  CHECK(all.find("torch")->versions.size() == 3);
  CHECK(prepared.why_not("torch", "1.0") == "excluded by PYSEC-1 (stackx-test-osv.json)");
  CHECK(prepared.why_not("torch", "1.1").empty());
  REQUIRE(prepared.notes.size() == 1);
  CHECK_THAT(prepared.notes[0], Contains("1 advisories (1 withdrawn ones ignored); 1 versions"));
  auto again = catalog();
  CHECK_THAT(message_of([&] { prepare(again, RecommendationType::security, ""); }),
             Contains("--advisories FILE"));
  CHECK_THAT(message_of([&] { prepare(again, RecommendationType::latest, file.path); }),
             Contains("--type security"));
  CHECK_THAT(message_of([&] { prepare(again, RecommendationType::security, "/nowhere/osv.json"); }),
             Contains("/nowhere/osv.json"));
}

TEST_CASE("type: stable has no pre-releases where there are releases", "[type]") {
  auto all = catalog();
  const auto prepared = prepare(all, RecommendationType::stable, "");
  CHECK(all.find("torch")->versions.size() == 2);
  CHECK(all.find("early")->versions.size() == 1);
  CHECK(all.find("driver")->versions.size() == 1);
  CHECK(prepared.why_not("torch", "1.2.0a0") == "a pre-release");
  auto same = catalog();
  CHECK(prepare(same, RecommendationType::performance, "").notes.empty());
  CHECK(same.find("torch")->versions.size() == 4);
}

TEST_CASE("type: what is steadier", "[type]") {
  CHECK(steadier({0.01, 5}, {0.02, 50}));
  CHECK_FALSE(steadier({0.02, 50}, {0.01, 5}));
  CHECK(steadier({0.5, 2}, {std::nullopt, 100}));
  CHECK(steadier({std::nullopt, 3}, {std::nullopt, 2}));
  CHECK_FALSE(steadier({0.01, 5}, {0.01, 5}));
}

TEST_CASE("price: a price an hour over a rate", "[price]") {
  // 100 TFLOP/s at 3.60 an hour: 0.001 a second, 10 s for 10^15 flop.
  const auto cost = cost_of(3.6, 100'000, "GFLOP/s", specs::Interval{50'000, 200'000, 0.97});
  REQUIRE(cost);
  CHECK(cost->amount == Approx(0.01));
  CHECK(cost->per == "10^15 flop");
  REQUIRE(cost->interval);
  CHECK(cost->interval->low == Approx(0.005));
  CHECK(cost->interval->high == Approx(0.02));
  CHECK(cost->interval->coverage == 0.97);
  CHECK(cost_of(3.6, 1000, "images/s", std::nullopt, 8)->amount == Approx(8));
  CHECK(cost_of(3.6, 1000, "images/s")->per == "million images");
  CHECK(cost_of(3.6, 900, "GB/s")->amount == Approx(0.001 / 0.9));
  CHECK_FALSE(cost_of(3.6, 10, "minutes"));
  CHECK_FALSE(cost_of(3.6, 0, "GFLOP/s"));
  CHECK_FALSE(cost_of(0, 1, "GFLOP/s"));
  CHECK(price_from("2.48") == 2.48);
  for (const char* text : {"", "free", "-1", "0", "1e999", "nan", "3 EUR", "inf"})
    CHECK_THAT(message_of([&] { price_from(text); }), Contains("--price"));
}
