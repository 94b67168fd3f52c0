#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

#include "blame/ends/end.hpp"
#include "specs/error.hpp"
#include "specs/result/inspection.hpp"
#include "store/store.hpp"
#include "tests/store/fixture.hpp"

namespace blame_end_tests {

namespace fs = std::filesystem;
using namespace stackx;
using namespace stackx::blame;
using Catch::Matchers::Contains;
using Packages = std::map<std::string, std::string>;

namespace {

const std::string a64(64, 'a'), b64(64, 'b');

class Folder {
 public:
  std::string file(const std::string& name, const std::string& text) const {
    const auto path = place_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  End read(const std::string& name, const std::string& text, const EndContext& context = {}) const {
    return read_end(file(name, text), context);
  }
  std::string wrong(const std::string& name, const std::string& text, const EndContext& context = {}) const {
    return test::error_of([&] { read(name, text, context); });
  }
  std::string operator/(const std::string& name) const { return (place_ / name).string(); }

 private:
  test::Directory place_;
};

}  // namespace

TEST_CASE("end: packages as words, as the command line prints stacks, too") {
  const Packages both{{"torch", "2.6.0+cu124"}, {"numpy", "2.1.0"}};
  for (const char* text : {"torch==2.6.0+cu124 numpy==2.1.0", "torch=2.6.0+cu124 numpy=2.1.0"})
    CHECK(read_end(text, {}).packages == both);
  CHECK_THAT(test::error_of([] { read_end("torch>=2.6.0", {}); }), Contains("leaves a choice of versions"));
  CHECK_THAT(test::error_of([] { read_end("torch~=2.6", {}); }), Contains("leaves a choice of versions"));
}

TEST_CASE("end: Pipfile.lock, with its Python, hashes and extras") {
  const Folder folder;
  const auto end = folder.read("Pipfile.lock", R"({"_meta": {"requires": {"python_version": "3.9"}}, "default": {
    "Requests": {"version": "==2.31.0", "extras": ["Socks"], "hashes": ["sha256:)" + a64 + R"("]},
    "tomli": {"version": "==2.0.1", "markers": "python_version < '3.11'"},
    "colorama": {"version": "==0.4.6", "markers": "sys_platform == 'win32'"}}})");
  CHECK(end.python == "3.9");
  CHECK(end.packages == Packages{{"requests", "2.31.0"}, {"tomli", "2.0.1"}});
  CHECK(end.extras == std::map<std::string, std::set<std::string>>{{"requests", {"socks"}}});
  CHECK(end.hashes == std::map<std::string, std::vector<std::string>>{{"requests", {a64}}});
  CHECK_FALSE(end.stack);

  EndContext context;
  context.python = "3.12";
  const auto other = folder.read("Pipfile.lock", R"({"_meta": {"requires": {"python_version": "3.9"}}, "default": {
    "six": {"version": "==1.16.0"}, "tomli": {"version": "==2.0.1", "markers": "python_version < '3.11'"}}})", context);
  CHECK(other.python == "3.12");
  CHECK(other.packages == Packages{{"six", "1.16.0"}});
}

TEST_CASE("end: pylock.toml, its Python where it names one") {
  const Folder folder;
  const std::string packages = "[[packages]]\nname = \"six\"\nversion = \"1.16.0\"\nwheels = [{name = \"six-1.16.0-py3-none-any.whl\", "
      "url = \"https://h/six-1.16.0-py3-none-any.whl\", hashes = {sha256 = \"" + a64 + "\"}}]\n"
      "[[packages]]\nname = \"tomli\"\nversion = \"2.0.1\"\nmarker = \"python_version < '3.11'\"\n";
  const auto one = folder.read("pylock.toml", "lock-version = \"1.0\"\nrequires-python = \"==3.10.*\"\n" + packages);
  CHECK(one.python == "3.10");
  CHECK(one.packages == Packages{{"six", "1.16.0"}, {"tomli", "2.0.1"}});
  CHECK(one.hashes.at("six") == std::vector<std::string>{a64});
  const auto open = folder.read("pylock.cpu.toml", "lock-version = \"1.0\"\nrequires-python = \">=3.9\"\n" + packages);
  CHECK(open.python.empty());
  CHECK(open.packages == Packages{{"six", "1.16.0"}});  // held against the usual one
}

