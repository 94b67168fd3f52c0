// The sentences of a report (report.hpp).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/text/words.hpp"
#include "watch/report/report.hpp"
#include "watch/report/wording.hpp"
#include "workspace/words.hpp"

namespace stackx::watch {
namespace {

using analysis::counted;
using analysis::Verdict;
using Kind = Report::Kind;
using State = Standing::State;

std::string first_line_of(const std::string& text) {
  constexpr std::size_t most = 160;
  auto line = text.substr(0, text.find('\n'));
  if (line.size() > most) line = line.substr(0, line.rfind(' ', most)) + " ...";
  return line;
}

std::string without_stop(std::string text) {
  while (text.ends_with('.') || text.ends_with(' ')) text.pop_back();
  return text;
}

bool is_build(specs::Outcome outcome) {
  return outcome == specs::Outcome::build_failed || outcome == specs::Outcome::build_timed_out || outcome == specs::Outcome::hash_mismatch ||
         outcome == specs::Outcome::disk_full || outcome == specs::Outcome::too_large;
}

// What it is about, and what it is held against: "victim 3.0" and "2.0"; whole stacks where the component is another.
std::string newcomer_name(const ReportRow& row) {
  if (row.newcomer.changes.empty()) return row.name;
  const auto& change = row.newcomer.changes.front();
  return change.after.empty() ? row.name : fmt::format("{} {}", change.component, change.after);
}

std::string against(const ReportRow& row, const std::string& advised) {
  if (row.newcomer.changes.empty() || row.newcomer.changes.front().before.empty()) return advised;
  return row.newcomer.changes.front().before;
}

class Wording {
 public:
  Wording(Report& report, const Space& space) : report_(report), space_(space) {}

  void write() {
    add_kind();
    report_.headline = headline();
    add_because();
    add_next();
  }

 private:
  bool is_any(Verdict verdict) const {
    return std::ranges::any_of(report_.rows, [&](const auto& row) { return row.standing.is(verdict); });
  }
  bool any_state(State state) const {
    return std::ranges::any_of(report_.rows, [&](const auto& row) { return row.standing.state == state; });
  }
  const ReportRow* regression() const {
    const auto found = std::ranges::find_if(report_.rows, &ReportRow::is_regression);
    return found == report_.rows.end() ? nullptr : &*found;
  }
  // The newcomer that is advised now.
  const ReportRow* winner() const {
    if (!report_.advice_changed) return nullptr;
    const auto found = std::ranges::find_if(report_.rows, [&](const auto& row) { return row.newcomer.stack == report_.after->stack; });
    return found == report_.rows.end() ? nullptr : &*found;
  }
  const InvalidStack* invalid_advised() const {
    const auto found = std::ranges::find_if(report_.invalid, &InvalidStack::was_advised);
    return found == report_.invalid.end() ? nullptr : &*found;
  }

  void add_kind() {
    auto& kind = report_.kind;
    if (kind == Kind::nothing_valid || kind == Kind::planned || kind == Kind::under_way || kind == Kind::interrupted) return;
    const bool advised_fails = kind == Kind::failing;
    if (regression() != nullptr)
      kind = Kind::regression;
    else if (report_.advice_changed)
      kind = Kind::advice_changed;
    else if (advised_fails || !report_.after)
      kind = Kind::failing;
    else if (report_.campaign.empty())
      kind = Kind::nothing_new;
    else
      kind = report_.goes_on || any_state(State::hopeless) || any_state(State::open) ? Kind::unsettled : Kind::no_change;
  }

  std::string headline() const {
    switch (report_.kind) {
      case Kind::nothing_valid: return fmt::format("No stack of {} is valid any more: nothing can be advised.", report_.project);
      case Kind::interrupted: return fmt::format("Interrupted after {}: the same command goes on from here.", counted(report_.inspections, "inspection"));
      case Kind::planned: return planned();
      case Kind::under_way:
        return fmt::format("Measuring on the cluster, {} of {} done: a later pass tells what changed.", report_.on_cluster.first,
                           counted(report_.on_cluster.second, "block"));
      case Kind::failing:
        if (!report_.failing_program.empty())
          return fmt::format("{} fails with every stack that was tried: {}.", report_.failing_program, without_stop(first_line_of(report_.advised_failure)));
        return report_.after ? fmt::format("{} is advised, and did not run here.", report_.after_name)
                             : fmt::format("No stack of {} runs here: nothing can be advised.", report_.project);
      case Kind::regression: return regressed() + (report_.advice_changed && !regression()->newcomer.is_older ? " " + changed() : "");
      case Kind::advice_changed: return changed();
      case Kind::nothing_new:
        return fmt::format("Nothing new{}: {} stays advised.",
                           report_.invalid.empty() ? "" : fmt::format("; of what was measured, {} not valid any more", is_or_are(report_.invalid.size())),
                           report_.after_name);
      case Kind::unsettled:
      case Kind::no_change: return (report_.is_first ? "First pass: " : "") + unchanged();
    }
    return "";
  }

