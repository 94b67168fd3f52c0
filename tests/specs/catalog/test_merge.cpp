// Components that several catalogs declare, as load_catalogs() makes them one.
#include "specs/catalog/merge.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>

#include "tests/specs/files.hpp"
#include "tests/specs/message_of.hpp"

namespace merge_tests {

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Texts = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

std::string document(const std::string& components) {
  return R"({"$schema": "stackx/catalog/1", "components": )" + components + "}";
}

// Files a.json, b.json, ..., read in this order ("ba": the second one first).
struct Loaded {
  Loaded(const Texts& components, const std::string& order) {
    std::vector<fs::path> paths;
    for (std::size_t i = 0; i < components.size(); ++i)
      files.write(std::string(1, static_cast<char>('a' + i)) + ".json", document(components[i]));
    for (const char letter : order) paths.push_back(files.path() / (std::string(1, letter) + ".json"));
    message = message_of([&] { catalog = load_catalogs(paths); });
  }
  const Files files;
  Catalog catalog;
  std::string message;
};

std::string text_of(const Attribute& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? *text : fmt::format("{}", std::get<Texts>(value));
}

// All that merging decides, as text.
std::string text_of(const Loaded& loaded) {
  if (loaded.catalog.components.empty()) return loaded.message;
  std::string text;
  for (const auto& [name, component] : loaded.catalog.components) {
    text += fmt::format("{} {} ({}) {} {}\n", name, component.file, component.description, component.sources, component.aliases);
    for (const auto& entry : component.versions) {
      text += fmt::format("  {} {} {}", entry.version.text(), entry.sources, entry.reports);
      for (const auto& [key, value] : entry.attributes) text += " " + key + "=" + text_of(value);
      for (const auto& requirement : entry.requires_) text += " needs " + requirement.text();
      text += "\n";
    }
    for (const auto& group : component.left_out)
      for (const auto& version : group.versions) text += "  without " + version.text() + ": " + group.why + "\n";
  }
  return text;
}

std::string gpus(const std::string& versions) {
  return R"({"gpu": {"kind": "hardware", "versioning": "opaque", "versions": )" + versions + "}}";
}
const std::string shipped = gpus(R"({"v100": {"attributes": {"memory_gb": 16}},
  "h200": {"attributes": {"memory_gb": 141, "aliases": ["H200"], "compute_capability": 9.0}, "source": "https://x"}})");

}  // namespace

TEST_CASE("merge: versions of each, facts of both, names and sources of both") {
  const Texts both{shipped, gpus(R"({"new": {}, "h200": {"source": "found here",
    "attributes": {"memory_gib": 140, "aliases": ["NVIDIA H200", "H200"], "compute_capability": "9.0"}}})")};
  for (const char* order : {"ab", "ba"}) {
    const Loaded loaded(both, order);
    REQUIRE(loaded.message == "(no error)");
    const auto& gpu = *loaded.catalog.find("gpu");
    Texts versions;
    for (const auto& entry : gpu.versions) versions.push_back(entry.version.text());
    CHECK(versions == Texts{"v100", "h200", "new"});
    const auto& h200 = *gpu.find("h200");
    CHECK(text_of(h200.attributes.at("memory_gb")) == "141");
    CHECK(text_of(h200.attributes.at("memory_gib")) == "140");
    CHECK(std::get<Texts>(h200.attributes.at("aliases")) == Texts{"H200", "NVIDIA H200"});
    CHECK(h200.sources == Texts{"https://x", "found here"});
    CHECK_THAT(gpu.file, EndsWith("b.json") && Contains("a.json and "));
  }
}

TEST_CASE("merge: a fact that two state differently is an error with both files, the place and both values") {
  const Texts both{shipped, gpus(R"({"h200": {"attributes": {"memory_gb": 140}}})")};
  for (const char* order : {"ab", "ba"}) {
    const Loaded loaded(both, order);
    CHECK_THAT(loaded.message, Contains("a.json: /components/gpu/versions/h200/attributes/memory_gb: 141 here, but 140 in ") &&
                                   Contains("b.json; catalogs that declare one component must agree; leave one of them out"));
  }
}

