#include "advisor/check/world/python_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "advisor/check/world/choice_order.hpp"
#include "advisor/check/world/demands.hpp"
#include "advisor/check/world/extras.hpp"
#include "advisor/check/world/open_packages.hpp"
#include "advisor/check/world/pythons.hpp"
#include "advisor/facts/frameworks.hpp"
#include "advisor/facts/torch_companions.hpp"
#include "specs/catalog/open.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

using specs::Component;
using specs::PackageRelease;
using specs::Requirement;
using specs::SpecifierSet;
using specs::Version;
using specs::VersionEntry;
using specs::Versioning;

bool is_local(const Version& version) { return specs::is_local(version.text()); }

// "==2.4.0", "===2.4.0": names one version, yanked or not.
bool names_one(const SpecifierSet& versions) { return !specs::single_version(versions).empty(); }

// "<9" -> ">=9", "<=9" -> ">9".
std::string beyond_range(const std::string& range) { return range.starts_with("<=") ? ">" + range.substr(2) : ">=" + range.substr(1); }

class Builder {
 public:
  Builder(const Knowledge& knowledge, const Question& question, const std::string& python)
      : knowledge_(knowledge), question_(question), target_(question.release_of(python), "linux " + question.machine), demands_(knowledge, question, target_),
        extras_(knowledge, question) {
    world_.python = python;
  }

  PythonWorld run() {
    add_machine();
    for (const auto& placed : question_.constraints)
      if (placed.dependency.holds(target_.environment()))
        constrained_[knowledge_.real_name(placed.dependency.name)].push_back(placed.dependency.versions);
    for (const auto& placed : question_.asked)
      if (placed.dependency.holds(target_.environment())) add_root(placed.dependency);
    while (!waiting_.empty()) {
      const auto wish = std::move(waiting_.front());
      waiting_.pop_front();
      grant(wish);
    }
    for (const auto& [name, ranges] : constrained_)
      if (world_.catalog.find(name))
        for (const auto& one : ranges) world_.project.pins.push_back(needs(name, one));
    auto asked = world_.project.requires_;
    asked.insert(asked.end(), world_.project.pins.begin(), world_.project.pins.end());
    specs::split_open(world_.catalog, asked);
    drop_what_says_nothing(world_, knowledge_, question_);
    requirers_first(world_, asked_);
    return std::move(world_);
  }

 private:
  struct Wish {
    std::string name, extra;
    SpecifierSet versions;
  };

  Component& component(const std::string& name, specs::Kind kind) {
    auto [at, fresh] = world_.catalog.components.try_emplace(name);
    if (fresh) at->second.name = name, at->second.kind = kind;
    return at->second;
  }

  void add_machine() {
    auto& python = component("python", specs::Kind::runtime);
    python.versions.push_back({});
    python.versions.back().version = target_.python_version();
    auto& machine = component("machine", specs::Kind::hardware);
    machine.versioning = Versioning::opaque;
    machine.versions.push_back({});
    machine.versions.back().version = *Version::parse(question_.machine, Versioning::opaque);
    world_.project.hardware["machine"] = question_.machine;
    auto& use = component("use", specs::Kind::hardware);
    use.versioning = Versioning::opaque;
    use.versions.push_back({});
    use.versions.back().version = *Version::parse("here", Versioning::opaque);
    world_.project.hardware["use"] = "here";
    world_.project.hardware["python"] = target_.python_version().text();
    if (!question_.glibc.empty()) {
      auto& glibc = component("glibc", specs::Kind::runtime);
      glibc.versions.push_back({});
      glibc.versions.back().version = *Version::parse(question_.glibc, Versioning::pep440);
      world_.project.hardware["glibc"] = question_.glibc;
    }
    if (question_.gpu) add_gpu(*question_.gpu);
  }

