#include "advisor/not_known.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "analysis/text/words.hpp"
#include "specs/error.hpp"
#include "specs/project/own_pis.hpp"
#include "specs/python/build_index.hpp"

namespace stackx::advisor {
namespace {

using analysis::counted;

constexpr std::size_t most_candidates = 3;

// What decides a rate most, where results name it.
constexpr const char* telling[] = {"cuda", "cudnn", "tensorflow", "torch", "jax", "mxnet"};

// The versions of the component that published stacks of these tables name.
std::set<std::string> published_versions(const HardwareAdvice& advice, const std::string& name) {
  std::set<std::string> result;
  for (const auto& group : advice.published.groups)
    for (const auto& row : group.rows)
      if (const auto found = row.stack.components.find(name); found != row.stack.components.end())
        result.insert(found->second);
  return result;
}

// "Published results name cuda up to 10.1.243; 45 newer versions are valid, up to 12.9.1."
std::string gap_line(const HardwareAdvice& advice, const std::string& name) {
  const auto named = published_versions(advice, name);
  const auto possible = advice.space ? advice.space->possible(name) : std::vector<std::string>{};
  if (named.empty() || possible.empty()) return "";
  std::optional<specs::Version> newest;
  for (const auto& text : named)
    if (auto version = specs::Version::parse(text, specs::Versioning::pep440))
      if (!newest || *newest < *version) newest = *version;
  if (!newest) return "";
  const auto newer = std::ranges::count_if(possible, [&](const auto& text) {
    const auto version = specs::Version::parse(text, specs::Versioning::pep440);
    return version && *newest < *version;
  });
  if (newer == 0) return "";
  return fmt::format("Published results name {} up to {}; {} valid here, up to {}: nobody published "
                     "them.",
                     name, newest->text(),
                     newer == 1 ? "1 newer version is" : fmt::format("{} newer versions are", newer),
                     possible.back());
}

std::size_t ties(const analysis::PublishedGroup& group) {
  return static_cast<std::size_t>(
      std::ranges::count(group.rows, group.rows.front().rank, &analysis::PublishedRow::rank));
}

void add_candidate(const HardwareAdvice& advice, std::vector<specs::Stack>& candidates,
                   const specs::Stack& stack) {
  if (candidates.size() == most_candidates ||
      std::ranges::find(candidates, stack) != candidates.end() ||
      resolver::violation(advice.space->project(), advice.space->catalog(), stack))
    return;
  candidates.push_back(stack);
}

ExpectedSpread spread_of(const HardwareAdvice& advice) {
  for (const auto& row : advice.measured.recommendations)
    if (row.cv)
      return {*row.cv, row.inspections,
              fmt::format("measured, {} on {}", row.stack.short_id(), advice.selection.hw)};
  return assumed_spread();
}

// A package is advised that nobody measured here.
bool advises_unmeasured_package(const HardwareAdvice& advice) {
  return advice.candidate && advice.measured.recommendations.empty();
}

// The catalogs have not every package that is advised (PyTorch for processors, vLLM): another framework's time would say
// nothing of it.
std::vector<specs::Stack> of_what_is_advised(const HardwareAdvice& advice, std::vector<specs::Stack> candidates) {
  if (advises_unmeasured_package(advice))
    std::erase_if(candidates, [&](const auto& stack) { return !stack.components.contains(advice.candidate->package); });
  return candidates;
}

// Where all candidates compute with the same library, that one, so that no other comes in.
std::map<std::string, std::string> roots_of(const HardwareAdvice& advice,
                                            const std::vector<specs::Stack>& candidates) {
  const auto library = ValidSpace::library_of(candidates.front());
  const bool shared = !library.empty() && std::ranges::all_of(candidates, [&](const auto& stack) {
    return ValidSpace::library_of(stack) == library;
  });
  if (!shared) return advice.roots;
  auto roots = advice.roots;
  std::erase_if(roots, [](const auto& root) { return root.first.starts_with("gpu-"); });
  roots[library] = "*";
  return roots;
}

}  // namespace

namespace {

// How many cores a machine has that is only named, nobody knows here.
std::vector<specs::Stack> on_one_core(std::vector<specs::Stack> stacks, const ValidSpace& space) {
  for (auto& stack : stacks) {
    if (!stack.components.contains("threads")) continue;
    auto one = stack;
    one.components["threads"] = "1";
    if (!resolver::violation(space.project(), space.catalog(), one)) stack = one;
  }
  return stacks;
}

// A release that this machine has, where the stack may run on one.
specs::Stack on_python_here(specs::Stack stack, const ValidSpace& space, const std::vector<std::string>& pythons) {
  const auto python = stack.components.find("python");
  if (python == stack.components.end() || stack.components.contains("image")) return stack;
  for (const auto& release : pythons) {
    auto here = stack;
    here.components["python"] = release;
    if (!resolver::violation(space.project(), space.catalog(), here)) return here;
  }
  return stack;
}

// The same numbers wherever they are said: those of the file.
NotKnown with_size(NotKnown open, const HardwareAdvice& advice, double delta) {
  if (open.candidates.empty()) return open;
  try {
    const auto campaign = settle(advice, open, delta);
    open.candidates.resize(std::min(open.candidates.size(), campaign.stacks));
    open.rounds = campaign.rounds;
    open.effect = campaign.effect;
    open.to_settle = campaign.summary;
    open.needs_program = campaign.needs_program;
  } catch (const Error&) {  // --settle says why there is none
  }
  return open;
}

}  // namespace

NotKnown not_known(const HardwareAdvice& advice, double delta) {
  NotKnown open;
  const auto& hw = advice.selection.hw;
  const auto& measured = advice.measured.recommendations;
  if (measured.empty()) {
    const bool something = !advice.published.groups.empty() ||
                           advice.published.without_stack > 0 || !advice.predicted.rows.empty();
    const bool own = std::ranges::any_of(advice.published.groups, [](const auto& group) {
      return std::ranges::any_of(group.rows, &analysis::PublishedRow::own);
    });
    open.lines.push_back(fmt::format(
        "Nobody has measured {} on {} with stackx{}.", advice.selection.asked.text(), hw,
        own       ? " but for the stacks that say n=...; the rest of what stands above is others' numbers, or predicted"
        : something ? ": what stands above is others' numbers without intervals, or predicted"
                  : ", and nothing published or predicted stands in for it"));
  }
  for (const char* name : telling)
    if (auto line = gap_line(advice, name); !line.empty()) open.lines.push_back(std::move(line));
  for (const auto& refused : advice.predicted.refused)
    open.lines.push_back(fmt::format("No prediction: {}.", refused));
  if (!advice.published.groups.empty() && ties(advice.published.groups.front()) > 1 && measured.empty())
    open.lines.push_back(fmt::format("Which of the {} first of the first table is faster.",
                                     counted(ties(advice.published.groups.front()), "stack")));
  for (const auto& row : measured)
    if (row.versus_best && row.versus_best->verdict == analysis::Verdict::unresolved) {
      open.lines.push_back(fmt::format(
          "Whether {} is as {} as the first{}.", row.stack.short_id(), advice.measured.yardstick.is_rate() ? "fast" : "good",
          row.versus_best->further_rounds
              ? fmt::format(": about {} more rounds would tell", *row.versus_best->further_rounds)
              : ""));
      break;
    }
  open.spread = spread_of(advice);
  if (!advice.space || advice.space->count() == 0) return open;
  if (!advice.chosen) {  // nothing to begin with: some that differ in much
    open.candidates = of_what_is_advised(advice, advice.space->resolver().apart(most_candidates, 1));
    return with_size(std::move(open), advice, delta);
  }
  add_candidate(advice, open.candidates, advice.chosen->valid.stack);
  for (std::size_t i = 0; i < std::min<std::size_t>(measured.size(), most_candidates); ++i)
    add_candidate(advice, open.candidates, measured[i].stack);
  if (measured.empty()) add_candidate(advice, open.candidates, advice.latest);
  if (open.candidates.size() == 1)
    add_candidate(advice, open.candidates, advice.space->latest_before(open.candidates.front()));
  open.candidates = of_what_is_advised(advice, std::move(open.candidates));
  return with_size(std::move(open), advice, delta);
}

namespace {

// Of a package that no catalog knows: `inspect` takes its releases from the index, of processors from PyTorch's.
std::string measured_by_releases(const HardwareAdvice& advice) {
  const auto& candidate = *advice.candidate;
  const auto index = specs::build_index(candidate.package, candidate.version);
  const auto program = specs::has_pi(advice.selection.asked.pi) ? "--workload " + advice.selection.asked.text() : "--pi PROGRAM";
  return fmt::format("on such a machine `stackx inspect {} {}{}` measures its releases", candidate.package, program,
                     index ? " --index-url " + index->url : "");
}

}  // namespace

SettlingCampaign settle(const HardwareAdvice& advice, const NotKnown& open, double delta, const std::vector<std::string>& pythons) {
  if (advice.accelerator && advice.accelerator->vendor != "nvidia")
    throw bad_input(fmt::format("--settle: stackx measures on processors and NVIDIA's GPUs, not on {}; --format writes down what to run there",
                                advice.accelerator->title));
  if (open.candidates.empty() && advises_unmeasured_package(advice))
    throw bad_input(fmt::format("--settle: the catalogs do not say how to install {} for {} on {}; {}", advice.candidate->package,
                                advice.selection.asked.text(), advice.selection.hw, measured_by_releases(advice)));
  if (open.candidates.empty())
    throw bad_input(fmt::format(
        "--settle: no stack of the catalogs is known to run {} on {}, or what was measured is not of "
        "them; write a project yourself",
        advice.selection.asked.text(), advice.selection.hw));
  const auto& hardware = advice.selection.hardware;
  const bool named_cpu = hardware.component == "cpu" && hardware.version != "host";
  Settling asked{advice.selection.hw,
                 {},
                 advice.chosen ? advice.chosen->workload : advice.selection.asked,
                 named_cpu ? on_one_core(open.candidates, *advice.space) : open.candidates,
                 advice.space->project().catalogs,
                 roots_of(advice, open.candidates),
                 open.spread,
                 delta};
  if (advice.space->project().hardware.contains(hardware.component))
    asked.hardware = {{hardware.component, hardware.models.size() > 1 ? hardware.name : hardware.version}};  // any of them will do
  asked.by_rate = advice.yardstick.is_rate();
  std::set<std::string> elsewhere;
  for (auto& stack : asked.candidates) {
    stack = on_python_here(std::move(stack), *advice.space, pythons);
    const auto python = stack.components.find("python");
    if (python == stack.components.end() || stack.components.contains("image") || pythons.empty()) continue;
    if (std::ranges::find(pythons, python->second) == pythons.end()) elsewhere.insert(python->second);
  }
  auto campaign = settling_campaign(asked, advice.space->catalog());
  if (!elsewhere.empty())
    campaign.notes.push_back(fmt::format("Python {} is not on this machine: install it where the campaign runs.",
                                         fmt::join(elsewhere, " and ")));
  return campaign;
}

}  // namespace stackx::advisor
