#include "analysis/published/source_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/published/ranking.hpp"
#include "analysis/published/stack.hpp"
#include "analysis/text/table.hpp"
#include "specs/result/metric.hpp"

namespace stackx::analysis {
namespace {

constexpr double confidence = 0.95;
constexpr std::size_t most_runs = 60;

std::string name_of(const specs::Published& p) {
  const auto id = p.details.find("mlperf_id");
  return id != p.details.end() ? id->second : p.id.substr(0, 12);
}

bool agree(const specs::Workload& a, const specs::Workload& b) {
  return a.pi == b.pi && std::ranges::all_of(a.params, [&](const auto& param) {
           const auto found = b.params.find(param.first);
           return found == b.params.end() || found->second == param.second;
         });
}

std::optional<Interval> range_of(const specs::Published& p) {
  if (!p.values.empty())
    return Interval{*std::ranges::min_element(p.values), *std::ranges::max_element(p.values), 0};
  if (p.min && p.max) return Interval{*p.min, *p.max, 0};
  return std::nullopt;
}

std::map<std::string, std::string> all_components(const specs::Published& p) {
  const PublishedStack stack = published_stack(p.stack.components);
  auto all = stack.stack.components;
  all.insert(stack.besides.begin(), stack.besides.end());
  return all;
}

void note_differences(SourcePair& pair) {
  const auto first = all_components(pair.first), second = all_components(pair.second);
  for (const auto& [name, version] : first) {
    const auto found = second.find(name);
    const std::string other = found == second.end() ? "" : found->second;
    if (other != version) pair.differs[name] = {version, other};
  }
  for (const auto& [name, version] : second)
    if (!first.contains(name)) pair.differs[name] = {"", version};
}

void note_cautions(SourcePair& pair) {
  const auto &a = pair.first, &b = pair.second;
  if (a.devices && b.devices && a.devices != b.devices)
    pair.cautions.push_back(fmt::format("{} devices against {}", *a.devices, *b.devices));
  if (!a.hardware.empty() && !b.hardware.empty() && a.hardware != b.hardware)
    pair.cautions.push_back(fmt::format("{} against {}", a.hardware, b.hardware));
  for (const auto& [name, value] : a.workload.params)
    if (!b.workload.params.contains(name))
      pair.cautions.push_back(fmt::format("{} {} is stated by the first only", name, value));
  for (const auto& [name, value] : b.workload.params)
    if (!a.workload.params.contains(name))
      pair.cautions.push_back(fmt::format("{} {} is stated by the second only", name, value));
  if (a.statistic != b.statistic && !a.statistic.empty() && !b.statistic.empty())
    pair.cautions.push_back(fmt::format("a {} against a {}", a.statistic, b.statistic));
}

std::vector<double> logs_of(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  return logs;
}

SourcePair pair_of(const specs::Published& first, const specs::Published& second) {
  SourcePair pair;
  pair.first = first;
  pair.second = second;
  pair.difference = (second.value - first.value) / first.value;
  const auto fits = [](const auto& runs) { return !runs.empty() && runs.size() <= most_runs; };
  if (fits(first.values) && fits(second.values)) {
    Shift shift = shift_between(logs_of(first.values), logs_of(second.values), confidence);
    shift.estimate = std::exp(shift.estimate);
    if (shift.interval)
      shift.interval = {std::exp(shift.interval->low), std::exp(shift.interval->high),
                        shift.interval->coverage};
    pair.ratio = shift;
  }
  const auto a = range_of(first), b = range_of(second);
  if (a && b) pair.ranges_overlap = a->low <= b->high && b->low <= a->high;
  note_differences(pair);
  note_cautions(pair);
  return pair;
}

std::string names_of(const std::vector<const specs::Published*>& results) {
  std::string text;
  for (const auto* p : results)
    text += fmt::format("{}{} ({:g} {}{})", text.empty() ? "" : ", ", name_of(*p), p->value,
                        specs::find_metric(p->metric)->unit,
                        p->devices ? fmt::format(", {} devices", *p->devices) : "");
  return text;
}

using Benchmark = std::pair<std::string, std::string>;  // PI and metric

std::map<Benchmark, std::vector<const specs::Published*>> by_benchmark(const SourceSide& side) {
  std::map<Benchmark, std::vector<const specs::Published*>> result;
  for (const auto& p : side.results) result[{p.workload.pi, p.metric}].push_back(&p);
  return result;
}

std::string signed_percent(double fraction) { return fmt::format("{:+.2f}%", 100 * fraction); }

// Numbers of which nobody published the runs.
std::string why_no_runs(const specs::Published& p) {
  if (!p.runs || *p.runs == 1) return "a single number";
  return fmt::format("a {} of {} runs that are not published",
                     p.statistic.empty()             ? "summary"
                     : p.statistic == "trimmed_mean" ? "trimmed mean"
                                                     : p.statistic,
                     *p.runs);
}

}  // namespace

SourceComparison compare_sources(SourceSide first, SourceSide second) {
  SourceComparison result{std::move(first), std::move(second), {}, {}};
  const auto a = by_benchmark(result.first), b = by_benchmark(result.second);
  const auto only = [&](const Benchmark& benchmark, const SourceSide& side) {
    result.notes.push_back(
        fmt::format("only {} has {} ({})", side.text, benchmark.first, benchmark.second));
  };
  for (const auto& [benchmark, ours] : a) {
    const auto found = b.find(benchmark);
    if (found == b.end()) {
      only(benchmark, result.first);
      continue;
    }
    const auto& theirs = found->second;
    if (ours.size() > 1 || theirs.size() > 1) {
      result.notes.push_back(fmt::format(
          "{} stands several times: {} in {}, {} in {}; name one by its id", benchmark.first,
          names_of(ours), result.first.text, names_of(theirs), result.second.text));
      continue;
    }
    if (agree(ours.front()->workload, theirs.front()->workload))
      result.pairs.push_back(pair_of(*ours.front(), *theirs.front()));
    else
      result.notes.push_back(fmt::format("not one benchmark: {} and {}",
                                         ours.front()->workload.text(),
                                         theirs.front()->workload.text()));
  }
  for (const auto& [benchmark, theirs] : b)
    if (!a.contains(benchmark)) only(benchmark, result.second);
  return result;
}

std::string verdict_text(const SourcePair& pair) {
  if (pair.ratio) {
    const Shift& ratio = *pair.ratio;
    const std::size_t n = pair.first.values.size(), m = pair.second.values.size();
    const std::string overlap = *pair.ranges_overlap ? "the ranges of the runs overlap"
                                                     : "the ranges of the runs are apart";
    if (!ratio.interval)
      return fmt::format("no interval: {} and {} runs are too few for one at {:g}%; {}", n, m,
                         100 * confidence, overlap);
    return fmt::format(
        "{} and {} runs: ratio {:.3f} [{:.3f}, {:.3f}] ({:.1f}%), {}{}", n, m, ratio.estimate,
        ratio.interval->low, ratio.interval->high, 100 * ratio.interval->coverage, overlap,
        ratio.interval->low <= 1 && ratio.interval->high >= 1 ? ": no difference is shown" : "");
  }
  std::string text = "no interval: ";
  if (pair.first.values.empty()) text += "the first is " + why_no_runs(pair.first);
  if (pair.second.values.empty())
    text += fmt::format("{}the second is {}", pair.first.values.empty() ? ", " : "",
                        why_no_runs(pair.second));
  // One value among the other's runs is what those runs could have given, too.
  const specs::Published& with = pair.first.values.empty() ? pair.second : pair.first;
  const specs::Published& without = pair.first.values.empty() ? pair.first : pair.second;
  if (const auto range = range_of(with);
      range && pair.first.values.empty() != pair.second.values.empty())
    text += fmt::format(
        "; it lies {} the range of the other's runs",
        without.value >= range->low && without.value <= range->high ? "inside" : "outside");
  else if (pair.ranges_overlap)
    text += *pair.ranges_overlap ? "; the stated ranges overlap" : "; the stated ranges are apart";
  return text;
}

namespace {

std::string unit_of(const specs::Published& p) {
  return std::string(specs::find_metric(p.metric)->unit);
}

std::string runs_text(const specs::Published& p) {
  std::string text = spread_text(p);
  return text == "single published number" ? "single" : text;
}

std::string summary(const SourceComparison& c) {
  if (c.pairs.empty()) return "";
  const auto [low, high] = std::ranges::minmax_element(c.pairs, {}, &SourcePair::difference);
  return fmt::format("From {} to {} over {} benchmark{}.\n", signed_percent(low->difference),
                     signed_percent(high->difference), c.pairs.size(),
                     c.pairs.size() == 1 ? "" : "s");
}

// A difference that all pairs have is said once.
std::string differences_text(const SourceComparison& c, std::size_t width) {
  std::map<std::string, std::vector<std::string>> where;
  for (const auto& pair : c.pairs)
    for (const auto& [name, versions] : pair.differs) {
      const auto stated = [](const std::string& v) { return v.empty() ? "not stated" : v; };
      where[fmt::format("{}: {} against {}", name, stated(versions.first), stated(versions.second))]
          .push_back(pair.first.workload.pi);
    }
  if (c.pairs.empty()) return "";
  if (where.empty()) return "The two name the same software.\n";
  std::string text = "What differs in software (first against second):\n";
  for (const auto& [line, benchmarks] : where) {
    std::string some;
    if (benchmarks.size() < c.pairs.size())
      for (const auto& name : benchmarks) some += (some.empty() ? " (" : ", ") + name;
    text += bullet(line + (some.empty() ? "" : some + ")"), width);
  }
  return text;
}

std::string sources_text(const SourceSide& side, std::size_t width) {
  std::set<specs::Source> sources;
  for (const auto& p : side.results) sources.insert(p.source);
  std::string text;
  for (const auto& s : sources)
    text += wrap(fmt::format("{}: {}{}, read {}", side.text, s.title.empty() ? s.url : s.title, s.date.empty() ? "" : ", " + s.date,
                             s.read), 4, width) +
            "\n    " + s.url + "\n";
  return text;
}

const char* explanation =
    "A published number of one run, or a mean without its runs, carries no confidence interval: "
    "how "
    "far the next run would fall from it is unknown. Where both sources give their runs, the "
    "interval "
    "is that of the exact rank-sum test, for the ratio of the runs' times (not of the published "
    "means, which leave out the fastest and the slowest run); it is about these two machines, not "
    "about their models.";

}  // namespace

std::string table(const SourceComparison& c, bool colour, std::size_t width) {
  std::string text = fmt::format("First: {}\nSecond: {}\n", c.first.text, c.second.text);
  text += paragraph("Difference: (second - first) / first of the published numbers; of times, "
                    "negative means that the second needed less.", 0, width) +
          "\n";
  std::vector<Column> columns{{"benchmark", false, {}}, {"unit", false, {}},  {"first", true, {}},
                              {"first's runs", false, {}}, {"second", true, {}}, {"second's runs", false, {}},
                              {"difference", true, {}}};
  for (const auto& pair : c.pairs) {
    const std::vector<std::string> cells{pair.first.workload.pi,
                                         unit_of(pair.first),
                                         fmt::format("{:g}", pair.first.value),
                                         runs_text(pair.first),
                                         fmt::format("{:g}", pair.second.value),
                                         runs_text(pair.second),
                                         signed_percent(pair.difference)};
    for (std::size_t i = 0; i < cells.size(); ++i) columns[i].cells.push_back(cells[i]);
  }
  if (c.pairs.empty()) text += "No benchmark that both have.\n";
  if (!c.pairs.empty()) text += table_text(columns, Paint{colour}, width) + summary(c) + "\n";
  for (const auto& pair : c.pairs) {
    std::string line = pair.first.workload.pi + ": " + verdict_text(pair);
    for (const auto& caution : pair.cautions) line += "; " + caution;
    text += bullet(line + ".", width);
  }
  if (!c.pairs.empty())
    text += "\n" + paragraph(explanation, 0, width) + "\n" + differences_text(c, width);
  if (!c.notes.empty()) text += "\nNotes:\n";
  for (const auto& note : c.notes) text += bullet(note + ".", width);
  return text + "\nSources:\n" + sources_text(c.first, width) + sources_text(c.second, width);
}

nlohmann::json to_json(const SourceComparison& c) {
  auto pairs = nlohmann::json::array();
  for (const auto& pair : c.pairs) {
    nlohmann::json one = {{"benchmark", pair.first.workload.pi},
                          {"metric", pair.first.metric},
                          {"first", specs::to_json(pair.first)},
                          {"second", specs::to_json(pair.second)},
                          {"difference", pair.difference},
                          {"ranges_overlap", nullptr},
                          {"ratio_of_runs", nullptr},
                          {"says", verdict_text(pair)},
                          {"cautions", pair.cautions},
                          {"differs", nlohmann::json::object()}};
    if (pair.ranges_overlap) one["ranges_overlap"] = *pair.ranges_overlap;
    if (pair.ratio) {
      one["ratio_of_runs"] = {{"estimate", pair.ratio->estimate}, {"ci95", nullptr}};
      if (const auto& interval = pair.ratio->interval) {
        one["ratio_of_runs"]["ci95"] = {interval->low, interval->high};
        one["ratio_of_runs"]["coverage"] = interval->coverage;
      }
    }
    for (const auto& [name, versions] : pair.differs)
      one["differs"][name] = {versions.first, versions.second};
    pairs.push_back(std::move(one));
  }
  return {{"first", c.first.text},
          {"second", c.second.text},
          {"difference", "(second - first) / first"},
          {"pairs", std::move(pairs)},
          {"why_no_interval", explanation},
          {"notes", c.notes}};
}

}  // namespace stackx::analysis
