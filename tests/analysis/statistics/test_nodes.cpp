// Nodes: made-up clusters from the model that nodes.hpp states, with what is known of it.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <deque>

#include "analysis/statistics/nodes.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

struct Cluster {
  std::size_t nodes = 8, blocks = 2, rounds = 4, stacks = 6;
  double noise = 0.01, round_drift = 0, occasion = 0;  // standard deviations of logs
  std::function<double(std::size_t node, std::size_t stack)> log_effect = [](std::size_t, std::size_t) { return 0.0; };
  std::function<bool(std::size_t node, std::size_t stack)> ran = [](std::size_t, std::size_t) { return true; };
};

// Keeps what the rates point to.
struct Made {
  std::deque<store::Measurement> measurements;
  Rates rates;
};

Made made(const Cluster& of, specs::Random& random) {
  Made result;
  for (std::size_t node = 0; node < of.nodes; ++node)
    for (std::size_t block = 0; block < of.blocks; ++block) {
      const double occasion = of.occasion * normal(random);
      for (std::size_t round = 0; round < of.rounds; ++round) {
        const double machine = occasion + of.round_drift * normal(random);
        for (std::size_t stack = 0; stack < of.stacks; ++stack) {
          if (!of.ran(node, stack)) continue;
          const double log = std::log(100 + 10 * static_cast<double>(stack)) + machine + of.log_effect(node, stack) + of.noise * normal(random);
          auto m = measurement(test::stack(std::to_string(stack)), round, std::exp(log));
          m.hostname = fmt::format("n{}", node);
          m.campaign = fmt::format("c{}-{}", node, block);
          result.measurements.push_back(std::move(m));
        }
      }
    }
  std::vector<const store::Measurement*> all;
  for (const auto& m : result.measurements) all.push_back(&m);
  result.rates = collect(all, here);
  return result;
}

std::optional<Nodes> nodes_of(const Cluster& of, specs::Random& random) {
  const auto cluster = made(of, random);
  return nodes(cluster.rates, 0.01, 0.95);
}

const Node& named(const Nodes& nodes, const std::string& name) {
  const auto found = std::ranges::find(nodes.nodes, name, &Node::name);
  REQUIRE(found != nodes.nodes.end());
  return *found;
}

std::size_t odd(const Nodes& nodes) {
  return static_cast<std::size_t>(std::ranges::count(nodes.nodes, true, &Node::odd));
}

// How many of so many campaigns name any node; and say that ratios depend on it.
struct Named {
  double nodes = 0, interaction = 0;
};
Named share_named(const Cluster& of, int campaigns, std::uint64_t seed) {
  specs::Random random(seed);
  Named result;
  for (int i = 0; i < campaigns; ++i) {
    const auto found = nodes_of(of, random);
    result.nodes += odd(*found) > 0;
    result.interaction += found->interaction && !found->interaction->shown.empty();
  }
  return {result.nodes / campaigns, result.interaction / campaigns};
}

}  // namespace

TEST_CASE("nodes: without noise every part of the model comes out as it went in") {
  specs::Random random(1);
  Cluster cluster;
  cluster.noise = 0;
  cluster.log_effect = [](std::size_t node, std::size_t) { return node == 7 ? std::log(0.96) : node == 2 ? std::log(1.005) : 0.0; };
  const auto found = nodes_of(cluster, random);
  REQUIRE(found);
  REQUIRE(found->nodes.size() == 8);
  CHECK(found->nodes.front().name == "n7");  // the slowest first
  CHECK(found->nodes.back().name == "n2");
  CHECK(named(*found, "n7").factor == Approx(0.96).epsilon(1e-6));
  CHECK(named(*found, "n2").factor == Approx(1.005).epsilon(1e-6));
  CHECK(named(*found, "n0").factor == Approx(1).epsilon(1e-6));
  CHECK(odd(*found) == 1);  // n2 lies within the band
  const Node& n7 = named(*found, "n7");
  CHECK(n7.odd);
  CHECK((n7.stacks == 6 && n7.shown_in == 6 && n7.blocks == 2 && n7.rounds == 8 && n7.inspections == 48));
  // The standard deviation of {log 0.96, log 1.005, 0 six times}, by the textbook.
  const double a = std::log(0.96), b = std::log(1.005), center = (a + b) / 8;
  const double square = (a - center) * (a - center) + (b - center) * (b - center) + 6 * center * center;
  CHECK(*found->between == Approx(std::sqrt(square / 7)).epsilon(1e-5));
  CHECK(*found->within == Approx(0).margin(1e-6));
}

