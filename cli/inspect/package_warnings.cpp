#include "cli/inspect/package_warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

#include "advisor/check/asked.hpp"
#include "advisor/check/stack_check.hpp"
#include "advisor/recipes/gpu_build.hpp"
#include "advisor/recipes/stack_packages.hpp"
#include "campaigns/release_stacks.hpp"
#include "specs/hardware/accelerator.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {
namespace {

// "torch 2.15.0"; of a project that asks for what several components provide, the short id.
std::string called(const specs::Stack& stack, const specs::Project& project) {
  std::string name;
  for (const auto& one : project.requires_) {
    const auto found = stack.components.find(one.component);
    if (found == stack.components.end() || !campaigns::asks_for_releases(one)) continue;
    name += fmt::format("{}{} {}", name.empty() ? "" : ", ", found->first, found->second);
  }
  return name.empty() ? "stack " + stack.short_id() : name;
}

}  // namespace

void warn_of_packages(const specs::Plan& plan, const specs::LoadedProject& from, const std::string& gpu, const std::string& driver,
                      const std::vector<std::string>& catalogs, const Globals& globals) {
  const auto accelerators = specs::load_accelerators(globals.data_directory());
  const auto* model = accelerators.identify(gpu);
  if (!model) return;
  const auto knowledge = advisor::load_knowledge(globals, catalogs);
  std::set<std::string> seen;
  std::map<std::string, std::vector<std::string>> refused;  // reason -> stacks
  for (const auto& arm : plan.arms) {
    if (arm.sentinel || !seen.insert(arm.stack.id()).second) continue;
    auto packages = advisor::stack_packages(arm.stack, from.catalog, {});
    advisor::choose_gpu_builds(packages, arm.stack, from.catalog);
    const auto python = arm.stack.components.find("python");
    const auto checked = advisor::check_packages(knowledge, packages, python == arm.stack.components.end() ? "" : python->second,
                                                 advisor::asked_gpu(*model, model->name), driver);
    if (checked && checked->answer == advisor::Answer::no) refused[checked->text].push_back(called(arm.stack, from.project));
  }
  for (const auto& [why, stacks] : refused) workspace::remark("stackx check says no to {}: {}\n", fmt::join(stacks, ", "), why);
}

}  // namespace stackx::cli
