// history: one stack, campaign by campaign. Campaigns share no round, so successive ones are compared
// as analysis/ranking/side_by_side.hpp compares sides that share none.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/questions/parts.hpp"
#include "analysis/ranking/side_by_side.hpp"
#include "specs/error.hpp"

namespace stackx::analysis {
namespace {

using For = AnswerColumn::For;

struct Occasion {  // a series in one campaign
  const store::SeriesSums* series = nullptr;
  std::string campaign, first, last;
  StackRates rates;
  std::optional<Comparison> versus_previous;
};

// In the order in which they began.
std::vector<Occasion> occasions_of(const store::SeriesSums& series, const SeriesRates& rates) {
  std::map<std::string, std::vector<const store::Measurement*>> campaigns;
  for (const store::Measurement& m : rates.all())
    if (!m.sentinel) campaigns[m.campaign].push_back(&m);
  std::vector<Occasion> result;
  for (const auto& [campaign, all] : campaigns) {
    const auto [first, last] = std::ranges::minmax_element(
        all, {}, [](const auto* m) -> const std::string& { return m->finished; });
    result.push_back({&series, campaign, (*first)->finished, (*last)->finished,
                      rates_of(all, to_string(series.unit)), {}});
  }
  std::ranges::sort(result, {}, [](const Occasion& o) { return std::tie(o.first, o.campaign); });
  return result;
}

// Each against the one before it that has a rate. `comparisons` share the confidence (Bonferroni).
void compare_successive(std::vector<Occasion>& occasions, double confidence,
                        std::size_t comparisons) {
  const double level = (1 - confidence) / static_cast<double>(std::max<std::size_t>(comparisons, 1));
  const Occasion* previous = nullptr;
  for (Occasion& occasion : occasions) {
    if (occasion.rates.values.empty()) continue;
    if (previous != nullptr)
      occasion.versus_previous =
          compare_independent({{&occasion.rates, &previous->rates}}, {0.01, 1 - level}).overall;
    previous = &occasion;
  }
}

std::size_t comparisons_of(const std::vector<Occasion>& occasions) {
  const auto able = static_cast<std::size_t>(std::ranges::count_if(
      occasions, [](const Occasion& o) { return !o.rates.values.empty(); }));
  return able == 0 ? 0 : able - 1;
}

AnswerField verdict_field(const Occasion& occasion) {
  if (!occasion.versus_previous) return {};
  const Comparison& c = *occasion.versus_previous;
  const std::string verdict = to_string(c.verdict);
  return {c.interval ? fmt::format("{} ×{:.3f} [{:.3f}, {:.3f}]", verdict, c.ratio, c.interval->low,
                                   c.interval->high)
                     : fmt::format("{} ×{:.3f} (too few)", verdict, c.ratio),
          verdict};
}

std::vector<AnswerColumn> history_columns() {
  return {{"date", "date"},
          {"campaign", "campaign", false, For::programs},
          {"campaign_short", "campaign", false, For::people},
          {"inspections", "n", true},
          {"failures", "fail", true},
          {"median", "rate", true},
          {"unit", "unit", false, For::all, true},
          {"interval", "95% CI of median", true, For::people},
          {"ci_low", "", true, For::programs},
          {"ci_high", "", true, For::programs},
          {"cv", "CV", true},
          {"verdict", "against the campaign before"},
          {"ratio_vs_previous", "", true, For::programs},
          {"ratio_low", "", true, For::programs},
          {"ratio_high", "", true, For::programs},
          {"last", "", false, For::programs},
          {"evidence", "evidence", false, For::all, true},
          {"workload", "workload", false, For::all, true},
          {"hardware", "hardware", false, For::all, true},
          {"device", "", false, For::programs}};
}

void add_row(const store::Questions& store, const Occasion& occasion, double confidence,
             Evidence& evidence, Answer& answer) {
  const SideSummary summary = summarise(occasion.rates, confidence);
  const bool ranks = summary.inspections > 0;
  const auto& c = occasion.versus_previous;
  const bool bounded = c && c->interval;
  const auto maybe = [](bool known, double value) {
    return number_field(known ? std::optional(value) : std::nullopt);
  };
  const store::DeviceRow& device = store.device(occasion.series->device);
  const std::string unit = ranks ? to_string(occasion.series->unit) : "";
  answer.rows.push_back(
      {{occasion.first.substr(0, 10), occasion.first}, field(occasion.campaign),
       {occasion.campaign.empty() ? "single" : occasion.campaign.substr(0, 12)},
       field(summary.inspections),
       occasion.rates.failed.empty() ? AnswerField{"", 0} : field(occasion.rates.failed.size()),
       rate_field(ranks ? std::optional(summary.median) : std::nullopt), field(unit),
       interval_field(summary.interval), maybe(summary.interval.has_value(), summary.interval ? summary.interval->low : 0),
       maybe(summary.interval.has_value(), summary.interval ? summary.interval->high : 0),
       share_field(summary.cv), verdict_field(occasion), maybe(c.has_value(), c ? c->ratio : 0),
       maybe(bounded, bounded ? c->interval->low : 0), maybe(bounded, bounded ? c->interval->high : 0),
       field(occasion.last), field(evidence.grade(occasion.series->device)),
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
  std::vector<SeriesRates> rates;  // occasions point into them
  std::vector<std::vector<Occasion>> lines;
  rates.reserve(all.size());
  std::size_t comparisons = 0;
  for (const store::SeriesSums& s : all) {
    rates.emplace_back(store, s);
    lines.push_back(occasions_of(s, rates.back()));
    std::erase_if(lines.back(),
                  [&](const Occasion& o) { return !o.campaign.starts_with(options.campaign); });
    comparisons += comparisons_of(lines.back());
  }
  Answer answer;
  answer.question = "history";
  answer.columns = history_columns();
  for (auto& occasions : lines) {
    compare_successive(occasions, options.confidence, comparisons);
    answer.total += occasions.size();
  }
  std::vector<const Occasion*> order;
  for (const auto& occasions : lines)
    for (const Occasion& o : occasions) order.push_back(&o);
  std::ranges::stable_sort(order, std::ranges::greater{}, [](const Occasion* o) { return o->first; });
  order.resize(shown_of(order.size(), options.limit));
  Evidence evidence(store, options.this_host);
  for (const Occasion* o : order) add_row(store, *o, options.confidence, evidence, answer);
  answer.heading = fmt::format("Stack {} over {} campaigns and occasions, the latest first.",
                               *options.filter.stack, answer.total);
  if (!all.empty()) {
    const store::StackRow& stack = store.stack(all.front().stack);
    answer.heading = fmt::format("Stack {}: {} occasions, the latest first.", stack.id.substr(0, 12),
                                 answer.total);
    answer.summary = {{"stack_id", stack.id}, {"stack", stack.stack.components}};
    std::string components;
    for (const auto& [name, version] : stack.stack.components)
      components += fmt::format("{}{} {}", components.empty() ? "" : ", ", name, version);
    answer.heading += " " + components + ".";
  }
  answer.caption = fmt::format(
      "n: inspections. Against the campaign before on the same device: campaigns share no round, so the "
      "interval is a bootstrap of the difference of their medians, at {:g}% for all {} comparisons "
      "together (Bonferroni), and whatever else changed between them is part of the difference.",
      100 * options.confidence, comparisons);
  return answer;
}

}  // namespace stackx::analysis
