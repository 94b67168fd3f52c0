#include "importers/mlperf_loadgen.hpp"

#include <fmt/format.h>

#include "tests/importers/fixture.hpp"

using namespace stackx::importers;

namespace {

std::string summary(const std::string& scenario, const std::string& result,
                    const std::string& validity = "VALID") {
  return fmt::format(
      "================================================\nMLPerf Results Summary\n"
      "================================================\nSUT name : BERT SERVER\nScenario : {}\n"
      "Mode     : PerformanceOnly\n{}\nResult is : {}\n  Min duration satisfied : Yes\n\n"
      "================================================\nAdditional Stats\n"
      "================================================\nCompleted samples per second    : 10899.35\n\n"
      "Min latency (ns)                : 7498629\nMax latency (ns)                : 138451852\n"
      "Mean latency (ns)               : 77502292\n90.00 percentile latency (ns)   : 97850952\n"
      "99.00 percentile latency (ns)   : 112625805\n\n"
      "Test Parameters Used\nsamples_per_query : 1\ntarget_qps : 10900\ntarget_latency (ns): 130000000\n",
      scenario, result, validity);
}

std::string line(const std::string& key, const std::string& value) {
  return ":::MLLOG {\"key\": \"" + key + "\", \"value\": " + value +
         ", \"time_ms\": 0.027053, \"namespace\": \"mlperf::logging\", \"event_type\": \"POINT_IN_TIME\", "
         "\"metadata\": {\"is_error\": false, \"file\": \"/build/loadgen.cc\", \"line_no\": 857}}\n";
}

}  // namespace

TEST_CASE("the result of each scenario, out of the summary") {
  const auto server = only(read(summary("Server", "Scheduled samples per second : 10900.72")));
  CHECK(server.metric == "queries_per_s");
  CHECK(server.value == 10900.72);
  CHECK(server.workload.text() == "mlperf-loadgen:scenario=server,sut=BERT%20SERVER");
  CHECK(server.details.at("validity") == "VALID");
  CHECK(server.details.at("target_latency_ns") == "130000000");
  const auto single = only(read(summary("Single Stream", "90th percentile latency (ns) : 97850952")));
  CHECK(single.metric == "latency_ms");
  CHECK(single.value == Approx(97.850952));
  CHECK(single.statistic == "p90");
  CHECK(single.min == Approx(7.498629));
  const auto multi = only(read(summary("MultiStream", "99.0th percentile latency (ns) : 112625805")));
  CHECK(multi.statistic == "p99");
  const auto streams = only(read(summary("MultiStream", "Samples per query : 8")));
  CHECK(streams.metric == "streams");
  CHECK(streams.value == 8);
  const auto offline = only(read(summary("Offline", "Samples per second: 33.6903")));
  CHECK(offline.metric == "samples_per_s");
  CHECK(offline.value == 33.6903);
  const auto tokens =
      read(summary("Offline", "Samples per second: 33.6903\nTokens per second: 3200.5")).results;
  REQUIRE(tokens.size() == 2);
  CHECK(tokens[1].metric == "tokens_per_s");
}

TEST_CASE("the detail log says the same") {
  const auto published = only(read(
      line("loadgen_version", "\".5a1 @ 6958607d52\"") + line("sut_name", "\"BERT SERVER\"") +
      line("effective_scenario", "\"Server\"") + line("effective_test_mode", "\"PerformanceOnly\"") +
      line("result_validity", "\"VALID\"") + line("result_scheduled_samples_per_sec", "10900.7") +
      line("result_mean_latency_ns", "77502292")));
  CHECK(published.metric == "queries_per_s");
  CHECK(published.value == 10900.7);
  CHECK(published.details.at("loadgen_version") == ".5a1 @ 6958607d52");
  const auto single = only(read(
      line("effective_scenario", "\"SingleStream\"") + line("effective_target_latency_percentile", "0.9") +
      line("result_validity", "\"VALID\"") + line("result_90.00_percentile_latency_ns", "2000000") +
      line("sut_name", "\"x (loadgen)\"")));
  CHECK(single.value == Approx(2));
  CHECK(single.statistic == "p90");
}

TEST_CASE("what broke LoadGen's rules, is about accuracy, or is cut off, is no result") {
  CHECK(has(refused(summary("Server", "Scheduled samples per second : 1", "INVALID")), "INVALID"));
  auto accuracy = summary("Server", "Scheduled samples per second : 1");
  accuracy.replace(accuracy.find("PerformanceOnly"), 15, "AccuracyOnly");
  CHECK(has(refused(accuracy), "AccuracyOnly is no performance run"));
  const auto whole = summary("Server", "Scheduled samples per second : 1");
  CHECK(has(refused(whole.substr(0, whole.find("Result is"))), "neither VALID nor INVALID"));
  CHECK(has(refused(summary("Server", "Scheduled samples per second : nan")), "expected a number"));
  CHECK(has(refused(summary("Offline", "")), "the result of scenario offline is missing"));
  CHECK(has(refused(summary("Juggling", "x : 1")), "juggling"));
  CHECK(has(refused(summary("Offline", "Samples per second: -3")), "positive"));
}

TEST_CASE("a tree knows model and system, and reads each run once") {
  const std::string run = "closed/X/results/box/resnet50/Offline/performance/run_1/mlperf_log_";
  const auto imported = import_tree(
      MemoryTree("inference", {{run + "summary.txt", summary("Offline", "Samples per second: 100")},
                               {run + "detail.txt", line("result_validity", "\"VALID\"")},
                               {"closed/X/results/box/resnet50/Offline/accuracy/mlperf_log_summary.txt",
                                "MLPerf Results Summary\nMode : AccuracyOnly\nScenario : Offline\n"},
                               {"closed/X/systems/box.json",
                                R"({"accelerator_model_name": "Tesla T4", "accelerators_per_node": "4",
                                    "number_of_nodes": "1", "framework": "TensorRT 7.2"})"}}),
      "auto", origin());
  REQUIRE(imported.results.size() == 1);
  CHECK(imported.results[0].workload.text() == "infer_resnet50:scenario=offline");
  CHECK(imported.results[0].hardware == "Tesla T4");
  CHECK(imported.results[0].devices == 4);
  CHECK(remarked(imported, "AccuracyOnly"));
}
