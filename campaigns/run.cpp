#include "campaigns/run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <set>

#include "analysis/statistics/conditions.hpp"
#include "analysis/statistics/drift.hpp"
#include "analysis/statistics/sentinels.hpp"
#include "analysis/text/words.hpp"
#include "campaigns/adaptive_schedule.hpp"
#include "campaigns/refused_inspector.hpp"
#include "campaigns/verdict_forecast.hpp"
#include "inspector/machine/noise/noise.hpp"
#include "inspector/paths.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/hardware/hardware.hpp"
#include "workspace/index/source_fetch.hpp"
#include "workspace/output.hpp"

namespace stackx::campaigns {
namespace {

namespace fs = std::filesystem;
using analysis::counted;

constexpr double health_confidence = 0.95;

std::atomic<bool> signalled = false;  // what a signal handler may touch

// The first ends the campaign in order, the second at once.
extern "C" void on_signal(int signal) {
  signalled = true;
  std::signal(signal, SIG_DFL);
}

std::unique_ptr<inspector::StackInspector> make_inspector(const CampaignOptions& options,
                                                          const workspace::Context& context,
                                                          const specs::Plan& plan) {
  auto where = inspector_context(options, plan.program, context);
  if (options.job.refusal) return std::make_unique<RefusedInspector>(*options.job.refusal, where);
  auto inspector = std::make_unique<inspector::Inspector>(
      std::move(where), options.job.loaded.catalog, plan.campaign);
  workspace::remark("{}campaign {}: {}, runner {}{}\n", options.name, plan.id.substr(0, 12), size_text(plan),
                    inspector->runner(), plan.device.empty() ? "" : ", on " + plan.device);
  if (plan.program) workspace::remark("{}measured by {}\n", options.name, plan.program->text());
  if (const auto line = verdict_line(plan); !line.empty()) workspace::remark("{}{}\n", options.name, line);
  workspace::write_remark(inspector::summary(inspector::look_for_noise(plan)));
  return inspector;
}

std::vector<store::Measurement> measured(const store::Store& store, const std::string& campaign) {
  store::Filter filter;
  filter.campaign = campaign;
  filter.whose = store::all_results;
  return store.measurements(filter);
}

}  // namespace

void listen_to_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR2}) std::signal(signal, on_signal);  // USR2: Slurm, before the wall time is over
  if (std::signal(SIGHUP, on_signal) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // under `nohup` the terminal may go
}

bool interrupted() { return signalled; }

inspector::Context inspector_context(const CampaignOptions& options, const std::optional<specs::PiProgram>& program,
                                     const workspace::Context& where) {
  inspector::Context context;
  context.host = options.job.loaded.host;
  context.cache = inspector::cache_directory();
  context.pis = workspace::find_pis(where.executable_directory);
  context.program = program;
  if (program) context.pis.own = program->path;
  context.data = where.data_directory();
  context.say = [name = options.name](const std::string& line) { workspace::remark("{}{}\n", name, line); };
  context.supervisor = where.executable_directory / "stackx-supervise";
  context.offline = options.offline;
  context.fetch_source = workspace::source_fetch();
  context.device = options.job.loaded.device;
  context.cpus = options.share;
  context.stackx_version = STACKX_VERSION;
  context.stop = interrupted;  // Ctrl-C ends the run under way, too
  return context;
}

CampaignRun run_campaign(const specs::Plan& plan, const CampaignOptions& options,
                         store::Store& store, store::Spool& spool, const workspace::Context& context) {
  const auto inspector = make_inspector(options, context, plan);
  listen_to_signals();
  CampaignRecorder recorder(store, spool, options.job.loaded.catalog, plan.campaign.strategy.width, options.name);
  const auto schedule = make_schedule(plan);
  using Kind = specs::StrategySpec::Kind;
  const Kind strategy = plan.campaign.strategy.kind;
  CampaignRun run;
  if (strategy != Kind::fixed) run.measured = measured(store, plan.id);
  for (const auto& earlier : run.measured) schedule->add(in_short(earlier));
  const double start = steady_seconds();
  run.ending = campaigns::run(plan, *inspector, *schedule, store.done(plan.id), recorder,
                              interrupted);
  run.seconds = steady_seconds() - start;
  recorder.line.finish();
  run.last = recorder.last;
  run.outcomes = recorder.outcomes;
  if (strategy == Kind::fixed || !run.outcomes.empty()) run.measured = measured(store, plan.id);
  for (const auto& one : run.measured) ++run.all_outcomes[one.outcome];
  run.throttling = recorder.throttling;
  return run;
}

specs::Inspection in_short(const store::Measurement& measurement) {
  specs::Inspection result;
  result.campaign = measurement.campaign;
  result.arm = measurement.arm;
  result.round = measurement.round;
  result.position = measurement.position;
  result.sentinel = measurement.sentinel;
  result.outcome = measurement.outcome;
  result.samples_ns = measurement.samples_ns;
  result.work = measurement.work;
  return result;
}

