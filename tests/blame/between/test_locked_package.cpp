// What an index knows of two ends, without a network.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "blame/between/packages.hpp"
#include "resolver/resolver.hpp"
#include "tests/blame/between/groups_in_words.hpp"
#include "tests/pypi/index/fake_index.hpp"

namespace locked_package_tests {

using namespace stackx;
using namespace stackx::blame;
using test::message;
using Catch::Matchers::Contains;
using specs::Json;

namespace {

std::string digest(char digit) { return std::string(64, digit); }

End end_of(const std::string& text, std::map<std::string, std::string> packages, const std::string& python = "3.11") {
  End end;
  end.text = text;
  end.python = python;
  end.packages = std::move(packages);
  return end;
}

// FakeIndex states no hash, and what has none is never locked.
class HashedIndex {
 public:
  explicit HashedIndex(const std::string& host = "h") : host_("https://" + host) {}

  void file(const std::string& project, const std::string& name, const std::string& metadata, char digit, Json members = Json::object()) {
    members["filename"] = name;
    members["url"] = host_ + "/f/" + name;
    members["hashes"] = {{"sha256", digest(digit)}};
    members["core-metadata"] = true;
    listings_[project].push_back(members);
    if (!metadata.empty()) fake_.transport.bodies[host_ + "/f/" + name + ".metadata"] = "Metadata-Version: 2.1\n" + metadata;
    fake_.transport.bodies[host_ + "/simple/" + project + "/"] = Json{{"files", listings_[project]}}.dump();
  }
  pypi::Index index(bool offline = false) { return pypi::Index({host_ + "/simple", offline}, fake_.cache(), fake_.transport, nullptr); }
  pypi::Index index_beside(const HashedIndex& extra) {
    fake_.transport.bodies.insert(extra.fake_.transport.bodies.begin(), extra.fake_.transport.bodies.end());
    return pypi::Index({.url = host_ + "/simple", .extra_urls = {extra.host_ + "/simple"}}, fake_.cache(), fake_.transport, nullptr);
  }
  std::vector<std::string>& asked() { return fake_.transport.asked; }

