#include "cli/advise/explanation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "advisor/price.hpp"
#include "analysis/published/peak_remark.hpp"
#include "analysis/text/table.hpp"
#include "analysis/text/words.hpp"
#include "specs/error.hpp"
#include "workspace/load.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

using analysis::components_text;
using analysis::counted;
using analysis::paragraph;
using analysis::wrap;

std::string figure(const std::optional<double>& value, const char* unit) {
  return value ? fmt::format(", {:g} {}", *value, unit) : "";
}

std::string accelerator_line(const advisor::HardwareAdvice& advice) {
  const auto& model = *advice.accelerator;
  std::string text = fmt::format("{} is taken for {} ({}: {}{}{}{}{})", advice.selection.hw,
                                 model.name, model.title, model.architecture,
                                 model.compute_capability.empty()
                                     ? ""
                                     : ", compute capability " + model.compute_capability,
                                 figure(model.memory_gb, "GB"), figure(model.bandwidth_gb_s, "GB/s"),
                                 figure(model.tdp_w, "W"));
  if (const auto others = advice.selection.hardware.models.size() - 1; others > 0)
    text += fmt::format("; {} more of that name: `stackx hw show {}`", counted(others, "model"),
                        advice.selection.hw);
  return text;
}

// What tells: drivers and runtimes, and what is not at its newest. The rest is counted.
std::vector<advisor::NewestVersion> telling(const advisor::HardwareAdvice& advice,
                                   const std::vector<advisor::NewestVersion>& newest) {
  constexpr std::size_t most = 16;
  if (newest.size() <= most) return newest;
  std::vector<advisor::NewestVersion> result;
  for (const auto& row : newest) {
    const auto kind = advice.space->catalog().find(row.component)->kind;
    if (row.newer > 0 || kind == specs::Kind::driver || kind == specs::Kind::runtime)
      result.push_back(row);
  }
  return result;
}

std::string newest_table(const advisor::HardwareAdvice& advice, std::size_t width) {
  const auto all = advice.space->newest();
  const auto newest = telling(advice, all);
  std::vector<analysis::Column> columns{
      {"component", false, {}}, {"newest valid", false, {}}, {"newer, out", false, {}}, {"because", false, {}}};
  for (const auto& row : newest) {
    columns[0].cells.push_back(row.component);
    columns[1].cells.push_back(row.version.empty() ? "none" : row.version);
    columns[2].cells.push_back(
        row.newer == 0 ? "-" : fmt::format("{} from {}", row.newer, row.first_out));
    columns[3].cells.push_back(row.why);
  }
  constexpr std::size_t indent = 3;
  std::string text = analysis::indented(analysis::table_text(columns, analysis::Paint{false}, width - indent), indent);
  if (newest.size() < all.size())
    text += fmt::format("   and {}, each valid at its newest\n",
                        counted(all.size() - newest.size(), "component"));
  return text;
}

std::string valid_part(const advisor::HardwareAdvice& advice, std::size_t width) {
  const std::string heading = fmt::format("1. Valid on {}", advice.selection.hw);
  if (!advice.space) return wrap(heading + ": " + advice.no_space, 3, width) + "\n";
  constexpr std::size_t most_named = 20;
  std::vector<std::string> names;
  for (const auto& component : advice.space->resolver().components()) names.push_back(component.name);
  std::string text =
      wrap(fmt::format("{}: {}, out of {} of {}", heading, workspace::counted(advice.space->count(), "stack"),
                       workspace::counted(advice.space->resolver().raw_combinations(), "combination"),
                       names.size() > most_named ? counted(names.size(), "component") : fmt::format("{}", fmt::join(names, ", "))),
           3, width) +
      "\n";
  const auto& hardware = advice.selection.hardware;
  if (hardware.component == "cpu" && hardware.version != "host")
    text += paragraph(fmt::format("on a machine with {}, of which nothing else is known: with cores and "
                                  "memory enough", hardware.name), 3, width);
  if (advice.accelerator) text += paragraph(accelerator_line(advice), 3, width);
  return text + newest_table(advice, width);
}

std::string impossible_part(const advisor::HardwareAdvice& advice, std::size_t width) {
  std::string text = fmt::format("1. Valid on {}: no stack.\n", advice.selection.hw) + paragraph(advice.impossible->text(), 0, width);
  if (advice.nearest_that_works.empty()) return text;
  text += "The nearest that works:\n";
  for (const auto& line : advice.nearest_that_works) text += paragraph(line, 2, width);
  return text;
}

std::string differences(const advisor::NearestStack& nearest) {
  std::string text;
  for (const auto& [name, versions] : nearest.differs)
    text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", name, versions.first,
                        versions.second.empty() ? "is not needed" : "-> " + versions.second);
  return text;
}

