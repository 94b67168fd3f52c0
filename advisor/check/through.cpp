#include "advisor/check/through.hpp"

#include <fmt/format.h>

#include "specs/version/version_text.hpp"

namespace stackx::advisor {

std::optional<Through> through_framework(const Knowledge& knowledge, const Question& question) {
  std::string framework;
  for (const auto& placed : question.asked) {
    const auto name = knowledge.real_name(placed.dependency.name);
    const auto through = knowledge.about(name, specs::pep440_version("0")).through;
    if (through.empty() || (!framework.empty() && through != framework)) return std::nullopt;
    framework = through;
  }
  auto dependency = specs::parse_dependency(framework);
  if (!dependency || !question.gpu) return std::nullopt;
  Through result{framework, question};
  result.question.asked.push_back({std::move(*dependency), "what it computes through"});
  return result;
}

std::string decided_by_framework(const Knowledge& knowledge, const std::string& name) {
  const auto through = knowledge.about(name, specs::pep440_version("0")).through;
  if (through.empty()) return "";
  return fmt::format("{} has no code for GPUs of its own: {} decides; whether they take each other says --deep", name, through);
}

}  // namespace stackx::advisor
