#include <SQLiteCpp/Database.h>
#include <catch2/catch.hpp>

#include "store/questions/questions.hpp"
#include "tests/store/fixture.hpp"

using namespace stackx;
using namespace stackx::test;
using store::Filter;
using store::Store;

namespace {

std::size_t count(const Store& store, const Filter& filter) {
  return store.measurements(filter).size();
}

specs::Inspection with_host(std::uint64_t number, const specs::Host& host,
                            const std::string& campaign) {
  auto result = inspection(number, campaign);
  result.host = host;
  result.device = host.fingerprint();
  specs::seal(result);
  return result;
}

specs::Inspection on_gpu(std::uint64_t number, const std::string& campaign) {
  auto result = inspection(number, campaign);
  result.device = result.host.gpus.at(0).uuid;
  specs::seal(result);
  return result;
}

}  // namespace

TEST_CASE("query: filters, alone and together") {
  const Directory directory;
  Store store = Store::open(directory / "stackx.db");
  const std::string a(64, 'a'), b(64, 'b');
  auto skylake = host("skylake", 4);
  skylake.cpu.model = "Intel(R) Xeon(R) Gold 6148";
  skylake.gpus.clear();
  for (std::uint64_t n = 0; n < 8; ++n) store.ingest(on_gpu(n, a));
  for (std::uint64_t n = 0; n < 6; ++n) store.ingest(with_host(n, skylake, b));
  auto large = inspection(100, a);
  large.workload.params["m"] = "2048";
  specs::seal(large);
  store.ingest(large);

  CHECK(count(store, {}) == 15);
  CHECK(count(store, {.workload = specs::parse_workload("matmul")}) == 15);
  CHECK(count(store, {.workload = specs::parse_workload("matmul:m=2048")}) == 1);
  CHECK(count(store, {.workload = specs::parse_workload("matmul:m=512,dtype=float32")}) == 14);
  CHECK(count(store, {.workload = specs::parse_workload("conv2d")}) == 0);
  CHECK(count(store, {.host = skylake.fingerprint()}) == 6);
  CHECK(count(store, {.hardware = "sapphire-rapids"}) == 1);  // what ran on its processor
  CHECK(count(store, {.hardware = "Skylake"}) == 6);
  CHECK(count(store, {.hardware = "v100"}) == 8);  // what ran on the GPU, not beside it
  CHECK(count(store, {.hardware = "tesla-v100-sxm2-16gb"}) == 8);
  CHECK(count(store, {.hardware = "v10"}) == 0);  // whole words only
  CHECK(count(store, {.hardware = "6148"}) == 6);
  CHECK(count(store, {.campaign = b}) == 6);
  CHECK(count(store, {.campaign = "bbb"}) == 6);
  CHECK(count(store, {.campaign = "d"}) == 0);
  CHECK(count(store, {.workload = specs::parse_workload("matmul:m=512"),
                      .hardware = "v100",
                      .campaign = a}) == 8);
}

TEST_CASE("query: of a campaign, what is counted and not there is an Error, and others are not asked") {
  const Directory directory;
  const std::string a(64, 'a'), b(64, 'b');
  {
    Store store = Store::open(directory / "stackx.db");
    for (std::uint64_t n = 0; n < 8; ++n) store.ingest(inspection(n, a));
    for (std::uint64_t n = 0; n < 6; ++n) store.ingest(inspection(n, b));
  }
  {
    SQLite::Database database(directory / "stackx.db", SQLite::OPEN_READWRITE);
    database.exec("DELETE FROM inspections WHERE id = (SELECT i.id FROM campaigns c, arms a ON a.campaign = c.id, inspections i ON i.id / 4096 "
                  "= a.id WHERE c.name = '" + a + "' LIMIT 1)");
  }
  const Store store = Store::open(directory / "stackx.db");
  CHECK(count(store, {.campaign = b}) == 6);
  CHECK(error_of([&] { store.measurements({.campaign = a}); }).find("8 inspections are counted, 7 are there") != std::string::npos);
  CHECK(error_of([&] { store.measurements({.campaign = std::string()}); }).find("inspections are counted") != std::string::npos);
}

TEST_CASE("query: a measurement has what the document says") {
  const Directory directory;
  Store store = Store::open(directory / "stackx.db");
  const auto document = inspection(6);  // a crash
  store.ingest(document);
  const auto m = store.measurements({}).at(0);
  CHECK(m.inspection == document.id.substr(0, 16));
  CHECK(store.inspection(m).id == document.id);
  CHECK(m.campaign == document.campaign);
  CHECK(m.arm == "arm-2");
  CHECK(m.round == 1);
  CHECK(m.position == 2);
  CHECK_FALSE(m.sentinel);
  CHECK(m.stack == document.stack);
  CHECK(m.workload == document.workload);
  CHECK(m.host == document.host.fingerprint());
  CHECK(m.hostname == "bench-1");
  CHECK(m.microarchitecture == "sapphire-rapids");
  CHECK(m.cpu_model == document.host.cpu.model);
  CHECK(m.device == document.device);
  CHECK(m.outcome == specs::Outcome::crashed);
  CHECK(m.reason == document.reason);
  CHECK(m.finished == document.finished);
  CHECK(m.samples_ns.empty());
  CHECK(m.work.flop == document.work.flop);
}

