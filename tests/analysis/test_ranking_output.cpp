#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/ranking/ranking.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

Ranking sample() {
  specs::Random random(8);
  const double base[] = {1234, 1230, 900, 30.5};
  auto measurements = campaign(4, 12, [&](std::size_t arm, std::uint64_t) {
    return base[arm] * std::exp(0.01 * normal(random));
  });
  measurements.push_back(failure(stack("0.3.2"), 50, specs::Outcome::crashed, "signal 11"));
  measurements.push_back(
      failure(stack("broken"), 0, specs::Outcome::build_failed, "hash mismatch of a.whl"));
  return rank(measurements, matmul, {.this_host = here});
}

std::size_t width(const std::string& line) {
  std::size_t n = 0;
  for (const char c : line) n += (c & 0xc0) != 0x80;
  return n;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

}  // namespace

TEST_CASE("output: JSON as the design fixes it") {
  const auto json = to_json(sample());
  for (const char* key : {"hw", "workload", "recommendations", "notes", "failed", "delta"})
    CHECK(json.contains(key));
  REQUIRE(json["recommendations"].size() == 4);
  for (const auto& row : json["recommendations"])
    for (const char* key : {"rank", "stack", "rate", "cv", "inspections", "failures", "evidence",
                            "sources", "verdict_vs_best"})
      CHECK(row.contains(key));
  const auto& best = json["recommendations"][0];
  CHECK(best["rank"] == 1);
  CHECK(best["verdict_vs_best"].is_null());
  CHECK(best["rate"]["unit"] == "GFLOP/s");
  CHECK(best["rate"]["ci95"].size() == 2);
  CHECK(
      best["stack"]["id"] ==
      (best["stack"]["components"]["openblas"] == "0.3.0" ? stack("0.3.0") : stack("0.3.1")).id());
  const auto& third = json["recommendations"][2];
  CHECK(third["verdict_vs_best"] == "SLOWER");
  CHECK(third["vs_best"]["ratio"].get<double>() == Approx(900.0 / 1232).epsilon(0.02));
  CHECK(third["failures"] == 1);
  CHECK(third["failures_by_outcome"]["crashed"] == 1);
  CHECK(json["failed"][0]["reason"] == "hash mismatch of a.whl");
  CHECK(json.dump().find("null,null") == std::string::npos);
}

TEST_CASE("output: JSON says why an interval is missing") {
  const auto json = to_json(rank({measurement(stack("a"), 0, 10)}, matmul, {.this_host = here}));
  CHECK(json["recommendations"][0]["rate"]["ci95"].is_null());
  CHECK(json["recommendations"][0]["rate"]["note"].is_string());
  CHECK(json["recommendations"][0]["cv"].is_null());
}

TEST_CASE("output: the table fits, says constants once and marks ties") {
  const std::string text = table(sample(), 0, false);
  INFO(text);
  for (const std::string& line : lines(text)) CHECK(width(line) <= 120);
  CHECK_THAT(
      text,
      Catch::Contains("All stacks: cpu host") && Catch::Contains("All evidence: measured") &&
          Catch::Contains("=1") && Catch::Contains("SLOWER ×0.7") && Catch::Contains("12 ") &&
          Catch::Contains("openblas 0.3.2") && Catch::Contains("±1%") && Catch::Contains("95%") &&
          Catch::Contains("1 build_failed: hash mismatch of a.whl") && Catch::Contains("Notes:"));
  CHECK(text.find("cpu host", text.find("cpu host") + 1) == std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(table(sample(), 0, true).find('\x1b') != std::string::npos);
}

TEST_CASE("output: columns are aligned") {
  const auto all = lines(table(sample(), 0, false));
  std::size_t header = 0;
  while (all[header].find("vs best  ") == std::string::npos) ++header;
  const std::size_t column = all[header].find("stack");
  for (std::size_t i = header + 1; i <= header + 4; ++i) {
    // Bytes before the stack: "×" has two.
    std::size_t at = 0, seen = 0;
    while (seen < column) seen += (all[i][++at] & 0xc0) != 0x80;
    CHECK(all[i].substr(at - 2, 2) == "  ");
    CHECK(all[i][at] != ' ');
  }
}

TEST_CASE("output: rows are limited and the rest is counted") {
  const std::string text = table(sample(), 2, false);
  CHECK_THAT(text, Catch::Contains("... and 2 more"));
  CHECK(text.find("0.3.3") == std::string::npos);
}

TEST_CASE("output: wide stacks wrap and stay within the page") {
  auto measurements = campaign(
      3, 8, [](std::size_t arm, std::uint64_t) { return 100.0 + static_cast<double>(arm); });
  for (auto& m : measurements)
    for (int i = 0; i < 9; ++i)
      m.stack.components["component-" + std::to_string(i)] =
          "1.2." + m.stack.components["openblas"];
  const std::string text = table(rank(measurements, matmul, {.this_host = here}), 0, false);
  INFO(text);
  for (const std::string& line : lines(text)) CHECK(width(line) <= 120);
  for (int i = 0; i < 9; ++i)
    CHECK_THAT(text, Catch::Contains("component-" + std::to_string(i) + " 1.2.0.3.2"));
}

TEST_CASE("output: an empty ranking is a sentence, not a crash") {
  const Ranking empty = rank({}, matmul, {});
  CHECK_THAT(table(empty, 10, false), Catch::Contains("0 stacks ranked"));
  CHECK(to_json(empty)["recommendations"].empty());
}
