#include "blame/report/finding.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analysis/text/words.hpp"
#include "blame/between/wording.hpp"
#include "specs/result/outcome.hpp"
#include "workspace/words.hpp"

namespace stackx::blame {
namespace {

using analysis::counted;
using Role = FindingRow::Role;

std::string number(double ratio) {
  if (ratio >= 10 || ratio < 0.1) return fmt::format("{:.3g}", ratio);
  return std::abs(ratio - 1) < 0.1 ? fmt::format("{:.3f}", ratio) : fmt::format("{:.2f}", ratio);
}

// Of both ways: where each interval holds, so does the mean's between the means of their ends.
Effect mean_of(const Effect& a, const Effect& b) {
  Effect mean = a;
  mean.log = (a.log + b.log) / 2;
  mean.rounds = std::min(a.rounds, b.rounds);
  mean.shown = a.shown && b.shown;
  mean.interval.reset();
  if (a.interval && b.interval)
    mean.interval = specs::Interval{(a.interval->low + b.interval->low) / 2, (a.interval->high + b.interval->high) / 2,
                                    std::min(a.interval->coverage, b.interval->coverage)};
  return mean;
}

// "it", "its time": what the ratio is of.
std::string its(const Yardstick& metric) { return metric.is_rate() ? "it" : "its " + metric.noun(); }

std::string percent(double share) { return fmt::format("{:.2g}%", 100 * share); }

// Half of the whole way, as logs: what errs more than before may still run.
bool is_failure(const Finding& finding, const Ratio& ratio) { return ratio.shown && std::log(ratio.value) > std::log(finding.total.value) / 2; }
const char* outcome_in_words(bool fails) { return fails ? "fails" : "runs"; }

class Making {
 public:
  Making(const Between& between, const Trial& trial, Yardstick metric, const Settings& settings, const Named& named)
      : between_(between), trial_(trial), answer_(trial.answer), metric_(metric), settings_(settings), named_(named) {}

  Finding make() {
    result_.metric = metric_;
    result_.breaks = gives_no_result(trial_, metric_);
    result_.total = ratio_from(answer_.total, metric_);
    add_rows();
    add_headline();
    add_because();
    add_notes();
    return std::move(result_);
  }

 private:
  std::string name_of(const Groups& groups) const {
    std::vector<std::string> names;
    for (const auto group : groups) names.push_back(group_in_words(between_, group, 0));
    return fmt::format("{}", fmt::join(names, " or "));
  }

  FindingRow row_of(const Groups& groups) const {
    FindingRow row;
    row.name = name_of(groups);
    for (const auto group : groups) {
      for (const auto change : between_.groups[group].changes) row.changes.push_back(change_in_words(between_.changes[change]));
      const auto& because = between_.groups[group].because;
      row.because.insert(row.because.end(), because.begin(), because.end());
    }
    return row;
  }

  void add_rows() {
    for (const auto& suspect : answer_.suspects) {
      auto row = row_of(suspect.groups);
      row.low = ratio_from(suspect.low, metric_);
      row.high = ratio_from(suspect.high, metric_);
      const auto both = mean_of(suspect.low, suspect.high);
      row.effect = ratio_from(both, metric_);
      if (suspect.role == Suspect::Role::together) row.role = Role::together;
      if (suspect.role == Suspect::Role::culprit) row.role = both.log < 0 ? Role::culprit : Role::gain;
      result_.rows.push_back(std::move(row));
    }
    if (answer_.rest.empty() || answer_.rest.size() == between_.groups.size()) return;
    auto row = row_of(answer_.rest);
    row.role = Role::others;
    row.name = answer_.rest.size() == 1 ? name_of(answer_.rest) : fmt::format("the {} others together", answer_.rest.size());
    row.low = ratio_from(answer_.rest_low, metric_);
    row.high = ratio_from(answer_.rest_high, metric_);
    row.effect = ratio_from(mean_of(answer_.rest_low, answer_.rest_high), metric_);
    row.because.clear();
    result_.rows.push_back(std::move(row));
  }