TEST_CASE("query: campaigns and what of them is done") {
  const Directory directory;
  Store store = Store::open(directory / "stackx.db");
  auto first = plan(3, 4), second = plan(5, 2);
  second.created = "2025-07-01T00:00:00Z";
  second.campaign.budget_inspections = 7;
  specs::seal(second);
  store.ingest(first);
  store.ingest(second);
  for (std::uint64_t n = 0; n < 9; ++n) store.ingest(inspection(n, first.id));

  const auto rows = store.campaigns();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].id == second.id);  // newest first
  CHECK(rows[0].planned == 7);
  CHECK(rows[0].done == 0);
  CHECK(rows[1].project == "blas-cpu");
  CHECK(rows[1].created == first.created);
  CHECK(rows[1].planned == 12);
  CHECK(rows[1].done == 9);
  CHECK(rows[1].failed == 1);  // number 6 crashed

  const auto done = store.done(first.id);
  CHECK(done.size() == 9);
  CHECK(done.contains({2, "arm-0"}));
  CHECK_FALSE(done.contains({2, "arm-1"}));
  CHECK(store.done(second.id).empty());

  std::vector<std::string> expected;
  for (std::uint64_t n = 0; n < 9; ++n) expected.push_back(inspection(n, first.id).id);
  CHECK(ids(store, first.id) == expected);
}

TEST_CASE("query: plans by prefix") {
  const Directory directory;
  Store store = Store::open(directory / "stackx.db");
  std::vector<specs::Plan> plans;
  for (std::uint64_t rounds = 1; rounds <= 40; ++rounds) {
    plans.push_back(plan(rounds, 2));
    store.ingest(plans.back());
  }
  for (const auto& p : plans) {
    CHECK(store.plan(p.id)->campaign.rounds == p.campaign.rounds);
    CHECK(store.plan(p.id.substr(0, 16))->id == p.id);
  }
  CHECK_FALSE(store.plan(std::string(64, '0')));
  // 40 ids begin with 16 digits: some digit is shared.
  std::size_t ambiguous = 0;
  for (const char digit : std::string("0123456789abcdef")) {
    try {
      store.plan(std::string(1, digit));
    } catch (const Error& error) {
      CHECK_THAT(error.what(), Catch::Contains("ambiguous"));
      ++ambiguous;
    }
  }
  CHECK(ambiguous > 0);
  CHECK_FALSE(store.plan(""));
  CHECK_FALSE(store.plan("xyz"));
}

TEST_CASE("query: amounts of yardsticks, as the documents say them, by every way that reads") {
  const Directory directory;
  Store store = Store::open(directory / "stackx.db");
  const std::string campaign(64, 'a');
  std::map<std::string, specs::Inspection> written;  // by the digits of its id that a measurement has
  for (std::uint64_t n = 0; n < 20; ++n) {
    auto one = inspection(n, campaign);
    one.usage.max_rss_bytes = (100 + n) * 1'000'000;
    if (n % 3 == 0) one.metrics = {{"first_token_ms", 2.5 + static_cast<double>(n)}};
    if (n % 5 == 4) one.outcome = specs::Outcome::crashed;
    specs::seal(one);
    store.ingest(one);
    written.emplace(one.id.substr(0, 16), one);
  }
  const store::Yardsticks asked{*specs::Yardstick::from("memory"), *specs::Yardstick::from("first_token"), {}};
  const auto check = [&](const std::vector<store::Measurement>& found, std::size_t count) {
    CHECK(found.size() == count);
    for (const auto& m : found) {
      const auto& document = written.at(m.inspection);
      for (const auto& yardstick : asked) {
        INFO(m.inspection << " " << yardstick.word());
        const auto expected = yardstick.amount(document);
        REQUIRE(m.amounts.contains(yardstick.word()) == expected.has_value());
        if (expected) CHECK(m.amounts.at(yardstick.word()) == *expected);
      }
    }
  };
  check(store.measurements({.yardsticks = asked}), 20);
  check(store.excerpt({.yardsticks = asked}, {}).measurements, 20);
  check(store.excerpt({.yardsticks = asked}, {.most = 6, .least = 1, .each = 1}).measurements, store.excerpt({}, {.most = 6, .least = 1, .each = 1}).measurements.size());
  for (const auto& m : store.measurements({})) CHECK(m.amounts.empty());
  store.finish_summaries();
  const store::Questions questions(directory / "stackx.db");
  std::size_t all = 0;
  for (const auto& series : questions.series({})) {
    const auto found = questions.inspections(series, asked);
    all += found.size();
    check(found, series.inspections);
    check(questions.excerpt({series}, {}, asked).measurements, series.inspections);
  }
  CHECK(all == 20);
}
