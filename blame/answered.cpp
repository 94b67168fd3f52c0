#include "blame/answered.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "blame/report/kept.hpp"
#include "blame/report/output.hpp"
#include "blame/versions.hpp"

namespace stackx::blame {
namespace {

// One store, one deadline, an inspector for each catalog.
class Measuring {
 public:
  Measuring(const Answering& how, const workspace::Context& context, const SayLine& say)
      : how_(how), context_(context), say_(say), database_(store::default_path(context.db)), store_(store::Store::open(database_)), spool_(database_) {
    for (const auto& remark : spool_.recover(store_)) say(remark);
    campaigns::listen_to_signals();
    if (how.minutes) deadline_ = campaigns::steady_seconds() + *how.minutes * 60;
  }

  Trial run(const Question& question, const campaigns::Job& job) {
    const campaigns::CampaignOptions options{job, how_.offline};
    inspector::Inspector inspector(campaigns::inspector_context(options, question.program, context_), job.loaded.catalog, question.limits);
    return run_trial(question, inspector, store_, spool_, campaigns::interrupted, deadline_, say_);
  }

  const std::filesystem::path& database() const { return database_; }

 private:
  const Answering& how_;
  const workspace::Context& context_;
  const SayLine& say_;
  std::filesystem::path database_;
  store::Store store_;
  store::Spool spool_;
  std::optional<double> deadline_;
};

// The group to walk the versions of; nothing where none was found, or several cannot be told apart.
std::optional<std::size_t> culprit(const Answer& answer) {
  for (const auto& suspect : answer.suspects)
    if (suspect.role == Suspect::Role::culprit && suspect.groups.size() == 1) return suspect.groups.front();
  return std::nullopt;
}

void walk_versions(Asked& asked, const Trial& trial, Measuring& measuring, const SayLine& say, Finding& finding) {
  const auto group = culprit(trial.answer);
  if (!group) return;
  auto walk = version_walk(asked, *group);
  if (!walk) {
    finding.notes.push_back("--versions: no other release lies between the two");
    return;
  }
  say(fmt::format("versions of {}: {} between the two, of which {} can be tried", walk->package,
                  walk->versions.size() - 2 + walk->skipped.size(), walk->versions.size() - 2));
  auto job = asked.job;
  job.loaded.catalog = walk->catalog;
  finding.first_bad = first_bad(*walk, measuring.run(walk->question, job), finding.metric);
}

Finding same_stack(const Asked& asked, const Named& named) {
  Finding same;
  same.kind = Finding::Kind::same;
  same.metric = asked.question.metric;
  same.headline = fmt::format("{} and {} are the same stack: nothing to blame.", named.old_end, named.new_end);
  return same;
}

}  // namespace

Answered answered(Asked& asked, const Answering& how, const Named& named, const workspace::Context& context, const SayLine& say) {
  if (asked.between.groups.empty()) return {{}, same_stack(asked, named)};
  Measuring measuring(how, context, say);
  auto& question = asked.question;
  auto trial = measuring.run(question, asked.job);
  const auto finding_of = [&] { return make_finding(asked.between, trial, question.metric, question.settings, named); };
  auto finding = finding_of();
  if (trial.answer.kind == Answer::Kind::new_fails && !is_error(question.metric)) {
    const auto failure = finding.headline;
    say(failure + " So the question is what breaks it.");
    question.metric = *Yardstick::from("error");
    trial = measuring.run(question, asked.job);
    finding = finding_of();
    finding.notes.insert(finding.notes.begin(), failure);
  }
  const auto group = culprit(trial.answer);
  finding.may_have_first_bad = !how.versions && group && has_releases(asked, *group);
  if (how.versions && !trial.interrupted) walk_versions(asked, trial, measuring, say, finding);
  keep(measuring.database(), fmt::format("{}-{}", project_name(question).substr(6), question.metric.word()),
       finding_json(finding, asked.between, trial, question.settings, named));
  return {std::move(trial), std::move(finding)};
}

}  // namespace stackx::blame
