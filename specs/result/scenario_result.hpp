// What an inference scenario ended in, as MLPerf's LoadGen would report it.
//
//   {"name": "server", "metric": "queries_per_second", "value": 412.5, "unit": "queries/s",
//    "queries": 5120, "latency_ns": {"50": 2100000, ..., "99.9": 9800000}, "bound_ns": 10000000}
//
// Keys beyond these (trials, seeds) stay in the PI's own output. Absent where no scenario was run.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace stackx::specs {

class Node;

struct ScenarioResult {
  std::string name;  // single_stream, multi_stream, server, offline
  std::string metric, unit;
  double value = 0;
  std::uint64_t queries = 0;                     // that the latencies are of
  std::map<std::string, double> latency_ns;      // percentile -> latency; empty for offline
  std::optional<double> bound_ns;                // what server had to hold
};

enum class OtherKeys { refused, ignored };  // refused in documents, ignored in a PI's output

ScenarioResult scenario_result_from(const Node& node, OtherKeys others = OtherKeys::refused);
nlohmann::json to_json(const ScenarioResult& scenario);

}  // namespace stackx::specs
