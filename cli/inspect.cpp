// stackx inspect PROJECT: build and measure a sample of a project's stacks, in interleaved rounds,
// resumable.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "advisor/recipes/container/containerfile.hpp"
#include "analysis/text/table.hpp"
#include "campaigns/campaign.hpp"
#include "campaigns/device_campaigns.hpp"
#include "campaigns/downloads.hpp"
#include "campaigns/verdict_forecast.hpp"
#include "cli/commands.hpp"
#include "cli/inspect/end.hpp"
#include "cli/inspect/package_warnings.hpp"
#include "cli/inspect/plan.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/output/print.hpp"
#include "cli/resolve/unsolvable.hpp"
#include "inspector/gpu_requirements.hpp"
#include "inspector/runner.hpp"
#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "store/spool.hpp"
#include "store/store.hpp"
#include "workspace/asked/project.hpp"
#include "workspace/asked/workload.hpp"
#include "workspace/output.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

namespace fs = std::filesystem;

struct InspectOptions {
  campaigns::JobOptions job;
  PlanChoice plan;
  std::vector<std::string> devices;
  std::string runner;
  std::optional<std::uint64_t> rounds, sample, seed;
  std::string strategy;
  std::optional<double> width, error;  // percent
  std::vector<std::string> budget;     // "400" inspections, "30m" or "90s" or "1h"
  bool dry_run = false, yes = false;
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
  campaigns::draw(campaign, options.sample, options.seed);
  for (const auto& text : options.budget) read_budget(text, campaign);
}

// A campaign that goes on keeps its rounds, its stacks and its strategy: another word now would be ignored silently. What it
// may take is asked anew. Of a new campaign nothing differs.
void hold_to(specs::Plan& plan, const InspectOptions& options, const specs::Project& project) {
  const auto& asked = project.campaign;
  auto& planned = plan.campaign;
  const auto keep = [&](bool same, const char* option, const std::string& was) {
    if (!same)
      throw bad_input(fmt::format("{}: campaign {} was planned with {}; leave it out to go on with that, or begin a new campaign "
                                  "without --resume",
                                  option, plan.id.substr(0, 12), was));
  };
  if (options.rounds) keep(*options.rounds == planned.rounds, "--rounds", workspace::counted(planned.rounds, "round"));
  if (options.sample) {
    const bool same = planned.sampler.kind == asked.sampler.kind && planned.sampler.count == asked.sampler.count;
    keep(same, "--sample", "another sample");
  }
  if (!options.job.workload.empty() && options.plan.pi.empty()) {
    const auto& measured = plan.arms.front().workload;
    keep(std::ranges::find(project.workloads, measured) != project.workloads.end(), "--workload", "workload " + measured.text());
  }
  if (!options.runner.empty()) keep(options.runner == planned.runner, "--runner", "runner " + planned.runner);
  if (options.seed) keep(*options.seed == planned.sampler.seed, "--seed", fmt::format("seed {}", planned.sampler.seed));
  if (!options.strategy.empty() || options.width || options.error)
    keep(asked.strategy == planned.strategy, "--strategy", fmt::format("strategy {}", specs::to_string(planned.strategy.kind)));
  if (options.budget.empty()) return;
  planned.budget_inspections = asked.budget_inspections;
  planned.budget_minutes = asked.budget_minutes;
}

void print_plan(const specs::Plan& plan, const campaigns::Job& job, bool json) {
  const auto unused = campaigns::without_gpu(plan, job).text;
  if (json) {
    print_json(specs::to_json(plan));
    if (!unused.empty()) workspace::remark("{}\n", unused);
    return;
  }
  const auto files = campaigns::downloads(plan, job.loaded.catalog);
  const auto to_fetch = files.files == 0 ? "nothing to fetch" : fmt::format("to fetch: {} in all, but for those in the cache", files.text());
  print_paragraph(fmt::format("{}; {}.", campaigns::size_text(plan), to_fetch));
  if (!unused.empty()) print_paragraph(unused);
  if (const auto line = campaigns::verdict_line(plan); !line.empty()) print_paragraph(line);
  constexpr std::size_t indent = 17;
  const auto width = output_width(analysis::unfolded);
  for (const auto& arm : plan.arms) {
    std::string versions;
    for (const auto& [component, version] : arm.stack.components)
      if (component != "cpu") versions += (versions.empty() ? "" : " ") + component + "=" + version;
    const auto workload = arm.workload.text();
    if (indent + versions.size() + 2 + workload.size() <= width) versions += " ";
    workspace::print("{:<16} {}\n", arm.label, workspace::Block{analysis::wrap({versions, workload}, indent, "", width)});
  }
}

