#include "campaigns/cluster/head/freeze.hpp"

#include <fmt/format.h>

#include <chrono>
#include <random>

#include "campaigns/campaign.hpp"
#include "campaigns/cluster/place.hpp"
#include "campaigns/cluster/workers.hpp"
#include "campaigns/no_stack.hpp"
#include "resolver/resolver.hpp"
#include "specs/error.hpp"
#include "specs/format/clock.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"
#include "specs/hardware/accelerator.hpp"
#include "specs/python/project.hpp"
#include "workspace/allowed_paths.hpp"
#include "workspace/asked_hardware.hpp"
#include "workspace/load.hpp"

namespace stackx::campaigns::cluster {
namespace {

specs::ClusterSettings settings_of(const FreezeOptions& options, const specs::Node& project) {
  if (!options.settings.empty()) {
    const auto node = specs::Node::parse_file(options.settings);
    node.schema("stackx/cluster-settings/1");
    return specs::cluster_settings_from(node);
  }
  if (const auto found = project.find("cluster")) return specs::cluster_settings_from(*found);
  throw bad_input(fmt::format("{}: has no \"cluster\", which says where the campaign runs; add it, or give it in a file of its "
                              "own: --settings FILE",
                              options.project.string()));
}

// The catalogs as files beside the frozen project, under names that nothing else has.
class Copies {
 public:
  Copies(fs::path beside, fs::path data, fs::path to) : beside_(std::move(beside)), data_(std::move(data)), to_(std::move(to)) {}

  std::string copy(const std::string& name) {
    const auto near = beside_ / name;
    const std::string copied = fmt::format("catalog-{}-{}", ++count_, fs::path(name).filename().string());
    place_file(to_ / copied, specs::read_text_file(fs::exists(near) ? near : data_ / name, "a catalog"));
    return copied;
  }
  // What "host" bound and no catalog lists: this machine, which nodes would not find. "" if there is none.
  std::string copy_machine(const workspace::Loaded& loaded, const specs::Catalog& listed) {
    specs::Json components = specs::Json::object();
    for (const auto& [name, version] : loaded.project.hardware) {
      const auto* bound = loaded.catalog.find(name);
      const auto* entry = loaded.catalog.find(name, version);
      if (listed.find(name, version) != nullptr || entry == nullptr) continue;
      specs::Json attributes = specs::Json::object();
      for (const auto& [attribute, value] : entry->attributes)
        std::visit([&](const auto& one) { attributes[attribute] = one; }, value);
      components[name] = {{"kind", specs::to_string(bound->kind)}, {"versioning", specs::to_string(bound->versioning)},
                          {"description", "the machine that submitted"}, {"versions", {{version, {{"attributes", attributes}}}}}};
    }
    if (components.empty()) return {};
    const std::string file = fmt::format("catalog-{}-machine.json", ++count_);
    write_document(to_ / file, {{"$schema", "stackx/catalog/1"}, {"overlay", true}, {"components", components}});
    return file;
  }
  void copy_overlay(const fs::path& overlay) {
    place_file(to_ / fmt::format("overlay-{:04}.json", ++count_), specs::read_text_file(overlay, "a catalog"));
  }

 private:
  fs::path beside_, data_, to_;
  int count_ = 0;
};

// Goes again where it did not get its own name.
struct Fresh {
  explicit Fresh(fs::path directory) : path(std::move(directory)) {
    fs::remove_all(path);
    fs::create_directory(path);
  }
  ~Fresh() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Fresh(const Fresh&) = delete;
  fs::path path;
};

class Freezing {
 public:
  Freezing(const FreezeOptions& options, const workspace::Context& context)
      : options_(options), context_(context), project_(project_to_freeze(options.project)) {
    specs::PythonContext usual;
    usual.overlays = workspace::user_overlays();
    given_ = specs::load_project(options.project, context.data_directory(), usual);  // what is wrong is said of the user's files
    campaign_.settings = settings_of(options, project_);
    keep_those_on(options.on);
    campaign_.node_local = options.node_local;
    campaign_.project = project_.at("name").nonempty();
    campaign_.created = specs::rfc3339_utc(std::chrono::system_clock::now());
  }

  specs::ClusterCampaign freeze(const fs::path& instead) {
    const fs::path spool = instead.empty() ? fs::path(campaign_.settings.spool) : instead;
    if (!fs::is_directory(spool))
      throw broken_environment(fmt::format("{}: no such directory on this machine; \"spool\" is one that head and nodes share: "
                                           "mount it, or make it",
                                           spool.string()));
    try {
      const Fresh fresh(spool / fmt::format(".new-{}-{:08x}", campaign_.created.substr(0, 10), std::random_device{}()));
      for (const auto& target : campaign_.settings.targets) add(target, fresh.path);
      specs::seal(campaign_);
      write_document(fresh.path / "campaign.json", specs::to_json(campaign_));
      const fs::path root = spool / campaign_.short_id();
      if (!is_there(root)) fs::rename(fresh.path, root);
    } catch (const fs::filesystem_error& error) {
      throw broken_environment(fmt::format("{}: {}; the spool must be writable here", spool.string(), error.code().message()));
    }
    return campaign_;
  }

