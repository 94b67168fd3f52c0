// stackx inspect PROJECT: build and measure a sample of a project's stacks, in interleaved rounds,
// resumable.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>

#include "advisor/check/asked.hpp"
#include "advisor/check/stack_check.hpp"
#include "advisor/recipes/containerfile.hpp"
#include "advisor/recipes/gpu_build.hpp"
#include "advisor/recipes/parts.hpp"
#include "advisor/recipes/quoting.hpp"
#include "campaigns/campaign.hpp"
#include "campaigns/device_campaigns.hpp"
#include "campaigns/verdict_forecast.hpp"
#include "cli/commands.hpp"
#include "cli/inspect_end.hpp"
#include "cli/output/print.hpp"
#include "cli/shared_options.hpp"
#include "inspector/environment/stack_python.hpp"
#include "inspector/gpu_requirements.hpp"
#include "resolver/resolver.hpp"
#include "specs/error.hpp"
#include "specs/format/clock.hpp"
#include "specs/format/text_file.hpp"
#include "store/spool.hpp"
#include "store/store.hpp"
#include "workspace/allowed_paths.hpp"
#include "workspace/asked_workload.hpp"
#include "workspace/output.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

namespace fs = std::filesystem;

struct InspectOptions {
  campaigns::JobOptions job;
  fs::path pi;
  std::vector<std::string> devices;
  std::string runner;
  std::optional<std::uint64_t> rounds, sample, seed;
  std::string strategy;
  std::optional<double> width, error;  // percent
  std::vector<std::string> budget;     // "400" inspections, "30m" or "90s" or "1h"
  std::optional<std::string> resume;  // empty: the newest campaign of the project
  bool dry_run = false;
};

// Options that another strategy would ignore are mistakes.
void apply_strategy(const InspectOptions& options, specs::StrategySpec& strategy) {
  using Kind = specs::StrategySpec::Kind;
  if (!options.strategy.empty()) {
    const Kind kind = *specs::strategy_from(options.strategy);
    if (kind != strategy.kind) strategy = {.kind = kind};
  }
  if (options.width && strategy.kind != Kind::precision)
    throw bad_input("--width: says when --strategy precision ends; add that");
  if (options.error && strategy.kind != Kind::race)
    throw bad_input("--error: is how often --strategy race may lose the best; add that");
  if (options.width) strategy.width = *options.width / 100;
  if (options.error) strategy.error = *options.error / 100;
}

void apply(const InspectOptions& options, specs::CampaignSpec& campaign) {
  apply_strategy(options, campaign.strategy);
  if (!options.runner.empty()) campaign.runner = options.runner;
  if (options.rounds) campaign.rounds = *options.rounds;
  if (options.sample && !campaign.stacks.empty())
    throw bad_input(fmt::format("--sample: the project lists its {} stacks; remove some of /campaign/stacks instead",
                                campaign.stacks.size()));
  if (options.sample) campaign.sampler.count = *options.sample;
  if (options.seed) campaign.sampler.seed = *options.seed;
  for (const auto& text : options.budget) read_budget(text, campaign);
}

// What the plan would fetch: each file once.
struct Downloads {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  bool sized = true;  // all files state their size
};

Downloads downloads(const specs::Plan& plan, const specs::Catalog& catalog) {
  std::set<std::string> seen;
  Downloads all;
  const auto add = [&](const specs::Artifact& artifact) {
    if (!seen.insert(artifact.sha256).second) return;
    ++all.files;
    all.bytes += artifact.size;
    all.sized = all.sized && artifact.size > 0;
  };
  for (const auto& arm : plan.arms) {
    const auto python = arm.stack.components.find("python");
    for (const auto& [name, version] : arm.stack.components) {
      const auto* component = catalog.find(name);
      const auto* entry = component == nullptr ? nullptr : component->find(version);
      if (entry == nullptr) continue;
      if (python != arm.stack.components.end()) {
        const specs::Target target(python->second, "linux x86_64");
        if (const auto* chosen = inspector::choose(entry->artifacts, target)) add(*chosen);
        continue;
      }
      for (const auto& artifact : entry->artifacts)
        if (artifact.type == specs::ArtifactType::wheel) add(artifact);
    }
  }
  return all;
}

