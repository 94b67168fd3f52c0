#include "advisor/candidate/candidate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advisor/check/beside.hpp"
#include "advisor/check/unbrought.hpp"
#include "advisor/check/world/demands.hpp"
#include "advisor/check/world/python_world.hpp"
#include "advisor/facts/frameworks.hpp"
#include "specs/python/wheel_target.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

using specs::Fact;
using specs::PackageRelease;

std::string in_stack(const specs::Stack& stack, const std::string& name) {
  const auto found = stack.components.find(name);
  return found == stack.components.end() ? "" : found->second;
}

// nvidia-cudnn-cu12 for what is built for CUDA 12: a build for another CUDA loads the cuDNN that it carries. Of no known CUDA,
// whichever is there.
std::string cudnn_of(const specs::Stack& stack, const std::string& cuda) {
  for (const std::string suffix : {"13", "12", "11"})
    if (const auto version = in_stack(stack, "nvidia-cudnn-cu" + suffix);
        !version.empty() && (cuda.empty() || specs::major_release(cuda) == suffix))
      return specs::patch_release(version);
  return "";
}

// nvidia-cudnn-cu12 beside CUDA 11.8
bool is_for_another_cuda(const std::string& package, const std::string& cuda) {
  const auto at = package.rfind("-cu1");  // not that of nvidia-cublas
  return !cuda.empty() && package.starts_with("nvidia-") && at != package.npos && package.substr(at + 3) != specs::major_release(cuda);
}

// ">=525.60.13,<581" -> "525.60.13"
std::string at_least(const std::string& drivers) {
  if (!drivers.starts_with(">=")) return "";
  return drivers.substr(2, drivers.find_first_of(", ") - 2);
}

std::string cuda_of(const Knowledge& knowledge, const specs::Stack& stack, const Fact& fact) {
  if (const auto toolkit = in_stack(stack, "cuda-toolkit"); !toolkit.empty()) return specs::patch_release(toolkit);
  const auto states = [](const Fact& one) {
    return one.built_for && !one.built_for->cuda.empty() && one.built_for->cuda != "any" && !one.built_for->for_cpus();
  };
  if (states(fact)) return fact.built_for->cuda;
  if (const auto torch = in_stack(stack, "torch"); !torch.empty())  // what vLLM and others compute with
    if (const auto of_torch = knowledge.about("torch", specs::pep440_version(torch)); states(of_torch))
      return of_torch.built_for->cuda;
  for (const auto& plugin : fact.gpu_from)
    if (const auto version = in_stack(stack, plugin); !version.empty()) {
      const auto build = knowledge.about(plugin, specs::pep440_version(version)).built_for;
      if (build) return build->cuda;
    }
  return "";
}

// What the package's own metadata pins to one version, as far as it is in the stack.
void add_pins(const Knowledge& knowledge, const specs::Stack& stack, const std::string& name, Pinned& pinned) {
  const auto* package = knowledge.package(name);
  const auto* release = package ? package->find(specs::pep440_version(in_stack(stack, name))) : nullptr;
  const auto* requirements = release ? knowledge.requirements(name, *release) : nullptr;
  if (!requirements) return;
  for (const auto& one : *requirements) {
    const auto version = in_stack(stack, one.name);
    const bool there = std::ranges::any_of(pinned.packages, [&](const auto& other) { return other.name == one.name; });
    if (version.empty() || there || is_given(one.name)) continue;
    if (specs::pep440_version(version) ==
        specs::pep440_version(specs::single_version(one.versions).empty() ? "0" : specs::single_version(one.versions)))
      pinned.packages.push_back({one.name, version, {}, false, "", true});
  }
}

bool names_glibc(const specs::WheelTags& tags) {
  return std::ranges::any_of(tags.platforms, [](const auto& platform) { return platform.starts_with("manylinux"); });
}

// The oldest glibc that some wheel of the release takes on that Python: "2.28"; "": no wheel says one (linux_x86_64, any).
std::string glibc_needed(const PackageRelease& release, const std::string& python, const std::string& machine) {
  for (int minor : {5, 12, 17, 24, 26, 27, 28, 31, 34, 35, 39})
    if (const specs::Target target(python, fmt::format("manylinux_2_{}_{}", minor, machine));
        std::ranges::any_of(release.wheels, [&](const auto& tags) { return names_glibc(tags) && target.rank(tags); }))
      return fmt::format("2.{}", minor);
  return "";
}

// Of the package, and of what computes for it: jax is pure Python, its plugins are not.
std::string glibc_needed(const Knowledge& knowledge, const specs::Stack& stack, const std::string& root, const std::string& python,
                         const std::string& machine) {
  auto names = knowledge.about(root, specs::pep440_version(in_stack(stack, root)), "", machine).gpu_from;
  names.insert(names.begin(), root);
  std::string newest;
  for (const auto& name : names) {
    const auto version = in_stack(stack, name);
    const auto* package = version.empty() ? nullptr : knowledge.package(name);
    const auto* release = package ? package->find(specs::pep440_version(version)) : nullptr;
    const auto glibc = release ? glibc_needed(*release, python, machine) : "";
    if (!glibc.empty() && (newest.empty() || specs::is_newer(glibc, newest))) newest = glibc;
  }
  return newest;
}

