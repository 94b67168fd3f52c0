#include "analysis/ranking/placement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analysis/ranking/ranking.hpp"
#include "analysis/ranking/stack_names.hpp"
#include "analysis/statistics/statistics.hpp"
#include "analysis/text/words.hpp"

namespace stackx::analysis {
namespace {

constexpr std::size_t most_nodes_named = 3;
constexpr double same_shares = 0.1;

std::size_t inspections_in(const Placement& placement) {
  std::size_t total = 0;
  for (const auto& [node, n] : placement) total += n;
  return total;
}

using Shares = std::map<NodeId, double>;

Shares shares_of(const Placement& placement) {
  const auto total = static_cast<double>(inspections_in(placement));
  Shares result;
  for (const auto& [node, n] : placement) result[node] = static_cast<double>(n) / total;
  return result;
}

double share_in(const Shares& shares, const NodeId& node) {
  const auto found = shares.find(node);
  return found == shares.end() ? 0 : found->second;
}

// Which part of a would have to be moved to other nodes to be as b.
double unevenness(const Shares& a, const Shares& b) {
  double sum = 0;
  for (const auto& [node, share] : a) sum += std::max(0.0, share - share_in(b, node));
  return sum;
}

// Of each node the median over the rows: that of stacks as most are.
Shares usual_shares(const std::vector<Shares>& rows, const Placement& all) {
  Shares result;
  for (const auto& [node, n] : all) {
    std::vector<double> of_node;
    for (const auto& shares : rows) of_node.push_back(share_in(shares, node));
    result[node] = median(of_node);
  }
  return result;
}

const StackRates& rates_of_row(const Recommendation& row, const Rates& rates) {
  return *std::ranges::lower_bound(rates.stacks, row.stack, {}, &StackRates::stack);  // in the order of components
}

// The node that has most more of a's than of b's.
NodeId favoured(const Shares& a, const Shares& b) {
  return std::ranges::max_element(a, {}, [&](const auto& entry) { return entry.second - share_in(b, entry.first); })->first;
}

std::string only_on(const Placement& placement, const Placement& among) {
  std::vector<std::string> names;
  for (const auto& [node, n] : placement)
    if (names.size() < most_nodes_named) names.push_back(name_of(node, among));
  return fmt::format("{}{} only", fmt::join(names, ", "),
                     placement.size() > names.size() ? fmt::format(" and {} more", placement.size() - names.size()) : "");
}

// Without a shared round only the stacks' own intervals can speak, and they are of their nodes.
std::string apart_text(const Ranking& ranking, const Rates& rates, const Placement& all, const StackNames& names) {
  const auto& rows = ranking.recommendations;
  const auto best = std::ranges::find_if(rows, [](const auto& row) { return !row.versus_best; });
  const auto of_best = placement_of(rates_of_row(*best, rates));
  std::string first;
  std::size_t more = 0;
  for (const Recommendation& row : rows) {
    if (!row.versus_best || row.versus_best->pairs > 0) continue;
    const auto placed = placement_of(rates_of_row(row, rates));
    if (!apart(placed, of_best)) continue;
    if (first.empty())
      first = difference_text(names.subject(best->stack), of_best, names.subject(row.stack), placed, all);
    else
      ++more;
  }
  if (first.empty()) return "";
  return fmt::format("{}{}: this compares nodes, too", first,
                     more > 0 ? fmt::format(", and {} on other nodes than the first", counted(more, "more stack")) : "");
}

// Of the rows that are compared over rounds, and the first.
std::string uneven_text(const Ranking& ranking, const Rates& rates, const Placement& all, const StackNames& names) {
  std::vector<const Recommendation*> rows;
  std::vector<Shares> shares;
  for (const Recommendation& row : ranking.recommendations) {
    if (row.versus_best && row.versus_best->pairs == 0) continue;
    rows.push_back(&row);
    shares.push_back(shares_of(placement_of(rates_of_row(row, rates))));
  }
  const Shares usual = usual_shares(shares, all);
  std::size_t uneven = 0, worst = 0;
  double most = same_shares;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double off = unevenness(shares[i], usual);
    uneven += off > same_shares;
    if (off > most) most = off, worst = i;
  }
  if (uneven == 0) return "";
  const auto placed = placement_of(rates_of_row(*rows[worst], rates));
  const auto node = favoured(shares[worst], usual);
  const auto name = names.subject(rows[worst]->stack);
  return fmt::format("{}: {} of {} inspections were on {}, of other stacks' {:.0f}%; ratios over shared rounds are within nodes",
                     uneven == 1 ? fmt::format("the median of {} compares nodes, too", name)
                                 : fmt::format("the medians of {} stacks compare nodes, too", uneven),
                     placed.at(node), uneven == 1 ? fmt::format("its {}", inspections_in(placed))
                                                  : fmt::format("the {} of {}", inspections_in(placed), name),
                     name_of(node, all), 100 * usual.at(node));
}

}  // namespace

NodeId node_of(const store::Measurement& measurement) { return {measurement.hostname, measurement.host}; }

Placement placement_of(const StackRates& stack) {
  Placement result;
  for (const Value& value : stack.values) ++result[node_of(*value.measurement)];
  return result;
}

Placement placement_of(const std::vector<StackRates>& stacks) {
  Placement result;
  for (const StackRates& stack : stacks)
    for (const Value& value : stack.values) ++result[node_of(*value.measurement)];
  return result;
}

bool apart(const Placement& a, const Placement& b) {
  return std::ranges::none_of(a, [&](const auto& entry) { return b.contains(entry.first); });
}

std::string name_of(const NodeId& node, const Placement& among) {
  const auto& [host, fingerprint] = node;
  if (host.empty()) return std::string(fingerprint.substr(0, 12));
  const auto namesakes = std::ranges::count_if(among, [&](const auto& entry) { return entry.first.first == host; });
  return namesakes > 1 ? fmt::format("{} ({})", host, fingerprint.substr(0, 12)) : std::string(host);
}

std::string difference_text(const std::string& a, const Placement& of_a, const std::string& b, const Placement& of_b,
                            const Placement& among) {
  if (of_a.empty() || of_b.empty()) return "";
  if (apart(of_a, of_b)) return fmt::format("{} ran on {}, {} on {}", a, only_on(of_a, among), b, only_on(of_b, among));
  const auto shares_a = shares_of(of_a), shares_b = shares_of(of_b);
  if (unevenness(shares_a, shares_b) <= same_shares) return "";
  const auto node = favoured(shares_a, shares_b);
  const auto there = of_b.find(node);
  return fmt::format("of {}'s {} inspections {} were on {}, of {}'s {} {}", a, inspections_in(of_a), of_a.at(node),
                     name_of(node, among), b, inspections_in(of_b), there == of_b.end() ? 0 : there->second);
}

std::vector<std::string> across_nodes(const Ranking& ranking, const Rates& rates) {
  const auto all = placement_of(rates.stacks);
  if (all.size() < 2 || ranking.recommendations.size() < 2) return {};
  const StackNames names(ranking);
  std::vector<std::string> said{apart_text(ranking, rates, all, names), uneven_text(ranking, rates, all, names)};
  std::erase(said, "");
  return said;
}

}  // namespace stackx::analysis