TEST_CASE("end: requirements with exact versions, their hashes over several lines, constraints") {
  const Folder folder;
  folder.file("pins.txt", "scipy==1.11.4\nunused==1\n");
  const auto end = folder.read("requirements.in", "scipy\n-c pins.txt\nNumPy==1.26.4 \\\n  --hash=sha256:" + std::string(64, 'A') +
                                                      " \\\n  --hash=sha256:" + b64 + "\njax[CUDA12]===0.6.2\n");
  CHECK(end.packages == Packages{{"jax", "0.6.2"}, {"numpy", "1.26.4"}, {"scipy", "1.11.4"}});
  CHECK(end.hashes == std::map<std::string, std::vector<std::string>>{{"numpy", {a64, b64}}});
  CHECK(end.extras == std::map<std::string, std::set<std::string>>{{"jax", {"cuda12"}}});
  CHECK(folder.read("r.txt", "six==1.16.0\ntomli==2; python_version < '3.11'\n").packages == Packages{{"six", "1.16.0"}});
  CHECK(folder.read("r.txt", "six==1.16.0\ntomli==2; python_version < '3.11'\n", {.python = "3.9"}).packages.size() == 2);
}

TEST_CASE("end: what leaves a choice is told at its line, with what to do") {
  const Folder folder;
  for (const char* open : {"numpy", "numpy>=1.20", "numpy==1.*", "numpy>=1,<2", "numpy==1.2,!=1.3"}) {
    const auto said = folder.wrong("requirements.txt", "six==1.16.0\n" + std::string(open) + "\n");
    CHECK_THAT(said, Contains("requirements.txt:2: ") && Contains("numpy") && Contains("pin it (numpy==VERSION)") &&
                         Contains("pip freeze, pip-compile and uv pip compile"));
  }
  CHECK_THAT(folder.wrong("two.txt", "six==1.16.0\nsix==1.15.0\n"), Contains("two.txt:2: six is 1.15.0 here and 1.16.0 before"));
  CHECK_THAT(folder.wrong("Pipfile", "[packages]\nflask = \"*\"\n"), Contains("Pipfile:2") && Contains("pin it"));
  CHECK_THAT(folder.wrong("pyproject.toml", "[project]\nname = \"x\"\ndependencies = [\"flask>=2\"]\n"), Contains("pin it"));
  CHECK_THAT(folder.wrong("none.txt", "# nothing\n"), Contains("names no package with a version"));
}

TEST_CASE("end: pip freeze, where what is not from an index is skipped and named") {
  const Folder folder;
  const auto end = folder.read(
      "freeze.txt", "numpy==1.26.4\n-e git+https://h/lib.git@1234#egg=lib\nmine @ file:///tmp/mine\ntorch==2.4.0+cu121\n");
  CHECK(end.packages == Packages{{"numpy", "1.26.4"}, {"torch", "2.4.0+cu121"}});
  REQUIRE(end.skipped.size() == 2);
  CHECK_THAT(end.skipped[1], Contains("mine"));
}

TEST_CASE("end: uv.lock, poetry.lock and conda's environment.yml") {
  const Folder folder;
  const auto uv = folder.read("uv.lock", "version = 1\nrequires-python = \"==3.12.*\"\n[[package]]\nname = \"six\"\nversion = \"1.16.0\"\n"
      "source = { registry = \"https://h/simple\" }\nsdist = { url = \"https://h/six.tar.gz\", hash = \"sha256:" + a64 + "\" }\n"
      "wheels = [{ url = \"https://h/six.whl\", hash = \"sha256:" + b64 + "\" }]\n"
      "[[package]]\nname = \"mine\"\nversion = \"0.1.0\"\nsource = { virtual = \".\" }\n");
  CHECK(uv.python == "3.12");
  CHECK(uv.packages == Packages{{"six", "1.16.0"}});
  CHECK(uv.hashes == std::map<std::string, std::vector<std::string>>{{"six", {a64, b64}}});
  CHECK(uv.is_for_all_platforms);
  CHECK(uv.skipped == std::vector<std::string>{"mine (not from an index)"});
  const auto poetry =
      folder.read("poetry.lock", "[[package]]\nname = \"six\"\nversion = \"1.16.0\"\n[metadata]\npython-versions = \"^3.9\"\n");
  CHECK(poetry.python.empty());
  const auto conda = folder.read("environment.yml", "dependencies:\n- python=3.11\n- numpy\n- pip:\n  - six==1.16.0\n");
  CHECK(conda.python == "3.11");
  CHECK(conda.packages == Packages{{"six", "1.16.0"}});
  CHECK(conda.skipped == std::vector<std::string>{"numpy (from conda)"});
  CHECK_THAT(folder.wrong("environment.yaml", "dependencies:\n- pip:\n  - six\n"), Contains("environment.yaml:3: ") && Contains("pin it"));
}

