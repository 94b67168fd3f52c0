// Scores are exact: equal sums compare equal, whatever their decimals.
#include <catch2/catch.hpp>

#include "specs/catalog/score.hpp"
#include "specs/format/json.hpp"
#include "tests/specs/message_of.hpp"

using namespace stackx::specs;
using Catch::Matchers::Contains;
using stackx::tests::message_of;

namespace {

Catalog catalog() {
  return parse_catalog(Node::parse_text(R"({"$schema": "stackx/catalog/1", "components": {
    "a": {"kind": "package", "versions": {"1.0": {}, "2": {}, "3": {}}}}})",
                                        "catalog"));
}

Scores scores(const std::string& versions) {
  return parse_scores(
      Node::parse_text(R"({"$schema": "stackx/score/1", "scores": {"a": {)" + versions + "}}}",
                       "s"),
      catalog());
}

}  // namespace

TEST_CASE("scores are multiples of one power of ten") {
  const auto all = scores(R"("1.0": 0.1, "2": 0.2, "3": -0.3)");
  const auto& a = all.of.at("a");
  CHECK(all.decimals == 1);
  CHECK(a.at("1.0") + a.at("2") + a.at("3") == 0);
  CHECK(all.text(a.at("3")) == "-0.3");
  CHECK(all.text(0) == "0.0");
  CHECK(scores(R"("1.0": 1.25e2, "2": 3, "3": 1E-1)").text(1251) == "125.1");
  CHECK(scores(R"("1.0": 120)").text(120) == "120");
  CHECK(scores(R"("1.0": 0.000)").decimals == 0);
}

TEST_CASE("a version is found by its normal form and kept as the catalog writes it") {
  CHECK(scores(R"("1": 7)").of.at("a").at("1.0") == 7);
}

TEST_CASE("scores that cannot be added up exactly are refused") {
  CHECK_THAT(message_of([] { scores(R"("1.0": 1e-31)"); }), Contains("30 decimals"));
  CHECK_THAT(message_of([] { scores(R"("1.0": 1e20, "2": 1e-20)"); }), Contains("30 digits"));
  CHECK_THAT(message_of([] { scores(R"("1.0": true)"); }), Contains("expected a number"));
}
