#include "advisor/check/brought_by.hpp"

#include <fmt/format.h>

#include <deque>
#include <map>
#include <utility>

#include "advisor/check/wording.hpp"

namespace stackx::advisor {
namespace {

struct Step {
  std::string by, text;  // "": the question; "==2.8.0"
};

// The shortest ways from the question to what is chosen.
std::map<std::string, Step> steps(const PythonWorld& world, const specs::Stack& chosen) {
  std::map<std::string, Step> found;
  std::deque<std::string> waiting;
  const auto take = [&](const std::string& by, const std::vector<specs::Requirement>& requirements) {
    for (const auto& one : requirements)
      if (!is_given(one.component) && found.emplace(one.component, Step{by, one.constraint.text}).second) waiting.push_back(one.component);
  };
  take("", world.project.requires_);
  while (!waiting.empty()) {
    const auto name = std::move(waiting.front());
    waiting.pop_front();
    const auto version = chosen.components.find(name);
    if (const auto* entry = version == chosen.components.end() ? nullptr : world.catalog.find(name, version->second)) take(name, entry->requires_);
  }
  return found;
}

std::string with_range(const std::string& name, const std::string& range) {
  return package_in_words(name) + (range.empty() || range == "*" ? "" : " " + range);
}

}  // namespace

std::vector<resolver::Reason> brought_by(const PythonWorld& world, const specs::Stack& chosen, const std::string& name, const std::string& so) {
  const auto known = steps(world, chosen);
  auto at = known.find(name);
  if (at == known.end() || at->second.by.empty()) return {};
  resolver::Reason reason{so, {}};
  while (!at->second.by.empty()) {
    const auto& [by, text] = at->second;
    reason = {fmt::format("{} {} needs {}", package_in_words(by), chosen.components.at(by), with_range(at->first, text)), {std::move(reason)}};
    at = known.find(by);
  }
  return {{"you ask for " + with_range(at->first, at->second.text), {std::move(reason)}}};
}

}  // namespace stackx::advisor
