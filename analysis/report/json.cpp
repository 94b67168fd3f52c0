// The report as `report --json` prints it, and as the page's charts read it.
#include <nlohmann/json.hpp>

#include "analysis/report/report.hpp"
#include "analysis/text/words.hpp"

namespace stackx::analysis {
namespace {

using nlohmann::json;

json distribution_json(const Distribution& of) {
  json rounds = json::array(), rates = json::array();
  for (const Inspected& one : of.values) {
    rates.push_back(one.rate);
    rounds.push_back({{"campaign", one.campaign}, {"round", one.round}});
  }
  return {{"id", of.stack.id()}, {"label", of.label}, {"n", of.values.size()},
          {"low", of.low},       {"q1", of.q1},       {"median", of.median},
          {"q3", of.q3},         {"high", of.high},   {"outliers", of.outliers},
          {"rates", rates},      {"rounds", rounds}};
}

json spread_json(const std::vector<SpreadPoint>& points) {
  json result = json::array();
  for (const SpreadPoint& point : points)
    result.push_back({{"repetitions", point.repetitions},
                      {"stacks", point.stacks},
                      {"median", point.median},
                      {"q1", point.q1},
                      {"q3", point.q3}});
  return result;
}

json quartiles_json(const std::optional<Quartiles>& of) {
  if (!of) return nullptr;
  return {{"q1", of->q1}, {"median", of->median}, {"q3", of->q3}};
}

json sizes_json(const Report& report) {
  if (!report.sizes) return nullptr;
  json result = {{"axis", report.sizes->axis},
                 {"workloads", json::array()},
                 {"curves", json::array()},
                 {"without_batch", report.sizes->without_batch}};
  for (const auto& workload : report.sizes->workloads)
    result["workloads"].push_back(workload.text());
  for (const SizeCurve& curve : report.sizes->curves) {
    json points = json::array();
    for (const SizePoint& point : curve.points)
      points.push_back({{"size", point.size},
                        {"n", point.inspections},
                        {"failed", point.failed},
                        {"rate", quartiles_json(point.rate)},
                        {"seconds", quartiles_json(point.seconds)},
                        {"efficiency", point.efficiency ? json(*point.efficiency) : json()}});
    result["curves"].push_back({{"id", curve.stack.id()},
                                {"label", label_of(curve.stack.components, report.common)},
                                {"points", points}});
  }
  return result;
}

json drift_json(const Drift& drift) {
  json rounds = json::array(), changes = json::array();
  for (const RoundShift& round : drift.rounds)
    rounds.push_back({{"round", round.round}, {"arms", round.arms}, {"shift", round.shift}});
  for (const ChangePoint& change : drift.changes)
    changes.push_back({{"round", change.round}, {"ratio", change.ratio}, {"p", change.p}});
  return {{"campaign", drift.campaign}, {"rounds", rounds},     {"changes", changes},
          {"spread", drift.spread},     {"noise", drift.noise}, {"trend", drift.trend},
          {"trend_p", drift.trend_p}};
}

json bounds(const std::optional<Interval>& interval) {
  return interval ? json::array({interval->low, interval->high}) : json(nullptr);
}

json sentinels_json(const Report& report) {
  const Sentinels& of = report.ranking.sentinels;
  json tests = json::array();
  for (const SentinelTest& test : of.tests)
    tests.push_back({{"campaign", test.campaign},
                     {"arm", test.arm},
                     {"stack", test.stack.id()},
                     {"label", label_of(test.stack.components, report.common)},
                     {"pairs", test.pairs},
                     {"ratio", test.ratio},
                     {"ci", bounds(test.interval)},
                     {"coverage", test.interval ? json(test.interval->coverage) : json(nullptr)},
                     {"different", test.different}});
  return {{"tests", tests},
          {"able", of.able},
          {"different", of.different},
          {"rate_ci", bounds(of.rate)}};
}

json slope_json(const std::optional<Slope>& slope) {
  if (!slope) return nullptr;
  return {{"log_rate_per_unit", slope->slope}, {"ci", bounds(slope->interval)}, {"n", slope->n}};
}

json conditions_json(const Conditions& of) {
  return {{"inspections", of.inspections}, {"with_steal", of.with_steal},
          {"stolen", of.stolen},           {"most_steal", of.most_steal},
          {"least_load", of.least_load},   {"most_load", of.most_load},
          {"steal", slope_json(of.steal)}, {"load", slope_json(of.load)}};
}

json failures_json(const Report& report) {
  json result = json::array();
  for (const FailureReason& failure : report.failures)
    result.push_back({{"outcome", failure.outcome},
                      {"reason", failure.reason},
                      {"inspections", failure.inspections},
                      {"stacks", failure.stacks}});
  return result;
}

json machines_json(const Report& report) {
  json result = json::array();
  for (const Machine& machine : report.machines) {
    json facts = json::array();
    for (const auto& [name, value] : machine.facts)
      facts.push_back({{"name", name}, {"value", value}});
    result.push_back(
        {{"campaigns", machine.campaigns}, {"inspections", machine.inspections}, {"facts", facts}});
  }
  return result;
}

json blamed_json(const Report& report) {
  json result = json::array();
  for (const Blamed& of : report.blamed) {
    json row = {{"answer", of.answer}, {"change", of.change}, {"role", of.role}, {"metric", of.metric}, {"ratio", of.ratio}, {"rounds", of.rounds}};
    row["interval"] = of.low && of.high ? json::array({*of.low, *of.high}) : json();
    result.push_back(std::move(row));
  }
  return result;
}

json campaigns_json(const Report& report) {
  json result = json::array();
  for (const CampaignFacts& of : report.campaigns)
    result.push_back({{"id", of.id},
                      {"project", of.project},
                      {"created", of.created},
                      {"seed", of.seed ? json(*of.seed) : json(nullptr)},
                      {"sampler_seed", of.sampler_seed ? json(*of.sampler_seed) : json(nullptr)},
                      {"arms", of.arms},
                      {"rounds", of.rounds},
                      {"inspections", of.inspections},
                      {"failed", of.failed},
                      {"first", of.first},
                      {"last", of.last}});
  return result;
}

}  // namespace

json to_json(const Report& report) {
  json result = {{"question", report.question},
                 {"answer", report.answer},
                 {"headline", to_json(report.headline)},
                 {"ranking", to_json(report.ranking)},
                 {"common", report.common},
                 {"distributions", json::array()},
                 {"spread",
                  {{"by_samples", spread_json(report.spread.by_samples)},
                   {"by_inspections", spread_json(report.spread.by_inspections)},
                   {"draws", report.spread.draws},
                   {"seed", report.spread.seed}}},
                 {"sizes", sizes_json(report)},
                 {"drift", json::array()},
                 {"effects", to_json(report.effects)},
                 {"blamed", blamed_json(report)},
                 {"conditions", conditions_json(report.conditions)},
                 {"failures", failures_json(report)},
                 {"sentinels", sentinels_json(report)},
                 {"machines", machines_json(report)},
                 {"campaigns", campaigns_json(report)},
                 {"commands", report.commands},
                 {"stackx_version", report.stackx_version}};
  result["$schema"] = "stackx/report/1";
  for (const Distribution& one : report.distributions)
    result["distributions"].push_back(distribution_json(one));
  for (const Drift& one : report.drifts) result["drift"].push_back(drift_json(one));
  return result;
}

}  // namespace stackx::analysis
