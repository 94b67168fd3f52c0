#include "blame/versions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "blame/between/packages.hpp"
#include "pypi/catalog/candidates.hpp"

namespace stackx::blame {
namespace {

// The end with what a set of the other changes makes of it, and one package at another version.
End end_with(const Asked& asked, const Subset& is_new, const std::string& package, const std::string& version) {
  End end = asked.new_end;
  end.packages.clear();
  for (const auto& [name, one] : asked.between.stack(is_new).components)
    if (name != "python") end.packages[name] = one;
  end.packages[package] = version;
  end.hashes.erase(package);  // the lock's are of other versions
  end.text = fmt::format("{} {}", package, version);
  return end;
}

std::vector<std::string> releases_between(Asked& asked, const Change& change) {
  const auto listings = (**asked.index).listings({change.component});
  const auto& listing = listings.at(change.component);
  if (!listing) return {};
  const pypi::Targets targets({asked.new_end.python}, asked.platform);
  pypi::Rules rules;
  rules.prereleases = true;
  const auto range = [&](const std::string& text) { return *specs::SpecifierSet::parse(text, specs::Versioning::pep440); };
  const auto candidates = pypi::choose(change.component, *listing, {{range(">=0.dev0")}}, targets, rules);
  const auto parsed = [](const std::string& text) { return *specs::Version::parse(text, specs::Versioning::pep440); };
  auto low = parsed(change.old_version), high = parsed(change.new_version);
  const bool backwards = high < low;
  if (backwards) std::swap(low, high);
  std::vector<std::string> result;
  for (const auto& one : candidates.kept)
    if (one.by_name == specs::ByName::no && low < one.version && one.version < high) result.push_back(one.version.text());
  if (backwards) std::ranges::reverse(result);
  return result;
}

// A mixture, and what it breaks beyond what the new end breaks itself.
struct Mixture {
  Between made;
  std::vector<std::string> broken;
};

Mixture mixture(Asked& asked, const End& end, const std::vector<std::string>& usual) {
  Mixture result{between_packages(end, end, **asked.index, {asked.new_end.python, asked.platform}), {}};
  for (const auto& one : result.made.broken)
    if (std::ranges::find(usual, one) == usual.end()) result.broken.push_back(one);
  return result;
}

// The largest step makes most of the whole.
bool is_all(const Answer& answer) {
  for (const auto& suspect : answer.suspects)
    if (suspect.role == Suspect::Role::culprit) return suspect.log() / answer.total.log > 0.8;
  return false;
}

}  // namespace

bool has_releases(const Asked& asked, std::size_t group) {
  const auto& change = asked.between.changes[asked.between.groups[group].changes.front()];
  return asked.index && !change.is_one_sided() && change.component != "python";
}

std::optional<VersionWalk> version_walk(Asked& asked, std::size_t group) {
  if (!has_releases(asked, group)) return std::nullopt;
  const auto& change = asked.between.changes[asked.between.groups[group].changes.front()];
  VersionWalk walk;
  walk.package = change.component;
  walk.catalog = asked.job.loaded.catalog;
  const auto& lattice = asked.question.lattice;
  const auto all = lattice.all(), without = lattice.without(all, {group});
  auto stacks = std::vector<specs::Stack>{asked.question.stack(without)};
  walk.versions = {change.old_version};
  const auto usual = mixture(asked, asked.new_end, {}).broken;
  // Where the others are new, if that may be; else as they were.
  const std::vector<Subset> companies{all, without, lattice.with(lattice.none(), {group}), lattice.none()};
  constexpr std::size_t first_old = 2;
  for (const auto& version : releases_between(asked, change)) {
    std::string why;
    for (std::size_t i = 0; i < companies.size(); ++i) {
      const auto& company = companies[i];
      const auto [made, broken] = mixture(asked, end_with(asked, company, walk.package, version), usual);
      if (!broken.empty()) {
        if (why.empty()) why = broken.front();
        continue;
      }
      why.clear();
      walk.catalog.components.at(walk.package).versions.push_back(*made.catalog.find(walk.package, version));
      auto stack = asked.question.stack(company);
      stack.components[walk.package] = version;
      stacks.push_back(std::move(stack));
      walk.versions.push_back(version);
      if (i >= first_old) walk.in_old_company.push_back(version);
      break;
    }
    if (!why.empty()) walk.skipped.push_back(why);
  }
  walk.versions.push_back(change.new_version);
  stacks.push_back(asked.question.stack(all));
  if (walk.versions.size() < 3) return std::nullopt;
  std::vector<Groups> needs;
  for (std::size_t step = 0; step + 1 < walk.versions.size(); ++step) {
    Groups earlier;
    for (std::size_t i = 0; i < step; ++i) earlier.push_back(i);
    needs.push_back(std::move(earlier));
  }
  walk.question = asked.question;
  walk.question.lattice = Lattice(std::move(needs));
  walk.question.settings.most_suspects = 1;  // the largest step; what all others do together stands beside it
  walk.question.stack = [stacks](const Subset& steps) { return stacks.at(count(steps)); };
  return walk;
}

FirstBad first_bad(const VersionWalk& walk, const Trial& trial, Yardstick metric, bool breaks) {
  FirstBad result;
  result.package = walk.package;
  result.between = walk.versions.size() - 2 + walk.skipped.size();
  result.tried = trial.answer.stacks;
  result.skipped = walk.skipped;
  std::vector<std::string> further;
  for (const auto& suspect : trial.answer.suspects) {
    if (suspect.role != Suspect::Role::culprit) continue;
    const auto& bad = walk.versions.at(suspect.groups.back() + 1);
    if (!result.bad.empty()) {
      further.push_back(fmt::format("{} {}", bad, ratio_from(suspect.high, metric).text()));
      continue;
    }
    result.good = walk.versions.at(suspect.groups.front());
    result.bad = bad;
    result.effect = ratio_from(suspect.high, metric);
  }
  if (result.bad.empty())
    result.text = fmt::format("Which version of {} it began with is not shown: {} of {} measured.", walk.package, result.tried, walk.versions.size());
  else if (breaks)
    result.text = fmt::format("It began with {} {}: {} is the last that runs, {} of {} versions measured.", walk.package, result.bad, result.good,
                              result.tried, walk.versions.size());
  else
    result.text = fmt::format("{} {} {}: {} after {}, {} of {} versions measured.", is_all(trial.answer) ? "It began with" : "The largest step is",
                              walk.package, result.bad, result.effect->text(), result.good, result.tried, walk.versions.size());
  if (!further.empty()) result.text += fmt::format(" Further steps: {}.", fmt::join(further, ", "));
  if (!result.bad.empty() && further.empty() && !breaks && !is_all(trial.answer))
    result.text += fmt::format(" All versions together make it {}.", ratio_from(trial.answer.total, metric).text());
  if (!walk.in_old_company.empty())
    result.text += fmt::format(" {} of them ran with the old end's other packages, because the new end's do not allow them.", walk.in_old_company.size());
  if (!walk.skipped.empty())
    result.text += fmt::format(" {} of {} releases between are left out: {}.", walk.skipped.size(), result.between, walk.skipped.front());
  return result;
}

}  // namespace stackx::blame
