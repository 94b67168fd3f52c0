#include <nlohmann/json.hpp>

#include "advisor/price.hpp"
#include "advisor/published_note.hpp"
#include "analysis/published/peak_remark.hpp"
#include "cli/advise/explanation.hpp"

namespace stackx::cli {
namespace {

using Json = nlohmann::json;

Json stack_json(const specs::Stack& stack) {
  return {{"id", stack.id()}, {"components", stack.components}};
}

Json nearest_json(const advisor::NearestStack& nearest) {
  Json differs = Json::object();
  for (const auto& [name, versions] : nearest.differs)
    differs[name] = {{"named", versions.first},
                     {"valid", versions.second.empty() ? Json() : Json(versions.second)}};
  return {{"stack", stack_json(nearest.stack)},
          {"differs", std::move(differs)},
          {"unknown", nearest.unknown}};
}

Json valid_json(const advisor::HardwareAdvice& advice) {
  if (!advice.space) return {{"stacks", nullptr}, {"why", advice.no_space}};
  const auto& space = *advice.space;
  Json result = {{"stacks", space.count().str()},
                 {"raw_combinations", space.resolver().raw_combinations().str()},
                 {"newest", Json::array()}};
  for (const auto& row : space.newest()) {
    Json one = {{"component", row.component},
                {"version", row.version.empty() ? Json() : Json(row.version)},
                {"newer_out", row.newer}};
    if (row.newer > 0) {
      one["first_out"] = row.first_out;
      one["because"] = row.why;
    }
    result["newest"].push_back(std::move(one));
  }
  return result;
}

Json impossible_json(const advisor::HardwareAdvice& advice) {
  return {{"hw", advice.selection.hw},
          {"workload", advice.selection.asked.text()},
          {"valid", {{"stacks", "0"}, {"clash", advice.impossible->clash}, {"so", advice.impossible->so}}},
          {"nearest_that_works", advice.nearest_that_works},
          {"recommendations", Json::array()},
          {"notes", advice.impossible->notes}};
}

void add_published(Json& document, const advisor::HardwareAdvice& advice) {
  auto& rows = document["recommendations"];
  std::size_t above = rows.empty() ? 0 : rows.back()["rank"].get<std::size_t>();
  for (const auto& group : advice.published.groups) {
    std::size_t last = 0;
    for (const auto& row : group.rows) {
      auto one = analysis::to_json(group, row);
      last = std::max(last, row.rank);
      one["rank"] = above + row.rank;
      one["group"] = analysis::group_title(group);
      one["stack"] = stack_json(row.stack);
      rows.push_back(std::move(one));
    }
    above += last;
  }
  std::vector<specs::Published> matching;
  for (const auto& result : advice.found)
    if (advice.selection.asked.matches(result.workload)) matching.push_back(result);
  const auto note = advisor::published_note(matching);
  if (note.results > 0) document["published"] = to_json(note);
}

void add_predicted(Json& document, const advisor::HardwareAdvice& advice) {
  auto& rows = document["recommendations"];
  std::size_t rank = rows.empty() ? 0 : rows.back()["rank"].get<std::size_t>();
  for (const auto& row : advice.predicted.rows) {
    rows.push_back({{"rank", ++rank},
                    {"evidence", "predicted"},
                    {"stack", stack_json(row.stack)},
                    {"workload", specs::to_json(row.workload)},
                    {"rate",
                     {{"median", row.prediction.rate},
                      {"unit", "GFLOP/s"},
                      {"ci95", nullptr},
                      {"interval80", {row.prediction.low, row.prediction.high}}}},
                    {"share_of_peak", row.share ? Json(*row.share) : Json()},
                    {"prediction", analysis::to_json(row.prediction)}});
    if (const auto remark = analysis::peak_remark(row.share.value_or(0), row.workload); !remark.empty())
      rows.back()["peak_remark"] = remark;
  }
}

void add_costs(Json& document, double price) {
  for (auto& row : document["recommendations"]) {
    const auto& rate = row["rate"];
    const double devices = row.value("devices", 1.0);
    if (const auto cost = advisor::cost_of(price, rate["median"], rate["unit"], std::nullopt, devices))
      row["cost"] = {{"amount", cost->amount}, {"per", cost->per}, {"price_per_device_hour", price}};
  }
}

}  // namespace

Json explanation_json(const advisor::HardwareAdvice& advice, const advisor::NotKnown& open) {
  if (advice.impossible) return impossible_json(advice);
  Json document = advice.measured.workload.pi.empty()  // nothing was ranked
                      ? Json{{"hw", advice.selection.hw},
                             {"workload", advice.selection.asked.text()},
                             {"delta", advice.published.delta},
                             {"recommendations", Json::array()},
                             {"notes", Json::array()}}
                      : analysis::to_json(advice.measured);
  if (advice.accelerator) document["accelerator"] = advice.accelerator->name;
  document["valid"] = valid_json(advice);
  for (std::size_t i = 0; i < advice.measured.recommendations.size(); ++i)
    if (const auto share = advisor::measured_peak_share(advice, i)) {
      auto& peak = document["recommendations"][i]["peak"];
      peak = {{"share", share->share},
              {share->peak.rate_member(), share->peak.rate},
              {"unit", share->peak.unit},
              {"accelerator", advice.accelerator->name}};
      const auto remark = analysis::peak_remark(share->share, advice.measured.workload);
      if (!remark.empty()) peak["remark"] = remark;
    }
  add_published(document, advice);
  add_predicted(document, advice);
  if (advice.price) add_costs(document, *advice.price);
  if (advice.own)
    document["own"] = {{"file", advice.own->file.string()},
                       {"components", advice.own->named.components},
                       {"nearest_valid", nearest_json(*advice.own_valid)},
                       {"stay", advice.own_advice->stay},
                       {"advice", advice.own_advice->lines}};
  document["not_known"] = {{"lines", open.lines},
                           {"candidates", Json::array()},
                           {"expected_cv", open.spread.cv},
                           {"rounds", open.rounds}};
  for (const auto& stack : open.candidates)
    document["not_known"]["candidates"].push_back(stack_json(stack));
  for (const auto& note : advice.prepared.notes) document["notes"].push_back(note);
  for (const auto& one : advice.prepared.excluded)
    document["excluded"].push_back(
        {{"component", one.component}, {"version", one.version}, {"advisories", one.ids}});
  if (!advice.not_in_catalogs.empty()) document["not_in_catalogs"] = advice.not_in_catalogs;
  if (advice.chosen) {
    document["run"] = nearest_json(advice.chosen->valid);
    document["run"]["evidence"] = advice.chosen->evidence;
    document["run"]["rests_on"] = advice.chosen->rests_on;
  }
  return document;
}

Json summary_json(const advisor::HardwareAdvice& known, const advisor::NotKnown& open) {
  constexpr std::size_t most = 8;
  const auto whole = explanation_json(known, open);
  Json summary = Json::object();
  for (const char* name : {"hw", "workload", "program", "delta", "metric", "unit", "sample", "nodes", "accelerator", "nearest_that_works"})
    if (whole.contains(name)) summary[name] = whole[name];
  if (summary.contains("nodes")) {
    auto odd = Json::array();
    for (const auto& node : whole["nodes"]["nodes"])
      if (node["odd"] && odd.size() < most) odd.push_back(node);
    summary["nodes"]["nodes"] = std::move(odd);
  }
  auto& rows = summary["recommendations"] = Json::array();
  bool slower = false;  // what `stackx verify` runs against the first
  for (const auto& row : whole["recommendations"]) {
    if (!row.value("evidence", "").starts_with("measured")) continue;  // others' numbers stand in the answer
    const auto verdict = row.contains("verdict_vs_best") && row["verdict_vs_best"].is_string() ? row["verdict_vs_best"].get<std::string>() : "";
    const bool first_slower = !slower && (verdict == "SLOWER" || verdict == "WORSE");
    if (rows.size() >= most && !first_slower) continue;
    rows.push_back(row);
    slower = slower || first_slower;
  }
  return summary;
}

}  // namespace stackx::cli
