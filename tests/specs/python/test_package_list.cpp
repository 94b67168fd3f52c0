#include "specs/python/package_list.hpp"

#include <catch2/catch.hpp>

#include "specs/format/json.hpp"
#include "tests/specs/files.hpp"
#include "tests/specs/message_of.hpp"

namespace package_list_tests {

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Texts = std::vector<std::string>;

namespace {

PackageList read(const std::string& name, const std::string& text, const std::string& python = "") {
  const Files files;
  PythonContext context;
  context.python = python;
  return read_package_list(files.write(name, text), context, "3.12");
}
PackageList read_parts(const std::string& name, const std::string& text, const std::set<std::string>& extras,
                       const std::set<std::string>& groups = {}) {
  const Files files;
  PythonContext context;
  context.extras = extras;
  context.groups = groups;
  return read_package_list(files.write(name, text), context, "3.12");
}
std::string refusal(const std::string& name, const std::string& text) {
  return message_of([&] { read(name, text); });
}
Texts shown(const std::vector<PlacedDependency>& list) {
  Texts texts;
  for (const auto& one : list) texts.push_back(one.dependency.text());
  return texts;
}
std::string python_of(const PackageList& list) { return list.python ? list.python->text() : "(none)"; }

}  // namespace

TEST_CASE("package list: uv.lock, what comes from an index; the rest is named") {
  const auto list = read("uv.lock", R"(version = 1
requires-python = ">=3.11"

[[package]]
name = "Torch"
version = "2.4.0"
source = { registry = "https://index.example/simple" }
dependencies = [{ name = "numpy", marker = "x" }]

[[package]]
name = "mine"
version = "0.1.0"
source = { virtual = "." }

[[package]]
name = "tool"
version = "1.0"
source = { editable = "tool" }

[[package]]
name = "fork"
version = "3"
source = { git = "https://h/fork?rev=1#2" }

[[package]]
name = "numpy"
version = "1.26.4"
source = { registry = "https://index.example/simple" }

[[package]]
name = "numpy"
version = "2.1.0"
source = { registry = "https://index.example/simple" }

[[package]]
name = "dynamic"
source = { registry = "https://index.example/simple" }
)");
  CHECK(shown(list.dependencies) == Texts{"torch==2.4.0"});
  CHECK_THAT(list.dependencies.at(0).place, Contains("uv.lock:4:"));
  CHECK(list.skipped == Texts{"mine (not from an index)", "tool (not from an index)", "fork (not from an index)",
                              "dynamic (not from an index)", "numpy (locked to several versions, by platform)"});
  CHECK(list.constraints.empty());
}

TEST_CASE("package list: of several versions in a lock the markers tell for which platform each is") {
  const std::string uv = "version = 1\n[[package]]\nname = \"torch\"\nversion = \"2.7.1\"\nresolution-markers = [\"sys_platform == 'darwin'\"]\n"
                         "[[package]]\nname = \"torch\"\nversion = \"2.8.0\"\n"
                         "resolution-markers = [\"sys_platform == 'linux'\", \"sys_platform == 'win32'\"]\n";
  const auto list = read("uv.lock", uv);
  CHECK(list.skipped.empty());
  REQUIRE(list.dependencies.size() == 2);
  const auto here = MarkerEnvironment::for_python("3.12", "linux x86_64");
  CHECK_FALSE(list.dependencies[0].dependency.holds(here));
  CHECK(list.dependencies[1].dependency.holds(here));
  const auto poetry = read("poetry.lock", "[[package]]\nname = \"torch\"\nversion = \"1\"\nmarkers = \"python_version < '3.10'\"\n"
                                          "[[package]]\nname = \"torch\"\nversion = \"2\"\nmarkers = \"python_version >= '3.10'\"\n");
  REQUIRE(poetry.dependencies.size() == 2);
  CHECK(poetry.dependencies[1].dependency.holds(here));
  // What an extra of the project decides is not known.
  CHECK(read("poetry.lock", "[[package]]\nname = \"torch\"\nversion = \"1\"\nmarkers = \"extra == 'cpu'\"\n"
                            "[[package]]\nname = \"torch\"\nversion = \"2\"\nmarkers = \"extra == 'gpu'\"\n").skipped ==
        Texts{"torch (locked to several versions, by platform)"});
}

TEST_CASE("package list: overrides of uv.lock") {
  const auto list = read("uv.lock", R"(version = 1
[manifest]
overrides = [{ name = "nvidia-cudnn-cu12", specifier = "==9.5.0.50" }, { name = "b", marker = "sys_platform == 'never'" }]
[[package]]
name = "torch"
version = "2.4.0"
)");
  REQUIRE(list.overrides.size() == 2);
  CHECK(list.overrides.front().dependency.text() == "nvidia-cudnn-cu12==9.5.0.50");
  CHECK(list.overrides.back().dependency.marker.has_value());
}

TEST_CASE("package list: the Pythons of poetry.lock in Poetry's form") {
  const auto list = read("poetry.lock", "[metadata]\npython-versions = '>=3.9,<3.9.1 || >3.9.1,<3.13'\n");
  REQUIRE(list.python);
  CHECK(list.python->text() == ">=3.9,<3.13,!=3.9.1");
}

TEST_CASE("package list: of several versions in uv.lock an extra or group that is asked for says which is meant") {
  const std::string lock = R"(version = 1
[[package]]
name = "My.Shop"
version = "0.1"
source = { virtual = "." }
[package.optional-dependencies]
cpu = [{ name = "torch", version = "2.7.1+cpu", marker = "extra == 'extra-7-my-shop-cpu'" }]
cu128 = [
  { name = "torch", version = "2.7.1", marker = "sys_platform == 'darwin'" },
  { name = "torch", version = "2.7.1+cu128", marker = "sys_platform == 'linux' and extra == 'extra-7-my-shop-cu128'" },
  { name = "numpy" },
]
[package.dev-dependencies]
old = [{ name = "torch", version = "2.7.1" }, { name = "gone", version = "9" }]
)" + std::string([] {
    std::string packages;
    for (const char* version : {"2.7.1", "2.7.1+cpu", "2.7.1+cu128"})
      packages += std::string("[[package]]\nname = \"torch\"\nversion = \"") + version + "\"\nsource = { registry = \"https://i\" }\n";
    return packages;
  }());
  CHECK(read("uv.lock", lock).skipped.back() == "torch (locked to several versions, by platform)");
  CHECK(shown(read_parts("uv.lock", lock, {"CU128"}).dependencies) == Texts{"torch==2.7.1+cu128"});
  CHECK(shown(read_parts("uv.lock", lock, {"cpu"}).dependencies) == Texts{"torch==2.7.1+cpu"});
  CHECK(shown(read_parts("uv.lock", lock, {}, {"old"}).dependencies) == Texts{"torch==2.7.1"});
  CHECK_THAT(message_of([&] { read_parts("uv.lock", lock, {"cu126"}); }), Contains("there is no extra \"cu126\" here, but cpu, cu128"));
  CHECK_THAT(message_of([&] { read_parts("uv.lock", "version = 1\n", {"a"}); }), Contains("no package here is the project itself"));
  CHECK_THAT(message_of([&] { read_parts("requirements.txt", "torch\n", {"a"}); }), Contains("--extra a"));
  CHECK_THAT(message_of([&] { read_parts("poetry.lock", "", {}, {"a"}); }), Contains("--group a"));
}

