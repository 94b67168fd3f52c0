#include "advisor/facts/frameworks.hpp"

#include <algorithm>

#include "specs/catalog/fact.hpp"
#include "specs/project/workload.hpp"
#include "specs/python/pep508.hpp"

namespace stackx::advisor {
namespace {

const Framework* find_framework(const std::string& package) {
  const auto found = std::ranges::find(frameworks(), package, &Framework::name);
  return found == frameworks().end() ? nullptr : &*found;
}

}  // namespace

const std::vector<Framework>& frameworks() {
  static const std::vector<Framework> all{{"vllm", Role::serves},           {"vllm-tpu", Role::serves}, {"sglang", Role::serves},
                                          {"torch", Role::computes},        {"torch-neuronx", Role::computes},
                                          {"tensorflow", Role::computes},   {"tensorflow-gpu", Role::retired},
                                          {"jax", Role::computes},          {"mxnet", Role::retired}, {"jaxlib", Role::part}};
  return all;
}

bool is_framework(const std::string& package) {
  const auto* one = find_framework(package);
  return one && one->role != Role::serves;
}

bool is_server(const std::string& package) {
  const auto* one = find_framework(package);
  return one && one->role == Role::serves;
}

bool is_leading(const std::string& package) {
  const auto* one = find_framework(package);
  return one && one->role != Role::part;
}

std::string vendor_of_extra(const std::string& extra) {
  if (extra == "tpu") return "google";
  if (extra.starts_with("rocm")) return "amd";
  return extra.starts_with("cuda") || extra == "and-cuda" ? "nvidia" : "";
}

std::string instead_for(const specs::Fact& fact, const std::string& vendor) {
  if (const auto found = fact.instead_on.find(vendor); found != fact.instead_on.end()) return found->second;
  const auto dependency = specs::parse_dependency(fact.instead);
  const bool another = dependency && std::ranges::any_of(dependency->extras, [&](const auto& extra) {
    const auto of = vendor_of_extra(extra);
    return !of.empty() && of != vendor;
  });
  return another ? "" : fact.instead;
}

std::string named_framework(const specs::Workload& workload) {
  const auto found = workload.params.find("framework");
  return found == workload.params.end() || found->second == "auto" ? "" : found->second;
}

}  // namespace stackx::advisor
