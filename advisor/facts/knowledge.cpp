#include "advisor/facts/knowledge.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/facts/torch_companions.hpp"
#include "advisor/facts/wheel_machines.hpp"
#include "pypi/redistributables.hpp"
#include "specs/catalog/overlay.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

namespace fs = std::filesystem;
using specs::Fact;
using specs::PackageRelease;
using specs::Version;
using specs::Versioning;

bool is_nvidia(const std::string& requirement) {
  return requirement.starts_with("nvidia-") || requirement.starts_with("nvidia_") ||
         requirement.starts_with("cuda-") || requirement.starts_with("pytorch-triton");
}

// What a wheel for CPython 3.9 is called on these machines.
std::vector<specs::WheelTags> wheels_for(const std::vector<std::string>& pythons, const std::vector<std::string>& machines,
                                         std::string glibc) {
  std::ranges::replace(glibc, '.', '_');
  const auto system = glibc.empty() ? "linux_" : "manylinux_" + glibc + "_";
  std::vector<specs::WheelTags> wheels;
  for (auto python : pythons) {
    std::erase(python, '.');
    const bool wide = python == "27";
    const bool with_m = python.size() == 2 && python >= "30" && python <= "37";
    const auto tag = "cp" + python;
    std::vector<std::string> platforms;
    for (const auto& machine : machines) platforms.push_back(system + machine);
    wheels.push_back({{tag}, {wide ? tag + "mu" : with_m ? tag + "m" : tag}, platforms});
  }
  return wheels;
}

// The parts of a fact that were stated replace those of `whole`.
void state(Fact& whole, const Fact& one) {
  if (one.built_for) whole.built_for = one.built_for;
  if (!one.built_for_cuda.empty()) whole.built_for_cuda = one.built_for_cuda;
  for (const auto& [name, range] : one.requires_) whole.requires_[name] = range;  // cuDNN by one source, the rest by another
  for (const auto& [name, range] : one.beside) whole.beside[name] = range;
  if (!one.system.empty()) whole.system = one.system;
  if (!one.gpu_from.empty()) whole.gpu_from = one.gpu_from;
  if (!one.also.empty()) whole.also = one.also;
  if (!one.drops.empty()) whole.drops = one.drops;
  if (!one.glibc.empty()) whole.glibc = one.glibc;
  if (!one.compiled_beside.empty()) whole.compiled_beside = one.compiled_beside;
  if (one.prebuilt) whole.prebuilt = one.prebuilt;
  if (!one.set_for.empty()) whole.set_for = one.set_for;
  if (!one.cudas.empty()) whole.cudas = one.cudas;
  if (!one.pythons.empty()) whole.pythons = one.pythons;
  if (!one.machines.empty()) whole.machines = one.machines;
  if (!one.fails.empty()) whole.fails = one.fails;
  if (!one.note.empty() && (whole.note.empty() || one.built_for || !one.fails.empty())) whole.note = one.note;
  if (!one.through.empty()) whole.through = one.through;
  if (!one.instead.empty()) whole.instead = one.instead;
  if (!one.instead_on.empty()) whole.instead_on = one.instead_on;
  for (const auto& [where, place] : one.elsewhere) whole.elsewhere[where] = place;
  if (!one.exists.empty()) whole.exists = one.exists;
  whole.soft = whole.soft || one.soft;
  whole.known = one.known;
  whole.source = one.source;
  whole.date = one.date;
  whole.file = one.file;
}

}  // namespace

bool in_metadata(const specs::Requirement& requirement) {
  const auto& name = requirement.component;
  return requirement.attribute.empty() && requirement.constraint.any.size() == 1 && name != "driver" && name != "gpu";
}

Knowledge::Knowledge(Places places) : places_(std::move(places)) {
  for (const auto& file : specs::json_files(places_.facts)) read_facts_of(specs::Node::parse_file(file));
  for (const auto& directory : places_.generated)
    for (const auto& [cuda, driver] : pypi::drivers_of_toolkits(pypi::load_cuda_releases(directory / "nvidia/cuda.json")))
      drivers_.add_toolkit(cuda, driver);
  if (!places_.reports.empty()) reports_ = specs::load_reports(places_.reports);
  for (const auto& file : places_.overlays) {
    read_facts_of(specs::Node::parse_file(file));
    specs::lay_over(overlay_, specs::load_catalog(file));
  }
  for (const auto& [name, component] : overlay_.components)
    for (const auto& alias : component.aliases) add_alias(alias, name, component.file);
}

// A package of its own is nobody's alias, and an alias means one package.
void Knowledge::add_alias(const std::string& alias, const std::string& name, const std::string& file) {
  const auto listed = [&](const fs::path& directory) {
    std::error_code error;
    return fs::exists(directory / (alias + ".json"), error);
  };
  if (std::ranges::any_of(places_.generated, listed))
    throw bad_input(fmt::format("{}: /components/{}: the alias \"{}\" is a package of its own; leave it out", file, name, alias));
  const auto [at, fresh] = aliases_.emplace(alias, name);
  if (!fresh && at->second != name)
    throw bad_input(fmt::format("{}: /components/{}: the alias \"{}\" is one of {} already; keep one", file, name, alias, at->second));
}

