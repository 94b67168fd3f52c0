#include "analysis/report/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "analysis/ranking/headline/standing.hpp"
#include "analysis/report/cells.hpp"
#include "analysis/report/workers.hpp"
#include "analysis/text/table.hpp"
#include "analysis/text/words.hpp"

namespace stackx::analysis {
namespace {

std::size_t failed_inspections(const Recommendation& row) {
  std::size_t total = 0;
  for (const auto& [outcome, times] : row.failures) total += times;
  return total;
}

std::string failures_text(const Recommendation& row) {
  std::string text;
  for (const auto& [outcome, times] : row.failures)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", times, outcome);
  return text;
}

std::string verdict_text(const Recommendation& row, double delta, const specs::Yardstick& yardstick) {
  if (!row.versus_best) return "the best";
  const Comparison& c = *row.versus_best;
  if (c.pairs == 0) return std::string(words(c.verdict, yardstick)) + " (no shared round)";
  if (c.verdict != Verdict::unresolved) return words(c.verdict, yardstick);
  if (auto looks = looks_text(row, delta, yardstick); !looks.empty()) return looks;
  return fmt::format("{}, {} rounds", to_string(c.verdict),
                     c.further_rounds ? fmt::format("+{}", *c.further_rounds) : ">10000");
}

Cell further_rounds(const Recommendation& row) {
  if (!row.versus_best || !row.versus_best->further_rounds) return missing();
  return count(*row.versus_best->further_rounds);
}

std::string rank_text(const Report& report, const Recommendation& row) {
  const auto ties =
      std::ranges::count(report.ranking.recommendations, row.rank, &Recommendation::rank);
  return (ties > 1 ? "=" : "") + std::to_string(row.rank);
}

// "Rate", "Memory": what is ranked by, as a title begins.
std::string capital(std::string noun) {
  noun.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(noun.front())));
  return noun;
}

std::string amount_title(const Ranking& ranking) { return title_of(ranking.yardstick, ranking.unit); }

ReportTable ranking_table(const Report& report) {
  const auto noun = report.ranking.yardstick.noun();
  ReportTable table{
      "ranking",
      "Ranking",
      fmt::format(
          "Stacks by the median {} of their inspections. A rank with = is a tie: no stack "
          "of it is shown to be {} than another of it. Verdicts are against the best, on "
          "the rounds both ran in; differences below {:g}% do not matter.",
          noun, report.ranking.yardstick.is_rate() ? "slower" : "worse", 100 * report.ranking.delta),
      {{"row", "#", true},
       {"rank", "Rank", true},
       {"stack", "Stack"},
       {"median", amount_title(report.ranking), true},
       {"ci", "CI of the median", true, Shown::to_people},
       {"ci_low", "", true, Shown::in_csv},
       {"ci_high", "", true, Shown::in_csv},
       {"cv", "CV", true},
       {"n", "n", true},
       {"failed", "Failed", true},
       {"verdict_text", "Verdict", false, Shown::to_people},
       {"verdict", "", false, Shown::in_csv},
       {"further_rounds", "", true, Shown::in_csv},
       {"ratio", capital(noun) + " / best's", true},
       {"ratio_ci", "CI of the ratio", true, Shown::to_people},
       {"ratio_low", "", true, Shown::in_csv},
       {"ratio_high", "", true, Shown::in_csv},
       {"pairs", "n rounds", true},
       {"evidence", "Evidence"},
       {"id", "Stack id"}},
      {}};
  for (std::size_t i = 0; i < report.ranking.recommendations.size(); ++i) {
    const Recommendation& row = report.ranking.recommendations[i];
    const bool paired = row.versus_best && row.versus_best->pairs > 0;
    const auto interval = paired ? row.versus_best->interval : std::nullopt;
    table.rows.push_back({count(i + 1),
                          {rank_text(report, row), static_cast<double>(row.rank)},
                          {report.distributions[i].label},
                          rate(row.median),
                          both(row.ci, rate),
                          low(row.ci, rate),
                          high(row.ci, rate),
                          row.cv ? percent(*row.cv) : missing(),
                          count(row.inspections),
                          count(failed_inspections(row)),
                          {verdict_text(row, report.ranking.delta, report.ranking.yardstick)},
                          {row.versus_best ? words(row.versus_best->verdict, report.ranking.yardstick) : ""},
                          further_rounds(row),
                          paired ? ratio(row.versus_best->ratio) : missing(),
                          both(interval, ratio),
                          low(interval, ratio),
                          high(interval, ratio),
                          paired ? count(row.versus_best->pairs) : missing(),
                          {row.evidence},
                          {row.stack.short_id()}});
  }
  return table;
}

