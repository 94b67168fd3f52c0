#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/ranking/ranking.hpp"
#include "analysis/ranking/rates.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;
using specs::Outcome;

namespace {

Ranking ranked(const std::vector<store::Measurement>& measurements,
               Objective objective = Objective::rate) {
  return rank(measurements, matmul, {.objective = objective, .this_host = here});
}

std::string note_with(const Ranking& ranking, const std::string& words) {
  for (const auto& note : ranking.notes)
    if (note.find(words) != std::string::npos) return note;
  return "";
}

// Arms 0 and 1 alike, 2 a tenth slower, 3 and 4 far behind and alike.
std::vector<store::Measurement> groups(std::uint64_t rounds = 20) {
  specs::Random random(99);
  const double base[] = {100, 100.2, 90, 30, 30.1};
  return campaign(5, rounds, [&](std::size_t arm, std::uint64_t) {
    return base[arm] * std::exp(0.01 * normal(random));
  });
}

}  // namespace

TEST_CASE("ranking: an inspection's value is the median rate of its samples") {
  auto m = measurement(stack("1"), 0, 50);
  CHECK(rate_of(m, "GFLOP/s") == Approx(50));
  m.samples_ns = {100, 200};
  m.work = {400, 800, 2};
  CHECK(rate_of(m, "GFLOP/s") == Approx((4.0 + 2.0) / 2));  // of the rates, not of the times
  CHECK(rate_of(m, "GB/s") == Approx(6));
  CHECK(rate_of(m, "items/s") == Approx(15e6));
  m.samples_ns = {100, -1};
  CHECK(rate_of(m, "GFLOP/s") == 0);
  m.samples_ns = {};
  CHECK(rate_of(m, "GFLOP/s") == 0);
  CHECK(unit_of({1, 1, 1}) == "GFLOP/s");
  CHECK(unit_of({0, 1, 1}) == "GB/s");
  CHECK(unit_of({0, 0, 1}) == "items/s");
}

TEST_CASE("ranking: tie groups, verdicts, numbers") {
  const Ranking ranking = ranked(groups());
  REQUIRE(ranking.recommendations.size() == 5);
  const auto& rows = ranking.recommendations;
  std::vector<std::size_t> ranks;
  for (const auto& row : rows) ranks.push_back(row.rank);
  CHECK(ranks == std::vector<std::size_t>{1, 1, 3, 4, 4});
  CHECK_FALSE(rows[0].versus_best);
  CHECK(rows[1].versus_best->verdict != Verdict::slower);
  for (const std::size_t i : {2u, 3u, 4u}) CHECK(rows[i].versus_best->verdict == Verdict::slower);
  CHECK(rows[2].stack == stack("0.3.2"));
  CHECK(rows[2].versus_best->ratio == Approx(0.9).epsilon(0.02));
  CHECK(rows[2].median == Approx(90).epsilon(0.01));
  CHECK(rows[2].ci->low < rows[2].median);
  CHECK(rows[2].ci->coverage >= 0.95);
  CHECK(*rows[2].cv == Approx(0.01).epsilon(0.5));
  CHECK(rows[2].inspections == 20);
  CHECK(rows[2].evidence == "measured");
  CHECK(rows[2].sources == std::vector{std::string(64, 'c')});
  CHECK(ranking.unit == "GFLOP/s");
  CHECK(ranking.hw == "sapphire-rapids");
}

TEST_CASE("ranking: an erratic stack ties with its neighbours, not with everything below it") {
  specs::Random random(7);
  const double base[] = {200, 120, 80, 40};
  const auto ranking = ranked(campaign(4, 12, [&](std::size_t arm, std::uint64_t round) {
    if (arm == 0 && round % 3 == 0) return 20.0;  // at times slower than all others
    return base[arm] * std::exp(0.01 * normal(random));
  }));
  std::vector<std::size_t> ranks;
  for (const auto& row : ranking.recommendations) ranks.push_back(row.rank);
  CHECK(ranks == std::vector<std::size_t>{1, 1, 3, 4});
  CHECK(ranking.recommendations[3].versus_best->verdict ==
        Verdict::unresolved);  // against the erratic best
}

