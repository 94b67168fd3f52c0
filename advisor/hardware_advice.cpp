#include "advisor/hardware_advice.hpp"

#include "advisor/candidate/newest_candidate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <future>

#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "specs/hardware/microarchitecture.hpp"
#include "specs/hardware/name.hpp"
#include "specs/hardware/spelled_models.hpp"
#include "specs/project/workload_family.hpp"
#include "store/store.hpp"
#include "workspace/asked/workload.hpp"
#include "workspace/load.hpp"
#include "workspace/seeds.hpp"
#include "workspace/stored_stack.hpp"
#include "workspace/this_machine.hpp"

namespace stackx::advisor {
namespace {

// What the store has.
struct Evidence {
  Selection selection;
  std::vector<specs::Published> found, family;
  analysis::PublishedRanking published;
  std::optional<NearEvidence> near;
  std::unique_ptr<RowPredictor> predictor;  // points into both and the measurements
};

class Gathering {
 public:
  Gathering(const AdviceOptions& options, const std::function<const Knowledge&()>& knowledge, const workspace::Context& context)
      : options_(options), knowledge_(knowledge), context_(context) {
    advice_.model = families_.model(options_.selection.workload.substr(0, options_.selection.workload.find(':')));
    options_.selection.workload = asked_.text();  // read once: what was not taken literally is said once
    advice_.accelerators =
        std::make_unique<specs::Accelerators>(specs::load_accelerators(context.data_directory()));
  }

  HardwareAdvice run() {
    // A new store takes in what is published, it is read and ranked, and the model learns from it, while the space is
    // resolved and the candidate sought. The thread does not write to advice_.
    auto reading = std::async(std::launch::async, [this] { return evidence(); });
    const auto early = workspace::hardware_of_catalogs(options_.selection.hw, host_,
                                            *advice_.accelerators, context_);
    if (early) make_space(*early), find_candidate(*early);
    advice_.upgrades = specs::load_upgrades(context_.data_directory());
    take(reading.get());
    const auto& hardware = advice_.selection.hardware;
    if (!early) make_space(hardware), find_candidate(hardware);
    if (hardware.component == "gpu")
      advice_.accelerator = advice_.accelerators->identify(hardware.name);
    if (advice_.impossible) return std::move(advice_);
    leave_out_published();
    rank_measured();
    choose();
    find_latest();
    if (predictor_ && advice_.space) advice_.predicted = predictor_->rows(advice_.latest);
    if (!advice_.chosen) choose_without_evidence();
    if (advice_.own)
      advice_.own_advice = own_advice(*advice_.own, *advice_.own_valid, advice_.measured,
                                      advice_.published);
    advice_.price = options_.price;
    advice_.yardstick = options_.analysis.yardstick;
    return std::move(advice_);
  }

 private:
  Evidence evidence() const {
    Evidence evidence;
    auto& [selection, found, family, published, near, predictor] = evidence;
    selection = select(options_.selection, host_, *advice_.accelerators, context_);
    const auto& yardstick = options_.analysis.yardstick;
    const auto store = store::Store::open(store::default_path(context_.db), store::Mode::read_only);
    const specs::Workload of_family{selection.asked.pi, {}};
    if (selection.hardware.component == "gpu") {
      const auto is_meant = meant_by(selection.hardware);
      store::PublishedFilter filter{of_family, std::nullopt};
      if (!options_.documents) filter.unsealed = [&](const std::string& hardware) { return !is_meant(hardware); };
      for (auto& result : store.published(filter))
        (is_meant(result.hardware) ? found : family).push_back(std::move(result));
    } else {
      found = published_of_processor(store, of_family, selection.hardware);
    }
    // What others published of the metric that is asked for; a rate is any of theirs, and is predicted.
    if (!yardstick.is_rate()) std::erase_if(found, [&](const auto& result) { return result.metric != yardstick.name(); });
    published = analysis::rank_published(found, selection.asked, *advice_.accelerators,
                                         options_.analysis.delta);
    if (yardstick.is_rate() && selection.hardware.component == "gpu")
      if (const auto* model = advice_.accelerators->identify(selection.hardware.name))
        predictor = std::make_unique<RowPredictor>(selection.asked, published, found, family, selection.measurements,
                                                   *advice_.accelerators, *model);
    if (yardstick.is_rate() && found.empty() && selection.measurements.empty()) near = near_evidence(selection);
    return evidence;
  }

