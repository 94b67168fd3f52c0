#include "analysis/published/workload_inventory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_set>

#include "analysis/published/near_workload.hpp"
#include "analysis/text/table.hpp"
#include "analysis/text/words.hpp"
#include "specs/format/printable.hpp"

namespace stackx::analysis {
namespace {

constexpr std::size_t most_words = 6, most_models = 12;

std::vector<std::string> sorted(const std::set<std::string>& values) {
  std::vector<std::string> result(values.begin(), values.end());
  std::ranges::stable_sort(result, {}, [](const std::string& value) {
    const auto number = shape_value(value);
    return std::tuple{!number.has_value(), number.value_or(0)};
  });
  return result;
}

std::string evidence_text(const FamilyEvidence& evidence) {
  std::string text = counted(evidence.published, "published result");
  if (evidence.published)
    text += fmt::format(" on {} of hardware", counted(evidence.hardware.size(), "name"));
  text += fmt::format(", {} measured", counted(evidence.inspections, "inspection"));
  if (!evidence.measured_on.empty())
    text += fmt::format(" on {}", counted(evidence.measured_on.size(), "model"));
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + specs::printable(word);
  return text;
}

std::string headline(const ListedFamily& family, std::size_t width) {
  return wrap(fmt::format("{}: {}", family.name, family.description.empty() ? "(not described)" : family.description), 4, width) + "\n";
}

}  // namespace

WorkloadInventory workload_inventory(const store::Questions& questions, const std::string& family) {
  store::QuestionFilter filter;
  if (!family.empty()) filter.workload = specs::Workload{family, {}};
  WorkloadInventory inventory;
  std::unordered_set<std::int64_t> seen;  // workloads: few, of many results
  const auto note = [&](std::int64_t row) -> FamilyEvidence& {
    const specs::Workload& workload = questions.workload(row);
    FamilyEvidence& one = inventory[workload.pi];
    if (seen.insert(row).second)
      for (const auto& [name, value] : workload.params) one.values[name].insert(value);
    return one;
  };
  for (const store::PublishedPlace& place : questions.published_places(filter)) {
    FamilyEvidence& one = note(place.workload);
    ++one.published;
    const std::string& model = questions.hardware(place.hardware).model;
    ++one.hardware[model.empty() ? "not stated" : model];
  }
  for (const store::SeriesSums& series : questions.series(filter)) {
    FamilyEvidence& one = note(series.workload);
    one.inspections += series.inspections;
    one.measured_on.insert(questions.hardware(questions.device(series.device).hardware).model);
  }
  return inventory;
}

std::vector<ListedFamily> listed_families(const specs::WorkloadFamilies& families,
                                          const WorkloadInventory& inventory) {
  std::vector<ListedFamily> result;
  for (const auto& family : families.all()) {
    ListedFamily one{family.name, family.description, family.gpu, family.cpu, {}, {}};
    for (const auto& [name, meaning] : family.params) one.parameters.push_back({name, meaning, {}});
    result.push_back(std::move(one));
  }
  for (const auto& [name, evidence] : inventory) {
    auto found = std::ranges::find(result, name, &ListedFamily::name);
    if (found == result.end())
      found = result.insert(result.end(), ListedFamily{name, "", "", "", {}, {}});
    found->evidence = evidence;
    for (const auto& [param, values] : evidence.values) {
      auto& parameters = found->parameters;
      auto known = std::ranges::find(parameters, param, &ListedParameter::name);
      if (known == parameters.end()) known = parameters.insert(known, {param, "", {}});
      known->values = sorted(values);
    }
  }
  return result;
}

std::string values_text(const std::vector<std::string>& values) {
  if (values.empty()) return "no results";
  if (values.size() <= most_words) return joined(values);
  if (shape_value(values.front()) && shape_value(values.back()))
    return fmt::format("{} to {} ({} values)", values.front(), values.back(), values.size());
  const std::vector<std::string> first(values.begin(), values.begin() + most_words);
  return fmt::format("{}, ... ({} values)", joined(first), values.size());
}

std::string list_text(const std::vector<ListedFamily>& families, std::size_t width) {
  std::string text = paragraph(fmt::format("{} workloads. --workload NAME[:key=value,...] asks for one; "
                                           "`stackx workload show NAME` says more.", families.size()), 0, width);
  for (const auto& family : families) {
    text += "\n" + headline(family, width) + paragraph(evidence_text(family.evidence), 4, width);
    std::vector<std::string> words;
    for (const auto& parameter : family.parameters)
      if (!parameter.values.empty())
        words.push_back(parameter.name + ": " + values_text(parameter.values));
    if (!words.empty()) text += "    " + wrap(words, 4, ";", width) + "\n";
  }
  return text;
}

namespace {

std::string parameters_text(const ListedFamily& family, std::size_t width) {
  std::size_t indent = 0;
  for (const auto& parameter : family.parameters) indent = std::max(indent, parameter.name.size() + gap.size());
  std::string text;
  for (const auto& [name, meaning, values] : family.parameters) {
    const std::string there = "results: " + (values.empty() ? "none" : values_text(values));
    text += fmt::format("{:<{}}", name, indent);
    if (!meaning.empty())
      text += wrap(meaning, indent, width) + "\n" + std::string(indent, ' ');
    text += wrap(there, indent, width) + "\n";
  }
  return text;
}

}  // namespace

std::string show_text(const ListedFamily& family, std::size_t width) {
  std::string text = headline(family, width) + paragraph(evidence_text(family.evidence), 0, width);
  if (!family.parameters.empty()) text += "\n" + parameters_text(family, width);
  if (!family.evidence.hardware.empty()) {
    std::vector<std::pair<std::string, std::uint64_t>> models(family.evidence.hardware.begin(),
                                                              family.evidence.hardware.end());
    std::ranges::stable_sort(models, std::ranges::greater(),
                             &std::pair<std::string, std::uint64_t>::second);
    std::vector<std::string> words;
    for (std::size_t i = 0; i < std::min(models.size(), most_models); ++i)
      words.push_back(fmt::format("{} ({})", models[i].first, models[i].second));
    if (models.size() > most_models)
      words.push_back(fmt::format("and {} more", models.size() - most_models));
    text += "\nPublished on: " + wrap(words, 14, ",", width) + "\n";
  }
  if (!family.evidence.measured_on.empty())
    text += "\nMeasured on: " + wrap(joined(sorted(family.evidence.measured_on)), 13, width) + "\n";
  return text;
}

nlohmann::json to_json(const ListedFamily& family) {
  auto parameters = nlohmann::json::array();
  for (const auto& parameter : family.parameters)
    parameters.push_back(
        {{"name", parameter.name}, {"meaning", parameter.meaning}, {"values", parameter.values}});
  return {{"name", family.name},
          {"description", family.description},
          {"parameters", std::move(parameters)},
          {"published", family.evidence.published},
          {"hardware", family.evidence.hardware},
          {"inspections", family.evidence.inspections},
          {"measured_on", family.evidence.measured_on}};
}

}  // namespace stackx::analysis
