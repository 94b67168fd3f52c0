#include "specs/python/package_sources.hpp"

#include <catch2/catch.hpp>

#include "specs/format/toml.hpp"
#include "specs/python/pipfile.hpp"
#include "specs/python/pyproject.hpp"
#include "tests/specs/message_of.hpp"

namespace package_sources_tests {

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;

namespace {

using Texts = std::vector<std::string>;
using Names = std::set<std::string>;

PackageSources of_pyproject(const std::string& text, const Names& extras = {}, const Names& groups = {}) {
  PackageSources sources;
  parse_pyproject(TomlNode::parse_text(text, "p.toml"), "shop/pyproject.toml", extras, groups, &sources);
  return sources;
}

// "torch: URL", "torch: git" of what counts on Linux; "" for what holds for all.
std::string counted(const PackageSources& sources, const std::string& package, const std::string& platform = "linux x86_64") {
  const auto* one = source_of(package, sources, MarkerEnvironment::for_python("3.12", platform));
  return !one ? "" : one->elsewhere.empty() ? one->url : one->elsewhere;
}

const std::string uv_indexes = R"([project]
name = "shop"
dependencies = []
optional-dependencies.cpu = ["torch"]
optional-dependencies.cu128 = ["torch"]
[[tool.uv.index]]
name = "cpu"
url = "https://i/cpu"
explicit = true
[[tool.uv.index]]
name = "cu128"
url = "https://i/cu128"
explicit = true
)";

}  // namespace

TEST_CASE("package sources: of uv the first whose marker holds, for extras that are asked for") {
  const auto by_marker = of_pyproject(uv_indexes + R"([tool.uv.sources]
Torch = [{ index = "cu128", marker = "sys_platform == 'linux'" }, { index = "cpu" }]
mine = { git = "https://h/mine" }
own = { workspace = true }
tree = { path = "../tree", editable = true }
far = { index = "not-here" }
)");
  CHECK(counted(by_marker, "torch") == "https://i/cu128");
  CHECK(counted(by_marker, "torch", "macos arm64") == "https://i/cpu");
  CHECK(counted(by_marker, "mine") == "git");
  CHECK(counted(by_marker, "own") == "workspace");
  CHECK(counted(by_marker, "tree") == "path");
  CHECK(counted(by_marker, "numpy").empty());
  CHECK(by_marker.of_packages.back().index == "not-here");
  CHECK(by_marker.first.empty());
  CHECK(by_marker.index.empty());

  const auto by_extra = uv_indexes + R"([tool.uv.sources]
torch = [{ index = "cpu", extra = "cpu" }, { index = "cu128", extra = "cu128" }, { index = "cpu", group = "test" }]
)";
  CHECK(counted(of_pyproject(by_extra), "torch").empty());
  CHECK(counted(of_pyproject(by_extra, {"CU128"}), "torch") == "https://i/cu128");
  CHECK(counted(of_pyproject(by_extra, {"cpu"}), "torch") == "https://i/cpu");
}

TEST_CASE("package sources: indexes of uv for all packages") {
  const auto all = of_pyproject(R"([tool.uv]
index-url = "https://i/simple"
extra-index-url = ["https://i/cu118"]
[[tool.uv.index]]
url = "https://i/first"
)");
  CHECK(all.index == "https://i/simple");
  CHECK(all.first == Texts{"https://i/first", "https://i/cu118"});
  const auto best = of_pyproject("[tool.uv]\nindex-strategy = 'unsafe-best-match'\n"
                                 "extra-index-url = ['https://i/cu118']\n[[tool.uv.index]]\nurl = 'https://i/own'\ndefault = true\n");
  CHECK(best.beside == Texts{"https://i/cu118"});
  CHECK(best.index == "https://i/own");
}

TEST_CASE("package sources: Pipfile, Poetry and PDM") {
  PackageSources pipfile;
  const auto project = parse_pipfile(TomlNode::parse_text(R"([[source]]
name = "pypi"
url = "https://i/simple"
[[source]]
name = "pytorch"
url = "https://i/cu128"
[packages]
torch = {version = "*", index = "pytorch"}
mine = {git = "https://h/mine"}
)", "Pipfile"), "shop/Pipfile", {}, &pipfile);
  CHECK(project.dependencies.size() == 1);
  CHECK(pipfile.index == "https://i/simple");
  CHECK(counted(pipfile, "torch") == "https://i/cu128");
  CHECK(pipfile.elsewhere == Texts{"mine @ git"});

  const auto poetry = of_pyproject(R"([project]
name = "shop"
dependencies = ["torch", "x @ https://h/x.whl"]
[tool.poetry.dependencies]
torch = [{source = "pytorch", markers = "sys_platform == 'linux'"}, {source = "other"}]
[tool.poetry.group.gpu.dependencies]
jax = {version = "*", source = "other"}
[[tool.poetry.source]]
name = "pytorch"
url = "https://i/cu128"
priority = "explicit"
[[tool.poetry.source]]
name = "other"
url = "https://i/other"
priority = "supplemental"
)");
  CHECK(counted(poetry, "torch") == "https://i/cu128");
  CHECK(counted(poetry, "torch", "windows amd64") == "https://i/other");
  CHECK(counted(poetry, "jax") == "https://i/other");
  CHECK(poetry.beside.empty());  // a supplemental one has what the package index has not
  CHECK(poetry.elsewhere == Texts{"x @ https://h/x.whl"});
  CHECK(of_pyproject("[[tool.poetry.source]]\nname = 'own'\nurl = 'https://i/own'\n").index == "https://i/own");
  const auto second = of_pyproject("[[tool.poetry.source]]\nname = 'own'\nurl = 'https://i/own'\nsecondary = true\n");
  CHECK(second.index.empty());
  CHECK(second.beside == Texts{"https://i/own"});

  const auto pdm = of_pyproject(R"([[tool.pdm.source]]
name = "pypi"
url = "https://i/simple"
[[tool.pdm.source]]
name = "torch"
url = "https://i/cu128"
include_packages = ["torch"]
[[tool.pdm.source]]
name = "more"
url = "https://i/more"
)");
  CHECK(pdm.index == "https://i/simple");
  CHECK(pdm.beside == Texts{"https://i/more"});
  CHECK(counted(pdm, "torch") == "https://i/cu128");
}

TEST_CASE("package sources: a marker that is none is an error with its place") {
  CHECK_THAT(message_of([] { of_pyproject("[tool.uv.sources]\na = { index = 'x', marker = 'linux' }\n"); }), Contains("p.toml:2:"));
}

}  // namespace package_sources_tests