  std::vector<const FindingRow*> rows(Role role) const {
    std::vector<const FindingRow*> found;
    for (const auto& row : result_.rows)
      if (row.role == role) found.push_back(&row);
    return found;
  }

  std::string cost() const {
    const auto& cost = trial_.cost;
    return fmt::format("{}, {}, {}", counted(cost.stacks.size(), "stack"), counted(cost.inspections, "inspection"),
                       workspace::duration(cost.seconds));
  }

  // NEW is wrong or gives no result at all, which no ratio says as well.
  bool is_broken() const { return is_error(metric_) && trial_.new_end && trial_.new_end->outcome != specs::Outcome::ok; }

  std::string failure_of(const std::optional<specs::Inspection>& end) const {
    if (!end) return "no result";
    constexpr std::size_t most = 160;
    auto reason = end->reason;
    if (reason.size() > most) reason = reason.substr(0, reason.rfind(' ', most)) + " ...";
    return fmt::format("{}{}", specs::to_string(end->outcome), reason.empty() ? "" : ": " + reason);
  }

  // What share of the whole the named effects explain.
  std::string share(double log) const {
    const double total = answer_.total.log;
    const auto whole = fmt::format("x{} between the two", number(result_.total.value));
    if (!answer_.total.shown || log * total <= 0) return fmt::format("together it is {}", whole);
    const bool others = answer_.rest_low.shown || answer_.rest_high.shown;
    if (!others && log / total > 0.8 && log / total < 1.25) return fmt::format("all of the {}", whole);
    if (log / total >= 1.25) return fmt::format("of the {}, some is made up for elsewhere", whole);
    return fmt::format("{} of the {}", log / total > 0.5 ? "most" : "part", whole);
  }

  void add_headline() {
    const auto culprits = rows(Role::culprit), gains = rows(Role::gain), together = rows(Role::together);
    result_.kind = Finding::Kind::found;
    if (answer_.kind == Answer::Kind::old_fails || answer_.kind == Answer::Kind::new_fails) return fails();
    if (culprits.empty() && gains.empty() && together.empty()) return nothing_found();
    if (is_broken() && culprits.size() == 1 && gains.empty() && together.empty()) {
      result_.headline = fmt::format("{} breaks it ({}). {}.", culprits.front()->name, failure_of(trial_.new_end), cost());
      return;
    }
    if (result_.breaks) return several_break_it();
    std::vector<std::string> parts;
    double log = 0;
    for (const auto* list : {&culprits, &gains})
      for (const auto* row : *list) {
        parts.push_back(fmt::format("{} makes {} {}", row->name, its(metric_), row->effect->text()));
        log += std::log(row->effect->value) * (metric_.smaller_is_better() ? -1 : 1);
      }
    if (!together.empty()) {
      std::vector<std::string> names;
      for (const auto* row : together) names.push_back(row->name);
      const auto effect = ratio_from(answer_.together, metric_);
      if (together.size() == 1)
        parts.push_back(fmt::format("{} makes {} {} {}", names.front(), its(metric_),
                                    together.front()->low->shown ? together.front()->low->text() : together.front()->high->text(),
                                    together.front()->low->shown ? "where all others are old, and not where they are new"
                                                                 : "where all others are new, and not where they are old"));
      else if (each_alone(together))
        parts.push_back(fmt::format("{} each make {} {} at the old end, and together {}", fmt::join(names, " and "), its(metric_),
                                    together.front()->low->text(), effect.text()));
      else
        parts.push_back(fmt::format("{} together make {} {}, and none of them does alone", fmt::join(names, " and "), its(metric_), effect.text()));
      if (parts.size() == 1) log = answer_.together.log;
    }
    result_.headline = fmt::format("{}: {}. {}.", fmt::join(parts, "; "), share(log), cost());
  }

  static bool each_alone(const std::vector<const FindingRow*>& rows) {
    return std::ranges::all_of(rows, [](const FindingRow* row) { return row->low->shown; });
  }

