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

bool some_release_has_code(const Knowledge& knowledge, const std::string& name, const Question& question) {
  const auto* package = knowledge.package(name);
  return !question.gpu || !package || newest_with_code(knowledge, *package, question, true);
}

}  // namespace stackx::advisor