  // Whether a spelling of hardware is of what was asked for.
  std::function<bool(const std::string&)> meant_by(const workspace::AskedHardware& asked) const {
    return [&asked, models = specs::SpelledModels(*advice_.accelerators)](const std::string& hardware) mutable {
      const auto* model = models.of(hardware);
      return model && std::ranges::find(asked.models, model->name) != asked.models.end();
    };
  }

  // By the name that was typed, if that is a product's; others spell it shorter or longer.
  std::vector<specs::Published> published_of_processor(const store::Store& store, const specs::Workload& of_family,
                                                       const workspace::AskedHardware& asked) const {
    if (asked.product.empty()) return store.published({of_family, asked.name});
    const auto& processors = workspace::microarchitectures(context_);
    store::PublishedFilter filter{of_family, std::nullopt};
    filter.on = [&](const std::string& spelt) {
      const auto* of = processors.of_processor(spelt);
      return of && of->id == asked.name && !advice_.accelerators->identify(spelt) &&
             (specs::names_hardware(asked.product, spelt) || specs::names_hardware(spelt, asked.product));
    };
    return store.published(filter);
  }

  // Of the first family of the same kind that somebody published about on the hardware.
  std::optional<NearEvidence> near_evidence(const Selection& selection) const {
    const auto* family = families_.find(selection.asked.pi);
    if (!family || selection.hardware.component != "gpu") return std::nullopt;
    const auto is_meant = meant_by(selection.hardware);
    for (const auto& name : family->near) {
      const auto store = workspace::open_with_seeds(context_, name);
      const specs::Workload near{name, {}};
      auto results = store.published({near, std::nullopt});
      std::erase_if(results, [&](const auto& result) { return !is_meant(result.hardware); });
      if (!results.empty())
        return NearEvidence{name, analysis::rank_published(results, near, *advice_.accelerators, options_.analysis.delta)};
    }
    return std::nullopt;
  }

  void take(Evidence evidence) {
    advice_.selection = std::move(evidence.selection);
    advice_.found = std::move(evidence.found);
    advice_.family = std::move(evidence.family);
    advice_.published = std::move(evidence.published);
    advice_.near = std::move(evidence.near);
    predictor_ = std::move(evidence.predictor);
  }

  // With what is likely to be asked of it: there is time, while the evidence is read.
  void find_candidate(const workspace::AskedHardware& hardware) {
    const auto& knowledge = knowledge_();
    advice_.wish = wish_of(options_, {hardware, asked_, families_, advice_.space.get()}, knowledge, context_);
    if (!advice_.wish) return;
    advice_.wish->advisories = advice_.prepared.advisories.get();
    const auto& [question, root] = std::tie(advice_.wish->question, advice_.wish->root);
    advice_.candidate = options_.lock.empty() ? newest_candidate(knowledge, *advice_.wish)
                                              : as_it_is(knowledge, question, root, check(knowledge, question));
    if (!advice_.candidate) return;
    if (options_.lock.empty()) advice_.by_driver = driver_rows(knowledge, *advice_.wish, *advice_.candidate, 3);
    if (advice_.space) advice_.latest = advice_.space->nearest(stack_of(*advice_.candidate)).stack;
  }

  void make_space(const workspace::AskedHardware& hardware) {
    static_cast<AskedSpace&>(advice_) = asked_space(options_, asked_, hardware, host_,
                                                    *advice_.accelerators, families_, context_);
  }

  // As of measurements below; the model has learned from it all the same.
  void leave_out_published() {
    const auto wanted = [&](const auto& result) { return !is_out(result.stack); };
    const auto kept = static_cast<std::size_t>(std::ranges::count_if(advice_.found, wanted));
    if (kept == advice_.found.size()) return;
    advice_.left_out = advice_.found.size() - kept;
    advice_.learned = std::exchange(advice_.found, {});
    std::ranges::copy_if(advice_.learned, std::back_inserter(advice_.found), wanted);
    advice_.published = analysis::rank_published(advice_.found, advice_.selection.asked, *advice_.accelerators,
                                                 options_.analysis.delta);
  }

  void rank_measured() {
    auto& selection = advice_.selection;
    if (selection.measurements.empty()) return;
    // What the project or the user's machine excludes was not asked for.
    auto wanted = selection.measurements;
    std::erase_if(wanted, [&](const auto& one) { return is_out(one.stack) || lacks_a_wish(one.stack); });
    if (wanted.empty()) return;
    auto settings = options_.analysis;
    settings.this_host = selection.this_host;
    settings.races = selection.races;
    settings.population = selection.population;
    settings.drift = !selection.leading;
    advice_.measured = analysis::rank(wanted, selection.asked, settings);
    selection.complete(advice_.measured);
  }