  void add_gpu(const AskedGpu& asked) {
    auto& gpu = component("gpu", specs::Kind::hardware);
    gpu.versioning = Versioning::opaque;
    gpu.versions.push_back({});
    auto& entry = gpu.versions.back();
    entry.version = *Version::parse(asked.name, Versioning::opaque);
    entry.attributes["vendor"] = asked.vendor;
    if (!asked.compute_capability.empty()) entry.attributes["compute_capability"] = asked.compute_capability;
    if (!asked.gfx.empty()) entry.attributes["gfx"] = asked.gfx;
    if (asked.vendor == "google") entry.attributes["tpu"] = asked.name;
    if (asked.vendor == "intel") entry.attributes["xpu"] = asked.architecture;
    if (asked.vendor == "aws") entry.attributes["neuron"] = asked.architecture;
    world_.project.hardware["gpu"] = asked.name;
    if (asked.vendor != "nvidia" || asked.compute_capability.empty()) return;
    const auto there = specs::newest_of_branch(question_.driver);
    auto driver = knowledge_.drivers().component(asked.compute_capability, asked.first_driver, there);
    if (!question_.driver.empty()) {
      world_.project.hardware["driver"] = there;
    } else {
      world_.project.requires_.push_back(needs("driver", SpecifierSet::any(Versioning::pep440)));
    }
    world_.catalog.components["driver"] = std::move(driver);
  }

  void add_root(const specs::Dependency& dependency) {
    const auto name = knowledge_.real_name(dependency.name);
    asked_.insert(name);
    if (!dependency.extras.empty()) with_extras_.insert(name);
    world_.project.requires_.push_back(needs(name, dependency.versions));
    const auto* package = knowledge_.package(name);
    if (!package) {
      want({name, "", dependency.versions});
      return;
    }
    if (std::ranges::none_of(package->releases, [&](const auto& one) { return allowed(name, one, dependency.versions); }))
      add_unknown(*package, dependency.versions);
    want({name, "", dependency.versions});
    for (const auto& extra : dependency.extras) {
      world_.project.requires_.push_back(needs(name + "+" + extra, dependency.versions));
      want({name, extra, dependency.versions});
    }
  }

  // Of the very version that was asked for, of the same kind: 2.9.0+cu126 and 2.9.0+cu128 for 2.9.0+cu129.
  static std::vector<std::string> builds_of(const specs::Package& package, const std::string& wanted) {
    const auto kind = [](const std::string& text) {
      const auto label = specs::local_label(text);
      return label.substr(0, label.find_first_of("0123456789."));
    };
    std::vector<std::string> builds;
    if (!specs::is_local(wanted)) return builds;
    for (const auto& release : package.releases) {
      const auto& text = release.version.text();
      const bool same = specs::public_version(text) == specs::public_version(wanted);
      if (same && specs::is_local(text) && kind(text) == kind(wanted)) builds.push_back(text);
    }
    return builds;
  }

  void add_unknown(const specs::Package& package, const SpecifierSet& versions) {
    PythonWorld::Unknown unknown{package.name, versions.text(), {}};
    auto wanted = versions.text();
    wanted.erase(0, std::min(wanted.find_first_not_of("=<>!~ "), wanted.size()));
    const auto version = Version::parse(wanted, Versioning::pep440);
    unknown.near = builds_of(package, wanted);
    std::string below, above, newest;  // else the neighbours of the one that was asked for, of the same index
    for (const auto& release : package.releases) {
      if (!unknown.near.empty() || specs::local_label(release.version.text()) != specs::local_label(wanted)) continue;
      newest = release.version.text();
      if (version && release.version < *version) below = newest;
      if (version && release.version > *version && above.empty()) above = newest;
    }
    for (const auto& one : {below, above, newest})
      if (!one.empty() && std::ranges::find(unknown.near, one) == unknown.near.end()) unknown.near.push_back(one);
    world_.unknown.push_back(std::move(unknown));
  }

  void want(Wish wish) {
    if (seen_.insert({wish.name, wish.extra, wish.versions.text()}).second) waiting_.push_back(std::move(wish));
  }

  // pip takes a local build only where somebody names one, or the index that has it, and what was yanked only where it is named alone.
  bool allowed(const std::string& name, const PackageRelease& release, const SpecifierSet& versions) const {
    if (!versions.contains(release.version)) return false;
    const bool of_pytorch = question_.pytorch && is_on_pytorch_indexes(name);
    if (of_pytorch && is_of_pytorch(name) && question_.pytorch->is_alone_for(name) && !is_local(release.version)) return false;
    if (is_local(release.version) && !specs::is_local(versions.text())) {
      if (of_pytorch && question_.pytorch->labels_for(name).contains(specs::local_label(release.version.text()))) return !release.yanked;
      if (!question_.any_build.contains(name) || is_torch_companion(name)) return false;  // those follow their torch
      if (question_.known_only && !knowledge_.is_seen(*knowledge_.package(name), release.version, question_.machine)) return false;
    }
    return !release.yanked || names_one(versions);
  }

