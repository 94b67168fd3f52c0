#include <atomic>
#include <catch2/catch.hpp>
#include <mutex>
#include <stdexcept>

#include "inspector/python/file_list.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx::inspector;
using namespace stackx::inspector::testing;

namespace fs = std::filesystem;

TEST_CASE("a tree holds what is listed, all of it, and nothing else", "[file_list]") {
  const TempDirectory root;
  const std::vector<std::string> paths{"a.py", "a/b.py", "a/b/c.so", "a-b/d"};
  FileList list;
  for (const auto& path : paths) {
    testing::write(root / path, path);
    CHECK(list.add(path, path.size()));
  }
  list.allow("own");
  const std::string again = "a/b.py";
  CHECK_FALSE(list.add(again, 1));  // the first counts
  REQUIRE((list.lies_in(root.path()) && list.is_all_in(root.path())));
  SECTION("a file lacks") {
    fs::remove(root / "a/b/c.so");
    CHECK_FALSE(list.lies_in(root.path()));
  }
  SECTION("a file has another size") {
    testing::write(root / "a-b/d", "other");
    testing::write(root / "a-b/d", "another size");
    CHECK_FALSE(list.lies_in(root.path()));
  }
  SECTION("a directory is a link to one") {
    fs::rename(root / "a-b", root / "elsewhere");
    fs::create_directory_symlink("elsewhere", root / "a-b");
    CHECK_FALSE(list.lies_in(root.path()));
    CHECK_FALSE(list.is_all_in(root.path()));
  }
  SECTION("a file more, deep in directories that hold nothing listed") {
    testing::write(root / "x/y/z", "");
    CHECK(list.lies_in(root.path()));
    CHECK_FALSE(list.is_all_in(root.path()));
  }
  SECTION("a link more") {
    fs::create_symlink("b.py", root / "a/e.py");
    CHECK_FALSE(list.is_all_in(root.path()));
  }
  SECTION("directories and what is allowed are no files more") {
    fs::create_directories(root / "x/y");
    testing::write(root / "own", "of any size");
    CHECK(list.is_all_in(root.path()));
    testing::write(root / "x/own", "not below");
    CHECK_FALSE(list.is_all_in(root.path()));
  }
}

TEST_CASE("each directory is worked on once, after those above it, and an error ends it", "[file_list]") {
  std::vector<std::string> paths;
  for (int i = 0; i < 2000; ++i) paths.push_back("d" + std::to_string(i % 100) + "/e" + std::to_string(i % 500) + "/f" + std::to_string(i));
  for (int i = 0; i < 100; ++i) paths.push_back("d" + std::to_string(i) + "/f");
  FileList list;
  for (const auto& path : paths) list.add(path, 0);
  std::mutex lock;
  std::map<std::string, std::size_t> files;
  list.for_each_directory([&](const FileList::Directory& directory) {
    const std::lock_guard guard(lock);
    const auto slash = directory.first.find('/');
    if (slash != std::string::npos) CHECK(files.contains(directory.first.substr(0, slash)));
    CHECK(files.emplace(directory.first, directory.second.size()).second);
  });
  CHECK(files.size() == 600);
  std::size_t together = 0;
  for (const auto& [path, count] : files) together += count;
  CHECK(together == paths.size());
  std::atomic<int> calls = 0;
  CHECK_THROWS_AS(list.for_each_directory([&](const FileList::Directory&) {
    ++calls;
    throw std::runtime_error("full");
  }), std::runtime_error);
  CHECK(calls < 100);  // of the first level's
}
