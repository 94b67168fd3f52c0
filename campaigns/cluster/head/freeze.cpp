#include "campaigns/cluster/head/freeze.hpp"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <random>
#include <set>

#include "campaigns/campaign.hpp"
#include "campaigns/cluster/place.hpp"
#include "campaigns/cluster/workers.hpp"
#include "campaigns/job.hpp"
#include "campaigns/no_stack.hpp"
#include "campaigns/release_stacks.hpp"
#include "resolver/resolver.hpp"
#include "specs/error.hpp"
#include "specs/format/clock.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"
#include "specs/python/project.hpp"
#include "workspace/allowed_paths.hpp"
#include "workspace/asked/project.hpp"
#include "workspace/load.hpp"

namespace stackx::campaigns::cluster {
namespace {

void keep_those_on(const std::string& scheduler, specs::ClusterSettings& settings, const FreezeOptions& options) {
  if (scheduler.empty()) return;
  std::erase_if(settings.targets, [&](const auto& target) { return target.is_slurm() != (scheduler == "slurm"); });
  if (settings.targets.empty())
    throw bad_input(fmt::format("{}: no target of its \"cluster\" is on {}", workspace::called(options.project), scheduler));
}

void check_program_can_be_read(const specs::ClusterSettings& settings) {
  for (const auto& target : settings.targets)
    if (const auto* pods = std::get_if<specs::KubernetesTarget>(&target.on); pods != nullptr && pods->volume.is_null())
      throw bad_input(fmt::format("--pi: target {} has no \"volume\", so its pods cannot read the program; give it one, or measure one of "
                                  "stackx's own workloads there",
                                  target.name));
}

specs::ClusterSettings settings_of(const FreezeOptions& options) {
  auto settings = read_settings(options.project, options.settings);
  keep_those_on(options.on, settings, options);
  if (!options.python.pi.empty() || (options.asked && options.asked->program)) check_program_can_be_read(settings);
  return settings;
}

const fs::path& checked_spool(const fs::path& spool) {
  if (!fs::is_directory(spool))
    throw broken_environment(fmt::format("{}: no such directory on this machine; \"spool\" is one that head and nodes share: "
                                         "mount it, or make it",
                                         spool.string()));
  return spool;
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

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad()) throw broken_environment(file.string() + ": cannot be read any more");
  return bytes;
}

bool is_same(const fs::path& file, const specs::PiProgram& program) { return fs::is_regular_file(file) && specs::sha256_file(file) == program.sha256; }

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
  // In this order: what is wrong here is said before an index is asked, which takes longer.
  Freezing(const FreezeOptions& options, const workspace::Context& context, const fs::path& instead)
      : options_(options),
        context_(context),
        settings_(settings_of(options)),
        spool_(checked_spool(instead.empty() ? fs::path(settings_.spool) : instead)),
        asked_(options.asked ? *options.asked : asked_project(options.project, options.python, context)) {
    specs::PythonContext usual;
    usual.overlays = workspace::user_overlays();
    given_ = specs::load_project(asked_.file, context.data_directory(), usual);  // what is wrong is said of the user's files
    campaign_.settings = std::move(settings_);
    campaign_.node_local = options.node_local;
    campaign_.project = asked_.document.at("name").nonempty();
    campaign_.created = specs::rfc3339_utc(std::chrono::system_clock::now());
  }

  specs::ClusterCampaign freeze() {
    try {
      const Fresh fresh(spool_ / fmt::format(".new-{}-{:08x}", campaign_.created.substr(0, 10), std::random_device{}()));
      if (asked_.program) place_program();
      for (const auto& target : campaign_.settings.targets) add(target, fresh.path);
      specs::seal(campaign_);
      write_document(fresh.path / "campaign.json", specs::to_json(campaign_));
      const fs::path root = spool_ / campaign_.short_id();
      if (!is_there(root)) fs::rename(fresh.path, root);
    } catch (const fs::filesystem_error& error) {
      throw broken_environment(fmt::format("{}: {}; the spool must be writable here", spool_.string(), error.code().message()));
    }
    return campaign_;
  }

 private:
  void add(const specs::ClusterTarget& target, const fs::path& fresh) {
    const fs::path directory = fresh / target.name;
    fs::create_directory(directory);
    fs::create_directory(directory / "log");
    Copies copies(asked_.file.parent_path(), context_.data_directory(), directory);
    specs::Json json = asked_.document.json();
    json.erase("cluster");
    for (const auto& [component, version] : hardware_of(target)) {
      require_declared(target, component);
      json["hardware"][component] = version;
    }
    if (asked_.is_python && !json["hardware"].contains("gpu")) std::erase(json["catalogs"].get_ref<specs::Json::array_t&>(), catalog_of_gpus);
    for (auto& name : json["catalogs"]) name = copies.copy(name.get<std::string>());
    for (const auto& overlay : workspace::user_overlays()) copies.copy_overlay(overlay);
    if (asked_.is_python) json["workload"] = specs::to_json(workload_on(json["hardware"], specs::workload_from(asked_.document.at("workload")), asked_.on_gpus));
    if (options_.seed || options_.sample) {
      auto spec = given_.project.campaign;
      draw(spec, options_.sample, options_.seed);
      json["campaign"] = specs::to_json(spec);
    }
    write_document(directory / "project.json", json);
    const auto loaded = load_frozen(directory, context_);
    if (auto machine = copies.copy_machine(loaded, given_.catalog); !machine.empty()) json["catalogs"].push_back(machine);
    std::set<std::string> of_nodes;
    for (const auto& [component, version] : loaded.project.hardware) {  // no longer that of the machine where it is read
      require_known(target, component, version);
      auto& asked = json["hardware"][component];
      if (component == "gpu" && asked != "host" && asked != version) of_nodes.insert(component);  // a name of several models
      else asked = version;
    }
    // So that stacks are those that `inspect` of a Python project measures: nothing of them depends on the hardware.
    if (asked_.is_python)
      for (const auto& [component, version] : loaded.project.hardware) of_nodes.insert(component);
    write_document(directory / "project.json", json);
    campaign_.targets.push_back({target, plan_for(target, loaded, of_nodes)});
  }

