#include "advisor/check/world/demands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advisor/check/world/pythons.hpp"
#include "advisor/facts/frameworks.hpp"
#include "advisor/facts/system_libraries.hpp"
#include "advisor/facts/torch_companions.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {

using specs::GpuBuild;
using specs::PackageRelease;
using specs::Requirement;
using specs::SpecifierSet;
using specs::Version;
using specs::VersionEntry;
using specs::Versioning;

namespace {

// One that nothing meets, told in `words`.
Requirement cannot(const std::string& words) {
  return {"machine", "", {{{*SpecifierSet::parse("==none", Versioning::opaque), {}}}, words}};
}

// manylinux_2_28_x86_64 -> 28; of what says nothing 0.
int glibc_of(const std::string& platform) {
  if (platform.starts_with("manylinux1_")) return 5;
  if (platform.starts_with("manylinux2010_")) return 12;
  if (platform.starts_with("manylinux2014_")) return 17;
  constexpr std::string_view prefix = "manylinux_2_";
  return platform.starts_with(prefix) ? std::atoi(platform.c_str() + prefix.size()) : 0;
}

void add_vendor(const std::string& vendor, VersionEntry& made) {
  made.requires_.push_back({"gpu", "vendor", {{{*SpecifierSet::parse("==" + vendor, Versioning::opaque), {}}}, vendor}});
}

// One of these, where any is stated.
void add_targets(const std::string& attribute, const std::vector<std::string>& targets, VersionEntry& made) {
  if (targets.empty()) return;
  Requirement requirement{"gpu", attribute, {}};
  for (const auto& one : targets)
    requirement.constraint.any.push_back({*SpecifierSet::parse("==" + one, Versioning::opaque), {}});
  requirement.constraint.text = fmt::format("{}", fmt::join(targets, ", "));
  made.requires_.push_back(std::move(requirement));
}

}  // namespace

Requirement needs(const std::string& component, const SpecifierSet& versions) {
  const auto text = versions.text().empty() ? "*" : versions.text();
  return {component, "", {{{versions, {}}}, text}};
}

Requirement fails(const std::string& words) {
  return {"use", "", {{{*SpecifierSet::parse("==none", Versioning::opaque), {}}}, words}};
}

std::string extra_for_gpus(const std::string& package, const specs::Fact& fact) {
  return fact.instead.starts_with(package + "[") ? fact.instead.substr(package.size() + 1, fact.instead.size() - package.size() - 2) : "";
}

specs::Fact fact_for(const Knowledge& knowledge, const std::string& name, const Version& version, const Question& question) {
  auto fact = knowledge.about(name, version, "", question.machine);
  if (!question.gpu) return fact;
  fact = fact.for_vendor(question.gpu->vendor);
  if (question.gpu->vendor == "nvidia")
    fact.system = with_code_for(knowledge, fact.system, question.gpu->compute_capability, question.machine);
  return fact;
}

bool is_for_gpus(const std::string& package, const specs::Fact& fact) {
  return is_framework(package) || !extra_for_gpus(package, fact).empty();
}

bool runs_through_xla(const std::string& package, const Question& question) {
  if (!question.gpu) return false;
  const auto& vendor = question.gpu->vendor;
  if (package != "torch" && package != "triton" && !package.starts_with("nvidia-") && !package.starts_with("cuda-")) return false;
  return std::ranges::any_of(question.asked, [&](const auto& placed) {
    const auto& name = placed.dependency.name;
    return vendor == "google" ? name == "torch-xla" || name == "vllm-tpu" : vendor == "aws" && name == "torch-neuronx";
  });
}

std::string system_failure(const Knowledge& knowledge, const specs::Fact& fact, const Question& question) {
  if (!question.gpu || question.gpu->vendor != "nvidia") return "";
  const auto first = first_cudnn(knowledge, fact.system, question.gpu->compute_capability, question.machine);
  if (!first || !first->empty()) return "";
  return fmt::format("it loads cuDNN {} of the system, and no release of that has kernels for {}",
                     specs::major_release(fact.system.at("cudnn")), gpu_in_words(*question.gpu));
}

Demands::Demands(const Knowledge& knowledge, const Question& question, const specs::Target& target)
    : knowledge_(knowledge), question_(question), target_(target) {
  for (const auto& other : known_pythons()) others_.emplace_back(question.release_of(other), "linux " + question.machine);
}

// Which wheels there are decides on Python, processor and glibc.
bool Demands::add_places(const PackageRelease& release, VersionEntry& made) const {
  const auto python = specs::range_or_any(release.requires_python);
  const bool python_fits = target_.is_within(python);
  std::optional<int> glibc;
  for (const auto& tags : release.wheels)
    if (target_.rank(tags))
      for (const auto& platform : tags.platforms)
        glibc = std::min(glibc.value_or(999), glibc_of(platform));
  if (glibc && python_fits) {
    if (*glibc > 5 && !question_.glibc.empty())
      made.requires_.push_back(needs("glibc", specs::range_or_any(fmt::format(">=2.{}", *glibc))));
    return true;
  }
  if (release.wheels.empty() && release.source && python_fits) return false;
  add_missing_wheel(release, python, made);
  return true;
}