  // What a first pass begins with where nothing was measured: nobody advised it yet.
  bool is_newest_of_all() const { return report_.is_first && report_.before && !report_.before->measured; }

  static std::string is_or_are(std::size_t count) { return counted(count, "stack") + (count == 1 ? " is" : " are"); }

  std::string planned() const {
    if (report_.rows.empty())
      return report_.after && report_.after->measured ? fmt::format("Would measure nothing: nothing is new, {} stays advised.", report_.after_name)
                                                      : fmt::format("Would measure {}, the newest that is valid.", report_.after_name);
    std::vector<std::string> names;
    for (const auto& row : report_.rows) names.push_back(newcomer_name(row));
    return fmt::format("Would measure {} against {}, which is {}.", fmt::join(names, ", "), report_.before_name,
                       is_newest_of_all() ? "the newest" : "advised");
  }

  std::string regressed() const {
    const auto& row = *regression();
    const auto& comparison = row.standing.comparison;
    if (row.newcomer.is_older)
      return fmt::format("{} is {} {}, the newest: run {}.", newcomer_name(row), faster_than(comparison), against(row, report_.before_name), newcomer_name(row));
    const auto old = against(row, report_.before_name);
    return fmt::format("{} is {} {}, which {}: stay with {}.", newcomer_name(row), faster_than(comparison), old,
                       is_newest_of_all() ? "is the newest that runs" : report_.advice_changed ? "was advised" : "is advised", old);
  }

  std::string changed() const {
    if (!report_.advised_failure.empty())
      return fmt::format("{}, which {}, does not run here: change to {}.", report_.before_name, is_newest_of_all() ? "is the newest" : "was advised", report_.after_name);
    if (const auto* row = winner())
      return fmt::format("{} is {} {}, which {}: change to it.", newcomer_name(*row), faster_than(row->standing.comparison),
                         against(*row, report_.before_name), is_newest_of_all() ? "is the newest" : "was advised");
    if (const auto* invalid = invalid_advised())
      return fmt::format("{}, which was advised, is not valid any more ({}): change to {}.", invalid->name, first_line_of(invalid->why), report_.after_name);
    return fmt::format("{} is advised now instead of {}: change to it.", report_.after_name, report_.before_name);
  }

  std::string unchanged() const {
    const auto stays = fmt::format("{} {}", report_.after_name, report_.is_first ? "is advised" : "stays advised");
    if (report_.rows.empty()) return stays + ", and nothing else is valid to compare it with.";
    if (report_.goes_on && any_state(State::open)) return fmt::format("{} settled within the budget, the next pass goes on; {}.", report_.is_first ? "not" : "Not", stays);
    if (report_.rows.size() == 1) return one_row(report_.rows.front()) + ": " + stays + ".";
    std::vector<std::string> names;
    for (const auto& row : report_.rows) names.push_back(newcomer_name(row));
    const auto open = any_state(State::hopeless) ? "is shown to be" : "is";
    return fmt::format("{} of {} {} faster: {}.", report_.is_first ? "none" : "None", fmt::join(names, ", "), open, stays);
  }

  std::string one_row(const ReportRow& row) const {
    const auto name = newcomer_name(row), old = against(row, report_.before_name);
    const auto& comparison = row.standing.comparison;
    if (row.standing.state == State::failed) return fmt::format("{} {}", name, is_build(row.standing.outcome) ? "cannot be built" : "does not run");
    if (comparison.verdict == Verdict::equivalent) return fmt::format("{} is as fast as {}, {}", name, old, at_most(comparison));
    if (comparison.verdict == Verdict::unresolved)
      return fmt::format("{} cannot be told apart from {} in {} ({})", name, old, counted(row.standing.rounds, "round"), interval_text(comparison));
    return fmt::format("{} is {} {}", name, faster_than(comparison), old);
  }

  static std::string failure(const ReportRow& row) {
    const auto name = newcomer_name(row), reason = first_line_of(row.standing.reason);
    return reason.starts_with(name) ? reason : fmt::format("{}: {}", name, reason.empty() ? specs::to_string(row.standing.outcome) : reason);
  }

  bool has_verdict() const { return any_state(State::settled) || any_state(State::hopeless); }

