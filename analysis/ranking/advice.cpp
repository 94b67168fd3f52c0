#include "analysis/ranking/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "specs/error.hpp"
#include "specs/format/nearest.hpp"

namespace stackx::analysis {
namespace {

Verdict verdict_from(const specs::Node& node, const specs::Yardstick& yardstick) {
  for (const Verdict verdict :
       {Verdict::faster, Verdict::slower, Verdict::equivalent, Verdict::unresolved})
    if (node.text() == to_string(verdict) || node.text() == words(verdict, yardstick)) return verdict;
  node.fail("expected FASTER, SLOWER, EQUIVALENT or UNRESOLVED; of another metric than the rate BETTER or WORSE");
}

std::optional<Comparison> comparison_from(const specs::Node& row, const specs::Yardstick& yardstick) {
  const auto verdict = row.find("verdict_vs_best");
  if (!verdict) return std::nullopt;
  Comparison result;
  result.verdict = verdict_from(*verdict, yardstick);
  if (const auto details = row.find("vs_best")) {
    if (const auto ratio = details->find("ratio")) result.ratio = ratio->number();
    if (const auto pairs = details->find("pairs")) result.pairs = pairs->unsigned_integer();
    if (const auto bounds = details->find("ci")) {
      const auto ends = bounds->items();
      if (ends.size() != 2) bounds->fail("expected the two ends of an interval");
      result.interval = Interval{ends[0].number(), ends[1].number(), 0};
    }
  }
  return result;
}

specs::Stack stack_from(const specs::Node& node) {
  specs::Stack stack;
  for (const auto& [component, version] : node.at("components").members())
    stack.components[component] = version.text();
  if (stack.components.empty()) node.at("components").fail("expected at least one component");
  if (const auto id = node.find("id"); id && id->text() != stack.id())
    id->fail(fmt::format("these components have the id {}", stack.short_id()));
  return stack;
}

AdvisedStack advised_from(const specs::Node& row, const specs::Yardstick& yardstick) {
  AdvisedStack result;
  if (const auto rank = row.find("rank")) result.rank = rank->unsigned_integer();
  result.stack = stack_from(row.at("stack"));
  result.median = row.at(yardstick.is_rate() ? "rate" : "amount").at("median").number();
  result.versus_best = comparison_from(row, yardstick);
  return result;
}

std::string ratio_text(const Comparison& comparison) {
  const std::string interval =
      comparison.interval
          ? fmt::format(" [{:.3f}, {:.3f}]", comparison.interval->low, comparison.interval->high)
          : "";
  return fmt::format("×{:.3f}{}, n={} rounds", comparison.ratio, interval, comparison.pairs);
}

}  // namespace

Advice read_advice(const specs::Node& document) {
  Advice advice;
  advice.hw = document.at("hw").text();
  advice.workload = specs::parse_workload(document.at("workload").nonempty());
  if (const auto unit = document.find("unit")) advice.unit = unit->text();
  if (const auto metric = document.find("metric")) {
    const auto found = specs::Yardstick::from(metric->text());
    if (!found) metric->fail("unknown metric" + specs::suggestion(metric->text(), specs::Yardstick::words()));
    advice.yardstick = *found;
  }
  if (const auto delta = document.find("delta")) advice.delta = delta->number();
  if (!(advice.delta >= 0 && advice.delta < 10))
    document.at("delta").fail("expected a share, 0.01 for one percent");
  for (const auto& row : document.at("recommendations").items()) {
    const auto evidence = row.find("evidence");
    const bool measured = !evidence || evidence->text().starts_with("measured");
    if (measured) advice.stacks.push_back(advised_from(row, advice.yardstick));
  }
  if (advice.stacks.empty())
    document.at("recommendations")
        .fail("there is no recommendation to verify: nothing of it was measured; `stackx inspect PROJECT` does that");
  return advice;
}

const AdvisedStack& baseline(const Advice& advice, const std::string& id) {
  const auto others = std::ranges::subrange(advice.stacks.begin() + 1, advice.stacks.end());
  if (!id.empty()) {
    const auto begins = [&](const AdvisedStack& stack) { return stack.stack.id().starts_with(id); };
    if (std::ranges::count_if(others, begins) != 1)
      throw bad_input(fmt::format(
          "--baseline {}: {} of the advice's other {} stacks begin so; name one of them", id,
          std::ranges::count_if(others, begins), others.size()));
    return *std::ranges::find_if(others, begins);
  }
  if (others.empty())
    throw bad_input("the advice knows one stack only: there is nothing to compare it with");
  const auto slower = std::ranges::find_if(others, [](const AdvisedStack& stack) {
    return stack.versus_best && stack.versus_best->verdict == Verdict::slower;
  });
  return slower != others.end() ? *slower : others.front();
}

const char* to_string(Claim claim) {
  switch (claim) {
    case Claim::holds:
      return "holds";
    case Claim::refuted:
      return "refuted";
    case Claim::undecided:
      return "undecided";
  }
  return "";
}

Verification judge(const AdvisedStack& baseline, const Comparison& fresh, const specs::Yardstick& yardstick) {
  const bool rate = yardstick.is_rate();
  const auto of = rate ? std::string() : " in " + yardstick.noun();
  const bool faster_claimed =
      baseline.versus_best && baseline.versus_best->verdict == Verdict::slower;
  const std::string found = ratio_text(fresh);
  switch (fresh.verdict) {
    case Verdict::faster:
      return {Claim::holds, fmt::format("the advised stack is {}{} here: {}", rate ? "faster" : "better", of, found)};
    case Verdict::slower:
      return {Claim::refuted, fmt::format("the advised stack is {}{} here: {}", rate ? "slower" : "worse", of, found)};
    case Verdict::equivalent:
      if (faster_claimed) return {Claim::refuted, fmt::format("here they are {}: {}", rate ? "equally fast" : "equal" + of, found)};
      return {Claim::holds, fmt::format("they are {} here, too: {}", rate ? "equally fast" : "equal" + of, found)};
    case Verdict::unresolved:
      break;
  }
  const std::string rounds =
      fresh.further_rounds
          ? fmt::format("about {} further round{} would tell", *fresh.further_rounds, *fresh.further_rounds == 1 ? "" : "s")
          : "no number of rounds within 10,000 would tell";
  return {Claim::undecided, fmt::format("the two are not told apart here: {}; {}", found, rounds)};
}

}  // namespace stackx::analysis
