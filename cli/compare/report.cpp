#include "cli/compare/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "advisor/recipes/quoting.hpp"
#include "analysis/ranking/placement.hpp"
#include "analysis/text/words.hpp"
#include "specs/format/json.hpp"

namespace stackx::cli {
namespace {

using analysis::counted;
using analysis::CoupleResult;
using analysis::Interval;
using analysis::SideSummary;

std::pair<std::string, std::string> period(const Side& side) {
  std::pair<std::string, std::string> result;
  for (const auto& m : side.measurements) {
    if (result.first.empty() || m.finished < result.first) result.first = m.finished;
    result.second = std::max(result.second, m.finished);
  }
  return result;
}

std::string host_names(const Side& side) {
  std::set<std::string> names;
  for (const auto& m : side.measurements)
    names.insert(fmt::format("{} ({})", m.hostname, m.host.substr(0, 12)));
  return fmt::format("{}", fmt::join(names, ", "));
}

void note_independence(const CompareReport& report, std::vector<std::string>& notes) {
  const auto& sides = report.sides;
  const auto of_a = period(sides.a), of_b = period(sides.b);
  notes.push_back(fmt::format("nothing is paired: A was measured {} to {}, B {} to {}; what else differed between the two times is in no interval",
                              of_a.first, of_a.second, of_b.first, of_b.second));
  if (!report.result.own_verdicts)
    notes.push_back(
        fmt::format("the intervals of single stacks are bootstrap intervals of {:.3g}% each, not "
                    "corrected for their "
                    "number",
                    100 * report.confidence));
  else if (report.result.couples.size() > 1)
    notes.push_back(
        fmt::format("fewer than {} stacks: each speaks for itself (intervals corrected for their "
                    "number), and all where they agree",
                    analysis::least_values(report.confidence)));
}

// Whom two sides of hosts compare is what was asked.
void note_nodes(const CompareReport& report, std::vector<std::string>& notes) {
  const auto &a = report.sides.a, &b = report.sides.b;
  if (report.result.paired) {
    const auto& by_node = report.result.by_node;
    if (by_node && by_node->p < 1 - report.confidence)
      notes.push_back(fmt::format("the ratio depends on the node (analysis of variance, p = {:.2g}, n={} on {}): it is not "
                                  "of the stacks alone",
                                  by_node->p, counted(report.result.rounds, "round"), counted(report.result.nodes.size(), "node")));
    return;
  }
  if (a.what.kind == Compared::Kind::host) return;
  const auto of_a = placement_of(a.rates.stacks), of_b = placement_of(b.rates.stacks);
  auto all = of_a;
  for (const auto& [node, n] : of_b) all[node] += n;
  const auto text = analysis::difference_text("A", of_a, "B", of_b, all);
  if (!text.empty()) notes.push_back(text + ": this compares nodes, too");
}

void note_rounds(const CompareReport& report, std::vector<std::string>& notes) {
  std::size_t a = 0, b = 0, shared = 0, couples = 0;
  for (const auto& couple : report.result.couples) {
    const auto n = couple.comparison.pairs;
    if (couple.of_a.rounds == n && couple.of_b.rounds == n) continue;
    ++couples;
    a += couple.of_a.rounds;
    b += couple.of_b.rounds;
    shared += n;
  }
  if (couples == 1 && report.result.couples.size() == 1)
    notes.push_back(fmt::format("A ran in {}, B in {}, both in {}: only these are compared",
                                counted(a, "round"), counted(b, "round"), counted(shared, "round")));
  else if (couples > 0)
    notes.push_back(
        fmt::format("{} ran in rounds that they do not share; only shared rounds are compared",
                    counted(couples, "couple")));
}

// Two locks that differ in speed differ in many packages: `blame` says in which it lies.
std::optional<std::string> how_to_blame(const CompareReport& report) {
  using analysis::Verdict;
  const auto& [a, b] = std::pair(report.sides.a.what, report.sides.b.what);
  const auto verdict = report.result.overall.verdict;
  if (a.kind != Compared::Kind::lock || b.kind != Compared::Kind::lock || (verdict != Verdict::faster && verdict != Verdict::slower))
    return std::nullopt;
  const auto measured = report.sides.workload.program.empty() ? fmt::format("--workload {}", advisor::shell_quoted(report.sides.workload.text()))
                                                              : std::string("--pi COMMAND");
  const auto& yardstick = report.sides.yardstick;
  return fmt::format("which of the changes it is says `stackx blame {} {} {}{}`", advisor::shell_quoted(a.text), advisor::shell_quoted(b.text), measured,
                     yardstick.is_rate() ? "" : " --metric " + yardstick.word());
}

nlohmann::json json_of(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {interval->low, interval->high};
}

// Spreads are of the log ratio.
nlohmann::json nodes_json(const analysis::SideBySide& result) {
  nlohmann::json json = {{"ratios", nlohmann::json::array()}, {"between_log_sd", nullptr}, {"within_log_sd", nullptr}, {"p", nullptr}};
  for (const auto& node : result.nodes)
    json["ratios"].push_back({{"node", node.node}, {"ratio", node.ratio}, {"interval", json_of(node.interval)}, {"rounds", node.rounds}});
  if (const auto& of = result.by_node) {
    json["between_log_sd"] = std::sqrt(std::max(0.0, of->between));
    json["within_log_sd"] = std::sqrt(of->within);
    json["p"] = of->p;
  }
  return json;
}

nlohmann::json json_of(const specs::Stack& stack, const SideSummary& summary) {
  nlohmann::json json = {{"stack", {{"id", stack.id()}, {"components", stack.components}}},
                         {"median", summary.median},
                         {"ci", json_of(summary.interval)},
                         {"cv", nullptr},
                         {"inspections", summary.inspections},
                         {"rounds", summary.rounds},
                         {"failures", summary.failures}};
  if (summary.cv) json["cv"] = *summary.cv;
  return json;
}

nlohmann::json looks_json(analysis::Verdict verdict, const CompareReport& report) {
  if (report.result.paired) return nullptr;
  return words(verdict, report.sides.yardstick);
}

nlohmann::json json_of(const CoupleResult& couple, const CompareReport& report) {
  const auto& result = report.result;
  auto differ = nlohmann::json::object();
  for (const auto& difference : differences(couple.a, couple.b)) {
    const auto version = [](const std::string& text) {
      return text.empty() ? nlohmann::json() : nlohmann::json(text);
    };
    differ[difference.component] = {version(difference.a), version(difference.b)};
  }
  nlohmann::json json = {{"a", json_of(couple.a, couple.of_a)},
                         {"b", json_of(couple.b, couple.of_b)},
                         {"differ", differ},
                         {"ratio", couple.comparison.ratio},
                         {"interval", json_of(couple.comparison.interval)},
                         {"bootstrap", json_of(couple.bootstrap)}};
  if (result.own_verdicts) {
    json["verdict"] = shown_word(couple.comparison.verdict, report);
    json["looks"] = looks_json(couple.comparison.verdict, report);
  }
  if (result.paired) json["rounds"] = couple.comparison.pairs;
  return json;
}

}  // namespace

const char* shown_word(analysis::Verdict verdict, const CompareReport& report) {
  return words(report.result.paired ? verdict : analysis::Verdict::unresolved, report.sides.yardstick);
}

std::string looks(analysis::Verdict verdict, const CompareReport& report) {
  return report.result.paired ? "" : analysis::looks(verdict, report.sides.yardstick);
}

// The times are known, what changed between them is not; but whether it can be the stacks.
std::string why_not_shown(const CompareReport& report) {
  if (looks(report.result.overall.verdict, report).empty()) return "";
  const std::string why = "Not shown: no round has both, and what changed between the two times is part of it. ";
  switch (report.sides.a.what.kind) {
    case Compared::Kind::stack:
    case Compared::Kind::lock: return why + "To know, run both in one campaign.";
    case Compared::Kind::host: return why + "The stacks are the same: it is the hosts, or what went on there.";
    case Compared::Kind::campaign:
    case Compared::Kind::store: break;
  }
  return why + "The stacks are the same: it is no version in them, but the machine, its system or its load.";
}

bool exceeds_limit(const CompareReport& report) {
  const auto& interval = report.result.overall.interval;
  if (!report.max_slower || !interval) return false;
  const double limit = *report.max_slower / 100;
  if (report.sides.yardstick.smaller_is_better()) return 1 / interval->high > 1 + limit;
  return 1 / interval->low < 1 - limit;
}

std::vector<analysis::BitsCompared> bits_of(const Sides& sides) {
  std::vector<analysis::BitsCompared> result;
  for (const auto& couple : sides.couples)
    for (auto& one : analysis::compare_bits(*couple.a, *couple.b)) result.push_back(std::move(one));
  return result;
}

std::vector<Difference> differences(const specs::Stack& a, const specs::Stack& b) {
  std::set<std::string> names;
  for (const auto* stack : {&a, &b})
    for (const auto& [name, version] : stack->components) names.insert(name);
  std::vector<Difference> result;
  for (const auto& name : names) {
    const auto version = [&](const specs::Stack& stack) {
      const auto found = stack.components.find(name);
      return found == stack.components.end() ? "" : found->second;
    };
    if (version(a) != version(b)) result.push_back({name, version(a), version(b)});
  }
  return result;
}

std::vector<std::string> compare_notes(const CompareReport& report) {
  std::vector<std::string> result = report.sides.notes;
  if (report.result.paired)
    note_rounds(report, result);
  else
    note_independence(report, result);
  note_nodes(report, result);
  const auto of_a = host_names(report.sides.a), of_b = host_names(report.sides.b);
  if (of_a != of_b) result.push_back(fmt::format("hosts differ: A on {}; B on {}", of_a, of_b));
  if (report.result.left_out > 0)
    result.push_back(fmt::format(
        "{} left out: {}", counted(report.result.left_out, "couple"),
        report.result.paired ? "no round in which both gave a rate" : "a side gave no rate"));
  std::size_t failed = 0;
  for (const auto& couple : report.result.couples)
    for (const auto* summary : {&couple.of_a, &couple.of_b})
      for (const auto& [outcome, n] : summary->failures) failed += n;
  if (failed > 0 && report.result.couples.size() > 1)
    result.push_back(fmt::format("{} failed and have no rate", counted(failed, "inspection")));
  for (auto& line : unsteady_text(report.bits)) result.push_back(std::move(line));
  const auto kind = report.sides.a.what.kind;
  if (kind != Compared::Kind::stack && kind != Compared::Kind::lock) {
    const auto both = report.sides.couples.size();
    const auto a = report.sides.a.rates.stacks.size() - both,
               b = report.sides.b.rates.stacks.size() - both;
    if (a + b > 0)
      result.push_back(fmt::format("{} only in A and {} only in B: not compared",
                                   counted(a, "stack"), counted(b, "stack")));
  }
  if (auto how = how_to_blame(report)) result.push_back(std::move(*how));
  return result;
}

nlohmann::json compare_json(const CompareReport& report) {
  const auto& [sides, result, delta, confidence, max_slower, bits] = report;
  const auto side = [](const Side& s) -> nlohmann::json {
    return {{"text", specs::to_utf8(s.what.text)}, {"kind", to_string(s.what.kind)}};
  };
  auto couples = nlohmann::json::array();
  for (const auto& couple : result.couples) couples.push_back(json_of(couple, report));
  nlohmann::json json = {{"a", side(sides.a)},
                         {"b", side(sides.b)},
                         {"workload", sides.workload.text()},
                         {"metric", sides.yardstick.word()},
                         {"unit", analysis::unit_in_words(sides.a.rates.unit, sides.workload)},
                         {"design", result.paired ? "paired" : "independent"},
                         {"delta", delta},
                         {"confidence", confidence},
                         {"verdict", shown_word(result.overall.verdict, report)},
                         {"looks", looks_json(result.overall.verdict, report)},
                         {"ratio", result.overall.ratio},
                         {"interval", json_of(result.overall.interval)},
                         {"bootstrap", json_of(result.bootstrap)},
                         {"n", result.logs.size()},
                         {"couples", couples},
                         {"notes", compare_notes(report)}};
  if (!result.nodes.empty()) json["nodes"] = nodes_json(result);
  if (!bits.empty()) json["bits"] = to_json(bits);
  if (result.overall.further_rounds) json["further"] = *result.overall.further_rounds;
  if (max_slower)
    json["limit"] = {{"max_slower_percent", *max_slower}, {"exceeded", exceeds_limit(report)}};
  return json;
}

}  // namespace stackx::cli
