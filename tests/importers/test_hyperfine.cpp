#include "importers/hyperfine.hpp"

#include "tests/importers/fixture.hpp"

using namespace stackx::importers;

TEST_CASE("times in seconds, parameters, the mean beside the median") {
  const auto published = only(read(R"({"results": [{"command": "sleep 0.1", "mean": 0.2, "stddev": 0.1,
      "median": 0.1, "user": 0.001, "system": 0.002, "min": 0.1, "max": 0.4, "times": [0.1, 0.4, 0.1],
      "exit_codes": [0, 0, 0], "memory_usage_byte": [1, 2, 3], "parameters": {"delay": "0.1"}}]})"));
  CHECK(published.value == Approx(100));
  CHECK(published.statistic == "median");
  CHECK(published.runs == 3);
  CHECK(published.max == Approx(400));
  CHECK(published.workload.text() == "hyperfine:command=sleep%200.1,parameter_delay=0.1");
  CHECK(published.details.at("mean_ms") == "200");
}

TEST_CASE("without times, and before exit codes were exported") {
  const auto published = only(read(
      R"({"results": [{"command": "a", "mean": 0.2, "stddev": null, "user": 0, "system": 0, "min": 0.1, "max": 0.3}]})"));
  CHECK(published.value == Approx(200));
  CHECK(published.statistic == "mean");
  CHECK_FALSE(published.stdev);
}

TEST_CASE("how fast something fails is no result") {
  const auto imported = read(R"({"results": [{"command": "ok", "times": [1]},
      {"command": "false", "times": [0.1, 0.1, 0.1], "exit_codes": [0, 1, null]}]})");
  CHECK(imported.results.size() == 1);
  CHECK(remarked(imported, "/results/1: not imported: 2 of its runs failed (false)"));
}

TEST_CASE("broken documents are refused with their place") {
  CHECK(has(refused(R"({"results": [{"command": "a", "times": ["1"]}]})"), "/results/0/times/0"));
  CHECK(has(refused(R"({"results": [{"command": "a", "times": [NaN]}]})"), "/results/0/times/0"));
  CHECK(has(refused(R"({"results": [{"command": "a", "times": [-1]}]})"), "positive"));
  CHECK(has(refused(R"({"results": [{"command": "a"}]})"), "\"times\", \"median\" or \"mean\""));
  CHECK(has(refused(R"({"results": [{"command": "", "times": [1]}]})"), "/results/0/command"));
}
