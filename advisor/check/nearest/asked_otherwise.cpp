#include "advisor/check/nearest/asked_otherwise.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "advisor/facts/torch_companions.hpp"

namespace stackx::advisor {
namespace {

Nearest as_asked(const Question& question, Change change, Checked checked) {
  Nearest nearest;
  nearest.changes.push_back(std::move(change));
  nearest.stack = std::move(checked.stack);
  nearest.text = std::move(checked.text);
  for (const auto& placed : question.asked) nearest.install.push_back(placed.dependency.text());
  return nearest;
}

}  // namespace

std::vector<Nearest> nearest_without(const Contradiction& clash, const Ask& ask) {
  std::vector<Nearest> found, farther;
  for (const auto& [question, package, without, kept] : clash.instead) {
    auto checked = ask(question);
    if (checked.answer == Answer::yes) {
      const auto version = checked.stack.components.find(package);
      const auto to = version == checked.stack.components.end() ? kept : version->second;
      found.push_back(as_asked(question, {package, without, to}, checked));
    } else if (farther.empty()) {
      farther = std::move(checked.nearest);
    }
  }
  return found.empty() ? farther : found;
}

std::vector<Nearest> nearest_of_indexes(Question question, std::vector<Nearest> nearest, const Ask& ask) {
  const auto label = fmt::format("{}", fmt::join(std::exchange(question.pytorch, std::nullopt)->all_labels(), " and "));
  const Change index{"index", "PyTorch's for " + label, "the usual index"};
  auto there = ask(question);
  if (there.answer == Answer::yes) return {as_asked(question, index, std::move(there))};
  const auto is_of_index = [](const Change& change) { return is_of_pytorch(change.name); };
  if (!nearest.empty() && std::ranges::none_of(nearest.front().changes, is_of_index)) return nearest;
  for (auto& one : there.nearest) one.changes.insert(one.changes.begin(), index);
  return std::move(there.nearest);
}

}  // namespace stackx::advisor
