#include "watch/loaded.hpp"

#include "campaigns/device_campaigns.hpp"
#include "campaigns/python_project.hpp"
#include "specs/python/project.hpp"
#include "watch/cluster_target.hpp"
#include "watch/on_cluster.hpp"
#include "workspace/allowed_paths.hpp"

namespace stackx::watch {
namespace {

constexpr double usual_minutes = 60;  // of a pass whose project and options name no budget

}  // namespace

Refreshed refresh_for(const WatchOptions& options, const Subject& subject, const workspace::Context& context) {
  const RefreshAsked asked{.project = options.project,
                           .catalogs = options.catalogs,
                           .python = specs::is_python_project(options.project) ? campaigns::measured_python(options.python) : "",
                           .id = subject.id(),
                           .pip = options.pip,
                           .offline = options.offline || !options.refresh,
                           .facts = true};
  return refresh(asked, context);
}

campaigns::Job load_for(const WatchOptions& options, const std::vector<std::string>& catalogs, const Subject& subject,
                        const workspace::Context& context) {
  campaigns::Job job;
  specs::PythonContext overlaid;
  overlaid.catalogs = catalogs;
  const bool is_python = specs::is_python_project(options.project);
  if (is_python) overlaid.python = campaigns::measured_python(options.python);
  if (options.cluster && !is_python) {  // with the hardware of the cluster's nodes
    overlaid.catalogs.clear();
    job.loaded = workspace::load(write_cluster_project(options, subject, catalogs, {}, context).file, context, overlaid, workspace::Need::machine);
  } else {
    const bool elsewhere = options.cluster && !cluster_hardware(options).empty();
    job.loaded = workspace::load(options.project, context, overlaid, elsewhere ? workspace::Need::machine : workspace::Need::inspections, options.device);
  }
  if (!options.dry_run) workspace::require_consent(job.loaded.catalog, options.allow_paths);
  if (is_python) campaigns::need_python(job.loaded);
  auto& campaign = job.loaded.project.campaign;
  job.loaded.project.workloads = {subject.workload};
  if (!options.runner.empty()) campaign.runner = options.runner;
  if (options.timeout_seconds) campaign.timeout_seconds = *options.timeout_seconds;
  if (options.memory_gib) campaign.memory_gib = *options.memory_gib;
  if (options.budget_minutes || options.budget_inspections) {
    campaign.budget_minutes = options.budget_minutes;
    campaign.budget_inspections = options.budget_inspections;
  }
  if (!campaign.budget_minutes && !campaign.budget_inspections) campaign.budget_minutes = usual_minutes;
  campaign.stacks.clear();
  campaign.sampler = {};
  campaign.strategy = {};
  campaign.rounds = options.rule.most_rounds;
  campaign.sentinels = 1;
  campaign.max_failed = 100'000;  // who fails leaves
  return job;
}

Hardware hardware_of(const WatchOptions& options, const workspace::Loaded& loaded, const Space& space) {
  if (const auto nodes = options.cluster ? cluster_hardware(options) : ""; !nodes.empty()) return {nodes, true, loaded.host.fingerprint()};
  const auto newest = space.newest([](const specs::Stack&) { return true; });
  const bool on_gpu = loaded.device && loaded.device->card < loaded.host.gpus.size() && newest && !campaigns::device_for({*newest}, loaded).empty();
  if (on_gpu) return {loaded.host.gpus[loaded.device->card].model, true, loaded.host.fingerprint()};
  return {loaded.host.cpu.microarchitecture, false, loaded.host.fingerprint()};
}

}  // namespace stackx::watch
