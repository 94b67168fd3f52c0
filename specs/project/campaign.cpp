#include "specs/project/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "specs/format/json.hpp"
#include "specs/format/names.hpp"
#include "specs/format/nearest.hpp"

namespace stackx::specs {
namespace {

using Sampler = SamplerSpec::Kind;
using Strategy = StrategySpec::Kind;

Sampler kind_from(const Node& node) {
  std::vector<std::string> names;
  for (const Sampler kind : {Sampler::uniform, Sampler::stratified, Sampler::all, Sampler::cover}) {
    names.push_back(to_string(kind));
    if (node.text() == names.back()) return kind;
  }
  node.fail(fmt::format("unknown sampler \"{}\"{}", node.text(), suggestion(node.text(), names)));
}

std::uint64_t at_least(const Node& node, std::uint64_t least) {
  const std::uint64_t value = node.unsigned_integer();
  if (value < least) node.fail(fmt::format("expected at least {}, found {}", least, value));
  return value;
}

std::uint64_t within(const Node& node, std::uint64_t least, std::uint64_t most) {
  const std::uint64_t value = at_least(node, least);
  if (value > most) node.fail(fmt::format("expected at most {}, found {}", most, value));
  return value;
}

double positive(const Node& node) {
  const double value = node.number();
  if (value <= 0) node.fail(fmt::format("expected a positive number, found {}", value));
  return value;
}

// A key that its kind of sampler would ignore is a mistake.
SamplerSpec sampler_from(const Node& node) {
  node.only({"kind", "by", "count", "seed", "strength"});
  SamplerSpec sampler;
  sampler.kind = kind_from(node.at("kind"));
  const auto by = node.find("by"), count = node.find("count");
  if (sampler.kind == Sampler::stratified) {
    sampler.by = node.at("by").text();
    check_component_name(sampler.by, node.at("by"));
  } else if (by) {
    by->fail("only the sampler \"stratified\" has strata; remove \"by\"");
  }
  if (count && sampler.kind == Sampler::all)
    count->fail("the sampler \"all\" takes every stack; remove \"count\"");
  if (count && sampler.kind == Sampler::cover)
    count->fail("a cover is as small as it can be made; remove \"count\"");
  if (const auto strength = node.find("strength")) {
    if (sampler.kind != Sampler::cover)
      strength->fail("only the sampler \"cover\" has a strength; remove it");
    sampler.strength = at_least(*strength, 1);
    if (sampler.strength > 3) strength->fail("expected a strength of 1 to 3");
  }
  if (count) sampler.count = at_least(*count, 1);
  if (const auto seed = node.find("seed")) sampler.seed = seed->unsigned_integer();
  return sampler;
}

std::vector<Stack> stacks_from(const Node& list) {
  std::vector<Stack> stacks;
  for (const auto& item : list.items()) {
    Stack stack;
    for (const auto& [name, version] : item.members()) {
      check_component_name(name, version);
      stack.components[name] = version.nonempty();
    }
    if (std::ranges::find(stacks, stack) != stacks.end()) item.fail("this stack stands twice; keep one");
    stacks.push_back(std::move(stack));
  }
  if (stacks.empty()) list.fail("expected at least one stack");
  return stacks;
}

double share(const Node& node) {
  const double value = node.number();
  if (!(value > 0 && value < 1)) node.fail(fmt::format("expected a share between 0 and 1, found {}", value));
  return value;
}

constexpr std::array strategies{Strategy::fixed, Strategy::precision, Strategy::race,
                                Strategy::learn};

// A key that its kind of strategy would ignore is a mistake.
StrategySpec strategy_spec_from(const Node& node) {
  node.only({"kind", "width", "error", "finalists", "final_rounds", "batch"});
  StrategySpec strategy;
  const std::string name = node.at("kind").text();
  const auto kind = strategy_from(name);
  if (!kind) {
    std::vector<std::string> names;
    for (const Strategy known : strategies) names.push_back(to_string(known));
    node.at("kind").fail(fmt::format("unknown strategy \"{}\"{}", name, suggestion(name, names)));
  }
  strategy.kind = *kind;
  const auto of = [&](const char* key, Strategy owner) {
    const auto found = node.find(key);
    if (found && strategy.kind != owner)
      found->fail(fmt::format("only the strategy \"{}\" has it; remove it", to_string(owner)));
    return found;
  };
  if (const auto width = of("width", Strategy::precision)) strategy.width = share(*width);
  if (const auto error = of("error", Strategy::race)) strategy.error = share(*error);
  if (const auto count = of("finalists", Strategy::race)) strategy.finalists = at_least(*count, 2);
  if (const auto count = of("final_rounds", Strategy::race)) strategy.final_rounds = within(*count, 6, most_rounds);
  if (const auto count = of("batch", Strategy::learn)) strategy.batch = at_least(*count, 2);
  return strategy;
}

Json to_json(const StrategySpec& strategy) {
  Json json = {{"kind", to_string(strategy.kind)}};
  if (strategy.kind == Strategy::precision) json["width"] = strategy.width;
  if (strategy.kind == Strategy::learn) json["batch"] = strategy.batch;
  if (strategy.kind == Strategy::race) {
    json["error"] = strategy.error;
    json["finalists"] = strategy.finalists;
    json["final_rounds"] = strategy.final_rounds;
  }
  return json;
}

}  // namespace

const char* to_string(StrategySpec::Kind kind) {
  switch (kind) {
    case Strategy::fixed:
      return "fixed";
    case Strategy::precision:
      return "precision";
    case Strategy::race:
      return "race";
    case Strategy::learn:
      return "learn";
  }
  return "?";
}

std::optional<StrategySpec::Kind> strategy_from(std::string_view name) {
  for (const Strategy kind : strategies)
    if (name == to_string(kind)) return kind;
  return std::nullopt;
}

const char* to_string(SamplerSpec::Kind kind) {
  switch (kind) {
    case Sampler::uniform:
      return "uniform";
    case Sampler::stratified:
      return "stratified";
    case Sampler::all:
      return "all";
    case Sampler::cover:
      return "cover";
  }
  return "?";
}

CampaignSpec campaign_from(const Node& node) {
  node.only({"sampler", "stacks", "strategy", "rounds", "budget", "runner", "parallel", "max_failed",
             "sentinels", "limits"});
  CampaignSpec campaign;
  if (const auto sampler = node.find("sampler")) campaign.sampler = sampler_from(*sampler);
  if (const auto stacks = node.find("stacks")) campaign.stacks = stacks_from(*stacks);
  if (!campaign.stacks.empty() && node.find("sampler") && node.at("sampler").find("count"))
    node.at("sampler").at("count").fail("\"stacks\" lists what is inspected; remove the sampler's \"count\"");
  if (const auto strategy = node.find("strategy")) campaign.strategy = strategy_spec_from(*strategy);
  if (const auto rounds = node.find("rounds")) campaign.rounds = within(*rounds, 1, most_rounds);
  if (const auto budget = node.find("budget")) {
    budget->only({"inspections", "minutes"});
    if (const auto most = budget->find("inspections"))
      campaign.budget_inspections = at_least(*most, 1);
    if (const auto most = budget->find("minutes")) campaign.budget_minutes = positive(*most);
  }
  if (const auto runner = node.find("runner")) {
    campaign.runner = runner->text();
    check_component_name(campaign.runner, *runner);
  }
  if (const auto parallel = node.find("parallel")) campaign.parallel = at_least(*parallel, 1);
  if (const auto most = node.find("max_failed")) campaign.max_failed = at_least(*most, 1);
  if (const auto sentinels = node.find("sentinels"))
    campaign.sentinels = within(*sentinels, 0, most_sentinels);
  if (const auto limits = node.find("limits")) {
    limits->only({"seconds", "build_seconds", "memory_gib", "processes", "cpus"});
    if (const auto most = limits->find("seconds")) campaign.timeout_seconds = positive(*most);
    if (const auto most = limits->find("memory_gib")) campaign.memory_gib = positive(*most);
    if (const auto most = limits->find("build_seconds")) campaign.build_seconds = positive(*most);
    if (const auto most = limits->find("processes")) campaign.processes = at_least(*most, 1);
    if (const auto most = limits->find("cpus")) campaign.cpus = at_least(*most, 1);
  }
  return campaign;
}

Json to_json(const CampaignSpec& campaign) {
  Json sampler = {{"kind", to_string(campaign.sampler.kind)}, {"seed", campaign.sampler.seed}};
  if (campaign.sampler.kind == Sampler::stratified) sampler["by"] = campaign.sampler.by;
  if (campaign.sampler.kind == Sampler::cover) sampler["strength"] = campaign.sampler.strength;
  const bool drawn = campaign.sampler.kind == Sampler::uniform || campaign.sampler.kind == Sampler::stratified;
  if (drawn && campaign.stacks.empty())
    sampler["count"] = campaign.sampler.count;
  Json limits = {{"seconds", campaign.timeout_seconds}, {"memory_gib", campaign.memory_gib}};
  const CampaignSpec usual;  // plans made before these limits keep their ids
  if (campaign.build_seconds != usual.build_seconds)
    limits["build_seconds"] = campaign.build_seconds;
  if (campaign.processes != usual.processes) limits["processes"] = campaign.processes;
  if (campaign.cpus != usual.cpus) limits["cpus"] = campaign.cpus;
  Json budget = Json::object();
  if (campaign.budget_inspections) budget["inspections"] = *campaign.budget_inspections;
  if (campaign.budget_minutes) budget["minutes"] = *campaign.budget_minutes;
  Json json = {{"sampler", sampler},
               {"rounds", campaign.rounds},
               {"budget", budget},
               {"runner", campaign.runner},
               {"parallel", campaign.parallel},
               {"max_failed", campaign.max_failed},
               {"sentinels", campaign.sentinels},
               {"limits", limits}};
  for (const auto& stack : campaign.stacks) json["stacks"].push_back(stack.components);
  if (campaign.strategy != usual.strategy) json["strategy"] = to_json(campaign.strategy);
  return json;
}

}  // namespace stackx::specs