std::string own_lines(const advisor::HardwareAdvice& advice, std::size_t width) {
  if (!advice.own) return "";
  const auto& own = *advice.own;
  std::string text = paragraph(
      fmt::format("Your stack ({}): {}", own.file.string(), components_text(own.named.components)), 3, width);
  text += paragraph(
      advice.own_valid->differs.empty()
          ? fmt::format("Valid here, as {}.", components_text(advice.own_valid->stack.components))
          : fmt::format("NOT valid here as it is; the nearest valid stack changes {}.",
                        differences(*advice.own_valid)),
      3, width);
  for (const auto& line : advice.own_advice->lines) text += paragraph(line, 3, width);
  return text;
}

// "torch: 84 versions, by MADE-UP-1"
std::vector<std::string> excluded_lines(const advisor::HardwareAdvice& advice) {
  std::map<std::string, std::pair<std::size_t, std::set<std::string>>> by_component;
  for (const auto& one : advice.prepared.excluded) {
    auto& [count, ids] = by_component[one.component];
    ++count;
    ids.insert(one.ids.begin(), one.ids.end());
  }
  std::vector<std::string> lines;
  for (const auto& [component, found] : by_component)
    lines.push_back(fmt::format("Left out of {}: {}, by {}.", component,
                                counted(found.first, "version"), fmt::join(found.second, ", ")));
  return lines;
}

std::string unheeded_lines(const advisor::HardwareAdvice& advice, std::size_t width) {
  std::string text;
  for (const auto& note : advice.prepared.notes) text += paragraph(note, 3, width);
  for (const auto& line : excluded_lines(advice)) text += paragraph(line, 3, width);
  if (!advice.not_in_catalogs.empty())
    text += paragraph(fmt::format("Not in the catalogs of this hardware, and not looked at: {}.",
                                  fmt::join(advice.not_in_catalogs, ", ")),
                      3, width);
  return text;
}

// How a share of peak can be above 1.
std::string in_brackets(double share, const specs::Workload& workload) {
  const auto remark = analysis::peak_remark(share, workload);
  return remark.empty() ? "" : fmt::format(" ({})", remark);
}

std::string predicted_table(const advisor::HardwareAdvice& advice, std::size_t width) {
  const auto& rows = advice.predicted.rows;
  if (rows.empty()) return "";
  std::string text = "Predicted, for the newest versions: " + components_text(rows[0].stack.components);
  text = paragraph(text, 0, width);
  for (const auto& row : rows) {
    const std::string share =
        row.share ? fmt::format(", {:.1f}% of peak", 100 * *row.share) + in_brackets(*row.share, row.workload) : "";
    text += paragraph(
        fmt::format("{}: {}{}", row.workload.text(), row.prediction.text(), share), 2, width);
  }
  return text;
}

std::string cost_lines(const advisor::HardwareAdvice& advice, std::size_t width) {
  if (!advice.price) return "";
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(advice.measured.recommendations.size(), 3); ++i) {
    const auto& row = advice.measured.recommendations[i];
    if (const auto cost = advisor::cost_of(*advice.price, row.median, advice.measured.unit, row.ci))
      text += paragraph(
          fmt::format("{}: {:.3g}{} per {} (measured)", row.stack.short_id(), cost->amount,
                      cost->interval ? fmt::format(" [{:.3g}, {:.3g}]", cost->interval->low,
                                                   cost->interval->high)
                                     : "",
                      cost->per),
          3, width);
  }
  for (const auto& group : advice.published.groups) {
    const auto& row = group.rows.front();
    if (const auto cost = advisor::cost_of(*advice.price, row.value, group.unit, std::nullopt,
                                  static_cast<double>(group.devices.value_or(1))))
      text += paragraph(fmt::format("{}: {}: {:.3g} per {} (published, no interval)",
                                    analysis::group_title(group), components_text(row.stack.components),
                                    cost->amount, cost->per),
                        3, width);
  }
  for (const auto& row : advice.predicted.rows)
    if (const auto cost = advisor::cost_of(*advice.price, row.prediction.rate, "GFLOP/s",
                                  specs::Interval{row.prediction.low, row.prediction.high, 0.8}))
      text += paragraph(fmt::format("{}: {:.3g} [{:.3g}, {:.3g}] per {} (predicted, 80%)",
                                    row.workload.text(), cost->amount, cost->interval->low,
                                    cost->interval->high, cost->per),
                        3, width);
  return text.empty() ? "" : fmt::format("\nCost, at {:g} a device-hour:\n", *advice.price) + text;
}

// On a GPU: of the peak that the catalog states.
std::string peak_line(const advisor::HardwareAdvice& advice, std::size_t width) {
  const auto share = advisor::measured_peak_share(advice, 0);
  return share ? paragraph(fmt::format("The first reaches {:.1f}% of the {} peak of {}, {:.0f} {}{}.",
                                       100 * share->share, share->peak.unit,
                                       advice.accelerator->name, share->peak.rate, share->peak.rate_unit(),
                                       in_brackets(share->share, advice.measured.workload)),
                           0, width)
               : "";
}

