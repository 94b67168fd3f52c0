// What a campaign says, on made-up measurements whose truth is known.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/ranking/headline/headline.hpp"
#include "analysis/ranking/stack_names.hpp"
#include "analysis/statistics/comparison.hpp"
#include "tests/analysis/measurements.hpp"

namespace headline_tests {

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;
using Catch::Matchers::Contains;

namespace {

using Measurements = std::vector<store::Measurement>;

Headline said(const Measurements& measurements) {
  return headline(rank(measurements, matmul, {.this_host = here}), "zen5");
}

// Arms whose rates differ and noise that is the same for all in a round, so that ratios are exact.
Measurements exact(const std::vector<double>& rates, std::uint64_t rounds) {
  return campaign(rates.size(), rounds, [&](std::size_t arm, std::uint64_t round) {
    return rates[arm] * (1 + 0.01 * static_cast<double>(round % 3));
  });
}

void add_sentinel(Measurements& measurements, std::uint64_t rounds) {
  for (std::uint64_t round = 0; round < rounds; ++round) {
    auto one = measurement(stack("0.3.0"), round,
                           100 * (1 + 0.01 * static_cast<double>(round % 3)) * (round % 2 == 0 ? 1.02 : 0.98));
    one.sentinel = true;
    measurements.push_back(one);
  }
}

}  // namespace

TEST_CASE("headline: a clear winner, with its interval, its ratio to the next and what it rests on") {
  auto measurements = exact({100, 50, 25}, 12);
  add_sentinel(measurements, 12);
  const auto headline = said(measurements);
  CHECK(headline.line == "OpenBLAS 0.3.0 is FASTEST: 101 GFLOP/s [100, 102], 2.00x [2.00, 2.00] the next.");
  CHECK(headline.verdict == "FASTEST");
  CHECK(headline.decided);
  CHECK(headline.leaders == std::vector{stack("0.3.0").id()});
  CHECK(*headline.ratio == Approx(2));
  CHECK(headline.ratio_ci->low == Approx(2));
  CHECK(headline.rounds_lacking == 0);
  CHECK(headline.context ==
        std::vector<std::string>{"MEASURED here (zen5): 3 stacks, 12 rounds, 0 failed; noise floor -2.0% to +2.0%.",
                                 "Holds for matmul:k=512,m=512,n=512; measured on 2025-06-01."});
  CHECK(headline.cautions.empty());
}

TEST_CASE("headline: of what, with what all stacks share, and when") {
  auto measurements = exact({100, 50}, 12);
  for (auto& one : measurements) {
    one.workload.params["repetitions"] = "20";
    one.stack.components["threads"] = "2";
    one.stack.components["debian-openblas"] = "0.3.21+ds-4";
  }
  measurements.back().finished = "2026-03-01T10:00:00Z";
  auto asked = matmul;
  asked.params["repetitions"] = "20";
  CHECK(headline(rank(measurements, asked, {.this_host = here}), "zen5").context.back() ==
        "Holds for matmul:k=512,m=512,n=512 with debian-openblas 0.3.21+ds-4, 2 threads; measured from 2025-06-01 to 2026-03-01.");
}

TEST_CASE("headline: what tells no such rate is said to be left out") {
  auto measurements = exact({100, 50}, 12);
  for (std::size_t i = 0; i < 5; ++i) measurements[i].work = {0, 0, 1e12};
  CHECK_THAT(said(measurements).cautions, Catch::Matchers::VectorContains(
                                              std::string("5 inspections tell no GFLOP/s and are left out.")));
}

TEST_CASE("headline: two that are equal are said to be, and what the others are") {
  const auto headline = said(exact({100, 100.1, 50, 25}, 12));
  CHECK(headline.line ==
        "Equally fast, within 1%: OpenBLAS 0.3.1 101, OpenBLAS 0.3.0 101 GFLOP/s; "
        "2 others are 2.0 to 4.0 times slower.");
  CHECK(headline.verdict == "EQUIVALENT");
  CHECK_FALSE(headline.decided);
  CHECK(headline.leaders == std::vector{stack("0.3.1").id(), stack("0.3.0").id()});
  CHECK_THAT(headline.context.front(), Contains("noise floor unknown (no sentinel)"));
}

TEST_CASE("headline: not told apart, with the rounds that are lacking") {
  const auto headline = said(exact({87.1, 86.8, 81.7, 50, 45.3, 30, 18}, 6));  // 6 comparisons take 8 rounds
  CHECK(headline.line ==
        "Leading, not told apart: OpenBLAS 0.3.0 88.0, OpenBLAS 0.3.1 87.7, OpenBLAS 0.3.2 82.5 GFLOP/s "
        "(2 more rounds would tell); 4 others look 1.7 to 4.8 times slower (2 more rounds would tell).");
  CHECK(headline.verdict == "NOT TOLD APART");
  CHECK(headline.leaders.size() == 3);
  CHECK(headline.rounds_lacking == 2);
  CHECK_FALSE(headline.decided);
  CHECK(headline.cautions.front() == "OpenBLAS 0.3.3 looks ×0.574, 2 rounds short.");
  CHECK(headline.cautions.back() == "1 more look slower.");
}

TEST_CASE("headline: a tie that looks two times slower is never a bare tie") {
  const auto measurements = exact({100, 52}, 3);
  const auto ranking = rank(measurements, matmul, {.this_host = here});
  CHECK(ranking.recommendations[1].rank == 1);  // as ranks mean it: not shown
  const auto headline = analysis::headline(ranking, "zen5");
  CHECK(headline.line ==
        "Leading, not shown: OpenBLAS 0.3.0 with 101 GFLOP/s; "
        "1 other looks 1.9 times slower (3 more rounds would tell).");
  CHECK(headline.leaders.size() == 1);
  CHECK(headline.verdict == "NOT TOLD APART");
  const auto text = table(ranking, 0, false);
  CHECK_THAT(text, Contains("=1") && Contains("looks ×0.520, 3 rounds short") && Contains("\"looks\": its"));
  CHECK_THAT(text, !Contains("UNRESOLVED"));
}

TEST_CASE("headline: a wide interval ties at 12 rounds, and is said to look slower") {
  const auto headline = said(campaign(2, 12, [](std::size_t arm, std::uint64_t round) {
    return arm == 0 ? 100.0 : round % 3 == 0 ? 190.0 : 50.0;
  }));
  CHECK(headline.verdict == "NOT TOLD APART");
  CHECK_THAT(headline.line, Contains("1 other looks 2.0 times slower (about ") && Contains(" would tell"));
}

TEST_CASE("headline: one stack alone; one that ran; none that ran; nothing") {
  auto alone = exact({100}, 12);
  CHECK(said(alone).line ==
        "OpenBLAS 0.3.0: 101 GFLOP/s [100, 102]; no other stack was measured, "
        "so nothing says whether another is faster.");
  CHECK(said(alone).verdict == "ALONE");
  CHECK_FALSE(said(alone).decided);
  alone.push_back(failure(stack("9"), 0, specs::Outcome::build_failed, "no compiler\nmore"));
  CHECK_THAT(said(alone).line, Contains("the only one of 2 stacks that ran"));
  CHECK(said(alone).cautions.back() == "OpenBLAS 9 failed: no compiler");
  CHECK_THAT(said(alone).context.front(), Contains("1 stack, 12 rounds, 1 stack failed"));
  const auto none = said({failure(stack("8"), 0, specs::Outcome::crashed, "signal 11"),
                          failure(stack("9"), 0, specs::Outcome::build_failed, "no compiler")});
  CHECK(none.line == "No stack ran: all 2 failed; OpenBLAS 8: signal 11");
  CHECK(none.verdict == "FAILED");
  CHECK(none.leaders.empty());
  CHECK(said({}).line == "Nothing was measured.");
}

TEST_CASE("headline: what was measured elsewhere says so") {
  auto away = exact({100, 50}, 12);
  for (auto& one : away) one.host = one.device = "fingerprint-there";
  const auto headline = said(away);
  CHECK_THAT(headline.line, Contains("is FASTEST, measured elsewhere: 101 GFLOP/s"));
  CHECK_THAT(headline.context.front(), Contains("MEASURED ELSEWHERE (zen5)"));
  auto mixed = exact({100, 50}, 12);
  for (auto& one : mixed)
    if (one.stack == stack("0.3.1")) one.host = one.device = "fingerprint-there";
  CHECK_FALSE(said(mixed).decided);  // their own intervals are apart, and so are their machines
  CHECK_THAT(said(mixed).cautions.back(), Contains("1 of 2 stacks were measured elsewhere only"));
}

TEST_CASE("headline: who left a race is not called slower, nor a tie") {
  specs::CampaignSpec spec;
  spec.strategy.kind = specs::StrategySpec::Kind::race;
  spec.rounds = 20;
  specs::Random random(5);
  const double base[] = {100, 95, 60, 50, 40, 30};
  Measurements all;
  for (std::uint64_t round = 0; round < 15; ++round)
    for (std::size_t arm = 0; arm < (round < 3 ? 6u : 2u); ++arm)
      all.push_back(
          measurement(stack("0.3." + std::to_string(arm)), round, base[arm] * std::exp(0.002 * normal(random))));
  const auto ranking = rank(all, matmul, {.this_host = here, .races = {{all.front().campaign, spec}}});
  const auto headline = analysis::headline(ranking, "zen5");
  CHECK_THAT(headline.line, Contains("OpenBLAS 0.3.0 is FASTEST of 2 finalists: ") && Contains("1.05") &&
                                Contains(" the next; 4 others left the race behind it."));
  CHECK(headline.decided);
  CHECK_THAT(table(ranking, 0, false), Contains("left a race, ×0.3"));
}

TEST_CASE("headline: cautions of a spread, a narrow lead and a sentinel that is called different") {
  auto measurements = campaign(2, 16, [](std::size_t arm, std::uint64_t round) {
    return (arm == 0 ? 103.0 : 100.0) * (round % 2 == 0 ? 1.3 : 1);
  });
  for (std::uint64_t round = 0; round < 16; ++round) {
    measurements.push_back(measurement(stack("0.3.0"), round, 80));
    measurements.back().sentinel = true;
  }
  std::string text;
  for (const auto& one : said(measurements).cautions) text += one + "\n";
  CHECK_THAT(text, Contains("CV of the best 13%.") && Contains("under two names was called different") &&
                       Contains("A narrow lead"));
}

TEST_CASE("headline: what two campaigns measured looks slower, however far their intervals are apart") {
  auto measurements = exact({100}, 12);
  for (auto& other : exact({1, 50}, 12)) {
    if (other.stack == stack("0.3.0")) continue;
    other.campaign = "another";
    measurements.push_back(other);
  }
  const auto headline = said(measurements);
  CHECK(headline.verdict == "NOT TOLD APART");
  CHECK_FALSE(headline.decided);
  CHECK_THAT(headline.line, Contains("Leading, not shown: OpenBLAS 0.3.0") &&
                                Contains("1 other looks 2.0 times slower (no shared round: run them in one campaign)"));
}

TEST_CASE("headline: verdicts fall with the fewest rounds that are said, and with none fewer") {
  for (std::size_t stacks = 2; stacks < 24; ++stacks) {
    const auto fewest = fewest_rounds(stacks - 1, 0.95);
    std::vector<double> rates;
    for (std::size_t i = 0; i < stacks; ++i) rates.push_back(100 / std::pow(1.5, i));
    CAPTURE(stacks, fewest);
    CHECK(said(exact(rates, fewest)).decided);
    const auto fewer = rank(exact(rates, fewest - 1), matmul, {.this_host = here});
    for (const auto& row : fewer.recommendations)
      if (row.versus_best) {
        CHECK(row.versus_best->verdict == Verdict::unresolved);
        CHECK(*row.versus_best->further_rounds == 1);
      }
    CHECK(analysis::headline(fewer, "").rounds_lacking == 1);
  }
}

TEST_CASE("headline: as JSON") {
  const auto json = to_json(said(exact({100, 50}, 12)));
  CHECK(json["verdict"] == "FASTEST");
  CHECK(json["ratio_ci"].size() == 2);
  CHECK(json["leaders"][0] == stack("0.3.0").id());
  CHECK(to_json(said({}))["ratio"].is_null());
}

namespace {

StackNames names_of(Ranking& ranking, const std::vector<std::map<std::string, std::string>>& stacks) {
  for (const auto& components : stacks) ranking.recommendations.emplace_back().stack = {components};
  return StackNames(ranking);
}

}  // namespace

TEST_CASE("stack names: what tells one from the others, the library first") {
  Ranking ranking;
  const auto names = names_of(
      ranking,
      {{{"onednn-cpu-gomp", "2023.0.0"}, {"libgomp", "system"}, {"onednn-max-isa", "default"}, {"threads", "2"}},
       {{"onednn-cpu-gomp", "2023.0.0"}, {"libgomp", "system"}, {"onednn-max-isa", "default"}, {"threads", "1"}},
       {{"onednn-cpu-gomp", "2023.1.0"}, {"libgomp", "system"}, {"onednn-max-isa", "AVX2"}, {"threads", "1"}},
       {{"onednn-cpu-gomp", "2023.1.0"}, {"libgomp", "system"}, {"onednn-max-isa", "SSE41"}, {"threads", "1"}},
       {{"netlib-blas", "3.11"}, {"threads", "1"}}});
  const auto name = [&](std::size_t i) { return names.of(ranking.recommendations[i].stack); };
  CHECK(name(0) == "oneDNN 2023.0.0 with 2 threads");
  CHECK(name(1) == "oneDNN 2023.0.0 with 1 thread");
  CHECK(name(2) == "oneDNN 2023.1.0, AVX2");
  CHECK(name(4) == "netlib BLAS 3.11");
}

TEST_CASE("stack names: one component differs; names alike; a stack that another holds; long ones") {
  Ranking settings, alike, within, wide;
  const auto by_setting = names_of(settings, {{{"openblas", "1"}, {"openblas-coretype", "auto"}},
                                              {{"openblas", "1"}, {"openblas-coretype", "Zen"}}});
  CHECK(by_setting.of(settings.recommendations[0].stack) == "auto");
  CHECK(by_setting.subject(settings.recommendations[0].stack) == "openblas-coretype auto");
  Ranking switched;
  const auto by_switch = names_of(switched, {{{"torch", "2"}, {"tf32", "on"}}, {{"torch", "2"}, {"tf32", "off"}}});
  CHECK(by_switch.of(switched.recommendations[0].stack) == "tf32 on");
  const auto by_raw = names_of(alike, {{{"scipy-openblas32", "0.3"}}, {{"scipy-openblas64", "0.3"}}});
  CHECK(by_raw.of(alike.recommendations[0].stack) == "scipy-openblas32 0.3");
  const auto held = names_of(within, {{{"torch", "2"}}, {{"torch", "2"}, {"numpy", "1"}}});
  CHECK_THAT(held.of(within.recommendations[0].stack), Contains(within.recommendations[0].stack.short_id()));
  std::map<std::string, std::string> one, other;
  std::vector<std::map<std::string, std::string>> many;
  for (int i = 0; i < 8; ++i) one["a-long-component-name-" + std::to_string(i)] = "1." + std::to_string(i);
  many.push_back(one);
  for (int i = 0; i < 8; ++i) {
    other = one;
    other["a-long-component-name-" + std::to_string(i)] = "2";
    many.push_back(other);
  }
  const auto cut = names_of(wide, many);
  const auto name = cut.of(wide.recommendations[0].stack);
  CHECK(name.size() <= 80);
  CHECK_THAT(name, Contains(wide.recommendations[0].stack.short_id()));
}

}  // namespace headline_tests
