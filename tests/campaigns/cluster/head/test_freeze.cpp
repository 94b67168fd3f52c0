// Projects frozen onto a spool, against the projects themselves; and that nothing stays there where that fails.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <set>

#include "campaigns/cluster/head/freeze.hpp"
#include "campaigns/cluster/place.hpp"
#include "resolver/resolver.hpp"
#include "specs/format/text_file.hpp"
#include "tests/campaigns/cluster/made_up.hpp"
#include "tests/specs/message_of.hpp"
#include "tests/specs/place.hpp"
#include "workspace/load.hpp"

using namespace stackx;
using namespace stackx::campaigns::cluster;
using namespace stackx::test;
using Catch::Matchers::Contains;
using specs::Json;

namespace {

class Environment {  // of this test alone
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (old_) setenv(name_, old_->c_str(), 1);
    else unsetenv(name_);
  }
  Environment(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

Json lib_catalog(const std::string& component, int versions) {
  Json json = {{"$schema", "stackx/catalog/1"}, {"components", {{component, {{"kind", "package"}, {"versions", Json::object()}}}}}};
  for (int i = 1; i <= versions; ++i) json["components"][component]["versions"]["1." + std::to_string(i)] = Json::object();
  return json;
}

struct Bench {
  Bench() : place("freeze"), data("STACKX_DATA", STACKX_SOURCE_DIR "/specs/data"), config("XDG_CONFIG_HOME", (place / "config").string()) {
    for (const char* directory : {"spool", "config", "config/stackx", "config/stackx/catalogs", "project", "project/a", "project/b"})
      fs::create_directory(place / directory);
    write("project/a/lib.json", lib_catalog("lib", 6));
    write("project/b/lib.json", lib_catalog("other", 3));
    project = {{"$schema", "stackx/project/1"},
               {"name", "frozen"},
               {"catalogs", {"a/lib.json", "b/lib.json"}},
               {"requires", {{"lib", "*"}, {"other", "*"}}},
               {"workload", {{"pi", "matmul"}, {"params", {{"m", 64}, {"n", 64}, {"k", 64}}}}},
               {"campaign", {{"sampler", {{"kind", "uniform"}, {"count", 5}, {"seed", 3}}}, {"rounds", 6}, {"sentinels", 1}}},
               {"cluster", {{"targets", {{{"hardware", "host"}, {"name", "here"}, {"slurm", Json::object()}}}}, {"spool", (place / "spool").string()}}}};
  }

  void write(const std::string& name, const Json& json) const { std::ofstream(place.path() / name) << json.dump(); }
  // With the catalog of GPUs and the project on one; a target for each model.
  void on_gpus(const std::vector<std::string>& models) {
    project["catalogs"].push_back("gpus.json");
    project["requires"]["gpu"] = "*";
    project["hardware"] = {{"gpu", "host"}};
    project["cluster"]["targets"] = Json::array();
    for (const auto& model : models) project["cluster"]["targets"].push_back({{"hardware", model}, {"slurm", Json::object()}});
  }
  specs::ClusterCampaign freeze(FreezeOptions options = {}) const {
    write("project/project.json", project);
    options.project = place / "project/project.json";
    return cluster::freeze(options, {});
  }
  std::string refusal() const {
    return tests::message_of([&] { freeze(); });
  }
  std::size_t on_spool() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(place / "spool"), fs::directory_iterator()));
  }

  tests::Place place;
  Environment data, config;
  Json project;
};

specs::Plan planned(const fs::path& project, const specs::PythonContext& context, const std::string& created) {
  const auto loaded = workspace::load(project, {}, context, workspace::Need::machine);
  const resolver::Resolver resolver(loaded.project, loaded.catalog);
  return campaigns::make_plan(loaded.project, resolver::campaign_stacks(resolver, loaded.project, loaded.catalog), created);
}

specs::Plan frozen_plan(const specs::ClusterCampaign& campaign, const std::string& target) {
  const auto directory = target_directory(root_of(campaign), target);
  return planned(directory / "project.json", overlays_in(directory), campaign.created);
}

std::vector<specs::Stack> stacks_of(const specs::Plan& plan) {
  std::vector<specs::Stack> stacks;
  for (const auto& arm : plan.arms) stacks.push_back(arm.stack);
  return stacks;
}

}  // namespace

