// Samples of inspections: how many, which, and that they cost the same however much was measured.
#include "store/questions/sample.hpp"

#include <catch2/catch.hpp>
#include <ctime>
#include <map>
#include <set>

#include "specs/format/json.hpp"
#include "store/questions/questions.hpp"
#include "tests/store/fixture.hpp"

using namespace stackx;
using namespace stackx::store;
using stackx::test::inspection;

namespace {

const std::string other(64, 'd');

// As test::inspection: four arms a round, the fourth a sentinel.
Store filled(const std::filesystem::path& file, std::uint64_t rounds, bool backwards = false) {
  Store store = Store::open(file);
  const std::uint64_t all = 4 * rounds;
  std::uint64_t at = 0;
  const auto next = [&](std::string& line) {
    if (at == all + 40) return false;
    const std::uint64_t number = backwards ? all + 39 - at : at;
    line = specs::canonical(specs::to_json(number < all ? inspection(number) : inspection(number - all, other)));
    ++at;
    return true;
  };
  REQUIRE(store.take_in(next, "made").refused == 0);
  return store;
}

using Rounds = std::map<std::string, std::set<std::pair<std::string, std::uint64_t>>>;  // by arm

Rounds rounds_of(const Excerpt& excerpt) {
  Rounds result;
  for (const Measurement& m : excerpt.measurements) CHECK(result[m.arm].emplace(m.campaign, m.round).second);
  return result;
}

}  // namespace

TEST_CASE("sample: what is no more than an answer reads is read whole") {
  const test::Directory directory;
  const Store store = filled(directory / "s.db", 30);
  const Excerpt excerpt = store.excerpt({}, {.most = 160});
  CHECK_FALSE(excerpt.sampling);
  CHECK(excerpt.inspections == 160);
  CHECK(excerpt.measurements.size() == 160);
  // Nor is it a sample where the least that each gives is all.
  const Excerpt least = store.excerpt({}, {.most = 100, .least = 40});
  CHECK_FALSE(least.sampling);
  CHECK(least.measurements.size() == 160);
}

TEST_CASE("sample: equally many of each arm, in the same rounds, and each as it stands in the store") {
  const test::Directory directory;
  const Store store = filled(directory / "s.db", 150);
  const Excerpt excerpt = store.excerpt({}, {.most = 100, .least = 5});
  REQUIRE(excerpt.sampling);
  CHECK(excerpt.sampling->each == 25);
  CHECK(excerpt.inspections == 640);
  CHECK(excerpt.measurements.size() == 100);
  const Rounds rounds = rounds_of(excerpt);
  REQUIRE(rounds.size() == 4);
  for (const auto& [arm, of_arm] : rounds) CHECK(of_arm == rounds.begin()->second);

  std::map<std::int64_t, Measurement> all;
  for (const Measurement& m : store.measurements({})) all.emplace(m.row, m);
  std::size_t failed = 0;
  for (const Measurement& m : excerpt.measurements) {
    CHECK(m.inspection == all.at(m.row).inspection);
    CHECK(m.samples_ns == all.at(m.row).samples_ns);
    CHECK(m.load_1m == all.at(m.row).load_1m);
    failed += m.outcome != specs::Outcome::ok;
  }
  CHECK(failed > 0);
}

TEST_CASE("sample: the seed decides, not the order in which documents came, nor the store") {
  const test::Directory directory;
  const Store one = filled(directory / "1.db", 100), two = filled(directory / "2.db", 100, true);
  const Sampling sampling{.most = 80, .least = 5};
  const Rounds rounds = rounds_of(one.excerpt({}, sampling));
  CHECK(rounds == rounds_of(one.excerpt({}, sampling)));
  CHECK(rounds == rounds_of(two.excerpt({}, sampling)));
  Sampling again = sampling;
  again.seed = 2;
  CHECK(rounds != rounds_of(one.excerpt({}, again)));
  // By series, as questions ask.
  const Questions questions(directory / "1.db");
  CHECK(rounds == rounds_of(questions.excerpt(questions.series({}), sampling)));
}

TEST_CASE("sample: no more rows are looked at where more was measured") {
  const test::Directory directory;
  const Sampling sampling{.most = 80, .least = 5};
  for (const std::uint64_t rounds : {50, 200, 800}) {
    const Store store = filled(directory / (std::to_string(rounds) + ".db"), rounds);
    const Excerpt excerpt = store.excerpt({}, sampling);
    CHECK(excerpt.inspections == 4 * rounds + 40);
    CHECK(excerpt.measurements.size() == 80);
    CHECK(excerpt.looked_at == 80);
  }
}

