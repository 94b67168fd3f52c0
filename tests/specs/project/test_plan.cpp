#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "specs/format/json.hpp"
#include "specs/format/seal.hpp"
#include "tests/specs/message_of.hpp"
#include "tests/specs/samples.hpp"

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;

namespace {

Plan read(const Json& json) { return plan_from(Node::parse_text(canonical(json), "plan.json")); }

}  // namespace

TEST_CASE("a plan may be for one GPU, which is part of what it is") {
  Plan plan = sample_plan();
  CHECK_FALSE(to_json(plan).contains("device"));  // as plans had it before
  plan.device = "GPU-11111111-2222-3333-4444-555555555555";
  seal(plan);
  CHECK(plan.id != sample_plan().id);
  CHECK(read(to_json(plan)).device == plan.device);
}

TEST_CASE("a plan is the same after writing and reading") {
  const Plan plan = sample_plan();
  const Plan again = read(to_json(plan));
  CHECK(to_json(again) == to_json(plan));
  CHECK(again.id == plan.id);
  for (std::uint64_t round = 0; round < 5; ++round) CHECK(again.order(round) == plan.order(round));
}

TEST_CASE("each round is a permutation of its own") {
  Plan plan;
  plan.seed = 42;
  plan.arms.resize(8);
  std::set<std::vector<std::size_t>> orders;
  for (std::uint64_t round = 0; round < 100; ++round) {
    auto order = plan.order(round);
    CHECK(order == plan.order(round));
    orders.insert(order);
    std::sort(order.begin(), order.end());
    CHECK(order == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7});
  }
  CHECK(orders.size() > 95);  // of 40,320 possible ones
  // Computed apart, from the definitions of derive_seed, xoshiro256** and the shuffle.
  CHECK(plan.order(0) == std::vector<std::size_t>{6, 5, 1, 0, 4, 3, 7, 2});
}

TEST_CASE("every arm is as often first") {
  Plan plan;
  plan.seed = 7;
  plan.arms.resize(4);
  std::vector<double> first(4);
  for (std::uint64_t round = 0; round < 4000; ++round) ++first[plan.order(round)[0]];
  double chi_square = 0;
  for (const double count : first) chi_square += (count - 1000) * (count - 1000) / 1000;
  CHECK(chi_square < 21);  // 3 degrees of freedom, p about 1e-4; the seed is fixed
}

TEST_CASE("a changed plan is refused") {
  Json json = to_json(sample_plan());
  json["seed"] = 43;
  CHECK_THAT(message_of([&] { read(json); }), Contains("plan.json: /id: the document was changed"));
}

TEST_CASE("two arms of one label are refused") {
  Plan plan = sample_plan();
  plan.arms[1].label = plan.arms[0].label;
  seal(plan);
  CHECK_THAT(message_of([&] { read(to_json(plan)); }), Contains("/arms/1/label: another arm"));
}