void Knowledge::read_facts_of(const specs::Node& document) {
  document.schema("stackx/catalog/1");
  drivers_.read(document);
  for (auto& fact : specs::read_facts(document)) facts_[fact.of].push_back(std::move(fact));
  if (const auto components = document.find("components"))
    for (const auto& [name, component] : components->members())
      if (const auto list = component.find("aliases"))
        for (const auto& alias : list->texts()) add_alias(alias, name, document.file());
}

std::string Knowledge::real_name(const std::string& name) const {
  const auto found = aliases_.find(name);
  return found == aliases_.end() ? name : found->second;
}

std::unique_ptr<specs::Package> Knowledge::read(const std::string& name) const {
  auto package = std::make_unique<specs::Package>();
  package->name = name;
  bool listed = false;
  std::error_code error;
  for (const auto& directory : places_.generated)
    if (const auto file = directory / (name + ".json"); fs::exists(file, error)) {
      auto found = specs::load_package(file);
      if (!listed || found.as_of > package->as_of) *package = std::move(found);
      listed = true;
    }
  for (const auto& directory : places_.generated)
    if (const auto file = directory / "pytorch" / (name + ".json"); fs::exists(file, error))
      for (auto& release : specs::load_package(file).releases)
        if (!package->find(release.version)) package->releases.push_back(std::move(release));
  const auto* own = overlay_.find(name);
  if (own && own->kind == specs::Kind::package) lay_over(*package, *own);
  if (listed || !package->releases.empty()) add_builds(*package);
  if (is_torch_companion(name))
    if (const auto* torch = this->package("torch"))
      for (auto& build : companion_builds(*package, *torch)) package->releases.push_back(std::move(build));
  if (!listed && package->releases.empty()) return nullptr;
  std::ranges::stable_sort(package->releases, {}, [](const auto& one) { return one.version.key(); });
  return package;
}

// Releases that only facts name: builds on other indexes.
void Knowledge::add_builds(specs::Package& package) const {
  const auto facts = facts_.find(package.name);
  if (facts == facts_.end()) return;
  std::vector<PackageRelease> added;
  for (const auto& fact : facts->second)
    for (const auto& version : fact.versions) {
      if (!specs::is_local(version.text()) || package.find(version)) continue;
      const auto same = [&](const auto& one) { return one.version == version; };
      if (std::ranges::any_of(added, same)) continue;
      const auto plain_version = specs::pep440_version(specs::public_version(version.text()));
      const auto* plain = package.find(plain_version);
      PackageRelease release;
      if (plain) release = *plain;
      release.version = version;
      release.yanked = release.source = false;
      const auto whole = about(package.name, version);
      auto machines = whole.machines.empty() ? std::vector<std::string>{"x86_64"} : whole.machines;
      for (const auto& other : facts->second)
        if (!other.machine.empty() && other.is_about(version)) machines.push_back(other.machine);
      if (!plain && whole.pythons.empty())  // nobody here knows for which Pythons it was built
        release.wheels = {{{"py3"}, {"none"}, {"linux_x86_64"}}};
      else if (!whole.pythons.empty())
        release.wheels = wheels_for(whole.pythons, machines, whole.glibc), release.requires_python.clear();
      else
        keep_machines(release.wheels, machines);
      if (release.wheels.empty()) continue;
      const auto of_plain = about(package.name, plain_version);
      const bool same_cuda = whole.built_for && of_plain.built_for && whole.built_for->cuda == of_plain.built_for->cuda;
      const bool of_nvidia = !whole.built_for || whole.built_for->vendor() == "nvidia";
      if (release.requires_ && !same_cuda)
        std::erase_if(*release.requires_, [&](const auto& one) { return is_nvidia(one) || (!of_nvidia && one.starts_with("triton")); });
      added.push_back(std::move(release));
    }
  for (auto& release : added) package.releases.push_back(std::move(release));
}

// A version of the user's own: what its catalog says it requires.
void Knowledge::lay_over(specs::Package& package, const specs::Component& component) const {
  overlays_used_.insert(component.file);
  for (const auto& entry : component.versions) {
    PackageRelease release;
    release.version = entry.version;
    release.wheels = {{{"py3", "py2"}, {"none"}, {"any"}}};
    release.requires_.emplace();
    for (const auto& requirement : entry.requires_) {
      if (!in_metadata(requirement)) continue;
      const auto& range = requirement.constraint.any.front().range.text();
      if (requirement.component == "python")
        release.requires_python = range;
      else
        release.requires_->push_back(requirement.component + (range == "*" ? "" : range));
    }
    const auto known = std::ranges::find(package.releases, release.version, &PackageRelease::version);
    if (known != package.releases.end())
      *known = std::move(release);
    else
      package.releases.push_back(std::move(release));
  }
}

const specs::VersionEntry* Knowledge::own(const std::string& name, const Version& version) const {
  return overlay_.find(name, version.text());
}

