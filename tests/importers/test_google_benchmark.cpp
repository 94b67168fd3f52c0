#include "importers/google_benchmark.hpp"

#include <fmt/format.h>

#include "tests/importers/fixture.hpp"

using namespace stackx::importers;

namespace {

std::string document(const std::string& rows) {
  return R"({"context": {"date": "2024-05-02T09:30:37+01:00", "host_name": "build-server", "num_cpus": 4,
    "caches": [{"type": "Data", "level": 1, "size": 32768, "num_sharing": 2}], "load_avg": [1.05, 1.02],
    "library_version": "v1.8.3", "library_build_type": "release", "json_schema_version": 1},
    "benchmarks": [)" + rows + "]}";
}

std::string row(double time, const std::string& more = "", const std::string& type = "iteration") {
  return fmt::format(R"({{"name": "BM_Copy/64", "run_name": "BM_Copy/64", "run_type": "{}", "repetitions": 3,
    "threads": 1, "iterations": 1000, "real_time": {}, "cpu_time": {}, "time_unit": "us"{}}})",
                     type, time, time / 2, more);
}

}  // namespace

TEST_CASE("repetitions are one result, the median of them") {
  const auto published = only(read(document(row(30) + "," + row(10) + "," + row(20))));
  CHECK(published.metric == "elapsed_ms");
  CHECK(published.value == Approx(0.020));
  CHECK(published.statistic == "median");
  CHECK(published.runs == 3);
  REQUIRE(published.values.size() == 3);
  CHECK(published.values[0] == Approx(0.030));
  CHECK(published.stdev == Approx(0.010));
  CHECK(published.workload.text() == "google-benchmark:benchmark=BM_Copy/64");
  CHECK(published.details.at("cpu_time_ms") == "0.01");
  CHECK(published.details.at("context_host_name") == "build-server");
}

TEST_CASE("aggregates beside repetitions add nothing; alone they are the result") {
  const std::string median = row(21, ", \"aggregate_name\": \"median\"", "aggregate"),
                    stddev = row(2, ", \"aggregate_name\": \"stddev\"", "aggregate"),
                    cv = row(0.1, ", \"aggregate_name\": \"cv\"", "aggregate"),
                    fit = row(1, ", \"aggregate_name\": \"BigO\"", "aggregate");
  CHECK(only(read(document(row(30) + "," + median + "," + stddev + "," + fit))).value == Approx(0.030));
  const auto alone = only(read(document(stddev + "," + median + "," + cv)));
  CHECK(alone.value == Approx(0.021));
  CHECK(alone.stdev == Approx(0.002));
  CHECK(alone.statistic == "median");
  CHECK(alone.runs == 3);
  CHECK(alone.values.empty());
  // before 1.5 only the name says so
  const auto old = only(read(R"({"context": {}, "benchmarks": [
      {"name": "BM_A_mean", "iterations": 3, "real_time": 5, "cpu_time": 5, "time_unit": "ms"},
      {"name": "BM_A_stddev", "iterations": 3, "real_time": 1, "cpu_time": 1, "time_unit": "ms"}]})"));
  CHECK(old.value == 5);
  CHECK(old.statistic == "mean");
  CHECK(old.workload.params.at("benchmark") == "BM_A");
}

TEST_CASE("rates and user counters") {
  const auto imported = read(document(row(
      10, ", \"bytes_per_second\": 1.1448e+09, \"items_per_second\": 7e6, \"GFLOPS\": 2.5, \"bad\": NaN, "
          "\"label\": \"x y\"")));
  CHECK(imported.remarks.empty());
  REQUIRE(imported.results.size() == 3);
  CHECK(imported.results[0].details.at("counter_GFLOPS") == "2.5");
  CHECK(imported.results[0].details.count("counter_bad") == 0);
  CHECK(imported.results[0].details.at("label") == "x y");
  CHECK(imported.results[1].metric == "bytes_per_s");
  CHECK(imported.results[1].value == 1.1448e9);
  CHECK(imported.results[2].metric == "items_per_s");
}

TEST_CASE("what failed, was skipped, or is no positive number is remarked") {
  const auto imported = read(document(
      row(10) + R"(, {"name": "BM_B", "run_name": "BM_B", "run_type": "iteration", "error_occurred": true, "error_message": "no GPU", "time_unit": "ns"},
      {"name": "BM_C", "run_name": "BM_C", "skipped": true, "skip_message": "too big"},
      {"name": "BM_D", "run_name": "BM_D", "run_type": "iteration", "real_time": -1, "time_unit": "ns"},
      {"name": "BM_E", "run_name": "BM_E", "run_type": "iteration", "real_time": NaN, "time_unit": "ns"})"));
  CHECK(imported.results.size() == 1);
  CHECK(remarked(imported, "/benchmarks/1: BM_B failed: no GPU"));
  CHECK(remarked(imported, "BM_C was skipped: too big"));
  CHECK(remarked(imported, "/benchmarks/3: not imported"));
  CHECK(remarked(imported, "/benchmarks/4: real_time is no number"));
}

TEST_CASE("a document that is broken is refused with its place") {
  const auto whole = document(row(10));
  CHECK(has(refused(whole.substr(0, whole.size() / 2)), "file"));
  CHECK(has(refused(document(R"({"run_name": "x"})"), "google-benchmark"), "/benchmarks/0"));
  CHECK(has(refused(document(R"({"name": "x", "real_time": 1, "time_unit": "weeks"})")),
            "expected ns, us, ms or s, found \"weeks\""));
  CHECK(has(refused(document("")), "no result found"));
}
