// What nodes did, in sentences and as a document.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/statistics/nodes.hpp"
#include "analysis/text/words.hpp"

namespace stackx::analysis {
namespace {

using nlohmann::json;

constexpr std::size_t most_odd_named = 3;

// A spread of logs, as people read it.
std::string spread_text(double log) { return fmt::format("{:.2g}%", 100 * std::expm1(log)); }

std::string where_shown(const Node& node) {
  if (node.stacks == 1) return "in the one stack that tells";
  return node.shown_in == node.stacks ? "in every stack" : fmt::format("in {} of {} stacks", node.shown_in, node.stacks);
}

// "4.0% slow in every stack [2.9%, 5.1%] (n=48 inspections in 2 blocks)"; where intervals are over rounds, all that was
// seen is one occasion.
std::string off_text(const Node& node, bool of_two) {
  const bool slow = node.factor < 1;
  const auto percent = [&](double factor) { return 100 * (slow ? 1 - factor : factor - 1); };
  double low = percent(node.interval->low), high = percent(node.interval->high);
  if (slow) std::swap(low, high);
  return fmt::format("{:.1f}% {} {} [{:.1f}%, {:.1f}%] (n={} in {})", percent(node.factor),
                     of_two ? "slower than the other" : slow ? "slow" : "fast", where_shown(node), low, high,
                     counted(node.inspections, "inspection"), counted(node.blocks, "block"));
}

std::string units_text(const Nodes& of) {
  return of.by_blocks ? "intervals are over blocks"
                      : "intervals are over rounds, for few nodes have two blocks: a node is not told from the occasion on which it was measured";
}

std::string spreads_text(const Nodes& of) {
  std::string text = counted(of.nodes.size(), "node") + " ";
  text += of.between ? fmt::format("differ by {} (SD, noise taken off)", spread_text(*of.between))
                     : std::string("were measured in a round each: how far they differ is not known");
  if (of.within) text += fmt::format("; a stack's rounds within a block by {}", spread_text(*of.within));
  return text + "; " + units_text(of);
}

std::string interaction_text(const Interaction& of) {
  std::vector<std::string> ids;
  for (const auto& stack : of.shown)
    if (ids.size() < most_odd_named) ids.push_back(stack.short_id());
  return fmt::format(
      "which stack is fast depends on the node: the ratio to the others differs between nodes by {} (SD, noise taken off, n={}), "
      "shown for {}{}: look at the ratios node by node",
      spread_text(of.spread), counted(of.stacks, "stack"), fmt::join(ids, ", "),
      of.shown.size() > ids.size() ? fmt::format(" and {} more", of.shown.size() - ids.size()) : "");
}

json bounds_json(const std::optional<Interval>& interval) {
  return interval ? json::array({interval->low, interval->high}) : json(nullptr);
}

json node_json(const Node& node) {
  return {{"node", node.name},
          {"factor", node.factor},
          {"interval", bounds_json(node.interval)},
          {"coverage", node.interval ? json(node.interval->coverage) : json(nullptr)},
          {"odd", node.odd},
          {"shown_in_stacks", node.shown_in},
          {"stacks", node.stacks},
          {"blocks", node.blocks},
          {"rounds", node.rounds},
          {"inspections", node.inspections}};
}

}  // namespace

std::vector<std::string> odd_lines(const Nodes& of) {
  std::vector<std::string> result;
  std::size_t more = 0;
  for (const Node& node : of.nodes) {
    if (!node.odd) continue;
    if (result.size() == most_odd_named)
      ++more;
    else
      result.push_back(fmt::format("node {} {} {}: {}compare within nodes only, and look at {}", node.name, of.by_blocks ? "is" : "was",
                                   off_text(node, of.nodes.size() == 2), of.by_blocks ? "" : "the node, or that occasion; ",
                                   of.nodes.size() == 2 ? "both" : "it"));
  }
  if (more > 0) result.push_back(fmt::format("{} more nodes are odd", more));
  return result;
}

std::vector<std::string> lines(const Nodes& of) {
  std::vector<std::string> result{spreads_text(of)};
  std::ranges::move(odd_lines(of), std::back_inserter(result));
  if (of.between && result.size() == 1)
    result.push_back(fmt::format("no node is shown to be off by more than {:g}%", 100 * of.delta));
  if (of.interaction && !of.interaction->shown.empty()) result.push_back(interaction_text(*of.interaction));
  if (!of.apart.empty())
    result.push_back(fmt::format("{} no stack with the other nodes, so nothing is said of {}: {}",
                                 of.apart.size() == 1 ? "1 node shares" : fmt::format("{} nodes share", of.apart.size()),
                                 of.apart.size() == 1 ? "it" : "them", fmt::join(of.apart, ", ")));
  return result;
}

json to_json(const Nodes& of) {
  json result = {{"nodes", json::array()},
                 {"between_log_sd", of.between ? json(*of.between) : json(nullptr)},
                 {"within_log_sd", of.within ? json(*of.within) : json(nullptr)},
                 {"units", of.by_blocks ? "blocks" : "rounds"},
                 {"apart", of.apart},
                 {"interaction", nullptr}};
  for (const Node& node : of.nodes) result["nodes"].push_back(node_json(node));
  if (const auto& interaction = of.interaction) {
    json shown = json::array();
    for (const auto& stack : interaction->shown) shown.push_back(stack.id());
    result["interaction"] = {{"log_sd", interaction->spread}, {"stacks", interaction->stacks}, {"shown_for", shown}};
  }
  return result;
}

}  // namespace stackx::analysis
