#include "blame/between/wording.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stackx::blame {
namespace {

const std::string& version_or_absence(const std::string& version) {
  static const std::string absent = "not there";
  return version.empty() ? absent : version;
}

}  // namespace

std::string change_in_words(const Change& change) {
  return fmt::format("{} {} -> {}", change.component, version_or_absence(change.old_version),
                     version_or_absence(change.new_version));
}

std::string group_in_words(const Between& between, std::size_t group, std::size_t most) {
  const auto& all = between.groups.at(group).changes;
  auto text = change_in_words(between.changes[all.front()]);
  const auto named = std::min(all.size() - 1, all.size() == most + 2 ? most + 1 : most);  // "and 1 more" is as long as its name
  for (std::size_t i = 1; i <= named; ++i)
    text += (i == 1 ? " with " : ", ") + change_in_words(between.changes[all[i]]);
  if (const auto left = all.size() - 1 - named; left > 0) text += fmt::format("{}{} more", named == 0 ? " with " : " and ", left);
  return text;
}

}  // namespace stackx::blame
