// For black-box tests: the recipe of a project's latest stack, or the campaign that would settle its latest two.
//
//   write_recipe FORMAT PROJECT DATA      FORMAT as in advisor/recipes/recipe.hpp, or "settling"
//   write_recipe answers DIRECTORY DATA   the answers of answers.hpp: DIRECTORY/<answer>/<format>, of a refused format
//                                         what is said as <format>.refused; install-line; python: the Python it is for
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "advisor/recipes/install_line.hpp"
#include "advisor/recipes/recipe.hpp"
#include "advisor/settling_campaign.hpp"
#include "inspector/machine/host.hpp"
#include "resolver/resolver.hpp"
#include "specs/error.hpp"
#include "specs/hardware/accelerator.hpp"
#include "specs/project/project.hpp"
#include "tests/advisor/recipes/answers.hpp"

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

void write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

void write_answers(const std::filesystem::path& directory, const std::string& data) {
  const auto gpus = specs::load_accelerators(data);
  const specs::Catalog none;
  const specs::Stack stack;
  for (const auto& [name, answer] : tests::pinned_answers()) {
    const auto place = directory / name;
    std::filesystem::create_directories(place);
    specs::Workload workload{answer.pi, {{"dtype", "float32"}, {"threads", "1"}, {"repetitions", "3"}}};
    if (answer.pi == "matmul") workload.params.insert({{"m", "64"}, {"n", "64"}, {"k", "64"}});
    advisor::Recipe recipe{stack, workload, none, answer.model.empty() ? "epyc" : answer.model,
                           answer.model.empty() ? nullptr : gpus.identify(answer.model), {"evidence: none, a test"}};
    recipe.pinned = &answer.pinned;
    for (const auto& format : advisor::recipe_formats()) try {
        write_file(place / format, advisor::write_recipe(*advisor::recipe_format_from(format), recipe));
      } catch (const Error& error) {
        write_file(place / (format + ".refused"), error.what());
      }
    write_file(place / "install-line", advisor::install_line(answer.pinned) + "\n");
    write_file(place / "python", answer.pinned.python + "\n");
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  try {
    if (std::string(words[1]) == "answers") return write_answers(words[2], words[3]), 0;
    std::fputs(answer(words[1], words[2], words[3]).c_str(), stdout);
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.code());
  }
}
