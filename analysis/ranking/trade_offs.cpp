#include "analysis/ranking/trade_offs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/ranking/headline/standing.hpp"
#include "analysis/ranking/rates.hpp"
#include "analysis/ranking/stack_names.hpp"
#include "analysis/text/table.hpp"
#include "analysis/text/words.hpp"

namespace stackx::analysis {
namespace {

// How much better a is than b, 1 and a bit: within delta it is nothing.
bool is_better(const Recommendation& a, const Recommendation& b, const Ranking& by) {
  return times(b.median / a.median, by.yardstick) > 1 + by.delta;
}

bool beats(const TradeOff& a, const TradeOff& b, const std::vector<const Ranking*>& rankings) {
  bool once = false;
  for (std::size_t i = 0; i < rankings.size(); ++i) {
    if (is_better(b.by[i], a.by[i], *rankings[i])) return false;
    once = once || is_better(a.by[i], b.by[i], *rankings[i]);
  }
  return once;
}

std::string nouns_of(const TradeOffs& of) {
  std::vector<std::string> nouns;
  for (const auto* ranking : of.rankings) nouns.push_back(ranking->yardstick.noun());
  const auto last = nouns.back();
  nouns.pop_back();
  return fmt::format("{} and {}", fmt::join(nouns, ", "), last);
}

// The answer: which of them is best in what.
std::string first_line(const TradeOffs& of) {
  if (of.front.empty()) return fmt::format("No stack was measured in {}.", nouns_of(of));
  const StackNames names(*of.rankings.front());
  if (of.front.size() == 1)
    return fmt::format("{} is best in {}, or as good as any.", names.subject(of.front.front().by.front().stack), nouns_of(of));
  std::vector<std::pair<specs::Stack, std::vector<std::string>>> best_in;  // in the order of the metrics
  for (std::size_t i = 0; i < of.rankings.size(); ++i) {
    const auto& ranking = *of.rankings[i];
    const auto& best = std::ranges::max_element(of.front, {}, [&](const TradeOff& one) {
      return ranking.yardstick.smaller_is_better() ? -one.by[i].median : one.by[i].median;
    })->by[i];
    auto place = std::ranges::find(best_in, best.stack, &std::pair<specs::Stack, std::vector<std::string>>::first);
    if (place == best_in.end()) place = best_in.insert(best_in.end(), {best.stack, {}});
    place->second.push_back(
        fmt::format("{} ({}{}{})", ranking.yardstick.noun(), number(best.median), ranking.unit.empty() ? "" : " ", ranking.unit));
  }
  std::vector<std::string> parts;
  for (const auto& [stack, nouns] : best_in) parts.push_back(fmt::format("{} in {}", names.of(stack), fmt::join(nouns, ", ")));
  return fmt::format("No one stack is best in {}: {}.", nouns_of(of), fmt::join(parts, "; "));
}

std::string rest_of(const TradeOffs& of) {
  const auto& first = *of.rankings.front();
  auto text = fmt::format("{} on {}: {} measured in all of these", first.workload.text(), first.hw, counted(of.front.size() + of.beaten, "stack"));
  if (of.beaten > 0) text += fmt::format(", {} beaten by another and left out", of.beaten);
  if (of.lacking > 0) text += fmt::format("; {} lack a metric", of.lacking);
  return text + fmt::format(". By the medians, with the {:g}% interval's farther end; differences below {:g}% count as none. n: inspections.",
                            100 * first.confidence, 100 * first.delta);
}

// "400.4 ±0.1%"
std::string amount_text(const Recommendation& row) {
  const auto median = number(row.median);
  if (!row.ci) return median + " (few)";
  return fmt::format("{} ±{:.1f}%", median, 100 * std::max(row.ci->high / row.median - 1, 1 - row.ci->low / row.median));
}

std::string table_of(const TradeOffs& of, bool colour, std::size_t width) {
  const auto common = common_components(*of.rankings.front());
  std::vector<Column> columns{{"stack", false, {}}};
  for (const auto& one : of.front) {
    const auto own = label_of(one.by.front().stack.components, common);
    columns[0].cells.push_back(own.empty() ? one.by.front().stack.short_id() : own);
  }
  for (std::size_t i = 0; i < of.rankings.size(); ++i) {
    Column column{title_of(of.rankings[i]->yardstick, of.rankings[i]->unit), true, {}};
    for (const auto& one : of.front) column.cells.push_back(amount_text(one.by[i]));
    columns.push_back(std::move(column));
  }
  Column n{"n", true, {}}, id{"id", false, {}};
  for (const auto& one : of.front) {
    n.cells.push_back(std::to_string(one.by.front().inspections));
    id.cells.push_back(one.by.front().stack.short_id());
  }
  columns.insert(columns.end(), {n, id});
  return table_text(columns, Paint{colour}, width);
}

// Those of all rankings, each once.
std::vector<std::string> notes_of(const TradeOffs& of) {
  std::vector<std::string> notes;
  for (const auto* ranking : of.rankings)
    for (const auto& note : ranking->notes)
      if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
  return notes;
}

}  // namespace

TradeOffs trade_offs(const std::vector<Ranking>& rankings) {
  TradeOffs result;
  std::map<specs::Stack, TradeOff> stacks;
  for (const auto& ranking : rankings) {
    result.rankings.push_back(&ranking);
    for (const auto& row : ranking.recommendations) stacks[row.stack].by.push_back(row);
  }
  std::vector<TradeOff> whole;
  for (auto& [stack, one] : stacks) {
    if (one.by.size() == rankings.size())
      whole.push_back(std::move(one));
    else
      ++result.lacking;
  }
  for (const auto& one : whole) {
    if (std::ranges::any_of(whole, [&](const TradeOff& other) { return beats(other, one, result.rankings); }))
      ++result.beaten;
    else
      result.front.push_back(one);
  }
  const double sign = rankings.front().yardstick.smaller_is_better() ? 1 : -1;
  std::ranges::stable_sort(result.front, {}, [&](const TradeOff& one) { return sign * one.by.front().median; });
  return result;
}

nlohmann::json to_json(const TradeOffs& of) {
  using nlohmann::json;
  const auto& first = *of.rankings.front();
  json result = {{"answer", {{"text", first_line(of)}}},
                 {"hw", first.hw},
                 {"workload", first.workload.text()},
                 {"metrics", json::array()},
                 {"front", json::array()},
                 {"beaten", of.beaten},
                 {"lacking", of.lacking},
                 {"delta", first.delta},
                 {"confidence", first.confidence},
                 {"notes", notes_of(of)}};
  for (const auto* ranking : of.rankings)
    result["metrics"].push_back({{"name", ranking->yardstick.word()},
                                 {"unit", ranking->unit},
                                 {"better", ranking->yardstick.smaller_is_better() ? "smaller" : "larger"}});
  for (const auto& one : of.front) {
    const auto& row = one.by.front();
    json values = json::object();
    for (std::size_t i = 0; i < of.rankings.size(); ++i) {
      const auto& ci = one.by[i].ci;
      values[of.rankings[i]->yardstick.word()] = {
          {"median", one.by[i].median}, {"ci95", ci ? json::array({ci->low, ci->high}) : json(nullptr)}, {"rank", one.by[i].rank}};
    }
    result["front"].push_back({{"stack", {{"id", row.stack.id()}, {"components", row.stack.components}}},
                               {"values", values},
                               {"inspections", row.inspections},
                               {"evidence", row.evidence}});
  }
  return result;
}

std::string text(const TradeOffs& of, std::size_t width, bool colour) {
  const Paint paint{colour};
  const auto paragraph = [&](const std::string& words) { return wrap(words, 0, width); };
  auto text = paint("1", paragraph(first_line(of))) + "\n" + paragraph(rest_of(of)) + "\n";
  if (of.front.empty()) return text;
  if (const auto common = common_components(*of.rankings.front()); !common.empty())
    text += paragraph("All of these: " + label_of(common, {})) + "\n";
  text += "\n" + table_of(of, colour, width);
  const auto notes = notes_of(of);
  if (!notes.empty()) text += "\nNotes:\n";
  for (const auto& note : notes) text += bullet(note, width);
  return text;
}

}  // namespace stackx::analysis