TEST_CASE("freeze: a target's plan is the project's, and that of what was frozen, also when all else changes") {
  Bench bench;
  const auto campaign = bench.freeze();
  const auto before = planned(bench.place / "project/project.json", {}, campaign.created);
  CHECK(campaign.target("here").plan.id == before.id);
  CHECK(before.arms.size() == 6);
  CHECK(bench.on_spool() == 1);
  CHECK(specs::to_json(read_campaign(root_of(campaign))) == specs::to_json(campaign));
  bench.write("project/a/lib.json", lib_catalog("lib", 2));
  fs::remove(bench.place / "project/b/lib.json");
  auto overlay = lib_catalog("lib", 9);
  overlay["overlay"] = true;
  bench.write("config/stackx/catalogs/later.json", overlay);
  CHECK(frozen_plan(campaign, "here").id == before.id);
}

TEST_CASE("freeze: the user's own catalogs are frozen, too, in their order") {
  Bench bench;
  bench.project["requires"] = {{"lib", "==9.0"}};
  for (int i = 0; i < 12; ++i) {  // the last has the last word
    Json overlay = {{"$schema", "stackx/catalog/1"}, {"overlay", true},
                    {"components", {{"lib", {{"kind", "package"}, {"versions", {{"9.0", {{"attributes", {{"word", std::to_string(i)}}}}}}}}}}}};
    bench.write("config/stackx/catalogs/" + std::string(1, static_cast<char>('a' + i)) + ".json", overlay);
  }
  const auto campaign = bench.freeze();
  const auto& stacks = stacks_of(campaign.target("here").plan);
  CHECK(stacks.at(0).components.at("lib") == "9.0");
  for (const auto& file : specs::json_files(bench.place / "config/stackx/catalogs")) fs::remove(file);
  CHECK(frozen_plan(campaign, "here").id == campaign.target("here").plan.id);
  const auto directory = target_directory(root_of(campaign), "here");
  const auto loaded = workspace::load(directory / "project.json", {}, overlays_in(directory), workspace::Need::machine);
  CHECK(std::get<std::string>(loaded.catalog.find("lib")->find("9.0")->attributes.at("word")) == "11");
}

TEST_CASE("freeze: each target has its hardware, and the same stacks of all else") {
  Bench bench;
  bench.on_gpus({"v100-sxm2-16gb", "h100-sxm5-80gb"});
  bench.project["cluster"]["targets"].push_back({{"name", "by-hand"}, {"hardware", {{"gpu", "t4"}}}, {"slurm", Json::object()}});
  const auto campaign = bench.freeze();
  REQUIRE(campaign.targets.size() == 3);
  const std::vector<std::string> gpus{"v100-sxm2-16gb", "h100-sxm5-80gb", "t4"};
  std::vector<std::vector<specs::Stack>> without_gpu;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& frozen = campaign.targets[i];
    auto stacks = stacks_of(frozen.plan);
    for (auto& stack : stacks) {
      CHECK(stack.components.at("gpu") == gpus[i]);
      stack.components.erase("gpu");
    }
    without_gpu.push_back(stacks);
    CHECK(frozen_plan(campaign, frozen.target.name).id == frozen.plan.id);
  }
  CHECK(without_gpu[0] == without_gpu[1]);
  CHECK(without_gpu[0] == without_gpu[2]);
}

TEST_CASE("freeze: \"host\" is what this machine is, written down") {
  Bench bench;
  bench.project["hardware"] = {{"cpu", "host"}};
  const auto campaign = bench.freeze();
  const auto hardware = specs::Node::parse_file(root_of(campaign) / "here" / "project.json").at("hardware").at("cpu").text();
  CHECK(hardware != "host");
  for (const auto& stack : stacks_of(campaign.target("here").plan)) CHECK(stack.components.at("cpu") == hardware);
  CHECK(frozen_plan(campaign, "here").id == campaign.target("here").plan.id);
}

