#include <catch2/catch.hpp>
#include <cmath>
#include <deque>

#include "analysis/ranking/side_by_side.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

// Keeps what the couples point to.
struct World {
  std::deque<store::Measurement> measurements;
  std::deque<StackRates> rates;

  StackRates* add(const std::string& version, std::uint64_t rounds,
                  const std::function<double(std::uint64_t)>& rate,
                  const std::string& campaign = std::string(64, 'c')) {
    StackRates result;
    result.stack = stack(version);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      auto m = measurement(result.stack, round, rate(round));
      m.campaign = campaign;
      measurements.push_back(std::move(m));
      const auto& kept = measurements.back();
      result.values.push_back(
          {rate_of(kept, "GFLOP/s"), {kept.campaign, kept.round, kept.device}, &kept});
    }
    rates.push_back(std::move(result));
    return &rates.back();
  }
};

std::vector<double> drift_of(specs::Random& random, std::size_t rounds, double size) {
  std::vector<double> result;
  for (; rounds > 0; --rounds) result.push_back(std::exp(size * normal(random)));
  return result;
}

}  // namespace

TEST_CASE("side by side: one paired couple is what comparison says of its pairs") {
  specs::Random random(1);
  const auto drift = drift_of(random, 24, 0.2);
  World world;
  const auto noisy = [&](double rate) {
    return [&, rate](std::uint64_t round) {
      return rate * drift[round] * std::exp(0.01 * normal(random));
    };
  };
  const auto* a = world.add("1", 24, noisy(106));
  const auto* b = world.add("2", 20, noisy(100));  // four rounds fewer
  const auto found = compare_paired({{a, b}}, {});
  const auto expected = compare({paired_logs(*a, *b)}, 0.01, 0.95).front();
  CHECK(found.paired);
  CHECK(found.rounds == 20);
  CHECK(found.hosts == 1);
  CHECK(found.overall.verdict == Verdict::faster);
  CHECK(found.overall.ratio == expected.ratio);
  CHECK(found.overall.interval->low == expected.interval->low);
  CHECK(found.overall.interval->high == expected.interval->high);
  REQUIRE(found.bootstrap);  // the hierarchy's: of medians over the same rounds
  CHECK(found.bootstrap->low < expected.ratio);
  CHECK(found.bootstrap->high > expected.ratio);
  CHECK(found.bootstrap->high - found.bootstrap->low < 0.03);
  REQUIRE(found.couples.size() == 1);
  CHECK(found.couples[0].of_a.inspections == 24);
  CHECK(found.couples[0].of_a.rounds == 24);
  CHECK(found.couples[0].of_b.rounds == 20);
  CHECK(found.couples[0].of_a.median == median(rates(*a)));
  CHECK(found.couples[0].logs.size() == 20);

  const auto back = compare_paired({{b, a}}, {});
  CHECK(back.overall.verdict == Verdict::slower);
  CHECK(back.overall.ratio * found.overall.ratio == Approx(1));
}

