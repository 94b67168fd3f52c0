#include <catch2/catch.hpp>
#include <filesystem>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/published/source_comparison.hpp"
#include "analysis/statistics/rank_sum.hpp"
#include "specs/format/json.hpp"
#include "specs/random.hpp"
#include "specs/result/evidence.hpp"
#include "tests/analysis/ask_oracle.hpp"

using namespace stackx;
using namespace stackx::analysis;
using Catch::Contains;

namespace {

SourceSide side(const std::string& name, const std::string& tables) {
  const std::string text =
      R"({"$schema": "stackx/evidence/1", "source": [{"url": "https://example.org/made-up", "read": "2026-11-20"}],
          "tables": [)" +
      tables + "]}";
  return {name, specs::parse_evidence(specs::Node::parse_text(text, name + ".json")).rows};
}

std::string ssd(const std::string& value, const std::string& more = "",
                const std::string& values = "null") {
  return R"({"source": 0, "hardware": "V100", "devices": 8, "pi": "train_ssd", "metric": "minutes_to_train",
             "params": {"division": "closed"}, "stack": {"cuda": "10.1.163", "os": "Ubuntu 18.04"})" +
         more + R"(, "columns": ["value", "values"], "rows": [[)" + value + ", " + values + "]]}";
}

SourceSide shipped(const std::string& id) {
  SourceSide result{id, {}};
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(STACKX_SOURCE_DIR "/specs/data/evidence"))
    if (entry.path().filename() == "mlperf-training-v0.6.json")
      for (const auto& row : specs::load_evidence(entry.path()).rows)
        if (const auto found = row.details.find("mlperf_id");
            found != row.details.end() && found->second == id)
          result.results.push_back(row);
  return result;
}

}  // namespace

