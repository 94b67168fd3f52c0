#include "advisor/check/contradiction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advisor/facts/torch_companions.hpp"
#include "specs/python/wheel_target.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

using specs::PackageRelease;
using specs::PlacedDependency;
using specs::SpecifierSet;

// That are held against each other; of more, which nobody's list has, the resolver says what clashes.
constexpr std::size_t most_demands = 100;

SpecifierSet all_of(const std::vector<const PlacedDependency*>& demands) {
  std::vector<std::string> texts;
  for (const auto* one : demands)
    if (!one->dependency.versions.is_any()) texts.push_back(one->dependency.versions.text());
  return specs::range_or_any(fmt::format("{}", fmt::join(texts, ",")));
}

class OfOnePackage {
 public:
  OfOnePackage(const Knowledge& knowledge, const Question& question, std::string name,
               std::vector<const PlacedDependency*> demands)
      : knowledge_(knowledge),
        question_(question),
        name_(std::move(name)),
        demands_(std::move(demands)),
        package_(knowledge.package(name_)) {}

  std::optional<Contradiction> find() const {
    for (const auto* one : demands_)
      if (!is_met(one->dependency.versions)) return of_range(one->dependency.versions);
    if (is_met(all_of(demands_)) || demands_.size() > most_demands) return std::nullopt;
    for (auto one = demands_.begin(); one != demands_.end(); ++one)
      for (auto other = std::next(one); other != demands_.end(); ++other)
        if (!is_met(all_of({*one, *other}))) return of_two(**one, **other);
    return std::nullopt;
  }

 private:
  // Of a package that nobody lists any version may exist.
  bool is_met(const SpecifierSet& versions) const {
    if (!package_) return !versions.is_impossible();
    return std::ranges::any_of(package_->releases,
                               [&](const auto& one) { return is_offered(one, versions) && versions.contains(one.version); });
  }

  // By the indexes that are looked at; a build of another counts where it is named.
  bool is_offered(const PackageRelease& release, const SpecifierSet& versions) const {
    const bool local = specs::is_local(release.version.text());
    const auto& pytorch = question_.pytorch;
    if (local && specs::is_local(versions.text())) return true;
    if (!pytorch || !is_of_pytorch(name_)) return !local || question_.any_build.contains(name_);
    return local ? pytorch->labels_for(name_).contains(specs::local_label(release.version.text())) : !pytorch->is_alone_for(name_);
  }

  std::optional<Contradiction> of_range(const SpecifierSet& versions) const {
    const PackageRelease *below = nullptr, *above = nullptr;
    if (package_)
      for (const auto& release : package_->releases) {
        if (release.yanked || release.version.is_prerelease() || !is_offered(release, versions)) continue;
        const bool is_below = versions.lies_below(release.version), is_above = versions.lies_above(release.version);
        if (is_below && (!versions.is_impossible() || !is_above)) below = &release;
        if (is_above && (!versions.is_impossible() || !is_below) && !above) above = &release;
      }
    if (!versions.is_impossible() && (!above || specs::is_pin(versions))) return std::nullopt;
    Contradiction found;
    std::vector<std::string> near;
    for (const auto* one : {above, below})
      if (one) {
        near.insert(near.begin(), one->version.text());
        found.instead.push_back(with("==" + one->version.text(), ""));
      }
    found.text = fmt::format("no {} of {} is {}", versions.is_impossible() ? "version" : "release", name_, versions.text());
    if (!near.empty()) found.text += fmt::format("; the nearest known {} {}", near.size() == 1 ? "is" : "are", fmt::join(near, " and "));
    return found;
  }

  Contradiction of_two(const PlacedDependency& one, const PlacedDependency& other) const {
    Contradiction found;
    found.text = fmt::format("{} and {} cannot both be had", with_place(one), with_place(other));
    const auto left = specs::single_version(one.dependency.versions), right = specs::single_version(other.dependency.versions);
    found.instead.push_back(with(one.dependency.versions.text(), right));
    found.instead.push_back(with(other.dependency.versions.text(), left));
    if (!left.empty() && !right.empty() && specs::is_newer(right, left)) std::swap(found.instead.front(), found.instead.back());
    return found;
  }

  static std::string with_place(const PlacedDependency& placed) {
    auto demand = placed.dependency;
    demand.marker.reset();
    return demand.text() + (placed.place == "the command line" ? "" : fmt::format(" ({})", placed.place));
  }

  // One demand, with all extras, in the place of those on the package.
  AskedInstead with(const std::string& versions, const std::string& without) const {
    AskedInstead instead{question_, name_, without, versions.starts_with("==") ? versions.substr(2) : versions};
    const auto is_of_it = [&](const auto& name) { return knowledge_.real_name(name) == name_; };
    std::erase_if(instead.question.constraints, [&](const auto& placed) { return is_of_it(placed.dependency.name); });
    std::set<std::string> extras;
    bool seen = false;
    std::erase_if(instead.question.asked, [&](auto& placed) {
      if (!is_of_it(placed.dependency.name)) return false;
      extras.insert(placed.dependency.extras.begin(), placed.dependency.extras.end());
      return std::exchange(seen, true);
    });
    for (auto& placed : instead.question.asked)
      if (is_of_it(placed.dependency.name)) {
        placed.dependency.versions = specs::range_or_any(versions);
        placed.dependency.extras.assign(extras.begin(), extras.end());
        placed.dependency.marker.reset();
      }
    return instead;
  }

  const Knowledge& knowledge_;
  const Question& question_;
  std::string name_;
  std::vector<const PlacedDependency*> demands_;
  const specs::Package* package_;
};

}  // namespace

std::optional<Contradiction> contradiction(const Knowledge& knowledge, const Question& question, const std::string& python) {
  const auto environment = specs::Target(question.release_of(python), "linux " + question.machine).environment();
  std::map<std::string, std::vector<const PlacedDependency*>> demands;
  for (const auto& placed : question.asked)
    if (placed.dependency.holds(environment)) demands[knowledge.real_name(placed.dependency.name)].push_back(&placed);
  for (const auto& placed : question.constraints)
    if (const auto found = demands.find(knowledge.real_name(placed.dependency.name)); found != demands.end())
      if (placed.dependency.holds(environment)) found->second.push_back(&placed);
  for (auto& [name, of_it] : demands) {
    std::erase_if(of_it, [](const auto* placed) { return placed->dependency.versions.is_any(); });
    if (auto found = OfOnePackage(knowledge, question, name, std::move(of_it)).find()) return found;
  }
  return std::nullopt;
}

}  // namespace stackx::advisor