void print_plan(const specs::Plan& plan, const workspace::Loaded& loaded, bool json) {
  if (json) {
    print_json(specs::to_json(plan));
    return;
  }
  for (const auto& arm : plan.arms) {
    workspace::print("{:<16}", arm.label);
    for (const auto& [component, version] : arm.stack.components)
      if (component != "cpu") workspace::print(" {}={}", component, version);
    workspace::print("  {}\n", arm.workload.text());
  }
  if (const auto line = campaigns::verdict_line(plan); !line.empty()) workspace::print("{}\n", line);
  const auto files = downloads(plan, loaded.catalog);
  workspace::print("{}; {} wheels{} (cached ones are not fetched again)\n", campaigns::size_text(plan), files.files,
                   files.sized ? fmt::format(" of {} in all", workspace::bytes(static_cast<double>(files.bytes))) : "");
}

// The GPU that the plan is for; empty where no stack of it needs one.
std::string device_for(const std::vector<specs::Stack>& stacks, const workspace::Loaded& loaded) {
  const bool on_gpu = std::ranges::any_of(stacks, [&](const specs::Stack& stack) {
    return inspector::needs_gpu(stack, loaded.catalog);
  });
  return on_gpu && loaded.device ? loaded.device->uuid : "";
}

// What measures, where it is not stackx's own.
std::optional<specs::PiProgram> program_of(const InspectOptions& options, const campaigns::Job& job) {
  const fs::path& file = options.pi.empty() ? job.script : options.pi;
  return file.empty() ? std::nullopt : std::optional(specs::foreign_program(file));
}

specs::Plan new_plan(const campaigns::Job& job, const InspectOptions& options) {
  const workspace::Loaded& loaded = job.loaded;
  const resolver::Resolver resolver(loaded.project, loaded.catalog);
  if (const auto why = resolver.explain())
    throw bad_input(fmt::format("{}: no valid stack to inspect.\n{}", loaded.project.file.string(),
                                why->text()));
  const auto stacks = resolver::campaign_stacks(resolver, loaded.project, loaded.catalog);
  return campaigns::make_plan(loaded.project, stacks,
                              specs::rfc3339_utc(std::chrono::system_clock::now()),
                              device_for(stacks, loaded), program_of(options, job));
}

// Before anything is fetched: what no PI of stackx measures would fail in every inspection.
void require_pis(const specs::Plan& plan, const fs::path& project) {
  using advisor::PiKind;
  if (plan.program) return;
  for (const auto& arm : plan.arms) {
    const auto& name = arm.workload.pi;
    const bool python = arm.stack.components.contains("python");
    if (advisor::has_pi(name, PiKind::framework) || (!python && advisor::has_pi(name, PiKind::native))) continue;
    const auto close = advisor::nearest_pi(name, python ? PiKind::framework : PiKind::native);
    throw bad_input(fmt::format("{}: /workload: stackx has no PI {} for {}{} measure it with a program of your own: --pi FILE "
                                "(docs/own-pi.md)",
                                project.string(), specs::in_quotes(name), python ? "Python frameworks" : "libraries",
                                close.empty() ? ";" : close + " If not,"));
  }
}

// A campaign is measured by one program from its first round to its last: the plan's, unchanged. A plan may have been
// imported: what is run is what the user named, now or when the campaign began.
void check_program(specs::Plan& plan, const InspectOptions& options, const campaigns::Job& job) {
  const auto refuse = [&](const std::string& why) {
    throw bad_input(fmt::format("--resume {}: {}; start a new campaign: its results are others", plan.id.substr(0, 12), why));
  };
  const bool named = !options.pi.empty() || !job.script.empty();
  if (!plan.program) {
    if (named) refuse(fmt::format("that campaign is measured by stackx's own PI, not by {}", program_of(options, job)->path));
    return;
  }
  if (plan.program->plain && !workspace::is_allowed(*plan.program))  // --pi names a file, not its words and files
    throw bad_input(fmt::format("--resume {}: that campaign is measured by the command {}, which nobody ran here; start a "
                                "campaign of your own",
                                plan.id.substr(0, 12), plan.program->text()));
  if (!named && !workspace::is_allowed(*plan.program))
    throw bad_input(fmt::format("--resume {}: that campaign is measured by {}, a program that nobody named here; if it "
                                "is yours, name it: --pi FILE",
                                plan.id.substr(0, 12), plan.program->text()));
  const auto now = named ? *program_of(options, job) : specs::foreign_program(plan.program->path);
  if (now.sha256 != plan.program->sha256)
    refuse(fmt::format("that campaign is measured by {}, and {} has the SHA-256 {}", plan.program->text(), now.path,
                       now.sha256.substr(0, 12)));
  plan.program->path = now.path;
}

