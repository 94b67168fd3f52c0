#include "watch/pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "campaigns/campaign.hpp"
#include "campaigns/device_campaigns.hpp"
#include "campaigns/plan_lock.hpp"
#include "campaigns/recorder.hpp"
#include "campaigns/run.hpp"
#include "inspector/inspector.hpp"
#include "specs/error.hpp"
#include "specs/format/clock.hpp"
#include "store/spool.hpp"
#include "watch/blamed.hpp"
#include "watch/cluster_target.hpp"
#include "watch/loaded.hpp"
#include "watch/on_cluster.hpp"
#include "watch/pass_lock.hpp"
#include "watch/refresh/refresh.hpp"
#include "watch/schedule.hpp"
#include "watch/told.hpp"
#include "workspace/allowed_paths.hpp"
#include "workspace/words.hpp"

namespace stackx::watch {
namespace {

namespace fs = std::filesystem;
using specs::Stack;

std::string now() { return specs::rfc3339_utc(std::chrono::system_clock::now()); }

}  // namespace

struct Pass::State {
  State(const WatchOptions& asked, const workspace::Context& where, SayLine speak)
      : options(asked),
        context(where),
        say(std::move(speak)),
        subject(subject_of(options, context)),
        database(store::default_path(context.db)),
        lock(database, subject.id(), subject.project),
        store(store::Store::open(database)),
        spool(database) {
    for (const auto& remark : spool.recover(store)) say(remark);
  }

  Report run() {
    report.project = subject.project;
    report.workload = subject.workload.text();
    report.command = options.command;
    if (options.cluster) (void)cluster_target(options);  // what no cluster can measure is said at once
    refresh_and_load();
    report.hardware = hardware.name;
    if (const auto why = space->why_none()) return nothing_valid(*why);
    read_history();
    if (waits_for_cluster()) return under_way();
    report.is_first = !told->advice();
    find_invalid();
    auto plan = campaign_to_go_on_with();
    report.before = advised_before(plan);
    if (!plan) plan = new_campaign();
    if (options.dry_run) return planned(plan);
    if (plan && options.cluster && !store.plan(plan->id)) {
      std::vector<Stack> stacks;
      for (const auto& arm : plan->arms)
        if (!arm.sentinel) stacks.push_back(arm.stack);
      note(begin_on_cluster(write_cluster_project(options, subject, catalogs, stacks, context), options, database, store, context));
      return under_way();
    }
    bool interrupted = false;
    if (plan && !is_over(*plan)) {
      interrupted = measure(*plan);
      read_history();
    }
    report.after = advised_of([&](const Stack& stack) { return is_valid(stack); });
    const bool has_failed = plan && history->last()->settled().advised_failed;
    if (has_failed && report.after && !report.after->measured) report.after.reset();  // after a failure none is advised that nobody saw running
    report.has_others = !history->later().empty();
    if (plan) add_rows(interrupted);
    finish(interrupted);
    return std::move(report);
  }

  void was_told() {
    if (!options.dry_run) told->keep(store, spool, subject.workload, now());
  }

 private:
  void refresh_and_load() {
    auto refreshed = refresh_for(options, subject, context);
    report.notes = std::move(refreshed.notes);
    report.read = std::move(refreshed.read);
    report.refresh_failed = refreshed.failed;
    job = load_for(options, refreshed.catalogs, subject, context);
    catalogs = std::move(refreshed.catalogs);
    if (!options.cluster) campaigns::check_hardware(job.loaded);
    space = std::make_unique<Space>(job.loaded.project, job.loaded.catalog);
    if (space->why_none()) return;
    hardware = hardware_of(options, job.loaded, *space);
  }

  // True where nothing more can be told yet.
  bool waits_for_cluster() {
    const auto going_on = cluster_under_way(database, subject.id());
    if (!going_on) return false;
    const auto standing = go_on_cluster(*going_on, !options.dry_run, store, context);
    note(standing);
    read_history();
    return !standing.is_finished;
  }

  void note(const OnCluster& standing) {
    report.on_cluster = {standing.done, standing.blocks};
    report.campaign = standing.campaign;
    report.notes.insert(report.notes.end(), standing.remarks.begin(), standing.remarks.end());
  }

