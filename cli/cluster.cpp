// stackx cluster: one campaign over the nodes of a cluster, on Slurm and on Kubernetes.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "campaigns/cluster/head/freeze.hpp"
#include "campaigns/cluster/head/head.hpp"
#include "campaigns/cluster/head/known.hpp"
#include "campaigns/cluster/head/pass.hpp"
#include "campaigns/cluster/node/block.hpp"
#include "campaigns/run.hpp"
#include "cli/advise/headlines.hpp"
#include "cli/commands.hpp"
#include "cli/inspect/package_warnings.hpp"
#include "cli/output/cluster_text.hpp"
#include "cli/output/print.hpp"
#include "cli/resolve/unsolvable.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "workspace/asked/project.hpp"
#include "workspace/output.hpp"
#include "workspace/progress.hpp"

namespace stackx::cli {
namespace {

namespace cluster = campaigns::cluster;
namespace fs = std::filesystem;

struct ClusterWords {
  cluster::FreezeOptions freeze;
  cluster::BlockOptions block;
  cluster::PassOptions pass;
  std::string campaign, stage = "shared", blocks;
  std::optional<std::uint64_t> index, number;
  std::uint64_t nodes = 1;
  bool wait = false, fresh = false, no_submit = false;
};

void print_view(const specs::ClusterCampaign& campaign, const cluster::View& view, Globals& globals) {
  if (globals.json) print_json(cluster_json(campaign, view));
  else workspace::write_out(cluster_text(campaign, view, output_width()));
  if (!view.spool_is_there || view.was_refused()) globals.exit_code = static_cast<int>(ErrorCode::environment);
  else if (view.finished() && view.has_given_up()) globals.exit_code = 1;
}

// What was found out, as `inspect` ends: before all else. Returns what asks on, a command for each kind of hardware.
std::vector<std::string> print_headlines(const specs::ClusterCampaign& campaign, const Globals& globals) {
  std::vector<std::string> next;
  std::set<std::string> told;
  for (const auto& target : campaign.targets) {
    const auto hw = cluster::hardware_name(target);
    if (!told.insert(hw).second) continue;  // of two targets of one kind of hardware, once
    const auto said = headlines(target.plan, hw, globals);
    for (const auto& [workload, headline] : said)
      print_headline(headline, fmt::format("{}{}", campaign.targets.size() > 1 ? hw + ": " : "", said.size() > 1 ? workload.text() + ": " : ""));
    if (auto command = next_command(said, hw, target.plan); !command.empty()) next.push_back(std::move(command));
  }
  workspace::print("\n");
  return next;
}

// Says each line once, and of a target that is refused again and again the first: passes repeat what has not changed.
class NewLines {
 public:
  void say(const cluster::View& view, workspace::ProgressLine& line) {
    for (const auto& target : view.targets) {
      for (const auto& remark : target.remarks) say(fmt::format("{}: {}", target.name, remark), line);
      const bool is_first = !target.refused.empty() && refused_.insert(target.name).second;
      if (is_first) line.say(fmt::format("{}: not submitted: {}", target.name, target.refused));
      if (target.refused.empty()) refused_.erase(target.name);
    }
  }

