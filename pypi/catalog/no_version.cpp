#include "pypi/catalog/no_version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "pypi/catalog/writer.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::pypi {
namespace {

using specs::Version;
using Versions = std::set<Version>;  // oldest first

// Of ">=1.4,!=1.5.*": 1.4 and 1.5.
std::vector<Version> named_by(const specs::SpecifierSet& range) {
  std::vector<Version> found;
  std::string_view text = range.text();
  while (!text.empty()) {
    auto clause = specs::trim(text.substr(0, text.find(','))).text;
    text.remove_prefix(std::min(text.find(',') + (text.find(',') != text.npos), text.size()));
    clause.remove_prefix(std::min(clause.find_first_not_of("=<>!~ "), clause.size()));
    if (clause.ends_with(".*")) clause.remove_suffix(2);
    if (const auto version = Version::parse(clause, specs::Versioning::pep440)) found.push_back(*version);
  }
  return found;
}

// Those around what the ranges name, newest first; where these name nothing the newest.
std::vector<std::string> nearest(const Ranges& asked, const Versions& there) {
  constexpr int most_on_a_side = 3;
  Versions near;
  const auto around = [&](Versions::const_iterator at) {
    auto below = at;
    for (int i = 0; i < most_on_a_side && below != there.begin(); ++i) near.insert(*--below);
    for (int i = 0; i < most_on_a_side && at != there.end(); ++i) near.insert(*at++);
  };
  for (const auto& range : asked)
    for (const auto& version : named_by(range)) around(there.lower_bound(version));
  if (near.empty()) around(there.end());
  std::vector<std::string> texts;
  for (auto one = near.rbegin(); one != near.rend() && texts.size() < 2 * most_on_a_side; ++one) texts.push_back(one->text());
  return texts;
}

std::string asked_text(const std::string& name, const Ranges& asked) {
  std::vector<std::string> texts;
  for (const auto& range : asked)
    if (!range.is_any()) texts.push_back(name + range.text());
  return texts.empty() ? name : fmt::format("{}", fmt::join(texts, " or "));
}

}  // namespace

std::string why_no_version(const std::string& name, const Ranges& asked, const Project& project) {
  const auto text = asked_text(name, asked);
  if (!project.fault.empty()) return text + ": " + project.fault;
  const auto in_range = [&](const Version& version) {
    return asked.empty() || std::ranges::any_of(asked, [&](const auto& range) { return range.contains(version); });
  };
  Versions all, meant;
  std::vector<LeftOut> reasons;  // of those that were meant
  for (const auto& one : project.left_out) {
    const auto version = Version::parse(one.version, specs::Versioning::pep440);
    if (version) all.insert(*version);
    if (version && !in_range(*version)) continue;
    if (version) meant.insert(*version);
    reasons.push_back(one);
  }
  if (!reasons.empty())
    return fmt::format("{}: no version can be used: {}{}", text, count_reasons(reasons),
                       meant.empty() ? "" : "; newest " + meant.rbegin()->text());
  if (all.empty()) return text + ": the index lists no version of it";
  const auto near = nearest(asked, all);
  return fmt::format("{}: the index has no such version; nearest {} {}{}", text, near.size() == 1 ? "is" : "are",
                     fmt::join(near, ", "), near.size() < all.size() ? fmt::format(" (of {})", all.size()) : "");
}

}  // namespace stackx::pypi
