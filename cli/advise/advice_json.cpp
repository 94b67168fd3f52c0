#include <nlohmann/json.hpp>

#include "cli/advise/advice_text.hpp"
#include "specs/python/build_index.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::cli {
namespace {

using Json = nlohmann::json;

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json candidate_json(const advisor::Candidate& candidate) {
  return {{"package", candidate.package},     {"version", candidate.version}, {"cuda", text_or_null(candidate.cuda)},
          {"cudnn", text_or_null(candidate.cudnn)}, {"released", text_or_null(candidate.released)},
          {"driver", text_or_null(candidate.pinned.driver)}, {"pythons", candidate.pinned.pythons}};
}

// "cu126" of torch 2.14.1+cu126, which is on an index of that build's; "neuron" of torch-neuronx, which is on AWS's.
Json build_json(const advisor::PinnedPackage& one) {
  const auto index = specs::build_index(one.name, one.version);
  if (!index) return Json();
  const auto build = specs::local_label(one.version);
  return build.empty() ? index->name : build;
}

Json install_json(const advisor::Advice& advice) {
  Json packages = Json::array();
  if (advice.pinned)
    for (const auto& one : advice.pinned->packages)
      packages.push_back({{"name", one.name}, {"version", one.version}, {"extras", one.extras}, {"asked", one.asked},
                          {"index", build_json(one)}});
  return {{"line", text_or_null(advice.install)}, {"packages", std::move(packages)}};
}

Json interval_json(const std::optional<analysis::Interval>& interval) {
  return interval ? Json{interval->low, interval->high} : Json();
}

Json expected_json(const advisor::Expected& one) {
  return {{"of", one.of}, {"value", one.value}, {"unit", one.unit}, {"interval", interval_json(one.interval)}};
}

Json evidence_json(const advisor::EvidenceRow& row) {
  return {{"value", row.value}, {"unit", row.unit}, {"kind", row.kind}, {"stack", row.stack}, {"year", row.year},
          {"remark", row.remark}, {"hardware", row.hardware}, {"title", row.title}, {"url", row.url}};
}

}  // namespace

Json answer_json(const advisor::Advice& advice) {
  Json json = {{"found", advice.found},
               {"line", advice.line},
               {"run", text_or_null(advice.run)},
               {"grade", advice.found ? Json(advisor::to_string(advice.grade)) : Json()},
               {"expect", text_or_null(advice.expect)},
               {"expected", Json::array()},
               {"why", text_or_null(advice.why)},
               {"install", install_json(advice)},
               {"cautions", advice.cautions},
               {"stack", advice.candidate ? Json(advice.candidate->checked.stack.components)
                         : advice.chosen  ? Json(advice.chosen->valid.stack.components)
                                          : Json()},
               {"package", advice.candidate ? candidate_json(*advice.candidate) : Json()},
               {"by_driver", Json::array()},
               {"limits", Json::array()},
               {"measured_elsewhere", Json::array()},
               {"evidence", Json::array()},
               {"remarks", advice.remarks},
               {"next", advice.next},
               {"facts_as_of", text_or_null(advice.as_of)}};
  for (const auto& one : advice.expected) json["expected"].push_back(expected_json(one));
  for (const auto& row : advice.by_driver)
    json["by_driver"].push_back({{"driver_at_least", row.driver}, {"run", row.candidate.name()}, {"package", candidate_json(row.candidate)}});
  for (const auto& limit : advice.limits)
    json["limits"].push_back({{"component", limit.component}, {"this_stack", limit.here}, {"last_valid", limit.last},
                              {"first_out", limit.first_out}, {"because", limit.why}});
  for (const auto& row : advice.own) {
    auto own = evidence_json(row);
    own.update({{"interval", interval_json(row.interval)}, {"processes", row.processes}});
    json["measured_elsewhere"].push_back(std::move(own));
  }
  for (const auto& row : advice.evidence) json["evidence"].push_back(evidence_json(row));
  return json;
}

}  // namespace stackx::cli
