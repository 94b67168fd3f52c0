// What inspections are compared by: amounts by a hand count, from what each holds.
#include <catch2/catch.hpp>
#include <set>

#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/result/inspection.hpp"
#include "specs/result/yardstick.hpp"

using namespace stackx;
using namespace stackx::specs;

namespace {

Inspection inspection() {
  Inspection one;
  one.workload.pi = "matmul";
  one.samples_ns = {9'000'000, 3'000'000, 6'000'000, 5'000'000};  // median 5.5 ms
  one.usage.max_rss_bytes = 250'000'000;
  one.phases = {{"load", 0, 700'000'000}, {"run", 0, 2'000'000'000}};
  one.check = Check{"float64", 1e-7, 1e-5, true};
  return one;
}

double amount(const char* word, const Inspection& one) {
  const auto found = Yardstick::from(word)->amount(one);
  REQUIRE(found);
  return *found;
}

}  // namespace

TEST_CASE("yardstick: amounts that every inspection tells") {
  auto one = inspection();
  CHECK(amount("time", one) == Approx(5.5));  // ms
  CHECK(amount("memory", one) == Approx(250));  // MB
  CHECK(amount("error", one) == Approx(1e-7));
  CHECK(amount("import", one) == Approx(700));
  one.parameters["mini_batch"] = "4";
  CHECK(amount("time", one) == Approx(1.375));  // of one operation
  one.parameters["mini_batch"] = "none";
  CHECK(amount("time", one) == Approx(5.5));
  one.check->max_relative_error = 0;
  CHECK(amount("error", one) == least_error);
  CHECK_FALSE(Yardstick::from("ulps")->amount(one));  // the PI did not tell them
  one.check->max_ulps = 3.5;
  CHECK(amount("ulps", one) == 3.5);
  one.check->max_ulps = 0;
  CHECK(amount("max_ulps", one) == least_error);
}

TEST_CASE("yardstick: the start of a container, where it was one") {
  auto one = inspection();
  CHECK_FALSE(Yardstick::from("container_start")->amount(one));
  one.phases.insert(one.phases.begin(), {container_start, 0, 312'500'000});
  CHECK(amount("container_start", one) == Approx(312.5));
  CHECK(amount("container_start_ms", one) == Approx(312.5));
  CHECK(Yardstick::from("container_start")->smaller_is_better());
  CHECK(amount("import", one) == Approx(700));  // not in it
}

TEST_CASE("yardstick: device memory is the PI's own number, else NVML's, which has a name of its own") {
  auto one = inspection();
  CHECK_FALSE(Yardstick::from("device_memory")->amount(one));
  CHECK_FALSE(Yardstick::from("nvml_memory")->amount(one));
  one.device_memory = DeviceMemory{5'000'000'000, std::nullopt};
  CHECK(amount("device_memory", one) == Approx(5000));
  CHECK(amount("nvml_memory", one) == Approx(5000));
  one.metrics["peak_device_memory_bytes"] = 3e9;
  CHECK(amount("device_memory", one) == Approx(3000));
  CHECK(amount("peak_nvml_memory_bytes", one) == Approx(5000));
}

TEST_CASE("yardstick: what the PI states goes before what follows from the rest") {
  auto one = inspection();
  one.metrics = {{"peak_memory_bytes", 1e9}, {"first_token_ms", 12.5}, {"peak_device_memory_bytes", 3e9}};
  CHECK(amount("memory", one) == Approx(1000));
  CHECK(amount("first_token", one) == Approx(12.5));
  CHECK(amount("first_token_ms", one) == Approx(12.5));
  CHECK(amount("device_memory", one) == Approx(3000));
  CHECK_FALSE(Yardstick::from("energy")->amount(one));
}

TEST_CASE("yardstick: energy by a counter that moves in steps, of enough of them") {
  auto one = inspection();
  one.samples_ns.assign(50, 60'000'000);
  one.parameters["mini_batch"] = "3";
  // 45 J a sample; the counter tells of it after every other sample, and is 1000 J ahead.
  std::vector<double> counter;
  for (std::size_t i = 0; i < 50; ++i) counter.push_back(1000 + 45.0 * static_cast<double>(i / 2 * 2));
  one.conditions.columns["energy_j"] = counter;
  CHECK(amount("energy", one) == Approx(15));
  counter.resize(30);  // 14 updates
  one.conditions.columns["energy_j"] = counter;
  CHECK_FALSE(Yardstick::from("energy")->amount(one));
  one.metrics["energy_j"] = 7;
  CHECK(amount("energy", one) == Approx(7));
}

TEST_CASE("yardstick: latency by the percentile that MLPerf ranks a scenario by") {
  auto one = inspection();
  CHECK_FALSE(Yardstick::from("latency")->amount(one));
  one.scenario = ScenarioResult{"single_stream", "latency_ns", "ns", 2e6, 5000, {{"50", 1e6}, {"90", 2e6}, {"99", 9e6}}, {}};
  CHECK(amount("latency", one) == Approx(2));
  one.scenario->name = "server";
  CHECK(amount("latency", one) == Approx(9));
  one.scenario->latency_ns.clear();  // offline
  CHECK_FALSE(Yardstick::from("latency")->amount(one));
}

TEST_CASE("yardstick: nothing of a failure, of the rate, and of what is not there") {
  auto one = inspection();
  CHECK_FALSE(Yardstick().amount(one));
  one.phases.clear();
  CHECK_FALSE(Yardstick::from("import")->amount(one));
  one.workload.pi = "import";
  CHECK(amount("import", one) == Approx(5.5));
  one.samples_ns.clear();
  CHECK_FALSE(Yardstick::from("time")->amount(one));
  one.outcome = Outcome::wrong_result;
  for (const auto& word : Yardstick::words()) CHECK_FALSE(Yardstick::from(word)->amount(one));
}

TEST_CASE("yardstick: words, and which way is better") {
  const auto words = Yardstick::words();
  CHECK(words.front() == "rate");
  CHECK(std::set(words.begin(), words.end()).size() == words.size());
  for (const auto& word : words) {
    const auto yardstick = Yardstick::from(word);
    REQUIRE(yardstick);
    CHECK(yardstick->word() == word);
    CHECK_FALSE(yardstick->noun().empty());
    CHECK(Yardstick::from(yardstick->name()) == yardstick);
  }
  CHECK(Yardstick::from("memory")->smaller_is_better());
  CHECK_FALSE(Yardstick::from("algorithm")->smaller_is_better());
  CHECK_FALSE(Yardstick().smaller_is_better());
  CHECK_FALSE(Yardstick::from("speed"));
  CHECK_FALSE(Yardstick::from("words_per_s"));  // of published results alone
  CHECK(Yardstick::from("memory")->with_unit("12") == "12 MB");
  CHECK(Yardstick::from("error")->with_unit("1e-07") == "1e-07");
}

TEST_CASE("metrics of a document: known names, values that can be; else the place and the nearest name") {
  const auto read = [](const char* text) { return metrics_from(Node::parse_text(text, "pi.json")); };
  CHECK(read(R"({"first_token_ms": 3.5})") == std::map<std::string, double>{{"first_token_ms", 3.5}});
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(read(R"({"first_tokn_ms": 3.5})"), Contains("/first_tokn_ms") && Contains("did you mean \"first_token_ms\""));
  for (const char* bad : {R"({"token_ms": 0})", R"({"token_ms": -1})", R"({"token_ms": "3"})", R"({"energy_j": 1e40})", "[]"})
    CHECK_THROWS_AS(read(bad), Error);
}

TEST_CASE("metrics and memory of an inspection come back as they were, and absent ones leave no trace") {
  auto one = inspection();
  one.finished = "2026-11-27T10:00:00.000Z";
  CHECK_FALSE(to_json(one).contains("metrics"));
  CHECK_FALSE(to_json(one).contains("memory"));
  one.metrics = {{"token_ms", 2.25}};
  one.memory = {{"check", 1000}, {"measure", 2000}};
  seal(one);
  const auto again = inspection_from(Node::parse_text(canonical(to_json(one)), "again"));
  CHECK(again.metrics == one.metrics);
  CHECK(again.memory == one.memory);
  CHECK(again.id == one.id);
}