TEST_CASE("package list: pyproject.toml, what a source takes from another index, and from none") {
  const auto list = read("pyproject.toml", R"([project]
name = "shop"
dependencies = ["torch==2.7.1", "torchvision; sys_platform == 'win32'", "fork", "numpy", "x @ https://h/x.whl"]
[tool.uv.sources]
torch = { index = "cu128", marker = "sys_platform == 'linux'" }
torchvision = { git = "https://h/torchvision" }
fork = { git = "https://h/fork" }
unasked = { path = "../unasked" }
[[tool.uv.index]]
name = "cu128"
url = "https://download.pytorch.org/whl/cu128"
explicit = true
)");
  CHECK(shown(list.dependencies) == Texts{"torch==2.7.1", "torchvision; sys_platform == \"win32\"", "numpy"});
  CHECK(list.skipped == Texts{"x @ https://h/x.whl (not from an index)", "fork (from git)"});
  REQUIRE(list.own_index.size() == 1);
  CHECK(list.own_index.at("torch").url == "https://download.pytorch.org/whl/cu128");
  CHECK(list.index.empty());
}

TEST_CASE("package list: requirements.txt, what is from elsewhere is named, and its indexes") {
  const auto list = read("requirements.txt", "--index-url https://h/simple\n--extra-index-url=https://h/cu118\ntorch==2.1.0\n"
                                             "git+https://h/x.git@main\nmine @ https://h/mine-1.whl\n-e ./tool\n./local.whl\n");
  CHECK(shown(list.dependencies) == Texts{"torch==2.1.0"});
  CHECK(list.skipped == Texts{"git+https://h/x.git@main (not from an index)", "mine @ https://h/mine-1.whl (not from an index)",
                              "./tool (not from an index)", "./local.whl (not from an index)"});
  CHECK(list.index == "https://h/simple");
  CHECK(list.extra_indexes == Texts{"https://h/cu118"});
}

