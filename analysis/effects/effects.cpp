#include "analysis/effects/effects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/published/workload_choice.hpp"
#include "analysis/ranking/amount_remark.hpp"
#include "analysis/ranking/placement.hpp"
#include "specs/error.hpp"
#include "specs/format/nearest.hpp"

namespace stackx::analysis {
namespace {

// Time and memory go with their square and cube: some seconds at most. Campaigns have dozens.
constexpr std::size_t most_versions = 1000;

using Group = std::vector<std::size_t>;  // of columns that can be compared with each other

// Being comparable is an equivalence.
std::vector<Group> groups_of(const AdditiveModel& model, const Factor& factor) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < factor.versions.size(); ++i) {
    const std::size_t column = factor.first_column + i;
    const auto fits = std::ranges::find_if(groups, [&](const Group& group) {
      return model.difference(group.front(), column).has_value();
    });
    if (fits == groups.end())
      groups.push_back({column});
    else
      fits->push_back(column);
  }
  return groups;
}

Effect effect_of(const AdditiveModel& model, const Factor& factor, std::size_t from,
                 std::size_t to) {
  const std::size_t a = from - factor.first_column, b = to - factor.first_column;
  const auto difference = model.difference(from, to).value();
  Effect effect;
  effect.component = factor.component;
  effect.from = factor.versions[a];
  effect.to = factor.versions[b];
  effect.ratio = std::exp(difference.value);
  if (const auto& interval = difference.interval)
    effect.ci = Interval{std::exp(interval->low), std::exp(interval->high), interval->coverage};
  effect.stacks_from = factor.stacks[a];
  effect.stacks_to = factor.stacks[b];
  return effect;
}

// Settings and names have no order to step along: each against the one that most stacks hold.
void add_unordered(const AdditiveModel& model, const Factor& factor, const Group& group,
                   std::vector<Effect>& effects) {
  const std::size_t base = *std::ranges::max_element(group, {}, [&](std::size_t column) {
    return factor.stacks[column - factor.first_column];
  });
  for (const std::size_t column : group)
    if (column != base) effects.push_back(effect_of(model, factor, base, column));
}

void add_effects(const AdditiveModel& model, const Factor& factor, const Group& group,
                 std::vector<Effect>& effects) {
  if (!factor.ordered) return add_unordered(model, factor, group, effects);
  for (std::size_t i = 1; i < group.size(); ++i)
    effects.push_back(effect_of(model, factor, group[i - 1], group[i]));
  // From the first that is a version: being absent is none.
  const bool absent = factor.versions[group.front() - factor.first_column].empty();
  if (group.size() - absent < 3) return;
  effects.push_back(effect_of(model, factor, group[absent], group.back()));
  effects.back().overall = true;
}

std::vector<std::string> versions_of(const Factor& factor, const Group& group) {
  std::vector<std::string> versions;
  for (const std::size_t column : group)
    versions.push_back(factor.versions[column - factor.first_column]);
  return versions;
}

// Being absent is the first version, so a group of its own is the first group.
void add_confounded(const AdditiveModel& model, const Factor& factor, std::vector<Group> groups,
                    std::vector<Confounded>& all) {
  if (groups.size() < 2) return;
  if (groups.front().size() == 1 && factor.versions.front().empty()) {
    std::vector<std::string> versions(factor.versions.begin() + 1, factor.versions.end());
    all.push_back({factor.component,
                   true,
                   {{""}, std::move(versions)},
                   model.confounded_with(groups[0].front(), groups[1].front())});
    groups.erase(groups.begin());
  }
  std::map<std::vector<std::string>, Confounded> by_reason;
  for (std::size_t g = 1; g < groups.size(); ++g) {
    const auto with = model.confounded_with(groups.front().front(), groups[g].front());
    auto& entry = by_reason[with];
    if (entry.groups.empty())
      entry = {factor.component, false, {versions_of(factor, groups.front())}, with};
    entry.groups.push_back(versions_of(factor, groups[g]));
  }
  for (auto& [with, entry] : by_reason) all.push_back(std::move(entry));
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

void check_components(const DesignMatrix& design, const std::vector<std::string>& asked) {
  std::vector<std::string> known;
  for (const Factor& factor : design.factors()) known.push_back(factor.component);
  for (const std::string& name : asked)
    if (!contains(known, name))
      throw bad_input(fmt::format("--component {}: in none of the stacks measured{}", name,
                                  specs::suggestion(name, known)));
}

// What they did to all stacks alike is taken out with the rounds, where rounds tie the stacks together.
void note_nodes(const Effects& result, const Rates& rates, std::vector<std::string>& notes) {
  if (result.nodes && result.nodes->between)
    notes.push_back(fmt::format("{} nodes differ by {:.2g}% (SD, noise taken off): that is in no effect, for a stack's value is beside "
                                "the others of its rounds",
                                result.nodes->nodes.size(), 100 * std::expm1(*result.nodes->between)));
  if (result.nodes) std::ranges::move(odd_lines(*result.nodes), std::back_inserter(notes));
  const auto placement = placement_of(rates.stacks);
  const auto loose = placement.size() < 2 ? 0 : untied(rates);
  if (loose > 0)
    notes.push_back(fmt::format("{} of {} stacks share no round with the others, not even through a third: where they were measured "
                                "on other nodes, the nodes are in the effects",
                                loose, result.values.size()));
}

Accuracy accuracy_of(const AdditiveModel& model, const std::vector<StackValue>& values) {
  const auto predictions = model.leave_one_out();
  Accuracy accuracy;
  accuracy.stacks = predictions.size();
  std::vector<double> errors;
  double squares = 0;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const double off = predictions[i].value - values[i].log_rate;
    errors.push_back(std::abs(std::expm1(off)));
    squares += off * off;
    accuracy.covered += predictions[i].interval->low <= values[i].log_rate &&
                        values[i].log_rate <= predictions[i].interval->high;
  }
  accuracy.median_error = median(errors);
  accuracy.rms_log = std::sqrt(squares / static_cast<double>(predictions.size()));
  return accuracy;
}

