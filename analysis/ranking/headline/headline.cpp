#include "analysis/ranking/headline/headline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/ranking/amount_remark.hpp"
#include "analysis/ranking/headline/around.hpp"
#include "analysis/ranking/headline/standing.hpp"
#include "analysis/ranking/stack_names.hpp"
#include "analysis/text/words.hpp"

namespace stackx::analysis {
namespace {

// 414, 87.1, 3.72: three digits, but never fewer than stand before the point.
std::string three_digits(double value) {
  if (value < 1e-3 || value >= 1e9) return fmt::format("{:.3g}", value);
  return fmt::format("{:.{}f}", value, value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3);
}

std::string bounds_text(const std::optional<Interval>& of) {
  return of ? fmt::format(" [{}, {}]", three_digits(of->low), three_digits(of->high)) : "";
}

// 1.92, 1.013: so many decimals as tell it from 1.
std::string factor_text(double factor, double all) { return fmt::format("{:.{}f}", factor, all < 1.1 ? 3 : 2); }

std::string factors_text(const Rows& rows, const Recommendation& best, const specs::Yardstick& yardstick) {
  std::vector<double> factors;
  for (const auto* row : rows) factors.push_back(factor(*row, best, yardstick));
  const auto [least, most] = std::ranges::minmax(factors);
  const int decimals = least < 1.15 ? 2 : 1;
  const auto low = fmt::format("{:.{}f}", least, decimals), high = fmt::format("{:.{}f}", most, decimals);
  return low == high ? low : low + " to " + high;
}

// 9601 claims more than an estimate knows.
std::size_t two_digits(std::size_t count) {
  std::size_t unit = 1;
  while (count / unit >= 100) unit *= 10;
  return (count + unit / 2) / unit * unit;
}

// Rounds until the last of them is told; nothing where one of them cannot be said.
std::optional<std::size_t> lacking(const Rows& rows) {
  std::size_t most = 0;
  for (const auto* row : rows) {
    if (row->versus_best->verdict != Verdict::unresolved) continue;
    const auto& further = row->versus_best->further_rounds;
    if (!further) return std::nullopt;
    most = std::max(most, *further);
  }
  return most;
}

// `fewest`: the rounds without which no verdict can fall.
std::string rounds_text(const Rows& rows, std::size_t fewest, Headline& says) {
  if (rows.empty()) return "";
  if (std::ranges::any_of(rows, [](const auto* row) { return row->versus_best->pairs == 0; }))
    return " (no shared round: run them in one campaign)";
  const auto run = (*std::ranges::min_element(rows, {}, [](const auto* row) {
                     return row->versus_best->pairs;
                   }))->versus_best->pairs;
  const auto rounds = lacking(rows);
  if (!rounds && run >= fewest) return " (10,000 rounds would not tell)";
  if (rounds && *rounds == 0) return "";
  // Before the fewest are run, what rounds say of the noise is too little for an estimate far beyond them.
  const auto least = run < fewest ? fewest - run : 0;
  const auto most = !rounds || (least > 0 && *rounds > 10 * least) ? least : *rounds;
  says.rounds_lacking = std::max(says.rounds_lacking, most);
  const auto more = fmt::format("{} more {}", most > least ? two_digits(most) : most, most == 1 ? "round" : "rounds");
  if (most > least) return fmt::format(" (about {} would tell)", more);
  return rounds && *rounds == most ? fmt::format(" ({} would tell)", more)
                                   : fmt::format(" (at least {} needed)", more);
}

// "are 1.7 times slower", "have 1.7 times the memory"; of what is better when larger "have 1.7 times less bandwidth".
std::string worse_text(const Rows& rows, const Recommendation& best, const specs::Yardstick& yardstick, bool shown) {
  const bool one = rows.size() == 1;
  const auto factors = factors_text(rows, best, yardstick);
  if (yardstick.is_rate())
    return fmt::format("{} {} times slower", shown ? (one ? "is" : "are") : (one ? "looks" : "look"), factors);
  const auto* has = shown ? (one ? "has" : "have") : (one ? "seems to have" : "seem to have");
  return yardstick.smaller_is_better() ? fmt::format("{} {} times the {}", has, factors, yardstick.noun())
                                       : fmt::format("{} {} times less {}", has, factors, yardstick.noun());
}

// "; 4 others are 1.7 to 4.8 times slower, 2 look 1.2 times slower (2 more rounds would tell)"
std::string the_others(const Sorted& all, std::size_t fewest, Headline& says) {
  std::vector<std::string> parts;
  const auto how_many = [&](const Rows& rows) {
    return parts.empty() ? counted(rows.size(), "other") : std::to_string(rows.size());
  };
  const auto add = [&](const Rows& rows, bool shown) {
    if (!rows.empty()) parts.push_back(how_many(rows) + " " + worse_text(rows, *all.best, all.yardstick, shown));
  };
  add(all.slower, true);
  add(all.looks, false);
  if (!all.looks.empty()) parts.back() += rounds_text(all.looks, fewest, says);
  if (!all.left.empty()) parts.push_back(how_many(all.left) + " left the race behind it");
  return parts.empty() ? "" : fmt::format("; {}", fmt::join(parts, ", "));
}

std::string listed(const Rows& rows, const StackNames& names, const std::string& unit) {
  std::string text;
  for (std::size_t i = 0; i < std::min(rows.size(), most_named); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", names.of(rows[i]->stack), three_digits(rows[i]->median));
  if (!unit.empty()) text += " " + unit;
  return rows.size() > most_named ? text + fmt::format(" and {} more", rows.size() - most_named) : text;
}

std::string median_text(const Recommendation& row, const Ranking& ranking) {
  return fmt::format("{}{}{}{}", three_digits(row.median), ranking.unit.empty() ? "" : " ", ranking.unit, bounds_text(row.ci));
}

// "is FASTEST", "has the LEAST memory".
std::string best_words(const specs::Yardstick& yardstick) {
  if (yardstick.is_rate()) return "is FASTEST";
  return fmt::format("has the {} {}", yardstick.smaller_is_better() ? "LEAST" : "MOST", yardstick.noun());
}

void say_fastest(const Sorted& all, const Ranking& ranking, const StackNames& names, Headline& says) {
  std::string rest;
  if (says.ratio) {
    const double all_of_it = times(1 / *says.ratio, ranking.yardstick);
    rest = fmt::format(", {}x", factor_text(*says.ratio, all_of_it));
    if (says.ratio_ci)
      rest += fmt::format(" [{}, {}]", factor_text(says.ratio_ci->low, all_of_it), factor_text(says.ratio_ci->high, all_of_it));
    rest += ranking.yardstick.is_rate() ? " the next" : " that of the next";
  }
  if (!all.left.empty()) rest += fmt::format("; {} left the race behind it", counted(all.left.size(), "other"));
  says.line = fmt::format(
      "{} {}{}{}: {}{}.", names.subject(all.best->stack), best_words(ranking.yardstick),
      all.left.empty() || all.slower.empty() ? "" : fmt::format(" of {} finalists", 1 + all.slower.size()),
      elsewhere(*all.best) ? ", measured elsewhere" : "", median_text(*all.best, ranking), rest);
}

void say_leaders(const Sorted& all, const Ranking& ranking, const StackNames& names, Headline& says) {
  const Rows leaders = all.leaders();
  const auto fewest = fewest_rounds(ranking.recommendations.size() - 1, ranking.confidence);
  const bool equal = all.open.empty();
  const std::string where = elsewhere(*all.best) ? ", measured elsewhere" : "";
  if (leaders.size() == 1) {
    says.line = fmt::format("Leading{}{}, not shown: {} with {}{}.", ranking.yardstick.is_rate() ? "" : " in " + ranking.yardstick.noun(), where, names.subject(all.best->stack),
                            median_text(*all.best, ranking), the_others(all, fewest, says));
    return;
  }
  const std::string rounds = rounds_text(all.open, fewest, says);
  says.line =
      fmt::format("{}{}: {}{}{}.",
                  equal                           ? fmt::format("{}, within {:g}%", ranking.yardstick.is_rate() ? "Equally fast" : "Equal in " + ranking.yardstick.noun(),
                                                              100 * ranking.delta)
                  : ranking.yardstick.is_rate() ? "Leading, not told apart"
                                                : fmt::format("Leading in {}, not told apart", ranking.yardstick.noun()),
                  where, listed(leaders, names, ranking.unit), rounds, the_others(all, fewest, says));
}

void say_nothing_ran(const Ranking& ranking, const StackNames& names, Headline& says) {
  const auto& failed = ranking.failed;
  if (failed.empty()) {
    says.line = ranking.without_unit > 0 && !ranking.yardstick.is_rate() ? no_amount(ranking.yardstick, ranking.without_unit)
                                                                         : "Nothing was measured.";
    return;
  }
  says.verdict = "FAILED";
  says.line = fmt::format("No stack ran: {} failed; {}: {}",
                          failed.size() == 1 ? "the one" : fmt::format("all {}", failed.size()),
                          names.subject(failed.front().stack), first_words(failed.front().reason, 400));  // it is the answer
}

void say_alone(const Sorted& all, const Ranking& ranking, const StackNames& names, Headline& says) {
  const auto failed = ranking.failed.size();
  says.line = fmt::format("{}: {}{}{}; {}.", names.subject(all.best->stack),
                          ranking.yardstick.is_rate() ? "" : ranking.yardstick.noun() + " ", median_text(*all.best, ranking),
                          elsewhere(*all.best) ? ", measured elsewhere" : "",
                          failed > 0 ? fmt::format("the only one of {} stacks that ran", failed + 1)
                                     : fmt::format("no other stack was measured, so nothing says whether another is {}",
                                                 ranking.yardstick.is_rate() ? "faster" : "better"));
}

void set_ratio(const Sorted& all, Headline& says) {
  const auto& c = all.next->versus_best;
  if (c->pairs == 0) return;
  says.ratio = 1 / c->ratio;
  if (c->interval) says.ratio_ci = Interval{1 / c->interval->high, 1 / c->interval->low, c->interval->coverage};
}

}  // namespace

Headline headline(const Ranking& ranking, const std::string& hw) {
  Headline says;
  const StackNames names(ranking);
  const Sorted all = sorted(ranking);
  if (all.best == nullptr) {
    say_nothing_ran(ranking, names, says);
    return says;
  }
  for (const auto* row : all.leaders()) says.leaders.push_back(row->stack.id());
  says.decided = all.decided();
  if (all.next != nullptr) set_ratio(all, says);
  says.verdict = all.next == nullptr                     ? "ALONE"
                 : says.decided                          ? (ranking.yardstick.is_rate() ? "FASTEST" : "BEST")
                 : all.open.empty() && all.looks.empty() ? "EQUIVALENT"
                                                         : "NOT TOLD APART";
  if (all.next == nullptr)
    say_alone(all, ranking, names, says);
  else if (says.decided)
    say_fastest(all, ranking, names, says);
  else
    say_leaders(all, ranking, names, says);
  says.context = context_of(ranking, hw, names);
  says.cautions = cautions_of(ranking, all, says.decided ? says.ratio_ci : std::nullopt, names);
  return says;
}

nlohmann::json to_json(const Headline& headline) {
  using nlohmann::json;
  return {{"text", headline.line},
          {"verdict", headline.verdict},
          {"decided", headline.decided},
          {"leaders", headline.leaders},
          {"ratio", headline.ratio ? json(*headline.ratio) : json()},
          {"ratio_ci", headline.ratio_ci ? json{headline.ratio_ci->low, headline.ratio_ci->high} : json()},
          {"context", headline.context},
          {"cautions", headline.cautions},
          {"rounds_lacking", headline.rounds_lacking}};
}

}  // namespace stackx::analysis
