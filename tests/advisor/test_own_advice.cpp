#include <catch2/catch.hpp>

#include "advisor/own_advice.hpp"

using namespace stackx;
using namespace stackx::advisor;
using Catch::Matchers::Contains;

namespace {

specs::Stack stack(std::map<std::string, std::string> components) {
  specs::Stack result;
  result.components = std::move(components);
  return result;
}

OwnStack own() { return {"my.lock", stack({{"tensorflow", "1.14.0"}, {"python", "3.7"}}), {}}; }

NearestStack valid() {
  return {stack({{"tensorflow", "1.14.0"}, {"python", "3.7"}, {"cuda", "10.0.130"}}), {}, {}};
}

NearestStack other() {
  return {stack({{"tensorflow", "2.12.0"}, {"python", "3.8"}, {"cuda", "11.8.0"}}),
          {{"tensorflow", {"1.14.0", "2.12.0"}}, {"python", {"3.7", "3.8"}}},
          {}};
}

analysis::Recommendation measured(const specs::Stack& of, double median) {
  analysis::Recommendation row;
  row.stack = of;
  row.median = median;
  row.inspections = 12;
  row.evidence = "measured";
  return row;
}

analysis::Ranking ranking() {
  analysis::Ranking result;
  result.unit = "GFLOP/s";
  result.recommendations = {measured(stack({{"tensorflow", "1.15.0"}, {"python", "3.7"}}), 110),
                            measured(stack({{"tensorflow", "1.14.0"}, {"python", "3.7"}}), 88)};
  result.recommendations[0].rank = 1;
  result.recommendations[1].rank = 2;
  analysis::Comparison compared;
  compared.verdict = analysis::Verdict::slower;
  compared.ratio = 0.8;
  result.recommendations[1].versus_best = compared;
  return result;
}

// CUDA 10.0 at half the rate of CUDA 10.1, or at its rate.
analysis::PublishedRanking published(bool slower) {
  analysis::PublishedGroup group;
  group.hardware = "V100";
  group.unit = "GFLOP/s";
  group.rows.resize(2);
  group.rows[0].rank = 1;
  group.rows[0].stack = stack({{"cuda", "10.1.243"}});
  group.rows[1].rank = slower ? 2 : 1;
  group.rows[1].stack = stack({{"cuda", "10.0.130"}});
  analysis::ShapeComparison compared;
  compared.ratio = slower ? 0.5 : 1;
  compared.interval = analysis::Interval{compared.ratio * 0.9, compared.ratio * 1.1};
  compared.shapes = 20;
  group.rows[1].over_shapes = compared;
  analysis::PublishedRanking result;
  result.groups = {group};
  return result;
}

}  // namespace

TEST_CASE("own stack: nothing known is no reason to change", "[own]") {
  const auto advice = own_advice(own(), valid(), {}, {});
  CHECK(advice.stay);
  REQUIRE(advice.lines.size() == 1);
  CHECK_THAT(advice.lines[0], Contains("stay until it is"));
}

TEST_CASE("own stack: what is not valid cannot stay", "[own]") {
  for (const auto& of_others : {analysis::PublishedRanking{}, published(false), published(true)}) {
    const auto advice = own_advice(own(), other(), {}, of_others);
    CHECK_FALSE(advice.stay);
    CHECK_THAT(advice.lines.back(), Contains("cannot stay"));
    for (const auto& line : advice.lines) CHECK_THAT(line, !Contains("Stay:"));
  }
}

TEST_CASE("own stack: what was measured is compared with the best", "[own]") {
  const auto advice = own_advice(own(), valid(), ranking(), {});
  CHECK_FALSE(advice.stay);
  REQUIRE(advice.lines.size() == 1);
  CHECK_THAT(advice.lines[0], Contains("rank 2") && Contains("n=12") &&
                                  Contains("tensorflow 1.14.0 -> 1.15.0 brings x1.250"));
  auto tied = ranking();
  tied.recommendations[1].versus_best->verdict = analysis::Verdict::equivalent;
  CHECK(own_advice(own(), valid(), tied, {}).stay);
  // It was measured here: that it runs is known, whatever the catalogs say.
  CHECK(own_advice(own(), other(), tied, {}).stay);
}

TEST_CASE("own stack: the same Python alone is not the same stack", "[own]") {
  auto rows = ranking();
  rows.recommendations.pop_back();
  rows.recommendations[0].stack = stack({{"mkl", "2024.0"}, {"python", "3.7"}});
  const auto advice = own_advice(own(), valid(), rows, {});
  CHECK(advice.stay);
  REQUIRE(advice.lines.size() == 1);
  CHECK_THAT(advice.lines[0], Contains("None of the stacks measured here"));
}

TEST_CASE("own stack: published results of its CUDA", "[own]") {
  CHECK(own_advice(own(), valid(), {}, published(false)).stay);
  const auto advice = own_advice(own(), valid(), {}, published(true));
  CHECK_FALSE(advice.stay);
  CHECK_THAT(advice.lines[0], Contains("cuda 10.0.130 -> 10.1.243 brought x2.000"));
}
