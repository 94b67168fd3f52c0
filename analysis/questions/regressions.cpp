// regressions: what the counts of slower and faster rounds decide for the whole family, and the
// intervals of the rows that are shown.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "analysis/questions/parts.hpp"
#include "analysis/statistics/holm_family.hpp"
#include "analysis/statistics/statistics.hpp"
#include "analysis/text/words.hpp"

namespace stackx::analysis {
namespace {

constexpr double delta = 0.01;  // what the store's counts are of

struct Member {
  store::StepSums step;
  double p_outside = 1, p_inside = 1;
  std::size_t place_outside = 0, place_inside = 0;
  Verdict verdict = Verdict::unresolved;
};

struct Family {
  explicit Family(double alpha) : outside(alpha), inside(alpha) {}
  std::vector<Member> members;
  HolmFamily outside, inside;

  Decision decision(const Member& m) const {
    const bool is_outside = outside.rejected(m.p_outside), is_inside = inside.rejected(m.p_inside);
    const double level_outside = outside.level(m.p_outside, m.place_outside);
    const double level_inside = inside.level(m.p_inside, m.place_inside);
    // As compare() has it.
    return {is_outside, is_inside,
            is_outside  ? level_outside
            : is_inside ? level_inside
                        : std::min(level_outside, level_inside)};
  }
};

// Many members have one pair of counts.
class SignTests {
 public:
  double p(std::uint64_t against, std::uint64_t rounds) {
    const auto [found, is_new] = known_.try_emplace(against << 32 | rounds, 1.0);
    if (is_new) found->second = two_sided_sign_test(against, rounds);
    return found->second;
  }

 private:
  std::unordered_map<std::uint64_t, double> known_;
};

void add_member(Family& family, SignTests& tests, const store::StepSums& step) {
  Member m{step};
  if (step.rounds > 0) {
    // sign_test_outside and sign_test_inside, from the counts they take.
    m.p_outside = tests.p(step.rounds - std::max(step.slower, step.faster), step.rounds);
    m.p_inside = tests.p(std::max(step.slower, step.faster), step.rounds);
  }
  m.place_outside = family.outside.add(m.p_outside);
  m.place_inside = family.inside.add(m.p_inside);
  family.members.push_back(m);
}

// One end of a step; of what the sums do not count, up to `compared` inspections.
struct StepEnd {
  StepEnd(const store::Questions& store, const store::SeriesSums& one, const specs::Yardstick& yardstick)
      : sums(one), series(yardstick.is_rate() ? SeriesRates(store, one, yardstick) : SeriesRates(store, one, yardstick, compared)) {}
  store::SeriesSums sums;
  SeriesRates series;
};

std::vector<double> logs_of_step(const StepEnd& newer, const StepEnd& older, const specs::Yardstick& yardstick) {
  const bool comparable = !yardstick.is_rate() || newer.sums.unit == older.sums.unit;
  return comparable ? paired_logs(newer.series.rates(), older.series.rates()) : std::vector<double>();
}

// What the store has not counted: by another yardstick than the rate, and of steps that it does not keep.
void count_steps(const store::Questions& store, const specs::Yardstick& yardstick, std::span<store::StepSums> steps, AmountRemark& remark) {
  std::map<std::int64_t, std::optional<StepEnd>> known;
  const auto end_of = [&](std::int64_t row) -> const StepEnd* {
    const auto [found, is_new] = known.try_emplace(row);
    if (is_new)
      if (const auto series = store.one_series(row))
        for (const auto& m : found->second.emplace(store, *series, yardstick).series.all()) remark.add(m);
    return found->second ? &*found->second : nullptr;
  };
  for (store::StepSums& step : steps) {
    const auto *older = end_of(step.older), *newer = end_of(step.newer);
    const auto logs = older && newer ? logs_of_step(*newer, *older, yardstick) : std::vector<double>();
    const double sign = yardstick.smaller_is_better() ? -1 : 1, margin = std::log1p(delta);
    step.rounds = logs.size();
    step.faster = static_cast<std::uint64_t>(std::ranges::count_if(logs, [&](double log) { return sign * log > margin; }));
    step.slower = static_cast<std::uint64_t>(std::ranges::count_if(logs, [&](double log) { return sign * log < -margin; }));
    step.ratio = logs.empty() ? 0 : std::exp(sign * median(logs));  // below 1 is worse, as of rates
  }
}

// A version that was measured in other campaigns than its neighbours shares no round with them, and parts two that ran in the
// same rounds. So where a step has no round, both its ends are compared with the nearest version beyond the other one that ran in
// one of its campaigns.
class Beyond {
 public:
  Beyond(const store::Questions& store, const std::vector<store::StepSums>& steps) : store_(store), steps_(steps) {
    for (const auto& step : steps) {
      next_[{step.component, step.older}] = step.newer;
      previous_[{step.component, step.newer}] = step.older;
    }
  }

