// The ranking as a table for people: long stacks go on in the next line.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/ranking/headline/standing.hpp"
#include "analysis/ranking/ranking.hpp"
#include "analysis/ranking/rates.hpp"
#include "analysis/text/table.hpp"

namespace stackx::analysis {
namespace {

std::vector<std::string> name_and_version(const std::map<std::string, std::string>& components,
                                          const std::map<std::string, std::string>& without) {
  std::vector<std::string> words;
  for (const auto& [name, version] : components)
    if (!without.contains(name)) words.push_back(name + " " + version);
  return words;
}

std::string verdict_text(const Recommendation& row, double delta, const specs::Yardstick& yardstick) {
  if (!row.versus_best) return "best";
  const Comparison& c = *row.versus_best;
  const std::string verdict = words(c.verdict, yardstick);
  if (c.pairs == 0) return verdict + " (no shared round)";
  if (auto looks = looks_text(row, delta, yardstick); !looks.empty()) return looks;
  if (c.verdict == Verdict::unresolved)
    return fmt::format("{} ×{:.3f}, {} rounds", verdict, c.ratio,
                       c.further_rounds ? fmt::format("+{}", *c.further_rounds) : ">10000");
  return fmt::format("{} ×{:.3f} [{:.3f}, {:.3f}]", verdict, c.ratio, c.interval->low,
                     c.interval->high);
}

std::string failures_text(const Recommendation& row) {
  std::string text;
  for (const auto& [outcome, count] : row.failures)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, outcome);
  return text;
}

bool shows_evidence(const Ranking& ranking) {
  std::set<std::string> grades;
  for (const auto& row : ranking.recommendations) grades.insert(row.evidence);
  return grades.size() > 1;
}

std::vector<Column> columns(const Ranking& ranking, std::size_t rows) {
  std::vector<Column> all{
      {"rank", true, {}},     {title_of(ranking.yardstick, ranking.unit), true, {}}, {"CI of median", true, {}},
      {"CV", true, {}},       {"n", true, {}},          {"fail", true, {}},
      {"vs best", false, {}}, {"stack", false, {}}};
  const auto same_rank = [&](std::size_t rank) {
    return std::ranges::count(ranking.recommendations, rank, &Recommendation::rank);
  };
  Column evidence{"evidence", false, {}};
  for (std::size_t i = 0; i < rows; ++i) {
    const Recommendation& row = ranking.recommendations[i];
    all[0].cells.push_back(fmt::format("{}{}", same_rank(row.rank) > 1 ? "=" : "", row.rank));
    all[1].cells.push_back(number(row.median));
    all[2].cells.push_back(
        row.ci ? fmt::format("[{}, {}]", number(row.ci->low), number(row.ci->high)) : "-");
    all[3].cells.push_back(row.cv ? fmt::format("{:.1f}%", 100 * *row.cv) : "-");
    all[4].cells.push_back(row.measured == row.inspections ? fmt::format("{}", row.inspections)
                                                           : fmt::format("{} of {}", row.inspections, row.measured));
    all[5].cells.push_back(row.failed() ? fmt::format("{}", row.failed()) : "");
    all[6].cells.push_back(verdict_text(row, ranking.delta, ranking.yardstick));
    all[7].cells.push_back(row.stack.short_id());
    evidence.cells.push_back(row.evidence);
  }
  if (shows_evidence(ranking)) all.insert(all.end() - 1, std::move(evidence));
  std::erase_if(all, [](const Column& column) {
    return column.title == "fail" && std::ranges::all_of(column.cells, &std::string::empty);
  });
  return all;
}

bool any_looks_slower(const Ranking& ranking) {
  return std::ranges::any_of(ranking.recommendations,
                             [&](const auto& row) { return looks_slower(row, ranking.delta, ranking.yardstick); });
}

std::string heading(const Ranking& ranking, const std::map<std::string, std::string>& common, std::size_t width) {
  std::string text = paragraph(fmt::format("{} on {}: {} stacks ranked, {} failed", ranking.workload.text(), ranking.hw,
                                           ranking.recommendations.size(), ranking.failed.size()), 0, width);
  if (!common.empty()) text += "All stacks: " + wrap(name_and_version(common, {}), 12, ",", width) + "\n";
  if (!ranking.recommendations.empty() && !shows_evidence(ranking))
    text += fmt::format("All evidence: {}\n", ranking.recommendations.front().evidence);
  return text +
         paragraph(fmt::format("n: inspections, each a fresh process that gives one value, the {4}. {0}: the median of those, "
                               "with its {1:g}% confidence interval. CV: between inspections. vs best: median ratio over shared "
                               "rounds, with its interval at {1:g}% for all rows together (Holm); a verdict where the interval is "
                               "clear of ±{2:g}%, else an estimate of the rounds still needed. = marks a tie: no stack of a rank "
                               "is shown to be {5} than another of it{3}.",
                               title_of(ranking.yardstick, ranking.unit), 100 * ranking.confidence, 100 * ranking.delta,
                               any_looks_slower(ranking)
                                   ? "; \"looks\": its median ratio says so, and only rounds are lacking to show it"
                                   : "",
                               ranking.yardstick.is_rate() ? "median rate of its samples" : "amount that it tells",
                               ranking.yardstick.is_rate() ? "slower" : "worse"), 0, width) +
         "\n";
}

const char* colour_of(const Recommendation& row) {
  if (row.rank == 1) return "1";  // bold
  return row.versus_best && row.versus_best->verdict == Verdict::unresolved ? "33" : "0";
}

std::string body(const Ranking& ranking, std::size_t rows,
                 const std::map<std::string, std::string>& common, const Paint& paint, std::size_t width) {
  const std::vector<Column> all = columns(ranking, rows);
  const std::vector<std::size_t> widths = fitted_widths(all, width);
  const std::size_t indent = line_width(widths) + gap.size();
  std::string text = titles(all, widths, paint);
  for (std::size_t i = 0; i < rows; ++i) {
    std::string line = row_text(all, widths, i);
    const auto words = name_and_version(ranking.recommendations[i].stack.components, common);
    // Too little room beside the numbers: the stack's components go below them.
    const bool below = indent + 24 > width;
    const std::string stack = wrap(words, below ? 6 : indent, ",", width);
    if (below) line = trimmed(std::move(line));
    text += paint(colour_of(ranking.recommendations[i]), line) + (below ? "\n      " : "") + stack +
            "\n";
  }
  return text;
}

std::string failed(const Ranking& ranking, std::size_t rows,
                   const std::map<std::string, std::string>& common, const Paint& paint, std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i < std::min(rows, ranking.failed.size()); ++i) {
    const Recommendation& row = ranking.failed[i];
    text += fmt::format("  {}  {}\n", row.stack.short_id(),
                        wrap(name_and_version(row.stack.components, common), 16, ",", width));
    const auto failures = failures_text(row);
    const auto folded = wrap(failures + ": " + row.reason, 8, width);
    text += "      " + paint("31", failures) + folded.substr(failures.size()) + "\n";
  }
  if (text.empty()) return text;
  if (rows < ranking.failed.size())
    text += fmt::format("  ... and {} more\n", ranking.failed.size() - rows);
  return "\nFailed in every inspection, so not ranked:\n" + text;
}

}  // namespace

std::string table(const Ranking& ranking, std::size_t rows, bool colour, std::size_t width) {
  const Paint paint{colour};
  const std::size_t limit = rows == 0 ? static_cast<std::size_t>(-1) : rows;
  const std::size_t shown = std::min(limit, ranking.recommendations.size());
  const std::map<std::string, std::string> common = common_components(ranking);
  std::string text = heading(ranking, common, width);
  if (shown > 0) text += body(ranking, shown, common, paint, width);
  if (shown < ranking.recommendations.size())
    text += fmt::format("... and {} more (--rows 0 shows all)\n",
                        ranking.recommendations.size() - shown);
  text += failed(ranking, limit, common, paint, width);
  if (!ranking.notes.empty()) text += "\nNotes:\n";
  for (const std::string& note : ranking.notes) text += bullet(note, width);
  return text;
}

}  // namespace stackx::analysis
