#include "cli/hardware_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "cli/load.hpp"
#include "cli/this_machine.hpp"
#include "specs/error.hpp"
#include "specs/microarchitecture.hpp"
#include "specs/python_project.hpp"
#include "specs/text_file.hpp"
#include "store/store.hpp"

namespace stackx::cli {
namespace {

// The project whose stacks can run the workload on the hardware: the space of its family.
specs::Project project_of(const specs::WorkloadSpace& space, const specs::WorkloadFamily& family,
                          const AskedHardware& hardware, const specs::Catalog& catalog) {
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

// A machine with that processor, of which nothing else is known: what only more cores or memory would
// forbid is allowed.
specs::Host some_machine(const std::string& microarchitecture, const Globals& globals) {
  const auto table =
      specs::Microarchitectures::load(globals.data_directory / "microarchitectures.json");
  specs::Host host;
  host.cpu.microarchitecture = microarchitecture;
  host.cpu.cores = host.cpu.threads = 1024;
  host.memory_bytes = std::uint64_t{4096} << 30;
  if (const auto* known = table.find(microarchitecture)) {
    host.cpu.vendor = known->vendor;
    host.cpu.isa = known->isa;
    // The table names what tells processors apart; whatever has AVX has all that came before it.
    const auto later = [](const std::string& flag) { return flag.starts_with("avx"); };
    if (std::ranges::any_of(known->isa, later))
      for (const char* earlier : {"sse", "sse2", "pni", "ssse3", "sse4_1", "sse4_2", "popcnt"})
        host.cpu.isa.emplace_back(earlier);
    std::ranges::sort(host.cpu.isa);
    const auto [end, last] = std::ranges::unique(host.cpu.isa);
    host.cpu.isa.erase(end, last);
  }
  return host;
}

class Gathering {
 public:
  Gathering(const AdviceOptions& options, const Globals& globals)
      : options_(options), globals_(globals) {}

  HardwareAdvice run() {
    advice_.accelerators = std::make_unique<specs::Accelerators>(
        specs::load_accelerators(globals_.data_directory));
    // Before the other thread looks: two that look at the machine at once may see it differently.
    host_ = this_machine(globals_);
    // A new store takes in what is published meanwhile.
    auto selecting = std::async(std::launch::async,
                                [this] { return select(options_.selection, globals_); });
    asked_ = specs::parse_workload(options_.selection.workload);
    const auto early = hardware_of_catalogs(options_.selection.hw, host_,
                                            *advice_.accelerators, globals_);
    if (early) make_space(*early);
    advice_.selection = selecting.get();
    check_workload();
    const auto& hardware = advice_.selection.hardware;
    if (!early) make_space(hardware);
    if (hardware.component == "gpu")
      advice_.accelerator = advice_.accelerators->identify(hardware.name);
    if (advice_.impossible) return std::move(advice_);
    rank_measured();
    rank_published();
    choose();
    predict();
    if (!advice_.chosen) choose_without_evidence();
    if (advice_.own)
      advice_.own_advice = own_advice(*advice_.own, *advice_.own_valid, advice_.measured,
                                      advice_.published);
    advice_.price = options_.price;
    return std::move(advice_);
  }

 private:
  // A workload that neither the catalogs nor the store know.
  void check_workload() const {
    const auto& name = asked_.pi;
    if (families_.find(name) || !advice_.selection.measurements.empty()) return;
    const auto store = store::Store::open(store::default_path(globals_.db), store::Mode::read_only);
    if (!store.published({specs::Workload{name, {}}, std::nullopt}).empty()) return;
    const auto near = families_.nearest(name);
    throw bad_input(fmt::format("--workload {}: no such workload in the catalogs or the store{}; "
                                "`stackx workload list` names all",
                                specs::in_quotes(name),
                                near.empty() ? ""
                                             : fmt::format("; the nearest are {}", fmt::join(near, ", "))));
  }

  const specs::WorkloadFamily& family() {
    const auto& name = asked_.pi;
    if (const auto* known = families_.find(name)) return *known;
    // A PI of the user's own, which only the store knows.
    unknown_.name = name;
    return unknown_;
  }

  // The workload's space of the catalogs that come with stackx, on the hardware.
  std::optional<specs::LoadedProject> space_of_workload(const AskedHardware& hardware) {
    const auto& wanted = family();
    const auto* space = hardware.component == "gpu"   ? families_.gpu_space(wanted)
                        : hardware.component == "cpu" ? families_.cpu_space(wanted)
                                                      : nullptr;
    if (!space) {
      advice_.no_space = fmt::format(
          "the catalogs do not say which stacks run {} on {}", wanted.name, hardware.name);
      if (!options_.lock.empty() || !options_.project.empty())
        throw bad_input(fmt::format("--lock and --project: {}", advice_.no_space));
      return std::nullopt;
    }
    std::vector<std::filesystem::path> files;
    for (const auto& name : space->catalogs) files.push_back(globals_.data_directory / name);
    auto catalog = specs::load_catalogs(files);
    auto project = project_of(*space, wanted, hardware, catalog);
    advice_.roots = space->requires_;
    return specs::LoadedProject{std::move(project), std::move(catalog)};
  }

  // A project of stackx says itself what its stacks are; the hardware is the one asked for.
  specs::LoadedProject space_of_project(const AskedHardware& hardware) {
    auto loaded = specs::load_project(options_.project, globals_.data_directory);
    auto& on = loaded.project.hardware;
    if (!on.contains(hardware.component) && !loaded.catalog.find(hardware.component))
      throw bad_input(fmt::format(
          "{}: /hardware: its catalogs know no {}, so that they cannot say what runs on {}; add one "
          "to /catalogs (gpus.json)",
          options_.project.string(), hardware.component.empty() ? "such hardware" : hardware.component,
          hardware.name));
    on[hardware.component] = hardware.version;
    for (const auto& root : loaded.project.requires_)
      advice_.roots[root.component] = root.constraint.text;
    return loaded;
  }

  void make_space(const AskedHardware& hardware) {
    const bool of_python = options_.project.empty() || specs::is_python_project(options_.project);
    auto loaded = of_python ? space_of_workload(hardware) : space_of_project(hardware);
    if (!loaded) return;
    auto& [project, catalog] = *loaded;
    advice_.prepared = prepare(catalog, options_.type, options_.advisories);
    if (const auto cpu = project.hardware.find("cpu"); cpu != project.hardware.end()) {
      const bool here = hardware.component != "cpu" || hardware.version == "host";
      cpu->second = "host";
      resolver::bind_host(project, catalog,
                          here ? host_ : some_machine(hardware.version, globals_));
    }
    take_own(catalog);
    auto without = project;  // of what the user asks
    if (!of_python)
      without.requires_.clear();
    else if (!options_.project.empty())
      advice_.not_in_catalogs = add_wishes(project, catalog, options_.project, options_.context);
    if (of_python)  // the roots of a project of stackx may be virtual; the space holds them
      wishes_.assign(project.requires_.begin() + std::ssize(without.requires_),
                     project.requires_.end());
    advice_.space = std::make_unique<ValidSpace>(std::move(project), std::move(catalog));
    if (advice_.space->count() == 0 && options_.project.empty()) {
      const auto* model = advice_.accelerators->identify(hardware.name);
      const auto why = advice_.space->resolver().explain();
      advice_.no_space = fmt::format(
          "the catalogs hold no stack for it: {}",
          model && model->compute_capability.empty() ? "all of theirs need CUDA, which it does not run"
          : why && !why->so.empty()                  ? why->so.front()
                                                     : "their demands clash");
      advice_.space.reset();
      if (advice_.own) throw bad_input(fmt::format("--lock: {}", advice_.no_space));
    } else if (advice_.space->count() == 0) {
      advice_.impossible = advice_.space->resolver().explain();
      find_nearest_that_works(without, hardware);
    } else if (advice_.own) {
      advice_.own_valid = advice_.space->nearest(advice_.own->named);
    }
  }

  void take_own(const specs::Catalog& catalog) {
    if (options_.lock.empty()) return;
    advice_.own = read_own_stack(options_.lock, options_.context.python, catalog);
    advice_.not_in_catalogs = advice_.own->unknown;
  }

  // Each wish left out for itself: which versions of it work here with the others; and the same
  // wishes on other hardware.
  void find_nearest_that_works(const specs::Project& without, const AskedHardware& hardware) {
    const auto& project = advice_.space->project();
    const auto& catalog = advice_.space->catalog();
    for (std::size_t i = without.requires_.size(); i < project.requires_.size(); ++i) {
      auto relaxed = project;
      const auto wish = relaxed.requires_[i];
      relaxed.requires_[i].constraint = any_version();
      const ValidSpace there(relaxed, catalog);
      if (there.count() == 0) continue;
      if (const auto version = nearest_version(there, wish); !version.empty())
        advice_.nearest_that_works.push_back(
            fmt::format("{} {} instead of {}: {} stacks on {}", wish.component, version,
                        wish.constraint.text, grouped(count_with(there, wish.component, version)),
                        hardware.name));
    }
    const auto& component = hardware.component;
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
    advice_.nearest_that_works.push_back(fmt::format("as asked, but on other hardware: {}", names));
  }

  static specs::Constraint any_version(specs::Versioning scheme = specs::Versioning::pep440) {
    return {{{specs::SpecifierSet::any(scheme), {}}}, "*"};
  }

  static resolver::BigInt count_with(const ValidSpace& space, const std::string& component,
                                     const std::string& version) {
    return space.resolver().shares().at(component).at(version);
  }

  // The possible version that is nearest to those that the wish allows: the first after them, else
  // the last before them.
  static std::string nearest_version(const ValidSpace& there, const specs::Requirement& wish) {
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

  void rank_measured() {
    auto& selection = advice_.selection;
    if (selection.measurements.empty()) return;
    auto settings = options_.analysis;
    settings.this_host = selection.this_host;
    settings.races = selection.races;
    settings.drift = !selection.leading;
    advice_.measured = analysis::rank(selection.measurements, selection.asked, settings);
    advice_.measured.hw = selection.hw;
    auto& notes = advice_.measured.notes;
    notes.insert(notes.begin(), selection.notes.begin(), selection.notes.end());
  }

  void rank_published() {
    const auto& selection = advice_.selection;
    const auto store = store::Store::open(store::default_path(globals_.db), store::Mode::read_only);
    specs::Workload of_family{selection.asked.pi, {}};
    auto& found = advice_.found;
    if (selection.hardware.component == "gpu") {
      const auto& models = selection.hardware.models;
      advice_.family = store.published({of_family, std::nullopt});
      std::map<std::string, bool> meant;  // by spelling
      for (const auto& result : advice_.family) {
        const auto [known, fresh] = meant.try_emplace(result.hardware);
        if (fresh) {
          const auto* model = advice_.accelerators->identify(result.hardware);
          known->second = model && std::ranges::find(models, model->name) != models.end();
        }
        if (known->second) found.push_back(result);
      }
    } else {
      found = store.published({of_family, selection.hw});
    }
    advice_.published = analysis::rank_published(found, selection.asked, *advice_.accelerators,
                                                 options_.analysis.delta);
  }

  bool is_out(const specs::Stack& stack) const {
    return std::ranges::any_of(stack.components, [&](const auto& one) {
             return !advice_.prepared.why_not(one.first, one.second).empty();
           }) ||
           std::ranges::any_of(wishes_, [&](const auto& wish) { return breaks(stack, wish); });
  }

  // Names another version than the user's project allows; what it does not name may be any.
  static bool breaks(const specs::Stack& stack, const specs::Requirement& wish) {
    const auto found = stack.components.find(wish.component);
    if (found == stack.components.end()) return false;
    const auto version = specs::Version::parse(found->second, specs::Versioning::pep440);
    return !version || !specs::holds(wish.constraint, *version);
  }

  // What was measured has just the components that it names.
  bool lacks_a_wish(const specs::Stack& stack) const {
    return std::ranges::any_of(wishes_, [&](const auto& wish) {
      return wish.component != "python" && !stack.components.contains(wish.component);
    });
  }

  // Versions of a measured stack that no recipe can be written from: a user's own catalogs had them.
  std::vector<std::string> not_of_the_catalogs(const specs::Stack& stack) const {
    std::vector<std::string> result;
    if (!advice_.space) return result;
    for (const auto& [name, version] : stack.components) {
      const auto* component = advice_.space->catalog().find(name);
      if (component && component->kind == specs::Kind::hardware) continue;
      if (!component || !component->find(version)) result.push_back(name + " " + version);
    }
    return result;
  }

  void choose() {
    if (options_.type == RecommendationType::latest) return;
    if (const auto* row = first_measured()) {
      advice_.chosen = Chosen{row->stack, {row->stack, {}, not_of_the_catalogs(row->stack)}, row->evidence,
                              fmt::format("{} inspections", row->inspections),
                              advice_.measured.workload};
      return;
    }
    for (const auto& group : advice_.published.groups)
      for (const auto& row : group.rows) {
        if (is_out(row.stack)) continue;
        Chosen chosen{row.stack, {row.stack, {}, {}}, "published",
                      fmt::format("{} published results, {}", row.documents.size(),
                                  row.sources.front().url),
                      group.shape};
        if (advice_.space) {
          chosen.valid = advice_.space->nearest(as_run(row.stack));
          if (!row.stack.components.contains("cublas")) chosen.valid.differs.erase("cublas");
        }
        advice_.chosen = std::move(chosen);
        return;
      }
  }

  // By the ranking; for `stable`, the steadiest.
  const analysis::Recommendation* first_measured() const {
    const analysis::Recommendation* first = nullptr;
    for (const auto& row : advice_.measured.recommendations) {
      if (is_out(row.stack) || lacks_a_wish(row.stack)) continue;
      const bool steady = options_.type == RecommendationType::stable;
      if (!first || (steady && steadier({row.cv, row.inspections}, {first->cv, first->inspections})))
        first = &row;
    }
    return first;
  }

  // The newest stack that computes with the recommended library.
  void predict() {
    if (!advice_.space) return;
    advice_.latest = advice_.space->latest_like(advice_.chosen ? advice_.chosen->valid.stack
                                                               : usual_library());
    if (!advice_.accelerator) return;
    advice_.predicted = predicted_rows(advice_.selection.asked, advice_.published, advice_.family,
                                       advice_.selection.measurements, *advice_.accelerators,
                                       *advice_.accelerator, advice_.latest);
  }

  specs::Stack usual_library() const {
    specs::Stack stack;
    for (const char* library : {"cublas", "torch", "tensorflow"})
      if (const auto versions = advice_.space->possible(library); !versions.empty()) {
        stack.components[library] = versions.back();
        break;
      }
    return stack;
  }

  // The newest there is: predicted, or just valid.
  void choose_without_evidence() {
    if (!advice_.space) return;
    const auto& rows = advice_.predicted.rows;
    if (rows.empty() && options_.type != RecommendationType::latest) return;
    const auto& stack = advice_.latest;
    advice_.chosen = Chosen{stack, {stack, {}, {}}, rows.empty() ? "none" : "predicted",
                            rows.empty() ? "the newest versions that are valid together"
                                         : rows[0].prediction.text(),
                            rows.empty() ? advice_.selection.asked : rows[0].workload};
  }

  // A published stack that names no framework measured NVIDIA's library itself.
  specs::Stack as_run(specs::Stack stack) const {
    const auto& catalog = advice_.space->catalog();
    for (const char* framework : {"tensorflow", "torch", "jax", "mxnet"})
      if (stack.components.contains(framework)) return stack;
    if (const auto cuda = stack.components.find("cuda");
        cuda != stack.components.end() && catalog.find("cublas"))
      stack.components.emplace("cublas", cuda->second);
    return stack;
  }

  const AdviceOptions& options_;
  const Globals& globals_;
  const specs::WorkloadFamilies families_ = specs::WorkloadFamilies::load(globals_.data_directory);
  specs::Host host_;
  specs::Workload asked_;
  specs::WorkloadFamily unknown_;
  std::vector<specs::Requirement> wishes_;  // what the user's project asks for
  HardwareAdvice advice_;
};

}  // namespace

std::optional<MeasuredShare> measured_peak_share(const HardwareAdvice& advice, std::size_t row) {
  const auto& ranking = advice.measured;
  if (!advice.accelerator || ranking.unit != "GFLOP/s" || row >= ranking.recommendations.size())
    return std::nullopt;
  const auto peak = specs::peak_of(*advice.accelerator, ranking.workload);
  if (!peak) return std::nullopt;
  return MeasuredShare{ranking.recommendations[row].median / peak->gflop_s, *peak};
}

HardwareAdvice hardware_advice(const AdviceOptions& options, const Globals& globals) {
  return Gathering(options, globals).run();
}

}  // namespace stackx::cli
