#include "analysis/ranking/headline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/ranking/amount_remark.hpp"
#include "analysis/ranking/stack_names.hpp"
#include "analysis/text/words.hpp"
#include "specs/project/own_pis.hpp"

namespace stackx::analysis {
namespace {

constexpr double looks_apart = 1.1;   // a ratio beyond this one is told
constexpr double wide_cv = 0.1;       // a spread that is cautioned of
constexpr double narrow_lead = 1.05;  // a lead that luck may have part in
constexpr std::size_t most_named = 3;

using Rows = std::vector<const Recommendation*>;

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

// Of the first to the row; by the medians where they share no round.
double factor(const Recommendation& row, const Recommendation& best, const specs::Yardstick& yardstick) {
  const bool paired = row.versus_best && row.versus_best->pairs > 0;
  return times(paired ? row.versus_best->ratio : row.median / best.median, yardstick);
}

std::string factors_text(const Rows& rows, const Recommendation& best, const specs::Yardstick& yardstick) {
  std::vector<double> factors;
  for (const auto* row : rows) factors.push_back(factor(*row, best, yardstick));
  const auto [least, most] = std::ranges::minmax(factors);
  const int decimals = least < 1.15 ? 2 : 1;
  const auto low = fmt::format("{:.{}f}", least, decimals), high = fmt::format("{:.{}f}", most, decimals);
  return low == high ? low : low + " to " + high;
}

// The stacks of a ranking, by what is shown of them.
struct Sorted {
  specs::Yardstick yardstick;
  const Recommendation* best = nullptr;
  const Recommendation* next = nullptr;  // by the median; of those that left no race, if there are any
  Rows slower, equal, open, looks, left;

