// Racing: who leaves, when, and who runs the finals.
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "analysis/ranking/race.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

const specs::StrategySpec strategy{.kind = specs::StrategySpec::Kind::race};

// Runs a race on arms with these log offsets; `noise(arm)` is added to each value.
struct Ran {
  Table table;
  Race race;
  std::size_t inspections = 0;
};

Ran run(const std::vector<double>& offsets, std::uint64_t most_rounds,
        const std::function<double(std::size_t)>& noise) {
  Ran ran{Table(offsets.size()), {}, 0};
  for (;;) {
    ran.race = race(ran.table, strategy, most_rounds);
    if (ran.race.running.empty()) return ran;
    for (auto& row : ran.table) row.emplace_back();
    for (const std::size_t arm : ran.race.running) {
      ran.table[arm].back() = offsets[arm] + noise(arm);
      ++ran.inspections;
    }
  }
}

}  // namespace

TEST_CASE("race: nobody leaves before the second round") {
  const Race nothing = race(Table(3), strategy, 10);
  CHECK(nothing.running == std::vector<std::size_t>{0, 1, 2});
  CHECK(!nothing.finals);
  Table one{{0.0}, {-3.0}, {-3.0}};
  CHECK(race(one, strategy, 10).running.size() == 3);
}

TEST_CASE("race: slow arms leave at once, close ones stay, two finalists run fresh rounds") {
  specs::Random random(1);
  const Ran ran = run({0, -0.03, -0.5, -0.6, -0.7, -0.8}, 40,
                      [&](std::size_t) { return 0.01 * normal(random); });
  REQUIRE(ran.race.finals);
  CHECK(ran.race.finalists == std::vector<std::size_t>{0, 1});
  CHECK(ran.race.eliminations.size() >= 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(ran.race.eliminations[i].round == 1);
    CHECK(ran.race.eliminations[i].behind > ran.race.eliminations[i].bound);
  }
  for (std::size_t arm = 2; arm < 6; ++arm)
    for (std::uint64_t round = 2; round < ran.table[arm].size(); ++round)
      CHECK(!ran.table[arm][round]);
  CHECK(ran.table[0].size() == *ran.race.finals + strategy.final_rounds);

  const auto places = finals(ran.table, ran.race, 0.01, 0.95);
  REQUIRE(places.size() == 2);
  CHECK(places[0].arm == 0);
  CHECK(places[0].rounds == strategy.final_rounds);
  CHECK(!places[0].versus_first);
  CHECK(places[1].versus_first->pairs == strategy.final_rounds);
  CHECK(places[1].versus_first->verdict == Verdict::faster);
}

TEST_CASE("race: a race that was interrupted goes on as if nothing had happened") {
  specs::Random random(2);
  const Ran ran =
      run({0, -0.05, -0.08, -0.3, -0.31}, 40, [&](std::size_t) { return 0.03 * normal(random); });
  const std::uint64_t rounds = ran.table.front().size();
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Table so_far;
    for (const auto& row : ran.table)
      so_far.emplace_back(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(round));
    std::vector<std::size_t> ran_next;
    for (std::size_t arm = 0; arm < ran.table.size(); ++arm)
      if (ran.table[arm][round]) ran_next.push_back(arm);
    CHECK(race(so_far, strategy, 40).running == ran_next);
  }
}

TEST_CASE("race: equal arms are all finalists, and need not use the rounds up for that") {
  specs::Random random(3);
  const Ran ran = run({0, 0, 0, 0}, 30, [&](std::size_t) { return 0.02 * normal(random); });
  CHECK(ran.race.finalists.size() == 4);
  CHECK(*ran.race.finals < 30);
  CHECK(*ran.race.finals >= 5);
  CHECK(ran.inspections == 4 * (*ran.race.finals + strategy.final_rounds));
}

TEST_CASE("race: an arm that fails twice leaves; one wild inspection does not drop the best") {
  Table table(6);
  for (std::size_t arm = 0; arm < 6; ++arm)
    for (int round = 0; round < 2; ++round)
      table[arm].push_back(
          arm == 5 ? std::nullopt
                   : std::optional(-0.001 * static_cast<double>(arm) +
                                   0.002 * ((arm + static_cast<std::size_t>(round)) % 2)));
  table[0][1] = -1.0;  // the best met a neighbour
  const Race result = race(table, strategy, 10);
  CHECK(result.running == std::vector<std::size_t>{0, 1, 2, 3, 4});
  REQUIRE(result.eliminations.size() == 1);
  CHECK(result.eliminations[0].arm == 5);
  CHECK(result.eliminations[0].failed);
}

TEST_CASE("race: the best is lost less often than stated, also from among near equals") {
  // 12 arms, the best 2% ahead of the field at 3% noise; a wrong bound would lose it often.
  specs::Random random(4);
  int lost = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> offsets(12, -0.02);
    offsets[3] = 0;
    const Ran ran = run(offsets, 25, [&](std::size_t) { return 0.03 * normal(random); });
    lost += std::ranges::find(ran.race.finalists, 3u) == ran.race.finalists.end();
  }
  INFO(lost << " of 200 lost");
  CHECK(lost <= 10);
}

TEST_CASE("race: without any noise the slower ones leave, and the last comes back for the finals") {
  Table table;
  for (const double level : {0.0, -0.01, -0.3, -0.4}) table.push_back({level, level});
  const Race result = race(table, strategy, 10);
  CHECK(result.eliminations.size() == 3);
  CHECK(result.finalists == std::vector<std::size_t>{0, 1});
  CHECK(result.finals == 2);
}
