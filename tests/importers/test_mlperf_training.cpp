#include "importers/mlperf_training.hpp"

#include <fmt/format.h>

#include "tests/importers/fixture.hpp"

using namespace stackx::importers;

namespace {

std::string mll(double minutes, const std::string& status = "success") {
  return fmt::format(
      ":::MLL 1560881700.827 submission_benchmark: {{\"value\": \"resnet\", \"metadata\": {{}}}}\n"
      "some other line\n"
      "0: :::MLL 1560881700.0 run_start: {{\"value\": null, \"metadata\": {{'lineno': 615, 'file': 'a.py'}}}}\n"
      ":::MLL {:.3f} run_stop: {{\"value\": null, \"metadata\": {{\"lineno\": 9, \"status\": \"{}\"}}}}\n",
      1560881700.0 + minutes * 60, status);
}

std::string mllog(double minutes, const std::string& status = "success") {
  return fmt::format(
      ":::MLLOG {{\"namespace\": \"\", \"time_ms\": 1594790166560, \"key\": \"submission_benchmark\", \"value\": \"mask_rcnn\"}}\n"
      ":::MLLOG {{\"namespace\": 0, \"time_ms\": 1594790000000.25, \"event_type\": \"INTERVAL_START\", \"key\": \"run_start\", \"value\": null, \"metadata\": {{}}}}\n"
      ":::MLLOG {{\"namespace\": \"\", \"time_ms\": {:.2f}, \"key\": \"run_stop\", \"value\": 0.76, \"metadata\": {{\"status\": \"{}\"}}}}\n",
      1594790000000.25 + minutes * 60e3, status);
}

constexpr const char* system_file = R"({"submitter": "Somebody", "accelerator_model_name": "Tesla V100",
  "accelerators_per_node": "8", "number_of_nodes": "1", "framework": "MXNet 1.6.0",
  "other_software_stack": {"cuda_version": "10.1.163"}})";

Imported tree(std::map<std::string, std::string> files, const std::string& name = "results") {
  return import_tree(MemoryTree(name, std::move(files)), "auto", origin());
}

std::map<std::string, std::string> five(std::string bad_status = "success") {
  return {{"Somebody/systems/box.json", system_file},
          {"Somebody/results/box/resnet/result_0.txt", mll(10)},
          {"Somebody/results/box/resnet/result_1.txt", mll(12)},
          {"Somebody/results/box/resnet/result_2.txt", mll(11)},
          {"Somebody/results/box/resnet/result_3.txt", mll(30, bad_status)},
          {"Somebody/results/box/resnet/result_4.txt", mll(14)},
          {"README.md", "nothing"}};
}

}  // namespace

TEST_CASE("the score is the mean without the fastest and the slowest") {
  const auto published = only(tree(five(), "training_results_v0.6"));
  CHECK(published.value == Approx((11 + 12 + 14) / 3.0));
  CHECK(published.statistic == "trimmed_mean");
  CHECK(published.metric == "minutes_to_train");
  CHECK(published.runs == 5);
  CHECK(published.values.size() == 5);
  CHECK(published.min == Approx(10));
  CHECK(published.max == Approx(30));
  CHECK(published.hardware == "Tesla V100");
  CHECK(published.devices == 8);
  CHECK(published.workload.text() == "train_resnet50:benchmark=resnet,round=v0.6");
  CHECK(published.stack.components == std::map<std::string, std::string>{
            {"cuda", "10.1.163"}, {"framework", "MXNet 1.6.0"}, {"mxnet", "1.6.0"}});
  CHECK(published.details.at("submitter") == "Somebody");
  CHECK(published.source.tool == "mlperf-training");
  CHECK(published.source.url == "https://example.org/results");
}

TEST_CASE("one failed run counts as the slowest, two leave no score") {
  auto files = five("aborted");
  const auto one = tree(files);
  REQUIRE(one.results.size() == 1);
  CHECK(one.results[0].value == Approx((11 + 12 + 14) / 3.0));
  CHECK(one.results[0].runs == 4);
  CHECK(one.results[0].details.at("failed_runs") == "1");
  CHECK(remarked(one, "result_3.txt: the run failed: run_stop says \"aborted\""));
  files["Somebody/results/box/resnet/result_4.txt"] = mll(14).substr(0, mll(14).size() - 90);  // cut off
  const auto message = refusal([&] { tree(files); });
  CHECK(has(message, "no score: 2 of 5 runs failed"));
  CHECK(has(message, "no run_stop"));
}

TEST_CASE("a description that is not there, or not understood, is remarked") {
  auto files = five();
  files.erase("Somebody/systems/box.json");
  const auto without = tree(files);
  REQUIRE(without.results.size() == 1);
  CHECK(without.results[0].hardware.empty());
  CHECK(remarked(without, "systems/box.json: not there"));
  files["Somebody/results/box/entry.json"] = "b0VIM";
  CHECK(remarked(tree(files), "not understood"));
  files["Somebody/results/box/entry.json"] = system_file;  // as in v0.5
  CHECK(only(tree(files)).hardware == "Tesla V100");
}

TEST_CASE("MLLOG lines, and names of files that are not counted from nought") {
  const auto published = only(tree({{"systems/s.json", system_file},
                                    {"results/s/maskrcnn/result_4n8r_8k_0.txt", mllog(100)},
                                    {"results/s/maskrcnn/result_run1.txt", mllog(101)},
                                    {"results/s/maskrcnn/result_2.txt", mllog(103)}}));
  CHECK(published.value == Approx(101));
  CHECK(published.workload.pi == "train_maskrcnn");
}

TEST_CASE("one log is one run") {
  const auto published = only(read(mllog(25.5)));
  CHECK(published.value == Approx(25.5));
  CHECK(published.statistic == "single");
  const auto old = only(read(
      ":::MLPv0.5.0 resnet 1541678704.117554426 (resnet/main.py:523) run_start\n"
      ":::MLPv0.5.0 resnet 1541679005.121917486 (eval.py:262) eval_accuracy: {\"value\": 0.75, \"epoch\": 61}\n"
      ":::MLPv0.5.0 resnet 1541679004.117554426 (eval.py:270) run_stop: {\"success\": \"true\"}\n"
      ":::MLPv0.5.0 resnet 1541679007.958597183 (resnet/main.py:776) run_final\n"));
  CHECK(old.value == Approx(5));
  CHECK(old.workload.pi == "train_resnet50");
}

TEST_CASE("logs without a sound run are refused, with the reason") {
  CHECK(has(refused(mll(10, "abort")), "run_stop says \"abort\""));
  CHECK(has(refused(mll(-10)), "run_stop is not after run_start"));
  CHECK(has(refused(":::MLL 1.0 run_start: {\"value\": null}\n"), "no run_stop"));
  CHECK(has(refused(":::MLPv0.5.0 resnet 1.0 (a.py:1) run_start\n"
                    ":::MLPv0.5.0 resnet 2.0 (a.py:1) run_stop: {\"success\": false}\n"),
            "no success"));
  CHECK(has(refused(":::MLL nan run_start: {}\n:::MLL inf run_stop: {}\n"), "no run_start"));
}