void Demands::add_missing_wheel(const PackageRelease& release, const SpecifierSet& python, VersionEntry& made) const {
  std::vector<std::string> pythons;
  for (const auto& other : others_)
    if (std::ranges::any_of(release.wheels, [&](const auto& tags) { return other.rank(tags).has_value(); }) &&
        other.is_within(python))
      pythons.insert(pythons.begin(), specs::minor_release(other.python()));
  if (pythons.empty()) {
    made.requires_.push_back(cannot(fmt::format("no wheel for {}", question_.machine)));
    return;
  }
  Requirement requirement{"python", "", {}};
  for (const auto& one : pythons) requirement.constraint.any.push_back({specs::range_or_any("==" + one + ".*"), {}});
  requirement.constraint.text =
      pythons.size() == 1 ? pythons.front() : fmt::format("{} to {}", pythons.front(), pythons.back());
  made.requires_.push_back(std::move(requirement));
}

void Demands::add_gpu(const std::string& package, const specs::Fact& fact, bool must_compute, VersionEntry& made) const {
  if (!question_.gpu || runs_through_xla(package, question_)) return;
  add_build(package, fact, made);
  add_no_build(package, fact, must_compute, made);
}

void Demands::add_build(const std::string& name, const specs::Fact& fact, VersionEntry& made) const {
  const auto& gpu = *question_.gpu;
  if (fact.built_for && fact.built_for->known() && !fact.built_for->for_cpus()) {
    const auto& build = *fact.built_for;
    const auto vendor = build.vendor();
    if (vendor != "nvidia" || gpu.vendor != "nvidia") add_vendor(vendor, made);
    add_targets("gfx", build.gfx, made);
    add_targets("tpu", build.tpu, made);
    add_targets("xpu", build.xpu, made);
    add_targets("neuron", build.neuron, made);
    if (vendor == "nvidia" && gpu.vendor == "nvidia" && !fact.soft) add_cuda_build(build, made);
  }
  const bool of_an_index = question_.pytorch && is_on_pytorch_indexes(name);  // which has a build for the CUDA of its torch
  if (!fact.cudas.empty() && gpu.vendor == "nvidia" && !of_an_index) {
    Requirement requirement{"torch", "cuda", {}};
    for (const auto& cuda : fact.cudas) requirement.constraint.any.push_back({specs::range_or_any("==" + cuda), {}});
    requirement.constraint.text = fmt::format("{}", fmt::join(fact.cudas, ", "));
    made.requires_.push_back(std::move(requirement));
  }
  for (const auto& [cuda, build] : fact.built_for_cuda)
    made.requires_if.push_back({{{"torch", "cuda", {{{specs::range_or_any("==" + cuda), {}}}, cuda}}},
                                {{"gpu", "compute_capability", build.runs_on()}}});
}

// A framework that was asked for, but not in this build: for CPUs, or for what nobody states.
void Demands::add_no_build(const std::string& name, const specs::Fact& fact, bool must_compute, VersionEntry& made) const {
  const bool states = fact.built_for && fact.built_for->known();
  const auto no_gpu = [&](const std::string& words) {
    made.requires_.push_back({"gpu", "", {{{*SpecifierSet::parse("==none", Versioning::opaque), {}}}, words}});
  };
  const bool by_plugin = name == "jax" || name == "jaxlib";
  if (states && fact.built_for->for_cpus() && is_for_gpus(name, fact) && must_compute && !by_plugin)
    no_gpu(fact.note.empty() ? "none" : fact.note);
  else if (question_.known_only && !states && fact.built_for_cuda.empty() && fact.gpu_from.empty() && knowledge_.has_gpu_facts(name))
    no_gpu("not stated");
}

void Demands::add_cuda_build(const GpuBuild& build, VersionEntry& made) const {
  const auto& capability = question_.gpu->compute_capability;
  made.requires_.push_back({"gpu", "compute_capability", build.runs_on()});
  const auto reach = build.reach(capability);
  const auto least = build.cuda.empty() || build.cuda == "any" ? std::nullopt : knowledge_.drivers().least(build.cuda, reach);
  if (least) made.requires_.push_back(driver_for(build, *least));
}

// Forward compatibility: with cuda-compat that runs the build's CUDA, on a data-center GPU, older branches run it, too.
Requirement Demands::driver_for(const GpuBuild& build, const std::string& least) const {
  auto requirement = needs("driver", specs::range_or_any(">=" + least));
  const auto& compat = question_.cuda_compat;
  const auto reach = build.reach(question_.gpu->compute_capability);
  if (!question_.gpu->data_center || compat.empty() || !knowledge_.drivers().compat_runs(compat, build.cuda, reach)) return requirement;
  const auto branches = knowledge_.drivers().compatible_branches(compat);
  for (const auto& branch : branches)
    requirement.constraint.any.push_back({specs::range_or_any(fmt::format(">={},<{}", branch, std::stoi(branch) + 1)), {}});
  if (!branches.empty()) requirement.constraint.text += fmt::format(", or R{} with cuda-compat {}", fmt::join(branches, ", R"), compat);
  return requirement;
}

}  // namespace stackx::advisor
