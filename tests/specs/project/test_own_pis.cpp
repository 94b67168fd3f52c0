// What a PI of stackx is told of a workload: its own parameters, how to measure, and who answers queries how many and when.
#include "specs/project/own_pis.hpp"

#include <catch2/catch.hpp>

namespace own_pis_tests {

using namespace stackx::specs;

namespace {

using Parameters = std::map<std::string, std::string>;

const Parameters under_load{{"scenario", "server"},    {"latency_bound_ms", "5"}, {"percentile", "99"},
                            {"target_rate", "100"},    {"rate_precision", "0.05"}, {"schedule_seed", "7"},
                            {"samples_per_query", "4"}, {"min_queries", "64"},     {"min_duration_ms", "50"}};

std::pair<Parameters, std::vector<std::string>> told(const std::string& pi, PiKind kind, const Parameters& params) {
  std::vector<std::string> left_out;
  auto kept = pi_parameters({pi, params}, kind, left_out);
  return {kept, left_out};
}

}  // namespace

TEST_CASE("pi parameters: PIs that answer queries are told of the load, native ones and those of frameworks") {
  for (const auto& [pi, kind] : std::vector<std::pair<std::string, PiKind>>{{"matmul", PiKind::native},
                                                                            {"matmul", PiKind::framework},
                                                                            {"conv1d", PiKind::framework},
                                                                            {"conv2d", PiKind::native},
                                                                            {"conv2d", PiKind::framework},
                                                                            {"transformer", PiKind::framework},
                                                                            {"lstm", PiKind::native},
                                                                            {"gru", PiKind::native},
                                                                            {"attention", PiKind::native}}) {
    INFO(pi);
    const auto [kept, left_out] = told(pi, kind, under_load);
    CHECK(kept == under_load);
    CHECK(left_out.empty());
  }
  auto on_gpu = under_load;
  on_gpu["device"] = "gpu";
  CHECK(told("matmul", PiKind::framework_on_gpu, under_load).first == on_gpu);
}

TEST_CASE("pi parameters: others are not, and it is said") {
  for (const std::string pi : {"import", "startup", "train_resnet50", "all_reduce", "hello_world"}) {
    INFO(pi);
    const auto [kept, left_out] = told(pi, PiKind::framework, under_load);
    CHECK(kept.empty());
    CHECK(left_out.size() == under_load.size());
  }
}

TEST_CASE("pi parameters: what a source adds to a shape is left out, how to measure stays") {
  const auto [kept, left_out] = told("matmul", PiKind::native, {{"m", "64"}, {"suite", "train"}, {"repetitions", "5"}, {"device", "gpu"}});
  CHECK(kept == Parameters{{"m", "64"}, {"repetitions", "5"}});
  CHECK(left_out == std::vector<std::string>{"device", "suite"});
}

TEST_CASE("pi parameters: the type of a product's result, of libraries and frameworks") {
  for (const auto kind : {PiKind::native, PiKind::framework}) {
    const auto [kept, left_out] = told("matmul", kind, {{"m", "64"}, {"dtype", "bfloat16"}, {"result", "same"}});
    CHECK(kept == Parameters{{"m", "64"}, {"dtype", "bfloat16"}, {"result", "same"}});
    CHECK(left_out.empty());
  }
}

TEST_CASE("own PIs: those for frameworks that compute somewhere are told where") {
  CHECK(takes_device("matmul"));
  CHECK(takes_device("train_resnet50"));
  CHECK_FALSE(takes_device("import"));
  CHECK_FALSE(takes_device("vllm_bench"));
  CHECK_FALSE(takes_device("softmax"));  // of libraries alone
  CHECK_FALSE(takes_device("nothing"));
}

}  // namespace own_pis_tests
