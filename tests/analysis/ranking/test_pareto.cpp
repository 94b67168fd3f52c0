#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/ranking/pareto.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

struct Arm {
  double rate, cv;
};

// Each arm's rates lie at rate * (1 +- spread), so that its CV is what is asked for.
std::vector<store::Measurement> arms(const std::vector<Arm>& all, std::uint64_t rounds) {
  return campaign(all.size(), rounds, [&](std::size_t arm, std::uint64_t round) {
    const double spread = all[arm].cv * std::sqrt((static_cast<double>(rounds) - 1) /
                                                  static_cast<double>(rounds));
    return all[arm].rate * (1 + (round % 2 ? spread : -spread));
  });
}

std::vector<std::string> versions(const Pareto& pareto) {
  std::vector<std::string> result;
  for (const auto& point : pareto.front) result.push_back(point.row.stack.components.at("openblas"));
  return result;
}

Pareto pareto_of(const std::vector<store::Measurement>& measurements) {
  return pareto(rank(measurements, matmul, {.this_host = here}), measurements, here);
}

}  // namespace

TEST_CASE("pareto: who is beaten in both is left out and counted") {
  auto measurements = arms({{100, 0.08}, {90, 0.05}, {80, 0.05}, {70, 0.01}, {60, 0.02}}, 10);
  measurements.push_back(measurement(stack("0.3.77"), 0, 500));  // one inspection: no CV
  const auto found = pareto_of(measurements);
  CHECK(versions(found) == std::vector<std::string>{"0.3.0", "0.3.1", "0.3.3"});
  REQUIRE(found.dominated.size() == 2);
  CHECK(found.too_few == 1);
  for (const auto& point : found.front) {
    REQUIRE(point.cv_ci);
    CHECK(point.cv_ci->low <= *point.row.cv);
    CHECK(point.cv_ci->high >= *point.row.cv);
    CHECK(point.cv_ci->low > 0);
  }
}

TEST_CASE("pareto: equals stay together, one stack is its own front, none is none") {
  CHECK(pareto_of(arms({{100, 0.05}, {100, 0.05}, {90, 0.06}}, 8)).front.size() == 2);
  CHECK(pareto_of(arms({{100, 0.05}}, 8)).front.size() == 1);
  CHECK(pareto_of(arms({{100, 0.05}}, 3)).front[0].cv_ci == std::nullopt);
  const std::vector<store::Measurement> one{measurement(stack("1"), 0, 5)};
  const auto none = pareto_of(one);
  CHECK(none.front.empty());
  CHECK(none.too_few == 1);
  CHECK(table(none, rank(one, matmul, {.this_host = here}), false).find("No stack has two") !=
        std::string::npos);
}

TEST_CASE("pareto: the front is what comparing all pairs gives") {
  specs::Random random(4);
  for (int trial = 0; trial < 10; ++trial) {
    const auto measurements = campaign(12, 7, [&](std::size_t arm, std::uint64_t) {
      return 100 * std::exp(0.05 * normal(random)) + static_cast<double>(arm);
    });
    const auto ranking = rank(measurements, matmul, {.this_host = here});
    const auto found = pareto(ranking, measurements, here);
    std::size_t expected = 0;
    for (const auto& row : ranking.recommendations) {
      bool best = true;
      for (const auto& other : ranking.recommendations)
        best = best && !(other.median > row.median && *other.cv < *row.cv);
      expected += best;
    }
    CHECK(found.front.size() == expected);
    CHECK(found.front.size() + found.dominated.size() == 12);
    CHECK(std::is_sorted(found.front.begin(), found.front.end(), [](const auto& a, const auto& b) {
      return a.row.median > b.row.median;
    }));
  }
}

TEST_CASE("pareto: documents and tables") {
  const auto measurements = arms({{100, 0.08}, {90, 0.05}, {80, 0.06}}, 10);
  const auto ranking = rank(measurements, matmul, {.this_host = here});
  const auto found = pareto(ranking, measurements, here);
  const auto document = to_json(found, ranking);
  CHECK(document["front"].size() == 2);
  CHECK(document["dominated"] == 1);
  CHECK(document["front"][0]["cv"]["ci95"].size() == 2);
  CHECK(document["front"][0]["inspections"] == 10);
  const std::string text = table(found, ranking, false);
  CHECK(text.find("All of these: cpu host") != std::string::npos);
  CHECK(text.find("openblas 0.3.0") != std::string::npos);
  CHECK(text.find("openblas 0.3.2") == std::string::npos);
}
