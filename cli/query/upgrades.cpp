#include "cli/query/upgrades.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <vector>

#include "analysis/published/upgrades.hpp"
#include "cli/output/print.hpp"
#include "specs/error.hpp"
#include "specs/format/nearest.hpp"
#include "specs/hardware/name.hpp"
#include "workspace/output.hpp"
#include "workspace/seeds.hpp"
#include "workspace/this_machine.hpp"

namespace stackx::cli {
namespace {

// Results on what --hw names: a model, an architecture as the answer shows it, or words of a name.
class AskedKind {
 public:
  AskedKind(std::string name, const specs::Accelerators& accelerators, const specs::Processors& processors)
      : name_(std::move(name)), accelerators_(accelerators), processors_(processors),
        models_(accelerators.named(name_)) {}

  bool has(const std::string& hardware) const {
    if (specs::names_hardware(name_, hardware)) return true;
    if (const auto* gpu = accelerators_.identify(hardware))
      return std::ranges::find(models_, gpu) != models_.end() || gpu->architecture == name_;
    const auto* cpu = processors_.identify(hardware);
    return cpu && cpu->microarchitecture == name_;
  }

 private:
  std::string name_;
  const specs::Accelerators& accelerators_;
  const specs::Processors& processors_;
  std::vector<const specs::Accelerator*> models_;
};

std::vector<specs::Published> asked_results(const UpgradesQuestion& question, const std::string& hw,
                                            const specs::Accelerators& accelerators,
                                            const specs::Processors& processors, const Globals& globals) {
  store::PublishedFilter filter;
  if (!question.workload.empty()) filter.workload = specs::parse_workload(question.workload);
  auto results = (filter.workload ? workspace::open_with_seeds(globals, filter.workload->pi)
                                  : workspace::open_with_seeds(globals))
                     .published(filter);
  if (hw.empty()) return results;
  const AskedKind kind(hw, accelerators, processors);
  std::map<std::string, bool> meant;  // by spelling
  std::erase_if(results, [&](const specs::Published& result) {
    const auto [known, fresh] = meant.try_emplace(result.hardware);
    if (fresh) known->second = kind.has(result.hardware);
    return !known->second;
  });
  return results;
}

void keep_component(std::vector<specs::Upgrade>& upgrades, const std::string& component) {
  std::vector<std::string> known;
  for (const auto& upgrade : upgrades)
    if (known.empty() || known.back() != upgrade.component) known.push_back(upgrade.component);
  std::erase_if(upgrades, [&](const auto& upgrade) { return upgrade.component != component; });
  if (!upgrades.empty() || known.empty()) return;
  std::string names;
  for (const auto& name : known) names += (names.empty() ? "" : ", ") + name;
  throw bad_input(fmt::format("query upgrades: --component {}: nobody published two versions of it, everything else "
                              "equal{}; there are {}",
                              component, specs::suggestion(component, known), names));
}

}  // namespace

void query_upgrades(const UpgradesQuestion& question, Globals& globals) {
  const auto accelerators = specs::load_accelerators(globals.data_directory());
  const auto processors = specs::load_processors(globals.data_directory());
  const std::string hw =
      question.hw == "host" ? workspace::this_machine(globals).cpu.microarchitecture : question.hw;
  auto upgrades = analysis::upgrades(asked_results(question, hw, accelerators, processors, globals),
                                     accelerators, processors);
  if (!question.component.empty()) keep_component(upgrades, question.component);
  if (upgrades.empty()) globals.exit_code = 1;
  if (globals.json || question.format == "json") return workspace::write_out(specs::upgrades_text(upgrades));
  const std::string about = (question.workload.empty() ? "" : " for " + question.workload) +
                            (hw.empty() ? "" : " on " + hw);
  const auto answer = analysis::upgrades_answer(upgrades, question.component, about, question.limit);
  workspace::write_out(question.format == "csv" ? analysis::csv(answer)
                                                : analysis::table(answer, stdout_is_terminal(), output_width()));
}

}  // namespace stackx::cli