  // Each for itself, or all of them together; the table says what runs.
  void several_break_it() {
    std::vector<std::string> alone, others;
    for (const auto& row : result_.rows) {
      if (row.role == Role::none || row.role == Role::others || row.role == Role::gain) continue;
      (is_failure(result_, *row.low) ? alone : others).push_back(row.name);
    }
    const auto what = !alone.empty()       ? fmt::format("{} {} it", fmt::join(alone, " and "), alone.size() == 1 ? "breaks" : "each break")
                      : others.size() == 1 ? fmt::format("{} breaks it, with others only", others.front())
                                           : fmt::format("{} together break it, and none of them does alone", fmt::join(others, " and "));
    result_.headline = fmt::format("{} ({}). {}.", what, failure_of(trial_.new_end), cost());
  }

  void nothing_found() {
    const auto names = fmt::format("between {} and {}", named_.old_end, named_.new_end);
    const auto& total = result_.total;
    if (!answer_.narrowed.empty() && !answer_.complete) {
      result_.kind = Finding::Kind::unfinished;
      std::vector<std::string> where;
      for (const auto group : answer_.narrowed) where.push_back(group_in_words(between_, group, 0));
      const auto first = std::min<std::size_t>(where.size(), 5);
      const auto so_far = result_.breaks ? fmt::format("{} does not run", named_.new_end)
                                         : fmt::format("{} makes {} x{} so far", named_.new_end, its(metric_), number(total.value));
      result_.headline = fmt::format("Not found yet: {}, and the cause is probably among {} of {} groups: {}{}. {}.", so_far, where.size(),
                                     between_.groups.size(),
                                     fmt::join(where.begin(), where.begin() + static_cast<std::ptrdiff_t>(first), ", "),
                                     first < where.size() ? ", ..." : "", cost());
    } else if (answer_.total.shown) {
      result_.kind = Finding::Kind::unfinished;
      result_.headline = fmt::format("Not found: {}, but no single group is shown to be the cause. {}.",
                                     result_.breaks ? fmt::format("{} does not run", named_.new_end)
                                                    : fmt::format("{} makes {} {}", named_.new_end, its(metric_), total.text()),
                                     cost());
    } else if (!total.low) {
      result_.kind = Finding::Kind::unfinished;
      result_.headline = fmt::format("Not known yet {}: {} are too few to tell. {}.", names, counted(total.rounds, "round"), cost());
    } else {
      result_.kind = Finding::Kind::none;
      result_.headline = fmt::format("No difference shown {}: at most {}. {}.", names, percent(total.most()), cost());
    }
  }

  void fails() {
    const bool is_old = answer_.kind == Answer::Kind::old_fails;
    result_.kind = is_old ? Finding::Kind::old_fails : Finding::Kind::new_fails;
    const auto& end = is_old ? trial_.old_end : trial_.new_end;
    result_.headline = fmt::format("{} does not run ({}).", is_old ? named_.old_end : named_.new_end, failure_of(end));
  }

  // What comes with the leading change of a group, and the first reason why.
  static std::string company_of(const FindingRow& row) {
    constexpr std::size_t most = 4;
    const auto end = row.changes.begin() + static_cast<std::ptrdiff_t>(std::min(row.changes.size(), most + 1));
    return fmt::format("with {} come {}{}{}", row.changes.front(), fmt::join(row.changes.begin() + 1, end, ", "),
                       row.changes.size() > most + 1 ? fmt::format(" and {} more", row.changes.size() - most - 1) : "",
                       row.because.empty() ? "" : fmt::format(": {}", row.because.front()));
  }

