#include <catch2/catch.hpp>

#include "specs/format/json.hpp"
#include "specs/python/project.hpp"
#include "tests/specs/files.hpp"
#include "tests/specs/message_of.hpp"

namespace project_tests {

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

using Texts = std::vector<std::string>;

const char* const catalog_text = R"({"$schema": "stackx/catalog/1", "components": {
  "python": {"kind": "runtime", "versions": {"3.7": {}, "3.8": {}, "3.11": {}}},
  "flask": {"kind": "package", "versions": {"1.0": {"requires": {"python": "*"}}, "2.0": {"requires": {"python": ">=3.8"}}}},
  "requests": {"kind": "package", "versions": {"2.8": {}, "2.9": {}}},
  "requests+security": {"kind": "package", "versions": {"2.8": {"requires": {"requests": "==2.8"}}, "2.9": {"requires": {"requests": "==2.9"}}}},
  "mkl": {"kind": "package", "versions": {"1": {"provides": {"blas": "3"}}}},
  "cuda": {"kind": "package", "versioning": "debian", "versions": {"1:11.8~a": {}}}}})";

Catalog catalog() { return parse_catalog(Node::parse_text(catalog_text, "c.json")); }

// What is asked of whom: roots, then pins.
std::pair<Texts, Texts> read(const std::string& name, const std::string& text,
                             const PythonContext& context = {}) {
  const Files files;
  files.write("limits.txt", "flask<2\nnobody==1\nrequests[x]>2; python_version < '3'\n");
  const Project project =
      to_project(read_python_project(files.write(name, text), context), catalog(), context);
  std::pair<Texts, Texts> result;
  for (const auto& one : project.requires_) result.first.push_back(one.text());
  for (const auto& one : project.pins) result.second.push_back(one.text());
  return result;
}

std::string refusal(const std::string& text, const PythonContext& context = {}) {
  return message_of([&] { read("requirements.txt", text, context); });
}

}  // namespace

TEST_CASE("a Python project: packages, extras and virtual components are roots") {
  const auto [roots, pins] =
      read("requirements.txt", "Flask\nrequests[security]>=2.8\nBLAS\nflask>=1,<3\nflask!=2\n");
  CHECK(roots == Texts{"flask >=1,<3,!=2", "requests >=2.8", "requests+security >=2.8", "blas *"});
  CHECK(pins == Texts{});
}

TEST_CASE("a Python project: markers hold for the newest Python that fits, and pin it") {
  const std::string text =
      "flask\nrequests; python_version < '3.8'\nmkl; python_version >= '3.8'\n";
  CHECK(read("requirements.txt", text) ==
        std::pair(Texts{"flask *", "mkl *"}, Texts{"python ==3.11"}));
  PythonContext context;
  context.python = "3.7";
  CHECK(read("requirements.txt", text, context) ==
        std::pair(Texts{"flask *", "requests *"}, Texts{"python ==3.7"}));
  context.python = "3.9";  // which the catalog does not have: nothing will be valid
  CHECK(read("requirements.txt", text, context).second == Texts{"python ==3.9.*"});
  context.platform = "windows amd64";
  CHECK(read("requirements.txt", "flask\nmkl; sys_platform == 'linux'\n", context).first ==
        Texts{"flask *"});
}

TEST_CASE("a Python project: the Python that the file asks for is a root") {
  const auto pyproject = read("pyproject.toml",
                              "[project]\nrequires-python = '<3.9'\ndependencies = "
                              "['flask', \"requests; python_version == '3.8'\"]\n");
  CHECK(pyproject ==
        std::pair(Texts{"flask *", "requests *", "python <3.9"}, Texts{"python ==3.8"}));
  const auto pipfile =
      read("Pipfile", "[packages]\nflask = '*'\n[requires]\npython_version = '3.7'\n");
  CHECK(pipfile == std::pair(Texts{"flask *", "python ==3.7.*"}, Texts{}));
}

TEST_CASE("a Python project: constraints are pins on what is known") {
  CHECK(read("requirements.txt", "flask\n-c limits.txt\n") ==
        std::pair(Texts{"flask *"}, Texts{"python ==3.11", "flask <2"}));
}