  void add_because() {
    auto& because = report_.because;
    if (report_.is_first && report_.kind != Kind::planned && report_.kind != Kind::nothing_valid && report_.kind != Kind::under_way)
      because.push_back("no pass was made before this one: it is what later ones are held against");
    if (report_.advice_changed && winner() == nullptr && invalid_advised() == nullptr && report_.advised_failure.empty() &&
        report_.kind == Kind::advice_changed)
      because.push_back(report_.has_others ? "other campaigns of this project have shown it since the last pass (stackx advise has their numbers)"
                                           : fmt::format("{} is valid again, and earlier passes have shown it to be faster", report_.after_name));
    if (!report_.advised_failure.empty()) {
      const auto reason = first_line_of(report_.advised_failure);
      because.push_back(reason.starts_with(report_.before_name) ? reason : fmt::format("{}: {}", report_.before_name, reason));
    }
    for (const auto& row : report_.rows) {
      if (row.standing.state == State::failed)
        because.push_back(failure(row));
      if (!company_of(row.newcomer.changes).empty()) because.push_back(fmt::format("{} comes with {}", newcomer_name(row), company_of(row.newcomer.changes)));
    }
    constexpr std::size_t most = 5;
    for (std::size_t i = 0; i < report_.invalid.size() && i < most; ++i)
      because.push_back(fmt::format("not valid any more: {} ({})", report_.invalid[i].name, first_line_of(report_.invalid[i].why)));
    if (report_.invalid.size() > most) because.push_back(fmt::format("nor are {} other stacks that were measured", report_.invalid.size() - most));
    if (report_.inspections > 0)
      because.push_back(fmt::format("measured on {} at {}: {} in {}, each in a fresh process{}{}",
                                    report_.hardware, report_.workload, counted(report_.inspections, "inspection"), counted(report_.rounds, "round"),
                                    report_.seconds >= 1 ? ", " + workspace::duration(report_.seconds) : "",
                                    has_verdict() ? "; an equal version is called faster or slower in at most 5% of passes" : ""));
  }

  // What to type, where the components are packages of the index.
  std::string install() const {
    std::vector<std::string> packages;
    for (const auto& change : changes(report_.before->stack, report_.after->stack)) {
      const auto* component = space_.catalog().find(change.component);
      if (change.after.empty() || component == nullptr || component->ecosystem != "pypi" || change.component.find('+') != change.component.npos) continue;
      packages.push_back(fmt::format("{}=={}", change.component, change.after));
    }
    const auto* row = winner();
    if (packages.empty()) return "to change: " + (row != nullptr ? row->newcomer.name() : text(changes(report_.before->stack, report_.after->stack)));
    return fmt::format("to change: pip install {}", fmt::join(packages, " "));
  }

  void add_next() {
    auto& next = report_.next;
    if (report_.kind == Kind::under_way) next.push_back(fmt::format("how far it is: `stackx cluster status {}`", report_.campaign.substr(0, 12)));
    if (report_.advice_changed) next.push_back(install());
    for (const auto& row : report_.rows) {
      if (!row.is_regression) continue;
      const auto& change = row.newcomer.changes.front();
      next.push_back(fmt::format("until a later one is faster: {}!={}", change.component, row.newcomer.is_older ? change.before : change.after));
      next.insert(next.end(), row.blame.begin(), row.blame.end());
    }
    if (!report_.failing_program.empty()) next.push_back("the next pass tries the same again; if it is these releases that are broken, forbid them in the requirements");
    else if (any_state(State::failed)) next.push_back("what failed is not tried again, unless with --again");
    if (!report_.waiting.empty()) next.push_back(fmt::format("{} {} for the next pass", fmt::join(report_.waiting, ", "), report_.waiting.size() == 1 ? "waits" : "wait"));
    if (report_.goes_on) next.push_back("the next pass goes on with this campaign");
  }

  Report& report_;
  const Space& space_;
};

}  // namespace

int Report::exit_code() const {
  switch (kind) {
    case Kind::regression: return regression_exit;
    case Kind::advice_changed: return advice_changed_exit;
    case Kind::failing:
    case Kind::nothing_valid: return 1;
    case Kind::interrupted: return 130;
    default: return 0;
  }
}

const char* to_string(Report::Kind kind) {
  switch (kind) {
    case Kind::nothing_new: return "nothing_new";
    case Kind::no_change: return "no_change";
    case Kind::advice_changed: return "advice_changed";
    case Kind::regression: return "regression";
    case Kind::unsettled: return "unsettled";
    case Kind::failing: return "failing";
    case Kind::nothing_valid: return "nothing_valid";
    case Kind::planned: return "planned";
    case Kind::under_way: return "under_way";
    case Kind::interrupted: return "interrupted";
  }
  return "no_change";
}

void put_into_words(Report& report, const Space& space) { Wording(report, space).write(); }

}  // namespace stackx::watch
