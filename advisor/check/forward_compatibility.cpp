#include "advisor/check/forward_compatibility.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/check/world/python_world.hpp"
#include "specs/catalog/driver.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {

std::optional<std::string> compat_release(const Knowledge& knowledge, const Question& question, const specs::GpuBuild& build) {
  if (question.driver.empty() || !question.gpu || !question.gpu->data_center || build.vendor() != "nvidia") return std::nullopt;
  if (build.cuda.empty() || build.cuda == "any" || build.for_cpus()) return std::nullopt;
  const auto reach = build.reach(question.gpu->compute_capability);
  const auto least = knowledge.drivers().least(build.cuda, reach);
  if (reach == specs::GpuBuild::Reach::none || !least || !specs::is_newer(*least, specs::newest_of_branch(question.driver))) return std::nullopt;
  return knowledge.drivers().compat_for(build.cuda, reach, specs::major_release(question.driver));
}

std::string compat_package(std::string release) {
  std::ranges::replace(release, '.', '-');
  return "cuda-compat-" + release;
}

// One release for all that is chosen: that of the newest CUDA in it.
std::string forward_compatibility(const Knowledge& knowledge, const Question& question, const specs::Stack& chosen) {
  std::string release;
  for (const auto& [name, version] : chosen.components) {
    if (is_given(name) || name.contains('+') || !knowledge.package(name)) continue;
    const auto build = knowledge.about(name, specs::pep440_version(version), "", question.machine).built_for;
    const auto one = build ? compat_release(knowledge, question, *build) : std::nullopt;
    if (one && (release.empty() || specs::is_newer(*one, release))) release = *one;
  }
  if (release.empty()) return "";
  return fmt::format("NVIDIA's forward compatibility: with the package {0} driver R{1} runs it on data-center GPUs; if that is installed, "
                     "ask with {0}",
                     compat_package(release), specs::major_release(question.driver));
}

}  // namespace stackx::advisor