TEST_CASE("ranking: samples of one process are one value, however many they are") {
  auto few = groups(), many = groups();
  for (auto& m : many) {
    const auto samples = m.samples_ns;
    for (int i = 0; i < 20; ++i)
      m.samples_ns.insert(m.samples_ns.end(), samples.begin(), samples.end());
  }
  // The same medians, so the same ranking: nothing gains from repeating samples.
  CHECK(to_json(ranked(few)) == to_json(ranked(many)));
}

TEST_CASE("ranking: the order of the measurements does not matter") {
  auto measurements = groups();
  measurements.push_back(failure(stack("0.3.9"), 0, Outcome::crashed, "signal 11"));
  for (std::uint64_t r = 0; r < 12; ++r) {
    auto sentinel = measurement(stack("0.3.1"), r, 100 + static_cast<double>(r % 3));
    sentinel.sentinel = true;
    measurements.push_back(sentinel);
  }
  const auto expected = to_json(ranked(measurements));
  specs::Random random(3);
  for (int trial = 0; trial < 10; ++trial) {
    random.shuffle(measurements);
    REQUIRE(to_json(ranked(measurements)) == expected);
  }
}

TEST_CASE("ranking: scaling all work scales the rates and changes no verdict, rank or CV") {
  auto measurements = groups();
  const Ranking before = ranked(measurements);
  for (auto& m : measurements) m.work.flop *= 1024;
  const Ranking after = ranked(measurements);
  for (std::size_t i = 0; i < before.recommendations.size(); ++i) {
    const auto &a = before.recommendations[i], &b = after.recommendations[i];
    CHECK(a.stack == b.stack);
    CHECK(a.rank == b.rank);
    CHECK(a.median * 1024 == Approx(b.median));
    CHECK(*a.cv == Approx(*b.cv));
    REQUIRE(a.versus_best.has_value() == b.versus_best.has_value());
    if (a.versus_best) CHECK(a.versus_best->verdict == b.versus_best->verdict);
  }
}

TEST_CASE("ranking: drift that a whole round shares cancels in the verdicts") {
  specs::Random random(17);
  double machine = 0;
  std::uint64_t current = 0;
  const auto measurements = campaign(3, 20, [&](std::size_t arm, std::uint64_t round) {
    if (round != current) machine += 0.1 * normal(random);
    current = round;
    return (arm == 0 ? 103 : 100) * std::exp(machine + 0.002 * normal(random));
  });
  const Ranking ranking = ranked(measurements);
  CHECK(*ranking.recommendations[0].cv > 0.05);
  for (const std::size_t i : {1u, 2u})
    CHECK(ranking.recommendations[i].versus_best->verdict == Verdict::slower);
}

TEST_CASE("ranking: failures are counted by outcome and never rank") {
  auto measurements = groups();
  measurements.push_back(failure(stack("0.3.1"), 20, Outcome::timed_out, "120 s passed"));
  measurements.push_back(failure(stack("0.3.1"), 21, Outcome::timed_out, "120 s passed"));
  measurements.push_back(failure(stack("0.3.1"), 22, Outcome::crashed, "signal 11"));
  auto fast_but_wrong = measurement(stack("9.9"), 0, 1e6);
  fast_but_wrong.outcome = Outcome::wrong_result;
  fast_but_wrong.reason = "error 0.5 > 1e-5";
  measurements.push_back(fast_but_wrong);
  const Ranking ranking = ranked(measurements);
  REQUIRE(ranking.recommendations.size() == 5);
  const auto row =
      std::ranges::find(ranking.recommendations, stack("0.3.1"), &Recommendation::stack);
  CHECK(row->failures ==
        std::vector<std::pair<std::string, std::size_t>>{{"crashed", 1}, {"timed_out", 2}});
  CHECK(row->inspections == 20);
  REQUIRE(ranking.failed.size() == 1);
  CHECK(ranking.failed[0].stack == stack("9.9"));
  CHECK(ranking.failed[0].reason == "error 0.5 > 1e-5");
}

