#include "tests/resolver/given.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "specs/format/json.hpp"

namespace stackx::test {
namespace {

// Tests leave out the kind where it does not matter.
std::string catalog_text(std::string_view components) {
  auto document = specs::Json::parse(
      fmt::format(R"({{"$schema": "stackx/catalog/1", "components": {{{}}}}})", components));
  for (auto& component : document["components"])
    if (!component.contains("kind")) component["kind"] = "package";
  return document.dump();
}

}  // namespace

Given::Given(std::string_view components, std::string_view project_text) {
  catalog = specs::parse_catalog(specs::Node::parse_text(catalog_text(components), "catalog"));
  specs::check(catalog, "catalog");
  project = specs::parse_project(
      specs::Node::parse_text(
          fmt::format(
              R"({{"$schema": "stackx/project/1", "name": "test", "catalogs": ["catalog"], {}}})",
              project_text),
          "project"),
      catalog);
}

resolver::Resolver Given::resolver(resolver::Limits limits) const {
  return {project, catalog, limits};
}

std::set<std::string> Given::stacks() const {
  const auto one = resolver();
  std::set<std::string> stacks;
  one.enumerate([&](const resolver::Choice& choice) {
    const auto stack = one.stack(choice);
    const auto wrong = resolver::violation(project, catalog, stack);
    CHECK(wrong.value_or("") == "");
    CHECK(stacks.insert(words(stack)).second);
    return true;
  });
  CHECK(one.count() == stacks.size());
  CHECK(one.explain().has_value() == stacks.empty());
  return stacks;
}

resolver::Unsolvable Given::clash() const {
  auto why = resolver().explain();
  REQUIRE(why);
  return *std::move(why);
}

std::string words(const specs::Stack& stack) {
  std::string text;
  for (const auto& [component, version] : stack.components)
    text += (text.empty() ? "" : ", ") + component + " " + version;
  return text;
}

}  // namespace stackx::test
