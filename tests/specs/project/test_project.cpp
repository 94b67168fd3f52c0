#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "specs/format/json.hpp"
#include "specs/project/project.hpp"
#include "tests/specs/message_of.hpp"

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

const char* const catalog_text = R"({"$schema": "stackx/catalog/1", "components": {
  "openblas": {"kind": "package", "versions": {"0.3.28": {"provides": {"blas": "3"}}, "0.3.29": {"provides": {"blas": "3"}}}},
  "core": {"kind": "setting", "versioning": "opaque", "versions": {"auto": {}, "Haswell": {"requires": {"cpu.isa": {"contains": ["avx2"]}}}}},
  "driver": {"kind": "driver", "versions": {"535.54": {}}},
  "gpu": {"kind": "hardware", "versioning": "opaque", "versions": {"v100": {}, "h200": {}}}}})";

// What is written to `project.json`, beside or away from the catalog `c.json`.
class Directory {
 public:
  Directory() : path_(fs::temp_directory_path() / ("stackx-project-" + std::to_string(getpid()))) {
    fs::create_directories(path_ / "data");
    write("c.json", catalog_text);
  }
  ~Directory() { fs::remove_all(path_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
  }
  LoadedProject load(const std::string& text) const {
    write("project.json", text);
    return load_project(path_ / "project.json", path_ / "data");
  }
  std::string refusal(const std::string& text) const {
    return message_of([&] { load(text); });
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// A project with these further members.
std::string with(const std::string& members) {
  return R"({"$schema": "stackx/project/1", "name": "p", "catalogs": ["c.json"], "hardware": {"cpu": "host"})" +
         members + "}";
}
std::string campaign(const std::string& members) {
  return with(R"(, "requires": {"blas": "*"}, "campaign": {)" + members + "}");
}

}  // namespace

TEST_CASE("everything in a project is read") {
  const Directory directory;
  const auto [project, catalog] =
      directory.load(R"({"$schema": "stackx/project/1", "name": "p", "description": "d",
      "catalogs": ["c.json"], "requires": {"blas": ">=3", "cpu.isa": {"contains": ["fma"]}, "core": "==auto"},
      "hardware": {"cpu": "host", "gpu": "h200", "driver": "535.54.0"}, "pins": {"openblas": ">=0.3.29"},
      "workload": {"pi": "matmul", "params": {"m": [256, 512]}},
      "campaign": {"sampler": {"kind": "stratified", "by": "blas", "count": 5, "seed": 42}, "rounds": 3,
                   "budget": {"inspections": 40, "minutes": 2.5}, "runner": "container", "parallel": 2, "max_failed": 7,
                   "sentinels": 1, "limits": {"seconds": 30, "memory_gib": 0.5}}})");
  CHECK(project.name == "p");
  CHECK(project.file == directory.path() / "project.json");
  REQUIRE(project.requires_.size() == 3);
  CHECK(project.requires_[0].text() == "blas >=3");
  CHECK(project.requires_[2].text() == "core ==auto");
  CHECK(holds(project.requires_[2], catalog.find("core")->versions[0]));
  CHECK(project.hardware ==
        std::map<std::string, std::string>{{"cpu", "host"}, {"gpu", "h200"}, {"driver", "535.54"}});
  CHECK(project.pins.at(0).text() == "openblas >=0.3.29");
  CHECK(project.workloads.size() == 2);
  const CampaignSpec& spec = project.campaign;
  CHECK(spec.sampler.kind == SamplerSpec::Kind::stratified);
  CHECK(spec.sampler.by == "blas");
  CHECK(spec.sampler.count == 5);
  CHECK(spec.sampler.seed == 42);
  CHECK(spec.rounds == 3);
  CHECK(spec.budget_inspections == 40);
  CHECK(spec.budget_minutes == 2.5);
  CHECK(spec.runner == "container");
  CHECK(spec.parallel == 2);
  CHECK(spec.max_failed == 7);
  CHECK(spec.sentinels == 1);
  CHECK(spec.timeout_seconds == 30);
  CHECK(spec.memory_gib == 0.5);
}

TEST_CASE("a campaign may list its stacks, and its plan keeps them") {
  const Directory directory;
  const auto spec =
      directory.load(campaign(R"("stacks": [{"openblas": "0.3.29"}, {}], "sampler": {"kind": "all", "seed": 7})"))
          .project.campaign;
  CHECK(spec.stacks == std::vector<Stack>{{{{"openblas", "0.3.29"}}}, {}});
  const auto again = campaign_from(Node::parse_text(to_json(spec).dump(), "plan.json"));
  CHECK(again.stacks == spec.stacks);
  CHECK(again.sampler.seed == 7);
  CHECK(to_json(again) == to_json(spec));
  const CampaignSpec usual;
  CHECK_FALSE(to_json(usual).contains("stacks"));  // plans of before keep their ids
  CHECK_THAT(directory.refusal(campaign(R"("stacks": [])")), Contains("at least one stack"));
  CHECK_THAT(directory.refusal(campaign(R"("stacks": [{"a": "1"}, {"a": "1"}])")),
             Contains("/campaign/stacks/1: this stack stands twice"));
  CHECK_THAT(directory.refusal(campaign(R"("stacks": [{"a": "1"}], "sampler": {"kind": "uniform", "count": 2})")),
             Contains("remove the sampler's"));
}

TEST_CASE("only name, catalogs and requirements are needed") {
  const Directory directory;
  const auto project = directory.load(with(R"(, "requires": {"openblas": "*"})")).project;
  CHECK(project.workloads.empty());
  CHECK(project.campaign.rounds == 10);
  CHECK(project.campaign.sampler.kind == SamplerSpec::Kind::uniform);
  CHECK_FALSE(project.campaign.budget_minutes);
}

TEST_CASE("catalogs lie beside the project, else in the data directory") {
  const Directory directory;
  const std::string text = with(R"(, "requires": {"openblas": "==0.3.28"})");
  const std::string one =
      R"({"$schema": "stackx/catalog/1", "components": {"openblas": {"kind": "package", "versions": {"9": {}}}}})";
  directory.write("data/c.json", one);
  CHECK(directory.load(text).catalog.find("openblas")->versions.size() == 2);
  fs::remove(directory.path() / "c.json");
  CHECK(directory.load(text).catalog.find("openblas")->versions.size() == 1);
  fs::remove(directory.path() / "data/c.json");
  CHECK_THAT(directory.refusal(text), Contains("/catalogs: there is no catalog \"c.json\"") &&
                                          Contains((directory.path() / "c.json").string()) &&
                                          Contains((directory.path() / "data/c.json").string()));
}

TEST_CASE("mistakes in a project name their place") {
  const Directory directory;
  const auto refusal = [&](const std::string& members) { return directory.refusal(with(members)); };
  const std::string blas = R"(, "requires": {"blas": "*"})";
  CHECK_THAT(refusal(""), Contains("\"requires\" is missing"));
  CHECK_THAT(refusal(R"(, "requires": {})"), Contains("/requires: expected at least one"));
  CHECK_THAT(refusal(R"(, "require": {"blas": "*"})"), Contains("did you mean \"requires\"?"));
  CHECK_THAT(refusal(R"(, "requires": {"openbals": "*"})"),
             Contains("/requires/openbals: ") && Contains("did you mean \"openblas\"?"));
  CHECK_THAT(refusal(R"(, "requires": {"openblas": ">>1"})"),
             Contains("project.json: /requires/openblas: \">>1\": column "));
  CHECK_THAT(refusal(R"(, "requires": {"core": ">=1"})"), Contains("opaque"));
  CHECK_THAT(refusal(blas + R"(, "pins": {"openblsa": "*"})"), Contains("/pins/openblsa: "));
  CHECK_THAT(
      refusal(blas + R"(, "campaign": {"sampler": {"kind": "stratified", "by": "openblas"}})"),
      Contains("/campaign/sampler/by: ") && Contains("a component itself"));
  CHECK_THAT(refusal(blas + R"(, "campaign": {"sampler": {"kind": "stratified", "by": "blsa"}})"),
             Contains("did you mean \"blas\"?"));
  CHECK_THAT(refusal(blas + R"(, "workload": {"pi": "m m"})"), Contains("/workload/pi: "));
  const auto hardware = [&](const std::string& members) {
    return directory.refusal(R"({"$schema": "stackx/project/1", "name": "p", "catalogs": ["c.json"],
                                 "requires": {"openblas": "*"}, "hardware": {"cpu": "host", )" +
                             members + "}}");
  };
  CHECK_THAT(hardware(R"("gpu": "h20")"),
             Contains("/hardware/gpu: the catalog has no gpu \"h20\"; did you mean \"h200\"?"));
  CHECK_THAT(hardware(R"("gpus": "h200")"),
             Contains("/hardware/gpus: no catalog declares") && Contains("did you mean \"gpu\"?"));
  CHECK_THAT(hardware(R"("core": "auto")"), Contains("of the kind setting, not hardware"));
  CHECK(hardware(R"("tpu": "host")") == "(no error)");
  CHECK_THAT(
      directory.refusal(
          R"({"$schema": "stackx/project/1", "name": "p", "catalogs": ["c.json"], "requires": {"blas": "*"}})"),
      Contains("core Haswell: requires \"cpu.isa"));  // no host: nobody declares cpu
  CHECK_THAT(
      directory.refusal(
          R"({"$schema": "stackx/project/1", "name": "p", "catalogs": [], "requires": {"blas": "*"}})"),
      Contains("/catalogs: expected at least one"));
  CHECK_THAT(
      directory.refusal(
          R"({"$schema": "stackx/project/1", "name": "p", "catalogs": ["c.json", "c.json"], "requires": {"blas": "*"}})"),
      Contains("/catalogs/1: ") && Contains("twice"));
  CHECK_THAT(
      directory.refusal(R"({"$schema": "stackx/project/1", "name": "p", "catalog": ["c.json"]})"),
      Contains("unknown key \"catalog\"; did you mean \"catalogs\"?"));
  CHECK_THAT(directory.refusal(R"({"$schema": "stackx/plan/1"})"),
             Contains("expected \"stackx/project/1\""));
  CHECK_THAT(directory.refusal(R"({"$schema": "stackx/catalog/1"})"),
             Contains("is a catalog") && Contains("resolve NAME --catalog FILE"));
}

TEST_CASE("mistakes in a campaign name their place") {
  const Directory directory;
  const auto refusal = [&](const std::string& members) {
    return directory.refusal(campaign(members));
  };
  CHECK_THAT(refusal(R"("round": 3)"),
             Contains("/campaign: unknown key \"round\"; did you mean \"rounds\"?"));
  CHECK_THAT(refusal(R"("rounds": 0)"), Contains("/campaign/rounds: expected at least 1"));
  CHECK_THAT(refusal(R"("sampler": {"kind": "unifrom"})"), Contains("did you mean \"uniform\"?"));
  CHECK_THAT(refusal(R"("sampler": {"kind": "stratified"})"), Contains("\"by\" is missing"));
  CHECK_THAT(refusal(R"("sampler": {"kind": "uniform", "by": "blas"})"), Contains("/sampler/by: "));
  CHECK_THAT(refusal(R"("sampler": {"kind": "all", "count": 3})"), Contains("/sampler/count: "));
  CHECK_THAT(refusal(R"("sampler": {"kind": "uniform", "seed": -1})"), Contains("/sampler/seed: "));
  CHECK_THAT(refusal(R"("budget": {"minutes": 0})"),
             Contains("/budget/minutes: expected a positive"));
  CHECK_THAT(refusal(R"("limits": {"memory_gib": -1})"),
             Contains("/limits/memory_gib: expected a positive"));
  CHECK_THAT(refusal(R"("runner": "")"), Contains("/campaign/runner: "));
}

TEST_CASE("a campaign is the same after writing and reading") {
  for (
      const char* text :
      {R"({})", R"({"sampler": {"kind": "all", "seed": 18446744073709551615}})",
       R"({"sampler": {"kind": "stratified", "by": "blas"}, "budget": {"minutes": 0.1, "inspections": 3}})",
       R"({"limits": {"seconds": 1e-3, "memory_gib": 100}, "sentinels": 2})"}) {
    const Json json = to_json(campaign_from(Node::parse_text(text, "c")));
    CHECK(to_json(campaign_from(Node::parse_text(canonical(json), "c"))) == json);
  }
}

TEST_CASE("our own example projects load") {
  for (const auto& entry : fs::recursive_directory_iterator(STACKX_SOURCE_DIR "/examples")) {
    if (entry.path().filename() != "project.json") continue;
    CAPTURE(entry.path());
    CHECK_NOTHROW(load_project(entry.path(), STACKX_SOURCE_DIR "/specs/data"));
  }
}
