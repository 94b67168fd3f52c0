#include "advisor/settling_campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>

#include "advisor/recipes/parts.hpp"
#include "analysis/statistics/comparison.hpp"
#include "resolver/resolver.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/project/project.hpp"

namespace stackx::advisor {
namespace {

using nlohmann::json;

constexpr std::size_t most_rounds = 1000;  // of a file that somebody is to run
constexpr double over_estimate = 2.5;
constexpr double python_seconds = 20,
                 native_seconds = 2;  // of one inspection: start, check, warm-up, 20 samples
constexpr double build_minutes = 15;  // of one stack: fetching and installing

const specs::VersionEntry* entry_of(const specs::Catalog& catalog, const std::string& name,
                                    const std::string& version) {
  const auto* component = catalog.find(name);
  return component ? component->find(version) : nullptr;
}

bool needs_container(const specs::Stack& stack, const specs::Catalog& catalog) {
  return std::ranges::any_of(stack.components, [&](const auto& one) {
    const auto* component = catalog.find(one.first);
    return component != nullptr && component->kind == specs::Kind::image;
  });
}

// All candidates on the newest driver that any names.
std::vector<specs::Stack> on_one_driver(std::vector<specs::Stack> stacks,
                                        const specs::Catalog& catalog,
                                        std::vector<std::string>& notes) {
  const specs::VersionEntry* newest = nullptr;
  std::set<std::string> drivers;
  for (const auto& stack : stacks)
    if (const auto at = stack.components.find("driver"); at != stack.components.end()) {
      drivers.insert(at->second);
      const auto* entry = entry_of(catalog, "driver", at->second);
      if (entry != nullptr && (newest == nullptr || newest->version < entry->version))
        newest = entry;
    }
  if (newest == nullptr) return stacks;
  for (auto& stack : stacks)
    if (const auto at = stack.components.find("driver"); at != stack.components.end())
      at->second = newest->version.text();
  notes.push_back(fmt::format(
      "The file asks for driver {}{}: a machine has one; write the one it has into /pins/driver.",
      newest->version.text(), drivers.size() > 1 ? " for all candidates" : ""));
  std::vector<specs::Stack> different;
  for (const auto& stack : stacks)
    if (std::ranges::find(different, stack) == different.end()) different.push_back(stack);
  if (different.size() < stacks.size())
    notes.push_back("Candidates that differ in the driver only are one there.");
  return different;
}

// Version texts that end where a specifier would: "==1.2.3".
json pins(const std::vector<specs::Stack>& stacks,
          const std::map<std::string, std::string>& hardware) {
  std::map<std::string, std::set<std::string>> used;
  for (const auto& stack : stacks)
    for (const auto& [name, version] : stack.components)
      if (!hardware.contains(name)) used[name].insert("==" + version);
  json result = json::object();
  for (const auto& [name, specifiers] : used) {
    if (specifiers.size() == 1)
      result[name] = *specifiers.begin();
    else
      result[name] = {{"any", specifiers}};
  }
  return result;
}

std::string project_name(const Settling& asked) {
  std::string name = "settle";
  for (const auto& part : {asked.hw, asked.workload.pi}) {
    name += '-';
    for (const char c : part)
      name += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ? c
              : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a')
                                     : '-';
  }
  return name;
}

std::string spread_text(const ExpectedSpread& spread) {
  const auto percent = fmt::format("{:.3g} %", 100 * spread.cv);
  if (spread.inspections > 0)
    return fmt::format("a CV of {} between inspections (n={}, {})", percent, spread.inspections,
                       spread.from);
  return fmt::format("a CV of {} between inspections, which is assumed: {}", percent, spread.from);
}

// A shape or type that stackx's PI can be told; all of it where there is no such PI.
json workload_json(const Settling& asked, PiKind kind, std::vector<std::string>& notes) {
  std::vector<std::string> left_out;
  const specs::Workload runnable{asked.workload.pi,
                                 pi_parameters(asked.workload, kind, left_out)};
  if (!left_out.empty())
    notes.push_back(fmt::format("Left out of the workload, since the PI does not know it: {}.",
                                fmt::join(left_out, ", ")));
  if (!has_pi(asked.workload.pi, kind))
    notes.push_back(fmt::format("stackx has no PI for {}: run the file with --pi FILE, your own.",
                                asked.workload.pi));
  return specs::to_json(runnable);
}

void check_candidates(const std::vector<specs::Stack>& stacks, const specs::Project& project,
                      const specs::Catalog& catalog) {
  for (const auto& stack : stacks)
    if (const auto wrong = resolver::violation(project, catalog, stack))
      throw bad_input(
          fmt::format("stack {} cannot be in a settling campaign: {}", stack.short_id(), *wrong));
}

}  // namespace

ExpectedSpread assumed_spread() {
  return {0.02, 0,
          "nothing measured says more; the first rounds will, and `advise` then tells how many are "
          "lacking"};
}

std::optional<std::size_t> estimated_rounds(double delta, double cv, std::size_t comparisons,
                                            double confidence) {
  // Three paired log ratios about 0 whose spread is that of a ratio of two such rates: MAD times 1.4826 is it.
  const double spread = std::numbers::sqrt2 * std::sqrt(std::log1p(cv * cv)) / 1.4826;
  const std::vector<double> logs{-spread, 0, spread};
  const auto told =
      analysis::compare(std::vector(std::max<std::size_t>(comparisons, 1), logs), delta, confidence)
          .front();
  if (told.verdict != analysis::Verdict::unresolved) return logs.size();
  if (!told.further_rounds) return std::nullopt;
  return logs.size() + *told.further_rounds;
}

std::optional<std::size_t> rounds_to_resolve(double delta, double cv, std::size_t comparisons) {
  const auto estimate = estimated_rounds(delta, cv, comparisons);
  if (!estimate) return std::nullopt;
  return static_cast<std::size_t>(std::ceil(over_estimate * static_cast<double>(*estimate)));
}

SettlingCampaign settling_campaign(const Settling& asked, const specs::Catalog& catalog) {
  if (asked.candidates.empty()) throw bad_input("a settling campaign needs at least one candidate");
  SettlingCampaign result;
  const auto candidates = on_one_driver(asked.candidates, catalog, result.notes);
  const auto& first = candidates.front();
  const bool container = std::ranges::any_of(
      candidates, [&](const auto& one) { return needs_container(one, catalog); });
  const bool python = container || first.components.contains("python");
  const bool gpu = asked.hardware.contains("gpu");
  const auto kind = !python ? PiKind::native
                    : gpu   ? PiKind::framework_on_gpu
                            : PiKind::framework;

  if (gpu && !python)
    for (const auto& one : candidates)
      if (auto where = where_libraries_are(one, catalog); !where.empty())
        result.notes.push_back(std::move(where));

  const auto rounds = rounds_to_resolve(asked.delta, asked.spread.cv, candidates.size() - 1);
  result.resolves = rounds && *rounds <= most_rounds;
  result.rounds = result.resolves ? *rounds : most_rounds;

  json document{{"$schema", "stackx/project/1"},
                {"name", project_name(asked)},
                {"catalogs", asked.catalogs},
                {"requires", asked.roots},
                {"hardware", asked.hardware},
                {"pins", pins(candidates, asked.hardware)},
                {"workload", workload_json(asked, kind, result.notes)}};
  const auto project = specs::parse_project(
      specs::Node::parse_text(document.dump(), "the settling campaign"), catalog);
  const bool here =
      std::ranges::any_of(asked.hardware, [](const auto& one) { return one.second == "host"; });
  if (!here) check_candidates(candidates, project, catalog);
  const auto stacks =
      here ? resolver::BigInt(candidates.size()) : resolver::Resolver(project, catalog).count();
  result.stacks = stacks.str();
  if (stacks > candidates.size())
    result.notes.push_back(
        fmt::format("The candidates' versions cross: {} stacks are valid, {} of them candidates; "
                    "the others tell which "
                    "component makes the difference.",
                    result.stacks, candidates.size()));

  result.arms = stacks.convert_to<std::size_t>() + 1;  // and a sentinel
  const double each = python ? python_seconds : native_seconds;
  result.minutes = std::ceil(1.5 * static_cast<double>(result.arms * result.rounds) * each / 60 +
                             build_minutes * static_cast<double>(result.arms - 1));
  document["campaign"] = {{"sampler", {{"kind", "all"}}},
                          {"rounds", result.rounds},
                          {"budget", {{"minutes", result.minutes}}},
                          {"runner", container ? "container" : "local"},
                          {"sentinels", 1},
                          {"limits", {{"seconds", 300}, {"memory_gib", 16}}}};
  const auto why = result.resolves
                       ? fmt::format("{} rounds resolve differences of {:.3g} % at {}.",
                                     result.rounds, 100 * asked.delta, spread_text(asked.spread))
                       : fmt::format("{} rounds do not resolve differences of {:.3g} % at {}.",
                                     result.rounds, 100 * asked.delta, spread_text(asked.spread));
  result.notes.insert(result.notes.begin(), why);
  document["description"] =
      candidates.size() == 1
          ? fmt::format("How fast is {} on {}? {}", asked.workload.text(), asked.hw, why)
          : fmt::format("Which of {} stacks runs {} fastest on {}? {}", candidates.size(),
                        asked.workload.text(), asked.hw, why);
  result.text = document.dump(2) + "\n";
  return result;
}

}  // namespace stackx::advisor
