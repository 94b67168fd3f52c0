#include "pypi/catalog/targets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/error.hpp"

namespace stackx::pypi {
namespace {

const std::string& minor(const specs::Target& target) {
  return target.environment().variables.at("python_version");
}

}  // namespace

Targets::Targets(const std::vector<std::string>& pythons, const std::string& platform) {
  for (const auto& python : pythons) all_.emplace_back(python, platform);
  if (all_.empty()) throw bad_input("expected at least one Python to import for, like 3.11");
  std::ranges::stable_sort(
      all_, [](const auto& a, const auto& b) { return a.python_version() < b.python_version(); });
  const auto same = std::ranges::adjacent_find(all_, {}, minor);
  if (same != all_.end())
    throw bad_input(
        fmt::format("--python {} and --python {}: wheels do not tell them apart; name one of them",
                    same->python(), std::next(same)->python()));
}

std::string Targets::range(std::size_t i) const { return fmt::format("=={}.*", minor(all_[i])); }

std::vector<std::string> Targets::ranges(const Indices& some) const {
  std::vector<std::string> result;
  for (const auto i : some) result.push_back(range(i));
  return result;
}

std::string Targets::text() const {
  std::string pythons;
  for (const auto& target : all_) pythons += (pythons.empty() ? "" : ", ") + target.python();
  return fmt::format("CPython {} on {}", pythons, all_[0].place());
}

}  // namespace stackx::pypi