TEST_CASE("side by side: the ratio node by node, though nodes share a fingerprint") {
  // Seven nodes, six rounds each; the ratio is 1.05 on most, and 1.10 on the last.
  specs::Random random(12);
  World world;
  StackRates a, b;
  a.stack = stack("1");
  b.stack = stack("2");
  std::vector<PairedProcesses> rounds;  // by hand
  std::map<std::string, std::vector<double>> logs;
  for (int node = 0; node < 7; ++node)
    for (std::uint64_t round = 0; round < 6; ++round)
      for (auto* side : {&a, &b}) {
        const double ratio = side == &b ? 1 : node == 6 ? 1.10 : 1.05;
        auto m = measurement(side->stack, round, 100 * ratio * std::exp(0.005 * normal(random)));
        m.hostname = "n" + std::to_string(node);
        m.campaign = std::string(60, 'c') + std::to_string(node);
        world.measurements.push_back(std::move(m));
        const auto& kept = world.measurements.back();
        side->values.push_back({rate_of(kept, "GFLOP/s"), {kept.campaign, kept.round, kept.device}, &kept});
        if (side == &b) logs[kept.hostname].push_back(std::log(a.values.back().amount / b.values.back().amount));
      }
  const auto found = compare_paired({{&a, &b}}, {});
  CHECK((found.rounds == 42 && found.hosts == 7 && found.couples.front().of_a.hosts == 7));
  REQUIRE(found.nodes.size() == 7);
  CHECK(found.nodes.back().node == "n6");  // A's worst first
  for (const auto& node : found.nodes) {
    CHECK(node.rounds == 6);
    CHECK(node.ratio == Approx(std::exp(median(logs[node.node]))));
    REQUIRE(node.interval);
    CHECK(node.interval->low == Approx(std::exp(*std::ranges::min_element(logs[node.node]))));  // of six, the least and the most
  }
  // One of seven off by log(1.10 / 1.05): a standard deviation of 0.0465 / sqrt(7) between them; 0.005 sqrt(2) within.
  REQUIRE(found.by_node);
  CHECK(std::sqrt(found.by_node->between) == Approx(0.0465 / std::sqrt(7)).epsilon(0.15));
  CHECK(std::sqrt(found.by_node->within) == Approx(0.005 * std::sqrt(2)).epsilon(0.25));
  CHECK(found.by_node->p < 1e-9);
  // From six nodes on the bootstrap draws nodes.
  for (std::size_t i = 0; i < b.values.size(); ++i) {
    const auto process = [](const Value& value) {
      std::vector<double> result;
      for (const auto ns : value.measurement->samples_ns) result.push_back(std::log(value.measurement->work.flop / static_cast<double>(ns)));
      return result;
    };
    rounds.push_back({a.values[i].measurement->hostname, process(a.values[i]), process(b.values[i])});
  }
  const auto by_hand = bootstrap_hierarchy(rounds, {.confidence = 0.95, .seed = 1, .draws = 2000});
  REQUIRE((by_hand && by_hand->over_hosts && by_hand->hosts == 7));
  CHECK(found.bootstrap->low == Approx(std::exp(by_hand->interval.low)));
  CHECK(found.bootstrap->high == Approx(std::exp(by_hand->interval.high)));

  World alone;
  CHECK(compare_paired({{alone.add("1", 8, [](std::uint64_t) { return 2.0; }), alone.add("2", 8, [](std::uint64_t) { return 1.0; })}}, {}).nodes.empty());
}

TEST_CASE("side by side: finalists of a race are compared on the fresh rounds alone") {
  World world;
  // Before the finals luck made A the faster.
  const auto* a =
      world.add("1", 30, [](std::uint64_t round) { return round < 10 ? 130.0 : 100.0; });
  const auto* b = world.add("2", 30, [](std::uint64_t) { return 100.0; });
  const auto* out = world.add("3", 8, [](std::uint64_t) { return 50.0; });  // left before
  SideBySideOptions options;
  options.finals[std::string(64, 'c')] = 10;
  const auto found = compare_paired({{a, b}}, options);
  CHECK(found.rounds == 20);
  CHECK(found.overall.pairs == 20);
  CHECK(found.overall.verdict == Verdict::equivalent);
  CHECK(found.bootstrap->high == Approx(1));
  CHECK(compare_paired({{a, out}}, options).rounds == 8);
}

TEST_CASE("side by side: couples of a round count once, and each has its corrected verdict") {
  specs::Random random(2);
  World world;
  const auto constant = [](double rate) { return [rate](std::uint64_t) { return rate; }; };
  const auto *a1 = world.add("1", 8, constant(110)), *b1 = world.add("2", 8, constant(100));
  const auto *a2 = world.add("3", 8, constant(240)), *b2 = world.add("4", 8, constant(200));
  const auto *a3 = world.add("5", 8, constant(100)), *b3 = world.add("6", 8, constant(100));
  const auto* lone = world.add("7", 3, constant(1), std::string(64, 'd'));
  const auto found = compare_paired({{a1, b1}, {a2, b2}, {a3, b3}, {lone, b3}}, {});
  CHECK(found.left_out == 1);
  CHECK(found.rounds == 8);  // not 24
  CHECK(found.overall.pairs == 8);
  CHECK(found.overall.ratio == Approx(1.1));
  REQUIRE(found.couples.size() == 3);
  CHECK(found.couples[0].comparison.ratio == Approx(1.2));  // by ratio
  CHECK(found.couples[2].comparison.ratio == Approx(1));
  // Eight rounds are enough for the first of three (Holm: 1 - 0.05/3 takes seven).
  CHECK(found.couples[0].comparison.verdict == Verdict::faster);
  CHECK(found.couples[2].comparison.verdict == Verdict::equivalent);
  CHECK(compare_paired({{lone, b3}}, {}).couples.empty());
}