// The campaign to go on with: the one named, else the project's newest on this device; nothing if
// there is none yet.
std::optional<specs::Plan> plan_to_resume(const store::Store& store, const std::string& id,
                                          const std::string& project, const std::string& device) {
  if (!id.empty()) {
    auto plan = store.plan(id);
    if (!plan) throw bad_input(fmt::format("--resume {}: the store knows no such campaign", id));
    if (plan->project != project)
      throw bad_input(fmt::format("--resume {}: that is a campaign of project {}, not of {}", id,
                                  plan->project, project));
    if (plan->block)
      throw bad_input(fmt::format("--resume {}: that is a start of a block of cluster campaign {}, which no other machine goes on "
                                  "with; stackx cluster collect {} submits what is missing",
                                  id, plan->block->cluster.substr(0, 12), plan->block->cluster.substr(0, 12)));
    if (!plan->device.empty() && plan->device != device)
      throw bad_input(fmt::format("--resume {}: that campaign measures on {}; give --device {}, on "
                                  "the machine that has it", id, plan->device, advisor::shell_quoted(plan->device)));
    return plan;
  }
  for (const auto& row : store.campaigns())
    if (row.project == project)
      if (auto plan = store.plan(row.id); plan && !plan->block && (plan->device.empty() || plan->device == device))
        return plan;
  return std::nullopt;
}

// Before anything is downloaded: stacks whose packages, as an installer takes them, do not run on the GPU that is here.
void warn_of_packages(const specs::Plan& plan, const workspace::Loaded& loaded, const std::vector<std::string>& catalogs,
                      const Globals& globals) {
  if (!loaded.device || loaded.device->card >= loaded.host.gpus.size()) return;
  const auto accelerators = specs::load_accelerators(globals.data_directory());
  const auto* model = accelerators.identify(loaded.host.gpus[loaded.device->card].model);
  if (!model) return;
  const auto knowledge = advisor::load_knowledge(globals, catalogs);
  std::set<std::string> seen;
  for (const auto& arm : plan.arms) {
    if (arm.sentinel || !seen.insert(arm.stack.id()).second) continue;
    auto packages = advisor::stack_packages(arm.stack, loaded.catalog, {});
    advisor::choose_gpu_builds(packages, arm.stack, loaded.catalog);
    const auto python = arm.stack.components.find("python");
    const auto checked = advisor::check_packages(knowledge, packages, python == arm.stack.components.end() ? "" : python->second,
                                                 advisor::asked_gpu(*model, model->name), loaded.host.driver);
    if (checked && checked->answer == advisor::Answer::no)
      workspace::say("stack {}: stackx check says no: {}\n", arm.stack.short_id(), checked->text);
  }
}

void print_containerfiles(const specs::Plan& plan, const campaigns::Job& job, Globals& globals) {
  if (job.refusal) globals.exit_code = 1;
  advisor::ContainerText how;
  if (!job.script.empty()) how.script = specs::read_text_file(job.script, "the script");
  for (const auto& arm : plan.arms) {
    if (arm.sentinel || job.refusal) continue;
    const auto text = advisor::containerfile(arm.stack, arm.workload, job.loaded.catalog, how);
    if (globals.json)
      print_json({{"id", arm.stack.id()}, {"arm", arm.label}, {"containerfile", text}});
    else
      workspace::print("{}{}", workspace::Block{&arm == &plan.arms.front() ? "" : "\n"}, workspace::Block{text});
  }
}

campaigns::Job load_for(const InspectOptions& options, const std::string& device, const Globals& globals) {
  campaigns::JobOptions asked = options.job;
  asked.runner = options.runner;
  asked.device = device;
  if (!asked.workload.empty() && options.pi.empty())  // a PI of one's own knows its parameters alone
    asked.workload = workspace::workload_to_measure(asked.workload, globals).text();
  asked.dry_run = options.dry_run;
  campaigns::Job job = campaigns::load_job(asked, globals);
  apply(options, job.loaded.project.campaign);
  return job;
}