void note_limits(const Effects& result, const Rates& rates, std::vector<std::string>& notes) {
  const AdditiveModel& model = *result.model;
  if (result.values.size() == 1)
    notes.push_back("one stack has a rate: there is nothing to compare it with");
  else if (model.degrees_of_freedom() == 0)
    notes.push_back(fmt::format("{} stacks for {} parameters: no degrees of freedom are left, so no "
                                "interval of an effect can be given; measure more stacks (stackx "
                                "inspect --strategy learn picks those that tell most)",
                                result.values.size(), model.rank()));
  else if (model.degrees_of_freedom() < 10)
    notes.push_back(fmt::format("only {} degrees of freedom ({} stacks, {} parameters): the "
                                "intervals are wide for want of stacks; stackx inspect --strategy "
                                "learn picks those that tell most",
                                model.degrees_of_freedom(), result.values.size(), model.rank()));
  const auto elsewhere = std::ranges::count_if(
      rates.stacks, [](const auto& stack) { return !stack.here && !stack.values.empty(); });
  if (elsewhere > 0 && static_cast<std::size_t>(elsewhere) < result.values.size())
    notes.push_back(fmt::format("{} of {} stacks were measured on another host only: how the hosts "
                                "differ is counted among the effects",
                                elsewhere, result.values.size()));
  if (rates.without_unit > 0)
    notes.push_back(rates.yardstick.is_rate()
                        ? fmt::format("{} inspections were left out: no rate in {} follows from what they report",
                                      rates.without_unit, result.unit)
                        : fmt::format("{} inspections were left out: they do not tell {}", rates.without_unit, rates.yardstick.noun()));
}

}  // namespace

Effects effects(const std::vector<store::Measurement>& measurements,
                const specs::Workload& workload, const EffectsOptions& options) {
  Effects result;
  result.workload = choose_workload(measurements, workload, result.notes);
  result.confidence = options.confidence;
  std::vector<const store::Measurement*> selected;
  std::set<std::string> hardware;
  for (const auto& m : measurements)
    if (m.workload == result.workload) selected.push_back(&m), hardware.insert(m.microarchitecture);
  result.hw = fmt::format("{}", fmt::join(hardware, ", "));
  const Rates rates = collect(selected, options.this_host, options.yardstick);
  result.yardstick = options.yardstick;
  result.unit = unit_in_words(rates.unit, result.workload);
  result.values = stack_values(rates);
  if (result.values.empty()) return result;

  std::vector<specs::Stack> stacks;
  std::vector<double> values;
  for (const StackValue& value : result.values) {
    stacks.push_back(value.stack);
    values.push_back(value.log_rate);
  }
  if (const auto versions = DesignMatrix(stacks).columns(); versions > most_versions) {
    result.why_none = fmt::format("{} versions are in these {} stacks, and effects of more than {} are not taken apart; ask "
                                  "about one workload, or fewer stacks (a store of its own: --db)",
                                  versions, stacks.size(), most_versions);
    result.notes.push_back(result.why_none);
    return result;
  }
  result.model = std::make_unique<AdditiveModel>(stacks, values, options.confidence);
  const AdditiveModel& model = *result.model;
  check_components(model.design(), options.components);
  for (const Factor& factor : model.design().factors()) {
    if (factor.versions.size() == 1)
      result.constant.push_back(level_text(factor.component, factor.versions.front()));
    if (factor.versions.size() == 1 ||
        !(options.components.empty() || contains(options.components, factor.component)))
      continue;
    const auto groups = groups_of(model, factor);
    for (const Group& group : groups) add_effects(model, factor, group, result.effects);
    add_confounded(model, factor, groups, result.confounded);
  }
  std::ranges::stable_sort(result.effects, std::ranges::greater{},
                           [](const Effect& e) {
                             // Of an effect that is not clear its size says little by itself.
                             const double half = e.ci ? std::log(e.ci->high / e.ratio) : 1;
                             const double size = std::abs(std::log(e.ratio));
                             return std::pair(e.clear(), e.clear() || half <= 0 ? size : size / half);
                           });
  if (result.values.size() >= 3) result.accuracy = accuracy_of(model, result.values);
  result.nodes = nodes(rates, options.delta, options.confidence);
  note_nodes(result, rates, result.notes);
  note_limits(result, rates, result.notes);
  if (auto remark = amount_remark(selected, options.yardstick); !remark.empty()) result.notes.push_back(std::move(remark));
  return result;
}

specs::Scores scores(const Effects& effects, const std::string& component, const std::vector<std::string>& versions) {
  const AdditiveModel& model = *effects.model;
  const double micro = effects.yardstick.smaller_is_better() ? -1e6 : 1e6;
  specs::Scores result;
  result.decimals = 6;
  const auto& factors = model.design().factors();
  const auto factor = std::ranges::find(factors, component, &Factor::component);
  const auto effect = [&](const std::string& version) {
    if (factor == factors.end()) return 0.0;
    const auto at = std::ranges::find(factor->versions, version);
    return at == factor->versions.end()
               ? 0.0
               : model.effect(factor->first_column +
                              static_cast<std::size_t>(at - factor->versions.begin()));
  };
  for (const std::string& version : versions)
    result.of[component][version] = std::llround(micro * (effect(version) - effect("")));
  return result;
}

}  // namespace stackx::analysis
