#include "campaigns/cluster/node/block.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <set>

#include "campaigns/cluster/node/helper.hpp"
#include "campaigns/cluster/node/outbox.hpp"
#include "campaigns/cluster/node/stage.hpp"
#include "campaigns/cluster/node/together.hpp"
#include "campaigns/cluster/rounds.hpp"
#include "campaigns/refused_inspector.hpp"
#include "campaigns/run.hpp"
#include "inspector/inspector.hpp"
#include "inspector/machine/host.hpp"
#include "specs/error.hpp"
#include "specs/format/clock.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"
#include "workspace/words.hpp"

namespace stackx::campaigns::cluster {
namespace {

std::string now_text() { return specs::rfc3339_utc(std::chrono::system_clock::now()); }

// Names of files, on every file system.
std::string file_safe(const std::string& text) {
  std::string safe;
  for (const char c : text.substr(0, 60)) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    safe += fits ? c : '_';
  }
  return safe;
}

// A pod's host name is the pod's; what it runs on is told to it.
std::string name_of_node(const specs::Host& host) {
  const char* told = std::getenv("STACKX_NODE");
  return told != nullptr && *told != '\0' ? told : host.hostname;
}

// "12_3.0-n2-4f0a91c2": numbers of jobs begin again where a scheduler lost its state, so that they alone are not unique.
std::string name_of_attempt(const std::string& word, const std::string& node) {
  std::random_device random;
  return fmt::format("{}-{}-{:08x}", file_safe(word.empty() ? "start" : word), file_safe(node), random());
}

// The results that starts of this block have delivered, as far as complete rounds go.
std::uint64_t rounds_there(const fs::path& block) {
  std::uint64_t rounds = 0;
  std::error_code none;
  for (const auto& attempt : fs::directory_iterator(block, none)) {
    if (!fs::exists(attempt.path() / "plan.json")) continue;
    try {
      const auto plan = specs::plan_from(specs::Node::parse_file(attempt.path() / "plan.json"));
      std::vector<Result> results;
      for (const auto& file : specs::json_files(attempt.path())) {
        if (!specs::is_sha256(file.stem().string())) continue;
        const auto one = specs::inspection_from(specs::Node::parse_file(file));
        if (one.campaign == plan.id) results.push_back({one.round, one.arm, one.outcome});
      }
      rounds += complete_rounds(plan, results).size();
    } catch (const Error& error) {
      workspace::say("{}: not counted: {}\n", attempt.path().string(), error.what());
    }
  }
  return rounds;
}

class BlockListener : public Listener {
 public:
  BlockListener(const specs::Plan& plan, Outbox& outbox) : plan_(plan), outbox_(outbox) {}

  void result(const specs::Inspection& inspection) override {
    outbox_.put(inspection.id + ".json", specs::canonical(specs::to_json(inspection)) + "\n");
    results_.push_back({inspection.round, inspection.arm, inspection.outcome});
  }
  void progress(const Progress& progress) override {
    if (progress.done == told_ && progress.current == current_) return;
    told_ = progress.done;
    current_ = progress.current;
    workspace::say("[{}/{}] {} failed  {}\n", progress.done, progress.planned, progress.failed, progress.current);
  }
  void say(const std::string& line) override { workspace::say("{}\n", line); }
  std::uint64_t rounds() const { return complete_rounds(plan_, results_).size(); }

 private:
  const specs::Plan& plan_;
  Outbox& outbox_;
  std::vector<Result> results_;
  std::uint64_t told_ = ~std::uint64_t{0};
  std::string current_;
};

// Of a node that helps: what is true of this machine alone (which engine works). Goes with it.
struct OwnDirectory {
  explicit OwnDirectory(const std::string& name) : path(scratch_directory() / name) { fs::create_directories(path); }
  ~OwnDirectory() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  OwnDirectory(const OwnDirectory&) = delete;
  fs::path path;
};

class Start {
 public:
  Start(const BlockOptions& options, const workspace::Context& context)
      : options_(options),
        context_(context),
        campaign_(read_campaign(options.campaign)),
        target_(campaign_.target(options.target)),
        root_(options.spool.empty() ? options.campaign : options.spool) {
    const auto wave = options.block / campaign_.settings.blocks;
    const auto found = read_wave(options.campaign, options.target, wave);
    if (!found) throw bad_input(fmt::format("{}: block {} belongs to wave {}, which nobody began", options.campaign.string(), options.block, wave));
    wave_ = *found;
    check_nodes();
  }

