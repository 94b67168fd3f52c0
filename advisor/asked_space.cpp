#include "advisor/asked_space.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/facts/frameworks.hpp"
#include "specs/catalog/driver.hpp"
#include "specs/catalog/open.hpp"
#include "specs/error.hpp"
#include "specs/python/project.hpp"
#include "specs/version/version_text.hpp"
#include "workspace/load.hpp"
#include "workspace/this_machine.hpp"
#include "workspace/words.hpp"

namespace stackx::advisor {
namespace {

// The project whose stacks can run the workload on the hardware: the space of its family.
specs::Project project_of(const specs::WorkloadSpace& space, const specs::WorkloadFamily& family,
                          const workspace::AskedHardware& hardware, const specs::Catalog& catalog) {
  specs::Project project;
  project.name = fmt::format("{} on {}", family.name, hardware.name);
  project.catalogs = space.catalogs;
  for (const auto& [component, range] : space.requires_) {
    const auto* declared = catalog.find(component);
    const auto scheme = declared ? declared->versioning : specs::Versioning::pep440;
    specs::Requirement requirement;
    requirement.component = component;
    requirement.constraint.any = {{*specs::SpecifierSet::parse(range, scheme), {}}};
    requirement.constraint.text = range;
    project.requires_.push_back(std::move(requirement));
  }
  if (catalog.find(hardware.component)) project.hardware[hardware.component] = hardware.version;
  return project;
}

specs::Constraint any_version(specs::Versioning scheme = specs::Versioning::pep440) {
  return {{{specs::SpecifierSet::any(scheme), {}}}, "*"};
}

// The possible version that is nearest to those that the wish allows: the first after them, else
// the last before them.
std::string nearest_version(const ValidSpace& there, const specs::Requirement& wish) {
  const auto possible = there.possible(wish.component);
  if (possible.empty()) return "";
  const auto* component = there.catalog().find(wish.component);
  if (!component) return possible.back();
  std::string best = possible.back();
  bool passed = false;
  for (const auto& entry : component->versions) {
    const auto& text = entry.version.text();
    if (specs::holds(wish.constraint, entry.version)) passed = true;
    if (std::ranges::find(possible, text) == possible.end()) continue;
    if (passed) return text;
    best = text;
  }
  return best;
}

class Asking {
 public:
  Asking(const SpaceOptions& options, const specs::Workload& asked, const workspace::AskedHardware& hardware,
         const specs::Host& host, const specs::Accelerators& accelerators,
         const specs::WorkloadFamilies& families, const workspace::Context& context)
      : options_(options),
        asked_(asked),
        hardware_(hardware),
        host_(host),
        accelerators_(accelerators),
        families_(families),
        context_(context) {}

  AskedSpace run() {
    const bool of_python = options_.project.empty() || specs::is_python_project(options_.project);
    auto loaded = of_python ? space_of_workload() : space_of_project();
    if (!loaded) return std::move(result_);
    auto& [project, catalog] = *loaded;
    result_.prepared = prepare(catalog, options_.type, options_.advisories);
    if (const auto cpu = project.hardware.find("cpu"); cpu != project.hardware.end()) {
      const bool here = hardware_.component != "cpu" || hardware_.version == "host";
      cpu->second = "host";
      resolver::bind_host(project, catalog,
                          here ? host_ : workspace::machine_with(hardware_.version, context_));
    }
    take_own(catalog);
    auto without = project;  // of what the user asks
    if (!of_python)
      without.requires_.clear();
    else if (!options_.project.empty())
      result_.not_in_catalogs = add_wishes(project, catalog, options_.project, options_.context);
    if (of_python)  // the roots of a project of stackx may be virtual; the space holds them
      result_.wishes.insert(result_.wishes.end(), project.requires_.begin() + std::ssize(without.requires_),
                            project.requires_.end());
    result_.space = std::make_unique<ValidSpace>(std::move(project), std::move(catalog));
    if (result_.space->count() > 0) {
      if (result_.own) result_.own_valid = result_.space->nearest(result_.own->named);
    } else if (options_.project.empty()) {
      say_no_space();
    } else {
      result_.impossible = result_.space->resolver().explain();
      find_nearest_that_works(without);
    }
    return std::move(result_);
  }

