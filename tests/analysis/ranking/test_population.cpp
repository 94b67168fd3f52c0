// A sample's ranking against that of everything it was drawn from.
#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/ranking/ranking.hpp"
#include "analysis/statistics/statistics.hpp"
#include "store/questions/sample.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

constexpr std::size_t arms = 8;
constexpr std::uint64_t rounds = 1500, share = 120;

// Ties, narrow and wide gaps; a machine that wanders; one in twenty inspections slow.
std::vector<std::vector<double>> logs_of(std::uint64_t seed) {
  static constexpr double levels[arms] = {0, 0, -0.004, -0.015, -0.015, -0.03, -0.1, -0.4};
  specs::Random random(seed);
  std::vector<std::vector<double>> logs(arms, std::vector<double>(rounds));
  double machine = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    machine += 0.002 * normal(random);
    for (std::size_t arm = 0; arm < arms; ++arm)
      logs[arm][round] = std::log(100) + levels[arm] + machine + 0.02 * normal(random) - (random.below(20) ? 0 : 0.2);
  }
  return logs;
}

std::vector<store::Measurement> sample_of(const std::vector<std::vector<double>>& logs, std::uint64_t seed) {
  std::vector<store::Stratum> strata;
  for (std::int64_t arm = 0; arm < static_cast<std::int64_t>(arms); ++arm)
    strata.push_back({{{specs::derive_seed(seed, "campaign"), arm * 4096,
                        arm * 4096 + static_cast<std::int64_t>(rounds) - 1, 0}},
                      rounds});
  std::vector<store::Measurement> result;
  store::draw(strata, share, [&](std::int64_t row) {
    const auto arm = static_cast<std::size_t>(row / 4096), round = static_cast<std::size_t>(row % 4096);
    result.push_back(measurement(stack("0.3." + std::to_string(arm)), round, std::exp(logs[arm][round])));
    return true;
  });
  return result;
}

std::size_t arm_of(const specs::Stack& stack) { return std::stoul(stack.components.at("openblas").substr(4)); }

double full_ratio(const std::vector<std::vector<double>>& logs, std::size_t a, std::size_t b) {
  std::vector<double> paired;
  for (std::uint64_t round = 0; round < rounds; ++round) paired.push_back(logs[a][round] - logs[b][round]);
  return std::exp(median(paired));
}

}  // namespace

TEST_CASE("population: what a sample shows, everything shows too") {
  int medians = 0, medians_covered = 0, families = 0, families_covered = 0, slower = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto logs = logs_of(seed);
    Options options;
    options.this_host = here;
    const Ranking ranking = rank(sample_of(logs, seed), matmul, options);
    REQUIRE(ranking.recommendations.size() == arms);
    const auto best = std::ranges::find_if(ranking.recommendations, [](const auto& row) { return !row.versus_best; });
    bool covered = true;
    for (const Recommendation& row : ranking.recommendations) {
      const std::size_t arm = arm_of(row.stack);
      const double all = std::exp(median(logs[arm]));
      REQUIRE(row.inspections == share);
      REQUIRE(row.ci);
      ++medians;
      medians_covered += row.ci->low <= all * (1 + 1e-6) && all <= row.ci->high * (1 + 1e-6);
      if (!row.versus_best) continue;
      REQUIRE(row.versus_best->pairs == share);  // sampled in the same rounds
      const double ratio = full_ratio(logs, arm, arm_of(best->stack));
      const auto& interval = *row.versus_best->interval;
      covered = covered && interval.low <= ratio * (1 + 1e-6) && ratio <= interval.high * (1 + 1e-6);
      if (row.versus_best->verdict == Verdict::slower) CHECK(ratio < 1);
      if (row.versus_best->verdict == Verdict::faster) CHECK(ratio > 1);
      slower += row.versus_best->verdict == Verdict::slower;
    }
    ++families;
    families_covered += covered;
    CHECK(arm_of(best->stack) <= 2);
    CHECK(arm_of(ranking.recommendations.back().stack) == 7);
  }
  CHECK(medians_covered >= 0.94 * medians);
  CHECK(families_covered >= 0.9 * families);
  CHECK(slower >= 3 * 40);  // the gaps of 3, 10 and 40%
}

TEST_CASE("population: failures are counted among all, the numbers are of what was read") {
  auto some = campaign(2, 30, [](std::size_t arm, std::uint64_t round) {
    return 100.0 - 10.0 * static_cast<double>(arm) + static_cast<double>(round % 3);
  });
  some.push_back(failure(stack("0.3.7"), 0, specs::Outcome::crashed, "signal 11"));
  Options options;
  options.this_host = here;
  options.population = Population{12'000, some.size(), 30, 1,
                                  {{stack("0.3.0"), {5'000, {{"crashed", 17}}}},
                                   {stack("0.3.1"), {6'000, {}}},
                                   {stack("0.3.7"), {3, {{"crashed", 990}}}}}};
  const Ranking ranking = rank(some, matmul, options);
  CHECK(ranking.recommendations[0].inspections == 30);
  CHECK(ranking.recommendations[0].measured == 5'000);
  CHECK(ranking.recommendations[0].failed() == 17);
  CHECK(ranking.failed[0].failed() == 990);
  const auto says = [&](const std::string& text) {
    return std::ranges::any_of(ranking.notes, [&](const auto& note) { return note.find(text) != note.npos; });
  };
  CHECK(says("of 12,000 inspections 61 were read, a sample: up to 30 of each"));
  CHECK(says("1 stack ended well at times, but in no inspection that was read"));
}
