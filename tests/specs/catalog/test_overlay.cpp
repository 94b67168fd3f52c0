// Overlays, aliases, open components and facts, as load_catalogs() lays them together.
#include "specs/catalog/overlay.hpp"

#include <catch2/catch.hpp>

#include "specs/format/json.hpp"
#include "tests/specs/files.hpp"
#include "tests/specs/message_of.hpp"

namespace overlay_tests {

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;
using Texts = std::vector<std::string>;

namespace {

const std::string base = R"({
  "torch": {"kind": "package", "aliases": ["pytorch"], "versions": {
    "2.7.0": {"requires": {"numpy": "*"}}, "2.8.0": {"requires": {"numpy": ">=2", "gpu.compute_capability": ">=7.5"}}}},
  "numpy": {"kind": "package", "versions": {"1.26": {}, "2.1": {}}},
  "gpu": {"kind": "hardware", "versioning": "opaque", "versions": {"v100": {"attributes": {"compute_capability": "7.0"}}}}})";

std::string document(const std::string& components, const std::string& rest = "") {
  return R"({"$schema": "stackx/catalog/1", )" + rest + R"("components": )" + components + "}";
}
std::string overlay(const std::string& components, const std::string& rest = "") {
  return document(components, R"("overlay": true, )" + rest);
}
Catalog load(const std::vector<std::string>& documents) {
  const Files files;
  std::vector<std::filesystem::path> paths;
  for (std::size_t i = 0; i < documents.size(); ++i)
    paths.push_back(files.write(std::string(1, static_cast<char>('a' + i)) + ".json", documents[i]));
  return load_catalogs(paths);
}
std::string refusal(const std::vector<std::string>& documents) {
  return message_of([&] { load(documents); });
}
Texts requirements(const Catalog& catalog, const std::string& component, const std::string& version) {
  Texts texts;
  for (const auto& one : catalog.find(component)->find(version)->requires_) texts.push_back(one.text());
  std::ranges::sort(texts);
  return texts;
}
Texts versions(const Catalog& catalog, const std::string& component) {
  Texts texts;
  for (const auto& entry : catalog.find(component)->versions) texts.push_back(entry.version.text());
  return texts;
}

}  // namespace

TEST_CASE("overlay: versions are added, and listed ones become the overlay's, whole") {
  const auto catalog = load({document(base), overlay(R"({"torch": {"kind": "package", "description": "ours", "source": "us", "versions": {
    "2.8": {"requires": {"numpy": "<2"}}, "2.9.0": {}}}})")});
  CHECK(versions(catalog, "torch") == Texts{"2.7.0", "2.8", "2.9.0"});
  CHECK(requirements(catalog, "torch", "2.8.0") == Texts{"numpy <2"});
  CHECK(requirements(catalog, "torch", "2.7.0") == Texts{"numpy *"});
  CHECK(requirements(catalog, "torch", "2.9.0").empty());
  CHECK(catalog.find("torch")->description == "ours");
  CHECK(catalog.find("torch")->sources == Texts{"us"});
}

TEST_CASE("overlay: it lies over catalogs wherever it stands, of two the later one wins") {
  const auto one = overlay(R"({"numpy": {"kind": "package", "versions": {"2.1": {"requires": {"gpu": "==v100"}}}}})");
  const auto two = overlay(R"({"numpy": {"kind": "package", "versions": {"2.1": {"requires": {"torch": "*"}}}}})");
  CHECK(requirements(load({one, document(base), two}), "numpy", "2.1") == Texts{"torch *"});
  CHECK(requirements(load({two, document(base), one}), "numpy", "2.1") == Texts{"gpu ==v100"});
}

TEST_CASE("overlay: what nobody else declares is declared") {
  const auto catalog = load({document(base), overlay(R"({"mylib": {"kind": "package", "versions": {"1": {"requires": {"pytorch": ">=2.7"}}}}})")});
  CHECK(requirements(catalog, "mylib", "1") == Texts{"torch >=2.7"});
  CHECK(load({overlay(base)}).find("torch") != nullptr);
}

TEST_CASE("overlay: kind and versioning stay") {
  const auto error = refusal({document(base), overlay(R"({"numpy": {"kind": "runtime", "versions": {}}})")});
  CHECK_THAT(error, Contains("b.json: /components/numpy: is a runtime with pep440 versions here, but a package with pep440 versions in ") &&
                        Contains("a.json; an overlay keeps both"));
  CHECK_THAT(refusal({document(base), overlay(R"({"numpy": {"kind": "package", "versioning": "semver", "versions": {}}})")}),
             Contains("/components/numpy: is a package with semver versions here"));
  CHECK_THAT(refusal({document(base), document(R"({"numpy": {"kind": "runtime", "versions": {}}})")}),
             Contains("a.json: /components/numpy: kind \"package\" here, but \"runtime\" in "));  // without the mark it is no overlay
}

