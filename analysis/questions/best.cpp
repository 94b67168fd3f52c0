// best and worst-variance: series by their sums.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "analysis/questions/parts.hpp"
#include "analysis/text/words.hpp"
#include "specs/result/metric.hpp"

namespace stackx::analysis {
namespace {

using For = AnswerColumn::For;

// What is ranked together: values in one unit, of one workload on one kind of hardware.
struct GroupKey {
  std::string workload, hardware, unit;
  std::uint64_t devices = 0;  // published: how many worked together; 0: not stated, or one's own
  auto operator<=>(const GroupKey&) const = default;
};

struct Candidate {
  double value = 0;
  const store::SeriesSums* series = nullptr;
  const store::PublishedRow* published = nullptr;
};

struct Group {
  GroupKey key;
  bool smaller_is_better = false;
  std::vector<Candidate> candidates;  // the best first, as many as are asked for
  std::size_t all = 0;
  double flop = 0;  // of the workload's shape, as far as its parameters say
};

// Of one workload the largest shapes first: what small ones reach tells of overheads. Of several by their names.
void largest_first(std::vector<Group>& groups) {
  const auto name = [](const Group& group) { return group.key.workload.substr(0, group.key.workload.find(':')); };
  std::ranges::sort(groups, [&](const Group& a, const Group& b) {
    const auto left = name(a), right = name(b);
    if (left != right) return left < right;
    return a.flop != b.flop ? a.flop > b.flop : a.key < b.key;
  });
}

std::vector<AnswerColumn> best_columns(const std::string& noun) {
  return {{"rank", "rank", true},
          {"value", noun, true},
          {"unit", "unit", false, For::all, true},
          {"interval", "95% CI of median", true, For::people},
          {"ci_low", "", true, For::programs},
          {"ci_high", "", true, For::programs},
          {"cv", "CV", true},
          {"inspections", "n", true},
          {"failures", "fail", true},
          {"verdict", "", false, For::programs},
          {"ratio_vs_best", "", true, For::programs},
          {"ratio_low", "", true, For::programs},
          {"ratio_high", "", true, For::programs},
          {"versus_best", "vs best", false, For::people},
          {"evidence", "evidence", false, For::all, true},
          {"workload", "workload", false, For::all, true},
          {"hardware", "hardware", false, For::all, true},
          {"devices", "devices", true, For::all, true},
          {"device", "", false, For::programs},
          {"statistic", "of", false, For::all, true},
          {"source", "source", false, For::all, true},
          {"stack_id", "", false, For::programs},
          {"stack_short", "stack", false, For::people}};
}

// Series by (workload, hardware, unit) in numbers; texts come for the groups alone.
std::vector<Group> measured_groups(const store::Questions& store,
                                   const std::vector<store::SeriesSums>& series, const specs::Yardstick& yardstick) {
  std::map<std::tuple<std::int64_t, std::int64_t, store::RateUnit>, Group> groups;
  std::map<std::int64_t, std::int64_t> hardware;
  for (const store::SeriesSums& s : series) {
    if (!s.median) continue;
    const auto [found, is_new] = hardware.try_emplace(s.device, 0);
    if (is_new) found->second = store.device(s.device).hardware;
    groups[{s.workload, found->second, s.unit}].candidates.push_back({*s.median, &s, nullptr});
  }
  std::vector<Group> result;
  for (auto& [key, group] : groups) {
    group.key = {store.workload(std::get<0>(key)).text(),
                 hardware_text(store.hardware(std::get<1>(key))), unit_text(*group.candidates.front().series, yardstick)};
    group.smaller_is_better = yardstick.smaller_is_better();
    group.flop = specs::flop_of(store.workload(std::get<0>(key))).value_or(0);
    result.push_back(std::move(group));
  }
  largest_first(result);
  return result;
}

// Of a rate all that others published stands beside what was measured, of anything else that metric alone.
bool is_of(const std::string& metric, const specs::Yardstick& yardstick) { return yardstick.is_rate() || metric == yardstick.name(); }

// A time of a workload whose operations are known is a rate; else the value stays as it stands.
std::vector<Group> published_groups(const store::Questions& store,
                                    const std::vector<store::PublishedRow>& rows, const specs::Yardstick& yardstick) {
  std::map<GroupKey, Group> groups;
  for (const store::PublishedRow& row : rows) {
    const specs::Metric* metric = specs::find_metric(row.metric);
    if (metric == nullptr || !is_of(row.metric, yardstick)) continue;
    const specs::Workload& workload = store.workload(row.workload);
    const auto rate = specs::rate_of(*metric, row.value, workload);
    GroupKey key{workload.text(), hardware_text(store.hardware(row.hardware)),
                 rate ? rate->unit : row.metric, row.devices.value_or(0)};
    Group& group = groups[key];
    if (group.candidates.empty()) group.flop = specs::flop_of(workload).value_or(0);
    group.key = std::move(key);
    group.smaller_is_better = !rate && metric->smaller_is_better;
    group.candidates.push_back({rate ? rate->value : row.value, nullptr, &row});
  }
  std::vector<Group> result;
  for (auto& [key, group] : groups) result.push_back(std::move(group));
  largest_first(result);
  return result;
}

void keep_best(Group& group, std::size_t count) {
  group.all = group.candidates.size();
  const std::size_t kept = shown_of(group.all, count);
  const auto end = group.candidates.begin() + static_cast<std::ptrdiff_t>(kept);
  const double sign = group.smaller_is_better ? 1 : -1;
  std::ranges::partial_sort(group.candidates, end, {}, [&](const Candidate& c) {
    return std::pair(sign * c.value, c.series ? c.series->row : std::int64_t{0});
  });
  group.candidates.erase(end, group.candidates.end());
}

// As many as are asked for; by itself one of each group, or all of the only one.
std::size_t each_keeps(std::size_t groups, const QuestionOptions& options) {
  return options.top > 0 ? options.top : groups == 1 ? options.limit : 1;
}

void keep_best(std::vector<Group>& groups, const QuestionOptions& options) {
  for (Group& group : groups) keep_best(group, each_keeps(groups.size(), options));
}

// Each of a group against its best, over the rounds they share: one family.
std::vector<Comparison> against_best(const store::Questions& store, const Group& group,
                                     std::size_t shown, double confidence, const specs::Yardstick& yardstick) {
  std::vector<std::vector<double>> family;
  if (shown < 2) return {};
  const SeriesRates best(store, *group.candidates.front().series, yardstick, compared);
  for (std::size_t i = 1; i < shown; ++i)
    family.push_back(
        paired_logs(SeriesRates(store, *group.candidates[i].series, yardstick, compared).rates(), best.rates()));
  return compare(family, 0.01, confidence, yardstick);
}

void add_measured(const store::Questions& store, const Group& group, std::size_t shown,
                  const QuestionOptions& options, Evidence& evidence, Answer& answer) {
  const auto comparisons = against_best(store, group, shown, options.confidence, options.yardstick);
  const auto is_long = [](const Candidate& c) { return c.series->inspections > compared; };
  if (shown > 1 && std::ranges::any_of(std::span(group.candidates).first(shown), is_long))
    answer.notes.push_back(fmt::format("{} on {}: \"vs best\" is of up to {} inspections of each, in rounds drawn "
                                       "with seed 1; all else is of all",
                                       group.key.workload, group.key.hardware, compared));
  for (std::size_t i = 0; i < shown; ++i) {
    const store::SeriesSums& s = *group.candidates[i].series;
    const auto interval = interval_of(s);
    const Comparison* c = i == 0 ? nullptr : &comparisons[i - 1];
    const store::StackRow& stack = store.stack(s.stack);
    const bool bounded = c != nullptr && c->interval.has_value();
    answer.rows.push_back(
        {field(i + 1), rate_field(s.median), field(group.key.unit), interval_field(interval),
         number_field(s.low), number_field(s.high), share_field(s.cv), field(s.ok),
         s.failed ? field(s.failed) : AnswerField{"", 0},
         c ? AnswerField{"", words(c->verdict, options.yardstick)} : AnswerField{},
         number_field(c && c->pairs ? std::optional(c->ratio) : std::nullopt),
         number_field(bounded ? std::optional(c->interval->low) : std::nullopt),
         number_field(bounded ? std::optional(c->interval->high) : std::nullopt),
         {c ? verdict_text(*c, options.yardstick) : "best"}, field(evidence.grade(s.device)),
         field(group.key.workload), field(group.key.hardware), AnswerField{},
         field(store.device(s.device).name), field("median"), AnswerField{}, field(stack.id),
         {stack.id.substr(0, 12)}});
    answer.rows.back()[19].text.clear();
    answer.stacks.push_back(stack.stack);
    answer.colours.emplace_back(i == 0 ? "1" : "0");
  }
}

void add_published(const store::Questions& store, const Group& group, std::size_t shown,
                   Answer& answer) {
  for (std::size_t i = 0; i < shown; ++i) {
    const store::PublishedRow& row = *group.candidates[i].published;
    const store::StackRow& stack = store.stack(row.stack);
    answer.rows.push_back(
        {field(i + 1), rate_field(group.candidates[i].value), field(group.key.unit), AnswerField{},
         AnswerField{}, AnswerField{}, AnswerField{}, row.runs ? field(*row.runs) : AnswerField{},
         AnswerField{}, AnswerField{}, AnswerField{}, AnswerField{}, AnswerField{},
         {i == 0 ? "best" : ""}, field("published"), field(group.key.workload),
         field(group.key.hardware), row.devices ? field(*row.devices) : AnswerField{}, AnswerField{},
         field(row.statistic), field(store.source(row.source).url), field(stack.id),
         {stack.id.substr(0, 12)}});
    answer.stacks.push_back(stack.stack);
    answer.colours.emplace_back("2");
  }
}

struct Counted {
  std::size_t groups = 0, kept = 0;
};

// The unit that published_groups ranks them by; no result is 0 or less.
std::string unit_of(const std::string& metric, const specs::Workload& workload) {
  const auto rate = specs::rate_of(*specs::find_metric(metric), 1, workload);
  return rate ? rate->unit : metric;
}

// Of the groups that published_groups makes how many there are, and how many results keep_best leaves, without reading a
// result: most are not shown, and the texts of forty thousand groups take longer than all else.
Counted count_published(const store::Questions& store, const QuestionOptions& options) {
  auto places = store.published_places(options.filter);
  std::erase_if(places, [&](const auto& place) {
    return specs::find_metric(place.metric) == nullptr || !is_of(place.metric, options.yardstick);
  });
  Counted counted;
  std::vector<std::size_t> sizes;
  for (auto first = places.begin(); first != places.end();) {
    const auto end = std::find_if(first, places.end(), [&](const auto& one) {
      return one.workload != first->workload || one.hardware != first->hardware || one.devices != first->devices;
    });
    if (std::all_of(first, end, [&](const auto& one) { return one.metric == first->metric; })) {
      sizes.push_back(static_cast<std::size_t>(end - first));
    } else {  // some may be rates in one unit
      std::map<std::string, std::size_t> units;
      for (auto at = first; at != end; ++at) ++units[unit_of(at->metric, store.workload(at->workload))];
      for (const auto& [unit, size] : units) sizes.push_back(size);
    }
    first = end;
  }
  counted.groups = sizes.size();
  for (const auto size : sizes) counted.kept += shown_of(size, each_keeps(counted.groups, options));
  return counted;
}

std::size_t kept(const std::vector<Group>& groups) {
  std::size_t total = 0;
  for (const Group& group : groups) total += group.candidates.size();
  return total;
}

using Counts = std::map<std::string, std::size_t>;  // of workloads, by the names of their PIs

Counts measured_workloads(const store::Questions& store, const std::vector<store::SeriesSums>& series) {
  Counts counts;
  for (const auto& one : series) counts[store.workload(one.workload).pi] += one.inspections;
  return counts;
}

Counts published_workloads(const store::Questions& store, const QuestionOptions& options) {
  Counts counts;
  for (const auto& place : store.published_places(options.filter)) ++counts[store.workload(place.workload).pi];
  return counts;
}

// " Name one: --workload matmul (48 inspections), conv2d (12), ...": where several are known and none was asked for, most first.
std::string name_one(const Counts& counts, const char* noun) {
  constexpr std::size_t most = 4;
  if (counts.size() < 2) return "";
  std::vector<std::pair<std::size_t, std::string>> order;
  for (const auto& [name, count] : counts) order.emplace_back(count, name);
  std::ranges::stable_sort(order, std::ranges::greater{}, [](const auto& one) { return one.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i)
    text += fmt::format("{}{} ({}{})", i == 0 ? "" : ", ", order[i].second, order[i].first, i == 0 ? std::string(" ") + noun : "");
  return fmt::format(" Name one: --workload {}{}.", text, order.size() > most ? fmt::format(" or {} others", order.size() - most) : "");
}

// The answer in a sentence: of one group its best and how sure that is, of several how many there are.
std::string best_heading(const std::vector<Group>& measured, std::size_t published, const specs::Yardstick& yardstick,
                         const std::string& missing, const Answer& answer) {
  constexpr std::size_t value = 1, unit = 2, interval = 3, inspections = 7, verdict = 9;
  const char* best = yardstick.is_rate() ? "fastest" : "best";
  const std::string others =
      published == 0 ? "" : fmt::format(" Others published results of {} of workload and hardware.", counted(published, "pair"));
  if (measured.empty() && !missing.empty()) return missing + others;
  if (measured.empty() && published == 0) return "Nothing of this is measured, and nothing published.";
  if (measured.empty()) return "Nothing of this is measured." + others;
  if (measured.size() > 1 || answer.rows.empty())
    return fmt::format("The {} measured stack of each of {} of workload and hardware.{}", best, counted(measured.size(), "pair"), others);
  const auto& row = answer.rows.front();
  const std::size_t stacks = measured.front().all;
  const auto which = stacks == 1 ? "The only measured stack," : fmt::format("The {} of {} measured stacks is", best, stacks);
  std::string text = fmt::format("{} {}: {} {}{}{}, n={}", which,
                                 first_stack(answer), row[value].text, row[unit].text, row[interval].text.empty() ? "" : " ",
                                 row[interval].text, row[inspections].text);
  if (answer.rows.size() > 1 && measured.front().candidates.size() > 1)
    text += answer.rows[1][verdict].value == words(Verdict::slower, yardstick) ? "; the next is shown to be behind"
                                                                               : "; not told apart from the next";
  return text + "." + others;
}

}  // namespace

Answer best(const store::Questions& store, const QuestionOptions& options) {
  AmountRemark remark(options.yardstick);
  const auto series = series_of(store, options, remark);
  std::vector<Group> measured = measured_groups(store, series, options.yardstick);
  keep_best(measured, options);
  // Whoever asks for a program's results does not ask for what others published of theirs.
  const bool of_a_program = options.filter.whose && *options.filter.whose != *store::own_results;
  const auto published = of_a_program ? Counted{} : count_published(store, options);
  Answer answer;
  answer.question = "best";
  answer.columns = best_columns(options.yardstick.noun());
  answer.total = kept(measured) + published.kept;
  answer.caption =
      options.yardstick.noun() +
      ": of measured ones the median over n inspections, each a fresh process that gives one value; "
      "CV: between inspections. vs best: over the rounds shared with the best of the same workload and "
      "hardware, the intervals of those shown together at 95% (Holm). Published ones stand as their "
      "source states them: no interval can be given.";
  Evidence evidence(store, options.this_host);
  std::size_t left = shown_of(answer.total, options.limit);
  for (const Group& group : measured) {
    const std::size_t shown = std::min(left, group.candidates.size());
    add_measured(store, group, shown, options, evidence, answer);
    left -= shown;
  }
  add_note(remark, answer);
  const auto rows = left > 0 && !of_a_program ? store.published(options.filter) : std::vector<store::PublishedRow>{};
  auto groups = published_groups(store, rows, options.yardstick);
  keep_best(groups, options);
  for (const Group& group : groups) {
    const std::size_t shown = std::min(left, group.candidates.size());
    add_published(store, group, shown, answer);
    left -= shown;
  }
  answer.heading = best_heading(measured, published.groups, options.yardstick, remark.missing(), answer);
  if (!options.filter.workload && measured.size() > 1) answer.heading += name_one(measured_workloads(store, series), "inspections");
  if (!options.filter.workload && measured.empty() && published.groups > 0)
    answer.heading += name_one(published_workloads(store, options), "results");
  if (measured.empty() && published.groups > 0)
    answer.notes.emplace_back("`stackx inspect` measures; what others published is no claim about this machine");
  if (answer.rows.size() < answer.total && !(options.filter.hardware && options.filter.workload))
    answer.notes.emplace_back("fewer and nearer ones: --hw, --workload (`stackx query hardware`, `stackx workload list`)");
  if (measured.size() == 1 && answer.rows.size() > 1)
    answer.notes.emplace_back("which of these are ties, and what to choose: `stackx advise`");
  return answer;
}

Answer worst_variance(const store::Questions& store, const QuestionOptions& options) {
  AmountRemark remark(options.yardstick);
  const auto all = series_of(store, options, remark);
  std::vector<const store::SeriesSums*> order;
  for (const store::SeriesSums& s : all)
    if (s.cv && s.ok >= options.least) order.push_back(&s);
  Answer answer;
  answer.question = "worst-variance";
  answer.caption =
      fmt::format("CV: standard deviation over mean of the inspections' median {}; each inspection is a fresh process.",
                  options.yardstick.is_rate() ? "rates" : options.yardstick.noun());
  answer.columns = {{"cv", "CV", true},
                    {"inspections", "n", true},
                    {"failures", "fail", true},
                    {"median", options.yardstick.noun(), true},
                    {"unit", "unit", false, For::all, true},
                    {"interval", "95% CI of median", true, For::people},
                    {"ci_low", "", true, For::programs},
                    {"ci_high", "", true, For::programs},
                    {"evidence", "evidence", false, For::all, true},
                    {"workload", "workload", false, For::all, true},
                    {"hardware", "hardware", false, For::all, true},
                    {"device", "", false, For::programs},
                    {"stack_id", "", false, For::programs},
                    {"stack_short", "stack", false, For::people}};
  answer.total = order.size();
  const std::size_t shown = shown_of(order.size(), options.limit);
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(shown), {},
                            [](const store::SeriesSums* s) { return std::pair(-*s->cv, s->row); });
  Evidence evidence(store, options.this_host);
  for (std::size_t i = 0; i < shown; ++i) {
    const store::SeriesSums& s = *order[i];
    const store::StackRow& stack = store.stack(s.stack);
    const store::DeviceRow& device = store.device(s.device);
    answer.rows.push_back({share_field(s.cv), field(s.ok),
                           s.failed ? field(s.failed) : AnswerField{"", 0}, rate_field(s.median),
                           field(unit_text(s, options.yardstick)), interval_field(interval_of(s)),
                           number_field(s.low), number_field(s.high),
                           field(evidence.grade(s.device)), field(store.workload(s.workload).text()),
                           field(hardware_text(store.hardware(device.hardware))), field(device.name),
                           field(stack.id), {stack.id.substr(0, 12)}});
    answer.stacks.push_back(stack.stack);
  }
  answer.heading =
      answer.rows.empty()
          ? fmt::format("No stack here has {} or more that tell its spread.", counted(options.least, "inspection"))
          : fmt::format("The widest spread has {}: CV {} between {} inspections, the first of {} series (one stack, one workload, "
                        "one device) with at least {}.",
                        first_stack(answer), answer.rows.front()[0].text, answer.rows.front()[1].text, order.size(),
                        options.least);
  say_missing(remark, answer);
  add_note(remark, answer);
  return answer;
}

}  // namespace stackx::analysis
