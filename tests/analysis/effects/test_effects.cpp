#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/effects/effects.hpp"
#include "specs/error.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

specs::Stack library(const std::string& name, const std::string& version,
                     const std::string& threads) {
  return {{{"cpu", "host"}, {name, version}, {"threads", threads}}};
}

// Libraries old and new in three versions each, one or two threads; rounds drift, and each stack
// misses some of them.
std::vector<store::Measurement> drifting(double noise, std::uint64_t rounds = 9) {
  specs::Random random(7);
  std::vector<store::Measurement> all;
  double drift = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    drift += 0.2 * normal(random);
    std::size_t arm = 0;
    for (const char* name : {"blis", "openblas"})
      for (const char* version : {"0.9", "0.10", "1.0"})
        for (const char* threads : {"1", "2"}) {
          if (++arm % 4 == round % 4) continue;
          double rate = 100 * std::exp(drift + noise * normal(random));
          if (std::string(name) == "openblas") rate *= 1.5;
          if (std::string(version) == "0.10") rate *= 1.1;
          if (std::string(version) == "1.0") rate *= 1.2;
          if (std::string(threads) == "2") rate *= 1.9;
          all.push_back(measurement(library(name, version, threads), round, rate));
        }
  }
  return all;
}

const Effect* find(const Effects& all, const std::string& component, const std::string& from,
                   const std::string& to) {
  for (const Effect& effect : all.effects)
    if (effect.component == component && effect.from == from && effect.to == to) return &effect;
  return nullptr;
}

Rates rates_of(const std::vector<store::Measurement>& measurements) {
  std::vector<const store::Measurement*> all;
  for (const auto& m : measurements) all.push_back(&m);
  return collect(all, here);
}

}  // namespace

TEST_CASE("stack values: what all stacks of a round share is taken out exactly") {
  const auto measurements = drifting(0);
  const auto values = stack_values(rates_of(measurements));
  REQUIRE(values.size() == 12);
  const auto value = [&](const specs::Stack& stack) {
    for (const auto& one : values)
      if (one.stack == stack) return one.log_rate;
    return 0.0;
  };
  const double base = value(library("blis", "0.9", "1"));
  CHECK(value(library("blis", "0.10", "1")) - base == Approx(std::log(1.1)).margin(1e-6));
  CHECK(value(library("openblas", "1.0", "2")) - base ==
        Approx(std::log(1.5 * 1.2 * 1.9)).margin(1e-6));
  // The plain medians do not see that: the stacks ran in different rounds.
  double worst = 0;
  for (const auto& one : values)
    worst = std::max(worst, std::abs(std::log(one.median) - one.log_rate));
  CHECK(worst > 0.01);
}

TEST_CASE("stack values: one bad round or inspection moves nothing, and single inspections keep their rate") {
  std::vector<store::Measurement> all;
  for (std::uint64_t round = 0; round < 5; ++round)
    for (int arm = 0; arm < 4; ++arm) {
      double rate = 100 * (1 + arm);
      if (round == 2) rate /= 3;
      if (round == 4 && arm == 1) rate /= 50;
      all.push_back(measurement(stack(std::to_string(arm)), round, rate));
    }
  store::Measurement single = measurement(stack("9"), 0, 77);
  single.campaign.clear();
  all.push_back(single);
  const auto values = stack_values(rates_of(all));
  REQUIRE(values.size() == 5);
  for (int arm = 0; arm < 4; ++arm)
    CHECK(std::exp(values[static_cast<std::size_t>(arm)].log_rate) ==
          Approx(100 * (1 + arm)).epsilon(1e-6));
  CHECK(std::exp(values[4].log_rate) == Approx(77).epsilon(1e-6));
  CHECK(stack_values(Rates{}).empty());
}