  BlockEnd run() {
    listen_to_signals();
    loaded_ = load_target();
    const auto node = name_of_node(loaded_.host);
    loaded_.host.hostname = node;
    if (options_.worker > 0) return help();
    const specs::BlockOf block{campaign_.id, options_.target, options_.block, name_of_attempt(options_.attempt, node)};
    attempt_.cluster = campaign_.id;
    attempt_.target = options_.target;
    attempt_.block = options_.block;
    attempt_.attempt = block.attempt;
    attempt_.node = node;
    attempt_.job = options_.job;
    attempt_.began = now_text();
    attempt_.host = specs::to_json(loaded_.host);
    Outbox outbox(scratch_directory(), block, options_.send.empty() ? to_spool(root_) : to_url(options_.send),
                  [](const std::string& line) { workspace::say("{}\n", line); });
    outbox.finish_others();
    BlockEnd end = measured(block, outbox);
    for (auto& helper : helpers_) helper.wire.send({{"do", "end"}});
    attempt_.state = end.state;
    attempt_.reason = end.reason;
    attempt_.ended = now_text();
    tell(outbox);
    const bool all = outbox.flush(interrupted() ? std::min(options_.patience, 30.0) : options_.patience, [] { return false; });
    if (!all) {
      end.undelivered = outbox.waiting();
      end.kept = outbox.directory();
    }
    return end;
  }

 private:
  std::uint64_t nodes() const { return target_.target.nodes; }

  void check_nodes() const {
    if (nodes() == 1 && options_.meet.empty() && options_.worker == 0) return;
    if (nodes() == 1) throw bad_input(fmt::format("target {} has one node a block: without --meet and --worker", options_.target));
    (void)meeting_from(options_.meet);
    if (options_.worker >= nodes())
      throw bad_input(fmt::format("--worker {}: target {} has {} nodes a block: 0 to {}", options_.worker, options_.target, nodes(), nodes() - 1));
  }

  std::string secret() const {
    const char* told = std::getenv("STACKX_MEETING");
    return told != nullptr && *told != '\0' ? told : campaign_.id;
  }

  workspace::Loaded load_target() {
    const auto directory = target_directory(options_.campaign, options_.target);
    auto loaded = workspace::load(directory / "project.json", context_, overlays_in(directory), workspace::Need::inspections);
    try {
      check_hardware(loaded);
    } catch (const Error& error) {
      wrong_node_ = error.what();
    }
    return loaded;
  }

  // What the node is to blame for is told to the head, too: `status` names it.
  BlockEnd measured(const specs::BlockOf& block, Outbox& outbox) {
    try {
      meet();
      if (!wrong_node_.empty()) return {AttemptState::wrong_node, wrong_node_, 0, 0, 0, {}};
      return measure(block, outbox);
    } catch (const std::exception& error) {
      const auto* known = dynamic_cast<const Error*>(&error);
      const bool is_environment = known == nullptr || known->code() == ErrorCode::environment;
      return {AttemptState::failed, error.what(), 0, campaign_.settings.rounds_per_block, 0, {}, is_environment};
    }
  }

  // All nodes of the block are there, and what was asked for.
  void meet() {
    if (nodes() == 1) return;
    helpers_ = await_helpers(meeting_from(options_.meet), nodes(), secret(), options_.meet_patience, interrupted);
    std::set<std::string> names{attempt_.node};
    for (const auto& helper : helpers_) {
      workspace::say("with {} at {}\n", helper.node, helper.wire.other_address());
      if (!names.insert(helper.node).second)
        throw broken_environment(fmt::format("two of this block's nodes are one, {}: a worker wants a node to itself", helper.node));
      if (!helper.wrong.empty() && wrong_node_.empty()) wrong_node_ = fmt::format("on {}: {}", helper.node, helper.wrong);
      if (!helper.broken.empty()) throw broken_environment(fmt::format("on {}: {}", helper.node, helper.broken));
    }
  }

  // Of a node that is not the first.
  BlockEnd help() {
    const OwnDirectory own(fmt::format("{}helper-{}", outbox_prefix(campaign_.id), name_of_attempt(options_.attempt, loaded_.host.hostname)));
    std::unique_ptr<Wire> wire;
    std::unique_ptr<Helping> helping;
    std::unique_ptr<inspector::Inspector> inspector;
    std::string broken;
    try {
      if (wrong_node_.empty()) inspector = make_inspector(target_.plan, own.path, [&] { return helping && helping->should_stop(); });
    } catch (const std::exception& error) {
      broken = error.what();
    }
    try {
      wire = std::make_unique<Wire>(knock(meeting_from(options_.meet), options_.meet_patience, interrupted));
    } catch (const Error& error) {
      if (rounds_needed() == 0) return {AttemptState::nothing_left, "", 0, 0, 0, {}};
      return {AttemptState::failed, error.what(), 0, rounds_needed(), 0, {}, true};
    }
    wire->send({{"secret", secret()}, {"node", loaded_.host.hostname}, {"rank", options_.worker}, {"wrong", specs::to_utf8(wrong_node_)}, {"broken", specs::to_utf8(broken)}});
    helping = std::make_unique<Helping>(*wire, target_.plan.arms, interrupted);
    if (inspector) helping->use(*inspector);
    const auto end = helping->run();
    if (!wrong_node_.empty()) return {AttemptState::wrong_node, wrong_node_, 0, 0, 0, {}};
    if (!broken.empty()) return {AttemptState::failed, broken, 0, 0, 0, {}, true};
    if (end == Helping::End::stopped) return {AttemptState::interrupted, "it was told to end", 0, 0, 0, {}};
    if (end == Helping::End::first_is_gone) return {AttemptState::failed, "the block's first node has ended without a word", 0, 0, 0, {}};
    return {AttemptState::complete, "", 0, 0, 0, {}};
  }

