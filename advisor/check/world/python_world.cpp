#include "advisor/check/world/python_world.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>

#include "advisor/check/world/pythons.hpp"
#include "advisor/facts/frameworks.hpp"
#include "specs/catalog/open.hpp"
#include "specs/error.hpp"
#include "specs/python/wheel_target.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

using specs::Component;
using specs::GpuBuild;
using specs::PackageRelease;
using specs::Requirement;
using specs::SpecifierSet;
using specs::Version;
using specs::VersionEntry;
using specs::Versioning;

Requirement needs(const std::string& component, const SpecifierSet& versions) {
  const auto text = versions.text().empty() ? "*" : versions.text();
  return {component, "", {{{versions, {}}}, text}};
}

// What an installer does not know: it installs, and cannot be used.
Requirement fails(const std::string& words) {
  return {"use", "", {{{*SpecifierSet::parse("==none", Versioning::opaque), {}}}, words}};
}

// One that nothing meets, told in `words`.
Requirement cannot(const std::string& words) {
  return {"machine", "", {{{*SpecifierSet::parse("==none", Versioning::opaque), {}}}, words}};
}

bool is_local(const Version& version) { return specs::is_local(version.text()); }

// "==2.4.0", "===2.4.0": names one version, yanked or not.
bool names_one(const SpecifierSet& versions) { return !specs::single_version(versions).empty(); }

// manylinux_2_28_x86_64 -> 28; of what says nothing 0.
int glibc_of(const std::string& platform) {
  if (platform.starts_with("manylinux1_")) return 5;
  if (platform.starts_with("manylinux2010_")) return 12;
  if (platform.starts_with("manylinux2014_")) return 17;
  constexpr std::string_view prefix = "manylinux_2_";
  return platform.starts_with(prefix) ? std::atoi(platform.c_str() + prefix.size()) : 0;
}

class Builder {
 public:
  Builder(const Knowledge& knowledge, const Question& question, const std::string& python)
      : knowledge_(knowledge), question_(question), target_(python, "linux " + question.machine) {
    world_.python = python;
    for (const auto& other : known_pythons()) others_.emplace_back(other, "linux " + question.machine);
  }

  PythonWorld run() {
    add_machine();
    for (const auto& placed : question_.constraints)
      if (placed.dependency.holds(target_.environment())) constrained_[knowledge_.real_name(placed.dependency.name)].push_back(placed.dependency.versions);
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
    drop_what_says_nothing();
    requirers_first();
    return std::move(world_);
  }

 private:
  struct Wish {
    std::string name, extra;
    SpecifierSet versions;
  };

  // What is asked for and required by another that is asked for comes after it: pip goes back on the newest torch where
  // the vllm that it comes to later pins another, whichever of the two was named first.
  void requirers_first() {
    std::vector<std::string> names;
    std::map<std::string, std::size_t> place;
    for (const auto& name : world_.order)
      if (asked_.contains(name) && place.emplace(name, names.size()).second) names.push_back(name);
    std::vector<std::set<std::string>> reached;
    for (const auto& name : names) reached.push_back(reached_from(name));
    std::vector<std::vector<std::size_t>> after(names.size());
    std::vector<std::size_t> before(names.size());  // how many of those that must come first are left
    for (std::size_t i = 0; i < names.size(); ++i)
      for (const auto& name : reached[i])
        if (const auto found = place.find(name); found != place.end() && !reached[found->second].contains(names[i])) {
          after[i].push_back(found->second);
          ++before[found->second];
        }
    std::set<std::size_t> free;  // of these the one that was named first is next
    for (std::size_t i = 0; i < names.size(); ++i)
      if (before[i] == 0) free.insert(i);
    std::vector<std::string> sorted;
    while (!free.empty()) {
      const auto first = *free.begin();
      free.erase(free.begin());
      sorted.push_back(names[first]);
      for (const auto one : after[first])
        if (--before[one] == 0) free.insert(one);
    }
    auto next = sorted.begin();
    for (auto& name : world_.order)
      if (asked_.contains(name)) name = *next++;
  }

