#include "advisor/hardware_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "specs/project/workload_family.hpp"
#include "store/store.hpp"
#include "workspace/load.hpp"
#include "workspace/this_machine.hpp"

namespace stackx::advisor {
namespace {

// What the store has.
struct Evidence {
  Selection selection;
  std::vector<specs::Published> found, family;
  analysis::PublishedRanking published;
};

class Gathering {
 public:
  Gathering(const AdviceOptions& options, const workspace::Context& context)
      : options_(options), context_(context) {
    advice_.accelerators =
        std::make_unique<specs::Accelerators>(specs::load_accelerators(context.data_directory()));
  }

  HardwareAdvice run() {
    // A new store takes in what is published, and it is read and ranked, while the space is resolved;
    // the model learns while the valid stacks are looked for. Neither thread writes to advice_.
    auto reading = std::async(std::launch::async, [this] { return evidence(); });
    const auto early = workspace::hardware_of_catalogs(options_.selection.hw, host_,
                                            *advice_.accelerators, context_);
    if (early) make_space(*early);
    take(reading.get());
    check_workload();
    const auto& hardware = advice_.selection.hardware;
    if (!early) make_space(hardware);
    if (hardware.component == "gpu")
      advice_.accelerator = advice_.accelerators->identify(hardware.name);
    if (advice_.impossible) return std::move(advice_);
    auto learning = std::async(std::launch::async, [this] { return predictor(); });
    rank_measured();
    choose();
    find_latest();
    if (auto predictor = learning.get()) advice_.predicted = predictor->rows(advice_.latest);
    if (!advice_.chosen) choose_without_evidence();
    if (advice_.own)
      advice_.own_advice = own_advice(*advice_.own, *advice_.own_valid, advice_.measured,
                                      advice_.published);
    advice_.price = options_.price;
    return std::move(advice_);
  }

 private:
  Evidence evidence() const {
    Evidence evidence;
    auto& [selection, found, family, published] = evidence;
    selection = select(options_.selection, host_, *advice_.accelerators, context_);
    const auto store = store::Store::open(store::default_path(context_.db), store::Mode::read_only);
    const specs::Workload of_family{selection.asked.pi, {}};
    if (selection.hardware.component == "gpu") {
      const auto& models = selection.hardware.models;
      family = store.published({of_family, std::nullopt});
      std::map<std::string, bool> meant;  // by spelling
      for (const auto& result : family) {
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
    published = analysis::rank_published(found, selection.asked, *advice_.accelerators,
                                         options_.analysis.delta);
    return evidence;
  }

  void take(Evidence evidence) {
    advice_.selection = std::move(evidence.selection);
    advice_.found = std::move(evidence.found);
    advice_.family = std::move(evidence.family);
    advice_.published = std::move(evidence.published);
  }

  void make_space(const workspace::AskedHardware& hardware) {
    static_cast<AskedSpace&>(advice_) = asked_space(options_, asked_, hardware, host_,
                                                    *advice_.accelerators, families_, context_);
  }

  // A workload that neither the catalogs nor the store know.
  void check_workload() const {
    const auto& name = asked_.pi;
    if (families_.find(name) || !advice_.selection.measurements.empty()) return;
    const auto store = store::Store::open(store::default_path(context_.db), store::Mode::read_only);
    if (!store.published({specs::Workload{name, {}}, std::nullopt}).empty()) return;
    const auto near = families_.nearest(name);
    throw bad_input(fmt::format("--workload {}: no such workload in the catalogs or the store{}; "
                                "`stackx workload list` names all",
                                specs::in_quotes(name),
                                near.empty() ? ""
                                             : fmt::format("; the nearest are {}", fmt::join(near, ", "))));
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

  bool is_out(const specs::Stack& stack) const {
    return std::ranges::any_of(stack.components, [&](const auto& one) {
             return !advice_.prepared.why_not(one.first, one.second).empty();
           }) ||
           std::ranges::any_of(advice_.wishes, [&](const auto& wish) { return breaks(stack, wish); });
  }

  // Names another version than the user's project allows; what it does not name may be any.
  static bool breaks(const specs::Stack& stack, const specs::Requirement& wish) {
    const auto found = stack.components.find(wish.component);
    if (found == stack.components.end()) return false;
    const auto version = specs::Version::parse(found->second, specs::Versioning::pep440);
    return !version || !specs::holds(wish.constraint, *version);
  }

  // The catalogs know nothing that it names (a serving framework alone): no valid stack is near it.
  bool is_foreign(const specs::Stack& stack) const {
    return advice_.space && std::ranges::none_of(stack.components, [&](const auto& one) {
             return advice_.space->catalog().find(one.first) != nullptr;
           });
  }

  // What was measured has just the components that it names.
  bool lacks_a_wish(const specs::Stack& stack) const {
    return std::ranges::any_of(advice_.wishes, [&](const auto& wish) {
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
        if (is_out(row.stack) || is_foreign(row.stack)) continue;
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

  // With the recommended library.
  void find_latest() {
    if (!advice_.space) return;
    advice_.latest = advice_.space->latest_like(advice_.chosen ? advice_.chosen->valid.stack
                                                               : usual_library());
  }

  std::optional<RowPredictor> predictor() const {
    if (!advice_.space || !advice_.accelerator) return std::nullopt;
    return RowPredictor(advice_.selection.asked, advice_.published, advice_.family,
                        advice_.selection.measurements, *advice_.accelerators,
                        *advice_.accelerator);
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
  const workspace::Context& context_;
  const specs::WorkloadFamilies families_ = specs::WorkloadFamilies::load(context_.data_directory());
  const specs::Host host_ = workspace::this_machine(context_);
  const specs::Workload asked_ = specs::parse_workload(options_.selection.workload);
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

HardwareAdvice hardware_advice(const AdviceOptions& options, const workspace::Context& context) {
  return Gathering(options, context).run();
}

}  // namespace stackx::advisor
