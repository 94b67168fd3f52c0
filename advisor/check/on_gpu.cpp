#include "advisor/check/on_gpu.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "advisor/check/unbrought.hpp"
#include "advisor/check/world/demands.hpp"
#include "advisor/check/world/python_world.hpp"
#include "advisor/facts/frameworks.hpp"
#include "advisor/facts/system_libraries.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

using specs::Fact;

class Look {
 public:
  Look(const Knowledge& knowledge, const Question& question, const specs::Stack& chosen)
      : knowledge_(knowledge), question_(question), chosen_(chosen) {}

  OnGpu run() {
    for (const auto& [name, version] : chosen_.components)
      if (!is_given(name) && name.find('+') == name.npos && knowledge_.package(name)) look_at(name, version);
    // What others take along for themselves may run on the CPU; so may what is asked for beside what uses the GPU.
    for (auto& [name, sentence] : on_cpus_) {
      const bool wanted = is_for_gpus(name, about(name, chosen_.components.at(name))) && (is_asked(name) || !framework_used_);
      (wanted || on_.used.empty() ? on_.for_cpus : on_.notes).push_back(std::move(sentence));
    }
    for (const auto& one : unbrought(knowledge_, question_.asked, chosen_))
      on_.notes.push_back(fmt::format("{} needs {} beside it, which no installer brings: install {}=={}, too", one.by, one.name, one.name, one.version));
    return std::move(on_);
  }

 private:
  bool is_asked(const std::string& name) const {
    return std::ranges::any_of(question_.asked, [&](const auto& placed) {
      return knowledge_.real_name(placed.dependency.name) == name;
    });
  }

  void look_at(const std::string& name, const std::string& version) {
    if (runs_through_xla(name, question_)) return;
    const auto fact = about(name, version);
    const auto one = name + " " + version;
    if (!fact.gpu_from.empty()) {
      if (!has_plugin(fact)) on_cpus_.emplace_back(name, no_plugin(name, fact));
      return;
    }
    const bool states = fact.built_for && fact.built_for->known();
    if (states && fact.built_for->for_cpus()) {
      if (name == "jaxlib" && chosen_.components.contains("jax")) return;  // jax says it
      if (has_extra(name, fact)) return;
      on_cpus_.emplace_back(name, fmt::format("{} is built for CPUs and does not use a GPU{}", one,
                                              fact.note.empty() ? "" : fmt::format(" ({})", fact.note)));
      return;
    }
    if (states && question_.gpu && question_.gpu->jetson && !is_for_this_jetson(*fact.built_for)) {
      // Once: what it takes along is built for the same.
      if (on_.unknown.empty() && (computes(name) || is_asked(name))) on_.unknown.push_back(not_for_jetson(one));
      return;
    }
    if (states || !fact.built_for_cuda.empty()) {
      const bool by_its_parts = name == "cuda-toolkit" && !is_asked(name);  // which are looked at one by one
      if (!fact.soft && !by_its_parts) on_.used.push_back(one);
      framework_used_ = framework_used_ || computes(name);
      add_system(fact, name, version);
      return;
    }
    if (fact.fails.empty() && knowledge_.has_gpu_facts(name))
      on_.unknown.push_back(fmt::format("nobody states for which GPUs {} is built", one));
  }

  std::string not_for_jetson(const std::string& one) const {
    std::string place;
    for (const auto& placed : question_.asked)
      if (place.empty()) place = knowledge_.elsewhere(knowledge_.real_name(placed.dependency.name), places_of(*question_.gpu));
    if (place.empty()) place = fmt::format("what NVIDIA builds for {} (JetPack) is not known here", gpu_in_words(*question_.gpu));
    return fmt::format("{} is built for GPUs of PCs and servers, and their code does not run on a Jetson; {}", one, place);
  }

  // A framework, or a plugin that uses the GPU for one.
  static bool computes(const std::string& name) { return is_framework(name) || name.starts_with("jax-") || name == "libtpu"; }

  // "Binary compatibility is supported only for the desktop. It is not supported for Tegra" (CUDA C++ Programming Guide, 6.1.2).
  bool is_for_this_jetson(const specs::GpuBuild& build) const {
    const auto& own = question_.gpu->compute_capability;
    return std::ranges::find(build.cubins, own) != build.cubins.end() || build.reach(own) == specs::GpuBuild::Reach::ptx;
  }

  Fact about(const std::string& name, const std::string& version) const {
    return fact_for(knowledge_, name, specs::pep440_version(version), question_);
  }

  bool has_plugin(const Fact& fact) const {
    for (const auto& plugin : fact.gpu_from)
      if (chosen_.components.contains(plugin)) return true;
    const auto jaxlib = chosen_.components.find("jaxlib");
    if (jaxlib == chosen_.components.end()) return false;
    const auto build = about("jaxlib", jaxlib->second).built_for;
    return build && !build->for_cpus();
  }

  // sglang[srt] for sglang.
  bool has_extra(const std::string& name, const Fact& fact) const {
    const auto extra = extra_for_gpus(name, fact);
    return !extra.empty() && chosen_.components.contains(name + "+" + extra);
  }

  std::string no_plugin(const std::string& name, const Fact& fact) const {
    const auto instead = question_.gpu->jetson ? "" : instead_for(fact, question_.gpu->vendor);  // built for GPUs of PCs and servers
    const auto place = knowledge_.elsewhere(name, places_of(*question_.gpu));
    if (instead.empty() && !place.empty()) return fmt::format("{} from the index runs on CPUs; {}", name, place);
    if (instead.empty()) return fmt::format("{} from the index runs on CPUs, and no plugin is known that makes it use {}", name, gpu_in_words(*question_.gpu));
    return fmt::format("{} from the index runs on CPUs; a plugin makes it use a {}: {}", name, kind_in_words(*question_.gpu), instead);
  }

  void add_system(const Fact& fact, const std::string& name, const std::string& version) {
    const auto libraries = loaded_from_system(fact, name, chosen_);
    if (libraries.empty()) return;
    const bool newer = libraries != loaded_from_system(knowledge_.about(name, specs::pep440_version(version), "", question_.machine), name, chosen_);
    on_.notes.push_back(fmt::format("{} {} loads {} of the system{}", name, version, in_words(libraries),
                                    newer ? "; older releases have no code for " + gpu_in_words(*question_.gpu) : ""));
  }

  const Knowledge& knowledge_;
  const Question& question_;
  const specs::Stack& chosen_;
  std::vector<std::pair<std::string, std::string>> on_cpus_;  // package, sentence
  bool framework_used_ = false;
  OnGpu on_;
};

}  // namespace

OnGpu on_gpu(const Knowledge& knowledge, const Question& question, const specs::Stack& chosen) {
  return Look(knowledge, question, chosen).run();
}

}  // namespace stackx::advisor
