// The stacks of a campaign: listed or sampled.
#include <fmt/format.h>

#include <algorithm>

#include "resolver/resolver.hpp"

namespace stackx::resolver {

std::vector<specs::Stack> campaign_stacks(const Resolver& resolver, const specs::Project& project,
                                          const specs::Catalog& catalog) {
  if (project.campaign.stacks.empty()) return resolver.sample(project.campaign.sampler);
  std::vector<specs::Stack> stacks;
  for (std::size_t i = 0; i < project.campaign.stacks.size(); ++i) {
    const auto fail = [&](const std::string& why) {
      throw bad_input(fmt::format("{}: /campaign/stacks/{}: {}", project.file.string(), i, why));
    };
    specs::Stack stack;
    for (const auto& [name, version] : project.campaign.stacks[i].components) {
      const auto* entry = catalog.find(catalog.real_name(name), version);
      stack.components[catalog.real_name(name)] = entry == nullptr ? version : entry->version.text();
    }
    for (const auto& [name, version] : project.hardware) {
      const auto [at, added] = stack.components.try_emplace(name, version);
      if (!added && at->second != version)
        fail(fmt::format("has {} {}, but the project's hardware is {}; leave it out of the stack", name, at->second,
                         version));
    }
    if (const auto wrong = violation(project, catalog, stack)) fail("this stack is not valid: " + *wrong);
    if (std::ranges::find(stacks, stack) != stacks.end()) fail("this stack stands twice; keep one");
    stacks.push_back(std::move(stack));
  }
  return stacks;
}

}  // namespace stackx::resolver