 private:
  void keep_those_on(const std::string& scheduler) {
    if (scheduler.empty()) return;
    std::erase_if(campaign_.settings.targets, [&](const auto& target) { return target.is_slurm() != (scheduler == "slurm"); });
    if (campaign_.settings.targets.empty())
      throw bad_input(fmt::format("{}: no target of its \"cluster\" is on {}", options_.project.string(), scheduler));
  }

  void add(const specs::ClusterTarget& target, const fs::path& fresh) {
    const fs::path directory = fresh / target.name;
    fs::create_directory(directory);
    fs::create_directory(directory / "log");
    Copies copies(options_.project.parent_path(), context_.data_directory(), directory);
    specs::Json json = project_.json();
    json.erase("cluster");
    for (auto& name : json["catalogs"]) name = copies.copy(name.get<std::string>());
    for (const auto& overlay : workspace::user_overlays()) copies.copy_overlay(overlay);
    for (const auto& [component, version] : hardware_of(target)) json["hardware"][component] = version;
    if (options_.seed) {
      auto spec = given_.project.campaign;
      spec.sampler.seed = *options_.seed;
      json["campaign"] = specs::to_json(spec);
    }
    write_document(directory / "project.json", json);
    const auto loaded = load(directory);
    if (auto machine = copies.copy_machine(loaded, given_.catalog); !machine.empty()) json["catalogs"].push_back(machine);
    for (const auto& [component, version] : loaded.project.hardware) {  // no longer that of the machine where it is read
      require_known(target, component, version);
      json["hardware"][component] = version;
    }
    write_document(directory / "project.json", json);
    campaign_.targets.push_back({target, plan_for(target, loaded)});
  }

  workspace::Loaded load(const fs::path& directory) const {
    return workspace::load(directory / "project.json", context_, overlays_in(directory), workspace::Need::machine);
  }

  std::map<std::string, std::string> hardware_of(const specs::ClusterTarget& target) const {
    if (target.model.empty()) return target.hardware;
    if (target.model == "host") return {};  // as the project has it, here
    const auto known = workspace::hardware_of_catalogs(target.model, {}, specs::load_accelerators(context_.data_directory()), context_);
    if (!known || known->component.empty())
      throw bad_input(fmt::format("{}: target {}: nobody knows the hardware {}; `stackx hw list` names all", options_.project.string(),
                                  target.name, specs::in_quotes(target.model)));
    return {{known->component, known->version}};
  }

  void require_known(const specs::ClusterTarget& target, const std::string& component, const std::string& version) const {
    if (version == "host")
      throw bad_input(fmt::format("{}: target {}: the project's {} is that of \"host\", and this machine has none; say which the "
                                  "nodes have: \"hardware\": {{\"{}\": ...}}",
                                  options_.project.string(), target.name, component, component));
  }

  specs::Plan plan_for(const specs::ClusterTarget& target, const workspace::Loaded& loaded) const {
    const resolver::Resolver resolver(loaded.project, loaded.catalog);
    if (const auto why = resolver.explain())
      throw NoStack(campaign_.project, target.name, *why);
    if (loaded.project.workloads.empty())
      throw bad_input(fmt::format("{}: has no \"workload\", which says what to measure", options_.project.string()));
    const auto stacks = resolver::campaign_stacks(resolver, loaded.project, loaded.catalog);
    workspace::require_consent(loaded.catalog, options_.allow_paths);
    workspace::require_consent(loaded.catalog, stacks, options_.allow_paths);
    auto plan = make_plan(loaded.project, stacks, campaign_.created);
    if (target.nodes == 1) return plan;
    return over_nodes(std::move(plan), target.nodes, loaded.catalog, fmt::format("{}: target {}", options_.project.string(), target.name));
  }

  const FreezeOptions& options_;
  const workspace::Context& context_;
  specs::Node project_;
  specs::LoadedProject given_;
  specs::ClusterCampaign campaign_;
};

}  // namespace

specs::Node project_to_freeze(const fs::path& file) {
  if (specs::is_python_project(file))
    throw bad_input(fmt::format("{}: a Python project says neither what to measure nor where; expected a project of stackx "
                                "(stackx/project/1, docs/cluster.md)",
                                file.string()));
  auto document = specs::Node::parse_file(file);
  if (const auto schema = document.find("$schema"); schema && schema->json() == "stackx/cluster-settings/1")
    throw bad_input(fmt::format("{}: these are the settings of a cluster; name a project, and these with --settings {}", file.string(),
                                file.string()));
  document.schema("stackx/project/1");
  return document;
}

specs::ClusterCampaign freeze(const FreezeOptions& options, const workspace::Context& context, const fs::path& instead) {
  return Freezing(options, context).freeze(instead);
}

}  // namespace stackx::campaigns::cluster
