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
  if (hardware.is_gpu) return true;  // the store was asked for that model
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

PastCampaign past_campaign(specs::Plan plan, const std::vector<store::Measurement>& measurements, const SettlingRule& rule) {
  PastCampaign past{std::move(plan), {}, {}, 0, 0};
  std::map<std::string, std::size_t> places;  // by label
  for (const auto& arm : past.plan.arms)
    if (!arm.sentinel) places.emplace(arm.label, places.size());
  std::vector<store::Measurement> own;
  for (const auto& one : measurements) {
    if (one.campaign != past.plan.id) continue;
    own.push_back(one);
    if (const auto place = places.find(one.arm); place != places.end())
      past.results.push_back({place->second, one.round, one.outcome, one.reason, analysis::log_rate(one)});
  }
  past.inspections = own.size();
  past.seconds = seconds_of(own);
  past.progress = progress_of(past.results, past.newcomers().size(), rule);
  return past;
}

History::History(const store::Store& store, const Subject& subject, const Hardware& hardware, const SettlingRule& rule, bool again) {
  const auto watch = subject.id();
  std::set<std::string> of_project;
  std::optional<specs::Plan> newest;
  for (const auto& row : store.campaigns()) {  // newest first
    if (row.project != watch && row.project != subject.project) continue;
    of_project.insert(row.id);
    if (row.project == watch && !newest) newest = store.plan(row.id);
    if (!newest) later_.insert(row.id);
  }
  store::Filter filter;
  filter.workload = subject.workload;
  filter.whose = subject.program ? subject.program->identity() : "";
  if (hardware.is_gpu) filter.hardware = hardware.name;
  for (auto& one : store.measurements(filter)) {
    if (!of_project.contains(one.campaign) || one.workload.params != subject.workload.params || !is_on(one, hardware)) continue;
    if (!again || one.outcome == specs::Outcome::ok) note_versions(one.stack, versions_);
    stacks_.insert(one.stack);
    if (one.outcome == specs::Outcome::ok) ran_.insert(one.stack);
    measurements_.push_back(std::move(one));
  }
  if (newest) last_ = past_campaign(*std::move(newest), measurements_, rule);
}

std::map<std::string, std::set<std::string>> History::versions_without(const std::string& campaign) const {
  std::map<std::string, std::set<std::string>> versions;
  for (const auto& one : measurements_)
    if (one.campaign != campaign) note_versions(one.stack, versions);
  return versions;
}

}  // namespace stackx::watch
