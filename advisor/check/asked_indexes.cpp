#include "advisor/check/asked_indexes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advisor/facts/frameworks.hpp"
#include "advisor/facts/torch_companions.hpp"
#include "specs/format/listed.hpp"
#include "specs/format/text_file.hpp"
#include "specs/python/build_index.hpp"
#include "specs/python/package_list.hpp"

namespace stackx::advisor {
namespace {

// Each index with what is taken from it: "torch and torchvision".
std::map<PyTorchIndex::Labels, std::vector<std::string>> by_index(const std::map<std::string, PyTorchIndex::Labels>& own) {
  std::map<PyTorchIndex::Labels, std::vector<std::string>> packages;
  for (const auto& [package, labels] : own) packages[labels].push_back(package);
  return packages;
}

}  // namespace

void AskedIndexes::look_at(const specs::PackageList& list) {
  for (const auto& one : list.extra_indexes) look_beside_the_usual(one);
  look_instead_of_the_usual(list.index);
  for (const auto& [package, index] : list.own_index) take_from_its_own(package, index.name, index.url);
  for (const auto& one : list.first_indexes) look_first(one);
}

std::string AskedIndexes::label_of(const std::string& url) {
  auto label = specs::pytorch_label(url);
  another_ = another_ || (label.empty() && !url.empty());
  return label;
}

void AskedIndexes::look_beside_the_usual(const std::string& url) {
  if (auto label = label_of(url); !label.empty()) pytorch_.labels.insert(std::move(label));
}

void AskedIndexes::look_instead_of_the_usual(const std::string& url) {
  const auto label = label_of(url);
  if (label.empty()) return;
  pytorch_.labels.insert(label);
  pytorch_.alone = true;
}

// What no other index is named for, it may have: the first of PyTorch's counts.
void AskedIndexes::look_first(const std::string& url) {
  const auto label = label_of(url);
  if (label.empty()) return;
  for (const char* package : of_pytorch)
    if (!elsewhere_.contains(package)) pytorch_.own.try_emplace(package, PyTorchIndex::Labels{label});
}

void AskedIndexes::take_from_its_own(const std::string& package, const std::string& name, const std::string& url) {
  const auto label = specs::pytorch_label(url);
  if (label.empty()) elsewhere_.insert(package);
  if (!label.empty() && is_of_pytorch(package))
    pytorch_.own[package] = {label};
  else if (is_framework(package) && !specs::is_usual_index(url))  // of an address nothing is shown: it may hold a password
    remarks_.push_back(fmt::format("{} is judged as the usual index has it; the builds of the index {} are not known here", package,
                                   specs::in_quotes(name)));
}

void AskedIndexes::tell(Question& question) {
  std::ranges::move(remarks_, std::back_inserter(question.remarks));
  for (const auto& [labels, packages] : by_index(pytorch_.own))
    question.remarks.push_back(fmt::format("{} {} taken from PyTorch's index for {} alone", specs::listed(packages),
                                           packages.size() == 1 ? "is" : "are", fmt::join(labels, " and ")));
  pytorch_.alone = pytorch_.alone && !another_;
  if (!pytorch_.labels.empty())
    question.remarks.push_back(fmt::format("{} are taken from PyTorch's index for {}{}",
                                           pytorch_.own.empty() ? "torch, torchvision and torchaudio" : "its other packages",
                                           fmt::join(pytorch_.labels, " and "),
                                           pytorch_.alone ? " alone, which has few other packages"
                                                          : ", where it is as new as the usual one"));
  if (!pytorch_.labels.empty() || !pytorch_.own.empty()) question.pytorch = std::move(pytorch_);
}

}  // namespace stackx::advisor