 private:
  tests::FakeIndex fake_;
  std::map<std::string, std::vector<Json>> listings_;
  std::string host_;
};

std::vector<std::string> files(const Between& all, const std::string& name, const std::string& version) {
  std::vector<std::string> result;
  for (const auto& artifact : all.catalog.find(name)->find(version)->artifacts) result.push_back(artifact.file);
  return result;
}

}  // namespace

TEST_CASE("locked packages: files and requirements from the index, of the versions that are named and no others") {
  HashedIndex index;
  index.file("torch", "torch-2.3.1-cp311-cp311-manylinux1_x86_64.whl", "Requires-Dist: triton==2.3.1; platform_system == 'Linux'\n", '1');
  index.file("torch", "torch-2.4.0-cp311-cp311-manylinux1_x86_64.whl", "Requires-Dist: triton==3.0.0\nRequires-Dist: other\n", '2',
             {{"yanked", "broken"}});
  index.file("torch", "torch-2.4.0-cp312-cp312-manylinux1_x86_64.whl", "Requires-Dist: never\n", '3');
  index.file("torch", "torch-2.5.0-cp311-cp311-manylinux1_x86_64.whl", "Requires-Dist: never\n", '4');
  index.file("triton", "triton-2.3.1-py3-none-any.whl", "", '5');
  index.file("triton", "triton-3.0.0-py3-none-any.whl", "Requires-Dist: torch>=3; extra == 'x'\n", '6');
  index.file("triton", "triton-3.0.0.tar.gz", "", '7');
  const auto old_end = end_of("OLD", {{"torch", "2.3.1"}, {"triton", "2.3.1"}});
  auto new_end = end_of("NEW", {{"torch", "2.4.0"}, {"triton", "3.0.0"}});
  new_end.hashes["torch"] = {digest('2'), digest('3')};

  auto online = index.index();
  const auto found = between_packages(old_end, new_end, online);
  REQUIRE(found.groups.size() == 1);
  CHECK(found.valid_stacks == "2");
  CHECK(found.groups[0].because == std::vector<std::string>{"torch 2.3.1 requires triton ==2.3.1", "torch 2.4.0 requires triton ==3.0.0"});
  CHECK(files(found, "torch", "2.4.0") == std::vector<std::string>{"torch-2.4.0-cp311-cp311-manylinux1_x86_64.whl"});
  CHECK(files(found, "triton", "3.0.0") == std::vector<std::string>{"triton-3.0.0-py3-none-any.whl", "triton-3.0.0.tar.gz"});
  CHECK(found.catalog.find("torch")->find("2.4.0")->artifacts[0].sha256 == digest('2'));
  CHECK(found.catalog.find("torch")->ecosystem == "pypi");
  REQUIRE(found.notes.size() == 2);
  CHECK_THAT(found.notes[0], Contains("triton 2.3.1: nobody knows what it requires"));
  CHECK(found.notes[1] == "required and at neither end: other");
  for (const auto& url : index.asked()) CHECK(url.find("other") == url.npos);

  index.asked().clear();
  auto offline = index.index(true);
  CHECK(between_packages(old_end, new_end, offline).valid_stacks == "2");
  CHECK(index.asked().empty());
}

TEST_CASE("locked packages: another Python's wheels, Requires-Python, and what was built from source") {
  HashedIndex index;
  index.file("numpy", "numpy-1.21.0-cp39-cp39-manylinux1_x86_64.whl", "Requires-Python: >=3.7\n", '1');
  index.file("numpy", "numpy-1.21.0.zip", "Requires-Python: >=3.7\n", '2');
  index.file("numpy", "numpy-2.1.0-cp311-cp311-manylinux1_x86_64.whl", "Requires-Python: >=3.10\n", '3');
  index.file("pure", "pure-1-py3-none-any.whl", "Requires-Python: <3.11\n", '4');
  index.file("pure", "pure-2-py3-none-any.whl", "Requires-Dist: numpy>=2\n", '5');
  index.file("built", "built-1.tar.gz", "Metadata-Version: 2.2\n", '6');
  index.file("built", "built-2-py3-none-any.whl", "Name: built\n", '7');
  auto asked = index.index();
  const auto found = between_packages(end_of("OLD", {{"numpy", "1.21.0"}, {"pure", "1"}, {"built", "1"}}, "3.9"),
                                      end_of("NEW", {{"numpy", "2.1.0"}, {"pure", "2"}, {"built", "2"}}, "3.11"), asked);
  std::map<std::string, std::size_t> group_of;
  for (std::size_t g = 0; g < found.groups.size(); ++g)
    for (const auto i : found.groups[g].changes) group_of[found.changes[i].component] = g;
  CHECK(group_of.at("numpy") == group_of.at("python"));  // each has wheels for its own alone
  const auto& because = found.groups[group_of.at("numpy")].because;
  CHECK(std::ranges::find(because, "numpy 1.21.0 has no wheel for Python 3.11") != because.end());
  CHECK(group_of.at("pure") == group_of.at("numpy"));  // 1: not on 3.11; 2: needs numpy 2
  CHECK(group_of.at("built") != group_of.at("numpy"));
  CHECK(found.valid_stacks == "4");
}

TEST_CASE("locked packages: one version in two spellings is one, with the files of both locks") {
  HashedIndex index;
  index.file("a", "a-1.0-cp39-cp39-manylinux1_x86_64.whl", "Name: a\n", '1');
  index.file("a", "a-1.0-cp311-cp311-manylinux1_x86_64.whl", "Name: a\n", '2');
  auto old_end = end_of("OLD", {{"a", "1.0"}}, "3.9"), new_end = end_of("NEW", {{"a", "1.0.0"}}, "3.11");
  old_end.hashes["a"] = {digest('1')};
  new_end.hashes["a"] = {digest('2')};
  auto asked = index.index();
  const auto found = between_packages(old_end, new_end, asked);
  REQUIRE(found.changes.size() == 1);
  CHECK(found.changes[0].component == "python");
  CHECK(files(found, "a", "1.0").size() == 2);
  CHECK(found.notes.empty());
}

TEST_CASE("locked packages: a build that the index does not have comes from an extra one") {
  HashedIndex usual, builds("builds");
  usual.file("torch", "torch-2.4.0-py3-none-any.whl", "Requires-Dist: numpy<2\n", '1');
  usual.file("numpy", "numpy-1.26-py3-none-any.whl", "Name: numpy\n", '2');
  usual.file("numpy", "numpy-2.0-py3-none-any.whl", "Name: numpy\n", '3');
  builds.file("torch", "torch-2.4.0+cu121-py3-none-any.whl", "Name: torch\n", '5');
  auto both = usual.index_beside(builds);
  const auto found = between_packages(end_of("OLD", {{"torch", "2.4.0"}, {"numpy", "1.26"}}),
                                      end_of("NEW", {{"torch", "2.4.0+cu121"}, {"numpy", "2.0"}}), both);
  CHECK(found.valid_stacks == "3");
  CHECK(found.notes.empty());
  CHECK(found.catalog.find("torch")->find("2.4.0")->artifacts.size() == 1);
  CHECK(found.catalog.find("torch")->find("2.4.0+cu121")->artifacts.at(0).sha256 == digest('5'));
}

TEST_CASE("locked packages: of a lock for all platforms, what only others need is left out") {
  HashedIndex index;
  for (const char* version : {"1", "2"}) {
    index.file("click", "click-" + std::string(version) + "-py3-none-any.whl",
               "Requires-Dist: colorama; sys_platform == 'win32'\nRequires-Dist: tomli; python_version < '3.11'\n"
               "Requires-Dist: rich; extra == 'pretty'\n", version[0]);
    index.file("colorama", "colorama-" + std::string(version) + "-py3-none-any.whl", "Requires-Dist: part\n", version[0]);
  }
  index.file("part", "part-1-py3-none-any.whl", "Name: part\n", '3');
  index.file("tomli", "tomli-1-py3-none-any.whl", "Name: tomli\n", '4');
  index.file("rich", "rich-1-py3-none-any.whl", "Name: rich\n", '5');
  index.file("pywin32", "pywin32-1-cp311-cp311-win_amd64.whl", "", '6');
  auto old_end = end_of("uv.lock", {{"click", "1"}, {"colorama", "1"}, {"part", "1"}, {"pywin32", "1"}, {"rich", "1"}, {"tomli", "1"}});
  auto new_end = end_of("NEW", {{"click", "2"}, {"rich", "1"}});
  const auto between = [&] {
    auto asked = index.index();
    return between_packages(old_end, new_end, asked);
  };
  CHECK_THAT(message(between), Contains("pywin32 1: the index has no wheel"));
  old_end.is_for_all_platforms = true;
  const auto found = between();
  CHECK(found.changes.size() == 1);  // click
  CHECK(found.notes == std::vector<std::string>{"uv.lock: left out, because nothing requires it on CPython 3.11 on Linux x86_64: "
                                                "colorama, part, pywin32, tomli"});
  CHECK(found.catalog.find("rich"));

  index.file("needs", "needs-1-py3-none-any.whl", "Requires-Dist: pywin32\n", '7');
  old_end.packages["needs"] = "1";
  CHECK_THAT(message(between), Contains("uv.lock: the package index does not have") && Contains("pywin32 1: the index has no wheel"));
}

TEST_CASE("locked packages: an extra of which all is there was asked for, whatever the lock forgot") {
  HashedIndex index;
  for (const char* version : {"1", "2"}) {
    const std::string cuda = version[0] == '1' ? "cudnn8" : "cudnn9";
    index.file("tf", "tf-" + std::string(version) + "-py3-none-any.whl",
               "Requires-Dist: " + cuda + "; extra == 'and-cuda'\nRequires-Dist: six; extra == 'and-cuda'\n"
               "Requires-Dist: tf[and-cuda]; extra == 'all'\nRequires-Dist: pytest; extra == 'test'\nRequires-Dist: rich; extra == 'test'\n"
               "Requires-Dist: pytest>=9; extra == 'new-test'\n", version[0]);
    index.file(cuda, cuda + "-1-py3-none-any.whl", "Name: cudnn\n", '3');
  }
  index.file("six", "six-1-py3-none-any.whl", "Name: six\n", '4');
  index.file("pytest", "pytest-8-py3-none-any.whl", "Name: pytest\n", '5');
  auto asked = index.index();
  const auto found = between_packages(end_of("OLD", {{"tf", "1"}, {"cudnn8", "1"}, {"six", "1"}}),
                                      end_of("NEW", {{"tf", "2"}, {"cudnn9", "1"}, {"six", "1"}, {"pytest", "8"}}), asked);
  REQUIRE(found.groups.size() == 2);
  CHECK(found.groups[0].changes.size() == 1);  // pytest, for nobody: rich is not there, and 8 is not 9
  CHECK(found.groups[1].changes.size() == 3);
  CHECK(found.notes == std::vector<std::string>{
                           "OLD: tf[and-cuda] is taken to be asked for: all that it adds is there, and nothing else requires cudnn8",
                           "NEW: tf[and-cuda] is taken to be asked for: all that it adds is there, and nothing else requires cudnn9"});
  CHECK(found.groups[1].because[0] == "tf[and-cuda] 1 requires cudnn8");
}

TEST_CASE("locked packages: what the index does not have is one error with the first five") {
  HashedIndex index;
  index.file("a", "a-1-py3-none-any.whl", "", '1');
  index.file("b", "b-1-cp39-cp39-win_amd64.whl", "", '2');
  auto old_end = end_of("OLD", {{"a", "1"}, {"b", "1"}, {"c", "1"}, {"d", "1"}, {"e", "1"}, {"f", "1"}, {"g", "1"}});
  old_end.hashes["a"] = {digest('9')};
  const auto said = message([&] {
    auto asked = index.index();
    between_packages(old_end, end_of("NEW", {{"b", "1"}}), asked);
  });
  CHECK_THAT(said, Contains("OLD and NEW: ") &&
                       Contains("a 1: none of the 1 files that the package index lists has one of the 1 hashes") &&
                       Contains("b 1: the index has no wheel for CPython 3.11") &&
                       Contains("e 1: the package index lists no file of this version") && Contains("; and 2 more; ") &&
                       Contains("--index-url"));
  CHECK(said.find("f 1") == said.npos);
}

TEST_CASE("locked packages: what is for other Pythons says for which, and for which there is all") {
  HashedIndex index;
  for (const char* tags : {"cp36-cp36m", "cp37-cp37m", "cp38-cp38"}) index.file("tf", fmt::format("tf-1-{}-manylinux2010_x86_64.whl", tags), "", '1');
  for (const char* tags : {"cp37-cp37m", "cp38-cp38", "cp39-cp39", "cp310-cp310"})
    index.file("tf", fmt::format("tf-2-{}-manylinux2010_x86_64.whl", tags), "", '2');
  const auto between = [&] {
    auto asked = index.index();
    between_packages(end_of("OLD", {{"tf", "1"}}), end_of("NEW", {{"tf", "2"}}), asked);
  };
  CHECK_THAT(message(between), Contains("tf 1 is for Python 3.6 to 3.8") && Contains("tf 2 is for Python 3.7 to 3.10") && Contains("--python 3.8"));
}

}  // namespace locked_package_tests
