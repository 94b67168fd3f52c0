// Which arms can be spread over nodes, over how many, and what is said of those that cannot.
#include <catch2/catch.hpp>

#include "campaigns/cluster/workers.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"

namespace workers_tests {

using namespace stackx;
using namespace stackx::campaigns::cluster;
using Catch::Contains;

namespace {

specs::Catalog catalog() {
  return specs::parse_catalog(specs::Node::parse_text(R"({"$schema": "stackx/catalog/1", "components": {
    "python": {"kind": "runtime", "versions": {"3.11": {}}},
    "openmpi": {"kind": "package", "versions": {"4.1": {"provides": {"mpi": "3.1"}}}}, "nccl": {"kind": "package", "versions": {"2": {}}},
    "workers": {"kind": "setting", "versions": {"1": {"parameters": {"workers": 1}}, "2": {"parameters": {"workers": 2}},
                                                "4": {"parameters": {"workers": 4}}}}}})",
                                                      "catalog"));
}

specs::Plan plan(const std::string& pi, std::map<std::string, std::string> params, std::map<std::string, std::string> settings = {}) {
  specs::Plan plan;
  settings["python"] = "3.11";
  plan.arms.push_back({"a", {settings}, {pi, std::move(params)}, false});
  specs::seal(plan);
  return plan;
}

std::string refused(const specs::Plan& plan, std::uint64_t nodes = 2) {
  try {
    (void)over_nodes(plan, nodes, catalog(), "p.json: target t");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::bad_input);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("over nodes a workload is another one, and has as many workers if nobody says how many") {
  const auto before = plan("train_resnet50", {{"batch", "4"}});
  const auto found = over_nodes(before, 3, catalog(), "");
  CHECK(found.arms[0].workload.params == std::map<std::string, std::string>{{"batch", "4"}, {"nodes", "3"}, {"workers", "3"}});
  CHECK(found.id != before.id);
  CHECK(workers_of(found.arms[0], catalog()) == 3);
  const auto collective = over_nodes(plan("all_reduce", {}), 2, catalog(), "");
  CHECK(collective.arms[0].workload.params == std::map<std::string, std::string>{{"nodes", "2"}, {"ranks", "2"}});
}

TEST_CASE("an arm has as many workers as its setting or its workload says, up to one a node") {
  for (const char* count : {"1", "2"}) {
    const auto by_setting = over_nodes(plan("transformer", {{"phase", "train"}}, {{"workers", count}}), 2, catalog(), "");
    CHECK(std::to_string(workers_of(by_setting.arms[0], catalog())) == count);
    CHECK(by_setting.arms[0].workload.params.count("workers") == 0);
    const auto by_workload = over_nodes(plan("train_resnet50", {{"workers", count}}), 2, catalog(), "");
    CHECK(std::to_string(workers_of(by_workload.arms[0], catalog())) == count);
  }
  CHECK_THAT(refused(plan("train_resnet50", {}, {{"workers", "4"}})), Contains("p.json: target t: \"nodes\": 2, but workers=4 by a setting"));
  CHECK_THAT(refused(plan("train_resnet50", {{"workers", "3"}})), Contains("workers=3: one worker runs on each node"));
  CHECK_THAT(refused(plan("train_resnet50", {{"workers", "two"}})), Contains("workers=two: expected a whole number"));
}

TEST_CASE("an MPI is spread, by its own collectives and by the exchange of a training") {
  const auto training = over_nodes(plan("train_resnet50", {{"exchange", "mpi"}}), 2, catalog(), "");
  CHECK(training.arms[0].workload.params.at("workers") == "2");
  auto native = plan("all_reduce", {});
  native.arms[0].stack.components = {{"openmpi", "4.1"}};
  CHECK(over_nodes(native, 2, catalog(), "").arms[0].workload.params.at("ranks") == "2");
}

TEST_CASE("what runs in one process is not spread") {
  CHECK_THAT(refused(plan("matmul", {})), Contains("matmul runs in one process"));
  CHECK_THAT(refused(plan("transformer", {{"phase", "prefill"}})), Contains("phase=train alone"));
  CHECK_THAT(refused(plan("train_resnet50", {{"nodes", "2"}})), Contains("take it out"));
  auto native = plan("all_reduce", {});
  native.arms[0].stack.components = {{"nccl", "2"}};
  CHECK_THAT(refused(native), Contains("has neither Python nor an MPI"));
}

}  // namespace workers_tests
