// Rankings by something else than the rate: which way is better, and how it is said. Held against rankings of the inverse as a
// rate, whose mathematics the other tests prove.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/effects/effects.hpp"
#include "analysis/ranking/headline/headline.hpp"
#include "analysis/ranking/ranking.hpp"
#include "analysis/ranking/rates.hpp"
#include "analysis/ranking/side_by_side.hpp"
#include "analysis/ranking/trade_offs.hpp"
#include "tests/analysis/measurements.hpp"

namespace yardstick_tests {

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;
using Catch::Matchers::Contains;

namespace {

using Measurements = std::vector<store::Measurement>;
const auto memory = *specs::Yardstick::from("memory");
const auto error = *specs::Yardstick::from("error");

// Each inspection's memory is the inverse of its rate.
Measurements with_memory(Measurements all, double scale = 1e4) {
  for (auto& one : all) {
    const double rate = rate_of(one, "GFLOP/s");
    if (rate > 0) one.amounts["memory"] = scale / rate;
  }
  return all;
}

Measurements noisy(const std::vector<double>& rates, std::uint64_t rounds, double noise, std::uint64_t seed) {
  specs::Random random(seed);
  return with_memory(campaign(rates.size(), rounds, [&](std::size_t arm, std::uint64_t) { return rates[arm] * std::exp(noise * normal(random)); }));
}

Ranking by(const specs::Yardstick& yardstick, const Measurements& measurements) {
  Options options{.this_host = here};
  options.yardstick = yardstick;
  return rank(measurements, matmul, options);
}

}  // namespace

TEST_CASE("by memory: ranks, verdicts, ratios and intervals are those of the inverse as a rate") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto measurements = noisy({100, 99, 97, 90, 60}, 5 + seed, 0.01 + 0.002 * static_cast<double>(seed), seed);
    const auto rate = by({}, measurements), least = by(memory, measurements);
    REQUIRE(least.recommendations.size() == rate.recommendations.size());
    for (std::size_t i = 0; i < rate.recommendations.size(); ++i) {
      const auto &a = rate.recommendations[i], &b = least.recommendations[i];
      INFO("seed " << seed << ", row " << i);
      CHECK(a.rank == b.rank);
      REQUIRE(a.versus_best.has_value() == b.versus_best.has_value());
      if (a.ci) {
        CHECK(b.ci->low == Approx(1e4 / a.ci->high));
        CHECK(b.ci->high == Approx(1e4 / a.ci->low));
      }
      if (a.inspections % 2 == 1) {  // of an even number the median lies between two, and there the inverse bends
        CHECK(a.stack == b.stack);
        CHECK(b.median == Approx(1e4 / a.median));
      }
      if (a.versus_best && a.stack == b.stack && rate.recommendations[0].stack == least.recommendations[0].stack) {
        CHECK(a.versus_best->verdict == b.versus_best->verdict);
        CHECK(b.versus_best->ratio == Approx(1 / a.versus_best->ratio));
        CHECK(a.versus_best->pairs == b.versus_best->pairs);
      }
    }
  }
}

TEST_CASE("by memory: said in words that a person would say") {
  const auto measurements = with_memory(campaign(3, 12, [](std::size_t arm, std::uint64_t round) {
    return std::vector<double>{100, 50, 25}[arm] * (1 + 0.01 * static_cast<double>(round % 3));
  }));
  const auto ranking = by(memory, measurements);
  CHECK(ranking.unit == "MB");
  const auto says = headline(ranking, "zen5");
  CHECK(says.line == "OpenBLAS 0.3.0 has the LEAST memory: 99.0 MB [98.0, 100], 0.50x [0.50, 0.50] that of the next.");
  CHECK(says.verdict == "BEST");
  const auto json = to_json(ranking);
  CHECK(json["metric"] == "memory");
  CHECK(json["recommendations"][1]["verdict_vs_best"] == "WORSE");
  CHECK(json["recommendations"][1]["amount"]["median"].get<double>() == Approx(198.0198));
  CHECK_FALSE(json["recommendations"][1].contains("rate"));
  CHECK_THAT(table(ranking, 0, false), Contains("memory (MB)") && Contains("WORSE ×2.000") && !Contains("rate"));
}

TEST_CASE("by memory: who is not told apart, who only looks worse, and who is alone") {
  const auto few = with_memory(campaign(3, 3, [](std::size_t arm, std::uint64_t) { return std::vector<double>{100, 99.9, 50}[arm]; }));
  const auto says = headline(by(memory, few), "zen5");
  CHECK_THAT(says.line, Contains("Leading in memory, not told apart") && Contains("seems to have 2.0 times the memory"));
  CHECK(says.verdict == "NOT TOLD APART");
  const auto equal = with_memory(campaign(2, 12, [](std::size_t, std::uint64_t round) { return 100 + static_cast<double>(round % 3); }));
  CHECK_THAT(headline(by(memory, equal), "zen5").line, Contains("Equal in memory, within 1%"));
  const auto alone = with_memory(campaign(1, 7, [](std::size_t, std::uint64_t) { return 100.0; }));
  CHECK_THAT(headline(by(memory, alone), "zen5").line, Contains("memory 100 MB") && Contains("whether another is better"));
}