  Report under_way() {
    report.kind = Report::Kind::under_way;
    report.before = advised_before(std::nullopt);
    report.after = report.before;
    report.is_first = !told->advice();
    name_both();
    put_into_words(report, *space);
    return std::move(report);
  }

  void read_history() {
    if (!told) told.emplace(store, subject.id());  // what this pass tells stands in it
    history.emplace(store, subject, hardware, options.rule, options.again, [&](const std::string& campaign) { return told->gave_up(campaign); });
  }

  bool is_valid(const Stack& stack) {
    const auto known = valid.find(stack);
    return known != valid.end() ? known->second : valid.emplace(stack, !space->why_not(stack)).first->second;
  }

  std::optional<Advised> advised_of(const std::function<bool(const Stack&)>& counts) {
    return advised(*history, *space, options.rule, hardware.fingerprint, counts);
  }

  // What was told last; before anything was, what the campaign that goes on, or a new one, begins with.
  std::optional<Advised> advised_before(const std::optional<specs::Plan>& going_on) {
    if (told->advice()) return Advised{*told->advice(), history->ran(*told->advice()), {}, {}};
    if (going_on) return Advised{going_on->arms.front().stack, history->ran(going_on->arms.front().stack), {}, {}};
    return advised_of([&](const Stack& stack) { return is_valid(stack); });
  }

  void find_invalid() {
    for (const auto& stack : history->stacks())
      if (history->ran(stack) && !is_valid(stack) && !told->invalid(stack))
        report.invalid.push_back({stack, space->name_of(stack), *space->why_not(stack), false});
  }

  // Rounds are measured on one machine, and their stacks must still be what anybody would run.
  std::string why_not_go_on(const PastCampaign& campaign) {
    for (const auto& arm : campaign.plan.arms)
      if (!is_valid(arm.stack)) return fmt::format("{} is not valid any more", space->name_of(arm.stack));
    const bool is_of_here = campaign.hosts.empty() || (campaign.hosts.size() == 1 && campaign.hosts.contains(hardware.fingerprint));
    return is_of_here ? "" : "another machine began it";
  }

  // The newest campaign of a pass, where its end was not told yet.
  std::optional<specs::Plan> campaign_to_go_on_with() {
    const auto& last = history->last();
    if (!last || told->campaign(last->id())) return std::nullopt;
    if (const auto why = last->progress.is_complete ? "" : why_not_go_on(*last); !why.empty()) {
      report.notes.push_back(fmt::format("campaign {} of an earlier pass was given up: {}; what it did not settle is new again", last->id().substr(0, 12), why));
      told->add_given_up(last->id(), last->advised());
      read_history();
      return std::nullopt;
    }
    if (!last->progress.is_complete) say(fmt::format("going on with campaign {}, which an earlier pass began", last->plan.id.substr(0, 12)));
    return last->plan;
  }

  std::optional<specs::Plan> new_campaign() {
    const auto base = advised_of([&](const Stack& stack) { return is_valid(stack); });
    if (!base) return std::nullopt;
    auto news = find_news(base->stack, *space, *history, options.most_new);
    report.waiting = std::move(news.waiting);
    if (news.newcomers.empty() && base->measured) return std::nullopt;
    std::vector<Stack> stacks{base->stack};
    for (const auto& one : news.newcomers) stacks.push_back(one.stack);
    auto project = job.loaded.project;
    project.name = subject.id();
    project.campaign.sentinels = 0;
    auto plan = campaigns::make_plan(project, stacks, now(), campaigns::device_for(stacks, job.loaded), subject.program);
    auto sentinel = plan.arms.front();  // of the advised stack, which all are compared with
    sentinel.label += "+A";
    sentinel.sentinel = true;
    plan.arms.push_back(std::move(sentinel));
    plan.campaign.sentinels = 1;
    specs::seal(plan);
    return plan;
  }

  bool is_over(const specs::Plan& plan) const { return history->last() && history->last()->ids.contains(plan.id) && history->last()->progress.is_complete; }

