#include "blame/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "analysis/ranking/amount_remark.hpp"
#include "analysis/statistics/statistics.hpp"
#include "analysis/text/words.hpp"
#include "campaigns/plan_lock.hpp"
#include "specs/format/clock.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/random.hpp"
#include "workspace/progress.hpp"
#include "workspace/words.hpp"

namespace stackx::blame {
namespace {

using analysis::counted;
using specs::Inspection;
using History = std::vector<MeasuredRound>;

std::string id_of(const Question& question) {
  const auto& limits = question.limits;
  specs::Json stacks = specs::Json::array();
  for (const auto& subset : question.lattice.stacks(question.settings.few)) stacks.push_back(question.stack(subset).id());
  Subset prefix = question.lattice.none();
  for (std::size_t group = 0; group < question.lattice.size(); ++group) {
    prefix = question.lattice.with(prefix, {group});
    stacks.push_back(question.stack(prefix).id());
  }
  specs::Json json = {{"old", question.stack(question.lattice.none()).id()},
                            {"stacks", stacks},
                            {"workload", question.workload.id()},
                            {"program", question.program ? specs::to_json(*question.program) : specs::Json()},
                            {"seed", question.settings.seed},
                            {"runner", limits.runner},
                            {"limits", {limits.timeout_seconds, limits.memory_gib, limits.cpus}}};
  if (!question.device.empty()) json["device"] = question.device;
  return specs::sha256(json.dump()).substr(0, 12);
}

double seconds_of(const Inspection& inspection) {
  double nanoseconds = 0;
  for (const auto& phase : inspection.phases)
    if (phase.name == "run") nanoseconds += static_cast<double>(phase.duration_ns);
  return nanoseconds / 1e9;
}

// What inspections took, with what lies between two of a campaign, pauses between two starts left out: what lies further
// apart than an inspection takes and a minute was no measuring.
class Elapsed {
 public:
  void add(const Inspection& one) {
    constexpr double most_pause = 60;
    const double own = seconds_of(one);
    std::int64_t finished = 0;
    const bool is_known = specs::parse_utc(one.finished, finished);
    const double since = static_cast<double>(finished - last_) / 1e3;
    each_.push_back(is_known && one.campaign == campaign_ && since >= own && since < own + most_pause ? since : own);
    all_ += each_.back();
    campaign_ = one.campaign;
    last_ = finished;
  }
  double all() const { return all_; }
  double usual() const { return analysis::median(each_); }  // without what making an environment takes

 private:
  std::vector<double> each_;
  double all_ = 0;
  std::string campaign_;
  std::int64_t last_ = 0;
};

// One campaign of a trial: the rounds of one set of stacks, each kept in the history once it is complete.
class TrialSchedule : public campaigns::Schedule {
 public:
  TrialSchedule(const Question& question, const std::vector<Subset>& stacks, const specs::Plan& plan, History& history,
                const std::function<bool()>& late)
      : question_(question), stacks_(stacks), plan_(plan), history_(history), late_(late) {}

  void add(const Inspection& inspection) override {
    const auto arm = std::ranges::find(plan_.arms, inspection.arm, &specs::Arm::label);
    if (arm == plan_.arms.end()) return;
    rounds_[inspection.round][static_cast<std::size_t>(arm - plan_.arms.begin())] = value_of(inspection, question_.metric);
  }

  std::vector<std::size_t> arms(std::uint64_t round) override {
    if (round > 0) history_.push_back({stacks_, values(round - 1)});
    const auto wanted = next(question_.lattice, question_.settings, history_);
    if (!wanted.stage || wanted.stacks != stacks_ || (late_() && !rounds_.contains(round))) return {};
    std::vector<std::size_t> all(stacks_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
  }

  std::uint64_t most_rounds() const override { return plan_.campaign.rounds; }

 private:
  // An environment that cannot be made gives a result in the first round alone.
  Rounds::Values values(std::uint64_t round) {
    Rounds::Values result(stacks_.size());
    for (const auto& [place, value] : rounds_[round]) result[place] = value;
    return result;
  }

  const Question& question_;
  const std::vector<Subset>& stacks_;
  const specs::Plan& plan_;
  History& history_;
  const std::function<bool()>& late_;
  std::map<std::uint64_t, std::map<std::size_t, std::optional<double>>> rounds_;
};

// Results become durable one by one; one line says where the search is.
class TrialListener : public campaigns::Listener {
 public:
  TrialListener(store::Store& store, store::Spool& spool, const SayLine& say) : store_(store), spool_(spool), say_(say) {}