TEST_CASE("nodes: the interval is Student's over blocks, by hand") {
  // Three nodes, two blocks of a round each, one stack; in percent of the log: 0.1 and 0.3, 0.2 and 0.2, -5.0 and -4.8.
  const double logs[3][2] = {{0.001, 0.003}, {0.002, 0.002}, {-0.050, -0.048}};
  std::deque<store::Measurement> kept;
  std::vector<const store::Measurement*> all;
  for (int node = 0; node < 3; ++node)
    for (int block = 0; block < 2; ++block) {
      auto m = measurement(stack("1"), 0, 100 * std::exp(logs[node][block]));
      m.hostname = fmt::format("n{}", node);
      m.campaign = fmt::format("c{}{}", node, block);
      all.push_back(&kept.emplace_back(std::move(m)));
    }
  const auto found = nodes(collect(all, here), 0.01, 0.95);
  REQUIRE(found);
  CHECK(found->by_blocks);
  const Node& slow = named(*found, "n2");
  CHECK(std::log(slow.factor) == Approx(-0.049 - 0.002).epsilon(1e-4));  // against the median node's 0.002
  // Squares about the means: 2e-6, 0, 2e-6, with 3 degrees of freedom. No node's own variance, 2e-6 at most, is left out
  // where it is larger: n2's is. t(3) at 0.05 / 3 two-sided is 4.857 (tables of Bonferroni's t).
  const double reach = 4.857 * std::sqrt(2e-6 / 2);
  REQUIRE(slow.interval);
  CHECK(std::log(slow.interval->low) == Approx(-0.051 - reach).epsilon(1e-3));
  CHECK(std::log(slow.interval->high) == Approx(-0.051 + reach).epsilon(1e-3));
  CHECK(slow.interval->coverage == Approx(1 - 0.05 / 3));
  CHECK((slow.odd && odd(*found) == 1));
  CHECK(!found->interaction);  // of one stack there is no ratio
}

TEST_CASE("nodes: equal nodes are hardly ever named, however noisy") {
  // The band hardly counts beside such noise: what is seen is what Holm and the intervals hold.
  Cluster noise{.noise = 0.2}, drift{.noise = 0.02, .round_drift = 0.2}, occasion{.noise = 0.02, .occasion = 0.2}, once{.blocks = 1, .noise = 0.2};
  int seed = 11;
  for (const auto& cluster : {noise, drift, occasion, once}) {
    const auto found = share_named(cluster, 400, static_cast<std::uint64_t>(seed++));
    CHECK(found.nodes <= 0.05);
    CHECK(found.interaction <= 0.08);  // 5% are allowed; 400 campaigns tell it to 1%
  }
  // The other way round: the intervals are not so wide that nothing could be named.
  CHECK(share_named(Cluster{.noise = 0.02, .occasion = 0.2}, 400, 13).nodes > 0.005);
}

TEST_CASE("nodes: an occasion is not told from the node where each has one, and that is said") {
  const auto found = share_named(Cluster{.blocks = 1, .noise = 0.01, .occasion = 0.05}, 50, 3);
  CHECK(found.nodes > 0.9);  // what the header warns of
  specs::Random random(3);
  const auto one = nodes_of(Cluster{.blocks = 1, .noise = 0.01, .occasion = 0.05}, random);
  CHECK(!one->by_blocks);
  CHECK(lines(*one).front().find("not told from the occasion") != std::string::npos);
  REQUIRE(!odd_lines(*one).empty());
  CHECK(odd_lines(*one).front().find("the node, or that occasion") != std::string::npos);
}