TEST_CASE("package list: poetry.lock, another index is one, too") {
  const auto list = read("poetry.lock", R"([[package]]
name = "b"
version = "1.0"
optional = false

[[package]]
name = "a"
version = "2.4.0+cu121"
[package.source]
type = "legacy"
url = "https://download.pytorch.org/whl/cu121"
reference = "pytorch"

[[package]]
name = "local"
version = "1"
[package.source]
type = "directory"
url = "../local"

[metadata]
lock-version = "2.0"
)");
  CHECK(shown(list.dependencies) == Texts{"a==2.4.0+cu121", "b==1.0"});
  CHECK(list.skipped == Texts{"local (not from an index)"});
  CHECK(read("poetry.lock", "").dependencies.empty());
}

TEST_CASE("package list: errors in locks name file and place") {
  CHECK_THAT(refusal("uv.lock", "[[package]]\nversion = \"1\"\n"), Contains("uv.lock:1:1: ") && Contains("\"name\""));
  CHECK_THAT(refusal("uv.lock", "[[package]]\nname = \"a\"\nversion = \"new\"\n"), Contains("uv.lock:1:1: "));
  CHECK_THAT(refusal("uv.lock", "package = 1\n"), Contains("uv.lock:1:"));
  CHECK_THAT(refusal("poetry.lock", "[[package]\n"), Contains("poetry.lock:1:"));
  CHECK_THAT(refusal("poetry.lock", "[[package]]\nname = \"a b\"\nversion = \"1\"\n"), Contains("poetry.lock:1:1: "));
}

TEST_CASE("package list: conda's environment.yml, the packages of pip and the Python") {
  const auto list = read("environment.yml", R"(name: ml
channels: [conda-forge]
dependencies:
  - python=3.11
  - pytorch=2.4.0=py3.11_cuda12.1
  - pip
  - pip:
    - torch==2.4.0
    - "jax[cuda12]>=0.4 ; python_version >= '3.10'"
)");
  CHECK(shown(list.dependencies) == Texts{"torch==2.4.0", "jax[cuda12]>=0.4; python_version >= \"3.10\""});
  CHECK_THAT(list.dependencies.at(1).place, EndsWith("environment.yml:9"));
  CHECK(python_of(list) == "==3.11.*");
  CHECK(list.skipped == Texts{"pytorch (from conda)", "pip (from conda)"});
}

