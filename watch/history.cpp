#include "watch/history.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/ranking/rates.hpp"
#include "specs/format/clock.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"

namespace stackx::watch {
namespace {

void note_versions(const specs::Stack& stack, std::map<std::string, std::set<std::string>>& versions) {
  for (const auto& [name, version] : stack.components) versions[name].insert(version);
}

bool is_on(const store::Measurement& one, const Hardware& hardware) {
  if (hardware.is_asked) return true;  // the store was asked for that model
  return one.host == hardware.fingerprint || one.microarchitecture == hardware.name;
}

// Between the ends of two inspections of one start; two starts lie further apart.
double seconds_of(const std::vector<store::Measurement>& measurements) {
  constexpr double most = 3600;
  std::vector<std::int64_t> ended;
  for (const auto& one : measurements)
    if (std::int64_t time = 0; specs::parse_utc(one.finished, time)) ended.push_back(time);
  std::ranges::sort(ended);
  double all = 0;
  for (std::size_t i = 1; i < ended.size(); ++i)
    if (const double each = static_cast<double>(ended[i] - ended[i - 1]) / 1e3; each < most) all += each;
  return all;
}

// The results of a campaign's starts, oldest first, as its schedule sees them.
PastCampaign past_campaign(const std::vector<specs::Plan>& starts, const std::vector<store::Measurement>& measurements, const SettlingRule& rule) {
  PastCampaign past{*std::ranges::max_element(starts, {}, [](const auto& plan) { return plan.arms.size(); }), {}, rule, {}, {}, 0, {}, 0};
  std::map<specs::Stack, std::size_t> places{{past.advised(), 0}};
  for (const auto& stack : past.newcomers()) places.emplace(stack, places.size());
  std::vector<store::Measurement> own;
  std::uint64_t begin = 0;  // of this start's rounds
  for (const auto& start : starts) {
    past.ids.insert(start.id);
    std::uint64_t rounds = 0;
    for (const auto& one : measurements) {
      if (one.campaign != start.id) continue;
      own.push_back(one);
      past.hosts.insert(one.host);
      rounds = std::max(rounds, one.round + 1);
      if (const auto place = places.find(one.stack); !one.sentinel && place != places.end())
        past.results.push_back({place->second, begin + one.round, one.outcome, one.reason, analysis::log_rate(one)});
    }
    begin += rounds;
  }
  past.inspections = own.size();
  past.seconds = seconds_of(own);
  if (!past.plan.block) {
    past.progress = progress_of(past.results, past.newcomers().size(), rule);
    return past;
  }
  past.rule.most_rounds = std::max<std::uint64_t>(begin, 1);
  past.rule.looks_once = true;
  past.progress = {begin, true};
  return past;
}

}  // namespace

std::string Subject::id() const {
  const specs::Json json = {{"project", project},
                            {"workload", workload.text()},
                            {"program", program ? specs::Json(program->identity()) : specs::Json()},
                            {"device", device}};
  return "watch-" + specs::sha256(specs::canonical(json)).substr(0, 12);
}

std::vector<specs::Stack> PastCampaign::newcomers() const {
  std::vector<specs::Stack> stacks;
  for (std::size_t i = 1; i < plan.arms.size(); ++i)
    if (!plan.arms[i].sentinel) stacks.push_back(plan.arms[i].stack);
  return stacks;
}

Settling PastCampaign::settled() const { return settle(results, newcomers().size(), progress.rounds, rule); }

bool PastCampaign::blames_program() const {
  const auto all = settled();
  const auto failed_at_program = [](const Standing& one) { return one.state == Standing::State::open || !has_no_environment(one.outcome); };
  const bool none_ran = std::ranges::none_of(results, [](const auto& one) { return one.outcome == specs::Outcome::ok; });
  return all.advised_failed && none_ran && failed_at_program(*all.advised_failed) && std::ranges::all_of(all.newcomers, failed_at_program);
}

History::History(const store::Store& store, const Subject& subject, const Hardware& hardware, const SettlingRule& rule, bool again,
                 const std::function<bool(const std::string& campaign)>& gave_up) {
  const auto watch = subject.id();
  std::set<std::string> of_project, of_passes;
  std::vector<specs::Plan> newest;  // starts of the newest campaign of a pass
  for (const auto& row : store.campaigns()) {  // newest first
    if (row.project != watch && row.project != subject.project) continue;
    of_project.insert(row.id);
    if (row.project == watch) of_passes.insert(row.id);
    if (row.project == watch)
      if (auto plan = store.plan(row.id)) {
        const bool is_another_start = !newest.empty() && newest.front().block && plan->block && newest.front().block->cluster == plan->block->cluster;
        if (newest.empty() || is_another_start) newest.insert(newest.begin(), *std::move(plan));
      }
    if (newest.empty()) later_.insert(row.id);
  }
  store::Filter filter;
  filter.workload = subject.workload;
  filter.whose = subject.program ? subject.program->identity() : "";
  if (hardware.is_asked) filter.hardware = hardware.name;
  std::vector<store::Measurement> own;
  std::set<std::string> running;  // campaigns in which something ran
  for (auto& one : store.measurements(filter)) {
    if (!of_project.contains(one.campaign) || one.workload.params != subject.workload.params || !is_on(one, hardware)) continue;
    if (one.outcome == specs::Outcome::ok) running.insert(one.campaign);
    own.push_back(std::move(one));
  }
  if (!newest.empty()) last_ = past_campaign(newest, own, rule);
  for (auto& one : own) {
    const bool says_nothing = of_passes.contains(one.campaign) && !running.contains(one.campaign) && !has_no_environment(one.outcome);
    if (says_nothing) continue;
    const bool is_ok = one.outcome == specs::Outcome::ok;
    const bool is_new_again = is_ok ? gave_up && gave_up(one.campaign) : again;
    if (!is_new_again) note_versions(one.stack, versions_);
    stacks_.insert(one.stack);
    if (one.outcome == specs::Outcome::ok) ran_.insert(one.stack);
    measurements_.push_back(std::move(one));
  }
}

std::map<std::string, std::set<std::string>> History::versions_without(const std::set<std::string>& campaigns) const {
  std::map<std::string, std::set<std::string>> versions;
  for (const auto& one : measurements_)
    if (!campaigns.contains(one.campaign)) note_versions(one.stack, versions);
  return versions;
}

}  // namespace stackx::watch