TEST_CASE("ranking: sentinels have no rows; their noise floor is a note") {
  auto measurements = groups();
  const auto before = ranked(measurements);
  specs::Random random(5);
  for (const auto& original : groups())
    if (original.stack == stack("0.3.2") && original.round < 12) {
      auto sentinel =
          measurement(original.stack, original.round, 90 * std::exp(0.01 * normal(random)));
      sentinel.sentinel = true;
      sentinel.arm += "+A";
      measurements.push_back(sentinel);
    }
  const auto after = ranked(measurements);
  CHECK(to_json(before)["recommendations"] == to_json(after)["recommendations"]);
  const std::string note = note_with(after, "sentinel: stack " + stack("0.3.2").short_id());
  CHECK_THAT(note, Catch::Contains("n=12 pairs") && Catch::Contains("%, "));
  CHECK_FALSE(note_with(after, "called different: 0 of 1").empty());
}

TEST_CASE("ranking: stacks that share no round are tied unless their own intervals are apart") {
  auto measurements = groups();
  std::erase_if(measurements, [](const auto& m) {
    return m.stack == stack("0.3.1") || m.stack == stack("0.3.2");
  });
  for (std::uint64_t r = 0; r < 12; ++r)
    for (const auto& [version, rate] : {std::pair{"near", 99.0}, {"far", 50.0}}) {
      auto m = measurement(stack(version), r, rate + static_cast<double>(r % 5) * 0.3);
      m.campaign = std::string(64, 'd');
      measurements.push_back(m);
    }
  const Ranking ranking = ranked(measurements);
  const auto rank_of = [&](const char* version) {
    return std::ranges::find(ranking.recommendations, stack(version), &Recommendation::stack)->rank;
  };
  CHECK(rank_of("0.3.0") == 1);
  CHECK(rank_of("near") == 1);
  CHECK(rank_of("far") == 3);
  CHECK(rank_of("0.3.3") == 4);
  CHECK_FALSE(note_with(ranking, "share no round").empty());
  const auto far = std::ranges::find(ranking.recommendations, stack("far"), &Recommendation::stack);
  CHECK(far->versus_best->verdict == Verdict::unresolved);
  CHECK(far->versus_best->pairs == 0);
}

TEST_CASE("ranking: only one device's rounds pair, and inspections outside of campaigns do not") {
  auto measurements = groups();
  for (auto& m : measurements)
    if (m.stack == stack("0.3.2"))
      m.device = "another";
    else if (m.stack == stack("0.3.3"))
      m.campaign.clear();
  const Ranking ranking = ranked(measurements);
  for (const auto& row : ranking.recommendations)
    if (row.stack == stack("0.3.2") || row.stack == stack("0.3.3")) {
      CHECK(row.versus_best->pairs == 0);
      CHECK(row.inspections == 20);
    }
}

TEST_CASE("ranking: this host's measurements count where there are any, else those of others") {
  auto measurements = groups();
  for (auto& m : measurements) m.host = m.device = "elsewhere";
  CHECK(ranked(measurements).recommendations[0].evidence == "measured-elsewhere");
  for (const auto& m : groups())
    if (m.stack == stack("0.3.2")) measurements.push_back(m);
  const Ranking ranking = ranked(measurements);
  for (const auto& row : ranking.recommendations) {
    CHECK(row.evidence == (row.stack == stack("0.3.2") ? "measured" : "measured-elsewhere"));
    CHECK(row.inspections == 20);
  }
  CHECK_FALSE(note_with(ranking, "4 of 5 stacks were measured on another host").empty());
}