TEST_CASE("effects: the steps and first to last are the truth, clear ones first") {
  const auto found = effects(drifting(0.01), specs::parse_workload("matmul"), {0.95, here, {}});
  REQUIRE(found.model);
  CHECK(found.values.size() == 12);
  const Effect* threads = find(found, "threads", "1", "2");
  REQUIRE(threads);
  CHECK(threads->ratio == Approx(1.9).epsilon(0.02));
  CHECK(threads->stacks_from == 6);
  CHECK(threads->stacks_to == 6);
  REQUIRE(threads->ci);
  CHECK(threads->ci->low < 1.9);
  CHECK(threads->ci->high > 1.9);
  CHECK(&found.effects.front() == threads);
  CHECK(threads->clear());
  // 0.9 is before 0.10, and each library has its own.
  for (const std::string name : {"blis", "openblas"}) {
    CHECK(find(found, name, "0.9", "0.10")->ratio == Approx(1.1).epsilon(0.03));
    CHECK(find(found, name, "0.10", "1.0")->ratio == Approx(1.2 / 1.1).epsilon(0.03));
    const Effect* overall = find(found, name, "0.9", "1.0");
    REQUIRE(overall);
    CHECK(overall->overall);
    CHECK(overall->ratio == Approx(1.2).epsilon(0.03));
  }
  // Which library: one comes where the other goes.
  CHECK_FALSE(find(found, "blis", "", "0.9"));
  REQUIRE(found.confounded.size() == 2);
  CHECK(found.confounded[0].component == "blis");
  CHECK(found.confounded[0].presence);
  CHECK(found.confounded[0].with == std::vector<std::string>{"openblas"});
  CHECK(found.constant == std::vector<std::string>{"cpu host"});
  bool unclear = false;
  for (const Effect& effect : found.effects) {
    CHECK_FALSE((unclear && effect.clear()));
    unclear = unclear || !effect.clear();
  }
  REQUIRE(found.accuracy);
  CHECK(found.accuracy->stacks == 12);
  CHECK(found.accuracy->rms_log < 0.05);
}

TEST_CASE("effects: inspections are not evidence of their own") {
  // Ten times the rounds, the same stacks and interactions: the intervals stay as wide.
  const auto with = [](std::uint64_t rounds) {
    std::vector<store::Measurement> all;
    specs::Random random(3);
    std::vector<double> interaction;
    for (int arm = 0; arm < 12; ++arm) interaction.push_back(0.1 * normal(random));
    for (std::uint64_t round = 0; round < rounds; ++round)
      for (int arm = 0; arm < 12; ++arm)
        all.push_back(measurement(library("blas", std::to_string(arm / 4), std::to_string(1 + arm % 2)),
                                  round, 100 * std::exp(interaction[static_cast<std::size_t>(arm)])));
    return effects(all, specs::parse_workload("matmul"), {0.95, here, {}});
  };
  const auto few = with(3), many = with(30);
  REQUIRE_FALSE(few.effects.empty());
  for (std::size_t i = 0; i < few.effects.size(); ++i) {
    REQUIRE(few.effects[i].ci);
    CHECK(many.effects[i].ci->low == Approx(few.effects[i].ci->low));
    CHECK(many.effects[i].ci->high == Approx(few.effects[i].ci->high));
  }
}

TEST_CASE("effects: more versions than can be taken apart in some seconds are refused with a reason") {
  std::vector<store::Measurement> all;
  for (int i = 0; i < 40; ++i) {
    specs::Stack stack;
    for (int k = 0; k < 30; ++k) stack.components[std::to_string(i) + "-" + std::to_string(k)] = "1";
    all.push_back(measurement(stack, 1, 100 + i));
  }
  const auto result = effects(all, matmul, {});
  CHECK(result.model == nullptr);
  CHECK(result.effects.empty());
  CHECK_THAT(result.why_none, Catch::Matchers::Contains("2400 versions are in these 40 stacks"));
  CHECK(result.notes == std::vector{result.why_none});
}