  std::set<std::string> reached_from(const std::string& name) const {
    std::set<std::string> reached;
    std::vector<std::string> waiting{name};
    while (!waiting.empty()) {
      const auto* from = world_.catalog.find(waiting.back());
      waiting.pop_back();
      if (!from) continue;
      for (const auto& entry : from->versions)
        for (const auto& one : entry.requires_)
          if (!is_given(one.component) && reached.insert(one.component).second) waiting.push_back(one.component);
    }
    return reached;
  }

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
    world_.project.hardware["gpu"] = asked.name;
    if (asked.vendor != "nvidia" || asked.compute_capability.empty()) return;
    auto driver = knowledge_.drivers().component(asked.compute_capability);
    if (!question_.driver.empty()) {
      specs::add_open(driver, question_.driver);
      world_.project.hardware["driver"] = question_.driver;
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

  void add_unknown(const specs::Package& package, const SpecifierSet& versions) {
    PythonWorld::Unknown unknown{package.name, versions.text(), {}};
    auto wanted = versions.text();
    wanted.erase(0, std::min(wanted.find_first_not_of("=<>!~ "), wanted.size()));
    const auto version = Version::parse(wanted, Versioning::pep440);
    std::string below, above, newest;  // the neighbours of the one that was asked for
    for (const auto& release : package.releases) {
      if (is_local(release.version) != specs::is_local(wanted)) continue;
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

  // pip takes a local build only where somebody names one, and what was yanked only where it is named alone.
  bool allowed(const std::string& name, const PackageRelease& release, const SpecifierSet& versions) const {
    if (!versions.contains(release.version)) return false;
    if (is_local(release.version) && !specs::is_local(versions.text())) {
      if (!question_.any_build.contains(name)) return false;
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

  VersionEntry entry(const specs::Package& package, const PackageRelease& release) {
    VersionEntry made;
    made.version = release.version;
    add_places(package, release, made);
    const auto fact = knowledge_.about(package.name, release.version, "", question_.machine);
    if (fact.built_for && !fact.built_for->cuda.empty()) made.attributes["cuda"] = fact.built_for->cuda;
    add_dependencies(package, release, "", made);
    if (const auto* own = knowledge_.own(package.name, release.version)) add_own(*own, made);
    if (question_.gpu) add_build(fact, made);
    if (question_.gpu) add_no_build(package.name, fact, made);
    if (const auto words = system_failure(knowledge_, fact, question_); !words.empty()) made.requires_.push_back(fails(words));
    if (!fact.fails.empty()) made.requires_.push_back(fails(fact.fails));
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
    const auto fact = knowledge_.about(package.name, release.version, extra, question_.machine);
    if (!fact.fails.empty()) made.requires_.push_back(fails(fact.fails));
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
      const bool itself = name == package.name;
      if (!itself) {
        made.requires_.push_back(needs(name, dependency.versions));
        want({name, "", dependency.versions});
      }
      for (const auto& other : dependency.extras) {
        const auto versions = itself ? specs::range_or_any("==" + release.version.text()) : dependency.versions;
        if (!knowledge_.package(name) || (itself && other == extra)) continue;
        made.requires_.push_back(needs(name + "+" + other, versions));
        want({name, other, versions});
      }
    }
  }

  // Which wheels there are decides on Python, processor and glibc.
  void add_places(const specs::Package& package, const PackageRelease& release, VersionEntry& made) {
    const auto python = specs::range_or_any(release.requires_python);
    const bool python_fits = python.contains(target_.python_version());
    std::optional<int> glibc;
    for (const auto& tags : release.wheels)
      if (target_.rank(tags))
        for (const auto& platform : tags.platforms)
          glibc = std::min(glibc.value_or(999), glibc_of(platform));
    if (glibc && python_fits) {
      if (*glibc > 5 && !question_.glibc.empty())
        made.requires_.push_back(needs("glibc", specs::range_or_any(fmt::format(">=2.{}", *glibc))));
      return;
    }
    if (release.wheels.empty() && release.source && python_fits) {
      world_.built_here[package.name] = release.version.text();
      return;
    }
    add_missing_wheel(release, python, made);
  }

  void add_missing_wheel(const PackageRelease& release, const SpecifierSet& python, VersionEntry& made) {
    std::vector<std::string> pythons;
    for (const auto& other : others_)
      if (std::ranges::any_of(release.wheels, [&](const auto& tags) { return other.rank(tags).has_value(); }) &&
          python.contains(other.python_version()))
        pythons.insert(pythons.begin(), other.python());
    if (pythons.empty()) {
      made.requires_.push_back(cannot(fmt::format("no wheel for {}", question_.machine)));
      return;
    }
    Requirement requirement{"python", "", {}};
    for (const auto& one : pythons) requirement.constraint.any.push_back({specs::range_or_any("==" + one + ".*"), {}});
    requirement.constraint.text =
        pythons.size() == 1 ? pythons.front() : fmt::format("{} to {}", pythons.front(), pythons.back());
    made.requires_.push_back(std::move(requirement));
  }

  void add_build(const specs::Fact& fact, VersionEntry& made) {
    const auto& gpu = *question_.gpu;
    if (fact.built_for && fact.built_for->known() && !fact.built_for->for_cpus()) {
      const auto& build = *fact.built_for;
      if (!build.gfx.empty() || !build.rocm.empty())
        add_amd_build(build, made);
      else if (gpu.vendor != "nvidia")
        made.requires_.push_back({"gpu", "vendor", {{{*SpecifierSet::parse("==nvidia", Versioning::opaque), {}}}, "nvidia"}});
      else if (!fact.soft)
        add_cuda_build(build, made);
    }
    if (!fact.cudas.empty() && gpu.vendor == "nvidia") {
      Requirement requirement{"torch", "cuda", {}};
      for (const auto& cuda : fact.cudas) requirement.constraint.any.push_back({specs::range_or_any("==" + cuda), {}});
      requirement.constraint.text = fmt::format("{}", fmt::join(fact.cudas, ", "));
      made.requires_.push_back(std::move(requirement));
    }
    for (const auto& [cuda, build] : fact.built_for_cuda)
      made.requires_if.push_back({{{"torch", "cuda", {{{specs::range_or_any("==" + cuda), {}}}, cuda}}},
                                  {{"gpu", "compute_capability", build.runs_on()}}});
  }

  // A framework that was asked for, but not in this build: for CPUs, or for what nobody states.
  void add_no_build(const std::string& name, const specs::Fact& fact, VersionEntry& made) {
    const bool states = fact.built_for && fact.built_for->known();
    const auto no_gpu = [&](const std::string& words) {
      made.requires_.push_back({"gpu", "", {{{*SpecifierSet::parse("==none", Versioning::opaque), {}}}, words}});
    };
    const bool by_plugin = name == "jax" || name == "jaxlib" || with_extras_.contains(name);
    if (states && fact.built_for->for_cpus() && is_for_gpus(name, fact) && asked_.contains(name) && !by_plugin)
      no_gpu(fact.note.empty() ? "none" : fact.note);
    else if (question_.known_only && !states && fact.built_for_cuda.empty() && fact.gpu_from.empty() && knowledge_.has_gpu_facts(name))
      no_gpu("not stated");
  }

  static void add_amd_build(const GpuBuild& build, VersionEntry& made) {
    made.requires_.push_back({"gpu", "vendor", {{{*SpecifierSet::parse("==amd", Versioning::opaque), {}}}, "amd"}});
    if (build.gfx.empty()) return;
    Requirement requirement{"gpu", "gfx", {}};
    for (const auto& one : build.gfx)
      requirement.constraint.any.push_back({*SpecifierSet::parse("==" + one, Versioning::opaque), {}});
    requirement.constraint.text = fmt::format("{}", fmt::join(build.gfx, ", "));
    made.requires_.push_back(std::move(requirement));
  }

  void add_cuda_build(const GpuBuild& build, VersionEntry& made) {
    const auto& capability = question_.gpu->compute_capability;
    made.requires_.push_back({"gpu", "compute_capability", build.runs_on()});
    const auto reach = build.reach(capability);
    const auto least = build.cuda.empty() || build.cuda == "any" ? std::nullopt : knowledge_.drivers().least(build.cuda, reach);
    if (least) made.requires_.push_back(driver_for(build.cuda, *least));
  }

  // Forward compatibility: with cuda-compat as new as the build's CUDA, on a data-center GPU, older branches run it, too.
  Requirement driver_for(const std::string& cuda, const std::string& least) const {
    auto requirement = needs("driver", specs::range_or_any(">=" + least));
    const auto compat = Version::parse(question_.cuda_compat, Versioning::pep440), built = Version::parse(cuda, Versioning::pep440);
    if (!question_.gpu->data_center || !compat || !built || *compat < *built) return requirement;
    for (const auto& branch : knowledge_.drivers().compatible_branches(question_.cuda_compat))
      requirement.constraint.any.push_back({specs::range_or_any(fmt::format(">={},<{}", branch, std::stoi(branch) + 1)), {}});
    return requirement;
  }

  // An open component that some version suits whoever asks for it says nothing about the question.
  void drop_what_says_nothing() {
    const auto of_open = requirements_of_open();
    std::set<std::string> silent;
    std::size_t held = 0;
    for (const auto& [name, requirements] : of_open) {
      const auto suits_all = [&](const VersionEntry& entry) {
        return std::ranges::all_of(requirements, [&](const auto* one) {
          if (++held > most_held) refuse(name, requirements.size());
          return specs::holds(one->constraint, entry.version);
        });
      };
      const auto& versions = world_.catalog.find(name)->versions;
      if (std::ranges::any_of(versions, suits_all))
        silent.insert(name);
      else if ((held += requirements.size() * versions.size()) > most_held)
        refuse(name, requirements.size());
    }
    const auto is_silent = [&](const Requirement& one) { return silent.contains(one.component); };
    for (auto& [name, component] : world_.catalog.components)
      for (auto& entry : component.versions) std::erase_if(entry.requires_, is_silent);
    std::erase_if(world_.project.requires_, is_silent);
    std::erase_if(world_.project.pins, is_silent);
    std::erase_if(world_.catalog.components, [&](const auto& one) { return silent.contains(one.first); });
    std::erase_if(world_.order, [&](const auto& name) { return silent.contains(name); });
  }

  // Pairs of a requirement and a version: of more, which nobody's list has, the resolver makes hours.
  static constexpr std::size_t most_held = 4'000'000;
  [[noreturn]] void refuse(const std::string& name, std::size_t count) const {
    const auto at = std::ranges::find_if(
        question_.asked, [&](const auto& one) { return knowledge_.real_name(one.dependency.name) == name; });
    throw bad_input(fmt::format(
        "{}{}: {} requirements on it that no version meets are more than can be judged; leave some out",
        at == question_.asked.end() ? "" : at->place + ": ", name, count));
  }

  // By name: a list of packages may have ten thousand that no catalog holds.
  std::map<std::string, std::vector<const Requirement*>> requirements_of_open() const {
    std::map<std::string, std::vector<const Requirement*>> found;
    for (const auto& [name, component] : world_.catalog.components)
      if (component.open && name != "driver") found[name];
    const auto take = [&](const std::vector<Requirement>& requirements) {
      for (const auto& one : requirements)
        if (const auto of = found.find(one.component); of != found.end() && one.attribute.empty())
          of->second.push_back(&one);
    };
    for (const auto& [name, component] : world_.catalog.components)
      for (const auto& entry : component.versions) take(entry.requires_);
    take(world_.project.requires_);
    take(world_.project.pins);
    return found;
  }

  const Knowledge& knowledge_;
  const Question& question_;
  specs::Target target_;
  std::vector<specs::Target> others_;
  PythonWorld world_;
  std::set<std::string> asked_, with_extras_;
  std::map<std::string, std::vector<SpecifierSet>> constrained_;
  std::deque<Wish> waiting_;
  std::set<std::tuple<std::string, std::string, std::string>> seen_;
};

}  // namespace

std::string extra_for_gpus(const std::string& package, const specs::Fact& fact) {
  return fact.instead.starts_with(package + "[") ? fact.instead.substr(package.size() + 1, fact.instead.size() - package.size() - 2) : "";
}

bool is_for_gpus(const std::string& package, const specs::Fact& fact) {
  return is_framework(package) || !extra_for_gpus(package, fact).empty();
}

bool is_given(const std::string& component) {
  static const std::set<std::string> given{"python", "machine", "glibc", "gpu", "driver", "use"};
  return given.contains(component);
}

std::string system_failure(const Knowledge& knowledge, const specs::Fact& fact, const Question& question) {
  const auto cuda = fact.system.find("cuda"), cudnn = fact.system.find("cudnn");
  if (!question.gpu || question.gpu->vendor != "nvidia" || cuda == fact.system.end() || cudnn == fact.system.end()) return "";
  const auto* package = knowledge.package("nvidia-cudnn-cu" + specs::major_release(cuda->second));
  if (!package) return "";
  const auto range = specs::range_or_any(fmt::format(">={},=={}.*", cudnn->second, specs::major_release(cudnn->second)));
  bool known = false;
  for (const auto& release : package->releases) {
    if (!range.contains(release.version)) continue;
    const auto one = knowledge.about(package->name, release.version, "", question.machine);
    if (!one.built_for || !one.built_for->known()) continue;
    if (one.built_for->reach(question.gpu->compute_capability) != GpuBuild::Reach::none) return "";
    known = true;
  }
  if (!known) return "";
  return fmt::format("it loads cuDNN {} of the system, and no release of that has kernels for {}", specs::major_release(cudnn->second),
                     gpu_in_words(*question.gpu));
}

PythonWorld python_world(const Knowledge& knowledge, const Question& question, const std::string& python) {
  return Builder(knowledge, question, python).run();
}

}  // namespace stackx::advisor
