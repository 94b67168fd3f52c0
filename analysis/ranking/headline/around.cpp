#include "analysis/ranking/headline/around.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "analysis/text/words.hpp"
#include "specs/project/own_pis.hpp"

namespace stackx::analysis {
namespace {

constexpr double wide_cv = 0.1;       // a spread that is cautioned of
constexpr double narrow_lead = 1.05;  // a lead that luck may have part in

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

// "node n7 is ..." as a sentence.
std::string sentence(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text + (text.ends_with('.') ? "" : ".");
}

void add_nodes(const Ranking& ranking, std::vector<std::string>& said) {
  if (ranking.nodes)
    for (const auto& line : odd_lines(*ranking.nodes)) said.push_back(sentence(line));
  for (const auto& line : ranking.across_nodes) said.push_back(sentence(line));
}

// Of the first to the next, at the end of the interval that is nearer to a tie.
double least_lead(const Interval& ratio, const specs::Yardstick& yardstick) {
  return yardstick.smaller_is_better() ? 1 / ratio.high : ratio.low;
}

}  // namespace

std::vector<std::string> context_of(const Ranking& ranking, const std::string& hw, const StackNames& names) {
  std::vector<std::string> said;
  const auto& rows = ranking.recommendations;
  const bool away = !rows.empty() && std::ranges::all_of(rows, elsewhere);
  const auto model = hw.empty() ? ranking.hw : hw;
  said.push_back(fmt::format("{} ({}): {}{}, {}; {}.", away ? "MEASURED ELSEWHERE" : "MEASURED here", model,
                                     counted(rows.size(), "stack"), rounds_run(ranking), failures_of(ranking),
                                     noise_floor(ranking.sentinels)));
  said.push_back(holds_for(ranking, names));
  if (ranking.population) said.push_back(line(*ranking.population));
  if (ranking.program) said.push_back(fmt::format("Measured by {}.", ranking.program->text()));
  return said;
}

std::vector<std::string> cautions_of(const Ranking& ranking, const Sorted& all, const std::optional<Interval>& lead, const StackNames& names) {
  std::vector<std::string> said;
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
  add_nodes(ranking, said);
  for (const auto& line : ranking.unsteady) said.push_back(sentence(line));
  if (away > 0 && away < total)
    said.push_back(fmt::format("{} of {} stacks were measured elsewhere only.", away, total));
  if (lead && least_lead(*lead, ranking.yardstick) < narrow_lead)
    said.push_back("A narrow lead, picked from the rounds that show it: `stackx verify` measures it again.");
  if (!ranking.failed.empty())
    said.push_back(fmt::format("{} failed: {}", names.subject(ranking.failed.front().stack),
                               first_words(ranking.failed.front().reason)));
  return said;
}

}  // namespace stackx::analysis
