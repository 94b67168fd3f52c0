// The effects as tables and documents.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/effects/effects.hpp"
#include "analysis/report/csv.hpp"
#include "analysis/text/table.hpp"
#include "analysis/text/words.hpp"

namespace stackx::analysis {
namespace {

using nlohmann::json;

std::string shown(const std::string& version) { return version.empty() ? "absent" : version; }
json named(const std::string& version) { return version.empty() ? json(nullptr) : json(version); }

// Three decimals near 1; of what is far from it, three digits.
std::string factor(double ratio) {
  if (ratio >= 0.1 && ratio < 10) return fmt::format("{:.3f}", ratio);
  return ratio >= 10 && ratio < 1000 ? fmt::format("{:.{}f}", ratio, ratio < 100 ? 1 : 0)
                                     : fmt::format("{:.3g}", ratio);
}

json effect_json(const Effect& effect) {
  return {{"component", effect.component},
          {"from", named(effect.from)},
          {"to", named(effect.to)},
          {"kind", effect.overall ? "overall" : "step"},
          {"ratio", effect.ratio},
          {"ci95", effect.ci ? json::array({effect.ci->low, effect.ci->high}) : json(nullptr)},
          {"clear", effect.clear()},
          {"stacks_from", effect.stacks_from},
          {"stacks_to", effect.stacks_to}};
}

json confounded_json(const Confounded& one) {
  json groups = json::array();
  for (const auto& group : one.groups) {
    groups.push_back(json::array());
    for (const std::string& version : group) groups.back().push_back(named(version));
  }
  return {{"component", one.component},
          {"presence", one.presence},
          {"groups", groups},
          {"with", one.with}};
}

json model_json(const Effects& effects) {
  if (!effects.model) return nullptr;
  const AdditiveModel& model = *effects.model;
  json result = {{"stacks", effects.values.size()},
                 {"parameters", model.rank()},
                 {"degrees_of_freedom", model.degrees_of_freedom()},
                 {"residual_log_sd", model.residual() ? json(*model.residual()) : json(nullptr)},
                 {"ridge_penalty", model.penalty()},
                 {"ridge_effective_parameters", model.effective_parameters()},
                 {"leave_one_out", nullptr}};
  if (const auto& accuracy = effects.accuracy)
    result["leave_one_out"] = {{"stacks", accuracy->stacks},
                               {"median_absolute_error", accuracy->median_error},
                               {"rms_log_error", accuracy->rms_log},
                               {"intervals_that_covered", accuracy->covered}};
  return result;
}

std::size_t inspections(const Effects& effects) {
  std::size_t total = 0;
  for (const StackValue& value : effects.values) total += value.inspections;
  return total;
}

std::string heading(const Effects& effects, std::size_t width) {
  std::string text = fmt::format("{} on {}: effects of versions on {}, from {} of {}",
                                 effects.workload.text(), effects.hw, title_of(effects.yardstick, effects.unit),
                                 counted(inspections(effects), "inspection"),
                                 counted(effects.values.size(), "stack"));
  text = wrap(headline(effects), 0, width) + "\n\n" + wrap(text, 0, width) + "\n";
  if (!effects.constant.empty())
    text += "All stacks: " + wrap(effects.constant, 12, ",", width) + "\n";
  return text +
         wrap(fmt::format(
            "effect: {0} with the second version over {0} with the first, all other "
            "components the same, with its {1:g}% confidence interval (each on its own, not "
            "all together). stacks: how many hold each. One value a stack, the median over "
            "its inspections with the drift of the rounds taken out; the log of the {0} is taken to be "
            "a sum over components, and what interacts counts as noise.",
            effects.yardstick.noun(), 100 * effects.confidence), 0, width) +
         "\n\n";
}

std::string effects_table(const std::vector<Effect>& effects, const Paint& paint) {
  std::vector<Column> columns{{"component", false, {}}, {"change", false, {}},
                              {"effect", true, {}},     {"interval", false, {}},
                              {"stacks", true, {}},     {"", false, {}}};
  for (const Effect& effect : effects) {
    columns[0].cells.push_back(effect.component);
    columns[1].cells.push_back(shown(effect.from) + " -> " + shown(effect.to));
    columns[2].cells.push_back("×" + factor(effect.ratio));
    columns[3].cells.push_back(
        effect.ci ? fmt::format("[{}, {}]", factor(effect.ci->low), factor(effect.ci->high)) : "-");
    columns[4].cells.push_back(fmt::format("{}, {}", effect.stacks_from, effect.stacks_to));
    columns[5].cells.push_back(effect.overall ? "first to last" : "");
  }
  return table_text(columns, paint);
}

std::string effects_text(const Effects& effects, const Paint& paint) {
  if (effects.effects.empty())
    return "No difference between two versions of a component can be told from these stacks.\n";
  const auto split_at = std::ranges::find_if_not(effects.effects, &Effect::clear);
  const std::vector<Effect> clear(effects.effects.begin(), split_at);
  const std::vector<Effect> unclear(split_at, effects.effects.end());
  std::string text;
  if (!clear.empty()) text += effects_table(clear, paint);
  if (!unclear.empty())
    text += fmt::format("{}Not told from no effect (the interval holds ×1, or there is none):\n{}",
                        clear.empty() ? "" : "\n", effects_table(unclear, paint));
  return text;
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

// The document has all of them.
std::string some_of(std::vector<std::string> names) {
  constexpr std::size_t most = 10;
  if (names.size() <= most + 1) return joined(names, ", ");
  const std::size_t more = names.size() - most;
  names.resize(most);
  return fmt::format("{} and {} more", joined(names, ", "), more);
}

// What is absent here and there is one list: nothing but the name would differ.
std::string presence_text(const Effects& effects, std::size_t width) {
  std::vector<std::string> names;
  for (const Confounded& one : effects.confounded)
    if (one.presence) names.push_back(one.component);
  if (names.empty()) return {};
  return "- " +
         wrap(fmt::format("being there or not, of {}: other components come or go with them; "
                          "compare whole stacks instead (stackx advise)",
                          some_of(names)), 2, width) +
         "\n";
}

std::string confounded_text(const Effects& effects, std::size_t width) {
  if (effects.confounded.empty()) return {};
  std::string text = "\nCannot be told (| parts what cannot be compared):\n";
  for (const Confounded& one : effects.confounded) {
    if (one.presence) continue;
    std::vector<std::string> groups;
    for (const auto& group : one.groups) {
      std::vector<std::string> versions;
      for (const std::string& version : group) versions.push_back(shown(version));
      groups.push_back(joined(versions, ", "));
    }
    text += bullet(fmt::format("{}: {}; no stacks differ in it alone, it varies with {}", one.component, joined(groups, " | "),
                               some_of(one.with)), width);
  }
  return text + presence_text(effects, width);
}

}  // namespace

std::string accuracy_text(const Effects& effects) {
  if (!effects.accuracy)
    return "The model's error is not known: leaving one stack out needs three at least.";
  const Accuracy& accuracy = *effects.accuracy;
  return fmt::format(
      "Each of the {} stacks predicted from the others: off by {:.1f}% in the median, root mean "
      "square of log {:.3f}; {} of {} lie in their {:g}% prediction interval.",
      accuracy.stacks, 100 * accuracy.median_error, accuracy.rms_log, accuracy.covered,
      accuracy.stacks, 100 * effects.confidence);
}

json to_json(const Effects& effects) {
  json result = {{"text", headline(effects)},
                 {"hw", effects.hw},
                 {"workload", effects.workload.text()},
                 {"metric", effects.yardstick.word()},
                 {"unit", effects.unit},
                 {"confidence", effects.confidence},
                 {"inspections", inspections(effects)},
                 {"model", model_json(effects)},
                 {"effects", json::array()},
                 {"confounded", json::array()},
                 {"constant", effects.constant},
                 {"notes", effects.notes}};
  if (effects.nodes) result["nodes"] = to_json(*effects.nodes);
  for (const Effect& effect : effects.effects) result["effects"].push_back(effect_json(effect));
  for (const Confounded& one : effects.confounded)
    result["confounded"].push_back(confounded_json(one));
  return result;
}

json scores_document(const Effects& effects) {
  json all = json::object();
  for (const Factor& factor : effects.model->design().factors()) {
    if (factor.versions.size() == 1) continue;
    std::vector<std::string> present = factor.versions;
    std::erase(present, "");
    const specs::Scores of = scores(effects, factor.component, present);
    for (const auto& [version, score] : of.of.at(factor.component))
      all[factor.component][version] = json::parse(of.text(score));
  }
  return {{"$schema", "stackx/score/1"},
          {"description",
           fmt::format("log of the {} in {} of {} on {}: additive effects over {} stacks. {}",
                       effects.yardstick.noun(), effects.unit, effects.workload.text(), effects.hw, effects.values.size(),
                       accuracy_text(effects))},
          {"source", "stackx effects"},
          {"scores", all}};
}

std::string csv(const Effects& effects) {
  std::string text = "component,from,to,kind,ratio,low,high,stacks_from,stacks_to\n";
  for (const Effect& e : effects.effects)
    text += fmt::format("{},{},{},{},{},{},{},{},{}\n", csv_field(e.component), csv_field(e.from), csv_field(e.to),
                        e.overall ? "overall" : "step", e.ratio,
                        e.ci ? fmt::format("{}", e.ci->low) : "",
                        e.ci ? fmt::format("{}", e.ci->high) : "", e.stacks_from, e.stacks_to);
  return text;
}

std::string headline(const Effects& effects) {
  const auto of = counted(effects.values.size(), "stack");
  if (effects.effects.empty()) return fmt::format("No effect of a version can be told from {}.", of);
  if (effects.model && effects.model->degrees_of_freedom() == 0)
    return fmt::format("Effects cannot be told from {}: as many parameters leave none over for an interval. Two of them against each other: stackx compare.", of);
  const auto clear = static_cast<std::size_t>(std::ranges::count_if(effects.effects, &Effect::clear));
  const auto changes = counted(effects.effects.size(), "change");
  if (clear == 0) return fmt::format("No effect of a version is shown: none of {}, from {}.", changes, of);
  const Effect& most = effects.effects.front();
  return fmt::format("{} {} -> {} matters most: ×{} [{}, {}]; {} of {} shown to matter.", most.component, shown(most.from), shown(most.to),
                     factor(most.ratio), factor(most.ci->low), factor(most.ci->high), clear, changes);
}

std::string table(const Effects& effects, bool colour, std::size_t width) {
  std::string text = heading(effects, width) + effects_text(effects, Paint{colour}) +
                     confounded_text(effects, width) + "\n" + wrap(accuracy_text(effects), 0, width) +
                     "\n";
  if (!effects.notes.empty()) text += "\nNotes:\n";
  for (const std::string& note : effects.notes) text += bullet(note, width);
  return text;
}

}  // namespace stackx::analysis
