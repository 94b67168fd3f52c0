#include "campaigns/cluster/head/head.hpp"

#include <fmt/format.h>

#include <chrono>

#include "campaigns/cluster/head/waves.hpp"
#include "campaigns/cluster/node/stage.hpp"
#include "campaigns/cluster/scheduler.hpp"
#include "campaigns/run.hpp"
#include "inspector/process/process.hpp"
#include "specs/error.hpp"
#include "specs/format/clock.hpp"
#include "specs/format/json.hpp"
#include "store/store.hpp"

namespace stackx::campaigns::cluster {
namespace {

std::string marked_now() { return specs::rfc3339_utc(std::chrono::system_clock::now()) + "\n"; }

// A directory that goes when it is no longer looked at.
struct Glance {
  Glance() : path(fs::temp_directory_path() / fmt::format("stackx-script-{}", getpid())) { fs::create_directories(path); }
  ~Glance() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Glance(const Glance&) = delete;
  fs::path path;
};

// On every target, also where one before it could not be asked.
void end_jobs(const specs::ClusterCampaign& campaign, const fs::path& root, const workspace::Context& context) {
  std::string failed;
  for (const auto& target : campaign.targets) {
    try {
      make_scheduler({campaign, target, root, root, program_of(context)})->cancel();
    } catch (const Error& error) {
      failed += fmt::format("{}: {}; ", target.target.name, error.what());
    }
  }
  if (!failed.empty())
    throw broken_environment(fmt::format("{}the campaign is not cancelled, and its jobs may still run: once that answers, again: stackx cluster cancel {}",
                                         failed, campaign.short_id()));
}

}  // namespace

fs::path program_of(const workspace::Context& context) { return context.executable_directory / "stackx"; }

bool is_under_way(const specs::ClusterCampaign& campaign) {
  const auto root = root_of(campaign);
  return is_there(root) && !fs::exists(root / "cancelled") && !fs::exists(root / "finished");
}

StagedAll stage_all(const specs::ClusterCampaign& campaign, const workspace::Context& context) {
  const auto root = root_of(campaign);
  require_there(root);
  StagedAll all;
  for (const auto& target : campaign.targets) {
    const auto* kubernetes = std::get_if<specs::KubernetesTarget>(&target.target.on);
    if (kubernetes != nullptr && !kubernetes->send.empty()) {
      all.said.push_back(fmt::format("{}: nothing is shared with its pods: they fetch what they need themselves", target.target.name));
      continue;
    }
    const auto loaded = load_frozen(target_directory(root, target.target.name), context);
    const auto staged = stage(root, target, loaded, context);
    const auto& name = target.target.name;
    for (const auto& failed : staged.failed) all.said.push_back(fmt::format("{}: cannot be made: {}", name, failed));
    all.failed += staged.failed.size();
    all.said.push_back(fmt::format("{}: {} of {} environments are ready in {}", name, staged.stacks - staged.failed.size(),
                               staged.stacks, stage_directory(root).string()));
  }
  return all;
}

void cancel(const specs::ClusterCampaign& campaign, const workspace::Context& context) {
  const auto root = root_of(campaign);
  require_there(root);
  end_jobs(campaign, root, context);
  place_file(root / "cancelled", marked_now());
  end_jobs(campaign, root, context);  // what another head submitted in between
}

std::vector<Script> scripts(const FreezeOptions& options, const workspace::Context& context) {
  const Glance glance;
  const auto campaign = freeze(options, context, glance.path);
  const auto files = glance.path / campaign.short_id();
  Blocks blocks(campaign.settings.blocks);
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = i;
  std::vector<Script> all;
  for (const auto& target : campaign.targets) {
    begin_wave(files, {campaign.id, target.target.name, 0, next_wave(target, campaign.settings, 0, {}).arms});
    const auto scheduler = make_scheduler({campaign, target, root_of(campaign), files, program_of(context)});
    for (const auto& text : scheduler->texts({0, blocks})) all.push_back({target.target.name, text.name, text.text});
  }
  return all;
}

std::vector<std::string> run_after(const specs::ClusterCampaign& campaign, const workspace::Context& context) {
  const auto root = root_of(campaign);
  if (fs::exists(root / "finished")) return {};
  place_file(root / "finished", marked_now());
  if (campaign.settings.after.empty()) return {};
  inspector::Command command;
  command.argv = {"sh", "-c", campaign.settings.after};
  command.environment = inspector::current_environment();
  command.environment["STACKX_CAMPAIGN"] = campaign.id;
  command.environment["STACKX_SPOOL"] = root.string();
  command.environment["STACKX_DB"] = store::default_path(context.db).string();
  command.directory = root;
  command.deadline = std::chrono::hours(1);
  command.stop = interrupted;
  const auto ran = inspector::run(command);
  const auto said = inspector::tail(ran.ok() || ran.err.empty() ? ran.out : ran.err, 500);
  return {fmt::format("after: {}: {}{}{}", campaign.settings.after, ran.ok() ? "done" : "failed", said.empty() ? "" : ": ", said)};
}

std::string hardware_name(const specs::FrozenTarget& target) {
  if (!target.target.model.empty()) return target.target.model;
  const auto& stack = target.plan.arms.front().stack.components;
  for (const char* component : {"gpu", "cpu"}) {
    if (const auto found = target.target.hardware.find(component); found != target.target.hardware.end()) return found->second;
    if (const auto found = stack.find(component); found != stack.end()) return found->second;
  }
  return "host";
}

}  // namespace stackx::campaigns::cluster