std::vector<std::string> health(const std::vector<store::Measurement>& measured, const std::string& host) {
  std::map<specs::Workload, std::vector<const store::Measurement*>> by_workload;
  for (const auto& measurement : measured) by_workload[measurement.workload].push_back(&measurement);
  std::vector<std::string> said;
  for (const auto& [workload, selected] : by_workload) {
    std::vector<std::string> of_workload;
    const auto say = [&](const std::vector<std::string>& lines) {
      of_workload.insert(of_workload.end(), lines.begin(), lines.end());
    };
    const auto rates = analysis::collect(selected, host);
    say(analysis::lines(analysis::sentinels(rates, verdict_delta, health_confidence), health_confidence));
    say(analysis::lines(analysis::drift(rates, health_confidence), health_confidence));
    say(analysis::lines(analysis::study(analysis::conditions_of(selected), health_confidence)));
    if (!of_workload.empty() && by_workload.size() > 1) said.push_back(workload.text() + ":");
    std::ranges::move(of_workload, std::back_inserter(said));
  }
  return said;
}

std::vector<specs::Inspection> documents(const store::Store& store, const std::string& campaign) {
  std::vector<specs::Inspection> result;
  store.documents(campaign, [&](const std::string& text) {
    const auto node = specs::Node::parse_text(text, "campaign " + campaign);
    if (node.at("$schema").text() == "stackx/inspection/1")
      result.push_back(specs::inspection_from(node));
  });
  return result;
}

namespace {

// "20 stacks", "5 stacks on 2 workloads and 1 sentinel"
std::string arms_in_words(const specs::Plan& plan) {
  std::set<specs::Stack> stacks;
  std::set<specs::Workload> workloads;
  for (const auto& arm : plan.arms) {
    stacks.insert(arm.stack);
    workloads.insert(arm.workload);
  }
  const auto sentinels = std::ranges::count_if(plan.arms, &specs::Arm::sentinel);
  return counted(stacks.size(), "stack") + (workloads.size() > 1 ? fmt::format(" on {} workloads", workloads.size()) : "") +
         (sentinels > 0 ? " and " + counted(sentinels, "sentinel") : "");
}

std::string whole_size(const specs::Plan& plan) {
  using Kind = specs::StrategySpec::Kind;
  const auto& campaign = plan.campaign;
  const auto& strategy = campaign.strategy;
  const auto arms = arms_in_words(plan), rounds = counted(campaign.rounds, "round");
  const auto inspections = [&](std::uint64_t a_round) { return counted(a_round * campaign.rounds, "inspection"); };
  const auto batch = std::min<std::uint64_t>(strategy.batch, plan.arms.size());
  switch (strategy.kind) {
    case Kind::fixed:
      return fmt::format("{}, {}: {}", arms, rounds, inspections(plan.arms.size()));
    case Kind::precision:
      return fmt::format("{}, each until its interval is {:g}% wide, at most {}: {}", arms, 100 * strategy.width, rounds,
                         inspections(plan.arms.size()));
    case Kind::race:
      return fmt::format("{} race for at most {}; {}, {}", arms, rounds, counted(strategy.finalists, "finalist"),
                         counted(strategy.final_rounds, "fresh round"));
    case Kind::learn:
      return fmt::format("{} of {} a round, the least known ones, {}: {}", batch, arms, rounds, inspections(batch));
  }
  return "";
}

}  // namespace

std::string size_text(const specs::Plan& plan) {
  const auto& most = plan.campaign.budget_inspections;
  const bool ends_it = most && *most < plan.arms.size() * plan.campaign.rounds;
  return whole_size(plan) + (ends_it ? fmt::format(", of which the budget allows {}", *most) : "");
}

void check_hardware(const workspace::Loaded& loaded) {
  std::map<std::string, std::string> here{{"cpu", loaded.host.cpu_entry().version.text()}};
  if (const auto gpu = loaded.host.gpu_entry(loaded.device ? loaded.device->card : 0))
    here["gpu"] = gpu->version.text();
  if (!loaded.host.driver.empty()) here["driver"] = loaded.host.driver;
  // The driver last: on a machine without the GPU it is not what is missing.
  std::vector<std::pair<std::string, std::string>> asked(loaded.project.hardware.begin(),
                                                         loaded.project.hardware.end());
  std::ranges::stable_partition(asked, [](const auto& one) { return one.first != "driver"; });
  for (const auto& [component, wanted] : asked) {
    const auto found = here.find(component);
    if (found != here.end() && found->second == wanted) continue;
    if (component == "gpu" && found != here.end() &&
        specs::is_model_of(wanted, loaded.host.gpus[loaded.device ? loaded.device->card : 0], loaded.catalog.find("gpu")))
      continue;
    throw bad_input(
        fmt::format("{}: /hardware/{}: asks for {}, but this machine has {}; inspect on such a "
                    "machine, or ask for \"host\"",
                    loaded.project.file.string(), component, wanted,
                    found == here.end() ? "none" : found->second));
  }
}

}  // namespace stackx::campaigns
