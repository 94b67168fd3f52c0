#include "specs/catalog/open.hpp"

#include <catch2/catch.hpp>
#include <ctime>

#include "specs/format/json.hpp"

namespace open_tests {

using namespace stackx::specs;
using Texts = std::vector<std::string>;

namespace {

Catalog parse(const std::string& components) {
  return parse_catalog(Node::parse_text(R"({"$schema": "stackx/catalog/1", "components": )" + components + "}", "c.json"));
}
Requirement on(const std::string& component, const std::string& range) {
  return {component, "", {{{*SpecifierSet::parse(range, Versioning::pep440), {}}}, range}};
}
Texts versions(const Component& component) {
  Texts texts;
  for (const auto& entry : component.versions) texts.push_back(entry.version.text());
  return texts;
}
// The classes of a driver of which one package requires `range`.
Texts classes(const std::string& range) {
  auto catalog = parse(R"({"driver": {"kind": "driver", "open": true, "versions": {}}})");
  split_open(catalog, {on("driver", range)});
  return versions(*catalog.find("driver"));
}
Component driver() {
  return *parse(R"({"driver": {"kind": "driver", "open": true, "versions": {
    "0": {"attributes": {"age": "old"}}, "525.60.13": {"attributes": {"age": "new"}}}}})")
              .find("driver");
}
bool holds_at(const std::string& range, const std::string& version) {
  return SpecifierSet::parse(range, Versioning::pep440)->contains(*Version::parse(version, Versioning::pep440));
}

}  // namespace

TEST_CASE("open: thresholds are the ends of clauses, and what follows exclusive ends") {
  CHECK(classes("*") == Texts{"0"});
  CHECK(classes(">=525.60.13") == Texts{"0", "525.60.13"});
  CHECK(classes("<471") == Texts{"0", "471"});
  CHECK(classes(">470") == Texts{"0", "470", just_above("470")});
  CHECK(classes("<=470") == Texts{"0", "470", just_above("470")});
  CHECK(classes("==470.57") == Texts{"0", "470.57", just_above("470.57")});
  CHECK(classes("!=470.57") == Texts{"0", "470.57", just_above("470.57")});
  CHECK(classes("==470.*") == Texts{"0", "470", "471"});
  CHECK(classes("==1.2.*") == Texts{"0", "1.2", "1.3"});
  CHECK(classes(">=418.39, <471") == Texts{"0", "418.39", "471"});
  CHECK(classes("~=1.2.3") == Texts{"0", "1.2.3", just_above("1.2.3"), "1.3"});
}

TEST_CASE("open: two spellings of a threshold are one") { CHECK(classes(">=2,<2.0").size() == 2); }

TEST_CASE("open: in no class do versions differ in what holds") {
  for (const char* range : {">=525.60.13", "<471", ">470", "<=470", "==470.57", "!=470.57", "==470.*", "!=470.*", ">=418.39,<471",
                            "~=470.57", "~=470.57.1", "!=471", ">=9.9"}) {
    const auto found = classes(range);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto begin = *Version::parse(found[i], Versioning::pep440);
      for (const char* text : {"0", "1", "9.9", "9.10", "417", "418.38", "418.39", "418.40", "469.99", "470", "470.0.1", "470.56", "470.57",
                               "470.57.0", "470.57.1", "470.57.2", "470.58", "471", "471.1", "525.60.12", "525.60.13", "525.60.14", "999"}) {
        const auto version = *Version::parse(text, Versioning::pep440);
        const bool inside = version >= begin && (i + 1 == found.size() || version < *Version::parse(found[i + 1], Versioning::pep440));
        if (!inside) continue;
        CAPTURE(range, found[i], text);
        CHECK(holds_at(range, text) == holds_at(range, found[i]));
      }
    }
  }
}

// ">1.0rc1" had no class in which it holds: whoever asked for it was told that no such version can exist.
TEST_CASE("open: some version follows each threshold, pre-releases and post-releases too") {
  for (const char* range : {">470", ">1.0rc1", ">1.0.post1", ">1!2.0", ">1.0.dev3", ">2.0b1,!=2.0b2"}) {
    const auto found = classes(range);
    CAPTURE(range, found);
    CHECK(std::ranges::any_of(found, [&](const auto& version) { return holds_at(range, version); }));
  }
}