TEST_CASE("package list: conda's ways to write a Python") {
  const auto python = [](const std::string& text) { return python_of(read("e.yaml", "dependencies:\n  - " + text + "\n")); };
  CHECK(python("python") == "(none)");
  CHECK(python("python=3") == "==3.*");
  CHECK(python("python=3.11") == "==3.11.*");
  CHECK(python("python=3.11.*") == "==3.11.*");
  CHECK(python("python=3.11.4") == "==3.11.4");
  CHECK(python("python=3.11.4=h123_cpython") == "==3.11.4");
  CHECK(python("python==3.11.4") == "==3.11.4");
  CHECK(python("python>=3.10,<3.13") == ">=3.10,<3.13");
  CHECK(python("python >=3.10") == ">=3.10");
  CHECK(python("numpy") == "(none)");
}

TEST_CASE("package list: errors in environment.yml name file and line") {
  CHECK_THAT(refusal("environment.yml", "name: x\n"), Contains("environment.yml: has no list `dependencies`; expected an environment file of conda"));
  CHECK_THAT(refusal("environment.yml", "- a\n"), Contains("environment.yml: has no list `dependencies`"));
  CHECK_THAT(refusal("environment.yml", ""), Contains("environment.yml: has no list `dependencies`"));
  CHECK_THAT(refusal("environment.yml", "dependencies: torch\n"), Contains("environment.yml: has no list `dependencies`"));
  CHECK_THAT(refusal("environment.yml", "dependencies:\n  - [\n"), Contains("environment.yml:3:") && Contains(": not YAML: "));
  CHECK_THAT(refusal("environment.yml", "dependencies:\n  - a\n  - [b]\n"), Contains("environment.yml:3: expected a package, or a list under `pip:`"));
  CHECK_THAT(refusal("environment.yml", "dependencies:\n  - pip: torch\n"), Contains("environment.yml:2: expected a package, or a list under `pip:`"));
  CHECK_THAT(refusal("environment.yml", "dependencies:\n  - conda: [torch]\n"), Contains("environment.yml:2: expected a package"));
  CHECK_THAT(refusal("environment.yml", "dependencies:\n  - pip:\n    - torch=2\n"), Contains("environment.yml:3: ") && Contains("torch=2"));
  CHECK_THAT(refusal("environment.yml", "dependencies:\n  - python=new\n"), Contains("environment.yml:2: "));
}

TEST_CASE("package list: what is no text under `pip:` is an error with its line") {
  CHECK_THAT(refusal("environment.yml", "dependencies:\n  - pip:\n    - {torch: 2}\n"), Contains("environment.yml:3: "));
  CHECK_THAT(refusal("environment.yml", "dependencies:\n  - pip:\n    - [torch]\n"), Contains("environment.yml:3: "));
  CHECK_THAT(refusal("environment.yml", "dependencies:\n  - pip:\n    -\n"), Contains("environment.yml:"));
}

// As the environments of PyTorch users are: an index to look at, this very project, a file beside.
TEST_CASE("package list: options and paths under `pip:` are named") {
  const auto list = read("environment.yml", "dependencies:\n  - pip:\n    - --extra-index-url https://h/cu121\n    - -e .\n    - torch==2.4.0\n");
  CHECK(shown(list.dependencies) == Texts{"torch==2.4.0"});
  CHECK(list.skipped == Texts{"-e . (not a package of an index)"});
  CHECK(list.extra_indexes == Texts{"https://h/cu121"});
}

TEST_CASE("package list: a channel before conda's Python is no other package") {
  CHECK(python_of(read("environment.yml", "dependencies:\n  - conda-forge::python=3.11\n")) == "==3.11.*");
}

TEST_CASE("package list: what pip freeze prints") {
  const auto list = parse_freeze(
      "# Editable install with no version control (tool==1)\n-e /home/me/tool\nTorch==2.4.0+cu121\r\n\n"
      "mine @ file:///tmp/mine.whl#sha256=00\n  numpy==1.26.4\n-e git+https://h/x@1#egg=x\nlast===1.0",
      "stdin");
  CHECK(shown(list.dependencies) == Texts{"torch==2.4.0+cu121", "numpy==1.26.4", "last===1.0"});
  CHECK(list.dependencies.at(1).place == "stdin:6");  // as the text has it
  CHECK(list.skipped == Texts{"/home/me/tool (not from an index)", "mine @ file:///tmp/mine.whl#sha256=00 (not from an index)",
                              "git+https://h/x@1#egg=x (not from an index)"});
  CHECK(parse_freeze("", "stdin").dependencies.empty());
  CHECK_THAT(message_of([] { parse_freeze("torch==2\nnumpy=1\n", "stdin"); }), Contains("stdin:2: "));
}