  void grant(const Wish& wish) {
    const auto* package = knowledge_.package(wish.name);
    const auto name = wish.extra.empty() ? wish.name : wish.name + "+" + wish.extra;
    const bool fresh = !world_.catalog.find(name);
    auto& of = component(name, specs::Kind::package);
    if (fresh) world_.order.push_back(name);
    if (!package) {
      if (!of.versions.empty() || add_for_other_pythons(wish, of)) return;
      of.open = true;
      world_.not_held[wish.name].insert(wish.versions.text());
      return;
    }
    for (const auto& release : package->releases) {
      if (!allowed(wish.name, release, wish.versions) || of.find(release.version.text())) continue;
      auto made = wish.extra.empty() ? entry(*package, release) : extra_entry(*package, release, wish.extra);
      // The map may have grown meanwhile, but its elements stay where they are.
      of.versions.push_back(std::move(made));
    }
  }

  // One version of a package that nobody lists, whose Pythons are known, and this is older than all (NumPy 2.1 on 3.8): on a newer
  // one an installer tries the source archive.
  bool add_for_other_pythons(const Wish& wish, Component& of) const {
    const auto single = specs::single_version(wish.versions);
    if (single.empty()) return false;
    const auto pythons = knowledge_.about(wish.name, specs::pep440_version(single)).pythons;
    if (pythons.empty() || !specs::is_newer(pythons.front(), world_.python)) return false;
    VersionEntry made;
    made.version = specs::pep440_version(single);
    Requirement requirement{"python", "", {}};
    for (const auto& one : pythons) requirement.constraint.any.push_back({specs::range_or_any("==" + one + ".*"), {}});
    requirement.constraint.text = fmt::format("{} to {}", pythons.front(), pythons.back());
    made.requires_.push_back(std::move(requirement));
    of.versions.push_back(std::move(made));
    return true;
  }

  VersionEntry entry(const specs::Package& package, const PackageRelease& release) {
    VersionEntry made;
    made.version = release.version;
    if (!demands_.add_places(release, made)) world_.built_here[package.name] = release.version.text();
    const auto fact = fact_for(knowledge_, package.name, release.version, question_);
    if (fact.built_for && !fact.built_for->cuda.empty()) made.attributes["cuda"] = fact.built_for->cuda;
    libraries_open_ = libraries_open_ || knowledge_.leaves_libraries_open(package.name, release);
    add_dependencies(package, release, "", made);
    for (const auto& [other, range] : knowledge_.beside(package.name, release.version.text()))
      if (asked_.contains(other)) {
        made.requires_.push_back(needs(other, specs::range_or_any(range)));
        want({other, "", specs::range_or_any(range)});  // so that what contradicts it is seen to
      } else if (knowledge_.package(other)) {  // no metadata says it: an installer takes the newer one, which then cannot be used
        made.requires_if.push_back({{needs(other, specs::range_or_any(beyond_range(range)))},
                                    {fails(fmt::format("it works with {} {} alone, and an installer takes a newer one", other, range))}});
      }
    if (const auto* own = knowledge_.own(package.name, release.version)) add_own(*own, made);
    demands_.add_gpu(package.name, fact, asked_.contains(package.name) && !with_extras_.contains(package.name), made);
    if (const auto words = system_failure(knowledge_, fact, question_); !words.empty()) made.requires_.push_back(fails(words));
    if (!fact.fails.empty()) made.requires_.push_back(fails(fact.fails));
    if (!fact.pythons.empty() && std::ranges::find(fact.pythons, world_.python) == fact.pythons.end())
      made.requires_.push_back(fails(fmt::format("what it requires is for Python {} to {}", fact.pythons.front(), fact.pythons.back())));
    return made;
  }

