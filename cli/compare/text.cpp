#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "analysis/text/table.hpp"
#include "analysis/text/terminal_plot.hpp"
#include "analysis/text/words.hpp"
#include "cli/compare/report.hpp"
#include "specs/format/printable.hpp"

namespace stackx::cli {
namespace {

using analysis::Column;
using analysis::counted;
using analysis::CoupleResult;
using analysis::Interval;
using analysis::SideSummary;
using analysis::Verdict;

constexpr std::size_t widest_plot = 100;
constexpr const char* bold = "1";

std::string unit_of(const CompareReport& report) {
  return analysis::unit_in_words(report.sides.a.rates.unit, report.sides.workload);
}

std::string interval_text(const std::optional<Interval>& interval) {
  return interval ? fmt::format("[{:.3f}, {:.3f}]", interval->low, interval->high) : "-";
}

std::string rate_interval(const std::optional<Interval>& interval) {
  return interval ? fmt::format("[{}, {}]", analysis::number(interval->low),
                                analysis::number(interval->high))
                  : "-";
}

// "  workload    matmul:...": further lines go on below the text.
std::string labelled(const char* label, const std::string& text, std::size_t width) {
  return fmt::format("  {:<11} {}\n", label, analysis::wrap(text, 14, width));
}

// "A is FASTER than B", "A has LESS memory than B".
std::string relation(Verdict verdict, double delta, const specs::Yardstick& yardstick) {
  const bool less = yardstick.smaller_is_better();
  switch (verdict) {
    case Verdict::faster:
      return yardstick.is_rate() ? "A is FASTER than B" : fmt::format("A has {} {} than B: BETTER", less ? "LESS" : "MORE", yardstick.noun());
    case Verdict::slower:
      return yardstick.is_rate() ? "A is SLOWER than B" : fmt::format("A has {} {} than B: WORSE", less ? "MORE" : "LESS", yardstick.noun());
    case Verdict::equivalent:
      return fmt::format("A and B are EQUIVALENT (within {:.3g}%)", 100 * delta);
    case Verdict::unresolved:
      break;
  }
  return "A against B is UNRESOLVED";
}

// "A looks faster than B", of sides that share no round.
std::string unpaired_relation(const CompareReport& report) {
  const auto verdict = report.result.overall.verdict;
  const auto how = looks(verdict, report);
  if (how.empty()) return "A against B is UNRESOLVED";
  if (verdict == Verdict::equivalent) return fmt::format("A and B look equal (within {:.3g}%)", 100 * report.delta);
  return fmt::format("A looks {}{} than B", report.sides.yardstick.is_rate() ? "" : "to have ", how);
}

// What n counts.
std::string basis(const CompareReport& report) {
  const auto& result = report.result;
  if (result.couples.size() == 1 && !result.paired) {
    const auto& couple = result.couples.front();
    return fmt::format("n={} and {} inspections, not paired", couple.of_a.inspections,
                       couple.of_b.inspections);
  }
  if (!result.paired)
    return fmt::format("n={} stacks, each measured on both sides, not paired", result.logs.size());
  auto text = fmt::format("n={} paired rounds on {}", result.rounds, counted(result.hosts, "host"));
  if (result.couples.size() > 1)
    text += fmt::format(", each the median of up to {} couples of stacks", result.couples.size());
  return text;
}

std::string outlook(const CompareReport& report) {
  const auto& overall = report.result.overall;
  if (overall.verdict != Verdict::unresolved) return "";
  const char* unit = report.result.paired ? "round" : "stack";
  const bool by_sign_test = report.result.paired || report.result.couples.size() >=
                                                        analysis::least_values(report.confidence);
  if (!by_sign_test) return "";
  return overall.further_rounds
             ? fmt::format(" About {} more would tell.", counted(*overall.further_rounds, unit))
             : fmt::format(
                   " It lies so close to the edge of the band that 10,000 {}s would not tell.",
                   unit);
}

std::string sentence(const CompareReport& report) {
  const auto& overall = report.result.overall;
  return fmt::format("{}: x{:.3f} {}, {}.{}", report.result.paired ? relation(overall.verdict, report.delta, report.sides.yardstick) : unpaired_relation(report),
                     overall.ratio,
                     overall.interval ? interval_text(overall.interval) : "without an interval",
                     basis(report), outlook(report));
}

std::string intervals(const CompareReport& report, std::size_t width) {
  const auto& result = report.result;
  std::string text;
  const bool by_bootstrap = !result.paired && result.couples.size() == 1;
  if (result.overall.interval && !by_bootstrap)
    text = fmt::format("sign test {} (covers {:.1f}%)", interval_text(result.overall.interval),
                       100 * result.overall.interval->coverage);
  if (result.bootstrap)
    text += fmt::format("{}{} bootstrap {}", text.empty() ? "" : "; ",
                        !result.paired               ? "independent"
                        : result.couples.size() == 1 ? "hierarchical"
                                                     : "rounds'",
                        interval_text(result.bootstrap));
  return text.empty() ? "" : labelled("intervals", text, width);
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f}%", 100 * *share) : "-";
}

std::string failures_text(const SideSummary& summary) {
  std::vector<std::string> parts;
  for (const auto& [outcome, n] : summary.failures)
    parts.push_back(fmt::format("{} {}", n, outcome));
  return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string two_sides(const CompareReport& report, const CoupleResult& couple, std::size_t width) {
  std::vector<Column> columns = {{"", false, {}},
                                 {"stack", false, {}},
                                 {"median " + analysis::title_of(report.sides.yardstick, unit_of(report)), true, {}},
                                 {fmt::format("{:.3g}% CI", 100 * report.confidence), false, {}},
                                 {"CV", true, {}},
                                 {"n", true, {}},
                                 {"failures", false, {}}};
  const auto add = [&](const char* side, const specs::Stack& stack, const SideSummary& summary) {
    const std::vector<std::string> cells = {side,
                                            stack.short_id(),
                                            analysis::number(summary.median),
                                            rate_interval(summary.interval),
                                            percent(summary.cv),
                                            fmt::format("{}", summary.inspections),
                                            failures_text(summary)};
    for (std::size_t i = 0; i < cells.size(); ++i) columns[i].cells.push_back(cells[i]);
  };
  add("A", couple.a, couple.of_a);
  add("B", couple.b, couple.of_b);
  return analysis::table_text(columns, {false}, width);
}

std::string differences_text(const CoupleResult& couple, std::size_t width) {
  const auto list = differences(couple.a, couple.b);
  if (list.empty()) return "";
  std::vector<Column> columns = {{"differ in", false, {}}, {"A", false, {}}, {"B", false, {}}};
  for (const auto& difference : list) {
    columns[0].cells.push_back(difference.component);
    columns[1].cells.push_back(difference.a.empty() ? "-" : difference.a);
    columns[2].cells.push_back(difference.b.empty() ? "-" : difference.b);
  }
  return analysis::table_text(columns, {false}, width) + "\n";
}

// What A and B have in common in each couple, where the couples differ in it.
std::string setting(const CompareReport& report, const CoupleResult& couple) {
  std::string text;
  for (const auto& [name, version] : couple.a.components) {
    const auto same = couple.b.components.find(name);
    if (same == couple.b.components.end() || same->second != version) continue;
    const bool everywhere = std::ranges::all_of(report.result.couples, [&](const auto& other) {
      const auto found = other.a.components.find(name);
      return found != other.a.components.end() && found->second == version;
    });
    if (!everywhere) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, version);
  }
  return text;
}

void add(std::vector<Column>& columns, const char* title, bool right, auto cell,
         std::span<const CoupleResult> couples) {
  columns.push_back({title, right, {}});
  for (const auto& couple : couples) columns.back().cells.push_back(cell(couple));
}

std::string couples_text(const CompareReport& report, std::size_t rows, std::size_t width) {
  const auto& result = report.result;
  const auto shown = rows == 0 ? result.couples.size() : std::min(rows, result.couples.size());
  const std::span<const CoupleResult> couples(result.couples.data(), shown);
  const bool decided = result.own_verdicts;
  const bool same = std::ranges::all_of(couples, [](const auto& c) { return c.a == c.b; });
  std::vector<Column> columns;
  const auto column = [&](const char* title, bool right, auto cell) {
    add(columns, title, right, cell, couples);
  };
  column("A/B", true, [](const auto& c) { return fmt::format("x{:.3f}", c.comparison.ratio); });
  column("CI", false, [&](const auto& c) {
    return interval_text(decided ? c.comparison.interval : c.bootstrap);
  });
  if (decided)
    column(result.paired ? "verdict" : "looks", false, [&](const auto& c) {
      const auto how = looks(c.comparison.verdict, report);
      return how.empty() ? shown_word(c.comparison.verdict, report) : how;
    });
  column(result.paired ? "rounds" : "n", true, [&](const auto& c) {
    return result.paired ? fmt::format("{}", c.comparison.pairs)
                         : fmt::format("{}, {}", c.of_a.inspections, c.of_b.inspections);
  });
  column(same ? "stack" : "A", false, [](const auto& c) { return c.a.short_id(); });
  if (!same) column("B", false, [](const auto& c) { return c.b.short_id(); });
  column("CV A", true, [](const auto& c) { return percent(c.of_a.cv); });
  column("CV B", true, [](const auto& c) { return percent(c.of_b.cv); });
  column("in common", false, [&](const auto& c) { return setting(report, c); });
  auto text = analysis::table_text(columns, {false}, width);
  if (shown < result.couples.size())
    text += fmt::format("... and {} more (--rows 0 shows all)\n", result.couples.size() - shown);
  return text;
}

// "10 FASTER, 2 UNRESOLVED".
std::string tally(const CompareReport& report) {
  std::map<std::string, std::size_t> counts;
  for (const auto& couple : report.result.couples) ++counts[words(couple.comparison.verdict, report.sides.yardstick)];
  std::string text;
  for (const auto& [verdict, n] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, verdict);
  return text;
}

// The ratio on each node; what nodes differ by, beside what rounds of one do.
std::string nodes_text(const CompareReport& report, std::size_t rows, std::size_t width) {
  const auto& result = report.result;
  if (result.nodes.empty()) return "";
  const auto shown = rows == 0 ? result.nodes.size() : std::min(rows, result.nodes.size());
  std::vector<Column> columns = {{"node", false, {}}, {"A/B", true, {}}, {fmt::format("{:.3g}% CI", 100 * report.confidence), false, {}}, {"rounds", true, {}}};
  for (const auto& node : std::span(result.nodes).first(shown)) {
    columns[0].cells.push_back(node.node);
    columns[1].cells.push_back(fmt::format("x{:.3f}", node.ratio));
    columns[2].cells.push_back(interval_text(node.interval));
    columns[3].cells.push_back(fmt::format("{}", node.rounds));
  }
  auto text = "\n" + analysis::table_text(columns, {false}, width);
  if (shown < result.nodes.size())
    text += fmt::format("... and {} more (--rows 0 shows all)\n", result.nodes.size() - shown);
  if (const auto& of = result.by_node)
    text += fmt::format("A/B varies by {:.2g}% between nodes (SD, noise taken off), by {:.2g}% within (n={}).\n",
                        100 * std::sqrt(std::max(0.0, of->between)), 100 * std::sqrt(of->within), counted(result.rounds, "round"));
  return text;
}

const analysis::StackRates& rates_of(const Side& side, const specs::Stack& stack) {
  return *std::ranges::find(side.rates.stacks, stack, &analysis::StackRates::stack);
}

std::string plots_text(const CompareReport& report, std::size_t width) {
  const auto plot_width = std::min(width, widest_plot);
  const auto& result = report.result;
  std::string text;
  if (result.couples.size() == 1) {
    const auto& couple = result.couples.front();
    text += "\n" + analysis::box_plots({{"A", analysis::rates(rates_of(report.sides.a, couple.a))},
                                        {"B", analysis::rates(rates_of(report.sides.b, couple.b))}},
                                       plot_width, analysis::title_of(report.sides.yardstick, unit_of(report)));
  }
  if (result.overall.interval && result.logs.size() > 1)
    text += "\n" +
            analysis::ratio_plot(result.logs, *result.overall.interval, report.delta, plot_width);
  return text;
}

std::string limit_text(const CompareReport& report, std::size_t width) {
  if (!report.max_slower) return "";
  return labelled("limit",
                  fmt::format("B may be {:.3g}% {} than A: {}", *report.max_slower,
                              report.sides.yardstick.is_rate() ? "slower" : "worse",
                              !exceeds_limit(report)      ? "not shown to be exceeded"
                              : report.result.paired ? "EXCEEDED, the whole interval lies beyond"
                                                     : "EXCEEDED by what was measured, at two times"),
                  width);
}

}  // namespace

