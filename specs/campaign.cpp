#include "specs/campaign.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

#include "specs/json.hpp"
#include "specs/names.hpp"
#include "specs/nearest.hpp"

namespace stackx::specs {
namespace {

using Kind = SamplerSpec::Kind;

Kind kind_from(const Node& node) {
  std::vector<std::string> names;
  for (const Kind kind : {Kind::uniform, Kind::stratified, Kind::all, Kind::cover}) {
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
  if (sampler.kind == Kind::stratified) {
    sampler.by = node.at("by").text();
    check_component_name(sampler.by, node.at("by"));
  } else if (by) {
    by->fail("only the sampler \"stratified\" has strata; remove \"by\"");
  }
  if (count && sampler.kind == Kind::all)
    count->fail("the sampler \"all\" takes every stack; remove \"count\"");
  if (count && sampler.kind == Kind::cover)
    count->fail("a cover is as small as it can be made; remove \"count\"");
  if (const auto strength = node.find("strength")) {
    if (sampler.kind != Kind::cover)
      strength->fail("only the sampler \"cover\" has a strength; remove it");
    sampler.strength = at_least(*strength, 1);
    if (sampler.strength > 3) strength->fail("expected a strength of 1 to 3");
  }
  if (count) sampler.count = at_least(*count, 1);
  if (const auto seed = node.find("seed")) sampler.seed = seed->unsigned_integer();
  return sampler;
}

}  // namespace

const char* to_string(SamplerSpec::Kind kind) {
  switch (kind) {
    case Kind::uniform:
      return "uniform";
    case Kind::stratified:
      return "stratified";
    case Kind::all:
      return "all";
    case Kind::cover:
      return "cover";
  }
  return "?";
}

CampaignSpec campaign_from(const Node& node) {
  node.only(
      {"sampler", "rounds", "budget", "runner", "parallel", "max_failed", "sentinels", "limits"});
  CampaignSpec campaign;
  if (const auto sampler = node.find("sampler")) campaign.sampler = sampler_from(*sampler);
  if (const auto rounds = node.find("rounds")) campaign.rounds = at_least(*rounds, 1);
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
    campaign.sentinels = sentinels->unsigned_integer();
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
  if (campaign.sampler.kind == Kind::stratified) sampler["by"] = campaign.sampler.by;
  if (campaign.sampler.kind == Kind::cover) sampler["strength"] = campaign.sampler.strength;
  if (campaign.sampler.kind == Kind::uniform || campaign.sampler.kind == Kind::stratified)
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
  return {{"sampler", sampler},
          {"rounds", campaign.rounds},
          {"budget", budget},
          {"runner", campaign.runner},
          {"parallel", campaign.parallel},
          {"max_failed", campaign.max_failed},
          {"sentinels", campaign.sentinels},
          {"limits", limits}};
}

}  // namespace stackx::specs
