// Several metrics at once: the stacks that no other beats in all of them (the Pareto front), rate against memory against error.
//
// Each metric has its own ranking of the same measurements (ranking.hpp). A stack is beaten if another is at least as good in
// every metric by the medians, and better in one; one that lacks a metric is not judged. By the estimates alone, as in
// pareto.hpp, which holds rate against spread: intervals stand beside them, and a difference within delta counts as none, so that
// noise alone keeps no stack on the front.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/ranking/ranking.hpp"

namespace stackx::analysis {

struct TradeOff {
  std::vector<Recommendation> by;  // of the stack, one a metric, in their order
};

struct TradeOffs {
  std::vector<const Ranking*> rankings;  // one a metric, all of one workload on one hardware
  std::vector<TradeOff> front;           // the best of the first metric first
  std::size_t beaten = 0, lacking = 0;   // stacks that are not on it: beaten; without one of the metrics
};

// The rankings must outlive the result.
TradeOffs trade_offs(const std::vector<Ranking>& rankings);

nlohmann::json to_json(const TradeOffs& of);
std::string text(const TradeOffs& of, std::size_t width, bool colour);

}  // namespace stackx::analysis