 private:
  const specs::WorkloadSpace* space_of(const specs::WorkloadFamily& family) const {
    return hardware_.component == "gpu"   ? families_.gpu_space(family)
           : hardware_.component == "cpu" ? families_.cpu_space(family)
                                          : nullptr;
  }

  std::string why_no_space(const specs::WorkloadFamily& wanted, bool known) const {
    for (const auto& name : wanted.near)
      if (const auto* family = families_.find(name); family && space_of(*family))
        return fmt::format("the catalogs do not say which stacks run {} on {}; they do for what is nearest to it: --workload {}",
                           wanted.name, hardware_.name, name);
    if (known && wanted.gpu.empty() && wanted.cpu.empty() && hardware_.component == "cpu")
      return fmt::format("{0} needs no library, so that there is nothing to choose; `stackx-pi {0}` measures it", wanted.name);
    if (wanted.gpu == "gpu-runtime" && hardware_.component == "cpu")
      return fmt::format("{} measures a GPU, and {} is a processor", wanted.name, hardware_.name);
    return fmt::format("the catalogs do not say which stacks run {} on {}{}", wanted.name, hardware_.name,
                       hardware_.component.empty() ? "; a program of your own measures what is installed there: docs/own-pi.md" : "");
  }

  // The workload's space of the catalogs that come with stackx, on the hardware.
  std::optional<specs::LoadedProject> space_of_workload() {
    specs::WorkloadFamily unknown;  // a PI of the user's own, which only the store knows
    unknown.name = asked_.pi;
    const auto* known = families_.find(asked_.pi);
    const auto& wanted = known ? *known : unknown;
    const auto* space = space_of(wanted);
    if (!space) {
      result_.no_space = why_no_space(wanted, known != nullptr);
      return std::nullopt;
    }
    std::vector<std::filesystem::path> files;
    for (const auto& name : space->catalogs) files.push_back(context_.data_directory() / name);
    for (const auto& name : options_.context.catalogs) files.emplace_back(name);
    auto catalog = specs::load_catalogs(files, workspace::user_overlays());
    auto project = project_of(*space, wanted, hardware_, catalog);
    result_.roots = space->requires_;
    if (const auto framework = named_framework(asked_); !framework.empty()) {
      if (!catalog.find(framework)) {
        const bool on_cpu = hardware_.component == "cpu";
        result_.no_space = fmt::format("the catalogs know no {}{}", framework, on_cpu ? "" : " for GPUs");
        if (on_cpu)
          result_.no_space += fmt::format("; there `stackx inspect requirements.txt --workload {}` measures the releases that a project allows",
                                          asked_.text());
        return std::nullopt;
      }
      project.requires_.push_back({framework, "", any_version()});
      result_.roots[framework] = "*";
    }
    add_have(project, catalog);
    specs::split_open(catalog, project.requires_);
    return specs::LoadedProject{std::move(project), std::move(catalog)};
  }

  // What the user's machine keeps: 11.8 is any of its releases.
  void add_have(specs::Project& project, const specs::Catalog& catalog) {
    const auto& have = options_.have;
    const auto python = options_.context.python.empty() ? have.python : options_.context.python;
    for (const auto& [name, version] : {std::pair<std::string, std::string>{"cuda", have.cuda},
                                        {"python", specs::minor_release(python)}, {"driver", have.driver}}) {
      if (version.empty() || !catalog.find(name)) continue;
      const auto text = name == "driver" ? "<=" + specs::newest_of_branch(version) : "==" + version + ".*";
      specs::Requirement wish{name, "", {{{*specs::SpecifierSet::parse(text, specs::Versioning::pep440), {}}}, text}};
      project.requires_.push_back(wish);
      result_.wishes.push_back(std::move(wish));
    }
  }

