#include "advisor/check/nearest/torch_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "advisor/check/nearest/with_code.hpp"
#include "advisor/facts/wheel_machines.hpp"
#include "specs/python/build_index.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

constexpr const char* torch = "torch";

bool has_wheel_for(const specs::PackageRelease& release, const std::string& machine) {
  return std::ranges::any_of(release.wheels, [&](const auto& tags) { return is_for_machine(tags, {machine}); });
}

}  // namespace

std::vector<std::string> labels_of_torch(const Knowledge& knowledge, const Question& question, const specs::Stack& stack) {
  const auto* package = knowledge.package(torch);
  const auto found = stack.components.find(torch);
  if (!package || found == stack.components.end() || !question.gpu || question.gpu->vendor != "nvidia") return {};
  std::vector<std::pair<specs::Version, std::string>> builds;  // by their CUDA
  for (const auto& release : package->releases) {
    const auto& text = release.version.text();
    const bool same = text != found->second && specs::public_version(text) == specs::public_version(found->second);
    if (!same || !specs::is_local(text) || release.yanked || !specs::build_index(torch, text)) continue;
    if (!has_wheel_for(release, question.machine) || !has_code_for(knowledge, torch, release, question)) continue;
    const auto build = knowledge.about(torch, release.version, "", question.machine).built_for;
    const auto cuda = specs::Version::parse(build ? build->cuda : "", specs::Versioning::pep440);
    if (cuda) builds.emplace_back(*cuda, specs::local_label(text));
  }
  std::ranges::stable_sort(builds, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> labels;
  for (auto& [cuda, label] : builds) labels.push_back(std::move(label));
  return labels;
}

void name_index(const std::string& label, Nearest& nearest) {
  if (const auto index = specs::build_index(torch, "0+" + label)) nearest.indexes.push_back(index->url);
}

Change beside_the_usual(const std::string& label) { return {"index", "", fmt::format("PyTorch's index for {} beside the usual one", label)}; }

std::optional<Nearest> nearest_with_index(const Knowledge& knowledge, const Question& question, const specs::Stack& chosen, const Ask& ask) {
  const auto is_torch = [&](const auto& placed) { return knowledge.real_name(placed.dependency.name) == torch; };
  if (question.pytorch || std::ranges::any_of(question.asked, is_torch)) return std::nullopt;
  for (const auto& label : labels_of_torch(knowledge, question, chosen)) {
    auto beside = question;
    beside.known_only = false;
    beside.in_place_of.clear();
    beside.pytorch = PyTorchIndex{{label}};
    auto checked = ask(beside);
    if (checked.answer != Answer::yes) continue;
    Nearest nearest;
    nearest.changes.push_back(beside_the_usual(label));
    nearest.stack = std::move(checked.stack);
    nearest.text = std::move(checked.text);
    for (const auto& placed : question.asked) nearest.install.push_back(placed.dependency.text());
    name_index(label, nearest);
    return nearest;
  }
  return std::nullopt;
}

}  // namespace stackx::advisor
