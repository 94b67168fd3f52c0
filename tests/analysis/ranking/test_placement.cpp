#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/ranking/headline/headline.hpp"
#include "analysis/ranking/placement.hpp"
#include "analysis/ranking/ranking.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;
using Catch::Contains;

namespace {

using Measurements = std::vector<store::Measurement>;

// One block: these stacks in each of so many rounds on the node.
void add_block(Measurements& all, const std::string& node, std::vector<std::size_t> stacks, std::uint64_t rounds = 8, double factor = 1) {
  static const double base[] = {100, 80, 60, 50};
  const auto campaign = fmt::format("campaign {}", all.size());
  for (std::uint64_t round = 0; round < rounds; ++round)
    for (const std::size_t stack : stacks) {
      auto m = measurement(test::stack(fmt::format("0.3.{}", stack)), round, base[stack] * factor * (1 + 0.001 * static_cast<double>(round % 3)));
      m.hostname = node;
      m.campaign = campaign;
      all.push_back(std::move(m));
    }
}

Ranking ranked_nodes(const Measurements& all) { return rank(all, matmul, {.this_host = here}); }

bool says(const std::vector<std::string>& lines, const std::string& words) {
  return std::ranges::any_of(lines, [&](const auto& line) { return line.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("placement: one node, or all stacks on all nodes, says nothing") {
  Measurements one, even;
  add_block(one, "n1", {0, 1, 2});
  CHECK(ranked_nodes(one).across_nodes.empty());
  CHECK(!ranked_nodes(one).nodes);
  CHECK(!to_json(ranked_nodes(one)).contains("nodes"));
  for (const char* node : {"n1", "n2", "n3"}) add_block(even, node, {0, 1, 2});
  even.pop_back();  // an inspection fails here and there
  CHECK(ranked_nodes(even).across_nodes.empty());
  CHECK(ranked_nodes(even).nodes->nodes.size() == 3);
  CHECK(to_json(ranked_nodes(even))["nodes"]["nodes"].size() == 3);
}

TEST_CASE("placement: stacks that share neither round nor node with the first are named with their nodes") {
  Measurements all;
  for (const char* node : {"n1", "n2", "n3", "n4", "n5"}) add_block(all, node, {0});
  add_block(all, "n6", {1, 2});
  const auto ranking = ranked_nodes(all);
  REQUIRE(ranking.across_nodes.size() == 1);
  CHECK(ranking.across_nodes.front() ==
        "OpenBLAS 0.3.0 ran on n1, n2, n3 and 2 more only, OpenBLAS 0.3.1 on n6 only, and 1 more stack on other nodes than the "
        "first: this compares nodes, too");
  CHECK(says(ranking.notes, "this compares nodes, too"));
  CHECK(says(headline(ranking, "zen5").cautions, "this compares nodes, too."));
  REQUIRE(ranking.nodes);
  CHECK(ranking.nodes->apart == std::vector<std::string>{"n6"});
}

TEST_CASE("placement: a stack that shares a node with the first, but no round, is not apart") {
  Measurements all;
  add_block(all, "n1", {0});
  add_block(all, "n1", {1});
  CHECK(ranked_nodes(all).across_nodes.empty());
}

TEST_CASE("placement: medians over nodes in other shares than most stacks'") {
  Measurements all;
  add_block(all, "fast", {0, 1, 2});
  add_block(all, "slow", {0, 1, 2}, 8, 0.9);
  add_block(all, "slow", {1}, 24, 0.9);
  const auto one = ranked_nodes(all).across_nodes;
  REQUIRE(one.size() == 1);
  CHECK(one.front() == "the median of OpenBLAS 0.3.1 compares nodes, too: 32 of its 40 inspections were on slow, of other stacks' 50%; "
                       "ratios over shared rounds are within nodes");
  add_block(all, "fast", {2}, 24);
  const auto two = ranked_nodes(all).across_nodes;
  REQUIRE(two.size() == 1);
  CHECK_THAT(two.front(), Contains("the medians of 2 stacks compare nodes, too: ") && Contains("of the 40 of OpenBLAS 0.3."));
}

TEST_CASE("placement: the difference of two") {
  store::Measurement one, two, three;
  one.hostname = "n1", two.hostname = "n2", three.hostname = "n3";
  const Placement a{{node_of(one), 12}, {node_of(two), 12}}, b{{node_of(three), 4}}, most{{node_of(one), 22}, {node_of(two), 2}};
  const Placement all{{node_of(one), 1}, {node_of(two), 1}, {node_of(three), 1}};
  CHECK(difference_text("A", a, "B", b, all) == "A ran on n1, n2 only, B on n3 only");
  CHECK(difference_text("A", most, "B", a, all) == "of A's 24 inspections 22 were on n1, of B's 24 12");
  CHECK(difference_text("A", a, "B", a, all).empty());
  CHECK(difference_text("A", a, "B", {}, all).empty());
}

TEST_CASE("placement: a slow node is named behind the answer, and in the notes") {
  Measurements all;
  for (const char* node : {"n1", "n2", "n3"})
    for (int block = 0; block < 2; ++block) add_block(all, node, {0, 1, 2}, 4, node == std::string("n3") ? 0.96 : 1);
  const auto ranking = ranked_nodes(all);
  REQUIRE(ranking.nodes);
  CHECK(ranking.nodes->nodes.front().name == "n3");
  CHECK(ranking.nodes->nodes.front().odd);
  const auto said = headline(ranking, "zen5");
  CHECK(says(said.cautions, "Node n3 is 4.0% slow in every stack [4.0%, 4.0%] (n=24 inspections in 2 blocks): compare within nodes only, "
                            "and look at it."));
  CHECK(says(ranking.notes, "node n3 is 4.0% slow"));
  CHECK_THAT(said.context.front(), Contains("24 rounds on 3 nodes"));
}
