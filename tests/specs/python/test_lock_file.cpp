#include <catch2/catch.hpp>

#include "specs/python/lock_file.hpp"
#include "tests/specs/files.hpp"
#include "tests/specs/message_of.hpp"

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

using Versions = std::map<std::string, std::string>;

Lock load(const std::string& name, const std::string& text, const std::string& python = "") {
  const Files files;
  return load_lock(files.write(name, text), python);
}
std::string refusal(const std::string& name, const std::string& text,
                    const std::string& python = "3.7") {
  return message_of([&] { load(name, text, python); });
}

std::string pipfile_lock(const std::string& packages) {
  return R"({"_meta": {"hash": {"sha256": "00"}, "pipfile-spec": 6, "requires": {"python_version": "3.7"}, "sources": []},
             "default": {)" +
         packages + R"(}, "develop": {"pytest": {"version": "==5"}}})";
}
std::string pylock(const std::string& rest) {
  return "lock-version = \"1.0\"\ncreated-by = \"hand\"\n" + rest;
}

}  // namespace

TEST_CASE("Pipfile.lock: the default packages whose markers hold") {
  const Lock lock = load("Pipfile.lock", pipfile_lock(R"(
    "Flask": {"hashes": ["sha256:00ff"], "index": "pypi", "version": "==1.1.1"},
    "requests": {"extras": ["security"], "version": "===2.22"},
    "old": {"version": "==1", "markers": "python_version < '3'"},
    "new": {"version": "==2", "markers": "python_version >= '3.7' and sys_platform == 'linux'"})"));
  CHECK(lock.python == "3.7");
  CHECK(lock.components ==
        Versions{
            {"flask", "1.1.1"}, {"requests", "2.22"}, {"requests+security", "2.22"}, {"new", "2"}});
  CHECK_THAT(lock.where.at("flask"), EndsWith("Pipfile.lock: /default/Flask"));
  CHECK(load("Pipfile.lock",
             pipfile_lock(R"("new": {"version": "==2", "markers": "python_version >= '3.7'"})"),
             "3.6")
            .components.empty());
}

TEST_CASE("the SHA-256 of the files are kept, of packages that are wanted") {
  using Hashes = std::map<std::string, std::vector<std::string>>;
  CHECK(load("Pipfile.lock", pipfile_lock(R"(
    "a": {"version": "==1", "hashes": ["sha256:00FF", "md5:11", "sha256:00ff", "sha256:22"]},
    "old": {"version": "==1", "hashes": ["sha256:33"], "markers": "python_version < '3'"},
    "bare": {"version": "==2"})"))
            .hashes == Hashes{{"a", {"00ff", "22"}}});
  CHECK(load("pylock.toml", pylock(R"([[packages]]
name = "a"
version = "1"
sdist = {url = "x", hashes = {sha256 = "aa"}}
wheels = [{url = "y", hashes = {sha256 = "BB", md5 = "cc"}}]
)"))
            .hashes == Hashes{{"a", {"aa", "bb"}}});
}

TEST_CASE("Pipfile.lock: errors say where and what was expected") {
  const auto refused = [](const std::string& packages) {
    return refusal("Pipfile.lock", pipfile_lock(packages));
  };
  CHECK_THAT(refused(R"("a": {"version": ">=1"})"),
             Contains("/default/a/version: \">=1\" is no exact version"));
  CHECK_THAT(refused(R"("a": {"version": "==1.*"})"), Contains("no exact version"));
  CHECK_THAT(refused(R"("a": {"version": "==1,<2"})"), Contains("no exact version"));
  CHECK_THAT(refused(R"("a": {"git": "https://x", "ref": "1"})"),
             Contains("/default/a: has no version"));
  CHECK_THAT(refused(R"("a": {"version": "==1", "hashes": ["sha256"]})"),
             Contains("/default/a/hashes/0: expected a hash"));
  CHECK_THAT(refused(R"("a": {"version": "==1", "markers": "x"})"), Contains("/default/a/markers"));
  CHECK_THAT(refused(R"("a.b": {"version": "==1"}, "a-b": {"version": "==2"})"),
             Contains("keep one"));
  CHECK_THAT(refused(R"("a b": {"version": "==1"})"), Contains("not the name of a package"));
  CHECK_THAT(refusal("Pipfile.lock", "{}"), Contains("\"default\" is missing"));
  CHECK_THAT(refusal("Pipfile.lock",
                     R"({"default": {"a": {"version": "==1", "markers": "os_name == 'a'"}}})", ""),
             Contains("depends on the Python"));
}

TEST_CASE("pylock.toml: the packages whose markers hold") {
  const std::string text = pylock(R"(requires-python = ">=3.6"
environments = ["sys_platform == 'linux'", "sys_platform == 'win32'"]
extras = ["gpu"]
dependency-groups = ["dev", "web"]
default-groups = ["web"]
[[packages]]
name = "Flask"
version = "1.1.1"
marker = "'web' in dependency_groups"
[[packages.wheels]]
name = "Flask-1.1.1-py2.py3-none-any.whl"
hashes = {sha256 = "00ff"}
[[packages]]
name = "torch"
version = "2.0"
marker = "'gpu' in extras"
[[packages]]
name = "numpy"
version = "1.17"
marker = "python_version < '3.8'"
[[packages]]
name = "numpy"
version = "1.26"
marker = "python_version >= '3.8'"
[[packages]]
name = "own"
marker = "os_name == 'nt'"
[packages.directory]
path = "."
)");
  const Lock lock = load("pylock.toml", text, "3.7");
  CHECK(lock.components == Versions{{"flask", "1.1.1"}, {"numpy", "1.17"}});
  CHECK_THAT(lock.where.at("numpy"), EndsWith("pylock.toml:19:1"));
  CHECK(load("pylock.web.toml", text, "3.11").components.at("numpy") == "1.26");
  CHECK_THAT(refusal("pylock.toml", text, "3.5"),
             Contains("pylock.toml:3:19: the lock is for Python \">=3.6\", not 3.5"));
  CHECK_THAT(refusal("pylock.toml", text, ""), Contains("depends on the Python"));
  CHECK(load("pylock.toml", pylock("")).components.empty());
}

TEST_CASE("pylock.toml: errors say where and what was expected") {
  const auto refused = [](const std::string& rest) { return refusal("pylock.toml", pylock(rest)); };
  CHECK_THAT(refusal("pylock.toml", "lock-version = '2.0'"),
             Contains("expected \"1.0\" (PEP 751), found \"2.0\""));
  CHECK_THAT(refusal("pylock.toml", ""), Contains("\"lock-version\" is missing"));
  CHECK_THAT(refused("[[packages]]\nversion = '1'"), Contains("\"name\" is missing"));
  CHECK_THAT(refused("[[packages]]\nname = 'a'"), Contains("pylock.toml:3:1: has no version"));
  CHECK_THAT(refused("[[packages]]\nname = 'a'\nversion = 'x'"),
             Contains("pylock.toml:5:11: \"x\": column 1"));
  CHECK_THAT(
      refused("[[packages]]\nname = 'a'\nversion = '1'\n[[packages]]\nname = 'A'\nversion = '2'"),
      Contains("a is locked to \"2\", but to \"1\" at"));
  CHECK_THAT(
      refused("[[packages]]\nname = 'a'\nversion = '1'\nsdist = {hashes = {sha256 = 'xyz'}}"),
      Contains("expected hexadecimal digits"));
  CHECK_THAT(refused("environments = [\"sys_platform == 'win32'\"]"),
             Contains("for other environments"));
}

TEST_CASE("a requirements.txt with every version pinned is a lock") {
  const Lock lock =
      load("requirements.txt", "Flask==1.1.1\nrequests[security]===2.22\nold==1; os_name == 'nt'\n",
           "3.7");
  CHECK(lock.components ==
        Versions{{"flask", "1.1.1"}, {"requests", "2.22"}, {"requests+security", "2.22"}});
  CHECK_THAT(lock.where.at("flask"), EndsWith("requirements.txt:1"));
  CHECK_THAT(
      refusal("requirements.txt", "a==1\nb>=2"),
      Contains("requirements.txt:2: \"b>=2\" is not pinned to one version; a lock says b==VERSION"));
  CHECK_THAT(refusal("requirements.txt", "a==1.*"), Contains("is not pinned"));
  CHECK_THAT(refusal("requirements.txt", "a"), Contains("is not pinned"));
}

TEST_CASE("locks of other tools say how to export them") {
  CHECK(is_lock_file("x/pylock.dev.toml"));
  CHECK(is_lock_file("Pipfile.lock"));
  CHECK_FALSE(is_lock_file("requirements.txt"));
  CHECK_FALSE(is_lock_file("Pipfile"));
  CHECK_THAT(refusal("poetry.lock", ""), Contains("poetry export"));
  CHECK_THAT(refusal("a.json", ""),
             Contains("expected Pipfile.lock, pylock.toml or a requirements.txt"));
}
