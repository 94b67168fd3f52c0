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

TEST_CASE("settling: a project that lists exactly the candidates", "[settling]") {
  const auto all = catalog();
  const auto campaign = settling_campaign(asked(), all);
  auto project = specs::parse_project(specs::Node::parse_text(campaign.text, "settle.json"), all);
  CHECK(project.name == "settle-v100-matmul");
  CHECK(project.hardware == std::map<std::string, std::string>{{"gpu", "v100"}, {"driver", "host"}});
  project.hardware["driver"] = "450.80.02";  // of a machine
  CHECK(project.campaign.rounds == campaign.rounds);
  CHECK(project.campaign.sentinels == 1);
  CHECK(project.campaign.budget_minutes == 60);
  CHECK(project.workloads.at(0).params ==
        std::map<std::string, std::string>{{"m", "64"}, {"dtype", "float16"}});
  // torch 1.2 goes with CUDA 10.0, too: a cross of the candidates, which is not run.
  const resolver::Resolver resolver(project, all);
  CHECK(resolver.count() == 3);
  auto expected = asked().candidates;
  for (auto& stack : expected) stack.components["driver"] = "450.80.02";
  CHECK(resolver::campaign_stacks(resolver, project, all) == expected);
  CHECK(campaign.stacks == 2);
  CHECK(campaign.arms == 3);
  std::string notes;
  for (const auto& note : campaign.notes) notes += note + "\n";
  CHECK_FALSE(campaign.needs_program);
  CHECK_THAT(notes, Contains("takes the driver of the machine") && Contains("is assumed") &&
                        Contains("does not know it: suite"));
  CHECK(settling_campaign(asked(), all).text == campaign.text);
}

TEST_CASE("settling: what no PI of stackx measures is left to the user's program", "[settling]") {
  auto of_bert = asked();
  of_bert.workload = {"train_bert_large", {}};
  const auto campaign = settling_campaign(of_bert, catalog());
  CHECK(campaign.needs_program);
  CHECK_THAT(campaign.notes.back(), Contains("no PI for train_bert_large") && Contains("docs/own-pi.md"));
}

TEST_CASE("settling: listed stacks that are not valid are refused, with the place", "[settling]") {
  const auto all = catalog();
  const auto refusal = [&](const std::string& stacks) {
    return message_of([&] {
      const auto project = specs::parse_project(
          specs::Node::parse_text(
              R"({"$schema": "stackx/project/1", "name": "p", "catalogs": ["c.json"], "requires": {"torch": "*"},
            "hardware": {"gpu": "v100"}, "campaign": {"stacks": )" +
                  stacks + "}}",
              "p.json"),
          all);
      resolver::campaign_stacks(resolver::Resolver(project, all), project, all);
    });
  };
  CHECK_THAT(refusal(R"([{"driver": "418.67", "cuda": "11.0", "torch": "1.2"}])"),
             Contains("p.json: /campaign/stacks/0: this stack is not valid"));
  CHECK_THAT(refusal(R"([{"driver": "450.80.02", "cuda": "11.0", "torch": "1.2"}, {"torch": "9"}])"),
             Contains("/campaign/stacks/1"));
  CHECK_THAT(refusal(R"([{"gpu": "t4", "torch": "1.2"}])"), Contains("leave it out of the stack"));
  CHECK_THAT(refusal("[]"), Contains("/campaign/stacks: expected at least one stack"));
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
  CHECK(campaign.stacks == 1);
  CHECK_THAT(campaign.text, Contains("How fast is matmul") && Contains("1 stack, 12 rounds"));
}

TEST_CASE("settling: 5% within an hour, else a larger effect or fewer stacks, which is said", "[settling]") {
  const auto all = catalog();
  const auto usual = settling_campaign(asked(), all);
  CHECK(usual.summary == "2 stacks, 12 rounds, about 3 min, finds differences of 5%. (1% would take 12 min.)");
  CHECK(usual.effect == 0.05);
  CHECK(usual.resolves);
  auto noisy = asked();
  noisy.spread = {0.25, 12, "campaign 012345678901"};
  const auto larger = settling_campaign(noisy, all);
  CHECK(larger.effect > 0.05);
  CHECK(larger.minutes <= 60);
  CHECK(larger.stacks == 2);
  CHECK_THAT(larger.summary, Contains("finds differences of 1"));
  CHECK_THAT(larger.notes.at(0), Contains("n=12, campaign 012345678901"));
  CHECK_THAT(larger.notes.at(1), Contains("instead of 5%, to stay within 60 min"));
  noisy.spread.cv = 2;
  const auto hopeless = settling_campaign(noisy, all);
  CHECK_FALSE(hopeless.resolves);
  CHECK(hopeless.minutes <= 60);
  CHECK_THAT(hopeless.summary, Contains("does not find even differences of 20%"));
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
}

TEST_CASE("settling: so many rounds do find the difference, in simulation", "[settling][simulation]") {
  specs::Random random(12);
  for (const double cv : {0.01, 0.02, 0.05}) {
    const auto rounds = *analysis::rounds_to_find(0.05, 0.01, cv, 2, 0.95);
    int found = 0;
    constexpr int campaigns = 1000;
    for (int i = 0; i < campaigns; ++i) {
      std::vector<std::vector<double>> family(2);
      for (std::size_t k = 0; k < rounds; ++k)
        for (auto& logs : family) logs.push_back(cv * (normal(random) - normal(random)) - std::log1p(0.05));
      found += analysis::compare(family, 0.01, 0.95).front().verdict == analysis::Verdict::slower;
    }
    CAPTURE(cv, rounds, found);
    CHECK(found >= campaigns * 78 / 100);  // 80%, less three standard errors and a bit
    CHECK((found <= campaigns * 95 / 100 || cv < 0.03));  // few rounds come in steps
  }
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
