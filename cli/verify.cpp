// stackx verify ADVICE: does the claim hold here? The advised stack against a baseline, in fresh rounds.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "analysis/ranking/advice.hpp"
#include "analysis/ranking/rates.hpp"
#include "analysis/text/table.hpp"
#include "analysis/text/terminal_plot.hpp"
#include "analysis/text/words.hpp"
#include "campaigns/plan_lock.hpp"
#include "campaigns/run.hpp"
#include "cli/advise/advised_stacks.hpp"
#include "cli/commands.hpp"
#include "cli/output/print.hpp"
#include "specs/error.hpp"
#include "specs/format/clock.hpp"
#include "specs/format/text_file.hpp"
#include "specs/version/text_scanner.hpp"
#include "workspace/allowed_paths.hpp"
#include "workspace/asked/plain_program.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {
namespace {

namespace fs = std::filesystem;

struct VerifyOptions {
  fs::path advice, project, pi, files;
  std::vector<fs::path> catalogs;
  std::string baseline, runner;
  std::uint64_t rounds = 12;
  bool offline = false, allow_paths = false;
};

constexpr double confidence = 0.95;
constexpr std::size_t widest_plot = 100;

bool brings_image(const workspace::Loaded& loaded, const specs::Stack& stack) {
  return std::ranges::any_of(stack.components, [&](const auto& entry) {
    const auto* component = loaded.catalog.find(entry.first);
    return component != nullptr && component->kind == specs::Kind::image;
  });
}

specs::Plan verification_plan(workspace::Loaded& loaded, const std::optional<specs::PiProgram>& program, const VerifyOptions& options,
                              const analysis::Advice& advice, const std::vector<specs::Stack>& stacks) {
  auto& project = loaded.project;
  project.name = "verify-" + stacks.front().short_id();
  project.workloads = {advice.workload};
  auto& campaign = project.campaign;
  if (options.project.empty() && brings_image(loaded, stacks.front()))
    campaign.runner = "container";
  if (!options.runner.empty()) campaign.runner = options.runner;
  campaign.strategy = {};
  campaign.rounds = options.rounds;
  campaign.sentinels = 1;
  campaign.budget_inspections.reset();
  campaign.budget_minutes.reset();
  return campaigns::make_plan(project, stacks, specs::rfc3339_utc(std::chrono::system_clock::now()), {}, program);
}

// The rates of one of the campaign's stacks.
struct Fresh {
  analysis::Comparison comparison;
  std::vector<double> logs, advised, baseline;
  std::string unit, failure;  // why the first inspection failed that did; "": none
};

Fresh compare_fresh(const store::Store& store, const specs::Plan& plan, const analysis::Advice& advice,
                    const std::string& host) {
  store::Filter filter;
  filter.campaign = plan.id;
  filter.whose = store::all_results;
  filter.yardsticks = {advice.yardstick};
  const auto measurements = store.measurements(filter);
  Fresh fresh;
  std::vector<const store::Measurement*> pointers;
  for (const auto& measurement : measurements) {
    pointers.push_back(&measurement);
    if (measurement.outcome != specs::Outcome::ok && fresh.failure.empty())
      fresh.failure = fmt::format("{}, {}", specs::to_string(measurement.outcome), analysis::first_words(measurement.reason));
  }
  const auto all = analysis::collect(pointers, host, advice.yardstick);
  fresh.unit = analysis::title_of(advice.yardstick, all.unit);
  const auto find = [&](const specs::Stack& stack) {
    return std::ranges::find(all.stacks, stack, &analysis::StackRates::stack);
  };
  const auto advised = find(plan.arms[0].stack), baseline = find(plan.arms[1].stack);
  if (advised != all.stacks.end() && baseline != all.stacks.end()) {
    fresh.logs = analysis::paired_logs(*advised, *baseline);
    fresh.advised = analysis::rates(*advised);
    fresh.baseline = analysis::rates(*baseline);
  }
  fresh.comparison = analysis::compare({fresh.logs}, advice.delta, confidence, advice.yardstick).front();
  return fresh;
}

std::string claimed(const analysis::AdvisedStack& baseline, const specs::Yardstick& yardstick) {
  if (!baseline.versus_best || baseline.versus_best->pairs == 0)
    return "no comparison with it (no shared round)";
  const auto& c = *baseline.versus_best;
  std::string text = fmt::format("{} ×{:.3f}", words(c.verdict, yardstick), c.ratio);
  if (c.interval) text += fmt::format(" [{:.3f}, {:.3f}]", c.interval->low, c.interval->high);
  return text + fmt::format(" of the advised one, n={} rounds", c.pairs);
}

nlohmann::json to_json(const analysis::Verification& verification, const Fresh& fresh,
                       const specs::Plan& plan, const specs::Yardstick& yardstick) {
  const auto& c = fresh.comparison;
  return {{"claim", analysis::to_string(verification.claim)},
          {"why", verification.why},
          {"campaign", plan.id},
          {"advised", plan.arms[0].stack.id()},
          {"baseline", plan.arms[1].stack.id()},
          {"metric", yardstick.word()},
          {"verdict", words(c.verdict, yardstick)},
          {"ratio", c.pairs > 0 ? nlohmann::json(c.ratio) : nlohmann::json()},
          {"ci", c.interval ? nlohmann::json{c.interval->low, c.interval->high} : nlohmann::json()},
          {"pairs", c.pairs}};
}

void print(const analysis::Verification& verification, const Fresh& fresh,
           const analysis::AdvisedStack& baseline, const specs::Plan& plan, const analysis::Advice& advice) {
  const bool holds = verification.claim == analysis::Claim::holds;
  const auto sentence = fmt::format("The claim {}{}: {}.", holds ? "" : "is ", analysis::to_string(verification.claim), verification.why);
  workspace::print("{}\n\n", workspace::Block{analysis::wrap(sentence, 0, output_width())});
  workspace::print("advised   {}\nbaseline  {}\n", plan.arms[0].stack.short_id(), plan.arms[1].stack.short_id());
  print_paragraph("claimed of the baseline: " + claimed(baseline, advice.yardstick));
  if (fresh.logs.empty()) return;
  const auto plot_width = std::min(output_width(), widest_plot);
  workspace::print(
      "\n{}", workspace::Block{analysis::box_plots({{"advised", fresh.advised}, {"baseline", fresh.baseline}},
                                                    plot_width, fresh.unit)});
  if (fresh.comparison.interval)
    workspace::print("\n{}", workspace::Block{analysis::ratio_plot(fresh.logs, *fresh.comparison.interval, advice.delta,
                                                                   plot_width)});
}

constexpr const char* what_it_takes = "expected what `stackx advise --hw host --workload NAME --json` printed";

// A file of another kind is told as such, not by the first key that it lacks.
specs::Node advice_document(const fs::path& file) {
  const auto text = specs::read_text_file(file, "a JSON file");
  if (const auto found = specs::trim(text).text; !found.empty() && found.front() != '{')
    throw bad_input(fmt::format("{}: is no JSON; {}", file.string(), what_it_takes));
  auto document = specs::Node::parse_text(text, file.string());
  const auto kind = document.kind();
  if (!kind.empty() && !kind.starts_with("stackx/advice/")) document.fail(fmt::format("is {}; {}", kind, what_it_takes));
  if (!document.find("recommendations")) document.fail(fmt::format("is no advice; {}", what_it_takes));
  return document;
}

// Which program measured what is advised: what stackx's own PI of that name measures, if there is one, is something else.
std::optional<specs::PiProgram> advised_program(const specs::Node& document, const VerifyOptions& options) {
  const auto found = document.find("program");
  if (!found) return std::nullopt;
  const auto program = specs::program_from(*found);
  if (program.own) return std::nullopt;
  if (options.pi.empty())
    throw bad_input(fmt::format("{}: was measured by {}; name that program: --pi FILE", options.advice.string(), program.text()));
  if (!program.files.empty() && options.files.empty())
    throw bad_input(fmt::format("{}: its program was shown {}; name such a directory: --files DIR", options.advice.string(),
                                specs::in_quotes(program.files)));
  return program;
}

// The file that was named, started as it was for the advice. Which files of this machine it sees no document says, which may be
// somebody else's.
std::optional<specs::PiProgram> as_advised(std::optional<specs::PiProgram> named, const std::optional<specs::PiProgram>& advised,
                                           const VerifyOptions& options) {
  const bool plain = named && advised && advised->plain;
  if (!options.files.empty() && !plain) throw bad_input("--files: shows a directory to an ordinary program of --pi, and none was advised");
  if (!plain) return named;
  if (named->plain && !named->arguments.empty() && named->arguments != advised->arguments)
    throw bad_input(fmt::format("--pi {}: the advice is of {}; leave the words out, or inspect again", options.pi.string(), advised->text()));
  auto program = *advised;
  program.path = named->path, program.sha256 = named->sha256;
  program.files = workspace::shown_files(options.files);
  return program;
}

void verify(const VerifyOptions& options, Globals& globals) {
  const auto document = advice_document(options.advice);
  const auto program = advised_program(document, options);
  const auto advice = analysis::read_advice(document);
  const auto& baseline = analysis::baseline(advice, options.baseline);
  const std::vector stacks{advice.stacks.front().stack, baseline.stack};
  campaigns::Job job;
  auto made = buildable({options.advice, options.project, options.pi, options.catalogs, options.offline, advice.workload, stacks}, globals);
  job.loaded = std::move(made.loaded);
  made.program = as_advised(std::move(made.program), program, options);
  workspace::require_consent(job.loaded.catalog, options.allow_paths);
  workspace::require_consent(job.loaded.catalog, stacks, options.allow_paths);

  const auto database = store::default_path(globals.db);
  store::Store store = store::Store::open(database);
  store::Spool spool(database);
  const auto plan = verification_plan(job.loaded, made.program, options, advice, stacks);
  spool.write(plan);
  store.ingest(plan);
  const campaigns::PlanLock lock(spool, plan.id);
  const auto run = campaigns::run_campaign(plan, {job, options.offline}, store, spool, globals);
  const bool interrupted = run.ending == campaigns::Ending::interrupted;
  const auto fresh = compare_fresh(store, plan, advice, job.loaded.host.fingerprint());
  auto verification = analysis::judge(baseline, fresh.comparison, advice.yardstick);
  if (interrupted)
    verification = {analysis::Claim::undecided,
                    fmt::format("interrupted after {} of {} rounds; what they measured is kept: `stackx compare {} {}`", fresh.logs.size(),
                                options.rounds, stacks.front().short_id(), stacks.back().short_id())};
  else if (fresh.logs.empty())
    verification = {analysis::Claim::undecided,
                    fmt::format("no round has both{}; `stackx export --campaign {}` tells all",
                                fresh.failure.empty() ? "" : fmt::format(": {}", specs::printable(fresh.failure)), plan.id.substr(0, 12))};
  if (globals.json)
    print_json(to_json(verification, fresh, plan, advice.yardstick));
  else
    print(verification, fresh, baseline, plan, advice);
  if (verification.claim != analysis::Claim::holds) globals.exit_code = interrupted ? interrupted_exit : 1;
}

}  // namespace

