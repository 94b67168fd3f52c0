// The readers and the JSON Schemas judge the documents in documents/ alike (documents/README.md).
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>

#include "specs/catalog/score.hpp"
#include "specs/format/json.hpp"
#include "specs/hardware/microarchitecture.hpp"
#include "specs/project/cluster_campaign.hpp"
#include "specs/project/plan.hpp"
#include "specs/project/project.hpp"
#include "specs/project/workload_family.hpp"
#include "specs/result/evidence.hpp"
#include "specs/result/inspection.hpp"
#include "specs/result/published.hpp"
#include "specs/result/upgrade.hpp"
#include "tests/specs/message_of.hpp"
#include "tests/specs/oracle.hpp"

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

const fs::path documents = STACKX_SOURCE_DIR "/tests/specs/documents";
const std::vector<std::string> formats{"catalog",            "project", "plan", "cluster", "cluster-settings",      "inspection",
                                       "microarchitectures", "score",   "published", "evidence",
                                       "workloads",         "upgrades"};

struct Case {
  std::string name, format;
  Json document;
  std::string message;  // of the reader; "" for a good document
  bool schema_accepts = true;
};

std::vector<Case> good_cases(const std::string& format) {
  std::vector<Case> cases;
  for (const auto& entry : fs::directory_iterator(documents / format)) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with("good-")) continue;
    cases.push_back({format + "/" + file, format, Node::parse_file(entry.path()).json(), "", true});
  }
  return cases;
}

std::vector<Case> bad_cases(const std::string& format) {
  std::vector<Case> cases;
  for (const auto& node : Node::parse_file(documents / format / "bad.json").items()) {
    node.only({"base", "patch", "message", "schema"});
    const Json base = Node::parse_file(documents / format / node.at("base").text()).json();
    const Json& patch = node.at("patch").json();
    cases.push_back({format + " " + patch.dump(), format, base.patch(patch),
                     node.at("message").nonempty(), node.find("schema").has_value()});
  }
  return cases;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto& format : formats)
    for (const auto& list : {good_cases(format), bad_cases(format)})
      cases.insert(cases.end(), list.begin(), list.end());
  return cases;
}

// Catalogs are named beside the project, which a document in memory is not.
void read_project(const Node& node) {
  for (const auto& name : node.at("catalogs").items())
    if (!fs::exists(documents / "project" / name.text())) name.fail("neither here nor there");
  parse_project(node, load_catalog(documents / "project" / "catalog.json"));
}

Catalog some_packages() {
  return parse_catalog(Node::parse_text(R"({"$schema": "stackx/catalog/1", "components": {
    "numpy": {"kind": "package", "versions": {"1.26.0": {}, "1.26.4": {}, "2.0.1": {}}},
    "python": {"kind": "runtime", "versions": {"3.12": {}}}}})",
                                        "packages"));
}

std::string judge(const Case& one) {
  const std::map<std::string, std::function<void(const Node&)>> readers{
      {"catalog", [](const Node& node) { check(parse_catalog(node), "c"); }},
      {"project", read_project},
      {"plan", [](const Node& node) { plan_from(node); }},
      {"cluster", [](const Node& node) { cluster_campaign_from(node); }},
      {"cluster-settings", [](const Node& node) { cluster_settings_from(node); }},
      {"inspection", [](const Node& node) { inspection_from(node); }},
      {"microarchitectures", [](const Node& node) { Microarchitectures::parse(node); }},
      {"score", [](const Node& node) { parse_scores(node, some_packages()); }},
      {"published", [](const Node& node) { published_from(node); }},
      {"evidence", [](const Node& node) { parse_evidence(node); }},
      {"workloads", [](const Node& node) { WorkloadFamilies::parse(node); }},
      {"upgrades", [](const Node& node) { parse_upgrades(node); }}};
  return message_of(
      [&] { readers.at(one.format)(Node::parse_text(one.document.dump(), one.format)); });
}

}  // namespace

TEST_CASE("readers accept the good documents and say what is wrong with the bad ones") {
  for (const Case& one : all_cases()) {
    CAPTURE(one.name);
    if (one.message.empty()) {
      CHECK(judge(one) == "(no error)");
    } else {
      CHECK_THAT(judge(one), Contains(one.message));
    }
  }
}

TEST_CASE("the JSON Schemas judge documents as the readers do") {
  const std::vector<Case> cases = all_cases();
  Json questions = {{"schemas", STACKX_SOURCE_DIR "/specs/schemas"}, {"documents", Json::array()}};
  for (const Case& one : cases)
    questions["documents"].push_back({{"format", one.format}, {"document", one.document}});
  for (const char* file : {"specs/data/blas.json", "specs/data/microarchitectures.json",
                           "specs/data/workloads.json", "examples/blas-cpu/project.json",
                           "specs/data/upgrades.json", "specs/data/reports.json", "specs/data/evidence/matmul/deepbench.json",
                           "specs/data/evidence/train_ssd/mlperf-training-v0.6.json"}) {
    const Json ours = Node::parse_file(fs::path(STACKX_SOURCE_DIR) / file).json();
    const std::string schema = ours.at("$schema");  // "stackx/catalog/1"
    questions["documents"].push_back(
        {{"format", schema.substr(7, schema.size() - 9)}, {"document", ours}});
  }
  const Answer answer = ask_oracle("oracle_jsonschema.py", questions);
  if (!answer.json) {
    WARN(answer.skipped);
    return;
  }
  REQUIRE(answer.json->size() == questions["documents"].size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string error = (*answer.json)[i];
    CAPTURE(cases[i].name, error);
    CHECK(error.empty() == cases[i].schema_accepts);
  }
  for (std::size_t i = cases.size(); i < answer.json->size(); ++i) CHECK((*answer.json)[i] == "");
}
