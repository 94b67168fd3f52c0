// The ranking as `advise --json` prints it.
#include <nlohmann/json.hpp>

#include "analysis/ranking/ranking.hpp"

namespace stackx::analysis {
namespace {

using nlohmann::json;

json stack_json(const specs::Stack& stack) {
  return {{"id", stack.id()}, {"components", stack.components}};
}

json bounds(const std::optional<Interval>& interval) {
  return interval ? json::array({interval->low, interval->high}) : json(nullptr);
}

json failures_json(const Recommendation& row) {
  json by_outcome = json::object();
  for (const auto& [outcome, count] : row.failures) by_outcome[outcome] = count;
  return by_outcome;
}

// Under "rate", or under "amount" of anything else.
json amount_json(const Recommendation& row, const Ranking& ranking) {
  json rate = {{"median", row.median}, {"unit", ranking.unit}, {"ci95", bounds(row.ci)}};
  if (row.ci)
    rate["coverage"] = row.ci->coverage;
  else
    rate["note"] = "too few inspections for an interval of the median";
  return rate;
}

// Beside the verdict: what it rests on.
json comparison_json(const Comparison& comparison) {
  json result = {
      {"ratio", comparison.pairs > 0 ? json(comparison.ratio) : json(nullptr)},
      {"ci", bounds(comparison.interval)},
      {"coverage", comparison.interval ? json(comparison.interval->coverage) : json(nullptr)},
      {"pairs", comparison.pairs}};
  if (comparison.verdict == Verdict::unresolved)
    result["further_rounds"] =
        comparison.further_rounds ? json(*comparison.further_rounds) : json(nullptr);
  return result;
}

json common(const Recommendation& row) {
  json result = {{"stack", stack_json(row.stack)}, {"inspections", row.measured},
                 {"failures", row.failed()},      {"failures_by_outcome", failures_json(row)},
                 {"evidence", row.evidence},       {"sources", row.sources}};
  if (row.measured != row.inspections) result["sampled"] = row.inspections;
  return result;
}

json ranked(const Recommendation& row, const Ranking& ranking) {
  json result = common(row);
  result["rank"] = row.rank;
  result[ranking.yardstick.is_rate() ? "rate" : "amount"] = amount_json(row, ranking);
  result["cv"] = row.cv ? json(*row.cv) : json(nullptr);
  result["verdict_vs_best"] =
      row.versus_best ? json(words(row.versus_best->verdict, ranking.yardstick)) : json(nullptr);
  result["vs_best"] = row.versus_best ? comparison_json(*row.versus_best) : json(nullptr);
  return result;
}

json unranked(const Recommendation& row) {
  json result = common(row);
  result["reason"] = row.reason;
  return result;
}

json sentinels_json(const Sentinels& sentinels) {
  json tests = json::array();
  for (const SentinelTest& test : sentinels.tests)
    tests.push_back({{"campaign", test.campaign},
                     {"arm", test.arm},
                     {"pairs", test.pairs},
                     {"ratio", test.ratio},
                     {"ci95", test.interval ? json{test.interval->low, test.interval->high} : json()},
                     {"different", test.different}});
  return {{"tested", sentinels.able},
          {"different", sentinels.different},
          {"false_positive_rate_ci95",
           sentinels.rate ? json{sentinels.rate->low, sentinels.rate->high} : json()},
          {"tests", tests}};
}

}  // namespace

json to_json(const Ranking& ranking) {
  json result = {{"hw", ranking.hw},
                 {"workload", ranking.workload.text()},
                 {"metric", ranking.yardstick.word()},
                 {"unit", ranking.unit},
                 {"delta", ranking.delta},
                 {"confidence", ranking.confidence},
                 {"recommendations", json::array()},
                 {"failed", json::array()},
                 {"sentinels", sentinels_json(ranking.sentinels)},
                 {"notes", ranking.notes}};
  if (const auto& of = ranking.population)
    result["sample"] = {
        {"inspections", of->inspections}, {"read", of->read}, {"of_each", of->each}, {"seed", of->seed}};
  if (ranking.nodes) result["nodes"] = to_json(*ranking.nodes);
  if (ranking.program) result["program"] = specs::to_json(*ranking.program);
  for (const Recommendation& row : ranking.recommendations)
    result["recommendations"].push_back(ranked(row, ranking));
  for (const Recommendation& row : ranking.failed) result["failed"].push_back(unranked(row));
  return result;
}

}  // namespace stackx::analysis