  bool is_out(const specs::Stack& stack) const {
    return std::ranges::any_of(stack.components, [&](const auto& one) {
             return !advice_.prepared.why_not(one.first, one.second).empty();
           }) ||
           std::ranges::any_of(advice_.wishes, [&](const auto& wish) { return breaks(stack, wish); }) ||
           (of_stackx() && std::ranges::any_of(advice_.space->project().requires_,
                                               [&](const auto& wish) { return breaks(stack, wish); }));
  }

  // A project of stackx that was given, whose roots are the space's.
  bool of_stackx() const {
    return advice_.space && !options_.project.empty() && !specs::is_python_project(options_.project);
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
    return std::ranges::any_of(advice_.wishes, [&](const auto& wish) {
      return wish.component != "python" && !stack.components.contains(wish.component);
    }) || !has_the_framework(stack);
  }

  // The one that packages or a project of Python ask for, whether the catalogs of the space know it or not.
  bool has_the_framework(const specs::Stack& stack) const {
    if (!advice_.wish || options_.project.empty()) return true;
    const auto& asked = advice_.wish->question.asked;
    const auto of_root = [&](const auto& placed) { return placed.dependency.name == advice_.wish->root; };
    return std::ranges::none_of(asked, of_root) || std::ranges::any_of(asked, [&](const auto& placed) {
      const auto found = stack.components.find(advice_.wish->root);
      if (!of_root(placed) || found == stack.components.end()) return false;
      const auto version = specs::Version::parse(found->second, specs::Versioning::pep440);
      return version && placed.dependency.versions.contains(*version);
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
      if (!advice_.space || !advice_.chosen->valid.unknown.empty())
        advice_.packages = workspace::stored_stack(row->stack.id(), store::default_path(context_.db), catalog()).packages;
    }
  }

  const specs::Catalog* catalog() const { return advice_.space ? &advice_.space->catalog() : nullptr; }

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

  void find_latest() {
    if (!advice_.space) return;
    if (advice_.chosen)
      advice_.latest = advice_.space->latest_like(advice_.chosen->valid.stack);
    else if (!advice_.candidate)
      advice_.latest = advice_.space->nearest(usual_library()).stack;
  }

  // In the words of the catalogs.
  static specs::Stack stack_of(const Candidate& candidate) {
    specs::Stack stack;
    if (!candidate.version.empty()) stack.components[candidate.package] = candidate.version;
    if (!candidate.cuda.empty()) stack.components["cuda"] = candidate.cuda;
    if (!candidate.cudnn.empty()) stack.components["cudnn"] = candidate.cudnn;
    return stack;
  }

  // The newest of the libraries that the workload is usually run with.
  specs::Stack usual_library() const {
    specs::Stack stack;
    auto libraries = usual_for(families_, asked_, advice_.selection.hardware);
    libraries.insert(libraries.end(), {"cublas", "torch", "tensorflow"});
    for (const auto& library : libraries)
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
    const auto& stack = advice_.latest;
    advice_.chosen = Chosen{stack, {stack, {}, {}}, rows.empty() ? "none" : "predicted",
                            rows.empty() ? "the newest versions that are valid together"
                                         : rows[0].prediction.text(),
                            rows.empty() ? advice_.selection.asked : rows[0].workload};
  }

  AdviceOptions options_;
  const std::function<const Knowledge&()>& knowledge_;
  const workspace::Context& context_;
  const specs::WorkloadFamilies families_ = specs::WorkloadFamilies::load(context_.data_directory());
  const specs::Host host_ = workspace::this_machine(context_);
  const specs::Workload asked_ = workspace::asked_workload(options_.selection.workload, context_);
  std::unique_ptr<RowPredictor> predictor_;
  HardwareAdvice advice_;
};

}  // namespace

std::optional<MeasuredShare> measured_peak_share(const HardwareAdvice& advice, std::size_t row) {
  const auto& ranking = advice.measured;
  if (!advice.accelerator || row >= ranking.recommendations.size()) return std::nullopt;
  const auto peak = specs::peak_of(*advice.accelerator, ranking.workload, ranking.unit);
  if (!peak) return std::nullopt;
  return MeasuredShare{ranking.recommendations[row].median / peak->rate, *peak};
}

HardwareAdvice hardware_advice(const AdviceOptions& options, const std::function<const Knowledge&()>& knowledge,
                               const workspace::Context& context) {
  return Gathering(options, knowledge, context).run();
}

}  // namespace stackx::advisor