 private:
  void say(const std::string& text, workspace::ProgressLine& line) {
    if (said_.insert(text).second) line.say(text);
  }
  std::set<std::string> said_, refused_;  // lines; targets
};

// Something is refused, and nothing else lives: what a scheduler has refused so often it will refuse again. A queue that is
// unknown is waited for.
bool is_refused(const cluster::View& view) {
  const auto lives = [](const auto& target) { return !target.running.empty() || !target.waiting.empty() || !target.queue.is_known; };
  return view.was_refused() && std::ranges::none_of(view.targets, lives);
}

// Passes until all is there, at the schedulers' own pace: seldomer the longer it takes.
cluster::View wait_for_end(const specs::ClusterCampaign& campaign, store::Store& store, const cluster::PassOptions& options,
                           const Globals& globals) {
  using namespace std::chrono_literals;
  campaigns::listen_to_signals();
  constexpr int most_refusals = 5;
  workspace::ProgressLine line;
  NewLines remarks;
  auto pause = 1000ms;
  for (int refusals = 0;;) {
    auto view = cluster::pass(campaign, cluster::root_of(campaign), cluster::program_of(globals), store, options);
    if (!globals.json) line.show(view.spool_is_there ? cluster_progress(campaign, view) : "the spool is not there; waiting for it");
    remarks.say(view, line);
    refusals = is_refused(view) ? refusals + 1 : 0;
    if (view.finished() || view.cancelled || campaigns::interrupted() || refusals == most_refusals) {
      line.finish();
      return view;
    }
    for (auto left = pause; left > 0ms && !campaigns::interrupted(); left -= 100ms) std::this_thread::sleep_for(100ms);
    pause = std::min<std::chrono::milliseconds>(pause * 5 / 4, 15s);
  }
}

void collect_now(const specs::ClusterCampaign& campaign, const ClusterWords& words, Globals& globals) {
  auto store = store::Store::open(store::default_path(globals.db));
  auto options = words.pass;
  options.submit = !words.no_submit;
  const auto view = words.wait ? wait_for_end(campaign, store, options, globals)
                               : cluster::pass(campaign, cluster::root_of(campaign), cluster::program_of(globals), store, options);
  std::vector<std::string> next;
  if (view.spool_is_there && view.finished()) {
    if (!globals.json) next = print_headlines(campaign, globals);
    for (const auto& remark : cluster::run_after(campaign, globals)) workspace::remark("{}\n", remark);
  }
  print_view(campaign, view, globals);
  for (const auto& command : next) print_paragraph({"Next:", command}, 2);
  if (!words.wait || !campaigns::interrupted() || view.finished()) return;
  workspace::remark("The jobs go on; `stackx cluster collect {} --wait` goes on waiting for them.\n", campaign.short_id());
  globals.exit_code = interrupted_exit;
}

// One that is under way would be measured twice, by mistake mostly.
void refuse_second(const ClusterWords& words, Globals& globals) {
  const auto database = store::default_path(globals.db);
  const auto name = cluster::project_name(words.freeze.project);
  for (const auto& known : cluster::known_campaigns(database))
    if (known.project == name && cluster::is_under_way(known))
      throw bad_input(fmt::format("{}: campaign {} of {} is under way: stackx cluster collect {} goes on with it, cluster cancel {} "
                                  "ends it, --new begins another beside it",
                                  workspace::called(words.freeze.project), known.short_id(), name, known.short_id(), known.short_id()));
}

// False where nothing should be submitted yet: what cannot be fetched now would fail on every node, and cost its time.
bool stage_before_submitting(const specs::ClusterCampaign& campaign, Globals& globals) {
  campaigns::listen_to_signals();
  const auto staged = cluster::stage_all(campaign, globals);
  for (const auto& line : staged.said) workspace::remark("{}\n", line);
  if (campaigns::interrupted()) {
    workspace::remark("Nothing was submitted yet; `stackx cluster collect {}` does it.\n", campaign.short_id());
    globals.exit_code = interrupted_exit;
    return false;
  }
  if (staged.failed == 0) return true;
  workspace::remark("Nothing was submitted yet, because of {} that could not be made. If the network was it: `stackx cluster stage {}`. "
                    "Then, or to have the failure as a result: `stackx cluster collect {}`\n",
                    staged.failed == 1 ? "a stack" : fmt::format("{} stacks", staged.failed), campaign.short_id(), campaign.short_id());
  globals.exit_code = 1;
  return false;
}

// Of targets with GPUs.
void warn_of_packages_on(const specs::ClusterCampaign& campaign, const Globals& globals) {
  for (const auto& target : campaign.targets) {
    const auto loaded = cluster::load_frozen(cluster::target_directory(cluster::root_of(campaign), target.target.name), globals);
    const auto gpu = loaded.project.hardware.find("gpu"), driver = loaded.project.hardware.find("driver");
    const auto end = loaded.project.hardware.end();
    if (gpu != end) warn_of_packages(target.plan, {loaded.project, loaded.catalog}, gpu->second, driver == end ? "" : driver->second, {}, globals);
  }
}

void submit(ClusterWords& words, Globals& globals) {
  words.freeze.project = workspace::named_project(words.freeze.project);
  if (!words.fresh) refuse_second(words, globals);
  words.freeze.node_local = words.stage == "node";
  const auto campaign = cluster::freeze(words.freeze, globals);
  cluster::remember(campaign, store::default_path(globals.db));
  warn_of_packages_on(campaign, globals);
  if (words.stage == "none" || stage_before_submitting(campaign, globals)) collect_now(campaign, words, globals);
}

specs::ClusterCampaign campaign_of(const ClusterWords& words, const Globals& globals) {
  return cluster::find_campaign(words.campaign, store::default_path(globals.db));
}

void tell_status(const specs::ClusterCampaign& campaign, Globals& globals) {
  auto store = store::Store::open(store::default_path(globals.db));
  print_view(campaign, cluster::pass(campaign, cluster::root_of(campaign), cluster::program_of(globals), store, {}), globals);
}

void cancel(const specs::ClusterCampaign& campaign, Globals& globals) {
  cluster::cancel(campaign, globals);
  tell_status(campaign, globals);
}

void script(ClusterWords& words, Globals& globals) {
  words.freeze.project = workspace::named_project(words.freeze.project);
  const auto scripts = cluster::scripts(words.freeze, globals);
  if (globals.json) {
    nlohmann::json all = nlohmann::json::array();
    for (const auto& one : scripts) all.push_back({{"target", one.target}, {"name", one.name}, {"text", one.text}});
    return print_json({{"$schema", "stackx/cluster-scripts/1"}, {"scripts", all}});
  }
  for (const auto& one : scripts)
    workspace::write_out(fmt::format("{}# {}: {}\n{}", &one == &scripts.front() ? "" : "\n", one.target, one.name, one.text));
}

// What jobs call. Its words go to the job's log.
void block(ClusterWords& words, Globals& globals) {
  auto& options = words.block;
  if (words.number.has_value() == words.index.has_value()) throw bad_input("cluster block: expected one of --block K and --index I");
  if (words.index) {
    const auto list = cluster::blocks_from(words.blocks);
    const auto nodes = std::max<std::uint64_t>(words.nodes, 1);
    if (*words.index >= list.size() * nodes)
      throw bad_input(fmt::format("--index {}: --blocks names {}{}", *words.index, list.size(), nodes > 1 ? fmt::format(", of {} nodes each", nodes) : ""));
    options.block = list[*words.index / nodes];
    options.worker = *words.index % nodes;
    if (const auto star = options.meet.find('*'); star != options.meet.npos) options.meet.replace(star, 1, std::to_string(*words.index - options.worker));
  } else {
    options.block = *words.number;
  }
  const auto end = cluster::run_block(options, globals);
  const auto why = end.reason.empty() ? "" : ": " + end.reason;
  if (options.worker > 0) workspace::print("block {}, node {}: {}{}\n", options.block, options.worker + 1, cluster::to_string(end.state), why);
  else
    workspace::print("block {}: {}{}; {} complete rounds of this start, {} missing yet\n", options.block, cluster::to_string(end.state), why,
                     end.rounds, end.missing);
  using State = cluster::AttemptState;
  if (end.state == State::wrong_node || end.state == State::failed) globals.exit_code = 1;
  if (end.is_environment) globals.exit_code = static_cast<int>(ErrorCode::environment);
  if (end.state == State::interrupted) globals.exit_code = interrupted_exit;
  if (end.undelivered == 0) return;
  workspace::say("{} documents could not be delivered and lie in {} on this node; the next start of any block here delivers them\n",
                 end.undelivered, end.kept.string());
  globals.exit_code = static_cast<int>(ErrorCode::environment);
}

void add_campaign_word(Command command, ClusterWords& words) {
  command.add_option("campaign", words.campaign,
                     "How its id begins, its directory on the spool, or the project's file [the newest submitted from here]")
      .type_name("CAMPAIGN");
}

void add_freeze_options(Command command, ClusterWords& words) {
  auto& python = words.freeze.python;
  command.add_option("project", words.freeze.project, "Project file (stackx/project/1), whose \"cluster\" says where it runs; or, with --settings, a Python project "
                     "(requirements.txt, Pipfile, pyproject.toml) or packages (\"torch>=2.4\")").type_name("PROJECT").required();
  command.add_option("--on", words.freeze.on, "Targets on this scheduler alone [all]").check(one_of({"slurm", "kubernetes"})).type_name("NAME");
  command.add_option("--settings", words.freeze.settings, "A file with the cluster's settings, instead of the project's \"cluster\"").type_name("FILE");
  command.add_option("--workload", python.workload, "What is measured of a Python project").type_name("NAME[:KEY=VALUE,...]");
  command.add_option("--pi", python.pi, "A program of your own that measures: of a Python project any command, which prints one number or nothing (then its wall "
                     "time counts); beside a project's workload a PI, as inspect takes it").type_name("COMMAND");
  command.add_option("--prints", python.prints, "What the number is that the command of --pi prints").check(one_of({"seconds", "rate"})).show_default();
  command.add_option("--files", python.files, "Directory that the command is shown read-only, and begins in; nodes see it under the same name").type_name("DIR");
  command.add_option("--python", python.python, "Python of a Python project [this machine's python3]").type_name("X.Y");
  command.add_option("--index-url", python.pip.index_url, "Another package index than pip's for a Python project").type_name("URL");
  command.add_option("--pip", python.pip.python, "Python that has the pip to ask for the index").type_name("PYTHON").show_default();
  command.add_flag("--offline", python.offline, "Ask no index: what is cached");
  command.add_option("--sample", words.freeze.sample, "How many stacks to measure, in place of the project's number").check(at_least_one()).type_name("N");
  command.add_option("--seed", words.freeze.seed, "Seed of the sample").type_name("S");
  command.add_flag("--allow-paths", words.freeze.allow_paths, "Programs and files that the catalogs name may be run and shown (remembered)");
}

void add_submit(Command cluster_command, std::shared_ptr<ClusterWords> words, Globals& globals) {
  const auto command = cluster_command.add_subcommand("submit", "Begin a campaign: draw its stacks, fetch what nodes need, submit its blocks");
  command.describe({"The stacks are drawn once and frozen, with the catalogs, in a directory of the spool; what they need is fetched there; then "
                    "one job array (Slurm) or Indexed Job (Kubernetes) a target is submitted. `cluster collect` goes on from there.",
                    {{"On all targets of the project, until all is there", "stackx cluster submit project.json --wait"},
                     {"Which release of a package is fastest on the nodes", "stackx cluster submit \"torch>=2.6\" --workload matmul \\\n  --settings slurm.json --wait"},
                     {"The same at a program of yours", "stackx cluster submit requirements.txt --pi ./bench.py \\\n  --settings slurm.json --wait"},
                     {"On Slurm alone", "stackx cluster submit project.json --on slurm"}}});
  add_freeze_options(command, *words);
  command.add_option("--stage", words->stage,
                     "Where environments lie: shared (made once, on the spool), node (copied to each node's own disk), none (nodes make them, "
                     "and need the network)")
      .check(one_of({"shared", "node", "none"})).show_default();
  command.add_flag("--wait", words->wait, "Wait until all is there, submitting what is lost; Ctrl-C leaves the jobs");
  command.add_flag("--new", words->fresh, "Even if a campaign of the project is under way");
  command.callback([words, &globals] { answering_no_stack([&] { submit(*words, globals); }, globals); });
}

void add_status(Command cluster_command, std::shared_ptr<ClusterWords> words, Globals& globals) {
  const auto command = cluster_command.add_subcommand("status", "How far a campaign is, and what is wrong; submits nothing");
  command.describe({"Takes in what has come, asks the schedulers, and says what to do about what is held, drained or lost.",
                    {{"Of the newest campaign", "stackx cluster status"}}});
  add_campaign_word(command, *words);
  command.callback([words, &globals] { tell_status(campaign_of(*words, globals), globals); });
}

void add_collect(Command cluster_command, std::shared_ptr<ClusterWords> words, Globals& globals) {
  const auto command = cluster_command.add_subcommand("collect", "Take in what has come, and submit what is missing");
  command.describe({"Every document is taken in once. A block whose rounds are not all there, and of which no job lives, is submitted again; "
                    "where a strategy decides between waves, the next wave is begun. It may be killed at any moment, and run from cron.",
                    {{"Until all is there", "stackx cluster collect --wait"}, {"Look at blocks that were given up again", "stackx cluster collect --again"}}});
  add_campaign_word(command, *words);
  command.add_flag("--wait", words->wait, "Wait until all is there; Ctrl-C leaves the jobs");
  command.add_flag("--no-submit", words->no_submit, "Take in alone");
  command.add_flag("--again", words->pass.again, "Submit blocks that were given up, too");
  command.callback([words, &globals] { collect_now(campaign_of(*words, globals), *words, globals); });
}

void add_cancel(Command cluster_command, std::shared_ptr<ClusterWords> words, Globals& globals) {
  const auto command = cluster_command.add_subcommand("cancel", "End a campaign's jobs; what was measured stays");
  command.describe({"Nothing is submitted any more; complete rounds are kept and rank.", {{"The newest campaign", "stackx cluster cancel"}}});
  add_campaign_word(command, *words);
  command.callback([words, &globals] { cancel(campaign_of(*words, globals), globals); });
}

void add_script(Command cluster_command, std::shared_ptr<ClusterWords> words, Globals& globals) {
  const auto command = cluster_command.add_subcommand("script", "Print what would be submitted: batch scripts, manifests; writes and submits nothing");
  command.describe({"For those who read before they submit.", {{"Of all targets", "stackx cluster script project.json"}}});
  add_freeze_options(command, *words);
  command.callback([words, &globals] { answering_no_stack([&] { script(*words, globals); }, globals); });
}

void add_stage(Command cluster_command, std::shared_ptr<ClusterWords> words, Globals& globals) {
  const auto command = cluster_command.add_subcommand("stage", "Fetch and make what nodes of this machine's kind need, on the spool");
  command.describe({"`submit` does it for nodes of the same kind of processor as the submitting machine; for others it is called on one of them, "
                    "with the network.",
                    {{"On a node of another kind", "stackx cluster stage /shared/3f2a09c1d2e4"}}});
  add_campaign_word(command, *words);
  command.callback([words, &globals] {
    campaigns::listen_to_signals();
    const auto staged = cluster::stage_all(campaign_of(*words, globals), globals);
    for (const auto& line : staged.said) workspace::print("{}\n", line);
    if (staged.failed > 0) globals.exit_code = 1;
  });
}

void add_block(Command cluster_command, std::shared_ptr<ClusterWords> words, Globals& globals) {
  const auto command = cluster_command.add_subcommand("block", "What jobs call: measure one block of a campaign on this node");
  command.describe({"Checks that the node is what was asked for, measures the rounds that the block lacks, and delivers each result as it comes. "
                    "Exit codes: 0 done, or nothing left to do; 1 a wrong node, or failures; 3 the node lacks something, or keeps documents.",
                    {{"By hand, on a node", "stackx cluster block /shared/3f2a09c1d2e4 --target v100 --block 3"}}});
  auto& options = words->block;
  command.add_option("directory", options.campaign, "The campaign's directory: with campaign.json").type_name("DIR").required();
  command.add_option("--target", options.target, "Which target of the campaign").type_name("NAME").required();
  command.add_option("--block", words->number, "Which block").type_name("K");
  command.add_option("--blocks", words->blocks, "Blocks, of which --index says which: 0-3,7").type_name("LIST");
  command.add_option("--index", words->index, "Which of --blocks, from 0").type_name("I");
  command.add_option("--nodes", words->nodes, "Of each of --blocks: --index counts them one after the other").type_name("N");
  command.add_option("--meet", options.meet, "Of a block with several nodes: where the first awaits the others; a * in it is the --index of the first")
      .type_name("HOST:PORT");
  command.add_option("--worker", options.worker, "Which node of the block this is, from 0").type_name("R");
  command.add_option("--meet-patience", options.meet_patience, "How long the nodes of a block wait for one another, in seconds").check(at_least_zero())
      .type_name("SECONDS").show_default();
  command.add_option("--attempt", options.attempt, "The scheduler's word for this start").type_name("NAME");
  command.add_option("--job", options.job, "The job, as the scheduler's programs take it").type_name("ID");
  command.add_option("--spool", options.spool, "The campaign's directory on the spool, where that is another").type_name("DIR");
  command.add_option("--send", options.send, "Send documents to this URL instead; a token stands in $STACKX_TOKEN").type_name("URL");
  command.add_option("--patience", options.patience, "How long to wait at the end for a spool that takes nothing, in seconds").check(at_least_zero())
      .type_name("SECONDS").show_default();
  command.callback([words, &globals] { block(*words, globals); });
}

}  // namespace

void add_cluster(Command app, Globals& globals) {
  auto words = std::make_shared<ClusterWords>();
  const auto command = app.add_subcommand("cluster", "One campaign over the nodes of a cluster, on Slurm and on Kubernetes");
  command.describe({"Blocks of rounds run on whole nodes, each measuring the same stacks in an order of its own, and leave their results on a "
                    "directory that all nodes share. What is lost with a node is measured again. Schedulers are used by their own programs; nothing "
                    "of stackx has to be installed on them.",
                    {{"Begin, and wait for the end", "stackx cluster submit project.json --wait"}, {"How far it is", "stackx cluster status"},
                     {"What would be submitted", "stackx cluster script project.json"}}});
  command.require_subcommand(1);
  add_submit(command, words, globals);
  add_status(command, words, globals);
  add_collect(command, words, globals);
  add_cancel(command, words, globals);
  add_script(command, words, globals);
  add_stage(command, words, globals);
  add_block(command, words, globals);
}

}  // namespace stackx::cli
