// The Pareto front of rate against spread: stacks that no other beats in both.
//
// Of the stacks of a ranking with two inspections at least; a stack is dominated if another has at
// least its median rate and at most its CV, and is better in one of them. Judged by the estimates
// alone: their intervals stand beside them, and a CV of few inspections is known badly
// (analysis/statistics/cv_interval.hpp; none below 6).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/ranking/ranking.hpp"

namespace stackx::analysis {

struct ParetoPoint {
  Recommendation row;
  std::optional<Interval> cv_ci;
};

struct Pareto {
  std::vector<ParetoPoint> front;        // fastest first
  std::vector<Recommendation> dominated;  // in the ranking's order
  std::size_t too_few = 0;               // stacks with one inspection only: no CV
};

// `measurements` and `this_host` are those that were ranked.
Pareto pareto(const Ranking& ranking, const std::vector<store::Measurement>& measurements,
              const std::string& this_host);

nlohmann::json to_json(const Pareto& pareto, const Ranking& ranking);
std::string table(const Pareto& pareto, const Ranking& ranking, bool colour, std::size_t width = page_width);

}  // namespace stackx::analysis