  bool decided() const {
    return best != nullptr && next != nullptr && equal.empty() && open.empty() && looks.empty();
  }
  double goodness(const Recommendation& row) const { return yardstick.smaller_is_better() ? -row.median : row.median; }
  Rows leaders() const {
    Rows rows{best};
    rows.insert(rows.end(), equal.begin(), equal.end());
    rows.insert(rows.end(), open.begin(), open.end());
    std::ranges::stable_sort(rows.begin() + 1, rows.end(), {}, [&](const auto* row) { return -goodness(*row); });
    return rows;
  }
};

Sorted sorted(const Ranking& ranking) {
  Sorted result;
  result.yardstick = ranking.yardstick;
  const auto& yardstick = ranking.yardstick;
  const auto& rows = ranking.recommendations;
  const auto best = std::ranges::find_if(rows, [](const auto& row) { return !row.versus_best; });
  if (best == rows.end()) return result;
  result.best = &*best;
  for (const Recommendation& row : rows) {
    if (!row.versus_best) continue;
    if (result.next == nullptr ||
        std::pair(!row.left_race, result.goodness(row)) > std::pair(!result.next->left_race, result.goodness(*result.next)))
      result.next = &row;
    const Comparison& c = *row.versus_best;
    const bool paired = c.pairs > 0;
    if (c.verdict == Verdict::slower)
      result.slower.push_back(&row);
    else if (c.verdict == Verdict::equivalent)
      result.equal.push_back(&row);
    else if (row.left_race && c.ratio < 1)
      result.left.push_back(&row);
    else if (looks_slower(row, ranking.delta, yardstick) || (!paired && factor(row, *best, yardstick) > looks_apart))
      result.looks.push_back(&row);
    else
      result.open.push_back(&row);
  }
  return result;
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

bool elsewhere(const Recommendation& row) { return row.evidence == "measured-elsewhere"; }

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

// The worst that one stack under two names showed: what is smaller may be noise.
std::string noise_floor(const Sentinels& sentinels) {
  std::optional<Interval> floor;
  for (const SentinelTest& test : sentinels.tests)
    if (test.interval)
      floor = floor
                  ? Interval{std::min(floor->low, test.interval->low), std::max(floor->high, test.interval->high), 0}
                  : *test.interval;
  if (floor) return fmt::format("noise floor {:+.1f}% to {:+.1f}%", 100 * (floor->low - 1), 100 * (floor->high - 1));
  return sentinels.tests.empty() ? "noise floor unknown (no sentinel)" : "noise floor unknown (too few rounds)";
}

std::string rounds_run(const Ranking& ranking) {
  const auto& rows = ranking.recommendations;
  if (rows.empty()) return "";
  const auto [least, most] = std::ranges::minmax(rows, {}, &Recommendation::inspections);
  const auto rounds = least.inspections == most.inspections
                          ? ", " + counted(most.inspections, "round")
                          : fmt::format(", {} to {} rounds", least.inspections, most.inspections);
  return ranking.nodes ? fmt::format("{} on {} nodes", rounds, ranking.nodes->nodes.size() + ranking.nodes->apart.size()) : rounds;
}

std::string failures_of(const Ranking& ranking) {
  std::size_t inspections = 0;
  for (const auto& row : ranking.recommendations) inspections += row.failed();
  std::string text;
  if (!ranking.failed.empty()) text = counted(ranking.failed.size(), "stack") + " failed";
  if (inspections > 0)
    text += fmt::format("{}{} failed", text.empty() ? "" : ", ", counted(inspections, "inspection"));
  return text.empty() ? "0 failed" : text;
}

// What the stacks were told apart on: of another size, type or library, or on another day, another may lead.
std::string holds_for(const Ranking& ranking, const StackNames& names) {
  auto what = ranking.workload;
  std::erase_if(what.params, [](const auto& one) { return specs::says_how_to_measure(one.first); });
  auto text = "Holds for " + what.text();
  if (const auto shared = names.shared(); !shared.empty()) text += " with " + shared;
  if (ranking.last_day.empty()) return text + ".";
  const bool one_day = ranking.first_day == ranking.last_day;
  return text + (one_day ? "; measured on " + ranking.last_day : fmt::format("; measured from {} to {}", ranking.first_day, ranking.last_day)) + ".";
}

void say_context(const Ranking& ranking, const std::string& hw, const StackNames& names, Headline& says) {
  const auto& rows = ranking.recommendations;
  const bool away = !rows.empty() && std::ranges::all_of(rows, elsewhere);
  const auto model = hw.empty() ? ranking.hw : hw;
  says.context.push_back(fmt::format("{} ({}): {}{}, {}; {}.", away ? "MEASURED ELSEWHERE" : "MEASURED here", model,
                                     counted(rows.size(), "stack"), rounds_run(ranking), failures_of(ranking),
                                     noise_floor(ranking.sentinels)));
  says.context.push_back(holds_for(ranking, names));
  if (ranking.population) says.context.push_back(line(*ranking.population));
  if (ranking.program) says.context.push_back(fmt::format("Measured by {}.", ranking.program->text()));
}

// "node n7 is ..." as a sentence.
std::string sentence(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text + (text.ends_with('.') ? "" : ".");
}

void say_nodes(const Ranking& ranking, Headline& says) {
  if (ranking.nodes)
    for (const auto& line : odd_lines(*ranking.nodes)) says.cautions.push_back(sentence(line));
  for (const auto& line : ranking.across_nodes) says.cautions.push_back(sentence(line));
}

// Of the first to the next, at the end of the interval that is nearer to a tie.
double least_lead(const Interval& ratio, const specs::Yardstick& yardstick) {
  return yardstick.smaller_is_better() ? 1 / ratio.high : ratio.low;
}

void say_cautions(const Ranking& ranking, const Sorted& all, const StackNames& names, Headline& says) {
  auto& said = says.cautions;
  const char* worse = ranking.yardstick.is_rate() ? "slower" : "worse";
  const auto away = std::ranges::count_if(ranking.recommendations, elsewhere);
  const auto total = static_cast<std::ptrdiff_t>(ranking.recommendations.size());
  if (ranking.without_unit > 0)
    said.push_back(fmt::format("{} {} no {} and {} left out.", counted(ranking.without_unit, "inspection"),
                               ranking.without_unit == 1 ? "tells" : "tell",
                               ranking.yardstick.is_rate() ? ranking.unit : ranking.yardstick.noun(),
                               ranking.without_unit == 1 ? "is" : "are"));
  if (!ranking.amount_remark.empty()) said.push_back(sentence(ranking.amount_remark));
  if (all.best->cv && *all.best->cv >= wide_cv)
    said.push_back(fmt::format("CV of the best {:.0f}%.", 100 * *all.best->cv));
  if (ranking.sentinels.different > 0)
    said.push_back("One stack under two names was called different here: the noise goes beyond what intervals say.");
  for (const auto* row : all.open)
    if (row->versus_best->verdict == Verdict::faster)
      said.push_back(fmt::format("{} is {} in the rounds that both ran, though its median is {}.", names.subject(row->stack),
                                 words(Verdict::faster, ranking.yardstick), ranking.yardstick.smaller_is_better() ? "higher" : "lower"));
  for (std::size_t i = 0; i < std::min(all.looks.size(), most_named); ++i)
    said.push_back(fmt::format("{} {}.", names.subject(all.looks[i]->stack),
                               all.looks[i]->versus_best->pairs > 0
                                   ? looks_text(*all.looks[i], ranking.delta, ranking.yardstick)
                                   : fmt::format("looks {}, and shares no round with the first", worse)));
  if (all.looks.size() > most_named)
    said.push_back(fmt::format("{} more look {}.", all.looks.size() - most_named, worse));
  say_nodes(ranking, says);
  for (const auto& line : ranking.unsteady) said.push_back(sentence(line));
  if (away > 0 && away < total)
    said.push_back(fmt::format("{} of {} stacks were measured elsewhere only.", away, total));
  if (says.decided && says.ratio_ci && least_lead(*says.ratio_ci, ranking.yardstick) < narrow_lead)
    said.push_back("A narrow lead, picked from the rounds that show it: `stackx verify` measures it again.");
  if (!ranking.failed.empty())
    said.push_back(fmt::format("{} failed: {}", names.subject(ranking.failed.front().stack),
                               first_words(ranking.failed.front().reason)));
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

std::string first_words(const std::string& reason, std::size_t most) {
  const auto line = reason.substr(0, reason.find_first_of("\r\n"));
  return line.size() <= most ? line : line.substr(0, line.rfind(' ', most)) + " ...";
}

double times(double ratio, const specs::Yardstick& yardstick) { return yardstick.smaller_is_better() ? ratio : 1 / ratio; }

bool looks_slower(const Recommendation& row, double delta, const specs::Yardstick& yardstick) {
  return row.versus_best && row.versus_best->verdict == Verdict::unresolved && row.versus_best->pairs > 0 &&
         times(row.versus_best->ratio, yardstick) > std::max(looks_apart, 1 + delta);
}

std::string looks_text(const Recommendation& row, double delta, const specs::Yardstick& yardstick) {
  if (!looks_slower(row, delta, yardstick)) return "";
  const Comparison& c = *row.versus_best;
  if (row.left_race) return fmt::format("left a race, ×{:.3f}", c.ratio);
  return fmt::format("looks ×{:.3f}, {}", c.ratio,
                     !c.further_rounds        ? ">10000 rounds short"
                     : *c.further_rounds == 1 ? "1 round short"
                                              : fmt::format("{} rounds short", *c.further_rounds));
}

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
  say_context(ranking, hw, names, says);
  say_cautions(ranking, all, names, says);
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