  // True where it was interrupted.
  bool measure(const specs::Plan& plan) {
    std::set<Stack> stacks;
    for (const auto& arm : plan.arms) stacks.insert(arm.stack);
    workspace::require_consent(job.loaded.catalog, {stacks.begin(), stacks.end()}, options.allow_paths);
    if (subject.program) workspace::allow_program(*subject.program);
    if (!store.plan(plan.id)) {  // durable before its first inspection
      spool.write(plan);
      store.ingest(plan);
    }
    const campaigns::PlanLock plan_lock(spool, plan.id);
    const auto done = store.done(plan.id);
    auto within_budget = plan;  // which is of each pass
    within_budget.program = subject.program;  // the same, wherever it lies now
    within_budget.campaign.budget_minutes = job.loaded.project.campaign.budget_minutes;
    within_budget.campaign.budget_inspections = job.loaded.project.campaign.budget_inspections;
    if (auto& most = within_budget.campaign.budget_inspections) *most += done.size();
    const campaigns::CampaignOptions how{job, options.offline};
    inspector::Inspector inspector(campaigns::inspector_context(how, subject.program, context), job.loaded.catalog, plan.campaign);
    campaigns::listen_to_signals();
    const auto newcomers = static_cast<std::size_t>(std::ranges::count_if(plan.arms, [](const auto& arm) { return !arm.sentinel; })) - 1;
    say(fmt::format("{}{}: at most {} rounds, runner {}", space->name_of(plan.arms.front().stack),
                    newcomers == 0 ? " alone" : newcomers == 1 ? " and a newcomer" : fmt::format(" and {} newcomers", newcomers),
                    options.rule.most_rounds, inspector.runner()));
    campaigns::CampaignRecorder recorder(store, spool, job.loaded.catalog, plan.campaign.strategy.width);
    const bool goes_on = history->last() && history->last()->ids.contains(plan.id);
    SettlingSchedule schedule(plan, options.rule, goes_on ? history->last()->results : std::vector<ArmResult>{});
    const auto ending = campaigns::run(within_budget, inspector, schedule, done, recorder, campaigns::interrupted);
    recorder.line.finish();
    return ending == campaigns::Ending::interrupted;
  }

  void add_rows(bool interrupted) {
    const auto& campaign = *history->last();
    const auto progress = campaign.progress;
    report.campaign = campaign.id();
    report.inspections = campaign.inspections;
    report.rounds = progress.rounds;
    report.seconds = campaign.seconds;
    const auto newcomers = campaign.newcomers();
    const auto settling = campaign.settled();
    const auto known = history->versions_without(campaign.ids);
    for (std::size_t i = 0; i < newcomers.size(); ++i) {
      ReportRow row{newcomer_of(campaign.advised(), newcomers[i], *space, known), space->name_of(newcomers[i], campaign.advised()),
                    settling.newcomers[i],
                    told->verdict(campaign.id(), newcomers[i]), false, {}, {}};
      row.is_regression = is_regression(row);
      report.rows.push_back(std::move(row));
    }
    if (settling.advised_failed) {
      const auto& failed = *settling.advised_failed;
      report.advised_failure = failed.reason.empty() ? specs::to_string(failed.outcome) : failed.reason;
      report.kind = Report::Kind::failing;
      if (campaign.blames_program()) report.failing_program = subject.program ? "Your program" : subject.workload.pi;
    }
    report.goes_on = !progress.is_complete;
    note_what_is_told(campaign, interrupted);
  }

  // The newest release is slower than what is advised: a newcomer, or, in a first pass, what stood there before an older one.
  bool is_regression(const ReportRow& row) const {
    const bool is_release = !row.newcomer.changes.empty() && !row.newcomer.changes.front().before.empty();  // else another takes its place
    if (row.was_told || !is_release) return false;
    if (row.newcomer.is_older) return row.standing.is(analysis::Verdict::faster) && report.after && report.after->stack == row.newcomer.stack;
    return row.newcomer.is_newest && row.standing.is(analysis::Verdict::slower);
  }

  void note_what_is_told(const PastCampaign& campaign, bool interrupted) {
    if (interrupted) return;  // nothing of it is told yet
    if (!report.advised_failure.empty())
      told->add_given_up(campaign.id(), campaign.advised());  // what it did not settle is new again
    else if (!report.goes_on)
      told->add_campaign(campaign.id(), campaign.advised());
    else
      for (const auto& row : report.rows)
        if (row.standing.state != Standing::State::open) told->add_verdict(campaign.id(), row.newcomer.stack);
  }

