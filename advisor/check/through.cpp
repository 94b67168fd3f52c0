#include "advisor/check/through.hpp"

#include <fmt/format.h>

#include "specs/version/version_text.hpp"

namespace stackx::advisor {

std::optional<Through> through_framework(const Knowledge& knowledge, const Question& question) {
  Through result{"", {}, question};
  for (const auto& placed : question.asked) {
    const auto name = knowledge.real_name(placed.dependency.name);
    const auto fact = knowledge.about(name, specs::pep440_version("0"));
    if (fact.through.empty() && fact.note.empty() && !knowledge.package(name)) continue;  // pandas: not judged, as beside torch
    if (fact.through.empty() || (!result.framework.empty() && fact.through != result.framework)) return std::nullopt;
    result.framework = fact.through;
    result.packages.push_back(placed.dependency.text());
  }
  auto dependency = specs::parse_dependency(result.framework);
  if (!dependency || !question.gpu) return std::nullopt;
  result.question.in_place_of.clear();  // the whole answer is, and says so
  result.question.asked.push_back({std::move(*dependency), "what it computes through"});
  return result;
}

std::string decided_by_framework(const Knowledge& knowledge, const std::string& name) {
  const auto through = knowledge.about(name, specs::pep440_version("0")).through;
  if (through.empty()) return "";
  return fmt::format("{} has no code for GPUs of its own: {} decides; whether they take each other says --deep", name, through);
}

}  // namespace stackx::advisor
