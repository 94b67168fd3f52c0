#include "watch/on_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "campaigns/cluster/head/freeze.hpp"
#include "campaigns/cluster/head/head.hpp"
#include "campaigns/cluster/head/known.hpp"
#include "campaigns/cluster/head/pass.hpp"
#include "campaigns/cluster/place.hpp"
#include "campaigns/python_project.hpp"
#include "inspector/paths.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"
#include "specs/python/project.hpp"
#include "watch/cluster_target.hpp"
#include "workspace/files/kept_file.hpp"

namespace stackx::watch {
namespace {

namespace cluster = campaigns::cluster;
namespace fs = std::filesystem;
using specs::Json;

Json listed_stack(const specs::Stack& stack, const Json& hardware) {
  Json one = Json::object();
  for (const auto& [name, version] : stack.components)
    if (!hardware.contains(name)) one[name] = version;
  return one;
}

OnCluster standing_of(const specs::ClusterCampaign& campaign, const cluster::View& view) {
  OnCluster standing{campaign.id, 0, 0, view.spool_is_there && view.finished(), {}};
  if (!view.spool_is_there) standing.remarks.push_back("the spool of the cluster is not there: nothing was taken in");
  for (const auto& target : view.targets) {
    standing.done += target.done.size();
    standing.blocks += target.blocks();
    if (!target.refused.empty()) standing.remarks.push_back(fmt::format("{}: not submitted: {}", target.name, target.refused));
    if (!target.given_up.empty()) standing.remarks.push_back(fmt::format("{}: blocks were given up; stackx cluster status {} says why", target.name, campaign.short_id()));
  }
  return standing;
}

// A Python project's stacks have no hardware: those of `inspect` and of the nodes are the same.
Json document_of(const WatchOptions& options, const Subject& subject, const std::vector<std::string>& catalogs, const workspace::Context& context) {
  std::vector<std::string> given;
  for (const auto& one : catalogs) given.push_back(fs::absolute(one).string());
  if (specs::is_python_project(options.project)) {
    specs::PythonContext beside;
    beside.python = campaigns::measured_python(options.python);
    beside.catalogs = given;
    return cluster::python_document(options.project, beside, subject.workload, context);
  }
  Json json = specs::Node::parse_file(options.project).json();
  json["workload"] = specs::to_json(subject.workload);
  for (auto& name : json["catalogs"])
    if (const auto near = fs::absolute(options.project).parent_path() / name.get<std::string>(); fs::exists(near)) name = near.string();
  for (const auto& one : given) json["catalogs"].push_back(one);
  for (const auto& [component, version] : cluster::target_hardware(cluster_target(options), true, "--cluster", context)) json["hardware"][component] = version;
  return json;
}

// What inspections may take, where this pass says it.
void put_limits(const WatchOptions& options, Json& campaign) {
  if (!options.runner.empty()) campaign["runner"] = options.runner;
  if (options.timeout_seconds) campaign["limits"]["seconds"] = *options.timeout_seconds;
  if (options.memory_gib) campaign["limits"]["memory_gib"] = *options.memory_gib;
}

}  // namespace

cluster::AskedProject write_cluster_project(const WatchOptions& options, const Subject& subject, const std::vector<std::string>& catalogs,
                                            const std::vector<specs::Stack>& stacks, const workspace::Context& context) {
  Json json = document_of(options, subject, catalogs, context);
  json["name"] = subject.id();
  auto& campaign = json["campaign"];
  for (const char* decided : {"sampler", "strategy", "budget", "stacks"})
    if (campaign.contains(decided)) campaign.erase(decided);
  campaign["sentinels"] = 1;
  campaign["max_failed"] = 100'000;  // who fails leaves
  put_limits(options, campaign);
  const Json hardware = json.value("hardware", Json::object());
  for (const auto& stack : stacks) campaign["stacks"].push_back(listed_stack(stack, hardware));
  const auto file = fs::absolute(inspector::cache_directory()) / "watch" / (subject.id() + "-cluster.json");
  workspace::keep_file(file, json.dump(2) + "\n");
  const auto device = subject.workload.params.find("device");
  const bool on_gpus = device != subject.workload.params.end() && device->second == "gpu";
  return {file, specs::Node::parse_file(file), specs::is_python_project(options.project), on_gpus, subject.program};
}

std::optional<specs::ClusterCampaign> cluster_under_way(const fs::path& database, const std::string& watch) {
  for (auto& known : cluster::known_campaigns(database))
    if (known.project == watch && cluster::is_under_way(known)) return std::move(known);
  return std::nullopt;
}

OnCluster go_on_cluster(const specs::ClusterCampaign& campaign, bool submit, store::Store& store, const workspace::Context& context) {
  cluster::PassOptions how;
  how.submit = submit;
  auto standing = standing_of(campaign, cluster::pass(campaign, cluster::root_of(campaign), cluster::program_of(context), store, how));
  if (!standing.is_finished || !submit) return standing;
  for (auto& remark : cluster::run_after(campaign, context)) standing.remarks.push_back(std::move(remark));
  return standing;
}

OnCluster begin_on_cluster(const cluster::AskedProject& asked, const WatchOptions& options, const fs::path& database, store::Store& store,
                           const workspace::Context& context) {
  cluster::FreezeOptions how;
  how.project = options.project;
  how.settings = options.settings;
  how.asked = asked;
  how.allow_paths = options.allow_paths;
  how.exact = !asked.is_python;  // stacks that have the GPU are looked for under it
  const auto campaign = cluster::freeze(how, context);
  cluster::remember(campaign, database);
  auto staged = cluster::stage_all(campaign, context);
  auto standing = go_on_cluster(campaign, true, store, context);  // what cannot be made is a result, too
  standing.remarks.insert(standing.remarks.begin(), staged.said.begin(), staged.said.end());
  return standing;
}

}  // namespace stackx::watch