  void result(const Inspection& inspection) override {
    store::keep(inspection, spool_, store_);
    ++fresh;
    keep(inspection);
  }
  void progress(const campaigns::Progress& progress) override {
    line_.show(fmt::format("[{}, {}]  {}: {}", counted(inspections.size(), "inspection"), workspace::duration(elapsed.all()), doing, progress.current));
  }
  void say(const std::string& text) override { line_.say(text); }
  void finished(std::uint64_t /*round*/) override {
    constexpr std::size_t enough = 4;  // two rounds: environments are made in the first
    if (told_minutes_ || fresh == 0 || inspections.size() < enough) return;
    told_minutes_ = true;
    const double each = elapsed.usual();
    tell(fmt::format("an inspection takes {}: usually about {} for {} of them", workspace::duration(each),
                     workspace::duration(each * static_cast<double>(usual)), usual));
  }
  void finish() { line_.finish(); }
  void tell(const std::string& text) {
    line_.finish();
    say_(text);
  }

  void keep(const Inspection& inspection) {
    elapsed.add(inspection);
    inspections.push_back(inspection);
  }

  std::string doing;
  std::size_t usual = 0;  // inspections
  std::size_t fresh = 0;
  Elapsed elapsed;
  std::vector<Inspection> inspections;

 private:
  workspace::ProgressLine line_;
  bool told_minutes_ = false;
  store::Store& store_;
  store::Spool& spool_;
  const SayLine& say_;
};

class Running {
 public:
  Running(const Question& question, inspector::StackInspector& inspector, store::Store& store, store::Spool& spool,
          const std::function<bool()>& stop, std::optional<double> deadline, const SayLine& say)
      : question_(question), inspector_(inspector), store_(store), spool_(spool), stop_(stop), listener_(store, spool, say) {
    listener_.usual = usual_inspections(question.lattice, question.settings);
    late_ = [deadline] { return deadline && campaigns::steady_seconds() >= *deadline; };
    for (const auto& row : store.campaigns())
      if (row.project == project_name(question)) stored_.push_front(row.id);  // oldest first
    if (!is_error(question.metric) && !stored_.empty() && an_end_failed(stored_.front())) stored_.clear();
  }

  Trial run() {
    Next step;
    while (true) {
      step = next(question_.lattice, question_.settings, history_);
      history_.resize(step.used);
      if (!step.stage || trial_.interrupted || trial_.out_of_budget) break;
      run_rounds(step);
    }
    listener_.finish();
    trial_.answer = step.answer;
    tell_ends();
    trial_.fresh = listener_.fresh;
    trial_.out_of_budget |= step.answer.out_of_budget;
    sum_up_cost();
    return std::move(trial_);
  }

 private:
  // What did not run then may run now: a library is there, a disk has room again.
  bool an_end_failed(const std::string& campaign) const {
    std::map<specs::Stack, bool> ran;
    for (const auto& one : campaigns::documents(store_, campaign)) ran[one.stack] |= one.outcome == specs::Outcome::ok;
    return std::ranges::any_of(ran, [](const auto& one) { return !one.second; });
  }

  void sum_up_cost() {
    auto& cost = trial_.cost;
    for (const auto& one : listener_.inspections) cost.stacks.insert(one.stack.id());
    cost.inspections = listener_.inspections.size();
    cost.rounds = trial_.answer.rounds;
    cost.seconds = listener_.elapsed.all();
  }

  void run_rounds(const Next& step) {
    const auto plan = plan_for(step.stacks);
    trial_.campaigns.push_back(plan.id);
    const campaigns::PlanLock lock(spool_, plan.id);
    TrialSchedule schedule(question_, step.stacks, plan, history_, late_);
    for (const auto& earlier : campaigns::documents(store_, plan.id)) {  // in the order they ran
      schedule.add(earlier);
      listener_.keep(earlier);
    }
    tell(step);
    const auto ending = campaigns::run(plan, inspector_, schedule, store_.done(plan.id), listener_, stop_);
    if (ending == campaigns::Ending::interrupted) trial_.interrupted = true;
    if (ending == campaigns::Ending::complete && late_()) trial_.out_of_budget = true;
    if (ending == campaigns::Ending::too_many_failures || ending == campaigns::Ending::budget) trial_.out_of_budget = true;
  }