  TargetHardware hardware_of(const specs::ClusterTarget& target) const {
    if (asked_.is_python && target.model == "host") return hardware_here(asked_.on_gpus, context_);
    return target_hardware(target, options_.exact, fmt::format("{}: target {}", workspace::called(options_.project), target.name), context_);
  }

  // Where nodes see it. Its identity is its hash, not its place. A directory of its own: one for all programs would be of the user
  // who came first.
  void place_program() {
    auto& program = *asked_.program;
    const auto below = fs::path("program-" + program.sha256.substr(0, 16)) / fs::path(program.path).filename();
    const auto file = spool_ / below;
    if (!is_same(file, program)) {
      fs::create_directories(file.parent_path());
      place_file(file, bytes_of(program.path));
    }
    std::error_code of_another_user;
    using enum fs::perms;
    fs::permissions(file, owner_all | group_read | group_exec | others_read | others_exec, of_another_user);
    program.path = (campaign_.settings.spool / below).string();
  }

  void require_declared(const specs::ClusterTarget& target, const std::string& component) const {
    if (given_.catalog.find(component) != nullptr) return;
    const auto& file = options_.settings.empty() ? options_.project : options_.settings;
    const auto what = component == "gpu" ? std::string("GPUs") : fmt::format("\"{}\"", component);
    throw bad_input(fmt::format("{}: target {}{}: project {} ({}) has nothing for {}: none of its catalogs has the component \"{}\"; give the target other "
                                "hardware, or the project a catalog with it",
                                workspace::called(file), target.name, target.model.empty() ? "" : fmt::format(" is \"{}\"", target.model), campaign_.project,
                                workspace::called(options_.project), what, component));
  }

  void require_known(const specs::ClusterTarget& target, const std::string& component, const std::string& version) const {
    if (version == "host")
      throw bad_input(fmt::format("{}: target {}: the project's {} is that of \"host\", and this machine has none; say which the "
                                  "nodes have: \"hardware\": {{\"{}\": ...}}",
                                  workspace::called(options_.project), target.name, component, component));
  }

  // `of_nodes`: components that each node has its own of, so that stacks do not have them.
  specs::Plan plan_for(const specs::ClusterTarget& target, const workspace::Loaded& loaded, const std::set<std::string>& of_nodes) const {
    const resolver::Resolver resolver(loaded.project, loaded.catalog);
    if (const auto why = resolver.explain())
      throw NoStack(campaign_.project, target.name, *why);
    if (loaded.project.workloads.empty())
      throw bad_input(fmt::format("{}: has no \"workload\", which says what to measure", workspace::called(options_.project)));
    auto stacks = measured_stacks(resolver, loaded, asked_.is_python);
    for (auto& stack : stacks) std::erase_if(stack.components, [&](const auto& one) { return of_nodes.contains(one.first); });
    workspace::require_consent(loaded.catalog, options_.allow_paths);
    workspace::require_consent(loaded.catalog, stacks, options_.allow_paths);
    auto plan = make_plan(loaded.project, stacks, campaign_.created, {}, asked_.program);
    if (target.nodes == 1) return plan;
    return over_nodes(std::move(plan), target.nodes, loaded.catalog, fmt::format("{}: target {}", workspace::called(options_.project), target.name));
  }

  const FreezeOptions& options_;
  const workspace::Context& context_;
  specs::ClusterSettings settings_;  // then the campaign's
  fs::path spool_;
  AskedProject asked_;
  specs::LoadedProject given_;
  specs::ClusterCampaign campaign_;
};

}  // namespace

specs::ClusterSettings read_settings(const fs::path& project, const fs::path& settings) {
  if (!settings.empty()) {
    const auto node = specs::Node::parse_file(settings);
    node.schema("stackx/cluster-settings/1");
    return specs::cluster_settings_from(node);
  }
  const bool is_python = specs::is_python_project(project);
  if (!is_python)
    if (const auto found = project_document(project).find("cluster")) return specs::cluster_settings_from(*found);
  throw bad_input(fmt::format("{}: {} a file as this one and give it with --settings FILE (docs/cluster.md)\n"
                              "  {{\"$schema\": \"stackx/cluster-settings/1\", \"spool\": \"/shared/stackx\",\n"
                              "   \"targets\": [{{\"hardware\": \"v100\", \"slurm\": {{\"partition\": \"gpu\"}}}}]}}\n"
                              "where \"spool\" is a directory that this machine and the nodes share",
                              workspace::called(project),
                              is_python ? "does not say where the campaign runs; write"
                                        : "has no \"cluster\", which says where the campaign runs; add it, or write"));
}

workspace::Loaded load_frozen(const fs::path& target_directory, const workspace::Context& context) {
  return workspace::load(target_directory / "project.json", context, overlays_in(target_directory), workspace::Need::nodes);
}

specs::ClusterCampaign freeze(const FreezeOptions& options, const workspace::Context& context, const fs::path& instead) {
  return Freezing(options, context, instead).freeze();
}

}  // namespace stackx::campaigns::cluster