  // A project of stackx says itself what its stacks are; the hardware is the one asked for.
  specs::LoadedProject space_of_project() {
    auto context = options_.context;
    context.overlays = workspace::user_overlays();
    auto loaded = specs::load_project(options_.project, context_.data_directory(), context);
    auto& on = loaded.project.hardware;
    if (!on.contains(hardware_.component) && !loaded.catalog.find(hardware_.component))
      throw bad_input(fmt::format(
          "{}: /hardware: its catalogs know no {}, so that they cannot say what runs on {}; add one "
          "to /catalogs (gpus.json)",
          options_.project.string(), hardware_.component.empty() ? "such hardware" : hardware_.component,
          hardware_.name));
    on[hardware_.component] = hardware_.version;
    for (const auto& root : loaded.project.requires_)
      result_.roots[root.component] = root.constraint.text;
    return loaded;
  }

  void take_own(const specs::Catalog& catalog) {
    if (options_.lock.empty()) return;
    result_.own = read_own_stack(options_.lock, options_.context, catalog);
    result_.not_in_catalogs = result_.own->unknown;
    if (result_.own->named.components.empty()) result_.own.reset();
  }

  void say_no_space() {
    const auto* model = accelerators_.identify(hardware_.name);
    const auto why = result_.space->resolver().explain();
    result_.no_space = fmt::format(
        "the catalogs hold no stack for it: {}",
        model && model->compute_capability.empty() ? "all of theirs need CUDA, which it does not run"
        : why && !why->so.empty()                  ? why->so.front()
                                                   : "their demands clash");
    result_.space.reset();
  }

  // Each wish left out for itself: which versions of it work here with the others; and the same
  // wishes on other hardware.
  void find_nearest_that_works(const specs::Project& without) {
    const auto& project = result_.space->project();
    const auto& catalog = result_.space->catalog();
    for (std::size_t i = without.requires_.size(); i < project.requires_.size(); ++i) {
      auto relaxed = project;
      const auto wish = relaxed.requires_[i];
      relaxed.requires_[i].constraint = any_version();
      const ValidSpace there(relaxed, catalog);
      if (there.count() == 0) continue;
      if (const auto version = nearest_version(there, wish); !version.empty())
        result_.nearest_that_works.push_back(
            fmt::format("{} {} instead of {}: {} stacks on {}", wish.component, version,
                        wish.constraint.text, workspace::grouped(there.share(wish.component, version)),
                        hardware_.name));
    }
    const auto& component = hardware_.component;
    auto anywhere = project;
    if (anywhere.hardware.erase(component) == 0) return;
    specs::Requirement any;
    any.component = component;
    any.constraint = any_version(catalog.find(component)->versioning);
    anywhere.requires_.push_back(any);
    const auto others = ValidSpace(anywhere, catalog).possible(component);
    if (others.empty()) return;
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(others.size(), 8); ++i)
      names += fmt::format("{}{}", i ? ", " : "", others[i]);
    if (others.size() > 8) names += fmt::format(" and {} more", others.size() - 8);
    result_.nearest_that_works.push_back(fmt::format("as asked, but on other hardware: {}", names));
  }

  const SpaceOptions& options_;
  const specs::Workload& asked_;
  const workspace::AskedHardware& hardware_;
  const specs::Host& host_;
  const specs::Accelerators& accelerators_;
  const specs::WorkloadFamilies& families_;
  const workspace::Context& context_;
  AskedSpace result_;
};

}  // namespace

AskedSpace asked_space(const SpaceOptions& options, const specs::Workload& asked,
                       const workspace::AskedHardware& hardware, const specs::Host& host,
                       const specs::Accelerators& accelerators,
                       const specs::WorkloadFamilies& families, const workspace::Context& context) {
  return Asking(options, asked, hardware, host, accelerators, families, context).run();
}

}  // namespace stackx::advisor