std::string compare_text(const CompareReport& report, const CompareLook& look) {
  const auto& result = report.result;
  const auto rows = look.rows;
  const auto paragraph = [&](const std::string& one) { return analysis::wrap(one, 0, look.width); };
  const analysis::Paint paint{look.colour};
  std::string text = paint(bold, paragraph(sentence(report))) + "\n";
  if (const auto why = why_not_shown(report); !why.empty()) text += paragraph(why) + "\n";
  if (const auto bits = analysis::bits_sentence(report.bits); !bits.empty()) text += paragraph(bits) + "\n";
  text += "\n";
  text += labelled("A", report.sides.a.what.text, look.width) + labelled("B", report.sides.b.what.text, look.width);
  text += labelled("workload", fmt::format("{}, {}", report.sides.workload.text(),
                                           report.sides.yardstick.is_rate()
                                               ? "in " + unit_of(report)
                                               : "by " + analysis::title_of(report.sides.yardstick, unit_of(report))),
                   look.width);
  text += intervals(report, look.width) + limit_text(report, look.width);
  if (result.couples.size() == 1) {
    text += "\n" + two_sides(report, result.couples.front(), look.width) + "\n" +
            differences_text(result.couples.front(), look.width);
  } else {
    if (result.paired)
      text += labelled("couples",
                       fmt::format("{} of the {} stacks that are A and the {} that are B, corrected for their number: {}",
                                   result.couples.size(), report.sides.a.rates.stacks.size(), report.sides.b.rates.stacks.size(),
                                   tally(report)),
                       look.width);
    text += "\n" + couples_text(report, rows, look.width);
  }
  text += nodes_text(report, rows, look.width);
  if (look.plots) text += plots_text(report, look.width);
  for (const auto& note : compare_notes(report)) text += "\n" + paragraph(fmt::format("Note: {}.", specs::printable(note)));
  return text + (text.ends_with('\n') ? "" : "\n");
}

}  // namespace stackx::cli