TEST_CASE("freeze: a seed draws other stacks; blocks and their starts order the same ones differently") {
  Bench bench;
  FreezeOptions options;
  options.seed = 11;
  const auto usual = bench.freeze(), other = bench.freeze(options);
  CHECK(other.target("here").plan.seed == 11);
  CHECK(stacks_of(usual.target("here").plan) != stacks_of(other.target("here").plan));
  bench.project["campaign"].erase("sampler");
  CHECK(bench.freeze(options).target("here").plan.seed == 11);  // also where the project says nothing of a sampler

  const auto& target = usual.target("here");
  specs::Wave wave{usual.id, "here", 0, {}};
  for (const auto& arm : target.plan.arms) wave.arms.push_back(arm.label);
  std::set<std::vector<std::size_t>> orders;
  for (std::uint64_t block = 0; block < 4; ++block)
    for (const char* attempt : {"a", "b"}) {
      const auto plan = specs::plan_of_attempt(usual, target, wave, {usual.id, "here", block, attempt}, 2, "2026", "");
      CHECK(stacks_of(plan) == stacks_of(target.plan));
      std::vector<std::size_t> both = plan.order(0);
      for (const auto place : plan.order(1)) both.push_back(place);
      orders.insert(both);
    }
  CHECK(orders.size() == 8);  // of 518,400 possible ones
}

TEST_CASE("freeze: settings of a file of their own, and targets of one scheduler alone") {
  Bench bench;
  auto settings = bench.project["cluster"];
  settings["$schema"] = "stackx/cluster-settings/1";
  settings["blocks"] = 5;
  settings["targets"].push_back({{"hardware", "host"}, {"name", "pods"}, {"kubernetes", {{"image", "i"}, {"send", "http://x/"}}}});
  bench.write("settings.json", settings);
  bench.project.erase("cluster");
  CHECK_THAT(bench.refusal(), Contains("--settings FILE"));
  FreezeOptions options;
  options.settings = bench.place / "settings.json";
  CHECK(bench.freeze(options).settings.blocks == 5);
  options.on = "kubernetes";
  const auto pods = bench.freeze(options);
  REQUIRE(pods.targets.size() == 1);
  CHECK(pods.targets[0].target.name == "pods");
  settings["targets"].erase(1);
  bench.write("settings.json", settings);
  CHECK_THAT(tests::message_of([&] { bench.freeze(options); }), Contains("no target") && Contains("kubernetes"));
}

TEST_CASE("freeze: a driver of \"host\" beside a GPU that is named is each node's own") {
  Bench bench;
  auto catalog = lib_catalog("lib", 6);
  catalog["components"]["driver"] = {{"kind", "driver"}, {"open", true}, {"versions", {{"550", Json::object()}}}};
  for (auto& version : catalog["components"]["lib"]["versions"]) version["requires"] = {{"driver", ">=600"}};
  bench.write("project/a/lib.json", catalog);
  bench.on_gpus({"v100"});
  bench.project["hardware"]["driver"] = "host";
  const auto campaign = bench.freeze();
  const auto hardware = specs::Node::parse_file(root_of(campaign) / "v100" / "project.json").at("hardware");
  CHECK(hardware.at("gpu").text().starts_with("v100"));
  CHECK(hardware.at("driver").text() == "host");
  const auto stacks = stacks_of(campaign.target("v100").plan);
  CHECK(stacks.size() == 6);  // and a sentinel; what a driver has to be is held against the node's
  for (const auto& stack : stacks) CHECK_FALSE(stack.components.contains("driver"));
}

TEST_CASE("freeze: a name of several GPUs is any of them on the nodes, or the most usual alone") {
  Bench bench;
  bench.on_gpus({"v100"});
  const auto frozen = [&](const FreezeOptions& options) {
    const auto campaign = bench.freeze(options);
    const auto gpu = specs::Node::parse_file(root_of(campaign) / "v100" / "project.json").at("hardware").at("gpu").text();
    std::set<std::string> in_stacks;
    for (const auto& stack : stacks_of(campaign.target("v100").plan)) in_stacks.insert(stack.components.contains("gpu") ? stack.components.at("gpu") : "");
    return std::pair(gpu, in_stacks);
  };
  CHECK(frozen({}) == std::pair<std::string, std::set<std::string>>("v100", {""}));
  FreezeOptions options;
  options.exact = true;
  CHECK(frozen(options) == std::pair<std::string, std::set<std::string>>("v100-sxm2-16gb", {"v100-sxm2-16gb"}));
}