TEST_CASE("a Python project: errors name file and line and what to do") {
  CHECK_THAT(refusal("\nflsk\n"),
             Contains("requirements.txt:2: no catalog declares or provides \"flsk\"; "
                      "did you mean \"flask\"?") &&
                 Contains("stackx catalog import pypi 'flsk' --python 3.12 -o FILE"));
  CHECK_THAT(
      refusal("flask[async]\n"),
      Contains("requirements.txt:1: no catalog declares or provides \"flask+async\", the extra "
               "\"async\" of flask") &&
          Contains("import pypi 'flask[async]'"));
  CHECK_THAT(refusal("# nothing\n"), Contains("requirements.txt: asks for no package"));
  CHECK_THAT(refusal("# windows\nflask; os_name == 'nt'\nclick<8; python_version < '3'\n"),
             Contains("requirements.txt: 2 requirements, but none for Python 3.11 on linux x86_64 (--python, --platform)\n") &&
                 Contains("requirements.txt:2: flask; os_name == \"nt\"\n") &&
                 EndsWith("requirements.txt:3: click<8; python_version < \"3\""));
  CHECK_THAT(refusal("flask; os_name == 'nt'\n"), Contains("requirements.txt: 1 requirement, but none for"));
  CHECK_THAT(refusal("cuda~=11.0\n"),
             Contains("requirements.txt:1: \"~=11.0\": debian versions have no ~="));
  PythonContext context;
  context.python = "three";
  CHECK_THAT(refusal("flask", context), Contains("\"three\" is no Python version"));
}

TEST_CASE("a Python project: a hundred thousand requirements on one package") {
  std::string text;
  for (int i = 100'000; i < 150'000; ++i) text += "flask!=" + std::to_string(i) + "\nflask>=1\n";
  CHECK(read("requirements.txt", text).first.at(0).size() ==
        std::string("flask ,>=1").size() + 9 * 50'000 - 1);
}

TEST_CASE("a Python project: without a Python to hold them against, markers are an error") {
  const Catalog none = parse_catalog(Node::parse_text(
      R"({"$schema": "stackx/catalog/1", "components": {"flask": {"kind": "package", "versions": {"1.0": {}}}}})",
      "c.json"));
  const Files files;
  const auto file = files.write("r.txt", "flask\nflask>1; os_name == 'posix'\n");
  const auto project = read_python_project(file, {});
  CHECK_THAT(message_of([&] { to_project(project, none, {}); }),
             Contains("r.txt:2: whether \"os_name == \"posix\"\" holds depends on the Python") &&
                 Contains("--python 3.11"));
  PythonContext context;
  context.python = "3.7";
  CHECK(to_project(project, none, context).requires_.at(0).text() == "flask >1");
  CHECK(to_project(project, none, context).pins.empty());
}

TEST_CASE("a Python project is loaded by the name of its file, with catalogs from outside") {
  const Files files;
  PythonContext context;
  context.catalogs = {files.write("c.json", catalog_text)};
  const auto file = files.write("dev-requirements.txt", "flask>=2\n");
  const auto [project, all] = load_project(file, "no/data", context);
  CHECK(project.name == "shop");
  CHECK(project.file == file);
  CHECK(project.catalogs == context.catalogs);
  REQUIRE(project.requires_.size() == 1);
  CHECK_FALSE(holds(project.requires_[0], all.find("flask")->versions[0]));
  CHECK(holds(project.requires_[0], all.find("flask")->versions[1]));

  context.catalogs = {"c.json"};  // in the data directory
  CHECK(load_project(file, files.path(), context).project.name == "shop");
  CHECK_THAT(
      message_of([&] { load_project(file, "no/data", context); }),
      Contains("--catalog: there is no catalog \"c.json\": neither c.json nor no/data/c.json"));
  CHECK_THAT(message_of([&] { load_project(file, "no/data"); }), Contains("--catalog FILE"));
  CHECK_THAT(message_of([&] { load_project(files.path() / "Pipfile", "no/data"); }),
             Contains("no such file"));
  CHECK_THAT(message_of([&] { load_project("Pipfile.lock", "no/data"); }),
             Contains("is one stack, and no project"));
  const auto own = files.write("p.json", R"({"$schema": "stackx/project/1", "name": "p", "catalogs": ["c.json"], "requires": {"flask": "*"}})");
  CHECK_THAT(message_of([&] { load_project(own, files.path(), context); }),
             Contains("only an overlay (\"overlay\": true) lies over them"));
}

TEST_CASE("project: what comes from no index is refused, or taken by who asks for it") {
  const Files files;
  for (const auto& [name, text] : {std::pair{"requirements.txt", "flask\ngit+https://h/a.git\n"},
                                   {"pyproject.toml", "[project]\nname = 'x'\ndependencies = ['flask', 'a @ git+https://h/a.git']\n"},
                                   {"Pipfile", "[packages]\nflask = '*'\na = {git = 'https://h/a.git'}\n"}}) {
    const auto file = files.write(name, text);
    CHECK_FALSE(message_of([&] { read_python_project(file, {}); }).empty());
    Texts elsewhere;
    CHECK(read_python_project(file, {}, &elsewhere).dependencies.size() == 1);
    REQUIRE(elsewhere.size() == 1);
    CHECK_THAT(elsewhere.front(), Contains("git"));
  }
}

}  // namespace project_tests