TEST_CASE("ranking: the objective orders a tie group and never the ranks") {
  // Arm 0 a little faster and unsteady, arm 1 steady: tied. Arm 2 the steadiest and slower.
  specs::Random random(21);
  const double base[] = {101, 100, 80}, noise[] = {0.06, 0.01, 0.001};
  const auto measurements = campaign(3, 20, [&](std::size_t arm, std::uint64_t) {
    return base[arm] * std::exp(noise[arm] * normal(random));
  });
  const auto first = [&](Objective objective) {
    return ranked(measurements, objective).recommendations[0];
  };
  CHECK(first(Objective::rate).stack == stack("0.3.0"));
  CHECK(first(Objective::stability).stack == stack("0.3.1"));
  CHECK(first(Objective::balanced).stack == stack("0.3.1"));
  for (const Objective objective : {Objective::rate, Objective::stability, Objective::balanced}) {
    const auto rows = ranked(measurements, objective).recommendations;
    CHECK(rows[1].rank == 1);
    CHECK(rows[2].stack == stack("0.3.2"));
    CHECK(rows[2].rank == 3);
  }
}

TEST_CASE(
    "ranking: a workload with open parameters takes the one measured most and names the others") {
  auto measurements = groups();
  for (std::uint64_t r = 0; r < 3; ++r) {
    auto m = measurement(stack("0.3.0"), r, 500);
    m.workload.params["m"] = "2048";
    measurements.push_back(m);
  }
  const Ranking open = rank(measurements, {"matmul", {{"n", "512"}}}, {.this_host = here});
  CHECK(open.workload == matmul);
  CHECK_THAT(note_with(open, "also measured"),
             Catch::Contains("m=2048") && Catch::Contains("3 inspections"));
  CHECK(note_with(ranked(measurements), "also measured").empty());
  const Ranking large = rank(measurements, {"matmul", {{"m", "2048"}}}, {.this_host = here});
  CHECK(large.recommendations.size() == 1);
  CHECK(rank(measurements, {"conv2d", {}}, {.this_host = here}).recommendations.empty());
  CHECK(rank({}, matmul, {}).recommendations.empty());
}

TEST_CASE("ranking: of several workloads the one that most stacks can do is ranked") {
  auto measurements = groups();
  auto narrow = groups(40);  // more inspections, but two stacks cannot do it
  for (auto& m : narrow) {
    m.workload.params["dtype"] = "bfloat16";
    if (m.stack == stack("0.3.0") || m.stack == stack("0.3.1")) m.outcome = Outcome::unsupported;
  }
  measurements.insert(measurements.end(), narrow.begin(), narrow.end());
  const Ranking open = rank(measurements, {"matmul", {}}, {.this_host = here});
  CHECK(open.workload == matmul);
  CHECK_THAT(note_with(open, "also measured"), Catch::Contains("dtype=bfloat16"));
}

TEST_CASE("ranking: one inspection is a row without interval, CV or verdict") {
  const Ranking ranking = ranked({measurement(stack("a"), 0, 10), measurement(stack("b"), 0, 1)});
  const auto& rows = ranking.recommendations;
  REQUIRE(rows.size() == 2);
  CHECK_FALSE(rows[0].ci);
  CHECK_FALSE(rows[0].cv);
  CHECK(rows[1].rank == 1);  // one pair shows nothing
  CHECK(rows[1].versus_best->verdict == Verdict::unresolved);
  CHECK(rows[1].versus_best->further_rounds == 5);
  CHECK_FALSE(note_with(ranking, "fewer than 6 inspections").empty());
}

TEST_CASE("ranking: what reports other work is left out and said") {
  auto measurements = groups();
  auto odd = measurement(stack("0.3.0"), 77, 10);
  odd.work = {0, 1000, 0};
  measurements.push_back(odd);
  const Ranking ranking = ranked(measurements);
  CHECK(ranking.unit == "GFLOP/s");
  CHECK_FALSE(note_with(ranking, "1 inspections were left out").empty());
  CHECK(ranking.recommendations[0].inspections == 20);
}
