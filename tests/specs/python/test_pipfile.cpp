#include <catch2/catch.hpp>

#include "specs/format/toml.hpp"
#include "specs/python/pipfile.hpp"
#include "tests/specs/message_of.hpp"

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;

namespace {

using Texts = std::vector<std::string>;

PythonProject parse(const std::string& text, const std::set<std::string>& categories = {}) {
  return parse_pipfile(TomlNode::parse_text(text, "Pipfile"), "shop/Pipfile", categories);
}
Texts read(const std::string& text, const std::set<std::string>& categories = {}) {
  Texts result;
  for (const auto& one : parse(text, categories).dependencies)
    result.push_back(one.dependency.text());
  return result;
}
std::string refusal(const std::string& text) {
  return message_of([&] { parse(text); });
}

const char* const example = R"([[source]]
url = "https://x/simple"
verify_ssl = true
name = "pypi"

[packages]
Flask = "*"
requests = {extras = ["Security", "socks"], version = ">=2.8,<3", index = "pypi"}
pywin32 = {version = "*", sys_platform = "== 'win32'", markers = "python_version < '3.8' or extra == 'x'"}
"zope.interface" = "==5.0"
"name[extra]" = "*"

[dev-packages]
pytest = ">=5"

[docs]
sphinx = "*"

[requires]
python_version = "3.7"
)";

}  // namespace

TEST_CASE("Pipfile: everything that one can say") {
  const auto project = parse(example);
  CHECK(project.name == "shop");
  REQUIRE(project.python);
  CHECK(project.python->dependency.text() == "python==3.7.*");
  CHECK(project.python->place == "Pipfile:20:18");
  CHECK(project.dependencies.at(1).place == "Pipfile:8:12");
  CHECK(read(example) ==
        Texts{"flask", "requests[security,socks]>=2.8,<3",
              "pywin32; sys_platform == \"win32\" and (python_version < \"3.8\" or extra == \"x\")",
              "zope-interface==5.0", "name[extra]"});
  CHECK(read(example, {"dev", "docs"}).size() == 7);
  CHECK(read(example, {"dev-packages"}).back() == "pytest>=5");
  CHECK(read("[packages]\na = {version = '*', editable = false}") == Texts{"a"});
  CHECK(parse("[requires]\npython_full_version = '3.7.4'\npython_version = '3.7'")
            .python->dependency.text() == "python==3.7.4");
  CHECK_FALSE(parse("[requires]\npython_version = '*'").python);
  CHECK(read("") == Texts{});
}

TEST_CASE("Pipfile: errors say where and what to do") {
  CHECK(refusal("[packages]\nflask = '1.0'\n")
            .starts_with("Pipfile:2:9: \"1.0\": column 1: found '1': a specifier starts with"));
  CHECK_THAT(refusal("[packages]\na = {git = 'https://x'}"),
             Contains("Pipfile:2:12: the package comes by \"git\"") && Contains("version ="));
  CHECK_THAT(refusal("[packages]\na = {path = '.', editable = true}"), Contains("\"path\""));
  CHECK_THAT(refusal("[packages]\na = {verson = '1'}"), Contains("did you mean \"version\"?"));
  CHECK_THAT(refusal("[packages]\na = 1"), Contains("expected a string, found a number"));
  CHECK_THAT(refusal("[packages]\n'-a' = '*'"), Contains("\"-a\" is not the name of a package"));
  CHECK_THAT(refusal("[packages]\n'a>1' = '*'"), Contains("is not the name of a package"));
  CHECK_THAT(refusal("[packages]\na = {extras = ['b c']}"),
             Contains("is not the name of an extra"));
  CHECK_THAT(refusal("[packages]\na = {markers = 'os == 1'}"),
             Contains("no marker variable \"os\""));
  CHECK_THAT(refusal("[packages]\na = {os_name = 'posix'}"),
             Contains("\"os_name posix\": column 9: found 'p': expected one"));
  CHECK_THAT(refusal("packages = 1"), Contains("Pipfile:1:12: expected a table"));
  CHECK_THAT(refusal("[requires]\npython_version = 'three'"), Contains("Pipfile:2:18"));
  CHECK_THAT(message_of([] { parse("", {"tests"}); }), Contains("the key \"tests\" is missing"));
}