TEST_CASE("aliases: requirements may use them, and name components afterwards") {
  const auto catalog = load({document(base), overlay(R"({"numpy": {"kind": "package", "aliases": ["np"], "versions": {}},
    "app": {"kind": "package", "versions": {"1": {"requires": {"np": ">=1"}, "conflicts": {"pytorch": "<2.8"},
      "requires_if": [{"if": {"np": "<2"}, "then": {"pytorch": "==2.7.0"}}]}}}})")});
  const auto& entry = *catalog.find("app")->find("1");
  CHECK(entry.requires_.at(0).text() == "numpy >=1");
  CHECK(entry.conflicts.at(0).text() == "torch <2.8");
  CHECK(entry.requires_if.at(0).if_.at(0).text() == "numpy <2");
  CHECK(entry.requires_if.at(0).then.at(0).text() == "torch ==2.7.0");
  CHECK(catalog.real_name("pytorch") == "torch");
  CHECK(catalog.real_name("np") == "numpy");
  CHECK(catalog.real_name("torch") == "torch");
  CHECK(catalog.real_name("nothing") == "nothing");
  CHECK_NOTHROW(check(catalog, "c.json"));
}

TEST_CASE("aliases: of one component, and none of its own") {
  CHECK_THAT(refusal({document(base), overlay(R"({"numpy": {"kind": "package", "aliases": ["torch"], "versions": {}}})")}),
             Contains("/components/numpy: the alias \"torch\" is a component of its own; leave it out"));
  CHECK_THAT(refusal({document(base), overlay(R"({"numpy": {"kind": "package", "aliases": ["pytorch"], "versions": {}}})")}),
             Contains("/components/torch: the alias \"pytorch\" is one of numpy already; keep one"));
  CHECK_THAT(refusal({document(R"({"a": {"kind": "package", "aliases": ["x y"], "versions": {}}})")}), Contains("a.json: /components/a/aliases/0: "));
  CHECK_THAT(refusal({document(R"({"a": {"kind": "package", "aliases": "b", "versions": {}}})")}), Contains("a.json: /components/a/aliases: "));
  CHECK(refusal({document(base), overlay(R"({"torch": {"kind": "package", "aliases": ["pytorch"], "versions": {}}})")}) == "(no error)");
}

// Thresholds are PEP 440's: of a semver component without versions no class could be made.
TEST_CASE("open: read, needs that order, and an overlay can open what was closed") {
  CHECK(load({document(R"({"driver": {"kind": "driver", "open": true, "versions": {}}})")}).find("driver")->open);
  CHECK_FALSE(load({document(base)}).find("numpy")->open);
  CHECK_THAT(refusal({document(R"({"d": {"kind": "driver", "versioning": "opaque", "open": true, "versions": {}}})")}),
             Contains("a.json: /components/d/open: "));
  CHECK_THAT(refusal({document(R"({"d": {"kind": "driver", "versioning": "semver", "open": true, "versions": {}}})")}), Contains("a.json: /components/d/open: "));
  CHECK_THAT(refusal({document(R"({"d": {"kind": "driver", "open": "yes", "versions": {}}})")}), Contains("a.json: /components/d/open: "));
  CHECK(load({document(base), overlay(R"({"numpy": {"kind": "package", "open": true, "versions": {}}})")}).find("numpy")->open);
}

TEST_CASE("facts: compute capabilities and requirements of listed versions become the facts'") {
  const auto catalog = load({document(base), overlay("{}", R"("facts": [
    {"of": "torch", "versions": "*", "built_for": {"cuda": "12.6", "cubins": ["5.0"]}, "requires": {"numpy": "<2", "nowhere": ">=1"}},
    {"of": "torch", "versions": ["2.8.0"], "built_for": {"cuda": "12.6", "cubins": ["7.0"]}},
    {"of": "nowhere", "versions": "*", "built_for": {"cubins": ["9.0"]}}], )")});
  CHECK(requirements(catalog, "torch", "2.7.0") == Texts{"gpu.compute_capability 5.x", "numpy <2"});
  CHECK(requirements(catalog, "torch", "2.8.0") == Texts{"gpu.compute_capability 7.x", "numpy <2"});
}

TEST_CASE("facts: an extra's, a machine's, of unknown builds and of builds for CPUs change nothing here") {
  const auto catalog = load({document(base), overlay("{}", R"("facts": [
    {"of": "torch", "versions": "*", "extra": "x", "built_for": {"cubins": ["5.0"]}},
    {"of": "torch", "versions": "*", "machine": "aarch64", "built_for": {"cubins": ["5.0"]}},
    {"of": "torch", "versions": "*", "built_for": {"cuda": "none"}}, {"of": "torch", "versions": "*", "built_for": {"cuda": "12.6"}}], )")});
  CHECK(requirements(catalog, "torch", "2.7.0") == Texts{"numpy *"});
}

TEST_CASE("overlay: the head's members are checked") {
  CHECK_THAT(refusal({document("{}", R"("overlay": "yes", )")}), Contains("a.json: /overlay: "));
  CHECK_THAT(refusal({document("{}", R"("fact": [], )")}), Contains("a.json: unknown key \"fact\"; did you mean \"facts\"?"));
  CHECK_THAT(refusal({document("{}", R"("facts": [{"of": "torch"}], )")}), Contains("a.json: /facts/0: "));
}

}  // namespace overlay_tests