// The plan to run: a new one, durable before its first inspection, or the one to go on with.
specs::Plan plan_of(const InspectOptions& options, const campaigns::Job& job, store::Store& store,
                    store::Spool& spool) {
  const workspace::Loaded& loaded = job.loaded;
  const std::string device = loaded.device ? loaded.device->uuid : "";
  std::optional<specs::Plan> plan;
  if (options.resume) plan = plan_to_resume(store, *options.resume, loaded.project.name, device);
  if (options.resume && !plan) workspace::say("no campaign of {} to resume: starting one\n", loaded.project.name);
  const bool is_new = !plan;
  if (is_new) {
    plan = new_plan(job, options);
    if (!job.refusal) require_pis(*plan, loaded.project.file);  // that is an outcome of its own
  } else {
    check_program(*plan, options, job);
  }
  std::set<specs::Stack> stacks;  // each stands in an arm for every workload
  for (const auto& arm : plan->arms) stacks.insert(arm.stack);
  workspace::require_consent(loaded.catalog, {stacks.begin(), stacks.end()}, options.job.allow_paths);
  if (plan->program) workspace::allow_program(*plan->program);
  if (is_new) {
    spool.write(*plan);
    store.ingest(*plan);
  }
  for (const auto& stack : stacks) {
    if (const auto wrong = resolver::violation(loaded.project, loaded.catalog, stack))
      throw bad_input(
          fmt::format("campaign {}: stack {} is no longer valid: {}; the project or a catalog "
                      "changed since the "
                      "plan was made, start a new campaign",
                      plan->id.substr(0, 12), stack.short_id(), *wrong));
  }
  return *std::move(plan);
}

std::vector<campaigns::DeviceCampaign> make_campaigns(const InspectOptions& options,
                                           const std::vector<std::string>& devices,
                                           const fs::path& database, const Globals& globals) {
  store::Store store = store::Store::open(database);
  store::Spool spool(database);
  for (const auto& remark : spool.recover(store)) workspace::say("{}\n", remark);
  std::vector<campaigns::DeviceCampaign> campaigns;
  for (const auto& device : devices) {
    campaigns::Job job = load_for(options, device, globals);
    campaigns::check_hardware(job.loaded);
    auto plan = plan_of(options, job, store, spool);
    campaigns::PlanLock lock(spool, plan.id);
    warn_of_packages(plan, job.loaded, options.job.catalogs, globals);
    campaigns.push_back({std::move(job), std::move(plan), std::move(lock)});
  }
  return campaigns;
}

void inspect(const InspectOptions& options, Globals& globals) {
  const auto devices = campaigns::asked_devices(options.devices, globals);
  if (options.job.dockerfile_only || options.dry_run) {  // also of a campaign for another machine
    for (const auto& device : devices) {
      const campaigns::Job job = load_for(options, device, globals);
      if (options.job.dockerfile_only)
        print_containerfiles(new_plan(job, options), job, globals);
      else
        print_plan(new_plan(job, options), job.loaded, globals.json);
    }
    return;
  }
  const auto database = store::default_path(globals.db);
  const auto campaigns = make_campaigns(options, devices, database, globals);
  const auto runs =
      campaigns::run_side_by_side(campaigns, options.job.offline, database, globals);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto ending = runs[i].run.ending;
    say_end(campaigns[i], runs[i], globals);
    const bool refused = campaigns[i].job.refusal.has_value();
    const bool measured = runs[i].run.all_outcomes.contains(specs::Outcome::ok);
    if ((ending == campaigns::Ending::too_many_failures || refused || !measured) && globals.exit_code == 0)
      globals.exit_code = 1;
    if (ending == campaigns::Ending::interrupted) globals.exit_code = interrupted_exit;
  }
}

