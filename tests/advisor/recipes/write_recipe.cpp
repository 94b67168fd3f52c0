// For black-box tests: the recipe of a project's latest stack, or the campaign that would settle its latest two.
//
//   write_recipe FORMAT PROJECT DATA      FORMAT as in advisor/recipes/recipe.hpp, or "settling"
#include <cstdio>
#include <nlohmann/json.hpp>

#include "advisor/recipes/recipe.hpp"
#include "advisor/settling_campaign.hpp"
#include "inspector/machine/host.hpp"
#include "resolver/resolver.hpp"
#include "specs/error.hpp"
#include "specs/hardware/accelerator.hpp"
#include "specs/project/project.hpp"

using namespace stackx;

namespace {

std::string settling(const specs::LoadedProject& loaded, const std::vector<specs::Stack>& stacks) {
  advisor::Settling asked;
  asked.hw = loaded.project.hardware.empty() ? "host" : loaded.project.hardware.begin()->second;
  asked.hardware = loaded.project.hardware;
  asked.workload = loaded.project.workloads.at(0);
  asked.candidates = stacks;
  asked.catalogs = loaded.project.catalogs;
  for (const auto& root : loaded.project.requires_)
    asked.roots[root.component] = root.constraint.text;
  const auto campaign = advisor::settling_campaign(asked, loaded.catalog);
  for (const auto& note : campaign.notes) std::fprintf(stderr, "%s\n", note.c_str());
  return campaign.text;
}

std::string answer(const std::string& format, const std::string& file, const std::string& data) {
  auto loaded = specs::load_project(file, data);
  if (loaded.project.hardware.contains("cpu"))
    resolver::bind_host(loaded.project, loaded.catalog, inspector::detect_host(data));
  const resolver::Resolver resolver(loaded.project, loaded.catalog);
  std::vector<specs::Stack> stacks;
  resolver.best(resolver.lateness(), [&](const resolver::Choice& choice, resolver::Score) {
    stacks.push_back(resolver.stack(choice));
    return stacks.size() < 2;
  });
  if (stacks.empty()) throw bad_input(file + ": no stack");
  if (format == "settling") return settling(loaded, stacks);
  advisor::Recipe recipe{stacks.front(), loaded.project.workloads.at(0), loaded.catalog, "this machine",
                     nullptr,        {"evidence: none, a test"}};
  std::optional<specs::Accelerators> gpus;
  if (const auto at = loaded.project.hardware.find("gpu"); at != loaded.project.hardware.end()) {
    gpus.emplace(*loaded.catalog.find("gpu"));
    recipe.hw = at->second;
    recipe.accelerator = gpus->identify(at->second);
  }
  return advisor::write_recipe(*advisor::recipe_format_from(format), recipe);
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  try {
    std::fputs(answer(words[1], words[2], words[3]).c_str(), stdout);
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.code());
  }
}
