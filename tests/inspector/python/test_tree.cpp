#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "inspector/cache/file_lock.hpp"
#include "inspector/python/tree.hpp"
#include "specs/error.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx;
using namespace stackx::inspector;
using namespace stackx::inspector::testing;

namespace fs = std::filesystem;

namespace {

using Files = std::map<std::string, std::string>;

// An installed wheel as WheelStore gives it, its files written.
Wheel wheel(const TempDirectory& root, const std::string& key, const Files& files) {
  Wheel result;
  result.directory = root / "wheels" / key;
  for (const auto& [path, text] : files) {
    testing::write(result.directory / path, text);
    result.files.push_back({path, text.size()});
  }
  return result;
}

ino_t inode(const fs::path& file) {
  struct stat status {};
  stat(file.c_str(), &status);
  return status.st_ino;
}

}  // namespace

TEST_CASE("trees share the bytes of their wheels", "[environment_tree]") {
  const TempDirectory root;
  const auto numpy = wheel(root, "n", {{"numpy/__init__.py", "numpy"}, {"numpy/core/c.so", "code"}});
  const auto one = wheel(root, "a", {{"tool.py", "one"}}), two = wheel(root, "b", {{"tool.py", "two!"}});
  EnvironmentTrees trees(root / "environments");
  const auto first = trees.get({numpy, one}, {}), second = trees.get({numpy, two}, {});
  REQUIRE((first && second));
  CHECK(*first != *second);
  CHECK(inode(*first / "numpy/core/c.so") == inode(numpy.directory / "numpy/core/c.so"));
  CHECK(inode(*second / "numpy/core/c.so") == inode(numpy.directory / "numpy/core/c.so"));
  CHECK(read(*first / "tool.py") == "one");
  CHECK(read(*second / "tool.py") == "two!");
  CHECK(first->is_absolute());
}

TEST_CASE("a tree is made once", "[environment_tree]") {
  const TempDirectory root;
  const auto wheels = std::vector{wheel(root, "a", {{"a/b/c.py", "x"}})};
  EnvironmentTrees trees(root / "environments");
  const auto first = trees.get(wheels, {});
  const auto directory = inode(*first);
  CHECK(*trees.get(wheels, {}) == *first);
  CHECK(*EnvironmentTrees(root / "environments").get(wheels, {}) == *first);
  CHECK(inode(*first) == directory);
  CHECK(names_in(root / "environments").size() == 2);  // the tree and its lock
}

TEST_CASE("the later wheel's file wins, and its wheel is not changed by that", "[environment_tree]") {
  const TempDirectory root;
  const auto a = wheel(root, "a", {{"shared.py", "from a"}, {"a.py", "a"}});
  const auto b = wheel(root, "b", {{"shared.py", "b"}});
  EnvironmentTrees trees(root / "environments");
  const auto tree = trees.get({a, b}, {});
  REQUIRE(tree);
  CHECK(read(*tree / "shared.py") == "b");
  CHECK(read(*tree / "a.py") == "a");
  CHECK(read(a.directory / "shared.py") == "from a");
  const auto before = inode(*tree);
  CHECK(inode(*trees.get({a, b}, {})) == before);  // a whole one, though a's file is not there
  CHECK(read(*trees.get({b, a}, {}) / "shared.py") == "from a");
}

TEST_CASE("a tree that is not whole is made again", "[environment_tree]") {
  const TempDirectory root;
  const auto wheels = std::vector{wheel(root, "a", {{"a/b.py", "text"}, {"c.py", "more"}})};
  EnvironmentTrees trees(root / "environments");
  const auto tree = *trees.get(wheels, {});
  SECTION("a file lacks") { fs::remove(tree / "a/b.py"); }
  SECTION("a directory lacks") { fs::remove_all(tree / "a"); }
  SECTION("a file is another one") {
    fs::remove(tree / "c.py");  // not through the link
    testing::write(tree / "c.py", "longer than before");
  }
  SECTION("no manifest") { fs::remove(tree / ".stackx-environment.json"); }
  SECTION("a file is of no wheel") { testing::write(tree / "c/__init__.py", "before c.py"); }
  SECTION("a link is of no wheel") { fs::create_directory_symlink(tree / "a", tree / "d"); }
  REQUIRE(trees.get(wheels, {}));
  CHECK_FALSE(fs::exists(tree / "c"));
  CHECK_FALSE(fs::exists(tree / "d"));
  CHECK(read(tree / "a/b.py") == "text");
  CHECK(read(tree / "c.py") == "more");
  CHECK(fs::exists(tree / ".stackx-environment.json"));
}

TEST_CASE("a failure leaves no tree, and the next attempt makes it", "[environment_tree]") {
  const TempDirectory root;
  const auto a = wheel(root, "a", {{"a.py", "a"}, {"z.py", "z"}});
  fs::remove(a.directory / "z.py");  // its wheel is damaged
  EnvironmentTrees trees(root / "environments");
  CHECK_THROWS_AS(trees.get({a}, {}), Error);
  for (const auto& name : names_in(root / "environments")) CHECK(name.ends_with(".lock"));
  testing::write(a.directory / "z.py", "z");
  const auto tree = trees.get({a}, {});
  REQUIRE(tree);
  CHECK(read(*tree / "z.py") == "z");
}

TEST_CASE("what a dead builder left is cleared away", "[environment_tree]") {
  const TempDirectory root;
  const auto a = wheel(root, "a", {{"a.py", "a"}});
  EnvironmentTrees trees(root / "environments");
  const auto tree = *trees.get({a}, {});
  const auto stale = fs::path(tree).concat(".partial-1");
  testing::write(stale / "a.py", "half");
  fs::remove_all(tree);
  REQUIRE(trees.get({a}, {}));
  CHECK_FALSE(fs::exists(stale));
  CHECK(read(tree / "a.py") == "a");
}

TEST_CASE("processes that want one tree at once get one", "[environment_tree]") {
  const TempDirectory root;
  Files files;
  for (int i = 0; i < 2000; ++i) files[std::to_string(i % 7) + "/" + std::to_string(i)] = "x";
  const auto wheels = std::vector{wheel(root, "a", files)};
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    const auto tree = EnvironmentTrees(root / "environments").get(wheels, {});
    bool whole = tree.has_value();
    for (const auto& [path, text] : files) whole = whole && read(*tree / path) == text;
    _exit(whole ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  CHECK(names_in(root / "environments").size() == 2);
}

TEST_CASE("waiting for another builder of the tree can be interrupted", "[environment_tree]") {
  const TempDirectory root;
  const auto a = wheel(root, "a", {{"a.py", "a"}});
  EnvironmentTrees trees(root / "environments");
  const auto tree = *trees.get({a}, {});
  const FileLock lock(fs::path(tree).concat(".lock"), {});
  const auto refused = trees.get({a}, {}, [] { return true; });
  REQUIRE_FALSE(refused);
  CHECK(refused.error().reason == "interrupted");
}