// Of a plan that may be for another machine: which of its stacks would be left out on this one.
void say_not_here(const specs::Plan& plan, const workspace::Loaded& loaded) {
  std::set<specs::Stack> stacks;
  std::size_t out = 0;
  std::string why;
  for (const auto& arm : plan.arms) {
    if (!stacks.insert(arm.stack).second || !inspector::uses_gpu(arm.stack, arm.workload, loaded.catalog)) continue;
    const auto reason = inspector::why_not_on(loaded.device, loaded.host, arm.stack, loaded.catalog);
    if (!reason) continue;
    if (++out == 1) why = *reason;
  }
  if (out > 0)
    workspace::remark("not on this machine: {} of {} would be left out: {}\n", out, workspace::counted(stacks.size(), "stack"), why);
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
  asked.pi = options.plan.pi.string();
  if (!asked.workload.empty() && options.plan.pi.empty()) {  // a PI of one's own knows its parameters alone
    const auto workload = workspace::workload_to_measure(asked.workload, globals);
    asked.workload = workload.text();
  }
  asked.dry_run = options.dry_run;
  campaigns::Job job = campaigns::load_job(asked, globals);
  apply(options, job.loaded.project.campaign);
  inspector::check_runner(job.loaded.project.campaign.runner);
  return job;
}

// What takes every GPU would disturb itself.
void check_side_by_side(const specs::Project& project, std::size_t devices) {
  const auto spread = std::ranges::find_if(project.workloads, inspector::is_spread);
  if (devices > 1 && spread != project.workloads.end())
    throw bad_input(fmt::format("--device: {} is spread over all visible GPUs of a model and cannot run on several devices side by side; name one, "
                                "and limit the others by $CUDA_VISIBLE_DEVICES",
                                spread->text()));
}

// Gigabytes are not fetched for nothing unasked; who goes on with a campaign was asked before.
void say_of_no_use(const campaigns::OfNoUse& unused, const InspectOptions& options) {
  if (unused.is_much && !options.yes && !options.job.offline && !options.plan.resume)
    throw bad_input(fmt::format("{}; --yes downloads all the same", unused.text));
  if (!unused.text.empty()) workspace::remark("{}\n", unused.text);
}

std::vector<campaigns::DeviceCampaign> make_campaigns(const InspectOptions& options,
                                           const std::vector<std::string>& devices,
                                           const fs::path& database, const Globals& globals) {
  store::Store store = store::Store::open(database);
  store::Spool spool(database);
  for (const auto& remark : spool.recover(store)) workspace::remark("{}\n", remark);
  std::vector<campaigns::DeviceCampaign> campaigns;
  for (const auto& device : devices) {
    campaigns::Job job = load_for(options, device, globals);
    campaigns::check_hardware(job.loaded);
    check_side_by_side(job.loaded.project, devices.size());
    auto plan = plan_to_run(job, options.plan, options.job.allow_paths, store, spool);
    hold_to(plan, options, job.loaded.project);
    campaigns::PlanLock lock(spool, plan.id);
    const auto& loaded = job.loaded;
    say_of_no_use(campaigns::without_gpu(plan, job), options);
    if (loaded.device && loaded.device->card < loaded.host.gpus.size())
      warn_of_packages(plan, {loaded.project, loaded.catalog}, loaded.host.gpus[loaded.device->card].model, loaded.host.driver, options.job.catalogs, globals);
    campaigns.push_back({std::move(job), std::move(plan), std::move(lock)});
  }
  return campaigns;
}