  std::vector<store::StepSums> steps() {
    std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> found;
    for (const auto& step : steps_) {
      if (step.rounds > 0) continue;
      if (const auto newer = beyond(next_, step.component, step.older, step.newer)) found.emplace(step.older, *newer, step.component);
      if (const auto older = beyond(previous_, step.component, step.newer, step.older)) found.emplace(*older, step.newer, step.component);
    }
    std::vector<store::StepSums> result;
    for (const auto& [older, newer, component] : found) result.push_back({older, newer, component});
    return result;
  }

 private:
  using Neighbours = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;  // component and series -> series

  std::optional<std::int64_t> beyond(const Neighbours& neighbours, std::int64_t component, std::int64_t of, std::int64_t from) {
    for (auto at = neighbours.find({component, from}); at != neighbours.end(); at = neighbours.find({component, at->second}))
      if (ran_together(of, at->second)) return at->second;
    return std::nullopt;
  }

  bool ran_together(std::int64_t a, std::int64_t b) {
    return std::ranges::any_of(campaigns_of(a), [&](const std::string& one) { return campaigns_of(b).contains(one); });
  }

  const std::set<std::string>& campaigns_of(std::int64_t series) {
    const auto [found, is_new] = campaigns_.try_emplace(series);
    if (is_new)
      if (const auto sums = store_.one_series(series))
        for (const auto& occasion : store_.occasions(*sums))
          if (occasion.ok > 0 && !occasion.campaign.empty()) found->second.insert(occasion.campaign);
    return found->second;
  }

