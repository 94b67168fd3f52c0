#include "analysis/ranking/pareto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/ranking/rates.hpp"
#include "analysis/statistics/cv_interval.hpp"
#include "analysis/text/table.hpp"
#include "analysis/text/words.hpp"

namespace stackx::analysis {
namespace {

bool dominates(const Recommendation& a, const Recommendation& b) {
  return a.median >= b.median && *a.cv <= *b.cv && (a.median > b.median || *a.cv < *b.cv);
}

std::string percent(double share) { return fmt::format("{:.1f}%", 100 * share); }

// What all stacks of the front agree on.
std::map<std::string, std::string> common_of(const std::vector<ParetoPoint>& front) {
  if (front.size() < 2) return {};
  auto common = front.front().row.stack.components;
  for (const ParetoPoint& point : front)
    std::erase_if(common, [&](const auto& entry) {
      const auto found = point.row.stack.components.find(entry.first);
      return found == point.row.stack.components.end() || found->second != entry.second;
    });
  return common;
}

}  // namespace

Pareto pareto(const Ranking& ranking, const std::vector<store::Measurement>& measurements,
              const std::string& this_host) {
  Pareto result;
  std::vector<const store::Measurement*> selected;
  for (const auto& m : measurements)
    if (m.workload == ranking.workload) selected.push_back(&m);
  std::map<specs::Stack, std::vector<double>> values;
  for (const StackRates& stack : collect(selected, this_host).stacks)
    values[stack.stack] = rates(stack);
  for (const Recommendation& row : ranking.recommendations) {
    if (!row.cv) {
      ++result.too_few;
      continue;
    }
    const bool beaten =
        std::ranges::any_of(ranking.recommendations, [&](const Recommendation& other) {
          return other.cv && dominates(other, row);
        });
    if (beaten)
      result.dominated.push_back(row);
    else
      result.front.push_back({row, cv_interval(values.at(row.stack), ranking.confidence)});
  }
  std::ranges::stable_sort(result.front, std::ranges::greater{},
                           [](const ParetoPoint& point) { return point.row.median; });
  return result;
}

nlohmann::json to_json(const Pareto& pareto, const Ranking& ranking) {
  using nlohmann::json;
  const auto bounds = [](const std::optional<Interval>& interval) {
    return interval ? json::array({interval->low, interval->high}) : json(nullptr);
  };
  json result = {{"hw", ranking.hw},
                 {"workload", ranking.workload.text()},
                 {"confidence", ranking.confidence},
                 {"front", json::array()},
                 {"dominated", pareto.dominated.size()},
                 {"without_cv", pareto.too_few},
                 {"notes", ranking.notes}};
  for (const auto& [row, cv_ci] : pareto.front)
    result["front"].push_back(
        {{"stack", {{"id", row.stack.id()}, {"components", row.stack.components}}},
         {"rank", row.rank},
         {"rate", {{"median", row.median}, {"unit", ranking.unit}, {"ci95", bounds(row.ci)}}},
         {"cv", {{"value", *row.cv}, {"ci95", bounds(cv_ci)}}},
         {"inspections", row.inspections},
         {"evidence", row.evidence}});
  return result;
}

std::string table(const Pareto& pareto, const Ranking& ranking, bool colour, std::size_t width) {
  std::string text =
      paragraph(fmt::format("{} on {}: the Pareto front of rate against CV", ranking.workload.text(), ranking.hw), 0, width);
  text += paragraph(fmt::format("No other stack is at least as fast and at least as steady as one "
                           "of these, by the estimates; {} stacks that another beats in both "
                           "are left out{}. n: inspections. CV: between inspections; its "
                           "{:g}% interval (Bonett 2006) allows for noise that is not normal.",
                           pareto.dominated.size(),
                           pareto.too_few > 0
                               ? fmt::format(", and {} with one inspection, which have no CV",
                                             pareto.too_few)
                               : "",
                           100 * ranking.confidence), 0, width);
  if (pareto.front.empty()) return text + "\nNo stack has two inspections.\n";
  const auto common = common_of(pareto.front);
  if (!common.empty()) text += "All of these: " + wrap(label_of(common, {}), 14, width) + "\n";
  std::vector<Column> columns{{ranking.unit, true, {}},   {"CI of median", true, {}},
                              {"CV", true, {}},           {"CI of CV", true, {}},
                              {"n", true, {}},            {"rank", true, {}},
                              {"stack", false, {}},       {"", false, {}}};
  for (const auto& [row, cv_ci] : pareto.front) {
    columns[0].cells.push_back(number(row.median));
    columns[1].cells.push_back(
        row.ci ? fmt::format("[{}, {}]", number(row.ci->low), number(row.ci->high)) : "-");
    columns[2].cells.push_back(percent(*row.cv));
    columns[3].cells.push_back(
        cv_ci ? fmt::format("[{}, {}]", percent(cv_ci->low), percent(cv_ci->high)) : "-");
    columns[4].cells.push_back(std::to_string(row.inspections));
    columns[5].cells.push_back(std::to_string(row.rank));
    columns[6].cells.push_back(row.stack.short_id());
    columns[7].cells.push_back(label_of(row.stack.components, common));
  }
  return text + "\n" + table_text(columns, Paint{colour}, width);
}

}  // namespace stackx::analysis
