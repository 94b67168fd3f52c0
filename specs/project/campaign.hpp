// What a campaign runs, how long and under which limits: the project's "campaign", kept in the
// plan.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/catalog/stack.hpp"

namespace stackx::specs {

class Node;

// How a campaign chooses stacks.
//   uniform     `count` independent uniform draws without repetition
//   stratified  the same, in equal shares over the providers of the virtual component `by` (what a
//   stratum cannot
//               fill goes to the others), so that a library with a single stack is not drowned by
//               one with hundreds
//   all         every stack
//   cover       so few that every valid combination of versions of `strength` components stands in one
struct SamplerSpec {
  enum class Kind { uniform, stratified, all, cover } kind = Kind::uniform;
  std::string by;
  std::uint64_t count = 20;
  std::uint64_t seed = 0;
  std::uint64_t strength = 2;  // of a cover
};

// How a campaign spends its rounds; `rounds` is then the most there are.
//   fixed      every arm in every round
//   precision  an arm until the interval of its median rate is at most `width` wide, as a share of
//              the median
//   race       arms leave once they are shown to be behind the leader; the `finalists` run
//              `final_rounds` fresh rounds. The best is lost with probability `error` at most
//   learn      `batch` arms a round: those whose rate the model of effects knows least
struct StrategySpec {
  enum class Kind { fixed, precision, race, learn } kind = Kind::fixed;
  double width = 0.02;
  double error = 0.05;
  std::uint64_t finalists = 2, final_rounds = 12;
  std::uint64_t batch = 8;

  bool operator==(const StrategySpec&) const = default;
};

// More is a slip of the keyboard: 1,000,000 rounds of one arm of a second are 12 days.
inline constexpr std::uint64_t most_rounds = 1'000'000, most_sentinels = 10'000;

struct CampaignSpec {
  SamplerSpec sampler;
  std::vector<Stack> stacks;  // exactly these, instead of the sampler's; without the project's hardware, which all have
  StrategySpec strategy;
  std::uint64_t rounds = 10;
  std::optional<std::uint64_t> budget_inspections;
  std::optional<double> budget_minutes;
  std::string runner = "local";
  std::uint64_t parallel = 1;
  std::uint64_t max_failed = 50;  // stop after so many failed inspections
  std::uint64_t sentinels = 0;    // arms repeated under a second name
  double timeout_seconds = 120;   // of one inspection's run
  double build_seconds = 900;     // of building one of its packages or images
  double memory_gib = 4;          // of one inspection's processes together
  std::uint64_t processes = 256;  // at once, of one inspection
  std::uint64_t cpus = 0;         // that one inspection may use; 0: as many as its threads

  std::uint64_t memory_bytes() const { return static_cast<std::uint64_t>(memory_gib * (1 << 30)); }
};

// {"sampler": {"kind", "by", "count", "seed", "strength"}, "stacks": [{component: version}],
//  "strategy": {"kind", "width", "error", "finalists", "final_rounds", "batch"}, "rounds",
//  "budget": {"inspections", "minutes"}, "runner", "parallel", "max_failed", "sentinels",
//  "limits": {"seconds", "build_seconds", "memory_gib", "processes", "cpus"}}; what is left out has
//  the value above.
nlohmann::json to_json(const CampaignSpec& campaign);
CampaignSpec campaign_from(const Node& node);

const char* to_string(SamplerSpec::Kind kind);
const char* to_string(StrategySpec::Kind kind);
std::optional<StrategySpec::Kind> strategy_from(std::string_view name);

}  // namespace stackx::specs