void inspect(const InspectOptions& options, Globals& globals) {
  const auto devices = campaigns::asked_devices(options.devices, globals);
  if (options.job.dockerfile_only || options.dry_run) {  // also of a campaign for another machine
    for (const auto& device : devices) {
      const campaigns::Job job = load_for(options, device, globals);
      const auto plan = new_plan(job, options.plan.pi);
      if (options.job.dockerfile_only) {
        print_containerfiles(plan, job, globals);
        continue;
      }
      print_plan(plan, job, globals.json);
      say_not_here(plan, job.loaded);
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
                  "Project file (stackx/project/1); a Python project (requirements.txt, Pipfile, pyproject.toml, environment.yml) or "
                  "packages (\"numpy>=1.26\") with --workload or --pi; a directory with one of these; or an Amun specification")
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
          "What to measure of a Python project, of --amun (instead of its script) or --pipfile-lock [matmul of 512]")
      .type_name("NAME[:KEY=VALUE,...]");
  command
      .add_option(
          "--relax", options.relax,
          "python: where the document's Python is not to be had, take the nearest and resolve "
          "the packages anew")
      .check(one_of({"python"}));
  command
      .add_option("--index-url", options.index_url,
                  "Another package index than pip's for a Python project, --amun and --pipfile-lock")
      .type_name("URL");
  command.add_option("--pip", options.pip, "Python that has the pip to ask for the index")
      .type_name("PYTHON")
      .show_default();
  command.add_option("--python", options.python, "Python of a Python project [this machine's python3]").type_name("X.Y");
  command.add_option("--files", options.files, "Of a Python project: directory that the command of --pi is shown read-only, and begins in")
      .type_name("DIR");
  command.add_option("--prints", options.prints, "Of a Python project: what the number is that the command of --pi prints")
      .check(one_of({"seconds", "rate"}))
      .show_default();
  command.add_flag("--dockerfile-only", options.dockerfile_only,
                   "Print the Containerfiles of the stacks, run nothing");
  command.add_flag("--offline", options.offline, "Use what is cached and fetch nothing");
  command.add_flag("--allow-paths", options.allow_paths,
                   "Programs and files of this machine that the catalogs name may be run and shown (remembered)");
  command.add_option("--catalog", options.catalogs, "A catalog of your own over the project's (an overlay); of a Python project what there is, instead of the index")
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
        {"Which release of a package is fastest at one of stackx's workloads", "stackx inspect \"numpy>=1.26\" --workload matmul --sample 4"},
        {"Which release of what a Python project asks for is fastest at a program of yours", "stackx inspect requirements.txt --pi ./bench.py"},
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
  command
      .add_option("--sample", options->sample,
                  "How many stacks to inspect, in place of the project's number; of a project that says all or cover: drawn uniformly")
      .check(at_least_one())
      .type_name("N");
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
                   "Stop after so many inspections (400; with those of earlier starts) or so long (30m); may be given twice")
      .type_name("N|TIME");
  command.add_option("--resume", options->plan.resume,
                   "Go on with campaign ID, or with the project's newest one")
      .type_name("[ID]")
      .expected(0, 1)
      .default_text("");
  command.add_option("--pi", options->plan.pi,
                   "A program of your own that measures, instead of stackx's PIs (docs/own-pi.md); its results are ranked apart. Of a "
                   "Python project any command, which prints one number or nothing (then its wall time counts)")
      .type_name("FILE");
  command.add_flag("--dry-run", options->dry_run,
                    "Show the plan and what it would fetch, run nothing");
  command.add_flag("--yes", options->yes, "Download also gigabytes of CUDA's libraries where no GPU is to be seen");
  command.callback([options, command, &globals] {
    if (command.given("--resume") && !options->plan.resume) options->plan.resume = "";
    if (options->job.python.empty()) options->job.python = workspace::pasted_python(options->job.project);
    options->job.project = workspace::named_project(options->job.project);  // said once, however many GPUs
    answering_no_stack([&] { inspect(*options, globals); }, globals);
  });
}

}  // namespace stackx::cli
