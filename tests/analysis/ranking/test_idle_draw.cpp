// What answers about energy say of idle draw, and where.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "analysis/effects/effects.hpp"
#include "analysis/ranking/headline.hpp"
#include "analysis/ranking/idle_draw.hpp"
#include "analysis/ranking/ranking.hpp"
#include "analysis/ranking/trade_offs.hpp"
#include "tests/analysis/measurements.hpp"

namespace idle_draw_tests {

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

using Measurements = std::vector<store::Measurement>;
const auto energy = *specs::Yardstick::from("energy");

Measurements with_energy(std::optional<double> idle_share) {
  auto all = campaign(3, 6, [](std::size_t arm, std::uint64_t round) {
    return 100 - 10 * static_cast<double>(arm) + 0.01 * static_cast<double>(round);
  });
  for (auto& one : all) {
    one.amounts["energy"] = 1000 / rate_of(one, "GFLOP/s");
    one.idle_share = idle_share;
  }
  return all;
}

std::string text_of(const Measurements& all, const specs::Yardstick& yardstick = energy) {
  std::vector<const store::Measurement*> pointers;
  for (const auto& one : all) pointers.push_back(&one);
  return idle_draw_text(pointers, yardstick);
}

Ranking by(const specs::Yardstick& yardstick, const Measurements& measurements) {
  Options options{.this_host = here};
  options.yardstick = yardstick;
  return rank(measurements, matmul, options);
}

}  // namespace

TEST_CASE("idle draw: taken off, still in, or both") {
  auto all = with_energy(0.25);
  CHECK(text_of(all) == "idle draw, 25% of all that was drawn, is taken off the energy");
  all[3].idle_share = 0.404;
  CHECK(text_of(all) == "idle draw, 25 to 40% of all that was drawn, is taken off the energy");
  all[0].idle_share = all[1].idle_share = std::nullopt;
  CHECK(text_of(all) == "idle draw, 25 to 40% of all that was drawn, is taken off the energy of 16 inspections; in that of 2 it "
                        "still is, and they look worse for it");
  CHECK(text_of(with_energy(std::nullopt)) == "idle draw is in the energy: nothing tells how much it is");
  CHECK(text_of({}).empty());
  CHECK(text_of(with_energy(0.25), {}).empty());
  CHECK(text_of(with_energy(0.25), *specs::Yardstick::from("memory")).empty());
  all = with_energy(0.25);
  all[0].outcome = specs::Outcome::crashed, all[0].idle_share = 0.9;
  all[1].amounts.clear(), all[1].idle_share = std::nullopt;
  CHECK(text_of(all) == "idle draw, 25% of all that was drawn, is taken off the energy");
}

TEST_CASE("idle draw: rankings, headlines, trade-offs and effects say it once, others do not") {
  const auto all = with_energy(0.25);
  const std::string said = "idle draw, 25% of all that was drawn, is taken off the energy";
  const auto of_energy = by(energy, all), of_rate = by({}, all);
  CHECK(std::ranges::count(of_energy.notes, said) == 1);
  CHECK(std::ranges::count(of_rate.notes, said) == 0);
  const auto cautions = headline(of_energy, "zen5").cautions;
  CHECK(std::ranges::count(cautions, "Idle draw, 25% of all that was drawn, is taken off the energy.") == 1);
  for (const auto& rankings : {std::vector{of_rate, of_energy}, std::vector{of_energy, of_rate}}) {
    const auto traded = trade_offs(rankings);
    CHECK(text(traded, 1000, false).find(said) != std::string::npos);
    const auto notes = to_json(traded)["notes"].get<std::vector<std::string>>();
    CHECK(std::ranges::count(notes, said) == 1);
  }
  EffectsOptions options;
  options.this_host = here;
  options.yardstick = energy;
  CHECK(std::ranges::count(effects(all, matmul, options).notes, said) == 1);
}

}  // namespace idle_draw_tests