ReportTable unranked_table(const Report& report) {
  ReportTable table{"unranked",
                    "Stacks that are not ranked",
                    "Stacks without a single inspection that ended well.",
                    {{"id", "Stack id"},
                     {"stack", "Stack"},
                     {"failures", "Failed inspections"},
                     {"reason", "Reason of the last"}},
                    {}};
  for (const Recommendation& row : report.ranking.failed)
    table.rows.push_back({{row.stack.short_id()},
                          {label_of(row.stack.components, report.common)},
                          {failures_text(row)},
                          {row.reason}});
  return table;
}

ReportTable distributions_table(const Report& report) {
  ReportTable table{
      "distributions",
      capital(report.ranking.yardstick.noun()) + (report.ranking.yardstick.is_rate() ? "s" : "") + " of the inspections",
      fmt::format("{}, one value an inspection. Whiskers reach the farthest value within one and a "
                  "half boxes of the box; what lies beyond is an outlier: shown, counted, never "
                  "dropped.",
                  amount_title(report.ranking)),
      {{"row", "#", true},
       {"id", "Stack id"},
       {"stack", "Stack"},
       {"n", "n", true},
       {"low", "Lower whisker", true},
       {"q1", "First quartile", true},
       {"median", "Median", true},
       {"q3", "Third quartile", true},
       {"high", "Upper whisker", true},
       {"outlier_count", "Outliers", true},
       {"outliers", "at"}},
      {}};
  for (std::size_t i = 0; i < report.distributions.size(); ++i) {
    const Distribution& of = report.distributions[i];
    std::string outliers;
    for (const double value : of.outliers)
      outliers += (outliers.empty() ? "" : " ") + number(value);
    table.rows.push_back({count(i + 1),
                          {of.stack.short_id()},
                          {of.label},
                          count(of.values.size()),
                          rate(of.low),
                          rate(of.q1),
                          rate(of.median),
                          rate(of.q3),
                          rate(of.high),
                          count(of.outliers.size()),
                          {outliers}});
  }
  return table;
}

ReportTable spread_table(const std::vector<SpreadPoint>& points, ReportTable table) {
  for (const SpreadPoint& point : points)
    table.rows.push_back({count(point.repetitions), count(point.stacks), percent(point.q1),
                          percent(point.median), percent(point.q3)});
  return table;
}

ReportTable samples_table(const Report& report) {
  return spread_table(
      report.spread.by_samples,
      {"spread_samples",
       "Spread against samples in a process",
       fmt::format("CV between inspections if every process had taken only so many consecutive "
                   "samples; over the stacks. Median of {} draws, seed {}.",
                   report.spread.draws, report.spread.seed),
       {{"samples", "Samples a process", true},
        {"stacks", "n stacks", true},
        {"cv_q1", "CV, first quartile", true},
        {"cv_median", "CV, median", true},
        {"cv_q3", "CV, third quartile", true}},
       {}});
}

ReportTable inspections_table(const Report& report) {
  return spread_table(
      report.spread.by_inspections,
      {"spread_inspections",
       "Spread against inspections",
       fmt::format("Width of the {:g}% confidence interval of a stack's median {}, as a share of "
                   "it, if only so many inspections had been made; over the stacks. Median of {} "
                   "draws, seed {}. The ends of an interval are inspections, so its width "
                   "falls in steps.",
                   100 * report.ranking.confidence, report.ranking.yardstick.noun(), report.spread.draws, report.spread.seed),
       {{"inspections", "Inspections", true},
        {"stacks", "n stacks", true},
        {"width_q1", "CI width, first quartile", true},
        {"width_median", "CI width, median", true},
        {"width_q3", "CI width, third quartile", true}},
       {}});
}