TEST_CASE("merge: what a version requires, is made of and sets is the same or an error") {
  const auto package = [](const std::string& entry) {
    return R"({"b": {"kind": "package", "versions": {"1": {}}}, "a": {"kind": "package", "versions": {"1.0": )" + entry + "}}}";
  };
  const auto differ = [&](const std::string& one, const std::string& other) {
    return Loaded({package(one), package(other)}, "ab").message;
  };
  CHECK_THAT(differ(R"({"requires": {"b": ">=1"}})", R"({"requires": {"b": ">=2"}})"),
             Contains("/components/a/versions/1.0/requires/b: \">=1\" here, but \">=2\" in "));
  CHECK_THAT(differ(R"({})", R"({"requires": {"b": ">=2"}})"),
             Contains("b.json: /components/a/versions/1.0/requires: {\"b\":\">=2\"} here, but nothing in ") && Contains("a.json;"));
  CHECK_THAT(differ(R"({"reports": "1"})", "{}"), Contains("/reports: \"1\" here, but nothing in "));
  CHECK_THAT(differ(R"({"artifacts": [{"type": "path", "file": "/x"}]})", R"({"artifacts": [{"type": "path", "file": "/y"}]})"),
             Contains("/artifacts/0/file: \"/x\" here, but \"/y\" in "));
  CHECK_THAT(differ(R"({"environment": {"OMP_NUM_THREADS": "1"}})", R"({"environment": {"OMP_NUM_THREADS": "2"}})"),
             Contains("/environment/OMP_NUM_THREADS: \"1\" here"));
  CHECK(differ(R"({"requires": {"b": "*"}})", R"({"requires": {"b": "*"}, "conflicts": {}})") == "(no error)");
  // The same version, spelled twice.
  const Loaded loaded({package(R"({"reports": "7"})"), R"({"a": {"kind": "package", "versions": {"1.0.0": {"reports": "7"}}}})"}, "ab");
  CHECK(loaded.catalog.find("a")->versions.size() == 1);
}

TEST_CASE("merge: a published version that is installed here is one, which lies here and requires what either says") {
  const auto cuda = [](const std::string& entry) {
    return R"({"driver": {"kind": "driver", "versions": {"535.1": {}}}, "other": {"kind": "package", "versions": {"1": {}}},
               "cuda": {"kind": "runtime", "versions": {"12.9.1": )" + entry + "}}}";
  };
  const std::string found = R"({"artifacts": [{"type": "path", "file": "/opt/cuda"}], "source": "found", "provides": {"it": "12.9.1"},
                                "requires": {"other": "*"}, "reports": "12.9"})";
  const auto published = [](const std::string& more) {
    return R"({"requires": {"driver": ">=525.60"}, "source": "https://x")" + more + "}";
  };
  const std::string wheel = R"(, "artifacts": [{"type": "wheel", "file": "cuda-12.9-py3-none-any.whl", "sha256": ")" +
                            std::string(64, 'a') + R"(", "size": 9}])";
  for (const std::string& more : {std::string(), wheel, wheel + R"(, "reports": "12.9")"})
    for (const char* order : {"ab", "ba"}) {
      const Loaded loaded({cuda(published(more)), cuda(found)}, order);
      REQUIRE(loaded.message == "(no error)");
      const auto& entry = loaded.catalog.find("cuda")->versions.at(0);
      REQUIRE(entry.artifacts.size() == 1);
      CHECK(entry.artifacts[0].file == "/opt/cuda");
      Texts needs;
      for (const auto& requirement : entry.requires_) needs.push_back(requirement.text());
      std::ranges::sort(needs);
      CHECK(needs == Texts{"driver >=525.60", "other *"});
      CHECK(entry.provides.at("it").text() == "12.9.1");
      CHECK(entry.reports == "12.9");
      CHECK(entry.sources.size() == 2);
    }
  // What both state is the same or an error; so are two that are published, and two places.
  const auto message = [&](const std::string& one, const std::string& other) { return Loaded({cuda(one), cuda(other)}, "ab").message; };
  CHECK_THAT(message(published(R"(, "reports": "12.8")"), found), Contains("/reports: \"12.8\" here, but \"12.9\" in "));
  CHECK_THAT(message(published(R"(, "provides": {"it": "12"})"), found), Contains("/provides/it: "));
  CHECK_THAT(message(published(""), published(wheel)), Contains("/artifacts: "));
  CHECK_THAT(message(found, R"({"artifacts": [{"type": "path", "file": "/usr/local/cuda"}]})"), Contains("must agree"));
  // Of three, too.
  for (const char* order : {"abc", "cab", "bca"}) {
    const Loaded three({cuda(published("")), cuda(found), cuda(published(""))}, order);
    CHECK(three.message == "(no error)");
    CHECK(three.catalog.find("cuda")->versions.at(0).requires_.size() == 2);
  }
}

