// history: one stack, campaign by campaign. Campaigns share no round, so successive ones are compared
// as analysis/ranking/side_by_side.hpp compares sides that share none.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/questions/parts.hpp"
#include "analysis/text/words.hpp"
#include "analysis/ranking/side_by_side.hpp"
#include "specs/error.hpp"

namespace stackx::analysis {
namespace {

using For = AnswerColumn::For;

struct Occasion {  // a series in one campaign
  const store::SeriesSums* series = nullptr;
  store::OccasionSums sums;
  const Occasion* previous = nullptr;  // the one before it that has a rate, if it has one itself
};

// In the order in which they began.
std::vector<Occasion> occasions_of(const store::Questions& store, const store::SeriesSums& series, const std::string& campaign) {
  std::vector<Occasion> result;
  for (auto& sums : store.occasions(series))
    if (sums.campaign.starts_with(campaign)) result.push_back({&series, std::move(sums)});
  std::ranges::sort(result, {}, [](const Occasion& o) { return std::tie(o.sums.first, o.sums.campaign); });
  const Occasion* previous = nullptr;
  for (Occasion& occasion : result) {
    if (occasion.sums.ok == 0) continue;
    occasion.previous = std::exchange(previous, &occasion);
  }
  return result;
}

// The inspections of an occasion that is shown, or that such a one is compared with.
class OccasionRates {
 public:
  OccasionRates(const store::Questions& store, const Occasion& occasion, const specs::Yardstick& yardstick)
      : measurements_(store.inspections(*occasion.series, occasion.sums, {yardstick})) {
    std::vector<const store::Measurement*> all;
    for (const store::Measurement& m : measurements_) all.push_back(&m);
    rates_ = rates_of(all, yardstick, unit_text(*occasion.series, yardstick));
  }
  OccasionRates(const OccasionRates&) = delete;  // rates_ points into measurements_
  OccasionRates& operator=(const OccasionRates&) = delete;

  const StackRates& rates() const { return rates_; }
  const std::vector<store::Measurement>& all() const { return measurements_; }
  std::string last() const { return std::ranges::max(measurements_, {}, &store::Measurement::finished).finished; }

