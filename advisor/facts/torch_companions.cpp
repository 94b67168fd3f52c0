#include "advisor/facts/torch_companions.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "advisor/facts/wheel_machines.hpp"
#include "specs/python/pep508.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

using specs::PackageRelease;

struct OnTorch {
  std::size_t at;        // among what the release requires
  std::string exactly;   // "2.1.0"; "": a range
  specs::Dependency is;
};

std::optional<OnTorch> required_torch(const PackageRelease& release) {
  if (!release.requires_) return std::nullopt;
  for (std::size_t at = 0; at < release.requires_->size(); ++at)
    if (auto parsed = specs::parse_dependency((*release.requires_)[at]); parsed && parsed->name == "torch")
      return OnTorch{at, specs::single_version(parsed->versions), *parsed};
  return std::nullopt;
}

struct TorchBuild {
  const PackageRelease* release;
  specs::Version released;  // 2.1.0 of 2.1.0+cu118
  std::string label;
};

std::vector<TorchBuild> builds_of(const specs::Package& torch) {
  std::vector<TorchBuild> builds;
  for (const auto& one : torch.releases)
    if (const auto& text = one.version.text(); specs::is_local(text))
      builds.push_back({&one, specs::pep440_version(specs::public_version(text)), specs::local_label(text)});
  return builds;
}

// torch has a build for another CUDA on fewer machines.
void keep_machines_of(const PackageRelease& torch, PackageRelease& build) {
  std::vector<std::string> machines;
  for (const char* machine : {"x86_64", "aarch64", "ppc64le", "s390x"})
    if (std::ranges::any_of(torch.wheels, [&](const auto& tags) { return is_for_machine(tags, {machine}); })) machines.emplace_back(machine);
  std::erase_if(build.wheels, [&](const auto& tags) { return !is_for_machine(tags, machines); });
}

}  // namespace

bool is_torch_companion(const std::string& name) { return name != "torch" && is_of_pytorch(name); }
bool is_of_pytorch(const std::string& name) { return std::ranges::find(of_pytorch, name) != std::end(of_pytorch); }
bool is_on_pytorch_indexes(const std::string& name) { return is_of_pytorch(name) || name == "xformers"; }

std::vector<PackageRelease> companion_builds(const specs::Package& companion, const specs::Package& torch) {
  const auto of_torch = builds_of(torch);
  std::vector<PackageRelease> builds;
  for (const auto& plain : companion.releases) {
    if (companion.name == "torchaudio" && plain.version < specs::pep440_version("0.10")) continue;  // had one build for all
    const auto on = specs::is_local(plain.version.text()) ? std::nullopt : required_torch(plain);
    if (!on) continue;
    std::set<std::string> labels;  // of a range several releases of torch have one
    for (const auto& one : of_torch) {
      if (!on->is.versions.contains(one.released) || !labels.insert(one.label).second) continue;
      auto build = plain;
      build.version = specs::pep440_version(plain.version.text() + "+" + one.label);
      build.yanked = build.source = false;
      if (!on->exactly.empty()) (*build.requires_)[on->at] = "torch==" + one.release->version.text();
      keep_machines_of(*one.release, build);
      if (!companion.find(build.version) && !build.wheels.empty()) builds.push_back(std::move(build));
    }
  }
  return builds;
}

}  // namespace stackx::advisor
