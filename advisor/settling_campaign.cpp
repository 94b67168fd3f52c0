#include "advisor/settling_campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>

#include "advisor/recipes/parts.hpp"
#include "analysis/statistics/comparison.hpp"
#include "analysis/text/words.hpp"
#include "resolver/resolver.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/project/own_pis.hpp"
#include "specs/project/project.hpp"

namespace stackx::advisor {
namespace {

using analysis::counted;
using nlohmann::json;

constexpr double over_estimate = 2.5;
constexpr double effects[] = {0.05, 0.1, 0.2};    // tried in turn, from the one asked for
constexpr std::size_t fewest_useful_rounds = 12;  // as campaigns have them; below it one odd inspection decides
// Of one inspection: start, check, warm-up, 20 samples; of one stack: fetching and installing.
constexpr double python_seconds = 20, native_seconds = 2;
constexpr double python_build_minutes = 5, native_build_minutes = 0.5;

bool needs_container(const specs::Stack& stack, const specs::Catalog& catalog) {
  return std::ranges::any_of(stack.components, [&](const auto& one) {
    const auto* component = catalog.find(one.first);
    return component != nullptr && component->kind == specs::Kind::image;
  });
}

// All candidates on the newest driver that any names: on a machine they have one.
std::vector<specs::Stack> on_one_driver(std::vector<specs::Stack> stacks, const specs::Catalog& catalog,
                                        std::vector<std::string>& notes) {
  const specs::VersionEntry* newest = nullptr;
  for (const auto& stack : stacks)
    if (const auto at = stack.components.find("driver"); at != stack.components.end()) {
      const auto* entry = catalog.find("driver", at->second);
      if (entry != nullptr && (newest == nullptr || newest->version < entry->version)) newest = entry;
    }
  if (newest == nullptr) return stacks;
  for (auto& stack : stacks) stack.components["driver"] = newest->version.text();
  notes.push_back("It takes the driver of the machine that it runs on.");
  std::vector<specs::Stack> different;
  for (const auto& stack : stacks)
    if (std::ranges::find(different, stack) == different.end()) different.push_back(stack);
  if (different.size() < stacks.size()) notes.push_back("Candidates that differ in the driver only are one there.");
  return different;
}

// So that `resolve` of the file counts the candidates, and what their versions cross to.
json pins(const std::vector<specs::Stack>& stacks, const std::map<std::string, std::string>& hardware) {
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

// A stack without what the project's hardware says: that is filled in where the campaign runs.
json listed(const std::vector<specs::Stack>& stacks, const std::map<std::string, std::string>& hardware) {
  json list = json::array();
  for (const auto& stack : stacks) {
    json one = json::object();
    for (const auto& [name, version] : stack.components)
      if (!hardware.contains(name)) one[name] = version;
    list.push_back(std::move(one));
  }
  return list;
}

std::string project_name(const Settling& asked) {
  std::string name = "settle";
  for (const auto& part : {asked.hw, asked.workload.pi}) {
    name += '-';
    for (const char c : part)
      name += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ? c
              : c >= 'A' && c <= 'Z'                                       ? static_cast<char>(c - 'A' + 'a')
                                                                           : '-';
  }
  return name;
}

std::string spread_text(const ExpectedSpread& spread) {
  const auto percent = fmt::format("{:.3g}%", 100 * spread.cv);
  if (spread.inspections > 0)
    return fmt::format("a CV of {} between inspections (n={}, {})", percent, spread.inspections, spread.from);
  return fmt::format("a CV of {} between inspections, which is assumed: {}", percent, spread.from);
}

std::string time_text(double minutes) {
  if (minutes < 1.5) return "1 min";
  if (minutes < 90) return fmt::format("{:.0f} min", minutes);
  if (minutes < 48 * 60) return fmt::format("{:.0f} h", minutes / 60);
  return fmt::format("{:.0f} days", minutes / 60 / 24);
}

// What one campaign of a size costs and finds.
struct Size {
  std::size_t stacks = 0, rounds = 0;
  double effect = 0, minutes = 0;
};

double minutes_of(std::size_t stacks, std::size_t rounds, bool python) {
  const double each = python ? python_seconds : native_seconds;
  const double build = python ? python_build_minutes : native_build_minutes;
  return std::ceil(static_cast<double>((stacks + 1) * rounds) * each / 60 + build * static_cast<double>(stacks));
}

std::optional<Size> size_for(const Settling& asked, std::size_t stacks, double effect, bool python) {
  const auto found =
      analysis::rounds_to_find(effect, asked.delta, asked.spread.cv, std::max<std::size_t>(stacks, 2) - 1, 0.95);
  if (!found) return std::nullopt;
  const auto rounds = std::max(*found, fewest_useful_rounds);
  return Size{stacks, rounds, effect, minutes_of(stacks, rounds, python)};
}

// All candidates at the effect asked for, else at a larger one, else fewer candidates.
std::optional<Size> size_in_time(const Settling& asked, std::size_t candidates, bool python) {
  for (std::size_t stacks = candidates; stacks >= std::min<std::size_t>(2, candidates); --stacks)
    for (double effect = asked.effect; effect > 0;) {
      if (const auto size = size_for(asked, stacks, effect, python); size && size->minutes <= asked.minutes)
        return size;
      const auto* larger = std::ranges::upper_bound(effects, effect * (1 + 1e-9));
      effect = larger == std::end(effects) ? 0 : *larger;
    }
  return std::nullopt;
}

// Two stacks for as many rounds as the time holds, though they are too few.
Size all_that_fits(const Settling& asked, std::size_t candidates, bool python) {
  Size size{std::min<std::size_t>(candidates, 2), fewest_useful_rounds, *std::rbegin(effects), 0};
  while (minutes_of(size.stacks, size.rounds + 1, python) <= asked.minutes) ++size.rounds;
  size.minutes = minutes_of(size.stacks, size.rounds, python);
  return size;
}

// A shape or type that stackx's PI can be told; all of it where there is no such PI.
json workload_json(const Settling& asked, specs::PiKind kind, SettlingCampaign& result) {
  std::vector<std::string> left_out;
  const specs::Workload runnable{asked.workload.pi, specs::pi_parameters(asked.workload, kind, left_out)};
  if (!left_out.empty())
    result.notes.push_back(
        fmt::format("Left out of the workload, since the PI does not know it: {}.", fmt::join(left_out, ", ")));
  result.needs_program = !specs::has_pi(asked.workload.pi, kind);
  if (result.needs_program)
    result.notes.push_back(
        fmt::format("stackx has no PI for {}: PROGRAM is yours (docs/own-pi.md).", asked.workload.pi));
  return specs::to_json(runnable);
}

void check_candidates(const std::vector<specs::Stack>& stacks, const specs::Project& project,
                      const specs::Catalog& catalog) {
  for (const auto& stack : stacks)
    if (const auto wrong = resolver::violation(project, catalog, stack))
      throw bad_input(fmt::format("stack {} cannot be in a settling campaign: {}", stack.short_id(), *wrong));
}

// The summary, and notes of what had to give way.
void say_size(const Settling& asked, std::size_t given, SettlingCampaign& result) {
  result.summary = fmt::format("{}, {}, about {}, ", counted(result.stacks, "stack"), counted(result.rounds, "round"),
                               time_text(result.minutes));
  if (result.stacks == 1)
    result.summary += asked.by_rate ? "says how fast it is" : "measures it";
  else
    result.summary += fmt::format("{} differences of {:.3g}%", result.resolves ? "finds" : "does not find even",
                                  100 * result.effect);
  result.summary += ".";
  if (result.stacks > 1 && result.effect > 0.01 && !result.what_1_percent_takes.empty())
    result.summary += fmt::format(" (1% would take {}.)", result.what_1_percent_takes);
  std::vector<std::string> notes{fmt::format("The rounds are for {}.", spread_text(asked.spread))};
  if (result.effect > asked.effect * (1 + 1e-9))
    notes.push_back(fmt::format("{:.3g}% instead of {:.3g}%, to stay within {}.", 100 * result.effect,
                                100 * asked.effect, time_text(asked.minutes)));
  if (result.stacks < given)
    notes.push_back(
        fmt::format("{} of {} candidates, to stay within {}.", result.stacks, given, time_text(asked.minutes)));
  result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
}

void write_file(const Settling& asked, const std::vector<specs::Stack>& candidates, bool container, bool python,
                const specs::Catalog& catalog, SettlingCampaign& result) {
  const bool gpu = asked.hardware.contains("gpu");
  const auto kind = !python ? specs::PiKind::native : gpu ? specs::PiKind::framework_on_gpu : specs::PiKind::framework;
  if (gpu && !python)
    for (const auto& one : candidates)
      if (auto where = where_libraries_are(one, catalog); !where.empty()) result.notes.push_back(std::move(where));
  auto hardware = asked.hardware;
  const auto driver = candidates.front().components.find("driver");
  if (driver != candidates.front().components.end()) hardware.try_emplace("driver", "host");
  json document{{"$schema", "stackx/project/1"},
                {"name", project_name(asked)},
                {"catalogs", asked.catalogs},
                {"requires", asked.roots},
                {"hardware", hardware},
                {"pins", pins(candidates, hardware)},
                {"workload", workload_json(asked, kind, result)}};
  document["campaign"] = {{"stacks", listed(candidates, hardware)},
                          {"rounds", result.rounds},
                          {"budget", {{"minutes", std::max(asked.minutes, result.minutes)}}},
                          {"runner", container ? "container" : "local"},
                          {"sentinels", 1},
                          {"limits", {{"seconds", 300}, {"memory_gib", 16}}}};
  document["description"] =
      fmt::format("{} {} on {}? {}", candidates.size() == 1 ? "How fast is" : "Which stack is the fastest for",
                  asked.workload.text(), asked.hw, result.summary);
  auto project = specs::parse_project(specs::Node::parse_text(document.dump(), "the settling campaign"), catalog);
  for (const char* component : {"driver", "gpu"})  // "host", or a name of several: as the candidates were resolved
    if (const auto its = candidates.front().components.find(component); its != candidates.front().components.end() && hardware.contains(component))
      project.hardware[component] = its->second;
  if (std::ranges::none_of(project.hardware, [](const auto& one) { return one.second == "host"; }))
    check_candidates(candidates, project, catalog);
  result.text = document.dump(2) + "\n";
}

}  // namespace

ExpectedSpread assumed_spread() {
  return {0.02, 0,
          "nothing measured says more; the first rounds will, and `advise` then tells how many are "
          "lacking"};
}

std::optional<std::size_t> estimated_rounds(double delta, double cv, std::size_t comparisons, double confidence) {
  const double spread = std::numbers::sqrt2 * std::sqrt(std::log1p(cv * cv));  // of a ratio of two such rates
  return analysis::rounds_by_interval(spread, std::log1p(delta), (1 - confidence) / static_cast<double>(std::max<std::size_t>(comparisons, 1)));
}

std::optional<std::size_t> rounds_to_resolve(double delta, double cv, std::size_t comparisons) {
  const auto estimate = estimated_rounds(delta, cv, comparisons);
  if (!estimate) return std::nullopt;
  return static_cast<std::size_t>(std::ceil(over_estimate * static_cast<double>(*estimate)));
}

SettlingCampaign settling_campaign(const Settling& asked, const specs::Catalog& catalog) {
  if (asked.candidates.empty()) throw bad_input("a settling campaign needs at least one candidate");
  SettlingCampaign result;
  auto candidates = on_one_driver(asked.candidates, catalog, result.notes);
  const bool container =
      std::ranges::any_of(candidates, [&](const auto& one) { return needs_container(one, catalog); });
  const bool python = container || candidates.front().components.contains("python");
  const auto given = candidates.size();
  const auto fits = size_in_time(asked, given, python);
  const auto size = fits ? *fits : all_that_fits(asked, given, python);
  candidates.resize(size.stacks);
  result.resolves = fits.has_value();
  result.stacks = size.stacks;
  result.rounds = size.rounds;
  result.arms = size.stacks + 1;  // and a sentinel
  result.minutes = size.minutes;
  result.effect = size.effect;
  if (const auto percent = size_for(asked, size.stacks, 0.01, python))
    result.what_1_percent_takes = time_text(percent->minutes);
  say_size(asked, given, result);
  write_file(asked, candidates, container, python, catalog, result);
  return result;
}

}  // namespace stackx::advisor
