#include "advisor/facts/cuda_drivers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "specs/catalog/driver.hpp"
#include "specs/format/listed.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

using specs::is_newer;

// From the first toolkit that has its target on; where nobody says what a later one's compiler knows, that counts.
bool has_toolkit_for(const Knowledge& knowledge, const std::string& cuda, const DriverSpan& gpu) {
  const auto first = knowledge.drivers().first_toolkit(gpu.compute_capability);
  if (first && is_newer(*first, cuda)) return false;
  const auto build = knowledge.about("cuda-toolkit", specs::pep440_version(cuda)).built_for;
  return gpu.compute_capability.empty() || !build || build->reach(gpu.compute_capability) != specs::GpuBuild::Reach::none;
}

// A major release, as one of the GPUs sees it.
struct Use {
  const DriverSpan* gpu;
  std::string first;  // its first release with code for it
};

std::vector<Use> uses_of(const Knowledge& knowledge, const std::vector<std::string>& releases, const std::vector<DriverSpan>& gpus) {
  std::vector<Use> uses;
  for (const auto& gpu : gpus) {
    const auto first = std::ranges::find_if(releases, [&](const auto& cuda) { return has_toolkit_for(knowledge, cuda, gpu); });
    if (first != releases.end()) uses.push_back({&gpu, *first});
  }
  return uses;
}

// " (from 12.8 on)"; of several GPUs that differ " (for B200 from 12.8 on)", " (not for B200)".
std::string which_of(const std::vector<Use>& uses, const std::string& oldest, const std::vector<DriverSpan>& gpus) {
  const auto is_first = [&](const Use& use) { return use.first == uses.front().first; };
  if (uses.size() == gpus.size() && std::ranges::all_of(uses, is_first))
    return uses.front().first == oldest ? "" : fmt::format(" (from {} on)", uses.front().first);
  std::vector<std::pair<std::string, std::vector<std::string>>> from;  // in the order of the GPUs
  std::vector<std::string> without, parts;
  for (const auto& gpu : gpus) {
    const auto use = std::ranges::find(uses, &gpu, &Use::gpu);
    if (use == uses.end()) without.push_back(gpu.gpu);
    if (use == uses.end() || use->first == oldest) continue;
    auto at = std::ranges::find(from, use->first, [](const auto& one) { return one.first; });
    if (at == from.end()) at = from.insert(from.end(), {use->first, {}});
    at->second.push_back(gpu.gpu);
  }
  for (const auto& [first, names] : from) parts.push_back(fmt::format("for {} from {} on", specs::listed(names), first));
  if (!without.empty()) parts.push_back(fmt::format("not for {}", specs::listed(without, "or")));
  return fmt::format(" ({})", fmt::join(parts, "; "));
}

std::vector<std::string> compatible_branches(const specs::DriverFacts& drivers, const std::vector<Use>& uses) {
  if (!std::ranges::all_of(uses, [](const auto& use) { return use.gpu->data_center; })) return {};
  auto branches = drivers.compatible_branches(uses.front().first);
  std::erase_if(branches, [&](const auto& branch) {  // that drives all of them, and runs what each needs
    return !std::ranges::all_of(uses, [&](const auto& use) {
      const auto runs = drivers.compatible_branches(use.first);
      return use.gpu->holds(branch) && std::ranges::find(runs, branch) != runs.end();
    });
  });
  std::ranges::sort(branches, [](const auto& a, const auto& b) { return is_newer(b, a); });
  return branches;
}

}  // namespace

std::vector<std::string> drivers_of_cuda(const Knowledge& knowledge, const std::vector<DriverSpan>& gpus) {
  const auto& drivers = knowledge.drivers();
  std::vector<std::string> needs;
  for (int major = 11;; ++major) {  // minor-version compatibility begins with 11, its rule with 11.1
    auto least = drivers.least(fmt::format("{}.1", major), specs::GpuBuild::Reach::cubin);
    if (!least) return needs;
    auto releases = drivers.toolkits();
    std::erase_if(releases, [&](const auto& cuda) { return specs::major_release(cuda) != std::to_string(major); });
    if (releases.empty()) releases = {fmt::format("{}.0", major)};
    const auto uses = uses_of(knowledge, releases, gpus);
    if (uses.empty()) continue;
    for (const auto& use : uses)
      if (is_newer(use.gpu->since, *least)) least = use.gpu->since;  // an older one does not know the GPU
    needs.push_back(fmt::format("CUDA {}{} needs driver >={}", major, which_of(uses, releases.front(), gpus), *least));
    if (const auto branches = compatible_branches(drivers, uses); !branches.empty())
      needs.back() += fmt::format("; on data-center GPUs with NVIDIA's package cuda-compat branch {} will do", specs::listed(branches, "or"));
  }
}

std::string no_such_cuda(const specs::DriverFacts& drivers, const std::string& cuda) {
  const auto known = drivers.toolkits();
  const auto asked = specs::minor_release(cuda);
  std::string below, above;
  for (const auto& one : known) {
    if (one == asked || specs::major_release(one) == asked) return "";
    if (is_newer(asked, one)) below = one;
    if (above.empty() && is_newer(one, asked)) above = one;
  }
  if (below.empty() && above.empty()) return "";
  if (above.empty()) return fmt::format("no CUDA {} is known; the newest is {}", cuda, below);
  if (below.empty()) return fmt::format("no CUDA {} is known; the oldest is {}", cuda, above);
  return fmt::format("there is no CUDA {}; known are {} and {}", cuda, below, above);
}

}  // namespace stackx::advisor