 private:
  std::vector<store::Measurement> measurements_;
  StackRates rates_;
};

// Comparisons share the confidence (Bonferroni).
std::optional<Comparison> against_previous(const store::Questions& store, const Occasion& occasion, const OccasionRates& own,
                                           const specs::Yardstick& yardstick, double confidence, std::size_t comparisons) {
  if (occasion.previous == nullptr) return std::nullopt;
  const double level = (1 - confidence) / static_cast<double>(comparisons);
  const OccasionRates before(store, *occasion.previous, yardstick);
  if (own.rates().values.empty() || before.rates().values.empty()) return std::nullopt;
  return compare_independent({{&own.rates(), &before.rates()}}, {.confidence = 1 - level, .yardstick = yardstick}).overall;
}

// Campaigns share no round: no verdict stands, only what it looks like.
AnswerField looks_field(const std::optional<Comparison>& versus_previous, const specs::Yardstick& yardstick) {
  if (!versus_previous) return {};
  const Comparison& c = *versus_previous;
  const auto how = looks(c.verdict, yardstick);
  const auto said = how.empty() ? words(Verdict::unresolved, yardstick) : "looks " + how;
  const auto value = how.empty() ? nlohmann::json() : nlohmann::json(how);
  return {c.interval ? fmt::format("{} ×{:.3f} [{:.3f}, {:.3f}]", said, c.ratio, c.interval->low, c.interval->high)
                     : fmt::format("{} ×{:.3f} (too few)", said, c.ratio),
          value};
}

AnswerField verdict_field(const std::optional<Comparison>& versus_previous, const specs::Yardstick& yardstick) {
  return versus_previous ? AnswerField{"", words(Verdict::unresolved, yardstick)} : AnswerField{};
}

std::vector<AnswerColumn> history_columns(const std::string& noun) {
  return {{"date", "date"},
          {"campaign", "campaign", false, For::programs},
          {"campaign_short", "campaign", false, For::people},
          {"inspections", "n", true},
          {"failures", "fail", true},
          {"median", noun, true},
          {"unit", "unit", false, For::all, true},
          {"interval", "95% CI of median", true, For::people},
          {"ci_low", "", true, For::programs},
          {"ci_high", "", true, For::programs},
          {"cv", "CV", true},
          {"verdict", "", false, For::programs},
          {"looks", "against the campaign before"},
          {"ratio_vs_previous", "", true, For::programs},
          {"ratio_low", "", true, For::programs},
          {"ratio_high", "", true, For::programs},
          {"last", "", false, For::programs},
          {"evidence", "evidence", false, For::all, true},
          {"workload", "workload", false, For::all, true},
          {"hardware", "hardware", false, For::all, true},
          {"device", "", false, For::programs}};
}

void add_row(const store::Questions& store, const Occasion& occasion, const QuestionOptions& options, std::size_t comparisons,
             Evidence& evidence, AmountRemark& remark, Answer& answer) {
  const auto& [yardstick, confidence] = std::tie(options.yardstick, options.confidence);
  const OccasionRates own(store, occasion, yardstick);
  for (const auto& measurement : own.all()) remark.add(measurement);
  const SideSummary summary = summarise(own.rates(), confidence);
  const bool ranks = summary.inspections > 0;
  const auto c = against_previous(store, occasion, own, yardstick, confidence, comparisons);
  const auto& [campaign, first, ok, inspections] = occasion.sums;
  const auto& failed = own.rates().failed;
  const bool bounded = c && c->interval;
  const auto maybe = [](bool known, double value) {
    return number_field(known ? std::optional(value) : std::nullopt);
  };
  const store::DeviceRow& device = store.device(occasion.series->device);
  const std::string unit = ranks ? unit_text(*occasion.series, yardstick) : "";
  answer.rows.push_back(
      {{first.substr(0, 10), first}, field(campaign), {campaign.empty() ? "single" : campaign.substr(0, 12)},
       field(summary.inspections),
       failed.empty() ? AnswerField{"", 0} : field(failed.size()),
       rate_field(ranks ? std::optional(summary.median) : std::nullopt), field(unit),
       interval_field(summary.interval), maybe(summary.interval.has_value(), summary.interval ? summary.interval->low : 0),
       maybe(summary.interval.has_value(), summary.interval ? summary.interval->high : 0),
       share_field(summary.cv), verdict_field(c, yardstick), looks_field(c, yardstick), maybe(c.has_value(), c ? c->ratio : 0),
       maybe(bounded, bounded ? c->interval->low : 0), maybe(bounded, bounded ? c->interval->high : 0),
       field(own.last()), field(evidence.grade(occasion.series->device)),
       field(store.workload(occasion.series->workload).text()),
       field(hardware_text(store.hardware(device.hardware))), field(device.name)});
  answer.colours.emplace_back(!c                                  ? "0"
                              : c->verdict == Verdict::slower     ? "31"
                              : c->verdict == Verdict::faster     ? "32"
                              : c->verdict == Verdict::unresolved ? "33"
                                                                  : "0");
}

}  // namespace

Answer history(const store::Questions& store, const QuestionOptions& options) {
  if (!options.filter.stack)
    throw bad_input("query history: it is of one stack; name it with --stack ID, as `stackx query best "
                    "--format csv` and `stackx advise` show it (the first digits are enough)");
  const auto all = store.series(options.filter);
  std::vector<std::vector<Occasion>> lines;
  std::size_t comparisons = 0, total = 0;
  for (const store::SeriesSums& one : all) {
    lines.push_back(occasions_of(store, one, options.campaign));
    comparisons += static_cast<std::size_t>(std::ranges::count_if(lines.back(), [](const Occasion& o) { return o.previous; }));
    total += lines.back().size();
  }
  Answer answer;
  answer.question = "history";
  answer.columns = history_columns(options.yardstick.noun());
  answer.total = total;
  std::vector<const Occasion*> order;
  order.reserve(total);
  for (const auto& occasions : lines)
    for (const Occasion& o : occasions) order.push_back(&o);
  std::ranges::stable_sort(order, std::ranges::greater{}, [](const Occasion* o) -> const std::string& { return o->sums.first; });
  order.resize(shown_of(order.size(), options.limit));
  Evidence evidence(store, options.this_host);
  AmountRemark remark(options.yardstick);
  for (const Occasion* o : order) add_row(store, *o, options, comparisons, evidence, remark, answer);
  add_note(remark, answer);
  answer.heading = fmt::format("Nothing of a stack {} is measured.", *options.filter.stack);
  if (!all.empty()) {
    const store::StackRow& stack = store.stack(all.front().stack);
    answer.heading = fmt::format("Stack {}: {}, the latest first.", stack.id.substr(0, 12), counted(answer.total, "occasion"));
    answer.summary = {{"stack_id", stack.id}, {"stack", stack.stack.components}};
    std::string components;
    for (const auto& [name, version] : stack.stack.components)
      components += fmt::format("{}{} {}", components.empty() ? "" : ", ", name, version);
    answer.heading += " " + components + ".";
  }
  say_missing(remark, answer);
  answer.caption = "n: inspections.";
  if (comparisons > 0)
    answer.caption += fmt::format(
        " Against the campaign before on the same device: campaigns share no round, so the interval is a bootstrap of the "
        "difference of their medians, at {:g}% for all {} together (Bonferroni). It looks so, and is not shown: whatever else "
        "changed between them is part of the difference.",
        100 * options.confidence, counted(comparisons, "comparison"));
  return answer;
}

}  // namespace stackx::analysis
