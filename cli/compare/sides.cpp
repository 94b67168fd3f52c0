#include "cli/compare/sides.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "advisor/recipes/quoting.hpp"
#include "analysis/ranking/finals.hpp"
#include "analysis/ranking/amount_remark.hpp"
#include "analysis/statistics/conditions.hpp"
#include "analysis/statistics/drift.hpp"
#include "cli/compare/to_measure.hpp"
#include "inspector/machine/host.hpp"
#include "specs/error.hpp"
#include "specs/format/printable.hpp"
#include "specs/project/workload.hpp"
#include "workspace/asked/program.hpp"
#include "workspace/asked/workload.hpp"

namespace stackx::cli {
namespace {

using Kind = Compared::Kind;
using Names = std::set<std::string>;

constexpr double drift_confidence = 0.95;

bool is_stacks(Kind kind) { return kind == Kind::stack || kind == Kind::lock; }

std::vector<store::Measurement> load(const std::filesystem::path& file, const SidesOptions& options,
                                     const std::optional<specs::Workload>& workload, const Globals& globals) {
  const auto store = store::Store::open(file, store::Mode::read_only);
  store::Filter filter;
  filter.workload = workload;
  filter.yardsticks = {options.yardstick};
  filter.whose = options.pi.empty() ? store::all_results : workspace::asked_program(options.pi, globals);
  if (options.hw == "host")
    filter.hardware = inspector::detect_host(globals.data_directory()).cpu.microarchitecture;
  else if (!options.hw.empty() && options.hw != "any")
    filter.hardware = options.hw;
  return store.measurements(filter);
}

// In words of these stores, which other people may have filled.
specs::Workload workload_of_stores(const std::filesystem::path& a, const std::filesystem::path& b, const SidesOptions& options,
                                   const Globals& globals) {
  return workspace::workload_to_measure(options.workload, globals, [&](const std::string& name) {
    const specs::Workload named{name, {}};
    return !load(a, options, named, globals).empty() || !load(b, options, named, globals).empty();
  });
}

void check_kinds(const Compared& a, const Compared& b) {
  if (a.kind == b.kind || (is_stacks(a.kind) && is_stacks(b.kind))) return;
  throw bad_input(fmt::format(
      "{} is a {} and {} is a {}: compare two of a kind (a lock is compared with a stack, too)",
      a.text, to_string(a.kind), b.text, to_string(b.kind)));
}

void take(Side& side, const std::vector<store::Measurement>& all) {
  for (const auto& measurement : all)
    if (holds(side.what, measurement)) side.measurements.push_back(measurement);
  if (!side.what.arm.empty())  // the second name is meant, not kept apart as a sentinel
    for (auto& measurement : side.measurements) measurement.sentinel = false;
}

// Stores may share documents (import, merge): what is in both was measured once, and tells no difference between them.
void leave_out_shared(Sides& sides) {
  const auto ids = [](const Side& side) {
    Names all;
    for (const auto& measurement : side.measurements) all.insert(measurement.inspection);
    return all;
  };
  const Names of_a = ids(sides.a), of_b = ids(sides.b);
  Names shared;
  std::ranges::set_intersection(of_a, of_b, std::inserter(shared, shared.end()));
  if (shared.empty()) return;
  for (auto* side : {&sides.a, &sides.b})
    std::erase_if(side->measurements, [&](const auto& one) { return shared.contains(one.inspection); });
  sides.notes.push_back(fmt::format("{} inspection{} in both stores: measured once, and left out", shared.size(),
                                    shared.size() == 1 ? " is" : "s are"));
  for (const auto& [side, name] : {std::pair{&sides.a, "A"}, {&sides.b, "B"}})
    if (side->measurements.empty()) sides.nothing = fmt::format("All that {} holds is in the other store, too.", name);
}

template <typename Key>
auto counts(const Side& side, Key key) {
  std::map<decltype(key(side.measurements.front())), std::size_t> result;
  for (const auto& measurement : side.measurements) ++result[key(measurement)];
  return result;
}

// The key that both sides have, of which the poorer side has most; the others that both have go to
// `others`.
template <typename Value>
std::optional<Value> most_of_both(const std::map<Value, std::size_t>& of_a, const std::map<Value, std::size_t>& of_b,
                                  std::vector<Value>& others) {
  std::optional<Value> best;
  std::size_t most = 0;
  for (const auto& [value, n] : of_a) {
    const auto other = of_b.find(value);
    if (other == of_b.end()) continue;
    others.push_back(value);
    if (std::min(n, other->second) <= most) continue;
    most = std::min(n, other->second);
    best = value;
  }
  if (best) std::erase(others, *best);
  return best;
}

template <typename Predicate>
void keep(Sides& sides, Predicate wanted) {
  for (auto* side : {&sides.a, &sides.b})
    std::erase_if(side->measurements, [&](const auto& m) { return !wanted(m); });
}

// Rates that another program reports are compared with its own only, and where stackx's own PIs have nothing to compare.
std::optional<specs::Workload> workload_of_both(const Sides& sides, std::vector<specs::Workload>& others) {
  const auto of = [](const Side& side, bool own) {
    auto workloads = counts(side, [](const auto& m) { return m.workload; });
    std::erase_if(workloads, [&](const auto& entry) { return entry.first.program.empty() != own; });
    return workloads;
  };
  const auto found = most_of_both(of(sides.a, true), of(sides.b, true), others);
  return found ? found : most_of_both(of(sides.a, false), of(sides.b, false), others);
}

std::string program_text(const store::Measurement& one) {
  return specs::PiProgram{one.workload.program.empty(), one.pi_path, one.workload.program}.text();
}

// The same workload, which two programs measured, has one text.
std::string no_common_workload(const std::vector<store::Measurement>& a, const std::vector<store::Measurement>& b) {
  const std::string text = a.front().workload.text();
  const auto same = std::ranges::find(b, text, [](const auto& m) { return m.workload.text(); });
  if (same == b.end())
    return fmt::format("A and B have no workload in common: A has {}, B has {}.", text, b.front().workload.text());
  return fmt::format(
      "A and B have no workload in common that one program measured: {} is {} for A and {} for B, and rates of two "
      "programs are not compared. Measure both with one; --pi FILE|SHA256 asks for what another than stackx's own measured.",
      text, program_text(a.front()), program_text(*same));
}

void choose_workload(Sides& sides) {
  std::vector<specs::Workload> others;
  const auto found = workload_of_both(sides, others);
  if (!found) {
    sides.nothing = no_common_workload(sides.a.measurements, sides.b.measurements);
    return;
  }
  sides.workload = *found;
  for (const auto& other : others)
    sides.notes.push_back(
        fmt::format("both were measured with another workload, too: --workload {}",
                    advisor::shell_quoted(specs::printable(other.text()))));
  keep(sides, [&](const auto& m) { return m.workload == sides.workload; });
  if (sides.workload.program.empty()) return;
  const auto& path = sides.a.measurements.front().pi_path;
  sides.notes.push_back("measured by " + specs::PiProgram{false, path, sides.workload.program}.text());
}

// Rates of one stack on two microarchitectures are not one population.
void choose_hardware(Sides& sides, const SidesOptions& options, const Globals& globals) {
  if (!options.hw.empty() || !is_stacks(sides.a.what.kind)) return;
  const auto name = [](const store::Measurement& m) { return m.microarchitecture; };
  auto names = counts(sides.a, name);
  names.merge(counts(sides.b, name));
  if (names.size() < 2) return;
  const auto here = inspector::detect_host(globals.data_directory()).cpu.microarchitecture;
  std::vector<std::string> others;
  auto chosen = most_of_both(counts(sides.a, name), counts(sides.b, name), others);
  if (std::ranges::find(others, here) != others.end()) {
    others.push_back(*chosen);
    std::erase(others, here);
    chosen = here;
  }
  if (!chosen) return;
  keep(sides, [&](const auto& m) { return m.microarchitecture == *chosen; });
  sides.notes.push_back(fmt::format("of several kinds of hardware this is {}; also: {}", *chosen,
                                    fmt::join(others, ", ")));
}

void note_unknown(const Compared& lock, std::vector<std::string>& notes) {
  if (lock.unknown.empty()) return;
  const std::size_t shown = std::min<std::size_t>(lock.unknown.size(), 8);
  notes.push_back(fmt::format(
      "{}: {} of its packages are in no measured stack: {}{}", lock.text, lock.unknown.size(),
      fmt::join(lock.unknown.begin(), lock.unknown.begin() + static_cast<std::ptrdiff_t>(shown),
                ", "),
      shown < lock.unknown.size() ? ", ..." : ""));
}

void collect(Side& side, const specs::Yardstick& yardstick) {
  std::vector<const store::Measurement*> pointers;
  for (const auto& measurement : side.measurements) pointers.push_back(&measurement);
  side.rates = analysis::collect(pointers, "", yardstick);
}

void note_amounts(Sides& sides) {
  std::vector<const store::Measurement*> both;
  for (const auto* side : {&sides.a, &sides.b})
    for (const auto& measurement : side->measurements) both.push_back(&measurement);
  if (auto remark = analysis::amount_remark(both, sides.yardstick); !remark.empty()) sides.notes.push_back(std::move(remark));
}

Names components(const Side& side) {
  Names names;
  for (const auto& stack : side.rates.stacks)
    for (const auto& [component, version] : stack.stack.components) names.insert(component);
  return names;
}

// The components that A or B name.
Names named(const Side& a, const Side& b) {
  Names names;
  for (const auto* side : {&a, &b})
    for (const auto& [component, version] : side->what.versions) names.insert(component);
  return names;
}

Names on_one_side_only(const Side& a, const Side& b) {
  const Names of_a = components(a), of_b = components(b);
  Names names;
  std::ranges::set_symmetric_difference(of_a, of_b, std::inserter(names, names.end()));
  return names;
}

specs::Stack without(specs::Stack stack, const Names& names) {
  for (const auto& name : names) stack.components.erase(name);
  return stack;
}

std::vector<analysis::Couple> same_stacks(const Side& a, const Side& b) {
  std::vector<analysis::Couple> couples;
  for (const auto& one : a.rates.stacks)
    for (const auto& other : b.rates.stacks)
      if (one.stack == other.stack) couples.push_back({&one, &other});
  return couples;
}

// Stacks that are equal but for `free`.
std::vector<analysis::Couple> equal_but_for(const Names& free, const Side& a, const Side& b) {
  std::map<specs::Stack, std::vector<const analysis::StackRates*>> partners;
  for (const auto& other : b.rates.stacks) partners[without(other.stack, free)].push_back(&other);
  std::vector<analysis::Couple> couples;
  for (const auto& one : a.rates.stacks)
    if (const auto found = partners.find(without(one.stack, free)); found != partners.end())
      for (const auto* other : found->second)
        if (other->stack != one.stack) couples.push_back({&one, other});
  return couples;
}

void make_couples(Sides& sides) {
  const auto &a = sides.a, &b = sides.b;
  if (!is_stacks(a.what.kind)) {
    sides.couples = same_stacks(a, b);
    return;
  }
  if (a.rates.stacks.size() == 1 && b.rates.stacks.size() == 1) {
    sides.couples = {{&a.rates.stacks.front(), &b.rates.stacks.front()}};
    return;
  }
  Names free = named(a, b);
  sides.couples = equal_but_for(free, a, b);
  if (!sides.couples.empty()) return;
  Names more = on_one_side_only(a, b);
  std::erase_if(more, [&](const auto& component) { return free.contains(component); });
  free.insert(more.begin(), more.end());
  sides.couples = equal_but_for(free, a, b);
  if (!sides.couples.empty())
    sides.notes.push_back(
        fmt::format("A and B also differ in what only one of them has: {}", fmt::join(more, ", ")));
}

// Of campaigns in which both sides ran.
analysis::Finals finals_of(const Sides& sides, const Globals& globals) {
  const auto campaign = [](const store::Measurement& m) { return m.campaign; };
  const auto of_a = counts(sides.a, campaign), of_b = counts(sides.b, campaign);
  const auto store = store::Store::open(store::default_path(globals.db), store::Mode::read_only);
  analysis::Finals finals;
  for (const auto& [id, n] : of_a) {
    const auto plan = id.empty() || !of_b.contains(id) ? std::nullopt : store.plan(id);
    if (!plan || plan->campaign.strategy.kind != specs::StrategySpec::Kind::race) continue;
    store::Filter filter;
    filter.campaign = id;
    filter.whose = store::all_results;
    auto all = store.measurements(filter);
    std::erase_if(all, [&](const auto& m) { return m.workload != sides.workload; });
    std::vector<const store::Measurement*> pointers;
    for (const auto& measurement : all) pointers.push_back(&measurement);
    finals.merge(analysis::first_fresh_rounds(pointers, {{id, plan->campaign}}));
  }
  return finals;
}

void note_finals(Sides& sides) {
  for (const auto& [campaign, round] : sides.finals)
    sides.notes.push_back(
        fmt::format("campaign {} raced: its finalists are compared on its fresh rounds alone, from "
                    "round {} on, since "
                    "those before picked them",
                    campaign.substr(0, 12), round));
}

void explain_no_couples(Sides& sides) {
  if (!is_stacks(sides.a.what.kind)) {
    sides.nothing = fmt::format("A has {} stacks and B has {}, and no stack is in both.",
                                sides.a.rates.stacks.size(), sides.b.rates.stacks.size());
    return;
  }
  Names vary;
  for (const auto& a : sides.a.rates.stacks)
    for (const auto& b : sides.b.rates.stacks)
      for (const auto& [component, version] : a.stack.components)
        if (const auto other = b.stack.components.find(component);
            other != b.stack.components.end() && other->second != version)
          vary.insert(component);
  sides.nothing = fmt::format(
      "{} stacks are A and {} are B, but none of A differs from one of B only in what was named. "
      "They "
      "differ in: {}. Name these as well.",
      sides.a.rates.stacks.size(), sides.b.rates.stacks.size(), fmt::join(vary, ", "));
}

Sides open(const SidesOptions& options, const Globals& globals) {
  Sides sides;
  const auto a = compared_file(options.a, globals), b = compared_file(options.b, globals);
  const auto is_store = [](const auto& file) { return file && file->kind == Kind::store; };
  if (is_store(a) && is_store(b)) {
    sides.a.what = *a;
    sides.b.what = *b;
    std::optional<specs::Workload> workload;
    if (!options.workload.empty()) workload = workload_of_stores(a->file, b->file, options, globals);
    take(sides.a, load(a->file, options, workload, globals));
    take(sides.b, load(b->file, options, workload, globals));
    return sides;
  }
  std::optional<specs::Workload> workload;
  if (!options.workload.empty()) workload = workspace::asked_workload(options.workload, globals);
  const auto store = store::default_path(globals.db);
  const auto how = to_measure(options, globals);
  if (std::error_code error; !how.empty() && globals.db.empty() && !std::filesystem::exists(store, error)) {  // of a stranger
    sides.nothing = fmt::format("Nothing is measured here yet{}.", how);
    return sides;
  }
  const auto all = load(store, options, workload, globals);
  if (all.empty()) {
    sides.nothing = fmt::format("Nothing of that is measured; `stackx query coverage` says what is{}.", how);
    return sides;
  }
  auto known = known_of(all);
  known.to_measure = how;
  sides.a.what = parse_compared(options.a, known, globals);
  sides.b.what = parse_compared(options.b, known, globals);
  check_kinds(sides.a.what, sides.b.what);
  take(sides.a, all);
  take(sides.b, all);
  return sides;
}

bool same(const Compared& a, const Compared& b) {
  return a.id == b.id && a.arm == b.arm && a.hostname == b.hostname && a.versions == b.versions &&
         a.file == b.file;
}

std::vector<const store::Measurement*> all_of(const Side& side) {
  std::vector<const store::Measurement*> result;
  for (const auto& measurement : side.measurements) result.push_back(&measurement);
  return result;
}

std::string conditions_text(const Side& side) {
  std::vector<double> loads, steals;
  for (const auto& condition : analysis::conditions_of(all_of(side))) {
    loads.push_back(condition.load);
    if (condition.steal) steals.push_back(*condition.steal);
  }
  if (loads.empty()) return "unknown";
  return fmt::format(
      "load {:.2f} (n={}), steal {}", analysis::median(loads), loads.size(),
      steals.empty() ? "not told" : fmt::format("{:.1f}%", 100 * analysis::mean(steals)));
}

bool one_stack_twice(const Sides& sides) {
  return is_stacks(sides.a.what.kind) && sides.couples.size() == 1 &&
         sides.couples.front().a->stack == sides.couples.front().b->stack &&
         sides.a.what.arm == sides.b.what.arm;
}

bool any_ok(const Side& side) {
  return std::ranges::any_of(side.measurements,
                             [](const auto& one) { return one.outcome == specs::Outcome::ok; });
}

}  // namespace

void note_conditions(Sides& sides) {
  sides.notes.push_back(
      fmt::format("median load average when inspections began, and mean steal: A {}; B {}",
                  conditions_text(sides.a), conditions_text(sides.b)));
  for (const auto& [side, name] : {std::pair{&sides.a, "A"}, {&sides.b, "B"}})
    for (const auto& line : analysis::lines(analysis::drift(side->rates, drift_confidence), drift_confidence))
      sides.notes.push_back(fmt::format("{}: {}", name, line));
}

std::string why_no_rates(const Sides& sides) {
  std::string text;
  for (const auto& [name, side] : {std::pair{"A", &sides.a}, {"B", &sides.b}}) {
    std::map<std::string, std::size_t> failed;
    for (const auto& measurement : side->measurements)
      if (measurement.outcome != specs::Outcome::ok) ++failed[specs::to_string(measurement.outcome)];
    if (failed.empty()) continue;
    std::vector<std::string> words;
    for (const auto& [outcome, n] : failed) words.push_back(fmt::format("{} {}", n, outcome));
    text += fmt::format("{}Of {}'s {} inspections: {}.", text.empty() ? "" : " ", name, side->measurements.size(),
                        fmt::join(words, ", "));
  }
  const auto none = fmt::format("No pair has {} on both sides.",
                                sides.yardstick.is_rate() ? "a rate" : "an amount of " + sides.yardstick.noun());
  return text.empty() ? none : none + " " + text;
}

Sides find_sides(const SidesOptions& options, const Globals& globals) {
  Sides sides = open(options, globals);
  if (!sides.nothing.empty()) return sides;
  if (same(sides.a.what, sides.b.what))
    throw bad_input(
        fmt::format("{} and {} are the same {}; name another for B. How far one stack differs from itself, its sentinel "
                    "tells: `stackx report`",
                    options.a, options.b, to_string(sides.a.what.kind)));
  if (sides.a.what.kind == Kind::store) leave_out_shared(sides);
  for (auto* side : {&sides.a, &sides.b}) {
    note_unknown(side->what, sides.notes);
    if (sides.nothing.empty() && side->measurements.empty())
      sides.nothing = fmt::format("No measured stack is {}.", side->what.text);
  }
  if (sides.nothing.empty()) choose_workload(sides);
  if (!sides.nothing.empty()) return sides;
  choose_hardware(sides, options, globals);
  sides.yardstick = options.yardstick;
  collect(sides.a, options.yardstick);
  collect(sides.b, options.yardstick);
  note_amounts(sides);
  make_couples(sides);
  if (!any_ok(sides.a) || !any_ok(sides.b))  // and no unit, then
    sides.nothing = why_no_rates(sides);
  else if (sides.a.rates.unit != sides.b.rates.unit)
    sides.nothing =
        fmt::format("A is measured in {}, B in {}.", sides.a.rates.unit, sides.b.rates.unit);
  else if (sides.couples.empty())
    explain_no_couples(sides);
  else if (one_stack_twice(sides))
    sides.nothing =
        fmt::format("{} and {} are the same stack, {}; name another for B.",
                    options.a, options.b, sides.couples.front().a->stack.short_id());
  if (sides.nothing.empty() && is_stacks(sides.a.what.kind) && options.yardstick.is_rate()) {  // races are run by rates
    sides.finals = finals_of(sides, globals);
    note_finals(sides);
  }
  return sides;
}

}  // namespace stackx::cli
