#include "specs/python/poetry.hpp"

#include <catch2/catch.hpp>

#include "specs/format/toml.hpp"
#include "specs/python/package_sources.hpp"
#include "specs/python/pyproject.hpp"
#include "tests/specs/message_of.hpp"

namespace poetry_tests {

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;

namespace {

using Texts = std::vector<std::string>;
using Names = std::set<std::string>;

PythonProject parse(const std::string& text, const Names& extras = {}, const Names& groups = {}, PackageSources* sources = nullptr) {
  return parse_pyproject(TomlNode::parse_text(text, "p.toml"), "shop/pyproject.toml", extras, groups, sources);
}
Texts read(const std::string& text, const Names& extras = {}, const Names& groups = {}) {
  Texts result;
  for (const auto& one : parse(text, extras, groups).dependencies) result.push_back(one.dependency.text());
  return result;
}

const std::string example = R"([tool.poetry]
name = "Shop"
[tool.poetry.dependencies]
python = "^3.10"
torch = {version = "~2.4", source = "pytorch", extras = ["opt"]}
numpy = [{version = "<2", python = "<3.9"}, {version = "^2", markers = "sys_platform == 'linux'"}]
vllm = {version = "*", optional = true}
[tool.poetry.extras]
gpu = ["vllm"]
[tool.poetry.group.test.dependencies]
pytest = ">=8"
[tool.poetry.dev-dependencies]
ruff = "1.2"
)";

}  // namespace

TEST_CASE("Poetry: ranges as PEP 440 has them") {
  const auto is = [](const char* text) { return pep440_of_poetry(text).value_or("(none)"); };
  CHECK(is("^1.2.3") == ">=1.2.3,<2");
  CHECK(is("^0.2.3") == ">=0.2.3,<0.3");
  CHECK(is("^0.0.3") == ">=0.0.3,<0.0.4");
  CHECK(is("^0.0") == ">=0.0,<0.1");
  CHECK(is("^9") == ">=9,<10");
  CHECK(is("^ 99.1rc1") == ">=99.1rc1,<100");
  CHECK(is("~1.2.3") == ">=1.2.3,<1.3");
  CHECK(is("~1") == ">=1,<2");
  CHECK(is("~=1.2") == "~=1.2");
  CHECK(is("2.4.1") == "==2.4.1");
  CHECK(is("2.4.*") == "==2.4.*");
  CHECK(is(">=1, <2") == ">=1,<2");
  CHECK(is(" * ") == "*");
  for (const char* none : {"", "^", "^x", "~", "1,,^", ">=1 <2", "1 ||", "|| 2", "~1.26 || ^2.1", "!=1 || 3", "<=1 || >=2"}) CHECK(is(none) == "(none)");
}

TEST_CASE("Poetry: alternatives as one range, without what lies between") {
  const auto is = [](const char* text) { return pep440_of_poetry(text).value_or("(none)"); };
  CHECK(is("^1.24 || ^2.0") == ">=1.24,<3");
  CHECK(is("~2.4 || ~2.7") == ">=2.4,<2.8,!=2.5.*,!=2.6.*");
  CHECK(is("~2.7 | ~2.4") == ">=2.4,<2.8,!=2.5.*,!=2.6.*");
  CHECK(is(">=3.9,<3.9.1 || >3.9.1") == ">=3.9,!=3.9.1");
  CHECK(is("<1 || >2") == "!=1.*,!=2");
  CHECK(is(">=2.5,<2.6 || >=2.7.1") == ">=2.5,!=2.6.*,!=2.7.0.*");
  CHECK(is("^2.4 || 2.5.1") == ">=2.4,<3");
  CHECK(is("^2.4 || *") == "*");
  CHECK(is("2.4.* || 2.6.*") == ">=2.4,<2.7,!=2.5.*");
  CHECK(is("<2 || >=1.5") == "*");
}

TEST_CASE("Poetry: dependencies, extras and groups") {
  const auto project = parse(example);
  CHECK(project.name == "Shop");
  CHECK(project.python->dependency.text() == "python>=3.10,<4");
  const Texts least{"torch[opt]>=2.4,<2.5", "numpy<2; python_version < \"3.9\"", "numpy>=2,<3; sys_platform == \"linux\""};
  CHECK(read(example) == least);
  auto more = least;
  more.emplace_back("vllm");
  CHECK(read(example, {"GPU"}) == more);
  more = least;
  more.insert(more.end(), {"ruff==1.2", "pytest>=8"});
  CHECK(read(example, {}, {"dev", "test"}) == more);
}

TEST_CASE("Poetry: errors say where and what there is") {
  const auto refusal = [](const std::string& text, const Names& extras = {}, const Names& groups = {}) {
    return message_of([&] { parse(text, extras, groups); });
  };
  CHECK_THAT(refusal("[tool.poetry.dependencies]\na = '~1.26 || ^2.1'"), Contains("p.toml:2:5: \"~1.26 || ^2.1\": expected a range"));
  CHECK_THAT(refusal("[tool.poetry.dependencies]\na = {git = 'https://h/a'}"), Contains("the package comes by \"git\""));
  CHECK_THAT(refusal(example, {"cpu"}), Contains("there is no extra \"cpu\" here, but gpu"));
  CHECK_THAT(refusal(example, {}, {"docs"}), Contains("there is no dependency group \"docs\" here, but test"));
  PackageSources sources;
  CHECK(parse("[tool.poetry.dependencies]\na = {git = 'https://h/a'}", {}, {}, &sources).dependencies.empty());
  CHECK(sources.elsewhere == Texts{"a @ git"});
}

}  // namespace poetry_tests
