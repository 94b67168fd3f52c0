#include "advisor/facts/system_libraries.hpp"

#include <fmt/format.h>

#include "specs/version/version_text.hpp"

namespace stackx::advisor {

SystemLibraries loaded_from_system(const specs::Fact& fact, const std::string& name, const specs::Stack& chosen) {
  if (chosen.components.contains(name + "+and-cuda") || chosen.components.contains(name + "+ctk")) return {};
  auto libraries = fact.system;
  std::erase_if(libraries, [&](const auto& one) { return chosen.components.contains(name + "+" + one.first); });
  return libraries;
}

std::optional<std::string> first_cudnn(const Knowledge& knowledge, const SystemLibraries& libraries, const std::string& compute_capability,
                                       const std::string& machine) {
  const auto cuda = libraries.find("cuda"), cudnn = libraries.find("cudnn");
  if (cuda == libraries.end() || cudnn == libraries.end()) return std::nullopt;
  const auto* package = knowledge.package("nvidia-cudnn-cu" + specs::major_release(cuda->second));
  if (!package) return std::nullopt;
  const auto range = specs::range_or_any(fmt::format(">={},=={}.*", cudnn->second, specs::major_release(cudnn->second)));
  bool lacking = false;
  for (const auto& release : package->releases) {
    if (!range.contains(release.version)) continue;
    const auto one = knowledge.about(package->name, release.version, "", machine);
    if (!one.built_for || !one.built_for->known()) continue;
    if (one.built_for->reach(compute_capability) != specs::GpuBuild::Reach::none)
      return lacking ? specs::minor_release(release.version.text()) : cudnn->second;
    lacking = true;
  }
  return lacking ? std::optional<std::string>("") : std::nullopt;
}

SystemLibraries with_code_for(const Knowledge& knowledge, SystemLibraries libraries, const std::string& compute_capability,
                              const std::string& machine) {
  const auto cudnn = first_cudnn(knowledge, libraries, compute_capability, machine);
  if (cudnn && !cudnn->empty()) libraries["cudnn"] = *cudnn;
  const auto cuda = libraries.find("cuda");
  if (cuda == libraries.end()) return libraries;  // of most packages: asked for each release of each
  const auto first = knowledge.drivers().first_toolkit(compute_capability);
  if (first && specs::major_release(*first) == specs::major_release(cuda->second) &&
      specs::is_newer(*first, cuda->second))
    cuda->second = *first;
  return libraries;
}

std::string library_in_words(const std::string& library) {
  return library == "cuda" ? "CUDA" : library == "cudnn" ? "cuDNN" : library == "rocm" ? "ROCm" : library;
}

std::string in_words(const SystemLibraries& libraries) {
  std::string words;
  for (const auto& [library, version] : libraries) words += (words.empty() ? "" : " and ") + library_in_words(library) + " " + version;
  return words;
}

}  // namespace stackx::advisor