ReportTable sizes_table(const Report& report) {
  if (!report.sizes) return {};
  const auto unit = amount_title(report.ranking);
  const bool workers = report.sizes->axis == workers_axis;
  ReportTable table{
      "sizes",
      fmt::format("{} and elapsed time against {}", capital(report.ranking.yardstick.noun()), workers ? "workers" : "size"),
      fmt::format("Quartiles over the inspections of a stack at a size; elapsed is the time of one operation.{}",
                  workers ? " Efficiency: median rate a worker, over that of the fewest workers." : ""),
      {{"id", "Stack id"},
       {"stack", "Stack"},
       {"size", report.sizes->axis, true},
       {"n", "n", true},
       {"failed", "Failed", true},
       {"rate_q1", unit + ", first quartile", true},
       {"rate_median", unit + ", median", true},
       {"rate_q3", unit + ", third quartile", true},
       {"seconds_q1", "Elapsed, first quartile", true},
       {"seconds_median", "Elapsed, median", true},
       {"seconds_q3", "Elapsed, third quartile", true}},
      {}};
  if (workers) table.columns.push_back({"efficiency", "Efficiency", true});
  for (const SizeCurve& curve : report.sizes->curves)
    for (const SizePoint& point : curve.points) {
      const auto one = [](const std::optional<Quartiles>& of, double Quartiles::*part,
                          Cell (*show)(double)) { return of ? show((*of).*part) : missing(); };
      table.rows.push_back({{curve.stack.short_id()},
                            {label_of(curve.stack.components, report.common)},
                            {fmt::format("{:.6g}", point.size), point.size},
                            count(point.inspections),
                            count(point.failed),
                            one(point.rate, &Quartiles::q1, rate),
                            one(point.rate, &Quartiles::median, rate),
                            one(point.rate, &Quartiles::q3, rate),
                            one(point.seconds, &Quartiles::q1, duration),
                            one(point.seconds, &Quartiles::median, duration),
                            one(point.seconds, &Quartiles::q3, duration)});
      if (workers) table.rows.back().push_back(point.efficiency ? percent(*point.efficiency) : missing());
    }
  return table;
}

ReportTable values_table(const Report& report) {
  ReportTable table{"values",
                    "Every inspection that ranks",
                    "One row an inspection.",
                    {{"id", "Stack id"},
                     {"stack", "Stack"},
                     {"inspection", "Inspection"},
                     {"campaign", "Campaign"},
                     {"round", "Round", true},
                     {"rate", amount_title(report.ranking), true},
                     {"samples", "n samples", true}},
                    {}};
  for (const Distribution& of : report.distributions)
    for (const Inspected& one : of.values)
      table.rows.push_back({{of.stack.short_id()},
                            {of.label},
                            {one.id},
                            {one.campaign},
                            count(one.round),
                            rate(one.rate),
                            count(one.samples)});
  return table;
}

}  // namespace

std::vector<ReportTable> tables(const Report& report) {
  std::vector<ReportTable> all{
      ranking_table(report),   unranked_table(report),    distributions_table(report),
      samples_table(report),   inspections_table(report), sizes_table(report),
      effects_table(report),   blamed_table(report),      nodes_table(report),
      rounds_table(report),    round_rates_table(report), failures_table(report),
      sentinels_table(report), machines_table(report),    campaigns_table(report),
      values_table(report)};
  std::erase_if(all, [](const ReportTable& table) { return table.rows.empty(); });
  return all;
}

ReportTable for_people(ReportTable table) {
  if (table.rows.size() <= most_rows) return table;
  table.caption += fmt::format(" The first {} of {} rows; stackx report --format csv --table {} has all.", most_rows,
                               table.rows.size(), table.name);
  table.rows.resize(most_rows);
  return table;
}

}  // namespace stackx::analysis
