#include "specs/catalog/requirement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "specs/format/json.hpp"
#include "specs/format/names.hpp"

namespace stackx::specs {
namespace {

Alternative specifier(const Node& node, Versioning scheme, bool of_attribute) {
  const std::string text = node.text();
  auto range = SpecifierSet::parse(text, scheme);
  if (range) return {std::move(*range), {}};
  if (of_attribute)
    if (auto words = SpecifierSet::parse(text, Versioning::opaque)) return {std::move(*words), {}};
  node.fail(fmt::format("\"{}\": column {}: {} (versioning {})", text, range.error().column,
                        range.error().reason, to_string(scheme)));
}

Alternative contains(const Node& node, Versioning scheme) {
  node.only({"contains"});
  const Node list = node.at("contains");
  Alternative result{SpecifierSet::any(scheme), {}};
  for (const auto& item : list.items()) result.contains.push_back(item.nonempty());
  if (result.contains.empty()) list.fail("expected at least one element that the set must hold");
  return result;
}

Alternative alternative(const Node& node, Versioning scheme, bool of_attribute) {
  if (node.json().is_string()) return specifier(node, scheme, of_attribute);
  if (!node.json().is_object())
    node.fail(
        "expected a specifier such as \">=1.2,<2\", {\"any\": [...]} or {\"contains\": [...]}");
  if (!of_attribute)
    node.fail(
        "\"contains\" asks for elements of an attribute that is a set; "
        "name the attribute in the key: component.attribute");
  return contains(node, scheme);
}

std::string text_of(const Alternative& alternative) {
  if (!alternative.contains.empty())
    return fmt::format("contains {}", fmt::join(alternative.contains, ", "));
  return alternative.range.text().empty() ? "*" : alternative.range.text();
}

bool contains_all(const std::vector<std::string>& set, const std::vector<std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& element) {
    return std::find(set.begin(), set.end(), element) != set.end();
  });
}

bool holds_scalar(const SpecifierSet& range, const std::string& value) {
  if (range.is_any()) return true;
  if (const auto version = Version::parse(value, Versioning::pep440))
    if (const auto numeric = SpecifierSet::parse(range.text(), Versioning::pep440))
      return numeric->contains(*version);
  const auto word = Version::parse(value, Versioning::opaque);
  const auto words = SpecifierSet::parse(range.text(), Versioning::opaque);
  return word && words && words->contains(*word);
}

}  // namespace

std::string Requirement::text() const {
  return component + (attribute.empty() ? "" : "." + attribute) + " " + constraint.text;
}

Requirement parse_requirement(const std::string& key, const Node& value, Versioning scheme) {
  Requirement result;
  const auto dot = key.find('.');
  result.component = key.substr(0, dot);
  check_component_name(result.component, value);
  const bool of_attribute = dot != key.npos;
  if (of_attribute) {
    result.attribute = key.substr(dot + 1);
    check_component_name(result.attribute, value);
    scheme = Versioning::pep440;
  }
  auto& any = result.constraint.any;
  if (value.json().is_object() && value.json().contains("any")) {
    value.only({"any"});
    for (const auto& item : value.at("any").items())
      any.push_back(alternative(item, scheme, of_attribute));
    if (any.empty()) value.at("any").fail("expected at least one alternative");
  } else {
    any.push_back(alternative(value, scheme, of_attribute));
  }
  for (const auto& one : any)
    result.constraint.text += (result.constraint.text.empty() ? "" : " or ") + text_of(one);
  return result;
}

bool holds(const Constraint& constraint, const Version& version) {
  return std::any_of(constraint.any.begin(), constraint.any.end(), [&](const auto& one) {
    return one.contains.empty() && one.range.contains(version);
  });
}

bool holds(const Constraint& constraint, const Attribute& attribute) {
  const auto* set = std::get_if<std::vector<std::string>>(&attribute);
  return std::any_of(constraint.any.begin(), constraint.any.end(), [&](const Alternative& one) {
    if (!one.contains.empty()) return set && contains_all(*set, one.contains);
    return set ? one.range.is_any() : holds_scalar(one.range, std::get<std::string>(attribute));
  });
}

}  // namespace stackx::specs
