#include "cli/advise/headlines.hpp"

#include <fmt/format.h>

#include <set>

#include "advisor/recipes/quoting.hpp"
#include "advisor/selection.hpp"
#include "cli/output/print.hpp"
#include "workspace/this_machine.hpp"

namespace stackx::cli {
namespace {

constexpr std::size_t rows_of_advise = 10, most_rows_of_advise = 25;

}  // namespace

std::vector<Said> headlines(const specs::Plan& plan, const std::string& hw, const workspace::Context& context) {
  std::vector<Said> result;
  const auto host = workspace::this_machine(context);
  const auto accelerators = specs::load_accelerators(context.data_directory());
  std::set<specs::Workload> seen;
  std::set<specs::Stack> planned;
  for (const auto& arm : plan.arms) planned.insert(arm.stack);
  for (const auto& arm : plan.arms) {
    if (!seen.insert(arm.workload).second) continue;
    advisor::SelectionOptions asked;
    asked.hw = hw;
    asked.workload = arm.workload.text();
    asked.pi = arm.workload.program;
    asked.stacks = {rows_of_advise, most_rows_of_advise};
    auto selection = select(asked, host, accelerators, context);
    // Of its own stacks what other campaigns measured counts, too; beside another one's, which shares no round with them, its own alone.
    if (std::ranges::any_of(selection.measurements, [&](const auto& one) { return !planned.contains(one.stack); })) {
      asked.campaign = plan.id;
      selection = select(asked, host, accelerators, context);
    }
    if (selection.measurements.empty()) continue;
    analysis::Options options;
    options.this_host = selection.this_host;
    options.races = selection.races;
    options.population = selection.population;
    options.drift = false;
    auto ranking = analysis::rank(selection.measurements, selection.asked, options);
    selection.complete(ranking);
    result.push_back({arm.workload, analysis::headline(ranking, selection.hw)});
  }
  return result;
}

void print_headline(const analysis::Headline& headline, const std::string& of) {
  print_paragraph(of + headline.line);
  for (const auto& line : headline.context) print_paragraph(line);
  for (const auto& line : headline.cautions) print_paragraph(line);
}

std::string next_command(const std::vector<Said>& said, const std::string& hw, const specs::Plan& plan) {
  if (said.empty() || said.front().headline.verdict == "FAILED") return "";
  return fmt::format("stackx advise {}{}", advisor::selecting(hw, said.front().workload.text()),
                     plan.program ? " --pi " + advisor::shell_quoted(plan.program->path) : "");
}

}  // namespace stackx::cli
