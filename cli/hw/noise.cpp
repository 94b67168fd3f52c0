#include "cli/hw/noise.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/text/table.hpp"
#include "cli/output/print.hpp"
#include "specs/format/printable.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {
namespace {

constexpr std::size_t found_column = 34, advice_column = found_column + 3;

// "as root: echo madvise > ...": the command in a line of its own where both do not fit in one.
std::string noise_advice(const std::string& advice, std::size_t width) {
  const auto colon = advice.starts_with("as root") ? advice.find(": ") : advice.npos;
  if (colon == advice.npos || advice_column + advice.size() <= width) return analysis::wrap(advice, advice_column, width);
  return fmt::format("{}\n{:>{}}{}", analysis::wrap(advice.substr(0, colon + 1), advice_column, width), "", advice_column,
                     specs::printable(advice.substr(colon + 2)));
}

}  // namespace

std::string noise_text(const inspector::NoiseReport& report, std::size_t width) {
  std::string text;
  for (const auto& finding : report.findings) {
    text += fmt::format("{:<8} {:<24} {}\n", to_string(finding.verdict), finding.what,
                        analysis::wrap(finding.found, found_column, width));
    if (!finding.advice.empty()) text += fmt::format("{:>{}}-> {}\n", "", found_column, noise_advice(finding.advice, width));
  }
  return text + inspector::tally(report) + "\n";
}

void add_hw_noise(Command hw, Globals& globals) {
  auto threads = std::make_shared<std::size_t>(1);
  const auto command = hw.add_subcommand(
      "noise", "What on this machine makes measurements noisy now, and what to change");
  command.add_option("--threads", *threads, "Threads of the inspections to come (0: all processors)")
      .type_name("N")
      .show_default();
  command.callback([threads, &globals] {
    const auto report = inspector::look_for_noise(*threads);
    if (globals.json)
      print_json(inspector::to_json(report));
    else
      workspace::write_out(noise_text(report, output_width(analysis::unfolded)));
  });
}

}  // namespace stackx::cli
