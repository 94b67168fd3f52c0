#include "cli/advice_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/text_table.hpp"
#include "cli/load.hpp"

namespace stackx::cli {
namespace {

using analysis::split;
using analysis::wrap;

std::string plural(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string paragraph(const std::string& text, std::size_t indent) {
  return std::string(indent, ' ') + wrap(split(text), indent, "") + "\n";
}

std::string figure(const std::optional<double>& value, const char* unit) {
  return value ? fmt::format(", {:g} {}", *value, unit) : "";
}

std::string accelerator_line(const HardwareAdvice& advice) {
  const auto& model = *advice.accelerator;
  std::string text = fmt::format("{} is taken for {} ({}: {}{}{}{}{})", advice.selection.hw,
                                 model.name, model.title, model.architecture,
                                 model.compute_capability.empty()
                                     ? ""
                                     : ", compute capability " + model.compute_capability,
                                 figure(model.memory_gb, "GB"), figure(model.bandwidth_gb_s, "GB/s"),
                                 figure(model.tdp_w, "W"));
  if (const auto others = advice.selection.hardware.models.size() - 1; others > 0)
    text += fmt::format("; {} more of that name: `stackx hw show {}`", plural(others, "model"),
                        advice.selection.hw);
  return text;
}

std::string newest_table(const std::vector<NewestVersion>& newest) {
  std::vector<analysis::Column> columns{
      {"component", false, {}}, {"newest valid", false, {}}, {"newer, out", false, {}}};
  for (const auto& row : newest) {
    columns[0].cells.push_back(row.component);
    columns[1].cells.push_back(row.version.empty() ? "none" : row.version);
    columns[2].cells.push_back(
        row.newer == 0 ? "-" : fmt::format("{} from {}", row.newer, row.first_out));
  }
  const auto widths = analysis::widths_of(columns);
  std::size_t indent = 3;
  for (const auto width : widths) indent += width + analysis::gap.size();
  std::string text = "   " + analysis::titles(columns, widths) + std::string(analysis::gap) + "because\n";
  for (std::size_t i = 0; i < newest.size(); ++i) {
    std::string line = "   ";
    for (std::size_t c = 0; c < columns.size(); ++c)
      line += columns[c].cell(i, widths[c]) + std::string(analysis::gap);
    line += wrap(split(newest[i].why), indent, "");
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string valid_part(const HardwareAdvice& advice) {
  const std::string heading = fmt::format("1. Valid on {}", advice.selection.hw);
  if (!advice.space) return heading + ": " + advice.no_space + "\n";
  std::vector<std::string> names;
  for (const auto& component : advice.space->resolver().components()) names.push_back(component.name);
  std::string text = wrap(
      split(fmt::format("{}: {} stacks, out of {} combinations of {}", heading,
                        grouped(advice.space->count()),
                        grouped(advice.space->resolver().raw_combinations()),
                        fmt::join(names, ", "))),
      3, "") + "\n";
  if (advice.accelerator) text += paragraph(accelerator_line(advice), 3);
  return text + newest_table(advice.space->newest());
}

std::string impossible_part(const HardwareAdvice& advice) {
  std::string text = fmt::format("1. Valid on {}: no stack.\n{}\n", advice.selection.hw,
                                 advice.impossible->text());
  if (advice.nearest_that_works.empty()) return text;
  text += "The nearest that works:\n";
  for (const auto& line : advice.nearest_that_works) text += "  " + wrap(split(line), 2, "") + "\n";
  return text;
}

std::string named(const std::map<std::string, std::string>& components) {
  std::vector<std::string> words;
  for (const auto& [name, version] : components) words.push_back(name + " " + version);
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string differences(const NearestStack& nearest) {
  std::string text;
  for (const auto& [name, versions] : nearest.differs)
    text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", name, versions.first,
                        versions.second.empty() ? "none" : versions.second);
  return text;
}

std::string own_lines(const HardwareAdvice& advice) {
  if (!advice.own) return "";
  const auto& own = *advice.own;
  std::string text = paragraph(
      fmt::format("Your stack ({}): {}", own.file.string(), named(own.named.components)), 3);
  text += paragraph(
      advice.own_valid->differs.empty()
          ? fmt::format("valid here, as {}", named(advice.own_valid->stack.components))
          : fmt::format("NOT valid here as it is; the nearest valid stack changes {}",
                        differences(*advice.own_valid)),
      3);
  return text;
}

std::string recommendations_part(const HardwareAdvice& advice, const AdviceTextOptions& options) {
  std::string text = fmt::format("2. Recommendations for {} (measured, then published, then predicted)\n",
                                 advice.selection.asked.text());
  text += own_lines(advice);
  if (!advice.measured.recommendations.empty() || !advice.measured.failed.empty())
    text += "\n" + analysis::table(advice.measured, options.rows, options.colour);
  else
    text += paragraph("Nothing measured with stackx on it yet.", 3);
  if (!advice.published.groups.empty())
    text += "\n" + analysis::table(advice.published, {3, options.rows, options.colour});
  return text;
}

}  // namespace

std::string advice_text(const HardwareAdvice& advice, const AdviceTextOptions& options) {
  if (advice.impossible) return impossible_part(advice);
  std::string text = valid_part(advice) + "\n" + recommendations_part(advice, options);
  if (options.explain && !advice.published.groups.empty())
    text += "\n" + analysis::explain(advice.published, {3, options.rows, options.colour});
  return text;
}

}  // namespace stackx::cli
