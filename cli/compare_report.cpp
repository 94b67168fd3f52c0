#include "cli/compare_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/terminal_plot.hpp"
#include "analysis/text_table.hpp"

namespace stackx::cli {
namespace {

using analysis::Column;
using analysis::CoupleResult;
using analysis::Interval;
using analysis::SideSummary;
using analysis::Verdict;

constexpr std::size_t plot_width = 100;
constexpr const char* bold = "1";

std::string plural(std::size_t n, const char* noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string interval_text(const std::optional<Interval>& interval) {
  return interval ? fmt::format("[{:.3f}, {:.3f}]", interval->low, interval->high) : "-";
}

std::string rate_interval(const std::optional<Interval>& interval) {
  return interval ? fmt::format("[{}, {}]", analysis::number(interval->low),
                                analysis::number(interval->high))
                  : "-";
}

std::string relation(Verdict verdict, double delta) {
  switch (verdict) {
    case Verdict::faster:
      return "A is FASTER than B";
    case Verdict::slower:
      return "A is SLOWER than B";
    case Verdict::equivalent:
      return fmt::format("A and B are EQUIVALENT (within {:.3g}%)", 100 * delta);
    case Verdict::unresolved:
      break;
  }
  return "A against B is UNRESOLVED";
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
  auto text = fmt::format("n={} paired rounds on {}", result.rounds, plural(result.hosts, "host"));
  if (result.couples.size() > 1)
    text += fmt::format(", each the median of up to {} couples of stacks", result.couples.size());
  return text;
}

std::string outlook(const CompareReport& report) {
  const auto& overall = report.result.overall;
  if (overall.verdict != Verdict::unresolved) return "";
  const char* unit = report.result.paired ? "round" : "stack";
  const bool by_sign_test = report.result.paired ||
                            report.result.couples.size() >= analysis::least_values(report.confidence);
  if (!by_sign_test) return "";
  return overall.further_rounds
             ? fmt::format(" About {} more would tell.", plural(*overall.further_rounds, unit))
             : fmt::format(" It lies so close to the edge of the band that 10,000 {}s would not tell.",
                           unit);
}

std::string sentence(const CompareReport& report) {
  const auto& overall = report.result.overall;
  return fmt::format("{}: x{:.3f} {}, {}.{}", relation(overall.verdict, report.delta), overall.ratio,
                     overall.interval ? interval_text(overall.interval) : "without an interval",
                     basis(report), outlook(report));
}

std::string intervals(const CompareReport& report) {
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
  return text.empty() ? "" : "  intervals   " + text + "\n";
}

std::string failures_text(const SideSummary& summary) {
  std::vector<std::string> parts;
  for (const auto& [outcome, n] : summary.failures) parts.push_back(fmt::format("{} {}", n, outcome));
  return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string two_sides(const CompareReport& report, const CoupleResult& couple) {
  std::vector<Column> columns = {{"", false, {}},
                                 {"stack", false, {}},
                                 {"median " + report.sides.a.rates.unit, true, {}},
                                 {fmt::format("{:.3g}% CI", 100 * report.confidence), false, {}},
                                 {"CV", true, {}},
                                 {"n", true, {}},
                                 {"failures", false, {}}};
  const auto add = [&](const char* side, const specs::Stack& stack, const SideSummary& summary) {
    const std::vector<std::string> cells = {
        side,
        stack.short_id(),
        analysis::number(summary.median),
        rate_interval(summary.interval),
        summary.cv ? fmt::format("{:.1f}%", 100 * *summary.cv) : "-",
        fmt::format("{}", summary.inspections),
        failures_text(summary)};
    for (std::size_t i = 0; i < cells.size(); ++i) columns[i].cells.push_back(cells[i]);
  };
  add("A", couple.a, couple.of_a);
  add("B", couple.b, couple.of_b);
  return analysis::table_text(columns, {false});
}

struct Difference {
  std::string component, a, b;  // version; empty: absent
};

std::vector<Difference> differences(const specs::Stack& a, const specs::Stack& b) {
  std::set<std::string> names;
  for (const auto* stack : {&a, &b})
    for (const auto& [name, version] : stack->components) names.insert(name);
  std::vector<Difference> result;
  for (const auto& name : names) {
    const auto version = [&](const specs::Stack& stack) {
      const auto found = stack.components.find(name);
      return found == stack.components.end() ? "" : found->second;
    };
    if (version(a) != version(b)) result.push_back({name, version(a), version(b)});
  }
  return result;
}

std::string differences_text(const CoupleResult& couple) {
  const auto list = differences(couple.a, couple.b);
  if (list.empty()) return "";
  std::vector<Column> columns = {{"differ in", false, {}}, {"A", false, {}}, {"B", false, {}}};
  for (const auto& difference : list) {
    columns[0].cells.push_back(difference.component);
    columns[1].cells.push_back(difference.a.empty() ? "-" : difference.a);
    columns[2].cells.push_back(difference.b.empty() ? "-" : difference.b);
  }
  return analysis::table_text(columns, {false}) + "\n";
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

std::string couples_text(const CompareReport& report, std::size_t rows) {
  const auto& result = report.result;
  const bool few = !result.paired && result.couples.front().comparison.interval.has_value();
  std::vector<Column> columns = {
      {"A/B", true, {}},       {"CI", false, {}},  {"verdict", false, {}}, {"n", true, {}},
      {"A", false, {}},        {"B", false, {}},   {"CV A", true, {}},     {"CV B", true, {}},
      {"in common", false, {}}};
  const auto percent = [](const auto& cv) { return cv ? fmt::format("{:.1f}%", 100 * *cv) : "-"; };
  for (const auto& couple : result.couples) {
    if (rows > 0 && columns.front().cells.size() == rows) break;
    const auto& comparison = couple.comparison;
    const bool own = result.paired || few;
    const std::vector<std::string> cells = {
        fmt::format("x{:.3f}", comparison.ratio),
        interval_text(own ? comparison.interval : couple.bootstrap),
        own ? to_string(comparison.verdict) : "",
        result.paired ? fmt::format("{}", comparison.pairs)
                      : fmt::format("{}, {}", couple.of_a.inspections, couple.of_b.inspections),
        couple.a.short_id(),
        couple.a == couple.b ? "same" : couple.b.short_id(),
        percent(couple.of_a.cv),
        percent(couple.of_b.cv),
        setting(report, couple)};
    for (std::size_t i = 0; i < cells.size(); ++i) columns[i].cells.push_back(cells[i]);
  }
  auto text = analysis::table_text(columns, {false});
  if (columns.front().cells.size() < result.couples.size())
    text += fmt::format("... and {} more (--rows 0 shows all)\n",
                        result.couples.size() - columns.front().cells.size());
  return text;
}

// "10 FASTER, 2 UNRESOLVED".
std::string tally(const CompareReport& report) {
  std::map<std::string, std::size_t> counts;
  for (const auto& couple : report.result.couples) ++counts[to_string(couple.comparison.verdict)];
  std::string text;
  for (const auto& [verdict, n] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, verdict);
  return text;
}

const analysis::StackRates& rates_of(const Side& side, const specs::Stack& stack) {
  return *std::ranges::find(side.rates.stacks, stack, &analysis::StackRates::stack);
}

std::string plots_text(const CompareReport& report) {
  const auto& result = report.result;
  std::string text;
  if (result.couples.size() == 1) {
    const auto& couple = result.couples.front();
    text += "\n" + analysis::box_plots(
                       {{"A", analysis::rates(rates_of(report.sides.a, couple.a))},
                        {"B", analysis::rates(rates_of(report.sides.b, couple.b))}},
                       plot_width, report.sides.a.rates.unit);
  }
  if (result.overall.interval && result.logs.size() > 1)
    text += "\n" + analysis::ratio_plot(result.logs, *result.overall.interval, report.delta, plot_width);
  return text;
}

std::string limit_text(const CompareReport& report) {
  if (!report.max_slower) return "";
  return fmt::format("  limit       B may be {:.3g}% slower than A: {}\n", *report.max_slower,
                     exceeds_limit(report) ? "EXCEEDED, the whole interval lies beyond"
                                           : "not shown to be exceeded");
}

std::vector<std::string> notes(const CompareReport& report);

}  // namespace

bool exceeds_limit(const CompareReport& report) {
  const auto& interval = report.result.overall.interval;
  if (!report.max_slower || !interval) return false;
  return 1 / interval->low < 1 - *report.max_slower / 100;
}

namespace {

std::pair<std::string, std::string> period(const Side& side) {
  std::pair<std::string, std::string> result;
  for (const auto& m : side.measurements) {
    if (result.first.empty() || m.finished < result.first) result.first = m.finished;
    result.second = std::max(result.second, m.finished);
  }
  return result;
}

std::string host_names(const Side& side) {
  std::set<std::string> names;
  for (const auto& m : side.measurements)
    names.insert(fmt::format("{} ({})", m.hostname, m.host.substr(0, 12)));
  return fmt::format("{}", fmt::join(names, ", "));
}

void note_independence(const CompareReport& report, std::vector<std::string>& notes) {
  const auto& sides = report.sides;
  const auto of_a = period(sides.a), of_b = period(sides.b);
  notes.push_back(fmt::format(
      "nothing is paired: A was measured {} to {}, B {} to {}; what else differed between the two "
      "(drift, load, system) is part of the difference and of no interval",
      of_a.first, of_a.second, of_b.first, of_b.second));
  if (report.result.couples.size() > 1 && !report.result.couples.front().comparison.interval)
    notes.push_back(fmt::format(
        "the intervals of single stacks are bootstrap intervals of {:.3g}% each, not corrected for their "
        "number; only the verdict over all stacks is one",
        100 * report.confidence));
  else if (report.result.couples.size() > 1)
    notes.push_back(fmt::format(
        "fewer than {} stacks: each decides for itself (intervals corrected for their number), and there "
        "is a verdict where they agree",
        analysis::least_values(report.confidence)));
}

void note_rounds(const CompareReport& report, std::vector<std::string>& notes) {
  std::size_t a = 0, b = 0, shared = 0, couples = 0;
  for (const auto& couple : report.result.couples) {
    const auto n = couple.comparison.pairs;
    if (couple.of_a.rounds == n && couple.of_b.rounds == n) continue;
    ++couples;
    a += couple.of_a.rounds;
    b += couple.of_b.rounds;
    shared += n;
  }
  if (couples == 1 && report.result.couples.size() == 1)
    notes.push_back(fmt::format("A ran in {}, B in {}, both in {}: only these are compared",
                                plural(a, "round"), plural(b, "round"), plural(shared, "round")));
  else if (couples > 0)
    notes.push_back(fmt::format(
        "{} ran in rounds that they do not share; only shared rounds are compared", plural(couples, "couple")));
}

std::vector<std::string> notes(const CompareReport& report) {
  std::vector<std::string> result = report.sides.notes;
  if (report.result.paired)
    note_rounds(report, result);
  else
    note_independence(report, result);
  const auto of_a = host_names(report.sides.a), of_b = host_names(report.sides.b);
  if (of_a != of_b) result.push_back(fmt::format("hosts differ: A on {}; B on {}", of_a, of_b));
  if (report.result.left_out > 0)
    result.push_back(fmt::format("{} left out: {}", plural(report.result.left_out, "couple"),
                                 report.result.paired ? "no round in which both gave a rate"
                                                      : "a side gave no rate"));
  std::size_t failed = 0;
  for (const auto& couple : report.result.couples)
    for (const auto* summary : {&couple.of_a, &couple.of_b})
      for (const auto& [outcome, n] : summary->failures) failed += n;
  if (failed > 0 && report.result.couples.size() > 1)
    result.push_back(fmt::format("{} failed and have no rate", plural(failed, "inspection")));
  const auto kind = report.sides.a.what.kind;
  if (kind != Compared::Kind::stack && kind != Compared::Kind::lock) {
    const auto both = report.sides.couples.size();
    const auto a = report.sides.a.rates.stacks.size() - both, b = report.sides.b.rates.stacks.size() - both;
    if (a + b > 0)
      result.push_back(fmt::format("{} only in A and {} only in B: not compared", plural(a, "stack"),
                                   plural(b, "stack")));
  }
  return result;
}

nlohmann::json json_of(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {interval->low, interval->high};
}

nlohmann::json json_of(const specs::Stack& stack, const SideSummary& summary) {
  nlohmann::json json = {{"stack", {{"id", stack.id()}, {"components", stack.components}}},
                         {"median", summary.median},
                         {"ci", json_of(summary.interval)},
                         {"cv", nullptr},
                         {"inspections", summary.inspections},
                         {"rounds", summary.rounds},
                         {"failures", summary.failures}};
  if (summary.cv) json["cv"] = *summary.cv;
  return json;
}

nlohmann::json json_of(const CoupleResult& couple, bool paired) {
  auto differ = nlohmann::json::object();
  for (const auto& difference : differences(couple.a, couple.b)) {
    const auto version = [](const std::string& text) {
      return text.empty() ? nlohmann::json() : nlohmann::json(text);
    };
    differ[difference.component] = {version(difference.a), version(difference.b)};
  }
  nlohmann::json json = {{"a", json_of(couple.a, couple.of_a)},
                         {"b", json_of(couple.b, couple.of_b)},
                         {"differ", differ},
                         {"ratio", couple.comparison.ratio},
                         {"interval", json_of(couple.comparison.interval)},
                         {"bootstrap", json_of(couple.bootstrap)}};
  if (paired || couple.comparison.interval) json["verdict"] = to_string(couple.comparison.verdict);
  if (paired) json["rounds"] = couple.comparison.pairs;
  return json;
}

}  // namespace

std::string compare_text(const CompareReport& report, std::size_t rows, bool plots, bool colour) {
  const auto& result = report.result;
  const analysis::Paint paint{colour};
  std::string text = paint(bold, sentence(report)) + "\n\n";
  text += fmt::format("  A           {}\n  B           {}\n", report.sides.a.what.text,
                      report.sides.b.what.text);
  text += fmt::format("  workload    {}, in {}\n", report.sides.workload.text(),
                      report.sides.a.rates.unit);
  text += intervals(report) + limit_text(report);
  if (result.couples.size() == 1) {
    text += "\n" + two_sides(report, result.couples.front()) + "\n" +
            differences_text(result.couples.front());
  } else {
    if (result.paired)
      text += fmt::format("  couples     {} of stacks, corrected for their number: {}\n",
                          result.couples.size(), tally(report));
    text += "\n" + couples_text(report, rows);
  }
  if (plots) text += plots_text(report);
  for (const auto& note : notes(report)) text += fmt::format("\nNote: {}.", note);
  return text + (text.ends_with('\n') ? "" : "\n");
}

nlohmann::json compare_json(const CompareReport& report) {
  const auto& [sides, result, delta, confidence, max_slower] = report;
  const auto side = [](const Side& s) -> nlohmann::json {
    return {{"text", s.what.text}, {"kind", to_string(s.what.kind)}};
  };
  auto couples = nlohmann::json::array();
  for (const auto& couple : result.couples) couples.push_back(json_of(couple, result.paired));
  nlohmann::json json = {{"a", side(sides.a)},
                         {"b", side(sides.b)},
                         {"workload", sides.workload.text()},
                         {"unit", sides.a.rates.unit},
                         {"design", result.paired ? "paired" : "independent"},
                         {"delta", delta},
                         {"confidence", confidence},
                         {"verdict", to_string(result.overall.verdict)},
                         {"ratio", result.overall.ratio},
                         {"interval", json_of(result.overall.interval)},
                         {"bootstrap", json_of(result.bootstrap)},
                         {"n", result.logs.size()},
                         {"couples", couples},
                         {"notes", notes(report)}};
  if (result.overall.further_rounds) json["further"] = *result.overall.further_rounds;
  if (max_slower)
    json["limit"] = {{"max_slower_percent", *max_slower}, {"exceeded", exceeds_limit(report)}};
  return json;
}

}  // namespace stackx::cli
