#include "importers/pyperf.hpp"

#include "tests/importers/fixture.hpp"

using namespace stackx::importers;

namespace {

std::string suite(const std::string& benchmarks, const std::string& more = "") {
  return R"x({"version": "1.0", "metadata": {"cpu_model_name": "Intel(R) Core(TM) i7-6820HQ CPU @ 2.70GHz",
    "python_version": "3.8.5 (64-bit)", "python_implementation": "cpython", "hostname": "apu",
    "unit": "second")x" + more + R"(}, "benchmarks": [)" + benchmarks + "]}";
}

const std::string telco =
    R"({"metadata": {"name": "telco", "loops": 64}, "runs": [
        {"metadata": {"calibrate_loops": 64}, "warmups": [[1, 0.5], [64, 0.4]]},
        {"values": [0.001, 0.002, 0.009], "warmups": [[64, 9]]},
        {"values": [0.003, 0.004, 0.004]},
        {"values": [0.006]}]})";

}  // namespace

TEST_CASE("a run is one value, the median of its process") {
  const auto published = only(read(suite(telco)));
  CHECK(published.metric == "elapsed_ms");
  REQUIRE(published.values.size() == 3);
  CHECK(published.values[0] == Approx(2));
  CHECK(published.values[1] == Approx(4));
  CHECK(published.values[2] == Approx(6));
  CHECK(published.value == Approx(4));
  CHECK(published.statistic == "median");
  CHECK(std::stod(published.details.at("mean_of_values")) == Approx(29.0 / 7));  // as pyperf reports
  CHECK(published.details.at("values_in_all") == "7");
}

TEST_CASE("metadata are inherited: suite, benchmark, run") {
  const auto published = only(read(suite(telco)));
  CHECK(published.hardware == "Intel(R) Core(TM) i7-6820HQ CPU @ 2.70GHz");
  CHECK(published.stack.components == std::map<std::string, std::string>{{"python", "3.8.5"}});
  CHECK(published.workload.text() == "pyperf:benchmark=telco");
  CHECK(published.details.at("loops") == "64");
  CHECK(published.details.at("hostname") == "apu");
  const auto in_run = only(read(R"({"version": "1.0", "benchmarks": [{"runs": [{"values": [1],
      "metadata": {"name": "a b", "python_version": "3.6.9", "python_implementation": "pypy"}}]}]})"));
  CHECK(in_run.workload.text() == "pyperf:benchmark=a%20b");
  CHECK(in_run.stack.components.empty());  // the language's version, not CPython's
}

TEST_CASE("bytes are memory, other units no metric") {
  auto bytes = suite(R"({"metadata": {"name": "m", "unit": "byte"}, "runs": [{"values": [7360512, 7364608]}]})");
  CHECK(only(read(bytes)).metric == "peak_memory_bytes");
  CHECK(only(read(bytes)).value == 7362560);
  bytes.replace(bytes.find("\"byte\""), 6, "\"integer\"");
  CHECK(has(refused(bytes), "its unit is \"integer\""));
}

TEST_CASE("values that are none are remarked; nothing but calibration is no result") {
  const auto imported = read(suite(telco + R"(, {"metadata": {"name": "x"}, "runs": [{"values": [NaN, -1, 0, 0.5, "a"]}]},
      {"metadata": {"name": "y"}, "runs": [{"warmups": [[1, 2]]}]})"));
  CHECK(imported.results.size() == 2);
  CHECK(imported.remarks.size() == 5);
  CHECK(remarked(imported, "/benchmarks/1/runs/0/values/0: left out"));
  CHECK(remarked(imported, "/benchmarks/2: no run has values"));
  CHECK(has(refused(R"({"version": 6, "benchmarks": [{"runs": []}]})"), "pyperf's format 1.0"));
  CHECK(has(refused(suite(R"({"runs": {}})")), "/benchmarks/0/runs"));
}
