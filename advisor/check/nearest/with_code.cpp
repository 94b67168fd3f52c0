#include "advisor/check/nearest/with_code.hpp"

#include <algorithm>

#include "advisor/check/world/demands.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

// Where nothing is stated, it may be.
bool is_among(const std::vector<std::string>& stated, const std::string& target) {
  return stated.empty() || std::ranges::find(stated, target) != stated.end();
}

bool has_code(const Knowledge& knowledge, const std::string& name, const specs::Version& version, const Question& question) {
  const auto fact = fact_for(knowledge, name, version, question);
  if (!fact.gpu_from.empty() || !fact.built_for_cuda.empty() || fact.soft) return true;
  if (!fact.built_for || fact.built_for->for_cpus() || !system_failure(knowledge, fact, question).empty()) return false;
  if (const auto vendor = fact.built_for->vendor(); vendor != "nvidia")
    return question.gpu->vendor == vendor && is_among(fact.built_for->gfx, question.gpu->gfx) && is_among(fact.built_for->tpu, question.gpu->name) &&
           is_among(fact.built_for->xpu, question.gpu->architecture) && is_among(fact.built_for->neuron, question.gpu->architecture);
  return fact.built_for->reach(question.gpu->compute_capability) != specs::GpuBuild::Reach::none;
}

}  // namespace

const specs::PackageRelease* newest_with_code(const Knowledge& knowledge, const specs::Package& package, const Question& question,
                                              bool any_build) {
  const bool stated = question.gpu && knowledge.has_gpu_facts(package.name);
  for (auto release = package.releases.rbegin(); release != package.releases.rend(); ++release)
    if ((any_build || !specs::is_local(release->version.text())) && !release->yanked &&
        (!stated || has_code(knowledge, package.name, release->version, question)))
      return &*release;
  return nullptr;
}

bool has_code_for(const Knowledge& knowledge, const std::string& name, const specs::PackageRelease& release, const Question& question) {
  if (!knowledge.is_seen(*knowledge.package(name), release.version, question.machine)) return false;
  return !question.gpu || !knowledge.has_gpu_facts(name) || has_code(knowledge, name, release.version, question);
}

bool lacks_plugin(const Knowledge& knowledge, const Question& question, const specs::Stack& stack, const std::string& name) {
  const auto found = stack.components.find(name), library = stack.components.find("jaxlib");
  if (!question.gpu || found == stack.components.end()) return false;
  const auto plugins = knowledge.about(name, specs::pep440_version(found->second)).gpu_from;
  const bool built_in = library != stack.components.end() && specs::is_local(library->second);
  return !plugins.empty() && !built_in &&
         std::ranges::none_of(plugins, [&](const auto& plugin) { return stack.components.contains(plugin); });
}

bool is_for_cpus(const Knowledge& knowledge, const Question& question, const specs::Stack& stack, const std::string& name) {
  const auto fact = fact_for(knowledge, name, specs::pep440_version(stack.components.at(name)), question);
  const auto extra = extra_for_gpus(name, fact);
  return question.gpu && fact.built_for && fact.built_for->for_cpus() && (extra.empty() || !stack.components.contains(name + "+" + extra));
}

bool some_release_has_code(const Knowledge& knowledge, const std::string& name, const Question& question) {
  const auto* package = knowledge.package(name);
  return !question.gpu || !package || newest_with_code(knowledge, *package, question, true);
}

}  // namespace stackx::advisor
