#include "watch/on_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "campaigns/cluster/head/freeze.hpp"
#include "campaigns/cluster/head/head.hpp"
#include "campaigns/cluster/head/known.hpp"
#include "campaigns/cluster/head/pass.hpp"
#include "campaigns/cluster/place.hpp"
#include "inspector/paths.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"
#include "specs/hardware/accelerator.hpp"
#include "specs/python/project.hpp"
#include "workspace/asked_hardware.hpp"
#include "workspace/kept_file.hpp"

namespace stackx::watch {
namespace {

namespace cluster = campaigns::cluster;
namespace fs = std::filesystem;
using specs::Json;

specs::ClusterTarget target_of(const WatchOptions& options) {
  if (specs::is_python_project(options.project))
    throw bad_input(fmt::format("--cluster: {} does not say where it runs; watch a project of stackx that has a \"cluster\" (docs/cluster.md)", options.project.string()));
  const auto document = specs::Node::parse_file(options.project);
  const auto found = document.find("cluster");
  if (!found) throw bad_input(fmt::format("--cluster: {} has no \"cluster\", which says where it runs (docs/cluster.md)", options.project.string()));
  const auto settings = specs::cluster_settings_from(*found);
  if (settings.targets.size() != 1)
    throw bad_input(fmt::format("--cluster: {} has {} targets; one watch is about one kind of hardware: keep one, and watch others with projects of their own",
                                options.project.string(), settings.targets.size()));
  return settings.targets.front();
}

// component -> version, over the project's own.
std::map<std::string, std::string> hardware_over(const specs::ClusterTarget& target, const workspace::Context& context) {
  if (target.model.empty()) return target.hardware;
  if (target.model == "host") return {};
  const auto known = workspace::hardware_of_catalogs(target.model, {}, specs::load_accelerators(context.data_directory()), context);
  if (!known || known->component.empty())
    throw bad_input(fmt::format("--cluster: nobody knows the hardware {}; `stackx hw list` names all", specs::in_quotes(target.model)));
  return {{known->component, known->version}};
}

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

}  // namespace

std::string cluster_hardware(const WatchOptions& options) {
  const auto target = target_of(options);
  if (!target.model.empty()) return target.model == "host" ? "" : target.model;
  for (const char* component : {"gpu", "cpu"})
    if (const auto found = target.hardware.find(component); found != target.hardware.end() && found->second != "host") return found->second;
  return "";
}

fs::path write_cluster_project(const WatchOptions& options, const Subject& subject, const std::vector<std::string>& catalogs,
                               const std::vector<specs::Stack>& stacks, const workspace::Context& context) {
  const auto target = target_of(options);
  if (subject.program) throw bad_input("--cluster: measures stackx's own workloads alone; a program of --pi runs on this machine");
  Json json = specs::Node::parse_file(options.project).json();
  json["name"] = subject.id();
  json["workload"] = specs::to_json(subject.workload);
  for (auto& name : json["catalogs"])
    if (const auto near = fs::absolute(options.project).parent_path() / name.get<std::string>(); fs::exists(near)) name = near.string();
  for (const auto& one : catalogs) json["catalogs"].push_back(fs::absolute(one).string());
  for (const auto& [component, version] : hardware_over(target, context)) json["hardware"][component] = version;
  auto& campaign = json["campaign"];
  for (const char* decided : {"sampler", "strategy", "budget", "stacks"})
    if (campaign.contains(decided)) campaign.erase(decided);
  campaign["sentinels"] = 1;
  campaign["max_failed"] = 100'000;  // who fails leaves
  const Json hardware = json.value("hardware", Json::object());
  for (const auto& stack : stacks) campaign["stacks"].push_back(listed_stack(stack, hardware));
  const auto file = inspector::cache_directory() / "watch" / (subject.id() + "-cluster.json");
  workspace::keep_file(file, json.dump(2) + "\n");
  return file;
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

OnCluster begin_on_cluster(const fs::path& project, bool allow_paths, const fs::path& database, store::Store& store, const workspace::Context& context) {
  cluster::FreezeOptions how;
  how.project = project;
  how.allow_paths = allow_paths;
  how.exact = true;  // results are looked for under it
  const auto campaign = cluster::freeze(how, context);
  cluster::remember(campaign, database);
  auto staged = cluster::stage_all(campaign, context);
  auto standing = go_on_cluster(campaign, true, store, context);  // what cannot be made is a result, too
  standing.remarks.insert(standing.remarks.begin(), staged.said.begin(), staged.said.end());
  return standing;
}

}  // namespace stackx::watch
