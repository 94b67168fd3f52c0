#include <catch2/catch.hpp>
#include <cmath>

#include "advisor/settling_campaign.hpp"
#include "analysis/statistics/comparison.hpp"
#include "resolver/resolver.hpp"
#include "specs/format/json.hpp"
#include "specs/project/project.hpp"
#include "specs/random.hpp"
#include "tests/specs/message_of.hpp"

namespace settling_campaign_tests {

using namespace stackx;
using namespace stackx::advisor;
using namespace stackx::tests;
using Catch::Matchers::Contains;

namespace {

specs::Catalog catalog() {
  return specs::parse_catalog(
      specs::Node::parse_text(R"({"$schema": "stackx/catalog/1", "components": {
    "gpu": {"kind": "hardware", "versioning": "opaque", "versions": {"v100": {"attributes": {"compute_capability": "7.0"}}}},
    "driver": {"kind": "driver", "versions": {"418.67": {}, "450.80.02": {}}},
    "cuda": {"kind": "runtime", "versions": {"10.0": {"requires": {"driver": ">=410"}}, "10.1": {"requires": {"driver": ">=418"}}, "11.0": {"requires": {"driver": ">=450"}}}},
    "torch": {"kind": "package", "ecosystem": "pypi", "versions": {
      "1.0": {"requires": {"cuda": "==10.0", "gpu.compute_capability": ">=6"}}, "1.1": {"requires": {"cuda": "<=10.1"}},
      "1.2": {"requires": {"cuda": "*"}}}}}})",
                              "c.json"));
}

Settling asked() {
  Settling result;
  result.hw = "V100";
  result.hardware = {{"gpu", "v100"}};
  result.workload = {"matmul", {{"m", "64"}, {"dtype", "float16"}, {"suite", "train"}}};
  result.candidates = {
      {{{"gpu", "v100"}, {"driver", "450.80.02"}, {"cuda", "11.0"}, {"torch", "1.2"}}},
      {{{"gpu", "v100"}, {"driver", "418.67"}, {"cuda", "10.0"}, {"torch", "1.0"}}}};
  result.catalogs = {"c.json"};
  result.roots = {{"torch", "*"}};
  return result;
}

// The normal deviate by Box and Muller.
double normal(specs::Random& random) {
  return std::sqrt(-2 * std::log(1 - random.unit())) * std::cos(2 * M_PI * random.unit());
}

}  // namespace

TEST_CASE("settling: a project that holds the candidates", "[settling]") {
  const auto all = catalog();
  const auto campaign = settling_campaign(asked(), all);
  const auto project =
      specs::parse_project(specs::Node::parse_text(campaign.text, "settle.json"), all);
  CHECK(project.name == "settle-v100-matmul");
  CHECK(project.hardware.at("gpu") == "v100");
  CHECK(project.campaign.rounds == campaign.rounds);
  CHECK(project.campaign.sentinels == 1);
  CHECK(project.campaign.budget_minutes == campaign.minutes);
  CHECK(project.workloads.at(0).params ==
        std::map<std::string, std::string>{{"m", "64"}, {"dtype", "float16"}});
  // torch 1.2 goes with CUDA 10.0, too: two candidates and a cross of them, which is said.
  CHECK(resolver::Resolver(project, all).count().str() == campaign.stacks);
  CHECK(campaign.stacks == "3");
  CHECK(campaign.arms == 4);
  std::string notes;
  for (const auto& note : campaign.notes) notes += note + "\n";
  CHECK_THAT(notes, Contains("cross: 3 stacks") && Contains("driver 450.80.02 for all") &&
                        Contains("is assumed") && Contains("does not know it: suite"));
  for (auto stack : asked().candidates) {
    stack.components["driver"] = "450.80.02";
    CHECK_FALSE(resolver::violation(project, all, stack));
  }
  CHECK(settling_campaign(asked(), all).text == campaign.text);
}

TEST_CASE("settling: what cannot be a candidate is refused; one candidate is enough",
          "[settling]") {
  const auto all = catalog();
  auto wrong = asked();
  wrong.candidates[1].components["cuda"] = "11.0";  // torch 1.0 needs 10.0
  CHECK_THAT(message_of([&] { settling_campaign(wrong, all); }),
             Contains("cannot be in a settling campaign") && Contains("cuda"));
  auto one = asked();
  one.candidates = {one.candidates[0], one.candidates[0]};
  one.candidates[1].components["driver"] = "418.67";  // another stack, but not on one machine
  const auto campaign = settling_campaign(one, all);
  CHECK(campaign.stacks == "1");
  CHECK_THAT(campaign.text, Contains("How fast is matmul"));
}

TEST_CASE("settling: rounds are those of the verdicts", "[settling]") {
  CHECK(estimated_rounds(0.01, 0.0001) == 6);  // the fewest of which a median has a 95% interval
  CHECK(*estimated_rounds(0.01, 0.02) == 49);  // (1.96 sqrt(pi/2) sqrt(2) 0.02 / log 1.01)^2 = 48.8
  CHECK(*estimated_rounds(0.02, 0.02) < 15);
  CHECK(*estimated_rounds(0.01, 0.04) == 195);
  CHECK(*estimated_rounds(0.01, 0.02, 5) > 49);  // corrected for five comparisons
  CHECK_FALSE(estimated_rounds(0.01, 0.5));
  CHECK(*rounds_to_resolve(0.01, 0.02) == 123);
  CHECK_FALSE(rounds_to_resolve(0.01, 0.5));
  auto noisy = asked();
  noisy.spread = {0.5, 12, "campaign 012345678901"};
  const auto campaign = settling_campaign(noisy, catalog());
  CHECK_FALSE(campaign.resolves);
  CHECK_THAT(campaign.notes.at(0),
             Contains("do not resolve") && Contains("n=12, campaign 012345678901"));
}

TEST_CASE("settling: so many rounds do resolve, in simulation", "[settling][simulation]") {
  specs::Random random(11);
  for (const double cv : {0.01, 0.02}) {
    const auto rounds = *rounds_to_resolve(0.01, cv);
    int equivalent = 0, wrong = 0, apart = 0;
    constexpr int campaigns = 400;
    for (int i = 0; i < campaigns; ++i) {
      std::vector<double> same, slower;
      for (std::size_t k = 0; k < rounds; ++k) {
        const double noise = cv * (normal(random) - normal(random));
        same.push_back(noise);
        slower.push_back(noise - 2 * std::log1p(0.01));
      }
      const auto verdict = analysis::compare({same}, 0.01, 0.95).front().verdict;
      equivalent += verdict == analysis::Verdict::equivalent;
      wrong += verdict == analysis::Verdict::faster || verdict == analysis::Verdict::slower;
      apart += analysis::compare({slower}, 0.01, 0.95).front().verdict == analysis::Verdict::slower;
    }
    CAPTURE(cv, rounds, equivalent, apart, wrong);
    CHECK(equivalent > campaigns * 55 / 100);
    CHECK(apart > campaigns * 70 / 100);
    CHECK(wrong < campaigns / 20);
  }
}

}  // namespace settling_campaign_tests