TEST_CASE("nodes: 4% at a CV of 1% is named nearly always, and nothing else is") {
  specs::Random random(5);
  int right = 0, everywhere = 0, others = 0, ratios = 0;
  for (int i = 0; i < 200; ++i) {
    const auto found = nodes_of({.log_effect = [](std::size_t node, std::size_t) { return node == 3 ? std::log(0.96) : 0.0; }}, random);
    const Node& slow = named(*found, "n3");
    right += slow.odd;
    everywhere += slow.odd && slow.shown_in == 6;
    others += odd(*found) - slow.odd > 0;
    ratios += !found->interaction->shown.empty();
  }
  CHECK(right >= 196);
  CHECK(everywhere >= 190);
  CHECK(others == 0);
  CHECK(ratios <= 18);  // a slow node does not change the ratio of stacks: 5% of 200, and three standard deviations
}

TEST_CASE("nodes: the interval covers the factor") {
  specs::Random random(9);
  int covered = 0;
  for (int i = 0; i < 300; ++i) {
    const auto found = nodes_of({.noise = 0.03, .occasion = 0.01,
                                 .log_effect = [](std::size_t node, std::size_t) { return node == 3 ? std::log(0.9) : 0.0; }},
                                random);
    const Node& slow = named(*found, "n3");
    covered += slow.interval->low <= 0.9 && 0.9 <= slow.interval->high;
  }
  CHECK(covered >= 285);
}

TEST_CASE("nodes: a ratio that depends on the node is called that, and no node is slow for it") {
  specs::Random random(6);
  const auto found = nodes_of({.log_effect = [](std::size_t node, std::size_t stack) { return node == 3 && stack == 1 ? std::log(0.9) : 0.0; }}, random);
  CHECK(odd(*found) == 0);
  REQUIRE(found->interaction);
  REQUIRE(found->interaction->shown.size() == 1);
  CHECK(found->interaction->shown.front() == stack("1"));
  // One of 8 nodes off by log 0.9 has a standard deviation of 0.105 sqrt(1/8), in one of six stacks.
  CHECK(found->interaction->spread == Approx(0.1054 * std::sqrt(1.0 / 8) / std::sqrt(6)).epsilon(0.2));
  const auto said = lines(*found);
  CHECK(std::ranges::any_of(said, [](const auto& line) { return line.starts_with("which stack is fast depends on the node"); }));
}

TEST_CASE("nodes: slow in most stacks only") {
  specs::Random random(8);
  int nine = 0, all = 0;
  for (int i = 0; i < 40; ++i) {
    const auto found = nodes_of(
        {.stacks = 12, .log_effect = [](std::size_t node, std::size_t stack) { return node == 3 && stack < 9 ? std::log(0.9) : 0.0; }}, random);
    const Node& slow = named(*found, "n3");
    REQUIRE((slow.odd && slow.stacks == 12));
    nine += slow.shown_in == 9;
    all += slow.shown_in == 12;
    if (slow.shown_in == 9) CHECK(odd_lines(*found).front().find("slow in 9 of 12 stacks [") != std::string::npos);
  }
  CHECK(nine >= 33);  // each of the three shows it by chance in 2.5% at most
  CHECK(all == 0);
}

TEST_CASE("nodes: which stacks a node ran does not matter") {
  specs::Random random(4);
  // The slow node ran two stacks that all ran, and four of its own; one stack is fast and missing there.
  const auto found = nodes_of({.stacks = 9,
                               .log_effect = [](std::size_t node, std::size_t) { return node == 0 ? std::log(0.96) : 0.0; },
                               .ran = [](std::size_t node, std::size_t stack) { return node == 0 ? stack < 6 : stack < 2 || stack >= 6; }},
                              random);
  CHECK(odd(*found) == 1);
  CHECK(named(*found, "n0").factor == Approx(0.96).epsilon(0.01));
  CHECK(named(*found, "n0").stacks == 2);
}

