#include "advisor/check/nearest/instead.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/version/version_text.hpp"

namespace stackx::advisor {

Instead::Instead(const Knowledge& knowledge, const Question& question, const PythonWorld& world, const Judged& judged)
    : knowledge_(knowledge), question_(question), world_(world), judged_(judged) {
  for (const auto& placed : question.asked) asked_.insert(knowledge.real_name(placed.dependency.name));
}

void Instead::install(Nearest& nearest, const Change& change, const Question& asked) const {
  for (std::size_t i = 0; i < asked.asked.size() && i < nearest.install.size(); ++i) {
    auto dependency = asked.asked[i].dependency;
    if (knowledge_.real_name(dependency.name) != change.name) continue;
    dependency.versions = specs::range_or_any("==" + change.to);
    nearest.install[i] = dependency.text();
    return;
  }
  nearest.install.push_back(change.name + "==" + change.to);
}

std::vector<Change> Instead::differences(const specs::Stack& stack) const {
  std::vector<Change> changes;
  for (const auto& [name, version] : stack.components) {
    if (is_given(name) || name.find('+') != name.npos || !knowledge_.package(name)) continue;  // of what nobody lists no version is known
    const auto chosen = judged_.chosen.components.find(name);
    if (chosen != judged_.chosen.components.end() && chosen->second != version)
      changes.push_back({name, chosen->second, version});
  }
  const auto rank = [&](const Change& change) {
    const bool blamed = judged_.why && std::ranges::any_of(judged_.why->clauses, [&](const auto& clause) {
                          return clause.component == change.name;
                        });
    return is_asked(change.name) ? 0 : blamed ? 1 : is_framework(change.name) ? 2 : 3;  // torch, which keeps its cuda-bindings back
  };
  std::ranges::stable_sort(changes, {}, rank);
  return changes;
}

Nearest Instead::of(const Question& changed, const std::string& name, const std::string& from, const std::string& to,
                    const specs::Stack& stack) const {
  Nearest nearest;
  nearest.stack = stack;
  nearest.changes.push_back({name, from, to});
  auto asked = changed;
  for (auto& placed : asked.asked) {
    auto& dependency = placed.dependency;
    const auto real = knowledge_.real_name(dependency.name);
    const auto chosen = stack.components.find(real);
    const auto before = single_version_of(real);
    if (real == name) {
      dependency.versions = specs::range_or_any("==" + to);
    } else if (!before.empty() && dependency.versions.is_any() && chosen != stack.components.end()) {
      dependency.versions = specs::range_or_any("==" + chosen->second);
      if (chosen->second != before) nearest.changes.push_back({real, before, chosen->second});
    }
    nearest.install.push_back(dependency.text());
  }
  nearest.text = !from.empty() && specs::public_version(from) == specs::public_version(to) ? same_version_text(name, to)
                                                               : fmt::format("{} {} runs", name, to);
  hold(asked, nearest);
  return nearest;
}

std::string Instead::single_version_of(const std::string& name) const {
  for (const auto& placed : question_.asked)
    if (knowledge_.real_name(placed.dependency.name) == name) return specs::single_version(placed.dependency.versions);
  return "";
}

void Instead::hold(const Question& asked, Nearest& nearest) const {
  const auto python = nearest.stack.components.find("python");
  const auto series = python == nearest.stack.components.end() ? world_.python
                                                               : specs::minor_release(python->second);
  const auto world = python_world(knowledge_, asked, series);
  const auto judged = judge({world.project, world.catalog, world.order});
  if (judged.runs || !judged.installable) return;
  for (const auto& [name, version] : judged.chosen.components) {
    const auto right = nearest.stack.components.find(name);
    if (is_given(name) || name.find('+') != name.npos || !knowledge_.package(name) || right == nearest.stack.components.end() ||
        right->second == version)
      continue;
    nearest.changes.push_back({name, version, right->second});
    install(nearest, nearest.changes.back(), asked);
  }
}

std::string Instead::same_version_text(const std::string& name, const std::string& to) const {
  const auto fact = knowledge_.about(name, specs::pep440_version(to));
  const auto cuda = fact.built_for ? fact.built_for->cuda : "";
  std::string code = "cu" + cuda;
  std::erase(code, '.');
  if (!specs::is_local(to))
    return fmt::format("the same version from the default index{} has", cuda.empty() || cuda == "none" ? "" : fmt::format(" ({})", code));
  return fmt::format("its build {} has", to);
}

}  // namespace stackx::advisor