void add_job_options(Command command, campaigns::JobOptions& options) {
  command
      .add_option("project", options.project,
                  "Project file (stackx/project/1), or an Amun specification")
      .type_name("PROJECT");
  command
      .add_option(
          "--amun", options.amun,
          "Amun inspection specification of Project Thoth, instead of a project: its locked "
          "stack, its script, as often as its batch_size")
      .type_name("FILE");
  command
      .add_option("--pipfile-lock", options.pipfile_lock,
                  "Pipfile.lock, instead of a project: its stack, hashes checked")
      .type_name("FILE");
  command
      .add_option(
          "--workload", options.workload,
          "What to measure of --amun (instead of its script) or --pipfile-lock [matmul of 512]")
      .type_name("NAME[:KEY=VALUE,...]");
  command
      .add_option(
          "--relax", options.relax,
          "python: where the document's Python is not to be had, take the nearest and resolve "
          "the packages anew")
      .check(one_of({"python"}));
  command
      .add_option("--index-url", options.index_url,
                  "Another package index than pip's for --amun and --pipfile-lock")
      .type_name("URL");
  command.add_option("--pip", options.pip, "Python that has the pip to ask for the index")
      .type_name("PYTHON")
      .show_default();
  command.add_flag("--dockerfile-only", options.dockerfile_only,
                   "Print the Containerfiles of the stacks, run nothing");
  command.add_flag("--offline", options.offline, "Use what is cached and fetch nothing");
  command.add_flag("--allow-paths", options.allow_paths,
                   "Programs and files of this machine that the catalogs name may be run and shown (remembered)");
  command.add_option("--catalog", options.catalogs, "A catalog of your own over the project's (an overlay)")
      .type_name("FILE")
      .one_each();
}

}  // namespace

void add_inspect(Command app, Globals& globals) {
  auto options = std::make_shared<InspectOptions>();
  const auto command = app.add_subcommand(
      "inspect", "Build and measure a sample of a project's stacks, in interleaved rounds");
  command.describe(
      {"Each stack is built, checked to compute the right thing, and timed in fresh processes, round by round in a "
       "random order. Every result is kept in the store, also that of a campaign that was interrupted.",
       {{"What it would do and download", "stackx inspect project.json --dry-run"},
        {"Measure for half an hour", "stackx inspect project.json --budget 30m"},
        {"Go on with the campaign that was interrupted", "stackx inspect project.json --resume"}}});
  add_job_options(command, options->job);
  command.add_option("--runner", options->runner,
                   "Where the PI runs: local (under bubblewrap where it works) or container (podman or "
                   "docker; the stack needs a base image)")
      .type_name("NAME")
      .suggest({"local", "container"});
  command.add_option("--device", options->devices,
                   "GPU to measure on, of those that $CUDA_VISIBLE_DEVICES shows: an index, the beginning of a UUID, or all: "
                   "one campaign for each, side by side [the first]; may be repeated")
      .type_name("GPU")
      .one_each();
  command
      .add_option("--rounds", options->rounds,
                  "Rounds, each in a fresh random order; the most there are, where the strategy may end sooner")
      .check(within(std::uint64_t{1}, specs::most_rounds))
      .type_name("N");
  command.add_option("--sample", options->sample, "How many stacks to inspect").type_name("N");
  command.add_option("--seed", options->seed, "Seed of the sample and of the order")
      .type_name("S");
  command.add_option("--strategy", options->strategy,
                   "How rounds are spent: fixed (every arm in all), precision (until the interval of each "
                   "rate is narrow), race (arms shown to be behind leave; the best two run fresh rounds), "
                   "learn (the arms that the model of effects knows least)")
      .check(one_of({"fixed", "precision", "race", "learn"}))
      .type_name("NAME");
  command.add_option("--width", options->width,
                   "Of --strategy precision: width of a 95% interval, in percent of the median [2]")
      .check(within(0.01, 99.0))
      .type_name("PERCENT");
  command.add_option("--error", options->error,
                   "Of --strategy race: how often it may lose the best, in percent [5]")
      .check(within(0.01, 50.0))
      .type_name("PERCENT");
  command.add_option("--budget", options->budget,
                   "Stop after so many inspections (400) or so long (30m); may be given twice")
      .type_name("N|TIME");
  command.add_option("--resume", options->resume,
                   "Go on with campaign ID, or with the project's newest one")
      .type_name("[ID]")
      .expected(0, 1)
      .default_text("");
  command.add_option("--pi", options->pi, "A program of your own that measures, instead of stackx's PIs (docs/own-pi.md); its results are ranked apart")
      .type_name("FILE");
  command.add_flag("--dry-run", options->dry_run,
                    "Show the plan and what it would fetch, run nothing");
  command.callback([options, command, &globals] {
    if (command.given("--resume") && !options->resume) options->resume = "";
    inspect(*options, globals);
  });
}

}  // namespace stackx::cli