TEST_CASE("what does not tell the metric is left out, and said") {
  auto measurements = with_memory(campaign(2, 8, [](std::size_t arm, std::uint64_t) { return arm == 0 ? 100.0 : 50.0; }));
  measurements[0].amounts.clear();
  const auto ranking = by(memory, measurements);
  CHECK(ranking.without_unit == 1);
  CHECK_THAT(headline(ranking, "zen5").cautions.at(0), Contains("1 inspection tells no memory and is left out"));
  CHECK(by(error, measurements).recommendations.empty());
}

TEST_CASE("side by side by memory: less is better, paired and not") {
  const auto measurements = noisy({100, 80}, 15, 0.01, 3);
  std::vector<const store::Measurement*> all;
  for (const auto& one : measurements) all.push_back(&one);
  const auto rates = collect(all, here, memory);
  SideBySideOptions options;
  options.yardstick = memory;
  const auto paired = compare_paired({{&rates.stacks[0], &rates.stacks[1]}}, options);
  CHECK(paired.overall.verdict == Verdict::faster);
  CHECK(paired.overall.ratio == Approx(0.8).epsilon(0.02));
  CHECK(std::string(words(paired.overall.verdict, memory)) == "BETTER");
  REQUIRE(paired.bootstrap);
  CHECK(paired.bootstrap->high < 0.85);
  const auto apart = compare_independent({{&rates.stacks[1], &rates.stacks[0]}}, options);
  CHECK(apart.overall.verdict == Verdict::slower);
}

TEST_CASE("effects on memory: the ratio of the memory itself, and the highest score needs least") {
  const auto measurements = with_memory(campaign(3, 9, [](std::size_t arm, std::uint64_t) { return std::vector<double>{100, 50, 80}[arm]; }));
  const auto found = effects(measurements, matmul, {.this_host = here, .components = {}, .yardstick = memory});
  REQUIRE(found.model);
  const auto step = std::ranges::find_if(found.effects, [](const auto& e) { return e.from == "0.3.0" && e.to == "0.3.1"; });
  REQUIRE(step != found.effects.end());
  CHECK(step->ratio == Approx(2));
  const auto of = scores(found, "openblas", {"0.3.0", "0.3.1", "0.3.2"}).of.at("openblas");
  CHECK(of.at("0.3.0") > of.at("0.3.2"));
  CHECK(of.at("0.3.2") > of.at("0.3.1"));
}

TEST_CASE("several metrics: stacks that no other beats in all") {
  // rate 100, 90, 80; memory 300, 200, 250: the third is beaten by the second.
  auto measurements = campaign(4, 9, [](std::size_t arm, std::uint64_t) { return std::vector<double>{100, 90, 80, 95}[arm]; });
  const std::map<std::string, double> held{{"0.3.0", 300}, {"0.3.1", 200}, {"0.3.2", 250}};
  for (auto& one : measurements)
    if (const auto found = held.find(one.stack.components.at("openblas")); found != held.end()) one.amounts["memory"] = found->second;
  std::vector<Ranking> rankings{by({}, measurements), by(memory, measurements)};
  rankings[0].notes = {"left out: 3 inspections of another host"};
  rankings[1].notes = {rankings[0].notes[0], "few rounds"};
  const auto found = trade_offs(rankings);
  REQUIRE(found.front.size() == 2);
  CHECK(found.front[0].by[0].stack == stack("0.3.0"));
  CHECK(found.front[1].by[1].median == Approx(200));
  CHECK(found.beaten == 1);
  CHECK(found.lacking == 1);  // 0.3.3 tells no memory
  CHECK_THAT(text(found, 200, false), Contains("No one stack is best in rate and memory: OpenBLAS 0.3.0 in rate (100.0 GFLOP/s); OpenBLAS 0.3.1 in memory (200.0 MB)."));
  const auto json = to_json(found);
  CHECK(json["front"][1]["values"]["memory"]["median"].get<double>() == Approx(200));
  CHECK(json["notes"] == nlohmann::json{"left out: 3 inspections of another host", "few rounds"});
  CHECK_THAT(text(found, 200, false), Contains("\nNotes:\n- left out: 3 inspections of another host\n- few rounds\n"));
  CHECK(json["metrics"][1] == nlohmann::json{{"name", "memory"}, {"unit", "MB"}, {"better", "smaller"}});

  // A difference within delta is none: the second is beaten though its memory is a hair less.
  for (auto& one : measurements)
    if (one.stack == stack("0.3.1")) one.amounts["memory"] = 299;
  const std::vector<Ranking> near{by({}, measurements), by(memory, measurements)};
  const auto one_front = trade_offs(near);
  CHECK(std::ranges::none_of(one_front.front, [](const auto& one) { return one.by[0].stack == stack("0.3.1"); }));
}

}  // namespace yardstick_tests
