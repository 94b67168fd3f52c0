#include "blame/answered.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/text/words.hpp"
#include "blame/report/kept.hpp"
#include "blame/report/output.hpp"
#include "blame/versions.hpp"
#include "workspace/words.hpp"

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

// What --versions found; its cost, and why it ended, become the trial's.
struct Walked {
  std::optional<FirstBad> first_bad;
  std::string note;
};

// Of the budget what is left.
Walked walk_versions(Asked& asked, std::size_t group, Measuring& measuring, const SayLine& say, Trial& trial) {
  auto walk = version_walk(asked, group);
  if (!walk) return {{}, "--versions: no other release lies between the two"};
  auto& most = walk->question.settings.most_inspections;
  most -= std::min(most, trial.cost.inspections);
  const auto usual = usual_inspections(walk->question.lattice, walk->question.settings);
  const double each = trial.cost.seconds / static_cast<double>(std::max<std::size_t>(trial.cost.inspections, 1));
  say(fmt::format("versions of {}: {} between the two, of which {} can be tried; usually about {}, {}", walk->package,
                  walk->versions.size() - 2 + walk->skipped.size(), walk->versions.size() - 2, analysis::counted(usual, "inspection"),
                  workspace::duration(each * static_cast<double>(usual))));
  auto job = asked.job;
  job.loaded.catalog = walk->catalog;
  const auto walked = measuring.run(walk->question, job);
  trial.cost.add(walked.cost);
  trial.fresh += walked.fresh;
  trial.interrupted |= walked.interrupted;
  trial.out_of_budget |= walked.out_of_budget;
  trial.campaigns.insert(trial.campaigns.end(), walked.campaigns.begin(), walked.campaigns.end());
  const bool breaks = gives_no_result(trial, asked.question.metric);
  return {first_bad(*walk, walked, asked.question.metric, breaks), {}};
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
  std::vector<std::string> notes;
  if (trial.answer.kind == Answer::Kind::new_fails && !is_error(question.metric)) {
    say(finding_of().headline + " So the question is what breaks it.");
    notes.push_back(fmt::format("{} does not run: asked was what breaks it, not what makes it slower", named.new_end));
    question.metric = *Yardstick::from("error");
    trial = measuring.run(question, asked.job);
  }
  const auto group = culprit(trial.answer);
  Walked walked;
  if (how.versions && group && !trial.interrupted) walked = walk_versions(asked, *group, measuring, say, trial);
  if (!walked.note.empty()) notes.push_back(walked.note);
  auto finding = finding_of();
  finding.may_have_first_bad = !how.versions && group && has_releases(asked, *group);
  finding.first_bad = std::move(walked.first_bad);
  finding.notes.insert(finding.notes.begin(), notes.begin(), notes.end());
  keep(measuring.database(), fmt::format("{}-{}", project_name(question).substr(6), question.metric.word()),
       finding_json(finding, asked.between, trial, question.settings, named));
  return {std::move(trial), std::move(finding)};
}

}  // namespace stackx::blame
