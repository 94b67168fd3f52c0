#include "advisor/answer/measured_answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advisor/answer/catalog_answer.hpp"
#include "advisor/candidate/newest_candidate.hpp"
#include "advisor/recipes/install_line.hpp"
#include "analysis/published/peak_remark.hpp"
#include "analysis/ranking/headline/headline.hpp"
#include "analysis/ranking/headline/standing.hpp"
#include "analysis/ranking/rates.hpp"
#include "analysis/ranking/stack_names.hpp"
#include "analysis/text/words.hpp"
#include "specs/version/version_text.hpp"
#include "workspace/words.hpp"

namespace stackx::advisor {
namespace {

constexpr std::size_t most_rows = 7;

// "SLOWER x0.52", "not told apart x0.999"; nothing of the best itself.
std::string versus_text(const analysis::Recommendation& row, double delta, const specs::Yardstick& yardstick) {
  if (!row.versus_best) return "best";
  const auto& compared = *row.versus_best;
  if (compared.pairs == 0) return "no shared round";
  if (row.left_race) return fmt::format("left the race x{:.2f}", compared.ratio);
  if (analysis::looks_slower(row, delta, yardstick))
    return fmt::format("looks {} x{:.2f}", yardstick.is_rate() ? "slower" : "worse", compared.ratio);
  if (compared.verdict == analysis::Verdict::unresolved) return fmt::format("not told apart x{:.2f}", compared.ratio);
  return fmt::format("{} x{:.2f}", words(compared.verdict, yardstick), compared.ratio);
}

void add_rows(const analysis::Ranking& ranking, const analysis::StackNames& names, Advice& answer) {
  const auto& rows = ranking.recommendations;
  answer.measured_unit = analysis::title_of(ranking.yardstick, ranking.unit);
  const auto by_median = std::ranges::minmax(rows, {}, &analysis::Recommendation::median);
  const auto& last = ranking.yardstick.smaller_is_better() ? by_median.max : by_median.min;
  for (const auto& row : rows) {
    if (answer.measured.size() == most_rows) break;
    const bool tie = std::ranges::count(rows, row.rank, &analysis::Recommendation::rank) > 1;
    answer.measured.push_back({fmt::format("{}{}", tie ? "=" : "", row.rank), row.median,
                               versus_text(row, ranking.delta, ranking.yardstick), row.cv ? fmt::format("{:.1f}%", 100 * *row.cv) : "-",
                               names.subject(row.stack), row.stack.short_id()});
  }
  if (rows.size() > answer.measured.size())
    answer.measured_rest =
        fmt::format("... {} more, {} to {} {}: --explain", rows.size() - answer.measured.size(),
                    ranking.yardstick.smaller_is_better() ? "up" : "down", figure_text(last.median), ranking.unit);
}

// Of the valid stacks, those that nobody measured, and a newer release of what was.
void add_unmeasured(const Grounds& from, Advice& answer) {
  const auto& known = from.known;
  const auto& stack = known.chosen->valid.stack;
  if (answer.pinned) {
    // which stacks the index allows was not asked
  } else if (!known.chosen->valid.unknown.empty()) {
    answer.cautions.push_back(fmt::format("The catalogs do not know {}: --format can write no recipe of it.",
                                          fmt::join(known.chosen->valid.unknown, ", ")));
  } else if (known.space) {
    const auto measured = known.measured.recommendations.size() + known.measured.failed.size();
    if (known.space->count() > measured)
      answer.cautions.push_back(fmt::format("{} of {} valid stacks {} not measured.",
                                            workspace::grouped(known.space->count() - measured),
                                            workspace::grouped(known.space->count()),
                                            known.space->count() - measured == 1 ? "is" : "are"));
  }
  if (!known.wish || !known.candidate) return;
  const auto own = stack.components.find(known.wish->root);
  if (own != stack.components.end() && specs::is_newer(known.candidate->version, own->second))
    answer.cautions.push_back(fmt::format("{} is newer, valid here, and not measured.", known.candidate->text()));
}

// --type stable: the fastest need not be the steadiest.
void say_steadiest(const analysis::Recommendation& row, const analysis::Ranking& ranking, const std::string& name,
                   Advice& answer) {
  const auto spread =
      row.cv ? fmt::format("CV {:.1f}% over {}", 100 * *row.cv, analysis::counted(row.inspections, "inspection"))
             : analysis::counted(row.inspections, "inspection");
  const auto* first = ranking.yardstick.is_rate() ? "fastest" : "best";
  answer.line = fmt::format("{} is the STEADIEST: {}; {} {}, x{:.2f} of the {}.", name, spread, answer.expected.front().text(),
                            to_string(answer.grade), row.median / ranking.recommendations.front().median, first);
  answer.why = fmt::format("the smallest spread between inspections of what was measured; the {} is another.", first);
}

// What no catalog's figure for such hardware explains is to be doubted first of all.
void say_above_peak(const HardwareAdvice& known, std::size_t row, Advice& answer) {
  const auto share = measured_peak_share(known, row);
  if (!share || share->share <= 1) return;
  const auto text = share->share < 3
                        ? analysis::peak_remark(share->share, known.measured.workload)
                        : fmt::format("{} times the stated peak: not to be believed before it was measured here",
                                      figure_text(share->share));
  answer.cautions.insert(answer.cautions.begin(),
                         fmt::format("{} {} is {} ({} of {}: {} {}).",
                                     figure_text(known.measured.recommendations[row].median), known.measured.unit, text,
                                     share->peak.unit, known.accelerator->name, figure_text(share->peak.rate), share->peak.rate_unit()));
}

// A Python and packages of an index, which no catalog knows: `inspect` of a Python project measured them.
void pin_packages(const HardwareAdvice& known, Advice& answer) {
  constexpr std::size_t longest_line = 6;
  Pinned pinned;
  for (const auto& [name, version] : known.chosen->valid.stack.components) {
    const auto plus = name.find('+');  // "requests+security" stands after "requests"
    if (name == "python")
      pinned.python = specs::minor_release(version);
    else if (known.packages.contains(name))
      pinned.packages.push_back({name, version});
    else if (plus != name.npos && !pinned.packages.empty() && pinned.packages.back().name == name.substr(0, plus))
      pinned.packages.back().extras.insert(name.substr(plus + 1));
    else
      return;
  }
  if (pinned.python.empty() || pinned.packages.empty()) return;
  if (pinned.packages.size() <= longest_line) answer.install = install_line(pinned);
  answer.pinned = std::move(pinned);
}

}  // namespace

void answer_measured(const Grounds& from, Advice& answer) {
  const auto& known = from.known;
  const auto& rows = known.measured.recommendations;
  const auto headline = analysis::headline(known.measured, known.selection.hw);
  const auto row =
      std::ranges::find_if(rows, [&](const auto& one) { return one.stack.id() == known.chosen->named.id(); });
  answer.found = true;
  answer.chosen = known.chosen;
  answer.run = analysis::components_text(known.chosen->valid.stack.components);
  answer.grade = row->evidence == "measured" ? Grade::measured : Grade::measured_elsewhere;
  answer.expected.push_back({"", row->median, known.measured.unit, row->ci});
  answer.line = headline.line;
  answer.why = headline.decided
                   ? "measured against each other, round by round; the interval of the ratio excludes a tie."
                   : fmt::format("the first of those that were measured; none is shown to be {}.", from.better());
  const analysis::StackNames names(known.measured);
  if (row != rows.begin()) say_steadiest(*row, known.measured, names.subject(row->stack), answer);
  answer.expect = fmt::format("{}", fmt::join(headline.context, " "));
  answer.cautions = headline.cautions;
  say_above_peak(known, static_cast<std::size_t>(row - rows.begin()), answer);
  add_rows(known.measured, names, answer);
  pin_packages(known, answer);
  add_unmeasured(from, answer);
  if (!answer.pinned && known.space) pin_stack(from, known.chosen->valid.stack, answer);
}

}  // namespace stackx::advisor
