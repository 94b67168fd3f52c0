#include "advisor/check/on_python.hpp"

#include <algorithm>
#include <optional>

#include "advisor/check/world/pythons.hpp"
#include "advisor/facts/frameworks.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

bool is_newest(const std::string& version, const specs::Package& package, const specs::SpecifierSet& versions) {
  return std::ranges::none_of(package.releases, [&](const auto& release) {
    return specs::is_newer(release.version.text(), version) && !release.yanked && versions.contains(release.version);
  });
}

// What decides about the driver and the GPU: flash-attn 1.0.9 takes torch 2.15 on Python 3.11 and 1.13 on 3.7.
bool same_frameworks(const OnPython& a, const OnPython& b) {
  return std::ranges::all_of(a.judged.chosen.components, [&](const auto& one) {
    const auto found = b.judged.chosen.components.find(one.first);
    return !is_framework(one.first) || (found != b.judged.chosen.components.end() && found->second == one.second);
  });
}

bool same_roots(const Knowledge& knowledge, const Question& question, const OnPython& a, const OnPython& b) {
  return std::ranges::all_of(question.asked, [&](const auto& placed) {
    const auto name = knowledge.real_name(placed.dependency.name);
    const auto in = [&](const OnPython& one) {
      const auto found = one.judged.chosen.components.find(name);
      return found == one.judged.chosen.components.end() ? std::string() : found->second;
    };
    return in(a) == in(b);
  });
}

// Where the newest of all is taken, another Python counts if that installs and runs there, too; else an installer must take the same.
void add_other_pythons(const Knowledge& knowledge, const Question& question, const OnPython& answer, std::vector<std::string>& pythons) {
  auto pinned = question;
  bool sure = true;  // that an installer takes the same on another Python
  for (auto& placed : pinned.asked) {
    auto& versions = placed.dependency.versions;
    const auto name = knowledge.real_name(placed.dependency.name);
    const auto chosen = answer.judged.chosen.components.find(name);
    if (!knowledge.package(name) || chosen == answer.judged.chosen.components.end()) continue;
    if (specs::single_version(versions).empty() && !is_newest(chosen->second, *knowledge.package(name), versions)) sure = false;
    versions = specs::range_or_any("==" + chosen->second);
  }
  for (const auto& python : likely_pythons(knowledge, pinned)) {
    if (python == answer.world.python) continue;
    const auto one = on_python(knowledge, pinned, python);
    if (!one.judged.installable || !one.yes(pinned) || !same_frameworks(answer, one)) continue;
    const auto takes_the_same = [&](const OnPython& there) { return there.judged.installable && same_roots(knowledge, question, answer, there); };
    if (sure || takes_the_same(on_python(knowledge, question, python))) pythons.push_back(python);
  }
}

}  // namespace

OnPython on_python(const Knowledge& knowledge, const Question& question, const std::string& python) {
  OnPython result{python_world(knowledge, question, python), {}, {}};
  if (!result.world.unknown.empty()) return result;
  result.judged = judge({result.world.project, result.world.catalog, result.world.order});
  if (result.judged.installable && question.gpu)
    result.gpu = on_gpu(knowledge, question, result.judged.chosen);
  return result;
}

bool knows_none(const Knowledge& knowledge, const Question& question, const OnPython& here) {
  return std::ranges::all_of(question.asked, [&](const auto& placed) {
    return here.world.not_held.contains(knowledge.real_name(placed.dependency.name));
  });
}

OnTheirPython on_their_python(const Knowledge& knowledge, const Question& question, bool with_others) {
  if (!question.python.empty()) return {on_python(knowledge, question, question.python), {}};
  const bool exact = std::ranges::all_of(question.asked, [](const auto& placed) { return placed.dependency.versions.text().starts_with("=="); });
  std::vector<std::string> pythons;
  std::optional<OnPython> first, answer;
  for (const auto& python : likely_pythons(knowledge, question)) {
    if (first && !exact && first->judged.installable) break;
    auto one = on_python(knowledge, question, python);
    if (!one.world.unknown.empty()) return {std::move(one), std::move(pythons)};
    const bool counts = !first || !first->judged.installable || same_roots(knowledge, question, *first, one);
    const bool yes = one.judged.installable && one.yes(question) && counts;
    if (yes && (!answer || same_frameworks(*answer, one))) pythons.push_back(python);
    if (yes && !answer) answer = one;
    if (!first || (one.judged.installable && !first->judged.installable)) first = std::move(one);
    if (question.gpu && first->judged.installable && knows_none(knowledge, question, *first)) break;  // on any Python
  }
  if (!first) return {on_python(knowledge, question, known_pythons().front()), {}};
  if (answer && !exact && with_others) add_other_pythons(knowledge, question, *answer, pythons);
  std::ranges::sort(pythons, {}, [](const auto& python) {
    return std::ranges::find(known_pythons(), python) - known_pythons().begin();
  });
  return {answer ? std::move(*answer) : std::move(*first), std::move(pythons)};
}

}  // namespace stackx::advisor
