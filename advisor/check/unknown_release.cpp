#include "advisor/check/unknown_release.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advisor/facts/torch_companions.hpp"
#include "specs/format/listed.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

std::string on_pytorchs_index(const std::string& name, const Question& question) {
  const bool there_alone = question.pytorch && question.pytorch->is_alone_for(name) && is_of_pytorch(name);
  return there_alone ? fmt::format(" on PyTorch's index for {}", fmt::join(question.pytorch->labels_for(name), " and ")) : "";
}

// PyTorch's indexes that have the release: "cu118", "cu124"; of CUDA before those of others.
std::vector<std::string> labels_of(const specs::Package& package, const std::string& version) {
  std::vector<std::string> labels;
  for (const auto& release : package.releases)
    if (const auto& text = release.version.text(); specs::is_local(text) && specs::public_version(text) == version)
      labels.push_back(specs::local_label(text));
  std::ranges::stable_partition(labels, [](const auto& one) { return one.starts_with("cu"); });
  return labels;
}

// "PyTorch has no index for cu999 ...": that none of its releases is there.
std::string no_such_index(const PythonWorld::Unknown& unknown, const std::string& wanted, const Question& question, const Knowledge& knowledge) {
  const auto* package = knowledge.package(unknown.name);
  if (!package || on_pytorchs_index(unknown.name, question).empty()) return "";
  const auto& asked = question.pytorch->labels_for(unknown.name);
  const auto has_it = [&](const auto& release) { return asked.contains(specs::local_label(release.version.text())); };
  if (std::ranges::any_of(package->releases, has_it)) return "";
  const auto there = labels_of(*package, wanted);
  return fmt::format("no index of PyTorch's for {} is known{}", fmt::join(asked, " and "),
                     there.empty() ? "" : fmt::format("; {} {} is there for {}", unknown.name, wanted, specs::listed(there)));
}

}  // namespace

std::string unknown_in_words(const PythonWorld::Unknown& unknown, const Question& question, const Knowledge& knowledge) {
  auto wanted = unknown.range;
  wanted.erase(0, std::min(wanted.find_first_not_of("=* "), wanted.size()));
  if (auto words = no_such_index(unknown, wanted, question, knowledge); !words.empty()) return words;
  return fmt::format("no {}{}{} is known{}{}", unknown.name, wanted.empty() ? "" : " ", wanted, on_pytorchs_index(unknown.name, question),
                     unknown.near.empty() ? "" : fmt::format("; {} {}", unknown.near.size() == 1 ? "the nearest known is" : "known are",
                                                             fmt::join(unknown.near, " and ")));
}

}  // namespace stackx::advisor