TEST_CASE("the rank-sum test's counts and intervals are those of an enumeration", "[rank_sum]") {
  specs::Random random(7);
  nlohmann::json request = {{"cases", nlohmann::json::array()}};
  std::vector<std::pair<std::vector<double>, std::vector<double>>> samples;
  for (std::size_t n = 1; n <= 6; ++n)
    for (std::size_t m = 1; m <= 6; ++m) {
      std::vector<double> a(n), b(m);
      for (double& x : a) x = static_cast<double>(random.below(1000)) / 100;
      for (double& x : b) x = static_cast<double>(random.below(1000)) / 100;
      samples.emplace_back(a, b);
      request["cases"].push_back({{"a", a}, {"b", b}, {"confidence", m % 2 ? 0.95 : 0.8}});
    }
  const auto answers = test::ask_oracle("oracle_rank_sum.py", request);
  REQUIRE_FALSE(answers.contains("missing"));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto& [a, b] = samples[i];
    const auto& answer = answers["answers"][i];
    CAPTURE(a, b);
    for (std::size_t u = 0; u < answer["cdf"].size(); ++u)
      CHECK(rank_sum_cdf(u, a.size(), b.size()) == Approx(answer["cdf"][u].get<double>()));
    const Shift shift = shift_between(a, b, request["cases"][i]["confidence"]);
    CHECK(shift.estimate == Approx(answer["estimate"].get<double>()).margin(1e-12));
    REQUIRE(shift.interval.has_value() == !answer["interval"].is_null());
    if (!shift.interval) continue;
    CHECK(shift.interval->low == Approx(answer["interval"][0].get<double>()).margin(1e-12));
    CHECK(shift.interval->high == Approx(answer["interval"][1].get<double>()).margin(1e-12));
    CHECK(shift.interval->coverage == Approx(answer["interval"][2].get<double>()));
  }
  CHECK(rank_sum_cdf(0, 5, 5) == Approx(1.0 / 252));
  CHECK(rank_sum_cdf(10'000, 60, 60) == Approx(1));
  CHECK_FALSE(shift_between(std::vector{1.0, 2.0, 3.0}, std::vector{4.0, 5.0, 6.0}, 0.95).interval);
}

TEST_CASE("the minutes of two MLPerf submissions, from the table itself", "[source_comparison]") {
  const auto comparison = compare_sources(shipped("0.6-9"), shipped("0.6-18"));
  REQUIRE(comparison.pairs.size() == 4);
  const std::map<std::string, std::pair<double, double>> minutes{
      {"train_gnmt", {20.55, 10.94}},
      {"train_maskrcnn", {207.48, 101}},
      {"train_ssd", {22.36, 12.21}},
      {"train_transformer", {20.34, 11.04}}};
  for (const auto& pair : comparison.pairs) {
    const auto [first, second] = minutes.at(pair.first.workload.pi);
    CHECK(pair.difference == Approx((second - first) / first));
    REQUIRE(pair.ratio);
    REQUIRE(pair.ratio->interval);
    CHECK(pair.ratio->interval->high < 1);
    CHECK_FALSE(*pair.ranges_overlap);
    CHECK(pair.cautions.front() == "8 devices against 16");
    CHECK(pair.differs.size() == 1);
    CHECK(pair.differs.contains("os"));
  }
  const auto text = table(comparison, false);
  CHECK_THAT(text, Contains("From -51.32% to -45.39% over 4 benchmarks"));
  CHECK_THAT(text, Contains("https://mlperf.org/training-results-0-6"));
  // The other way round the second needs more.
  for (const auto& pair : compare_sources(shipped("0.6-18"), shipped("0.6-9")).pairs)
    CHECK(pair.difference > 0);
}

TEST_CASE("single numbers get no interval, and the reason is said", "[source_comparison]") {
  const auto says = [](const std::string& a, const std::string& b) {
    const auto comparison = compare_sources(side("a", a), side("b", b));
    REQUIRE(comparison.pairs.size() == 1);
    return verdict_text(comparison.pairs.front());
  };
  const std::string runs = "[22.29, 22.33, 22.34, 22.42, 22.46]";
  CHECK_THAT(says(ssd("22.36"), ssd("21")),
             Contains("no interval: the first is a single number, the second is a single number"));
  CHECK_THAT(
      says(ssd("22.36", "", runs), ssd("21")),
      Contains("the second is a single number; it lies outside the range of the other's runs"));
  CHECK_THAT(says(ssd("22.4"), ssd("22.36", "", runs)), Contains("it lies inside the range"));
  CHECK_THAT(says(ssd("22.36", R"(, "statistic": "trimmed_mean", "runs": 5, "min": 22, "max": 23)"),
                  ssd("23.1", R"(, "runs": 5, "min": 22.9, "max": 24)")),
             Contains("a trimmed mean of 5 runs that are not published") &&
                 Contains("the stated ranges overlap"));
  CHECK_THAT(says(ssd("2", "", "[1, 2, 3]"), ssd("5", "", "[4, 5, 6]")),
             Contains("no interval: 3 and 3 runs are too few") && Contains("apart"));
  CHECK_THAT(says(ssd("22.36", "", runs), ssd("22.37", "", runs)),
             Contains("5 and 5 runs: ratio 1.000") && Contains("no difference is shown"));
}

TEST_CASE("what differs, what is missing and what is ambiguous is said", "[source_comparison]") {
  const std::string gnmt =
      R"(, {"source": 0, "pi": "train_gnmt", "metric": "minutes_to_train", "columns": ["value"], "rows": [[20]]})";
  std::string other = ssd("23");
  other.replace(other.find("10.1.163"), 8, "10.1.168");
  const auto comparison = compare_sources(side("a", ssd("22") + gnmt), side("b", other));
  REQUIRE(comparison.pairs.size() == 1);
  const auto& pair = comparison.pairs.front();
  CHECK(pair.difference == Approx(1.0 / 22));
  CHECK(pair.differs == std::map<std::string, std::pair<std::string, std::string>>{
                            {"cuda", {"10.1.163", "10.1.168"}}});
  REQUIRE(comparison.notes.size() == 1);
  CHECK(comparison.notes.front() == "only a has train_gnmt (minutes_to_train)");

  const auto twice = compare_sources(side("a", ssd("22") + ", " + ssd("24")), side("b", ssd("23")));
  CHECK(twice.pairs.empty());
  CHECK_THAT(twice.notes.front(), Contains("train_ssd stands several times"));

  std::string open = ssd("23");
  open.replace(open.find("closed"), 6, "opened");
  const auto divisions = compare_sources(side("a", ssd("22")), side("b", open));
  CHECK(divisions.pairs.empty());
  CHECK_THAT(divisions.notes.front(), Contains("not one benchmark"));
}
