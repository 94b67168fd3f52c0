#include "advisor/answer/expectation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "analysis/published/peak_remark.hpp"
#include "analysis/published/product_sizes.hpp"
#include "analysis/published/upgrades.hpp"
#include "workspace/words.hpp"

namespace stackx::advisor {
namespace {

using analysis::Interval;

void expect_published(const analysis::PublishedGroup& group, const analysis::PublishedRow& published, Advice& answer) {
  const auto row = evidence_row(group, published);
  answer.grade = published.own ? Grade::measured_elsewhere : Grade::published;
  answer.expected.push_back({row.kind, row.value, row.unit, row.interval});
  if (published.own) {
    answer.expect = fmt::format("Expect {}: {} with stackx, n={}.", answer.expected.front().text(), to_string(answer.grade),
                                row.processes);
    return;
  }
  answer.expect = fmt::format("Expect {}: PUBLISHED, a number of others ({}).", answer.expected.front().text(),
                              row.title.empty() ? row.url : row.title);
}

// `asked`: the workload as it was asked for; the sizes of a product that it leaves open are said, where they are the same for
// all figures.
void expect_predicted(const std::vector<PredictedRow>& rows, const specs::Workload& asked, Advice& answer) {
  answer.grade = Grade::predicted;
  std::set<std::string> sizes;
  for (const auto& row : rows) {
    const auto dtype = row.workload.params.find("dtype");
    const auto of = dtype == row.workload.params.end() ? "" : dtype->second;
    if (std::ranges::find(answer.expected, of, &Expected::of) != answer.expected.end()) continue;
    sizes.insert(analysis::product_sizes(row.workload));
    const double scale = row.prediction.rate >= 1000 ? 1000 : 1;
    const auto unit = scale > 1 ? "TFLOP/s" : "GFLOP/s";
    answer.expected.push_back(
        {of, row.prediction.rate / scale, unit, Interval{row.prediction.low / scale, row.prediction.high / scale}});
    if (const auto above = analysis::peak_remark(row.share.value_or(0), row.workload); !above.empty())
      answer.cautions.push_back(
          fmt::format("{} {} is {}.", figure_text(row.prediction.rate / scale), unit, above));
  }
  std::vector<std::string> texts;
  for (const auto& one : answer.expected) texts.push_back(one.text());
  const bool open = sizes.size() == 1 && !sizes.begin()->empty() && *sizes.begin() != analysis::product_sizes(asked);
  answer.expect = fmt::format("Expect {}{}: PREDICTED.", fmt::join(texts, ", "), open ? " at " + *sizes.begin() : "");
}

}  // namespace

void expect_of(const Grounds& from, const Candidate& candidate, const Rival* displaced_by, Advice& answer) {
  const auto& known = from.known;
  const auto rivals = rivals_of(known.published, candidate.package, candidate.version, candidate.cuda);
  if (displaced_by) {
    expect_published(*displaced_by->group, *displaced_by->row, answer);
  } else if (rivals.own) {
    expect_published(*rivals.group, *rivals.own, answer);
  } else if (!known.predicted.rows.empty()) {
    expect_predicted(known.predicted.rows, known.selection.asked, answer);
  } else {
    answer.grade = Grade::newest;
    const auto& otherwise = known.predicted.written_otherwise;
    answer.expect = fmt::format("{} (NEWEST): {}no {} result for it on {}, and no prediction.", from.unknown(),
                                otherwise.empty() ? "" : otherwise + "; ", known.selection.asked.pi, from.hardware());
  }
}

std::string odds_of_newest(const Grounds& from) {
  constexpr std::size_t few = 20;
  const auto& root = from.known.wish->root;
  const auto architecture = from.known.accelerator ? from.known.accelerator->architecture : "";
  auto odds = analysis::odds_of_newest(from.known.upgrades, root, architecture);
  const bool here = odds.n >= few && !architecture.empty();
  if (!here) odds = analysis::odds_of_newest(from.known.upgrades, root, "");
  if (odds.n < few) return "";
  return fmt::format("; elsewhere{} the newest {} was within 3% of the best in {:.0f}% of {} workloads",
                     here ? " on " + architecture : "", root, 100 * odds.within, workspace::grouped(odds.n));
}

std::string newer_elsewhere(const Grounds& from) {
  const auto& root = from.known.wish->root;
  const specs::Upgrade* most = nullptr;
  for (const auto& one : from.known.upgrades)
    if (one.component == root && (!most || one.steps.n > most->steps.n)) most = &one;
  if (!most) return "whether that is faster is not known";
  return fmt::format(
      "whether that is faster here is not known; elsewhere a newer {} was x{:.2f} at the median, slower by more "
      "than 3% in {:.0f}% of {} cases ({})",
      root, most->steps.median, 100 * most->steps.slower, workspace::grouped(most->steps.n), most->architecture);
}

}  // namespace stackx::advisor