  std::uint64_t rounds_needed() const {
    const auto wanted = campaign_.settings.rounds_per_block;
    const auto there = options_.send.empty() ? rounds_there(block_directory(root_, options_.target, options_.block)) : 0;
    return wanted - std::min(wanted, there);
  }

  // Attempts are hints for people: sent to a URL, nobody would look at them.
  void tell(Outbox& outbox) {
    if (options_.send.empty()) outbox.put("attempt.json", specs::canonical(to_json(attempt_)) + "\n");
  }

  BlockEnd measure(const specs::BlockOf& block, Outbox& outbox) {
    const auto wanted = campaign_.settings.rounds_per_block;
    const auto there = wanted - rounds_needed();
    if (there >= wanted) return {AttemptState::nothing_left, "", 0, 0, 0, {}};
    const auto plan = specs::plan_of_attempt(campaign_, target_, wave_, block, wanted - there, attempt_.began,
                                             loaded_.device ? loaded_.device->uuid : "");
    attempt_.plan = plan.id;
    attempt_.rounds = plan.campaign.rounds;
    outbox.put("plan.json", specs::canonical(specs::to_json(plan)) + "\n");
    tell(outbox);
    if (const auto& cpu = loaded_.host.cpu; cpu.threads < cpu.threads_online)
      workspace::say("this start may use {} of the node's {} processors: what runs on the others is part of what it measures\n",
                     cpu.threads, cpu.threads_online);
    workspace::say("block {} on {}: {} of {} rounds are there; campaign {}: {}\n", options_.block, attempt_.node, there, wanted,
                   plan.id.substr(0, 12), size_text(plan));
    BlockListener listener(plan, outbox);
    const auto ending = run_plan(plan, listener, outbox.directory() / "machine");
    const auto rounds = listener.rounds();
    const auto missing = wanted - std::min(wanted, there + rounds);
    if (!lost_.empty()) return {AttemptState::failed, lost_, rounds, missing, 0, {}};
    if (ending == Ending::interrupted) return {AttemptState::interrupted, "it was told to end", rounds, missing, 0, {}};
    if (missing > 0) return {AttemptState::failed, "too many inspections failed, or its minutes were used up", rounds, missing, 0, {}};
    return {AttemptState::complete, "", rounds, 0, 0, {}};
  }

  inspector::Context where(const specs::Plan& plan, const fs::path& own) const {
    const Job job{loaded_, std::nullopt, {}};
    auto where = inspector_context({job, false, {}, {}}, plan.program, context_);
    if (options_.send.empty() && is_staged(root_)) {
      where.offline = true;
      where.cache = staged_cache(root_, campaign_.node_local);
      where.own_cache = own;
      where.image_archives = image_directory(root_);
    }
    return where;
  }

  // `too`: when else than at a signal it stops what runs.
  std::unique_ptr<inspector::Inspector> make_inspector(const specs::Plan& plan, const fs::path& own, const std::function<bool()>& too) const {
    auto context = where(plan, own);
    context.stop = [too] { return interrupted() || too(); };
    return std::make_unique<inspector::Inspector>(std::move(context), loaded_.catalog, plan.campaign);
  }

  Ending run_plan(const specs::Plan& plan, BlockListener& listener, const fs::path& own) {
    FixedSchedule schedule(plan);
    if (nodes() == 1) {
      const auto inspector = make_inspector(plan, own, [] { return false; });
      return campaigns::run(plan, *inspector, schedule, {}, listener, interrupted);
    }
    const auto refused = [&](const Refusal& why, const specs::Stack& stack, const specs::Workload& workload) {
      return RefusedInspector(why, where(plan, own)).inspect(stack, workload);
    };
    Together together(helpers_, attempt_.node, plan.arms, loaded_.catalog, refused, interrupted);
    const auto inspector = make_inspector(plan, own, [&] { return together.should_stop(); });
    together.use(*inspector);
    const auto ending = campaigns::run(plan, together, schedule, {}, listener, [&] { return interrupted() || !together.lost().empty(); });
    if (!interrupted()) lost_ = together.lost();
    return ending;
  }

  const BlockOptions& options_;
  const workspace::Context& context_;
  specs::ClusterCampaign campaign_;
  const specs::FrozenTarget& target_;
  fs::path root_;
  specs::Wave wave_;
  workspace::Loaded loaded_;
  std::string wrong_node_, lost_;
  std::vector<Helper> helpers_;
  Attempt attempt_;
};

}  // namespace

BlockEnd run_block(const BlockOptions& options, const workspace::Context& context) { return Start(options, context).run(); }

}  // namespace stackx::campaigns::cluster
