#include "campaigns/downloads.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "campaigns/release_stacks.hpp"
#include "inspector/environment/stack_python.hpp"
#include "inspector/gpu_requirements.hpp"
#include "specs/python/build_index.hpp"
#include "specs/python/wheel_target.hpp"
#include "specs/version/version_text.hpp"
#include "workspace/words.hpp"

namespace stackx::campaigns {
namespace {

using Wanted = std::function<bool(const std::string& component)>;

Downloads counted_wheels(const specs::Plan& plan, const specs::Catalog& catalog, const Wanted& wanted) {
  std::set<std::string> seen;
  Downloads all;
  const auto add = [&](const specs::Artifact& artifact) {
    if (!seen.insert(artifact.sha256).second) return;
    ++all.files;
    all.bytes += artifact.size;
    all.sized = all.sized && artifact.size > 0;
  };
  for (const auto& arm : plan.arms) {
    const auto python = arm.stack.components.find("python");
    for (const auto& [name, version] : arm.stack.components) {
      const auto* entry = wanted(name) ? catalog.find(name, version) : nullptr;
      if (entry == nullptr) continue;
      if (python != arm.stack.components.end()) {
        const specs::Target target(python->second, "linux x86_64");
        if (const auto* chosen = inspector::choose(entry->artifacts, target)) add(*chosen);
        continue;
      }
      for (const auto& artifact : entry->artifacts)
        if (artifact.type == specs::ArtifactType::wheel) add(artifact);
    }
  }
  return all;
}

// NVIDIA's libraries, as wheels name them.
bool is_of_cuda(const std::string& component) {
  return component.starts_with("nvidia-") || component.starts_with("cuda-") || component.starts_with("jax-cuda");
}

// PyTorch's release for processors of a version that is none: "2.15.0+cpu" of 2.15.0 and of 2.15.0+cu126.
std::optional<std::string> for_processors(const specs::Stack& stack) {
  const auto torch = stack.components.find("torch");
  if (torch == stack.components.end()) return std::nullopt;
  return specs::public_version(torch->second) + "+cpu";
}

// What else than PyTorch's own is asked for: its index has no other packages to speak of.
bool asks_for_others(const specs::Project& project) {
  return std::ranges::any_of(project.requires_, [](const auto& one) {
    return asks_for_releases(one) && !specs::build_index(one.component, "1+cpu");
  });
}

std::string instead_of_cuda(const specs::Stack& stack, const specs::Project& project) {
  if (const auto version = for_processors(stack)) {
    const auto url = specs::build_index("torch", *version)->url;
    if (!asks_for_others(project)) return fmt::format("PyTorch's builds for processors do here: add --index-url {}", url);
    return fmt::format("PyTorch's builds for processors do here: ask for such (torch=={}), with PIP_EXTRA_INDEX_URL={}", *version, url);
  }
  std::vector<std::string> extras;  // "jax[cuda12]" of the component jax+cuda12
  for (const auto& one : project.requires_)
    if (const auto plus = one.component.find('+'); plus != std::string::npos)
      extras.push_back(fmt::format("{}[{}]", one.component.substr(0, plus), one.component.substr(plus + 1)));
  if (extras.empty()) return "a build without them would do, if there is one";
  return fmt::format("what brings them can be left out: {}", fmt::join(extras, ", "));
}

}  // namespace

std::string Downloads::text() const {
  return workspace::counted(files, "wheel") + (sized ? " of " + workspace::bytes(static_cast<double>(bytes)) : "");
}

Downloads downloads(const specs::Plan& plan, const specs::Catalog& catalog) {
  return counted_wheels(plan, catalog, [](const auto&) { return true; });
}

OfNoUse without_gpu(const specs::Plan& plan, const Job& job) {
  constexpr std::uint64_t much = 1'000'000'000;
  const auto& loaded = job.loaded;
  if (!job.of_releases || loaded.device) return {};
  const auto arm = std::ranges::find_if(plan.arms, [&](const specs::Arm& one) {
    return !inspector::uses_gpu(one.stack, one.workload, loaded.catalog) &&
           std::ranges::any_of(one.stack.components, [](const auto& component) { return is_of_cuda(component.first); });
  });
  if (arm == plan.arms.end()) return {};
  const auto cuda = counted_wheels(plan, loaded.catalog, is_of_cuda);
  return {fmt::format("No GPU is to be seen on this machine: of {}, {} are CUDA's libraries, of no use here; {}",
                      downloads(plan, loaded.catalog).text(), cuda.text(), instead_of_cuda(arm->stack, loaded.project)),
          cuda.bytes >= much};
}

}  // namespace stackx::campaigns