// What no metadata bounds stands on the line: "numpy<2".
void add_bounds(const std::vector<Bound>& bounds, Pinned& pinned) {
  for (const auto& [package, version, other, range] : bounds) {
    const auto there = std::ranges::find(pinned.packages, other, &PinnedPackage::name);
    if (there == pinned.packages.end())
      pinned.packages.push_back({other, "", {}, false, range});
    else if (there->version.empty() && there->range != range)
      there->range += (there->range.empty() ? "" : ",") + range;
  }
}

}  // namespace

std::string Candidate::name() const { return package + " " + version; }

std::string Candidate::with_others() const {
  return beside.empty() ? name() : fmt::format("{} with {}", name(), fmt::join(beside, " and "));
}

std::string Candidate::unused_text() const {
  if (unused.empty()) return "";
  return fmt::format("{} is built for CUDA {} and loads the libraries that come with it: {} would lie beside, unused.", name(), cuda,
                     fmt::join(unused, ", "));
}

std::string Candidate::text() const {
  std::vector<std::string> with;
  if (!cuda.empty()) with.push_back("CUDA " + cuda);
  if (!cudnn.empty()) with.push_back("cuDNN " + cudnn);
  if (const auto libtpu = in_stack(checked.stack, "libtpu"); !libtpu.empty()) with.push_back("libtpu " + libtpu);
  return with.empty() ? with_others() : fmt::format("{} ({})", with_others(), fmt::join(with, ", "));
}

Candidate as_it_is(const Knowledge& knowledge, const Question& question, const std::string& root, Checked checked) {
  Candidate candidate;
  const auto& stack = checked.stack;
  candidate.package = root;
  candidate.version = in_stack(stack, root);
  if (!candidate.version.empty()) {
    const auto version = specs::pep440_version(candidate.version);
    const auto fact = knowledge.about(root, version, "", question.machine);
    if (!question.gpu || question.gpu->vendor == "nvidia") candidate.cuda = cuda_of(knowledge, stack, fact);
    const auto* release = knowledge.package(root) ? knowledge.package(root)->find(version) : nullptr;
    if (release) candidate.released = release->uploaded;
    const auto python = specs::minor_release(in_stack(stack, "python"));
    if (release && !python.empty()) candidate.pinned.glibc = glibc_needed(knowledge, stack, root, python, question.machine);
  }
  if (question.driver.empty() && question.gpu && question.gpu->vendor == "nvidia")
    candidate.least_driver = at_least(checked.driver);
  if (question.gpu && question.gpu->vendor == "nvidia") candidate.cudnn = cudnn_of(stack, candidate.cuda);
  auto& pinned = candidate.pinned;
  pinned.python = specs::minor_release(in_stack(stack, "python"));
  pinned.pythons = checked.pythons;
  pinned.driver = checked.driver;
  for (const auto& placed : question.asked) {
    const auto name = knowledge.real_name(placed.dependency.name);
    auto version = in_stack(stack, name);
    if (version.empty()) version = specs::single_version(placed.dependency.versions);
    if (name != root && !version.empty() && is_leading(name))
      candidate.beside.push_back(name + " " + version);
    if (!version.empty() && question.gpu) {
      const auto fact = fact_for(knowledge, name, specs::pep440_version(version), question);
      if (auto libraries = loaded_from_system(fact, name, stack); !libraries.empty()) pinned.system[name] = std::move(libraries);
      for (const auto& plugin : fact.gpu_from)  // jax itself loads nothing, jax-rocm7-plugin ROCm
        if (const auto of = in_stack(stack, plugin); !of.empty())
          if (const auto libraries = knowledge.about(plugin, specs::pep440_version(of), "", question.machine).system; !libraries.empty())
            pinned.system[plugin] = libraries;
    }
    if (!version.empty() && is_for_another_cuda(name, candidate.cuda)) candidate.unused.push_back(name + " " + version);
    pinned.packages.push_back({name,
                               version,
                               {placed.dependency.extras.begin(), placed.dependency.extras.end()}});
    if (!version.empty()) pinned.packages.back().compiled_beside = knowledge.compiled_beside(name, version);
    if (version.empty() && !placed.dependency.versions.is_any())
      pinned.packages.back().range = placed.dependency.versions.text();
  }
  add_bounds(unbound_beside(knowledge, question, stack), pinned);
  for (const auto& one : unbrought(knowledge, question.asked, stack)) pinned.packages.push_back({one.name, one.version, {}, false});
  if (!candidate.version.empty()) add_pins(knowledge, stack, root, pinned);
  candidate.checked = std::move(checked);
  return candidate;
}

}  // namespace stackx::advisor