TEST_CASE("open: all requirements in the catalog count, those on attributes and on others do not") {
  auto catalog = parse(R"({
    "driver": {"kind": "driver", "open": true, "versions": {}},
    "listed": {"kind": "package", "versions": {"1": {}}},
    "a": {"kind": "package", "versions": {"1": {"requires": {"driver": ">=450", "listed": ">=7"}, "conflicts": {"driver": "<400"},
      "requires_if": [{"if": {"driver": "<600"}, "then": {"driver": ">=525"}}]},
      "2": {"requires": {"driver": {"any": ["<100", ">=200"]}, "driver.age": ">=77"}}}}})");
  split_open(catalog);
  CHECK(versions(*catalog.find("driver")) == Texts{"0", "100", "200", "400", "450", "525", "600"});
  CHECK(versions(*catalog.find("listed")) == Texts{"1"});
}

TEST_CASE("open: a version says what the listed one before it says") {
  auto component = driver();
  const auto* old = add_open(component, "470.57");
  REQUIRE(old != nullptr);
  CHECK(old->version.text() == "470.57");
  CHECK(std::get<std::string>(old->attributes.at("age")) == "old");
  CHECK(std::get<std::string>(add_open(component, "570")->attributes.at("age")) == "new");
  CHECK(add_open(component, "525.60.13.0")->version.text() == "525.60.13");  // is there
  CHECK(versions(component) == Texts{"0", "470.57", "525.60.13", "570"});
  Component empty;
  empty.open = true;
  empty.versioning = Versioning::pep440;
  CHECK(add_open(empty, "1")->attributes.empty());
}

TEST_CASE("open: nothing is added to what is not open, nor what is no version") {
  auto component = driver();
  CHECK(add_open(component, "new") == nullptr);
  component.open = false;
  CHECK(add_open(component, "570") == nullptr);
  CHECK(component.versions.size() == 2);
}

TEST_CASE("open: just above is above, and below what a person would name") {
  const auto version = [](const std::string& text) { return *Version::parse(text, Versioning::pep440); };
  CHECK(version(just_above("525")) > version("525"));
  CHECK(version(just_above("525")) > version("525.0"));
  CHECK(version(just_above("525")) < version("525.0.1"));
  CHECK(version(just_above("525.60.13")) < version("525.60.13.1"));
}

TEST_CASE("open: classes next to each other print as ranges") {
  auto catalog = parse(R"({"driver": {"kind": "driver", "open": true, "versions": {}}})");
  split_open(catalog, {on("driver", ">=418.39,<471"), on("driver", ">525.60.13")});
  const auto& component = *catalog.find("driver");
  const auto above = just_above("525.60.13");
  REQUIRE(versions(component) == Texts{"0", "418.39", "471", "525.60.13", above});
  CHECK(ranges_in_words(component, {"418.39"}) == ">=418.39,<471");
  CHECK(ranges_in_words(component, {"418.39", "471"}) == ">=418.39,<525.60.13");
  CHECK(ranges_in_words(component, {"418.39", "471", "525.60.13", above}) == ">=418.39");
  CHECK(ranges_in_words(component, {above}) == ">525.60.13");
  CHECK(ranges_in_words(component, {"471", "525.60.13"}) == ">=471,<=525.60.13");
  CHECK(ranges_in_words(component, {"0"}) == "<418.39");
  CHECK(ranges_in_words(component, {"0", "471"}) == "<418.39 or >=471,<525.60.13");
  CHECK(ranges_in_words(component, {"0", above}) == "<418.39 or >525.60.13");
  CHECK(ranges_in_words(component, {"0", "418.39", "471", "525.60.13", above}) == "any");
  CHECK(ranges_in_words(component, {}) == "none");
}

TEST_CASE("open: tens of thousands of thresholds are put in order at once") {
  constexpr int count = 30'000;
  std::string range = ">=1";
  for (int i = 0; i < count; ++i) range += ",!=1." + std::to_string(i);
  const auto begin = std::clock();
  const auto found = classes(range);
  CHECK((std::clock() - begin) / CLOCKS_PER_SEC < 20);  // else minutes
  CHECK(found.size() == 2 * count + 1);
  CHECK(found.front() == "0");
  CHECK(found[3] == "1.1");
  CHECK(found.back() == just_above("1.29999"));
}

TEST_CASE("open: of several that are added each says what the listed one before it says") {
  Catalog catalog;
  catalog.components["driver"] = driver();
  split_open(catalog, {on("driver", ">=100,<600"), on("driver", "!=530")});
  Texts ages;
  for (const auto& entry : catalog.find("driver")->versions)
    ages.push_back(std::get<std::string>(entry.attributes.at("age")));
  CHECK(versions(*catalog.find("driver")) == Texts{"0", "100", "525.60.13", "530", just_above("530"), "600"});
  CHECK(ages == Texts{"old", "old", "new", "new", "new", "new"});
}

}  // namespace open_tests