  const store::Questions& store_;
  const std::vector<store::StepSums>& steps_;
  Neighbours next_, previous_;
  std::map<std::int64_t, std::set<std::string>> campaigns_;
};

// Steps that the filters ask for. A component that is named asks for its own steps, and for stacks
// that hold it at these versions after the step.
std::vector<store::StepSums> steps_asked(const store::Questions& store,
                                         const QuestionOptions& options, AmountRemark& remark) {
  store::QuestionFilter place = options.filter;
  place.components.clear();
  place.stack.reset();
  place.since.reset();
  std::vector<store::StepSums> steps =
      place.hardware || place.workload || place.whose != store::own_results ? store.steps(store.series(place)) : store.steps();
  const bool narrowed = !options.filter.components.empty() || options.filter.stack ||
                        options.filter.since;
  std::unordered_set<std::int64_t> newer;
  if (narrowed)
    for (const store::SeriesSums& one : store.series(options.filter)) newer.insert(one.row);
  std::map<std::int64_t, bool> wanted;
  const auto is_wanted = [&](std::int64_t component) {
    const auto [found, is_new] = wanted.try_emplace(component, true);
    if (!is_new) return found->second;
    const std::string name = store.component(component);
    const auto& named = options.filter.components;
    return found->second =
               named.empty() ? !options.no_upgrades.contains(name)
                             : std::ranges::any_of(named, [&](const auto& c) { return c.name == name; });
  };
  std::erase_if(steps, [&](const store::StepSums& step) { return !is_wanted(step.component); });
  auto further = Beyond(store, steps).steps();
  const auto not_asked = [&](const store::StepSums& step) { return narrowed && !newer.contains(step.newer); };
  std::erase_if(steps, not_asked);
  std::erase_if(further, not_asked);
  if (!options.yardstick.is_rate()) count_steps(store, options.yardstick, steps, remark);
  count_steps(store, options.yardstick, further, remark);
  std::ranges::copy_if(further, std::back_inserter(steps), [](const store::StepSums& step) { return step.rounds > 0; });
  return steps;
}

Verdict verdict_of(const Family& family, const Member& m) {
  if (family.outside.rejected(m.p_outside))
    return m.step.faster > m.step.slower ? Verdict::faster : Verdict::slower;
  return family.inside.rejected(m.p_inside) ? Verdict::equivalent : Verdict::unresolved;
}

Family family_of(const std::vector<store::StepSums>& steps, double confidence) {
  Family family(1 - confidence);
  family.members.reserve(steps.size());
  SignTests tests;
  for (const store::StepSums& step : steps) add_member(family, tests, step);
  family.outside.decide();
  family.inside.decide();
  for (Member& m : family.members) m.verdict = verdict_of(family, m);
  return family;
}

// Slower ones first, the slowest first; then what is open, what is equal, what is faster.
std::tuple<int, double, std::int64_t, std::int64_t> order_of(const Member& m) {
  const int first = m.verdict == Verdict::slower       ? 0
                    : m.verdict == Verdict::unresolved ? 1
                    : m.verdict == Verdict::equivalent ? 2
                                                       : 3;
  return {first, m.step.rounds == 0 ? HUGE_VAL : m.step.ratio, m.step.older, m.step.newer};
}

std::string version_of(const specs::Stack& stack, const std::string& component) {
  const auto found = stack.components.find(component);
  return found == stack.components.end() ? "" : found->second;
}

const char* colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::slower:
      return "31";
    case Verdict::faster:
      return "32";
    case Verdict::unresolved:
      return "33";
    case Verdict::equivalent:
      break;
  }
  return "0";
}

std::vector<AnswerColumn> regressions_columns(const std::string& noun) {
  using For = AnswerColumn::For;
  return {{"verdict", "verdict"},
          {"component", "component", false, For::all, true},
          {"older_version", "from"},
          {"newer_version", "to"},
          {"ratio_text", noun, true, For::people},
          {"interval", "CI", true, For::people},
          {"ratio", "", true, For::programs},
          {"ci_low", "", true, For::programs},
          {"ci_high", "", true, For::programs},
          {"coverage", "", true, For::programs},
          {"rounds", "rounds", true},
          {"further_rounds", "lacks", true},
          {"workload", "workload", false, For::all, true},
          {"hardware", "hardware", false, For::all, true},
          {"device", "device", false, For::programs},
          {"older_stack", "", false, For::programs},
          {"newer_stack", "", false, For::programs},
          {"stack_id", "stack", false, For::people}};
}

std::string ratio_text(double ratio) { return fmt::format("×{:.3f}", ratio); }