TEST_CASE("freeze: a program of the user's is copied to the spool, under its hash, and looked at nowhere else") {
  Bench bench;
  bench.write("pi", "#!/bin/sh");
  FreezeOptions options;
  options.python.pi = (bench.place / "pi").string();
  const auto campaign = bench.freeze(options);
  const auto& plan = campaign.target("here").plan;
  REQUIRE(plan.program);
  const fs::path copy = plan.program->path;
  CHECK(copy == bench.place / "spool" / ("program-" + plan.program->sha256.substr(0, 16)) / "pi");
  CHECK(specs::read_text_file(copy, "") == specs::read_text_file(bench.place / "pi", ""));
  CHECK((fs::status(copy).permissions() & fs::perms::others_exec) != fs::perms::none);
  CHECK(plan.arms.front().workload.program == plan.program->sha256);
  { std::ofstream(copy) << "something else"; }
  fs::permissions(copy, fs::perms::owner_read);  // as if it had ended in between
  CHECK(bench.freeze(options).target("here").plan.program->path == copy);  // is made good
  CHECK(specs::read_text_file(copy, "") == specs::read_text_file(bench.place / "pi", ""));
  CHECK((fs::status(copy).permissions() & fs::perms::others_exec) != fs::perms::none);
  options.python.workload = "matmul";
  CHECK_THAT(tests::message_of([&] { bench.freeze(options); }), Contains("--workload belongs to Python projects"));
}

TEST_CASE("freeze: what cannot be measured is refused by name, and nothing is left on the spool") {
  Bench bench;
  const auto refused = [&](const std::string& what) {
    const auto message = bench.refusal();
    CHECK_THAT(message, Contains(what));
    CHECK(bench.on_spool() == 0);
  };
  SECTION("hardware that nobody knows") {
    bench.on_gpus({"v100", "gpu-of-tomorrow"});
    refused("target gpu-of-tomorrow: nobody knows the hardware \"gpu-of-tomorrow\"");
  }
  SECTION("a GPU that this machine has not") {
    bench.on_gpus({"host"});
    if (!workspace::load(STACKX_SOURCE_DIR "/examples/blas-cpu/project.json", {}).device) refused("instead of \"host\"");
  }
  SECTION("no valid stack") {
    bench.project["requires"]["lib"] = ">=2";
    refused("");
  }
  SECTION("no stack that requirements leave") {
    auto catalog = lib_catalog("lib", 2);
    for (auto& version : catalog["components"]["lib"]["versions"]) version["requires"] = {{"other", ">=7"}};
    bench.write("project/a/lib.json", catalog);
    refused("target here: no valid stack to measure");
  }
  SECTION("no workload") {
    bench.project.erase("workload");
    refused("\"workload\"");
  }
  SECTION("a catalog that is not there") {
    bench.project["catalogs"].push_back("nowhere.json");
    refused("nowhere.json");
  }
  SECTION("a catalog of a name that no file can have") {
    bench.project["catalogs"].push_back(std::string(300, 'x') + ".json");
    refused("project.json");
  }
  SECTION("catalogs that are no list of names") {
    bench.project["catalogs"] = {1, 2};
    refused("/catalogs/0");
  }
  SECTION("no catalogs") {
    bench.project.erase("catalogs");
    refused("\"catalogs\" is missing");
  }
  SECTION("hardware that is no object") {
    bench.project["hardware"] = "v100";
    bench.project["cluster"]["targets"] = {{{"hardware", {{"gpu", "t4"}}}, {"slurm", Json::object()}}};
    refused("/hardware");
  }
  SECTION("a campaign that is no object") {
    bench.project["campaign"] = 3;
    FreezeOptions options;
    options.seed = 4;
    CHECK_THAT(tests::message_of([&] { bench.freeze(options); }), Contains("/campaign"));
    CHECK(bench.on_spool() == 0);
  }
  SECTION("a spool that is not there") {
    bench.project["cluster"]["spool"] = (bench.place / "away").string();
    refused("mount it");
    CHECK_FALSE(fs::exists(bench.place / "away"));
  }
}