TEST_CASE("effects: only the components asked for, and unknown ones are refused") {
  const auto measurements = drifting(0.01);
  const auto workload = specs::parse_workload("matmul");
  const auto found = effects(measurements, workload, {0.95, here, {"threads"}});
  REQUIRE(found.effects.size() == 1);
  CHECK(found.confounded.empty());
  CHECK_THROWS_WITH(effects(measurements, workload, {0.95, here, {"thread"}}),
                    Catch::Contains("did you mean \"threads\"?"));
}

TEST_CASE("effects: nothing to go by") {
  const auto workload = specs::parse_workload("matmul");
  CHECK_FALSE(effects({}, workload, {}).model);
  CHECK_FALSE(effects({failure(stack("1"), 0, specs::Outcome::crashed, "")}, workload, {}).model);
  const auto one = effects({measurement(stack("1"), 0, 5)}, workload, {0.95, here, {}});
  REQUIRE(one.model);
  CHECK(one.effects.empty());
  CHECK_FALSE(one.accuracy);
  CHECK(table(one, false, 118).find("No difference") != std::string::npos);
}

TEST_CASE("effects: saturated means no interval, and says so") {
  std::vector<store::Measurement> all;
  for (int arm = 0; arm < 3; ++arm) all.push_back(measurement(stack(std::to_string(arm)), 0, 100 + arm));
  const auto found = effects(all, specs::parse_workload("matmul"), {0.95, here, {}});
  REQUIRE(found.effects.size() == 3);
  for (const Effect& effect : found.effects) CHECK_FALSE(effect.ci);
  REQUIRE(found.notes.size() == 1);
  CHECK(found.notes[0].find("no degrees of freedom") != std::string::npos);
  CHECK(to_json(found)["effects"][0]["ci95"].is_null());
  CHECK(headline(found) ==
        "Effects cannot be told from 3 stacks: as many parameters leave none over for an interval. Two of them against each other: stackx compare.");
}

TEST_CASE("effects: scores add up to the predictions") {
  const auto found = effects(drifting(0.02), specs::parse_workload("matmul"), {0.95, here, {}});
  const auto score = [&](const specs::Stack& stack) {
    specs::Score sum = 0;
    for (const auto& [component, version] : stack.components)
      sum += scores(found, component, {version}).of.at(component).at(version);
    return static_cast<double>(sum) * 1e-6;
  };
  const auto a = library("blis", "0.9", "1"), b = library("openblas", "1.0", "2"),
             c = library("openblas", "7.7", "2");
  for (const auto& [one, other] : {std::pair(a, b), std::pair(b, c), std::pair(a, c)})
    CHECK(score(other) - score(one) ==
          Approx(found.model->predict(other).value - found.model->predict(one).value).margin(1e-5));
  CHECK(scores(found, "nobody", {"1"}).of.at("nobody").at("1") == 0);
  const auto document = scores_document(found);
  CHECK(document["$schema"] == "stackx/score/1");
  CHECK(document["scores"].size() == 3);
  CHECK_FALSE(document["scores"].contains("cpu"));
}

TEST_CASE("effects: documents and tables") {
  auto found = effects(drifting(0.02), specs::parse_workload("matmul"), {0.95, here, {}});
  const auto document = to_json(found);
  CHECK(document["effects"].size() == found.effects.size());
  CHECK(document["model"]["degrees_of_freedom"] == found.model->degrees_of_freedom());
  CHECK(document["confounded"][0]["groups"][0][0].is_null());
  const std::string text = table(found, false, 118);
  CHECK(text.find("threads    1 -> 2") != std::string::npos);
  CHECK(text.find("being there or not, of blis, openblas") != std::string::npos);
  CHECK(text.find("12 stacks predicted from the others") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  const std::string lines = csv(found);
  CHECK(static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n')) ==
        found.effects.size() + 1);
  found.effects[0].to = "a,\"b";
  CHECK(csv(found).find(",\"a,\"\"b\",") != std::string::npos);
}