  // What a catalog of the user demands beyond what package metadata can say: attributes, alternatives, conditions, conflicts.
  void add_own(const VersionEntry& own, VersionEntry& made) {
    const auto known = [&](const Requirement& one) { return !is_given(one.component) || world_.catalog.find(one.component); };
    const auto named = [&](Requirement one) {
      if (is_given(one.component)) return one;
      one.component = knowledge_.real_name(one.component);
      want({one.component, "", SpecifierSet::any(Versioning::pep440)});
      return one;
    };
    for (const auto& [name, attribute] : own.attributes) made.attributes[name] = attribute;
    for (const auto& one : own.requires_)
      if (!in_metadata(one) && known(one)) made.requires_.push_back(named(one));
    for (const auto& one : own.conflicts)
      if (known(one)) made.conflicts.push_back(named(one));
    for (const auto& condition : own.requires_if) {
      if (!std::ranges::all_of(condition.if_, known)) continue;
      specs::ConditionalRequirement taken;
      for (const auto& one : condition.if_) taken.if_.push_back(named(one));
      for (const auto& one : condition.then)
        if (known(one)) taken.then.push_back(named(one));
      if (!taken.then.empty()) made.requires_if.push_back(std::move(taken));
    }
  }

  VersionEntry extra_entry(const specs::Package& package, const PackageRelease& release, const std::string& extra) {
    VersionEntry made;
    made.version = release.version;
    made.requires_.push_back(needs(package.name, specs::range_or_any("==" + release.version.text())));
    add_dependencies(package, release, extra, made);
    for (const auto& [other, range] : knowledge_.about(package.name, release.version, extra).requires_) {
      made.requires_.push_back(needs(other, specs::range_or_any(range)));
      want({other, "", specs::range_or_any(range)});
    }
    if (const auto words = extras_.failure(package, release, extra); !words.empty()) made.requires_.push_back(fails(words));
    return made;
  }

  void add_dependencies(const specs::Package& package, const PackageRelease& release, const std::string& extra,
                        VersionEntry& made) {
    const auto* dependencies = knowledge_.requirements(package.name, release);
    if (!dependencies) {
      world_.unread.insert(package.name + " " + release.version.text());
      return;
    }
    auto with = target_.environment();
    with.variables["extra"] = extra;
    auto without = target_.environment();
    without.variables["extra"] = "";
    for (const auto& dependency : *dependencies) {
      const bool holds = dependency.holds(with);
      if (!holds || (!extra.empty() && dependency.holds(without))) continue;
      if (!dependency.url.empty()) continue;
      const auto name = knowledge_.real_name(dependency.name);
      const auto [overridden, instead] = override_of(name);
      if (overridden && !instead) continue;
      const auto& range = instead ? instead->versions : dependency.versions;
      if (libraries_open_ && package.name.starts_with("nvidia-") && name.starts_with("nvidia-")) continue;
      const bool itself = name == package.name;
      if (!knowledge_.package(name))
        world_.required_by[name].insert(fmt::format("{}{}{} {}", package.name, extra.empty() ? "" : "+", extra, release.version.text()));
      if (!itself) {
        made.requires_.push_back(needs(name, range));
        want({name, "", range});
      }
      for (const auto& other : dependency.extras) {
        const auto versions = itself ? specs::range_or_any("==" + release.version.text()) : range;
        if (!knowledge_.package(name) || (itself && other == extra)) continue;
        made.requires_.push_back(needs(name + "+" + other, versions));
        want({name, other, versions});
      }
    }
  }

  // What stands in place of all requirements on the package: of several, by their markers, the one that holds here; null where none does.
  struct Override {
    bool overridden = false;
    const specs::Dependency* instead = nullptr;
  };
  Override override_of(const std::string& name) const {
    Override result;
    for (const auto& [dependency, place] : question_.overrides) {
      if (knowledge_.real_name(dependency.name) != name) continue;
      result.overridden = true;
      if (!result.instead && dependency.holds(target_.environment())) result.instead = &dependency;
    }
    return result;
  }

  const Knowledge& knowledge_;
  const Question& question_;
  specs::Target target_;
  Demands demands_;
  Extras extras_;
  PythonWorld world_;
  std::set<std::string> asked_, with_extras_;
  bool libraries_open_ = false;  // cuDNN of such a build asks for any cuBLAS, and the build, nobody knows how, for one
  std::map<std::string, std::vector<SpecifierSet>> constrained_;
  std::deque<Wish> waiting_;
  std::set<std::tuple<std::string, std::string, std::string>> seen_;
};

}  // namespace

bool is_given(const std::string& component) {
  static const std::set<std::string> given{"python", "machine", "glibc", "gpu", "driver", "use"};
  return given.contains(component);
}

PythonWorld python_world(const Knowledge& knowledge, const Question& question, const std::string& python) {
  return Builder(knowledge, question, python).run();
}

}  // namespace stackx::advisor
