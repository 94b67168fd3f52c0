#include "importers/asv.hpp"

#include "tests/importers/fixture.hpp"

using namespace stackx::importers;

namespace {

std::string version2(const std::string& results) {
  return R"({"commit_hash": "0d24f201cc25", "env_name": "conda-py3.12-numpy1.26", "date": 1703062645000,
    "params": {"arch": "arm64", "cpu": "Apple M2", "machine": "MyMachine", "num_cpu": "8",
               "os": "macOS 13.5.1", "ram": "16GB", "python": "3.12"},
    "python": "3.12", "requirements": {"numpy": "1.26", "pip+scipy": "1.11.4", "cython": ""}, "env_vars": {},
    "result_columns": ["result", "params", "version", "started_at", "duration", "stats_ci_99_a", "stats_ci_99_b",
      "stats_q_25", "stats_q_75", "stats_number", "stats_repeat", "samples", "profile"],
    "results": {)" + results + R"(}, "durations": {}, "version": 2})";
}

const std::string plain = R"("benchmarks.TimeSuite.time_sort": [[1.5], [], "1198fb", 1703063099923, 38.6,
    [-Infinity], [Infinity], [1.2025], [1.2045], [4], [3], [[1.0, 1.5, 2.5]]])";
const std::string crossed = R"("b.time_x": [[0.001, null, NaN, 0.004], [["'int64'", "'f'"], ["1", "2"]], "v"])";

}  // namespace

TEST_CASE("version 2: a row of columns, possibly cut short") {
  const auto published = only(read(version2(plain)));
  CHECK(published.metric == "elapsed_ms");
  CHECK(published.value == 1500);
  CHECK(published.statistic == "median");
  REQUIRE(published.values.size() == 3);
  CHECK(published.values[2] == 2500);
  CHECK(published.runs == 3);
  CHECK(published.hardware == "Apple M2");
  CHECK(published.workload.text() == "asv:benchmark=benchmarks.TimeSuite.time_sort");
  CHECK(published.stack.components ==
        std::map<std::string, std::string>{{"numpy", "1.26"}, {"python", "3.12"}, {"scipy", "1.11.4"}});
  CHECK(published.details.at("commit") == "0d24f201cc25");
  CHECK(published.details.at("commit_date") == "2023-12-20T08:57:25.000Z");
  CHECK(published.details.at("stats_repeat") == "3");
  CHECK(published.details.count("stats_ci_99_a") == 0);  // it was infinite
}

TEST_CASE("parameters cross, the last fastest; null and NaN are remarked") {
  const auto imported = read(version2(crossed));
  REQUIRE(imported.results.size() == 2);
  CHECK(imported.results[0].workload.text() == "asv:benchmark=b.time_x,parameter_1='int64',parameter_2=1");
  CHECK(imported.results[1].workload.text() == "asv:benchmark=b.time_x,parameter_1='f',parameter_2=2");
  CHECK(imported.results[1].value == Approx(4));
  CHECK(remarked(imported, "2 of 4 values are missing"));
}

TEST_CASE("version 1: numbers, objects and null") {
  const auto imported = read(R"({"commit_hash": "abc", "python": "2.7", "params": {"cpu": "Xeon"}, "version": 1,
    "results": {"a.time_one": 0.5, "a.time_failed": null, "a.peakmem_two": 1048576,
      "a.time_three": {"result": [0.1, 0.2], "params": [["x", "y"]], "samples": [[0.1, 0.3], null],
                       "stats": [{"ci_99": [0.1, 0.3]}, null]}}})");
  REQUIRE(imported.results.size() == 4);
  CHECK(imported.results[1].metric == "peak_memory_bytes");  // in the order of the document
  CHECK(remarked(imported, "/results/a.time_failed: 1 of 1 values are missing"));
}

TEST_CASE("a tree: names of parameters and units from benchmarks.json, broken files remarked") {
  const auto imported = import_tree(
      MemoryTree("asv", {{"results/machine/machine.json", "{\"machine\": \"m\"}"},
                         {"results/benchmarks.json",
                          R"({"b.time_x": {"type": "time", "unit": "seconds", "param_names": ["dtype", "n"]},
                              "b.track_speed": {"type": "track", "unit": "ms"}, "version": 2})"},
                         {"results/machine/0d24-env.json", version2(crossed + R"(, "b.track_speed": [[7], []],
                            "b.track_other": [[7], []])")},
                         {"results/machine/dead-env.json", "{\"commit_hash\""}}),
      "auto", origin());
  REQUIRE(imported.results.size() == 3);
  CHECK(imported.results[0].workload.text() == "asv:benchmark=b.time_x,parameter_dtype='int64',parameter_n=1");
  CHECK(imported.results[2].value == 7);
  CHECK(remarked(imported, "dead-env.json"));
  CHECK(remarked(imported, "track in \"\" is no metric here"));
}

TEST_CASE("a date that nanoseconds of 64 bits do not hold is left out") {
  std::string document = version2(plain);
  const std::string written = "1703062645000";
  document.replace(document.find(written), written.size(), "9300000000000");
  const auto published = only(read(document));
  CHECK(published.details.count("commit_date") == 0);
  CHECK(published.details.at("commit") == "0d24f201cc25");
}

TEST_CASE("hostile shapes are remarked or refused") {
  CHECK(has(refused(version2(R"("a.time_x": [[1, 2], [["a"]], "v"])")), "2 values for 1 combinations"));
  CHECK(has(refused(version2(R"("a.time_x": [[1, 2], [[], ["a"]], "v"])")), "for 0 combinations"));
  std::string wide = "[";
  for (int i = 0; i < 40; ++i) wide += std::string(i ? "," : "") + "[\"a\",\"b\",\"c\"]";
  CHECK(has(refused(version2(R"("a.time_x": [[1, 2], )" + wide + R"(], "v"])")), "combinations"));
  CHECK(has(refused(version2(R"("a.time_x": [[-1], [], "v"])")), "positive"));
  CHECK(has(refused(version2(R"("a.time_x": [1,2,3,4,5,6,7,8,9,10,11,12,13,14])")), "14 cells"));
  auto other = version2(plain);
  other.replace(other.find("\"version\": 2"), 12, "\"version\": 3");
  CHECK(has(refused(other), "version 1 or 2"));
}
