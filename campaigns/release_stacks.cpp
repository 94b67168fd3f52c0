#include "campaigns/release_stacks.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "specs/catalog/score.hpp"
#include "specs/random.hpp"

namespace stackx::campaigns {
namespace {

using Releases = std::map<std::string, std::vector<std::string>>;  // of what is asked for, those in some stack, ascending
using Combination = std::map<std::string, std::string>;

constexpr std::size_t most_listed = 10'000, most_tried = 500;  // combinations

Releases asked_releases(const resolver::Resolver& resolver, const specs::Project& project) {
  std::set<std::string> asked;
  for (const auto& one : project.requires_)
    if (asks_for_releases(one)) asked.insert(one.component);
  Releases result;
  const auto shares = resolver.shares();
  for (const auto& [name, versions] : resolver.components())
    if (const auto held = shares.find(name); asked.contains(name) && held != shares.end())
      std::ranges::copy_if(versions, std::back_inserter(result[name]), [&](const auto& version) {
        const auto share = held->second.find(version);
        return share != held->second.end() && share->second > 0;
      });
  std::erase_if(result, [](const auto& one) { return one.second.empty(); });
  return result;
}

// All of them, the last of each package first; nothing where they are too many to be listed.
std::vector<Combination> all_combinations(const Releases& releases) {
  std::vector<Combination> all{{}};
  for (const auto& [name, versions] : releases) {
    std::vector<Combination> longer;
    for (const auto& one : all)
      for (auto version = versions.rbegin(); version != versions.rend() && longer.size() <= most_listed; ++version) {
        longer.push_back(one);
        longer.back()[name] = *version;
      }
    all = std::move(longer);
    if (all.size() > most_listed) return {};
  }
  return all;
}

// The newest of each, then drawn ones.
std::vector<Combination> drawn_combinations(const Releases& releases, specs::Random& random) {
  std::vector<Combination> drawn(1);
  for (const auto& [name, versions] : releases) drawn.front()[name] = versions.back();
  while (drawn.size() < most_tried) {
    auto& one = drawn.emplace_back();
    for (const auto& [name, versions] : releases) one[name] = versions[random.below(versions.size())];
  }
  return drawn;
}

// The newest stack that holds it; nothing where none does.
std::optional<specs::Stack> newest_with(const Combination& wanted, const resolver::Resolver& resolver) {
  constexpr specs::Score worth = 1'000'000'000;  // more than all that lateness can cost
  auto scores = resolver.lateness();
  for (const auto& [name, version] : wanted) scores.of[name][version] = worth;
  std::optional<specs::Stack> found;
  resolver.best(scores, [&](const resolver::Choice& choice, specs::Score) {
    found = resolver.stack(choice);
    return false;
  });
  const bool holds_all = found && std::ranges::all_of(wanted, [&](const auto& one) {
    const auto held = found->components.find(one.first);
    return held != found->components.end() && held->second == one.second;
  });
  return holds_all ? std::move(found) : std::nullopt;
}

}  // namespace

bool asks_for_releases(const specs::Requirement& requirement) {
  return requirement.component != "python" && requirement.component.find('+') == std::string::npos;
}

std::vector<specs::Stack> release_stacks(const resolver::Resolver& resolver, const specs::Project& project) {
  const auto& sampler = project.campaign.sampler;
  specs::Random random(sampler.seed);
  const auto releases = asked_releases(resolver, project);
  auto combinations = all_combinations(releases);
  if (combinations.empty()) combinations = drawn_combinations(releases, random);
  if (combinations.size() > sampler.count) {  // the first stays: it is the newest
    std::vector<Combination> others(combinations.begin() + 1, combinations.end());
    random.shuffle(others);
    std::ranges::copy(others, combinations.begin() + 1);
  }
  std::vector<specs::Stack> stacks;
  for (std::size_t i = 0; i < std::min(combinations.size(), most_tried) && stacks.size() < sampler.count; ++i)
    if (auto stack = newest_with(combinations[i], resolver); stack && std::ranges::find(stacks, *stack) == stacks.end())
      stacks.push_back(*std::move(stack));
  return stacks.empty() ? resolver.sample(sampler) : stacks;
}

std::vector<specs::Stack> measured_stacks(const resolver::Resolver& resolver, const workspace::Loaded& loaded, bool of_releases) {
  const auto& campaign = loaded.project.campaign;
  const bool says_which = !campaign.stacks.empty() || campaign.sampler.kind != specs::SamplerSpec::Kind::uniform;
  if (of_releases && !says_which) return release_stacks(resolver, loaded.project);
  return resolver::campaign_stacks(resolver, loaded.project, loaded.catalog);
}

}  // namespace stackx::campaigns