TEST_CASE("merge: what is left out of one catalog and listed in another is there") {
  const auto numpy = [](const std::string& versions, const std::string& left_out) {
    return R"({"numpy": {"kind": "package", "versions": )" + versions + R"(, "left_out": [{"why": "yanked", "versions": )" + left_out +
           "}]}}";
  };
  const Loaded loaded({numpy(R"({"2.0": {}})", R"(["1.0", "1.5"])"), numpy(R"({"1.5": {}})", R"(["1.2", "1.0", "2.0"])")}, "ba");
  const auto& component = *loaded.catalog.find("numpy");
  CHECK(component.versions.size() == 2);
  REQUIRE(component.left_out.size() == 1);
  Texts left;
  for (const auto& version : component.left_out[0].versions) left.push_back(version.text());
  CHECK(left == Texts{"1.0", "1.2"});
}

TEST_CASE("merge: whatever the order of the files, the catalog or the error is the same") {
  std::mt19937 random(7);
  const auto one_of = [&](const Texts& texts) { return texts[random() % texts.size()]; };
  const auto component = [&] {
    std::string versions;
    for (const char* version : {"x", "y", "z"})
      if (random() % 2 == 0)
        versions = fmt::format(R"({}{}"{}": {{"source": "{}", "attributes": {{{}, "aliases": ["{}"]}}, "requires": {{{}}}}})",
                               versions, versions.empty() ? "" : ", ", version, one_of({"s", "t"}),
                               one_of({R"("m": 1)", R"("m": 1)", R"("n": 2)", R"("m": 2)"}), one_of({"p", "q"}),
                               one_of({R"("b": "==x")", R"("b": "==x")", R"("b": "==x")", ""}));
    return R"({"a": {"kind": "package", "versioning": "opaque", "description": ")" + one_of({"d", "e"}) +
           R"(", "aliases": [")" + one_of({"k", "l"}) + R"("], "versions": {)" + versions +
           R"(}}, "b": {"kind": "setting", "versioning": "opaque", "versions": {"x": {}}}})";
  };
  std::size_t merged = 0, refused = 0;
  for (int round = 0; round < 60; ++round) {
    const Texts three{component(), component(), component()};
    const auto first = text_of(Loaded(three, "abc"));
    for (const char* order : {"acb", "bac", "bca", "cab", "cba"}) {
      CAPTURE(three, order);
      CHECK(text_of(Loaded(three, order)) == first);
    }
    (first.find(" must agree; ") == std::string::npos ? merged : refused) += 1;
  }
  CHECK(merged > 5);
  CHECK(refused > 5);
}

}  // namespace merge_tests