TEST_CASE("end: what is installed, without installers and what no index has") {
  const Folder folder;
  const auto environment = folder / "env";
  REQUIRE(std::system((std::string(STACKX_TEST_PYTHON) + " -m venv --without-pip " + environment).c_str()) == 0);
  fs::path site;
  for (const auto& entry : fs::directory_iterator(fs::path(environment) / "lib")) site = entry.path() / "site-packages";
  const auto name = fs::relative(site, fs::path(environment).parent_path()).string();
  const auto install = [&](const std::string& package, const std::string& version) {
    folder.file(name + "/" + package + "-" + version + ".dist-info/METADATA",
                "Metadata-Version: 2.1\nName: " + package + "\nVersion: " + version + "\n");
  };
  install("Six", "1.16.0");
  install("pip", "23.0");
  install("setuptools", "66.1");
  install("mine", "0.1");
  install("odd", "of-2004");
  folder.file(name + "/mine-0.1.dist-info/direct_url.json", "{}");
  for (const auto& text : {environment, environment + "/bin/python"}) {
    const auto end = read_end(text, {});
    CHECK(end.packages == Packages{{"six", "1.16.0"}});
    CHECK(end.skipped == std::vector<std::string>{"mine (not from an index)", "odd (its version \"of-2004\" is none)"});
    CHECK(end.python.starts_with("3."));
  }
  CHECK_THAT(test::error_of([&] { read_end(folder / "", {}); }), Contains("a directory without bin/python"));
}

TEST_CASE("end: a stack of the store, by how its id begins") {
  const test::Directory place;
  const auto file = place / "results.db";
  auto document = test::inspection(1);
  document.stack.components = {{"cpu", "here"}, {"driver", "535"}, {"image", "bookworm"}, {"mylib", "1.0"}, {"numpy", "1.26.4"},
                               {"python", "3.11"}, {"threads", "4"}};
  document.artifacts = {{"numpy-1.26.4-cp311-cp311-manylinux_2_17_x86_64.whl", a64}};
  specs::seal(document);
  {
    auto store = store::Store::open(file);
    store.ingest(document);
  }
  EndContext context;
  context.store = file;
  const auto id = document.stack.id();
  const auto end = read_end(id.substr(0, 12), context);
  CHECK(end.python == "3.11");
  CHECK(end.packages == Packages{{"numpy", "1.26.4"}});
  CHECK(end.others == Packages{{"image", "bookworm"}, {"mylib", "1.0"}, {"threads", "4"}});
  REQUIRE(end.stack);
  CHECK(end.stack->id() == id);

  specs::Catalog catalog;
  for (const auto& [name, kind] : {std::pair("mylib", specs::Kind::package), {"threads", specs::Kind::setting}}) {
    catalog.components[name].name = name;
    catalog.components[name].kind = kind;
    catalog.components[name].ecosystem = "pypi";
  }
  context.catalog = &catalog;
  CHECK(read_end(id, context).packages == Packages{{"mylib", "1.0"}, {"numpy", "1.26.4"}});

  const auto absent = id[0] == '0' ? "111111111111" : "000000000000";
  CHECK_THAT(test::error_of([&] { read_end(absent, context); }), Contains("no stack of") && Contains(absent));
  context.store.clear();
  CHECK_THAT(test::error_of([&] { read_end(id, context); }), Contains("no store to look it up in"));
}

TEST_CASE("end: what is nothing of all that is told what would be") {
  for (const char* text : {"requirments.txt", "numpy", "abc", "4f1c", "stack:4f1c09a2"})
    CHECK_THAT(test::error_of([&] { read_end(text, {}); }),
               Contains(text) && Contains("expected a lock") && Contains("an environment") && Contains("id of a stack"));
}

}  // namespace blame_end_tests