void add_verify(Command app, Globals& globals) {
  auto options = std::make_shared<VerifyOptions>();
  const auto command = app.add_subcommand(
      "verify", "Run an advised stack against a baseline here and say whether the claim holds");
  command.describe(
      {"The advised stack and the baseline run in fresh rounds on this machine. The exit code is 0 if the claim "
       "holds.",
       {{"Is what was advised faster here", "stackx advise --hw host --workload matmul --json > advice.json\nstackx verify advice.json"}}});
  command.add_option("advice", options->advice, "What `stackx advise --json` printed")
      .required()
      .type_name("ADVICE");
  command.add_option(
          "--baseline", options->baseline,
          "Stack of the advice to compare with: how its id begins [the first that is SLOWER, "
          "else the second]")
      .type_name("ID");
  command.add_option("--rounds", options->rounds, "Fresh rounds")
      .check(within(6, 100000))
      .type_name("N")
      .show_default();
  command.add_option("--project", options->project,
                   "Project whose catalogs and limits to use [the catalogs that come with stackx]")
      .type_name("FILE");
  command.add_option("--catalog", options->catalogs, "Catalog to use instead; may be repeated")
      .excludes("--project")
      .type_name("CATALOG")
      .one_each();
  command.add_option("--runner", options->runner, "Where the PI runs: local or container")
      .type_name("NAME")
      .suggest({"local", "container"});
  command.add_option("--pi", options->pi, "PI program to run instead of stackx-pi")
      .type_name("FILE");
  command.add_option("--files", options->files, "Directory that an ordinary program of --pi is shown, and begins in")
      .type_name("DIR");
  command.add_flag("--offline", options->offline, "Use what is cached and fetch nothing");
  command.add_flag("--allow-paths", options->allow_paths,
                   "Programs and files of this machine that the catalogs name may be run and shown (remembered)");
  command.callback([options, &globals] { verify(*options, globals); });
}

}  // namespace stackx::cli