const specs::Package* Knowledge::package(const std::string& name) const {
  auto [at, fresh] = packages_.try_emplace(name);
  if (fresh) {
    at->second = read(name);
    if (at->second) as_of_ = std::max(as_of_, at->second->as_of);
  }
  return at->second.get();
}

void Knowledge::add(specs::Package package) {
  auto known = std::make_unique<specs::Package>(std::move(package));
  add_builds(*known);
  std::ranges::stable_sort(known->releases, {}, [](const auto& one) { return one.version.key(); });
  as_of_ = std::max(as_of_, known->as_of);
  const auto name = known->name;
  packages_[name] = std::move(known);
}

const std::vector<specs::Dependency>* Knowledge::requirements(const std::string& name,
                                                              const PackageRelease& release) const {
  auto [at, fresh] = requirements_.try_emplace({name, release.version.text()});
  if (!fresh) return at->second ? &*at->second : nullptr;
  const auto fact = about(name, release.version);
  const bool is_archive = release.wheels.empty() && release.source;  // whose metadata nobody reads; what a person read counts
  if (release.requires_ || (is_archive && !fact.requires_.empty())) {
    at->second.emplace();
    const auto dropped = [&](const auto& dependency) { return std::ranges::find(fact.drops, dependency.name) != fact.drops.end(); };
    for (const auto& text : release.requires_.value_or(std::vector<std::string>()))
      if (auto dependency = specs::parse_dependency(text); dependency && !dropped(*dependency)) at->second->push_back(std::move(*dependency));
    for (const auto& [other, range] : fact.requires_)
      if (auto dependency = specs::parse_dependency(other + range)) at->second->push_back(std::move(*dependency));
  }
  return at->second ? &*at->second : nullptr;
}

bool Knowledge::leaves_libraries_open(const std::string& name, const PackageRelease& release) const {
  const auto* all = specs::is_local(release.version.text()) ? requirements(name, release) : nullptr;
  const auto some = [&](const std::string& stem) {
    return std::ranges::any_of(*all, [&](const auto& one) { return one.name.starts_with(stem); });
  };
  return all && some("nvidia-cudnn") && !some("nvidia-cublas") && !some("cuda-toolkit");
}

bool Knowledge::is_seen(const specs::Package& package, const Version& version, const std::string& machine) const {
  const auto stated = [&](const Version& one) { return about(package.name, one, "", machine).exists != "inferred"; };
  if (stated(version)) return true;
  const auto minor = specs::minor_release(specs::public_version(version.text())), build = specs::local_label(version.text());
  return std::ranges::any_of(package.releases, [&](const auto& other) {
    const auto& one = other.version.text();
    return specs::local_label(one) == build && specs::minor_release(specs::public_version(one)) == minor && stated(other.version);
  });
}

Fact Knowledge::about(const std::string& name, const Version& version, const std::string& extra,
                      const std::string& machine) const {
  Fact whole;
  const auto found = facts_.find(name);
  if (found == facts_.end()) return whole;
  for (const auto& fact : found->second) {
    if (fact.extra != extra || (!fact.machine.empty() && fact.machine != machine)) continue;
    if (fact.is_about(version)) state(whole, fact);
  }
  for (const auto& overlay : places_.overlays)
    if (whole.file == overlay.string()) overlays_used_.insert(whole.file);
  return whole;
}

std::vector<std::string> Knowledge::compiled_beside(const std::string& name, const std::string& version) const {
  return about(name, specs::pep440_version(version)).compiled_beside;
}

std::map<std::string, std::string> Knowledge::beside(const std::string& name, const std::string& version) const {
  auto all = about(name, specs::pep440_version(specs::public_version(version))).beside;
  for (const auto& [other, range] : about(name, specs::pep440_version(version)).beside) all[other] = range;  // what only that build loads
  return all;
}

std::string Knowledge::elsewhere(const std::string& name, const std::vector<std::string>& accelerator) const {
  const auto* listed = package(name);
  if (!listed || listed->releases.empty()) return "";
  const auto newest = specs::pep440_version(specs::public_version(listed->releases.back().version.text()));
  const auto places = about(name, newest).elsewhere;
  for (const auto& one : accelerator)
    if (const auto found = places.find(one); found != places.end()) return found->second;
  return "";
}

bool Knowledge::has_gpu_facts(const std::string& name) const {
  const auto found = facts_.find(name);
  return found != facts_.end() && std::ranges::any_of(found->second, [](const auto& fact) {
           return (fact.built_for && !fact.built_for->for_cpus()) || !fact.built_for_cuda.empty();
         });
}

std::vector<std::string> Knowledge::names() const {
  std::set<std::string> names;
  for (const auto& directory : places_.generated)
    for (const auto& file : specs::json_files(directory)) names.insert(file.stem().string());
  for (const auto& [name, component] : overlay_.components) names.insert(name);
  return {names.begin(), names.end()};
}

std::string Knowledge::as_of() const { return as_of_; }
std::vector<std::string> Knowledge::overlays_used() const { return {overlays_used_.begin(), overlays_used_.end()}; }

}  // namespace stackx::advisor
