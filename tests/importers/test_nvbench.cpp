#include "importers/nvbench.hpp"

#include "tests/importers/fixture.hpp"

namespace nvbench_tests {

using namespace stackx::importers;

namespace {

std::string value(const std::string& tag, const std::string& number, const std::string& more = "") {
  return R"({"tag": ")" + tag + R"(", "name": "x", "hint": "duration")" + more +
         R"(, "data": [{"name": "value", "type": "float64", "value": ")" + number + R"("}]})";
}

std::string document(const std::string& summaries, const std::string& state = "") {
  return R"({"meta": {"version": {"nvbench": {"string": "0.1.0"}}},
    "devices": [{"id": 0, "name": "Quadro GV100", "sm_version": 700}],
    "benchmarks": [{"name": "copy sweep", "index": 0, "devices": [0], "axes": null, "states": [
      {"name": "Device=0 In=I8", "device": 0, "axis_values": [{"name": "In", "type": "string", "value": "I8"},
       {"name": "Block Size", "type": "int64", "value": "64"}], "summaries": [)" +
         summaries + "], \"is_skipped\": false" + state + "}]}]}";
}

const std::string cold = value("nv/cold/sample_size", "499") + "," +
                         value("nv/cold/time/cpu/mean", "0.00100944") + "," +
                         value("nv/cold/time/gpu/mean", "0.0010") + "," +
                         value("nv/cold/time/gpu/stdev/relative", "0.05") + "," +
                         value("nv/cold/walltime", "0.5", ", \"hide\": \"Hidden by default.\"") + "," +
                         value("nv/batch/time/gpu/mean", "0.0009");

}  // namespace

TEST_CASE("a state: isolated GPU time, noise, samples, axes and device") {
  const auto published = only(read(document(cold)));
  CHECK(published.metric == "elapsed_ms");
  CHECK(published.value == Approx(1.0));
  CHECK(published.statistic == "mean");
  CHECK(published.stdev == Approx(0.05));
  CHECK(published.runs == 499);
  CHECK(published.hardware == "Quadro GV100");
  CHECK(published.devices == 1);
  CHECK(published.workload.text() == "nvbench:Block_Size=64,In=I8,benchmark=copy%20sweep");
  CHECK(published.details.at("sm_version") == "700");
}

TEST_CASE("bandwidth and item rate are results of their own; hidden summaries count") {
  const auto imported = read(document(
      cold + "," + value("nv/cold/bw/global/bytes_per_second", "82777765606.2", ", \"hide\": \"x\"") + "," +
      value("nv/cold/bw/item_rate", "10347220700.7")));
  REQUIRE(imported.results.size() == 3);
  CHECK(imported.results[1].metric == "bytes_per_s");
  CHECK(imported.results[1].value == 82777765606.2);
  CHECK(imported.results[2].metric == "items_per_s");
}

TEST_CASE("batches and CPU-only benchmarks, where nothing else was timed") {
  CHECK(only(read(document(value("nv/batch/time/gpu/mean", "0.002")))).value == Approx(2));
  const auto cpu = only(read(document(value("nv/cpu_only/time/cpu/mean", "0.003") + "," +
                                      value("nv/cpu_only/sample_size", "7"))));
  CHECK(cpu.value == Approx(3));
  CHECK(cpu.runs == 7);
}

TEST_CASE("states that were skipped, or whose time is no number, are remarked") {
  auto skipped = document("");
  skipped.replace(skipped.find("\"is_skipped\": false"), 19,
                  "\"is_skipped\": true, \"skip_reason\": \"out of memory\"");
  CHECK(has(refused(skipped), "copy sweep was skipped: out of memory"));
  CHECK(has(refused(document(value("nv/cold/time/gpu/mean", "nan"))), "no mean time"));
  CHECK(has(refused(document(value("nv/cold/time/gpu/mean", "-1"))), "positive"));
  const auto noise = only(read(document(value("nv/cold/time/gpu/mean", "1") + "," +
                                        value("nv/cold/time/gpu/stdev/relative", "inf"))));
  CHECK_FALSE(noise.stdev);
}

}  // namespace nvbench_tests
