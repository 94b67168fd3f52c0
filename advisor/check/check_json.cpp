#include "advisor/check/check_json.hpp"

#include <nlohmann/json.hpp>
#include <set>

namespace stackx::advisor {
namespace {

nlohmann::json nearest_json(const Nearest& nearest) {
  auto changes = nlohmann::json::array();
  for (const auto& change : nearest.changes)
    changes.push_back({{"name", change.name}, {"from", change.from}, {"to", change.to}});
  return {{"text", nearest.text}, {"changes", changes}, {"install", nearest.install}, {"indexes", nearest.indexes}, {"stack", nearest.stack.components}};
}

nlohmann::json facts_json(const Checked& checked) {
  std::set<std::string> sources;
  auto builds = nlohmann::json::array();
  for (const auto& fact : checked.facts) {
    sources.insert(fact.source);
    builds.push_back({{"package", fact.package}, {"version", fact.version}, {"known", fact.known}, {"source", fact.source},
                      {"read", fact.read}});
  }
  return {{"as_of", checked.as_of}, {"sources", sources}, {"used", builds}, {"overlays", checked.overlays}};
}

}  // namespace

nlohmann::json reasons_json(const std::vector<resolver::Reason>& reasons) {
  auto list = nlohmann::json::array();
  for (const auto& reason : reasons) {
    nlohmann::json one = {{"text", reason.text}};
    if (!reason.leads_to.empty()) one["leads_to"] = reasons_json(reason.leads_to);
    list.push_back(std::move(one));
  }
  return list;
}

nlohmann::json to_json(const Checked& checked) {
  nlohmann::json document = {{"$schema", "stackx/check/1"},
                             {"answer", to_string(checked.answer)},
                             {"text", checked.text},
                             {"because", checked.because},
                             {"stack", checked.stack.components},
                             {"pythons", checked.pythons},
                             {"notes", checked.notes},
                             {"reported", checked.reported},
                             {"not_judged", checked.not_judged},
                             {"facts", facts_json(checked)}};
  if (!checked.driver.empty()) document["driver"] = checked.driver;
  if (!checked.clash.empty()) document["clash"] = reasons_json(checked.clash);
  document["nearest"] = nullptr;
  if (!checked.nearest.empty()) document["nearest"] = nearest_json(checked.nearest.front());
  document["others"] = nlohmann::json::array();
  for (std::size_t i = 1; i < checked.nearest.size(); ++i) document["others"].push_back(nearest_json(checked.nearest[i]));
  return document;
}

}  // namespace stackx::advisor