TEST_CASE("side by side: independent couples, the stack is the unit from six on") {
  specs::Random random(3);
  World world;
  std::vector<Couple> couples;
  for (int i = 0; i < 7; ++i) {
    const double rate = 50 + 10 * i;
    const auto noisy = [&](double factor) {
      return [&, factor](std::uint64_t) { return rate * factor * std::exp(0.02 * normal(random)); };
    };
    const auto version = std::to_string(i);
    couples.push_back({world.add(version, 12, noisy(1.2)),
                       world.add(version, 15, noisy(1.0), std::string(64, 'd'))});
  }
  const auto seven = compare_independent(couples, {});
  CHECK_FALSE(seven.paired);
  CHECK(seven.overall.verdict == Verdict::faster);
  CHECK(seven.overall.pairs == 7);
  CHECK(seven.overall.ratio == Approx(1.2).epsilon(0.02));
  const auto expected = compare({seven.logs}, 0.01, 0.95).front();
  CHECK(seven.overall.interval->low == expected.interval->low);
  for (const auto& couple : seven.couples) {
    CHECK_FALSE(couple.comparison.interval);  // no verdict of its own
    REQUIRE(couple.bootstrap);
    CHECK(couple.bootstrap->low < couple.comparison.ratio);
    CHECK(couple.comparison.ratio < couple.bootstrap->high);
  }

  couples.resize(3);
  const auto three = compare_independent(couples, {});
  CHECK(three.overall.verdict == Verdict::faster);  // all three agree
  CHECK_FALSE(three.overall.interval);
  for (const auto& couple : three.couples) {
    CHECK(couple.comparison.verdict == Verdict::faster);
    REQUIRE((couple.comparison.interval && couple.bootstrap));
    CHECK(couple.comparison.interval->low <= couple.bootstrap->low);  // corrected for three
    CHECK(couple.comparison.interval->high >= couple.bootstrap->high);
  }
  couples[1] = {couples[1].b, couples[1].a};  // now they disagree
  CHECK(compare_independent(couples, {}).overall.verdict == Verdict::unresolved);
  couples.resize(1);
  const auto one = compare_independent(couples, {});
  REQUIRE(one.overall.interval);
  CHECK(one.overall.interval->low > 1.15);
  CHECK(one.overall.interval->high < 1.25);
}

TEST_CASE("side by side: a side without a rate is left out, few inspections have no interval") {
  World world;
  const auto constant = [](std::uint64_t) { return 100.0; };
  const auto *a = world.add("1", 5, constant),
             *b = world.add("1", 5, constant, std::string(64, 'd'));
  const auto* none = world.add("1", 0, constant);
  CHECK(compare_independent({{a, none}}, {}).couples.empty());
  CHECK(compare_independent({{a, none}}, {}).left_out == 1);
  const auto few = compare_independent({{a, b}}, {});
  CHECK(few.overall.verdict == Verdict::unresolved);
  CHECK_FALSE(few.overall.interval);
  CHECK(summarise(*none, 0.95).median == 0);
  CHECK_FALSE(summarise(*none, 0.95).interval);
}

TEST_CASE("side by side: equal stacks are seldom called different, paired or not") {
  specs::Random random(4);
  int paired = 0, independent = 0;
  const int trials = 400;
  for (int trial = 0; trial < trials; ++trial) {
    World world;
    const auto drift = drift_of(random, 15, 0.05);
    const auto same = [&](std::uint64_t round) {
      return 100 * drift[round] * std::exp(0.02 * normal(random));
    };
    const auto alone = [&](std::uint64_t) { return 100 * std::exp(0.05 * normal(random)); };
    SideBySideOptions exact;
    exact.delta = 0;
    const auto found =
        compare_paired({{world.add("1", 15, same), world.add("2", 15, same)}}, exact);
    paired += found.overall.verdict != Verdict::unresolved;
    const auto other = compare_independent(
        {{world.add("1", 15, alone), world.add("1", 12, alone, std::string(64, 'd'))}}, exact);
    independent += other.overall.verdict != Verdict::unresolved;
  }
  INFO("paired " << paired << ", independent " << independent << " of " << trials);
  CHECK(paired <= 0.07 * trials);
  CHECK(independent <= 0.08 * trials);
}