  void finish(bool interrupted) {
    name_both();
    for (auto& one : report.invalid) {
      one.was_advised = report.before && report.before->stack == one.stack;
      if (!interrupted) told->add_invalid(one.stack);
    }
    if (!interrupted && report.after) told->add_advice(report.after->stack);
    if (interrupted)
      report.kind = Report::Kind::interrupted;
    else
      for (auto& row : report.rows)
        if (row.is_regression) row.blame = blame_of(row);
    put_into_words(report, *space);
  }

  std::vector<std::string> blame_of(ReportRow& row) {
    if (row.newcomer.is_older || row.newcomer.changes.size() < 2) return {};  // one change: it is the one
    auto blamed = blame_between(options, subject, report.after->stack, row.newcomer.stack, job.loaded.catalog, context, say);
    row.blame_document = std::move(blamed.document);
    return blamed.lines;
  }

  void name_both() {
    const auto& before = report.before ? report.before : report.after;
    const auto& after = report.after ? report.after : report.before;
    if (report.before) report.before_name = space->name_of(before->stack, after->stack);
    if (report.after) report.after_name = space->name_of(after->stack, before->stack);
    report.advice_changed = report.before && report.after && report.before->stack != report.after->stack;
  }

  Report planned(const std::optional<specs::Plan>& plan) {
    report.kind = Report::Kind::planned;
    report.after = report.before;
    name_both();
    if (plan && is_over(*plan)) {
      report.notes.push_back(fmt::format("campaign {} has ended, and nobody was told: a pass would do that", plan->id.substr(0, 12)));
    } else if (plan) {
      const auto known = history->versions_without({plan->id});
      for (std::size_t i = 1; i < plan->arms.size(); ++i)
        if (!plan->arms[i].sentinel)
          report.rows.push_back({newcomer_of(plan->arms.front().stack, plan->arms[i].stack, *space, known),
                                 space->name_of(plan->arms[i].stack, plan->arms.front().stack), {}, false, false, {}, {}});
      report.notes.push_back(what_it_takes(plan->arms.size()));
    }
    put_into_words(report, *space);
    return std::move(report);
  }

  std::string what_it_takes(std::size_t arms) {
    if (options.cluster) {
      const auto settings = cluster_settings(options);
      return fmt::format("on the cluster, {} arms in {} of {} rounds ({} inspections); verdicts when all are done", arms,
                         workspace::counted(settings.blocks, "block"), settings.rounds_per_block, settings.blocks * settings.rounds_per_block * arms);
    }
    const auto after = looks(report.rows.size(), options.rule);
    return fmt::format("{} arms, first verdicts after {} rounds ({} inspections), at most {} rounds", arms, after.front(), after.front() * arms, after.back());
  }

  Report nothing_valid(const std::string& why) {
    hardware = {job.loaded.host.cpu.microarchitecture, false, job.loaded.host.fingerprint()};
    report.hardware = hardware.name;
    read_history();
    report.kind = Report::Kind::nothing_valid;
    report.is_first = !told->advice();
    report.notes.push_back(why);
    put_into_words(report, *space);
    return std::move(report);
  }

 public:
  WatchOptions options;
  const workspace::Context& context;
  SayLine say;
  Subject subject;
  fs::path database;
  PassLock lock;
  store::Store store;
  store::Spool spool;
  std::vector<std::string> catalogs;  // overlays, and what was made of the index
  campaigns::Job job;
  std::unique_ptr<Space> space;
  Hardware hardware;
  std::optional<History> history;
  std::optional<Told> told;
  std::map<Stack, bool> valid;
  Report report;
};

Pass::Pass(const WatchOptions& options, const workspace::Context& context, SayLine say)
    : state_(std::make_unique<State>(options, context, std::move(say))) {}
Pass::~Pass() = default;
Report Pass::run() { return state_->run(); }
void Pass::was_told() { state_->was_told(); }

}  // namespace stackx::watch
