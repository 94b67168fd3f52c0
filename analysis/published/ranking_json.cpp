// The ranking of published results as JSON: the members of `advise --json` (DESIGN section 7) and
// what makes them traceable.
#include <nlohmann/json.hpp>

#include "analysis/published/ranking.hpp"

namespace stackx::analysis {
namespace {

using Json = nlohmann::json;

Json peak_json(const std::optional<PeakShare>& peak) {
  if (!peak) return nullptr;
  Json json = {{"share", peak->share},
               {peak->peak.rate_member(), peak->peak.rate},
               {"unit", peak->peak.unit},
               {"accelerator", peak->accelerator},
               {"models_of_that_name", peak->models}};
  if (!peak->remark.empty()) json["remark"] = peak->remark;
  return json;
}

Json over_shapes_json(const PublishedRow& row, double confidence) {
  if (!row.over_shapes) return nullptr;
  const ShapeComparison& c = *row.over_shapes;
  Json json = {{"ratio", c.ratio}, {"shapes", c.shapes},  {"better", c.better},
               {"worse", c.worse}, {"interval", nullptr}, {"confidence", confidence}};
  if (c.interval) json["interval"] = {c.interval->low, c.interval->high};
  return json;
}

Json shown_json(const specs::Published& p) {
  Json json = {{"document", p.id}, {"metric", p.metric}, {"value", p.value}};
  if (!p.statistic.empty()) json["statistic"] = p.statistic;
  if (p.runs) json["runs"] = *p.runs;
  if (p.min) json["min"] = *p.min;
  if (p.max) json["max"] = *p.max;
  if (p.stdev) json["stdev"] = *p.stdev;
  if (!p.values.empty()) json["values"] = p.values;
  if (!p.details.empty()) json["details"] = p.details;
  return json;
}

Json row_json(const PublishedGroup& group, const PublishedRow& row, double confidence) {
  Json json = {{"rank", row.rank},
               {"evidence", "published"},
               {"stack", row.stack.components},
               {"hardware", group.hardware},
               {"workload", specs::to_json(group.shape)},
               {"rate",
                {{"median", row.value},
                 {"unit", group.unit},
                 {"ci95", nullptr},
                 {"why_no_ci", spread_text(row.shown.front())}}},
               {"smaller_is_better", group.smaller_is_better},
               {"peak", peak_json(row.peak)},
               {"versus_best", row.versus_best ? Json(*row.versus_best) : Json()},
               {"versus_best_over_shapes", over_shapes_json(row, confidence)},
               {"set_apart_by_numbers_alone", row.by_numbers},
               {"results", row.documents.size()},
               {"documents", row.documents}};
  if (group.devices) json["devices"] = *group.devices;
  if (!group.nodes.empty()) json["nodes"] = group.nodes;
  if (group.octaves) json["octaves"] = *group.octaves;
  if (!group.nearness.empty()) json["nearness"] = group.nearness;
  if (!row.besides.empty()) json["besides"] = row.besides;
  for (const auto& shown : row.shown) json["shown"].push_back(shown_json(shown));
  for (const auto& source : row.sources) json["sources"].push_back(specs::to_json(source));
  return json;
}

}  // namespace

Json to_json(const PublishedGroup& group, const PublishedRow& row) {
  return row_json(group, row, 0.95);
}

Json to_json(const PublishedRanking& ranking) {
  Json json = {{"workload", specs::to_json(ranking.asked)},
               {"results", ranking.results},
               {"results_without_stack", ranking.without_stack},
               {"results_without_shape", ranking.without_shape},
               {"groups", Json::array()},
               {"unnamed", Json::array()}};
  if (!ranking.notes.empty()) json["notes"] = ranking.notes;
  for (const auto& one : ranking.unnamed) {
    json["unnamed"].push_back(
        {{"hardware", one.published.hardware},
         {"workload", specs::to_json(one.published.workload)},
         {"rate", {{"median", one.value}, {"unit", one.unit}, {"ci95", nullptr}}},
         {"peak", peak_json(one.peak)},
         {"document", one.published.id},
         {"source", specs::to_json(one.published.source)}});
  }
  for (const auto& group : ranking.groups) {
    Json one = {{"title", group_title(group)}, {"hardware", group.hardware},
                {"params", group.params},      {"unit", group.unit},
                {"shapes", group.shapes},      {"results", group.results},
                {"rows", Json::array()}};
    if (!group.model.empty()) one["model"] = group.model;
    for (const auto& row : group.rows)
      one["rows"].push_back(row_json(group, row, ranking.confidence));
    for (const auto& stack : group.elsewhere) one["not_at_this_shape"].push_back(stack.components);
    json["groups"].push_back(std::move(one));
  }
  return json;
}

}  // namespace stackx::analysis