TEST_CASE("sample: all rounds are equally likely") {
  const Stratum stratum{{{7, 1000, 1199, 0}, {8, 5000, 5099, 0}}, 300};
  std::map<std::int64_t, int> drawn;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Stratum seeded = stratum;
    for (Extent& extent : seeded.extents) extent.campaign = specs::derive_seed(seed, std::to_string(extent.campaign));
    CHECK(draw({seeded}, 30, [&](std::int64_t row) { return ++drawn[row] > 0; }) == 30);
  }
  CHECK(drawn.size() == 300);
  double chi_square = 0;  // of 300 rows that expect 40 each
  for (const auto& [row, times] : drawn) chi_square += (times - 40) * (times - 40) / 40.0;
  CHECK(chi_square > 200);
  CHECK(chi_square < 360);
}

TEST_CASE("sample: rounds that are missing make room for others, and small strata are whole") {
  const test::Directory directory;
  Store store = Store::open(directory / "s.db");
  for (std::uint64_t number = 0; number < 800; ++number) {
    const std::uint64_t round = number / 4, arm = number % 4;
    if (arm == 0 && round >= 6) continue;            // left early
    if (arm == 1 && round % 5 != 0) continue;        // ran in every fifth round
    store.ingest(inspection(number));
  }
  const Excerpt excerpt = store.excerpt({}, {.most = 96, .least = 5});
  const Rounds rounds = rounds_of(excerpt);
  REQUIRE(excerpt.sampling);
  CHECK(excerpt.sampling->each == 30);
  CHECK(rounds.at("arm-0").size() == 6);
  CHECK(rounds.at("arm-1").size() == 30);
  CHECK(rounds.at("arm-2").size() == 30);
  CHECK(rounds.at("arm-2") == rounds.at("arm-3"));
}

TEST_CASE("sample: rounds that lie far apart cost and count as many as there are") {
  const test::Directory directory;
  Store store = Store::open(directory / "s.db");
  constexpr std::uint64_t documents = 600;
  std::uint64_t at = 0;
  const auto next = [&](std::string& line) {
    if (at == documents) return false;
    specs::Inspection one = inspection(at % 2);  // two arms, the first and the last round of each block
    one.round = at / 4 * 4096 + (at / 2 % 2 == 0 ? 0 : 4095);
    specs::seal(one);
    line = specs::canonical(specs::to_json(one));
    ++at;
    return true;
  };
  REQUIRE(store.take_in(next, "made").refused == 0);
  const std::clock_t begin = std::clock();
  const Excerpt all = store.excerpt({}, {.most = 1000});
  CHECK_FALSE(all.sampling);
  CHECK(all.inspections == documents);
  CHECK(all.measurements.size() == documents);
  const Excerpt some = store.excerpt({}, {.most = 100, .least = 5});
  REQUIRE(some.sampling);
  CHECK(some.inspections == documents);
  CHECK(some.measurements.size() == 100);
  CHECK(some.looked_at == 100);
  const Rounds rounds = rounds_of(some);
  CHECK(rounds.at("arm-0") == rounds.at("arm-1"));
  CHECK((std::clock() - begin) / CLOCKS_PER_SEC < 30);  // of the processor
}

TEST_CASE("sample: few that are there among many places are found in few passes") {
  const Stratum stratum{{{7, 0, 999'999, 0}}, 1'000'000};
  std::uint64_t found = 0;
  const auto take = [&](std::int64_t row) { return row % 20'000 == 0 && ++found > 0; };
  const std::clock_t begin = std::clock();
  draw({stratum}, 100, take);
  CHECK(found == 50);
  CHECK((std::clock() - begin) / CLOCKS_PER_SEC < 30);  // of the processor
}

TEST_CASE("sample: of one campaign, only its arms are looked at") {
  const test::Directory directory;
  const Store store = filled(directory / "s.db", 100);
  Filter filter;
  filter.campaign = other.substr(0, 8);
  const Excerpt whole = store.excerpt(filter, {.most = 40});
  CHECK_FALSE(whole.sampling);
  CHECK(whole.measurements.size() == 40);
  CHECK(whole.looked_at == 40);
  const Excerpt some = store.excerpt(filter, {.most = 20, .least = 1});
  REQUIRE(some.sampling);
  CHECK(some.measurements.size() == 20);
  for (const Measurement& m : some.measurements) CHECK(m.campaign == other);
  filter.campaign.reset();
  filter.host = "nowhere";
  CHECK(store.excerpt(filter, {.most = 20}).measurements.empty());
}