std::string recommendations_part(const advisor::HardwareAdvice& advice, const ExplanationOptions& options) {
  const auto width = options.width;
  std::string text = wrap(fmt::format("2. Recommendations for {}: measured, then published, then predicted",
                                      advice.selection.asked.text()), 3, width) + "\n";
  text += own_lines(advice, width) + unheeded_lines(advice, width);
  if (!advice.measured.recommendations.empty() || !advice.measured.failed.empty())
    text += "\n" + analysis::table(advice.measured, options.rows, options.colour, width) + peak_line(advice, width);
  else
    text += paragraph(fmt::format("No measurement of {} on {} with stackx in this store.",
                                  advice.selection.asked.text(), advice.selection.hw), 3, width);
  if (!advice.published.groups.empty() || advice.published.without_stack > 0 || !advice.published.notes.empty())
    text += "\n" + analysis::table(advice.published, {3, options.rows, options.colour, width});
  if (auto predicted = predicted_table(advice, width); !predicted.empty()) text += "\n" + predicted;
  return text + cost_lines(advice, width);
}

void append_sources(std::string& text, const std::vector<std::string>& sources, std::size_t width) {
  for (const auto& source : sources) text += paragraph(source, 6, width);
}

// Where the catalogs have it from: the hardware, the newest valid versions, and those that are out.
std::string explained_space(const advisor::HardwareAdvice& advice, std::size_t width) {
  if (!advice.space) return "";
  std::string text = "What is valid rests on\n";
  if (advice.accelerator) {
    text += fmt::format("  {}: capability, memory, bandwidth, peaks\n", advice.accelerator->name);
    append_sources(text, advice.accelerator->sources, width);
  }
  for (const auto& row : advice.space->newest()) {
    const auto* component = advice.space->catalog().find(row.component);
    for (const auto& version : {row.version, row.first_out}) {
      const auto* entry = component->find(version);
      if (!entry) continue;
      text += fmt::format("  {} {}\n", row.component, version);
      append_sources(text, entry->sources.empty() ? component->sources : entry->sources, width);
    }
  }
  return text + "\n";
}

std::string explained(const advisor::HardwareAdvice& advice, const ExplanationOptions& options) {
  const auto width = options.width;
  std::string text = explained_space(advice, width) + "What the recommendations rest on\n";
  for (const auto& row : advice.measured.recommendations) {
    std::string line = fmt::format("{} ({}): {} inspections of", row.stack.short_id(), row.evidence, row.inspections);
    for (const auto& campaign : row.sources)
      line += campaign.empty() ? " single inspections" : " campaign " + campaign.substr(0, 12);
    text += analysis::hanging(line + "; `stackx export --campaign ID` prints the documents", 2, width);
  }
  if (!advice.published.groups.empty())
    text += analysis::explain(advice.published, {3, options.rows, options.colour, width});
  for (const auto& row : advice.predicted.rows) {
    text += paragraph(fmt::format("predicted, {}:", row.workload.text()), 2, width);
    for (const auto& basis : row.prediction.basis)
      text += fmt::format("    {:4.1f}%  {}  {} GFLOP/s on {}\n           {}\n", 100 * basis.share,
                          basis.observation.evidence.substr(0, 12),
                          analysis::number(basis.observation.rate),
                          basis.observation.accelerator->name, basis.observation.source);
  }
  return text;
}

std::string with_option(const ExplanationOptions& options, const std::string& more) {
  return fmt::format("stackx advise{} {}", options.command, more);
}

std::string unknown_part(const advisor::NotKnown& open, const ExplanationOptions& options) {
  if (open.lines.empty()) return "3. Not known\n   Nothing that another campaign would settle.\n";
  const auto width = options.width;
  std::string text = "3. Not known\n";
  for (const auto& line : open.lines) text += paragraph(line, 3, width);
  if (open.candidates.empty())
    return text + paragraph("To settle it, measure there: `stackx inspect PROJECT`.", 3, width);
  const auto arms = open.candidates.size();
  text += paragraph(
      fmt::format("To settle it, there: `stackx inspect settle.json`, {} in {}, for differences of {} "
                  "at a CV of {:.1f}% ({}). The file: `{}`",
                  counted(arms, "stack"),
                  open.rounds > 0 ? counted(open.rounds, "round") : "no campaign that can be written",
                  fmt::format("{:g}%", 100 * open.effect),
                  100 * open.spread.cv, open.spread.from, with_option(options, "--settle settle.json")),
      3, width);
  return text;
}

}  // namespace

std::string explanation(const advisor::HardwareAdvice& known, const advisor::NotKnown& open,
                        const ExplanationOptions& options) {
  if (known.impossible) return impossible_part(known, options.width);
  return valid_part(known, options.width) + "\n" + recommendations_part(known, options) + "\n" + explained(known, options) + "\n" +
         unknown_part(open, options);
}

}  // namespace stackx::cli