void add_row(const store::Questions& store, const Family& family, const Member& m, const specs::Yardstick& yardstick, Answer& answer) {
  const auto older = store.one_series(m.step.older), newer = store.one_series(m.step.newer);
  if (!older || !newer) return;
  const StepEnd before(store, *older, yardstick), after(store, *newer, yardstick);
  const Comparison c = decided(logs_of_step(after, before, yardstick), delta, family.decision(m), yardstick);
  const store::StackRow& stack = store.stack(newer->stack);
  const std::string component = store.component(m.step.component);
  const store::DeviceRow& device = store.device(newer->device);
  AnswerField interval;
  if (c.interval)
    interval.text = fmt::format("[{:.3f}, {:.3f}]", c.interval->low, c.interval->high);
  const auto end = [&](double Interval::*which) {
    return number_field(c.interval ? std::optional((*c.interval).*which) : std::nullopt);
  };
  answer.rows.push_back(
      {field(words(c.verdict, yardstick)), field(component),
       field(version_of(store.stack(older->stack).stack, component)),
       field(version_of(stack.stack, component)), {c.pairs ? ratio_text(c.ratio) : ""}, interval,
       number_field(c.pairs ? std::optional(c.ratio) : std::nullopt), end(&Interval::low),
       end(&Interval::high), end(&Interval::coverage), field(c.pairs),
       c.further_rounds ? AnswerField{fmt::format("+{}", *c.further_rounds), *c.further_rounds}
                        : AnswerField{c.verdict == Verdict::unresolved ? ">10000" : ""},
       field(store.workload(newer->workload).text()),
       field(hardware_text(store.hardware(device.hardware))), field(device.name),
       field(store.stack(older->stack).id), field(stack.id), field(stack.id.substr(0, 12))});
  answer.stacks.push_back(stack.stack);
  answer.colours.emplace_back(colour_of(c.verdict));
}

void summarise(const Family& family, double confidence, const specs::Yardstick& yardstick, Answer& answer) {
  std::map<Verdict, std::size_t> counts;
  for (const Member& m : family.members) ++counts[m.verdict];
  answer.summary = {{"family", family.members.size()}, {"confidence", confidence}, {"delta", delta}};
  std::string text;
  for (const Verdict v :
       {Verdict::slower, Verdict::faster, Verdict::equivalent, Verdict::unresolved}) {
    answer.summary[words(v, yardstick)] = counts[v];
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[v], words(v, yardstick));
  }
  const auto slower = counts[Verdict::slower], all = family.members.size();
  answer.heading = all == 0 ? "No step from one version to the next was measured."
                            : fmt::format("{} of {}, all other components the same, {} shown to be {}: {}.",
                                          slower == 0 ? "None" : fmt::format("{}", slower), counted(all, "step") + " to the next version",
                                          slower > 1 ? "are" : "is", yardstick.is_rate() ? "slower" : "worse", text);
}

}  // namespace

Answer regressions(const store::Questions& store, const QuestionOptions& options) {
  AmountRemark remark(options.yardstick);
  const Family family = family_of(steps_asked(store, options, remark), options.confidence);
  Answer answer;
  answer.question = "regressions";
  answer.columns = regressions_columns(options.yardstick.noun());
  summarise(family, options.confidence, options.yardstick, answer);
  answer.caption = fmt::format(
      "{0}: median over the shared rounds of the newer's {0} over the older's, with its interval at "
      "{1:g}% for all {2} steps together (Holm). A verdict where it is clear of ±{3:g}%; lacks: rounds an "
      "unresolved one would still need.",
      options.yardstick.noun(), 100 * options.confidence, family.members.size(), 100 * delta);
  std::vector<const Member*> order;
  for (const Member& m : family.members)
    if (options.verdicts.empty() || options.verdicts.contains(to_string(m.verdict)) ||
        options.verdicts.contains(words(m.verdict, options.yardstick)))
      order.push_back(&m);
  answer.total = order.size();
  answer.none_is_good = !family.members.empty();
  const std::size_t shown = shown_of(order.size(), options.limit);
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(shown), {},
                            [](const Member* m) { return order_of(*m); });
  for (std::size_t i = 0; i < shown; ++i) add_row(store, family, *order[i], options.yardstick, answer);
  if (family.members.empty())
    answer.notes.emplace_back(
        "no two stacks that differ in one component alone, at successive versions, were measured with "
        "one workload on one device");
  say_missing(remark, answer);
  add_note(remark, answer);
  return answer;
}

}  // namespace stackx::analysis