TEST_CASE("nodes: of two, the slower is held against the faster") {
  specs::Random random(4);
  const auto found = nodes_of({.nodes = 2, .log_effect = [](std::size_t node, std::size_t) { return node == 1 ? std::log(0.93) : 0.0; }}, random);
  REQUIRE(found->nodes.size() == 2);
  CHECK(found->nodes.front().name == "n1");
  CHECK(found->nodes.front().odd);
  CHECK(found->nodes.front().factor == Approx(0.93).epsilon(0.01));
  CHECK(found->nodes.back().factor == 1);
  CHECK(!found->nodes.back().interval);
  CHECK(odd_lines(*found).front().find("slower than the other in every stack") != std::string::npos);
  CHECK(odd_lines(*found).front().ends_with("look at both"));
}

TEST_CASE("nodes: nothing is said of what no stack ties together") {
  specs::Random random(4);
  CHECK(!nodes_of({.nodes = 1}, random));
  CHECK(!nodes_of({.nodes = 2, .stacks = 2, .ran = [](std::size_t node, std::size_t stack) { return node == stack; }}, random));
  const auto found = nodes_of({.nodes = 4, .ran = [](std::size_t node, std::size_t stack) { return (node == 3) == (stack == 5); }}, random);
  REQUIRE(found);
  CHECK(found->nodes.size() == 3);
  CHECK(found->apart == std::vector<std::string>{"n3"});
  CHECK(lines(*found).back() == "1 node shares no stack with the other nodes, so nothing is said of it: n3");
}

TEST_CASE("nodes: a round each gives no interval, and names nobody") {
  specs::Random random(4);
  const auto found = nodes_of({.blocks = 1, .rounds = 1, .log_effect = [](std::size_t node, std::size_t) { return node == 1 ? -0.5 : 0.0; }}, random);
  CHECK(!found->between);
  for (const Node& node : found->nodes) CHECK((!node.interval && !node.odd && node.shown_in == 0));
  CHECK(lines(*found).front().find("how far they differ is not known") != std::string::npos);
}

TEST_CASE("nodes: one host name on two makes is two nodes, one fingerprint on two names, too") {
  specs::Random random(4);
  auto cluster = made({.nodes = 2}, random);
  for (auto& m : cluster.measurements) {
    m.host = m.hostname == "n0" ? "aaaaaaaaaaaaaaaa" : "bbbbbbbbbbbbbbbb";
    m.hostname = "localhost";
  }
  const auto found = nodes(cluster.rates, 0.01, 0.95);
  REQUIRE(found);
  std::vector<std::string> names;
  for (const Node& node : found->nodes) names.push_back(node.name);
  std::ranges::sort(names);
  CHECK(names == std::vector<std::string>{"localhost (aaaaaaaaaaaa)", "localhost (bbbbbbbbbbbb)"});
}

TEST_CASE("nodes: between and within apart") {
  // Nodes spread by 5%, rounds by 2%: over 40 nodes the estimates are near; the noise is not in what is between.
  specs::Random random(21);
  std::vector<double> effects;
  for (int i = 0; i < 40; ++i) effects.push_back(0.05 * normal(random));
  const auto found = nodes_of({.nodes = 40, .noise = 0.02, .log_effect = [&](std::size_t node, std::size_t) { return effects[node]; }}, random);
  CHECK(*found->between == Approx(*specs::standard_deviation(effects)).epsilon(0.1));
  CHECK(*found->within == Approx(0.02).epsilon(0.15));
  const auto equal = nodes_of({.nodes = 40, .noise = 0.02, .occasion = 0.05}, random);
  CHECK(*equal->between < 0.025);  // of occasions, 0.05 / sqrt(2) stands in the levels themselves
}
