#include "analysis/effects/design_matrix.hpp"

#include <algorithm>
#include <set>

#include "specs/version/version.hpp"

namespace stackx::analysis {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A run of digits counts as the number it is, of any length.
bool text_before(const std::string& a, const std::string& b) {
  std::size_t i = 0, j = 0;
  const auto run = [](const std::string& text, std::size_t& at) {
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    while (at + 1 < end && text[at] == '0') ++at;
    const std::string digits = text.substr(at, end - at);
    at = end;
    return digits;
  };
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string one = run(a, i), other = run(b, j);
      if (one.size() != other.size()) return one.size() < other.size();
      if (one != other) return one < other;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
    }
  }
  return i == a.size() && j < b.size();
}

}  // namespace

bool are_versions(const std::vector<std::string>& texts) {
  return std::ranges::all_of(texts, [](const std::string& text) {
    return text.empty() || specs::Version::parse(text, specs::Versioning::pep440).has_value();
  });
}

std::vector<std::string> in_order(std::vector<std::string> versions) {
  std::ranges::sort(versions);  // equals, like 1.0 and 1.0.0, stay in the order of their texts
  std::map<std::string, specs::Version> parsed;
  if (are_versions(versions))
    for (const std::string& text : versions)
      if (!text.empty()) parsed[text] = *specs::Version::parse(text, specs::Versioning::pep440);
  std::ranges::stable_sort(versions, [&](const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) return a.empty() && !b.empty();
    return parsed.empty() ? text_before(a, b) : parsed.at(a) < parsed.at(b);
  });
  return versions;
}

std::string level_text(const std::string& component, const std::string& version) {
  return component + " " + (version.empty() ? "absent" : version);
}

DesignMatrix::DesignMatrix(const std::vector<specs::Stack>& stacks) {
  std::map<std::string, std::map<std::string, std::size_t>> seen;
  for (const auto& stack : stacks)
    for (const auto& [component, version] : stack.components) ++seen[component][version];
  for (auto& [component, counts] : seen) {
    std::size_t present = 0;
    for (const auto& [version, count] : counts) present += count;
    if (present < stacks.size()) counts[""] = stacks.size() - present;
    Factor factor;
    factor.component = component;
    factor.first_column = columns_;
    for (const auto& [version, count] : counts) factor.versions.push_back(version);
    factor.versions = in_order(std::move(factor.versions));
    factor.ordered = are_versions(factor.versions);
    for (const auto& version : factor.versions) factor.stacks.push_back(counts.at(version));
    columns_ += factor.versions.size();
    factors_.push_back(std::move(factor));
  }
}

const Factor& DesignMatrix::factor_of(std::size_t column) const {
  return *(std::ranges::upper_bound(factors_, column, {}, &Factor::first_column) - 1);
}

DesignMatrix::Row DesignMatrix::row(const specs::Stack& stack) const {
  Row row;
  std::set<std::string> known;
  for (const Factor& factor : factors_) {
    known.insert(factor.component);
    const auto held = stack.components.find(factor.component);
    const std::string version = held == stack.components.end() ? "" : held->second;
    const auto at = std::ranges::find(factor.versions, version);
    if (at == factor.versions.end())
      row.unknown.push_back(level_text(factor.component, version));
    else
      row.columns.push_back(factor.first_column +
                            static_cast<std::size_t>(at - factor.versions.begin()));
  }
  for (const auto& [component, version] : stack.components)
    if (!known.contains(component)) {
      row.unknown.push_back(level_text(component, version));
      ++row.new_components;
    }
  return row;
}

}  // namespace stackx::analysis