  // The one that the store has, where it began with the same question; else a new one, durable before its first inspection.
  specs::Plan plan_for(const std::vector<Subset>& stacks) {
    std::vector<specs::Stack> wanted;
    for (const auto& subset : stacks) wanted.push_back(question_.stack(subset));
    while (!stored_.empty()) {
      const auto plan = store_.plan(stored_.front());
      stored_.pop_front();
      if (!plan || !std::ranges::equal(plan->arms, wanted, {}, &specs::Arm::stack)) continue;
      return *plan;
    }
    specs::Project project;
    project.name = project_name(question_);
    project.workloads = {question_.workload};
    project.campaign = question_.limits;
    project.campaign.rounds = question_.settings.most_rounds;
    project.campaign.sampler.seed = specs::derive_seed(question_.settings.seed, "order", trial_.campaigns.size());
    project.campaign.max_failed = most_failed;
    const auto plan = campaigns::make_plan(project, wanted, specs::rfc3339_utc(std::chrono::system_clock::now()), question_.device, question_.program);
    spool_.write(plan);
    store_.ingest(plan);
    return plan;
  }

  void tell(const Next& step) {
    switch (*step.stage) {
      case Stage::ends: listener_.doing = "both ends"; break;
      case Stage::hidden: listener_.doing = "what may cancel out"; break;
      case Stage::proof: listener_.doing = "proof"; break;
      case Stage::halves: {
        const auto left = count(step.stacks.back()) - count(step.stacks.front());
        listener_.doing = fmt::format("halving {} groups", left);
        break;
      }
    }
    listener_.tell(fmt::format("{}: {} a round", listener_.doing, counted(step.stacks.size(), "stack")));
  }

  void tell_ends() {
    const auto of_end = [&](const Subset& end, std::optional<Inspection>& last, std::string& amount) {
      const auto stack = question_.stack(end);
      std::vector<double> amounts;
      for (const auto& inspection : listener_.inspections) {
        if (inspection.stack != stack) continue;
        last = inspection;
        if (const auto one = amount_of(inspection, question_.metric)) amounts.push_back(*one);
      }
      if (!amounts.empty()) amount = amount_in_words(analysis::median(amounts), *last, question_.metric);
    };
    of_end(question_.lattice.none(), trial_.old_end, trial_.old_amount);
    of_end(question_.lattice.all(), trial_.new_end, trial_.new_amount);
    analysis::AmountRemark remark(question_.metric);
    for (const auto& inspection : listener_.inspections) remark.add(inspection);
    trial_.amount_remark = remark.text();
  }

  static constexpr std::uint64_t most_failed = 100'000;  // stacks that fail are walked around

  const Question& question_;
  inspector::StackInspector& inspector_;
  store::Store& store_;
  store::Spool& spool_;
  const std::function<bool()>& stop_;
  std::function<bool()> late_;
  TrialListener listener_;
  std::deque<std::string> stored_;  // campaigns of this question
  History history_;
  Trial trial_;
};

}  // namespace

void Cost::add(const Cost& other) {
  stacks.insert(other.stacks.begin(), other.stacks.end());
  inspections += other.inspections;
  rounds += other.rounds;
  seconds += other.seconds;
}

std::string project_name(const Question& question) { return "blame-" + id_of(question); }

std::optional<double> usual_seconds(const std::filesystem::path& database, const Question& question) {
  constexpr double most = 3600;  // two starts of a campaign lie further apart
  const auto store = store::Store::open_if_readable(database);
  if (!store) return std::nullopt;
  store::Filter filter;
  filter.workload = question.workload;
  filter.whose = question.program ? question.program->identity() : "";
  std::map<std::string, std::vector<std::int64_t>> times;  // of a campaign, when each ended
  for (const auto& one : store->measurements(filter))
    if (std::int64_t time = 0; specs::parse_utc(one.finished, time)) times[one.campaign].push_back(time);
  std::vector<double> seconds;
  for (auto& [campaign, ended] : times) {
    std::ranges::sort(ended);
    for (std::size_t i = 1; i < ended.size(); ++i)
      if (const double each = static_cast<double>(ended[i] - ended[i - 1]) / 1e3; each < most) seconds.push_back(each);
  }
  if (seconds.empty()) return std::nullopt;
  return analysis::median(seconds);
}

Trial run_trial(const Question& question, inspector::StackInspector& inspector, store::Store& store, store::Spool& spool,
                const std::function<bool()>& stop, std::optional<double> deadline, const SayLine& say) {
  return Running(question, inspector, store, spool, stop, deadline, say).run();
}

}  // namespace stackx::blame
