#include "specs/result/scenario_result.hpp"

#include "specs/format/json.hpp"

namespace stackx::specs {

ScenarioResult scenario_result_from(const Node& node, OtherKeys others) {
  if (others == OtherKeys::refused)
    node.only({"name", "metric", "value", "unit", "queries", "latency_ns", "bound_ns"});
  ScenarioResult result{node.at("name").text(),    node.at("metric").text(),
                        node.at("unit").text(),    node.at("value").number(),
                        node.at("queries").unsigned_integer(), {}, {}};
  if (const auto latencies = node.find("latency_ns"))
    for (const auto& [percentile, latency] : latencies->members())
      result.latency_ns[percentile] = latency.number();
  if (const auto bound = node.find("bound_ns")) result.bound_ns = bound->number();
  return result;
}

Json to_json(const ScenarioResult& scenario) {
  Json json = {{"name", scenario.name},     {"metric", scenario.metric},
               {"value", scenario.value},   {"unit", scenario.unit},
               {"queries", scenario.queries}};
  if (!scenario.latency_ns.empty()) json["latency_ns"] = scenario.latency_ns;
  if (scenario.bound_ns) json["bound_ns"] = *scenario.bound_ns;
  return json;
}

}  // namespace stackx::specs