  void add_because() {
    auto& because = result_.because;
    if (!trial_.old_amount.empty() && !trial_.new_amount.empty() && !result_.breaks)
      because.push_back(fmt::format("{}: {}; {}: {} (medians)", named_.old_end, trial_.old_amount, named_.new_end, trial_.new_amount));
    for (const auto& row : result_.rows) {
      if (row.role == Role::culprit || row.role == Role::gain || row.role == Role::together)
        because.push_back(fmt::format("{}: the old end with only it {}, the new end without only it {}; n={}", row.name,
                                      result_.breaks ? old_with_it(result_, row) : row.low->text(),
                                      result_.breaks ? new_without_it(result_, row) : inverse(*row.high).text(), row.low->rounds));
      if (row.role != Role::none && row.role != Role::others && row.changes.size() > 1) because.push_back(company_of(row));
      if (row.role == Role::others && !result_.breaks && (row.effect->shown || row.low->shown || row.high->shown))
        because.push_back(fmt::format("{}: {} without what is named above, {} with it", row.name, row.low->text(), row.high->text()));
    }
    if (answer_.hidden > 0 && answer_.kind == Answer::Kind::none)
      because.push_back(fmt::format("{} mixtures of the {} groups show nothing either, in which changes that cancel out would", answer_.hidden,
                                    between_.groups.size()));
    if (result_.kind == Finding::Kind::found || result_.kind == Finding::Kind::none)
      because.push_back(fmt::format("of such answers at most {} name a wrong change{}", percent(settings_.error), noise_in_words()));
  }

  std::string noise_in_words() const {
    constexpr double hardly = 1e-4;
    if (result_.breaks) return "";
    return answer_.noise < hardly ? "; inspections hardly vary here" : fmt::format("; one inspection varies by {} here", percent(answer_.noise));
  }

  static Ratio inverse(const Ratio& ratio) {
    Ratio result = ratio;
    result.value = 1 / ratio.value;
    if (ratio.low) {
      result.low = 1 / *ratio.high;
      result.high = 1 / *ratio.low;
    }
    return result;
  }

  void add_notes() {
    result_.notes = between_.notes;
    if (!trial_.amount_remark.empty()) result_.notes.push_back(trial_.amount_remark);
    if (result_.kind == Finding::Kind::found && !answer_.complete)
      result_.notes.push_back("what the others do is not known more exactly within the rounds that there were");
    if (trial_.out_of_budget) result_.notes.push_back("the budget is used up; the same command with more goes on from here");
    if (trial_.interrupted) result_.notes.push_back("interrupted; the same command goes on from here");
  }

  const Between& between_;
  const Trial& trial_;
  const Answer& answer_;
  Yardstick metric_;
  const Settings& settings_;
  const Named& named_;
  Finding result_;
};

}  // namespace

Ratio ratio_from(const Effect& effect, Yardstick metric) {
  Ratio ratio{ratio_of(effect.log, metric), {}, {}, effect.rounds, effect.shown};
  if (!effect.interval) return ratio;
  const double a = ratio_of(effect.interval->low, metric), b = ratio_of(effect.interval->high, metric);
  ratio.low = std::min(a, b);
  ratio.high = std::max(a, b);
  return ratio;
}

std::string Ratio::text() const {
  if (!low) return fmt::format("x{}", number(value));
  return fmt::format("x{} [{}, {}]", number(value), number(*low), number(*high));
}

double Ratio::most() const { return low ? std::max(std::abs(*low - 1), std::abs(*high - 1)) : std::abs(value - 1); }

const char* to_string(FindingRow::Role role) {
  switch (role) {
    case Role::culprit: return "culprit";
    case Role::gain: return "gain";
    case Role::together: return "together";
    case Role::none: return "none";
    case Role::others: return "others";
  }
  return "none";
}

const char* old_with_it(const Finding& finding, const FindingRow& row) { return outcome_in_words(is_failure(finding, *row.low)); }
const char* new_without_it(const Finding& finding, const FindingRow& row) { return outcome_in_words(!is_failure(finding, *row.high)); }

bool gives_no_result(const Trial& trial, const Yardstick& metric) {
  return is_error(metric) && trial.new_end && trial.new_end->outcome != specs::Outcome::ok && !trial.new_end->check;
}

Finding make_finding(const Between& between, const Trial& trial, Yardstick metric, const Settings& settings, const Named& named) {
  return Making(between, trial, metric, settings, named).make();
}

}  // namespace stackx::blame
