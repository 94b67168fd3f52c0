#include <catch2/catch.hpp>

#include "specs/format/toml.hpp"
#include "specs/python/pyproject.hpp"
#include "tests/specs/message_of.hpp"

namespace pyproject_tests {

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;

namespace {

using Texts = std::vector<std::string>;
using Names = std::set<std::string>;

PythonProject parse(const std::string& text, const Names& extras = {}, const Names& groups = {}) {
  return parse_pyproject(TomlNode::parse_text(text, "p.toml"), "shop/pyproject.toml", extras,
                         groups);
}
Texts read(const std::string& text, const Names& extras = {}, const Names& groups = {}) {
  Texts result;
  for (const auto& one : parse(text, extras, groups).dependencies)
    result.push_back(one.dependency.text());
  return result;
}

const char* const example = R"([project]
name = "My.Shop"
version = "1"
requires-python = ">=3.7,<4"
dependencies = [
  "flask>=1",
  "colorama; sys_platform == 'win32'",
]
[project.optional-dependencies]
gpu = ["torch"]
All_Of = ["my-shop[gpu]", "pandas"]
[dependency-groups]
test = ["pytest", {include-group = "Lint.Tools"}]
lint-tools = ["ruff", {include-group = "test"}]
[tool.anything]
a.b = 1
)";

}  // namespace

TEST_CASE("pyproject.toml: what uv is told of all requirements on a package") {
  const auto project = parse(R"([project]
name = "x"
dependencies = ["torch>=2.5", "numpy", "colorama"]
[tool.uv]
constraint-dependencies = ["numpy<2"]
override-dependencies = ["torch==2.4.0", "colorama; sys_platform == 'never'"]
)");
  CHECK(project.dependencies.at(0).dependency.text() == "torch==2.4.0");
  CHECK(project.dependencies.at(2).dependency.text() == "colorama; sys_platform == \"never\"");
  REQUIRE(project.constraints.size() == 1);
  CHECK(project.constraints.front().dependency.text() == "numpy<2");
  CHECK(project.overrides.size() == 2);
  CHECK_THAT(message_of([] { parse("[tool.uv]\noverride-dependencies = ['a @ https://h/a']"); }), Contains("p.toml:2:"));
}

TEST_CASE("pyproject.toml: several overrides of one package stand in its place, each with its marker") {
  const auto project = parse(R"([project]
name = "x"
dependencies = ["torch>=2", "numpy"]
[tool.uv]
override-dependencies = ["torch==2.3.1; python_version < '3.10'", "torch==2.4.0; python_version >= '3.10'"]
)");
  REQUIRE(project.dependencies.size() == 3);
  CHECK(project.dependencies.at(0).dependency.text() == "torch==2.3.1; python_version < \"3.10\"");
  CHECK(project.dependencies.at(1).dependency.text() == "torch==2.4.0; python_version >= \"3.10\"");
}

TEST_CASE("pyproject.toml: dependencies, extras and groups") {
  const auto project = parse(example);
  CHECK(project.name == "My.Shop");
  CHECK(project.python->dependency.text() == "python>=3.7,<4");
  CHECK(project.dependencies.at(1).place == "p.toml:7:3");
  const Texts least{"flask>=1", "colorama; sys_platform == \"win32\""};
  CHECK(read(example) == least);
  Texts more = least;
  more.insert(more.end(), {"torch", "pandas"});
  CHECK(read(example, {"all-of"}) == more);
  CHECK(read(example, {"all-of", "gpu"}) == more);
  more = least;
  more.insert(more.end(), {"pytest", "ruff"});
  CHECK(read(example, {}, {"test"}) == more);  // the circle of groups ends
  CHECK(read("[tool.black]\n") == Texts{});
  CHECK(parse("[tool.black]\n").name == "shop");
}

TEST_CASE("pyproject.toml: errors say where and what to do") {
  const auto refusal = [](const std::string& text, const Names& extras = {},
                          const Names& groups = {}) {
    return message_of([&] { parse(text, extras, groups); });
  };
  CHECK_THAT(refusal("[project]\ndependencies = ['a', 'b=1']"),
             Contains("p.toml:2:22: \"b=1\": column 2: found '='"));
  CHECK_THAT(refusal("[project]\ndependencies = ['a @ file:///x']"), Contains("comes from a URL"));
  CHECK_THAT(refusal("[project]\ndynamic = ['version', 'dependencies']"), Contains("pip-compile"));
  CHECK_THAT(refusal("[project]\nrequires-python = '3.7'"),
             Contains("p.toml:2:19: \"3.7\": column 1"));
  CHECK_THAT(refusal(example, {"gpus"}), Contains("there is no extra \"gpus\" here, but gpu, All_Of; did you mean \"gpu\"?"));
  CHECK_THAT(refusal(example, {}, {"tests"}), Contains("no dependency group \"tests\" here, but test, lint-tools"));
  CHECK_THAT(refusal("[project]\ndependencies = 'a'"), Contains("expected an array"));
  CHECK_THAT(refusal("[project]\nname='x'", {"a"}),
             Contains("there is no extra \"a\": no extra is named here"));
  CHECK_THAT(refusal("[project]\nname='x'", {}, {"a"}), Contains("there is no dependency group \"a\""));
}

}  // namespace pyproject_tests