TEST_CASE("package list: what is skipped can be printed") {
  std::string place;
  for (int i = 0; i < 40; ++i) place += "ü";
  for (const auto& text : {"a" + place + " @ file:///x", "ab" + place + " @ file:///x", std::string("a\xff @ file:///x")})
    for (const auto& skipped : parse_freeze(text, "stdin").skipped) CHECK(to_utf8(skipped) == skipped);
}

TEST_CASE("package list: requirements, projects and locks as their own readers have them") {
  CHECK(shown(read("requirements.txt", "torch==2.4.0\nnumpy\n").dependencies) == Texts{"torch==2.4.0", "numpy"});
  const auto project = read("pyproject.toml", "[project]\nname = \"x\"\nrequires-python = \">=3.10\"\ndependencies = [\"torch>=2\"]\n");
  CHECK(shown(project.dependencies) == Texts{"torch>=2"});
  CHECK(python_of(project) == ">=3.10");
  const auto pipfile = read("Pipfile", "[packages]\ntorch = \"*\"\n[requires]\npython_version = \"3.9\"\n");
  CHECK(shown(pipfile.dependencies) == Texts{"torch"});
  CHECK(python_of(pipfile) == "==3.9.*");
  const auto lock = read("Pipfile.lock", R"({"_meta": {"hash": {"sha256": "00"}, "pipfile-spec": 6, "requires": {}, "sources": []},
    "default": {"jax": {"version": "==0.4", "extras": ["cuda12"]}}, "develop": {}})");
  CHECK(shown(lock.dependencies) == Texts{"jax==0.4", "jax[cuda12]==0.4"});
  CHECK_THAT(lock.dependencies.at(0).place, EndsWith("Pipfile.lock: /default/jax"));
}

TEST_CASE("package list: constraints stay constraints") {
  const Files files;
  files.write("c.txt", "numpy<2\n");
  const auto list = read_package_list(files.write("requirements.txt", "-c c.txt\ntorch\n"), {}, "3.12");
  CHECK(shown(list.dependencies) == Texts{"torch"});
  CHECK(shown(list.constraints) == Texts{"numpy<2"});
}

TEST_CASE("package list: markers of a lock are held against the Python that is named, else the usual one") {
  const std::string lock = "lock-version = \"1.0\"\ncreated-by = \"hand\"\n[[packages]]\nname = \"old\"\nversion = \"1\"\n"
                           "marker = \"python_version < '3.12'\"\n[[packages]]\nname = \"new\"\nversion = \"2\"\nmarker = \"python_version >= '3.12'\"\n";
  CHECK(shown(read("pylock.toml", lock).dependencies) == Texts{"new==2"});
  CHECK(shown(read("pylock.toml", lock, "3.10").dependencies) == Texts{"old==1"});
}

TEST_CASE("package list: more than anybody has is refused while it is read") {
  std::string lines, elsewhere;
  for (int i = 0; i <= 100'000; ++i) {
    lines += "a==1\n";
    elsewhere += "a @ b\n";
  }
  CHECK_THAT(refusal("requirements.txt", lines), Contains("requirements.txt:100001: more than 100000 requirements"));
  CHECK_THAT(message_of([&] { parse_freeze(elsewhere, "freeze"); }), Contains("freeze: more than 100000 packages"));
  CHECK_THAT(refusal("environment.yml", "dependencies:\n- pip:\n" + std::string(std::size_t(1) << 20, '\n')),
             Contains("larger than 1 MiB"));
}

TEST_CASE("package list: other files are named, with what is expected") {
  CHECK_THAT(refusal("setup.cfg", ""), Contains("setup.cfg: expected requirements (*.txt, *.in), Pipfile, ") && Contains("uv.lock"));
}

}  // namespace package_list_tests
