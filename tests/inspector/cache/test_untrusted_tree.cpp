// What foreign code may leave for who looks at it from outside of the sandbox.
#include "inspector/cache/untrusted_tree.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/inspector/support.hpp"

namespace untrusted_tree_tests {

using namespace stackx::inspector;
using namespace stackx::inspector::testing;

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t plenty = 1 << 20;

std::string why_not(const fs::path& root, std::uint64_t most_bytes = plenty) {
  const auto tree = UntrustedTree::read(root, most_bytes);
  return tree ? "" : tree.error();
}

// So many directories in each other: no path reaches that far.
void make_deep(const fs::path& root, int count) {
  int at = open(root.c_str(), O_RDONLY | O_DIRECTORY);
  for (int i = 0; i < count; ++i) {
    REQUIRE(mkdirat(at, "d", 0700) == 0);
    const int below = openat(at, "d", O_RDONLY | O_DIRECTORY);
    close(at);
    at = below;
  }
  close(openat(at, "file", O_CREAT | O_WRONLY, 0600));
  close(at);
}

}  // namespace

TEST_CASE("files and directories of a foreign tree are taken, and copied", "[untrusted_tree]") {
  const TempDirectory root;
  write(root / "tree/b/c.txt", "text");
  write(root / "tree/a", "more");
  const auto tree = UntrustedTree::read(root / "tree", plenty);
  REQUIRE(tree);
  CHECK(tree->files() == std::vector<std::string>{"a", "b/c.txt"});
  REQUIRE(tree->copy("b/c.txt", root / "copy"));
  CHECK(read(root / "copy") == "text");
  CHECK_THROWS_AS(tree->copy("a", root / "copy"), fs::filesystem_error);  // there already
  CHECK_THROWS_AS(tree->copy("a", "/dev/full/x"), fs::filesystem_error);
}

TEST_CASE("links, pipes, sockets and devices in a foreign tree are refused", "[untrusted_tree]") {
  const TempDirectory root;
  write(root / "mine", "private");
  write(root / "tree/b/file", "text");
  const auto trap = root / "tree/b/trap";
  const auto refused = [&](const std::string& what) {
    CHECK_THAT(why_not(root / "tree"), Catch::Contains("it left " + what + " at " + trap.string()));
    fs::remove(trap);
    CHECK(why_not(root / "tree").empty());
  };
  fs::create_symlink(root / "mine", trap);
  refused("a symbolic link");
  fs::create_directory_symlink(root.path(), trap);
  refused("a symbolic link");
  fs::create_hard_link(root / "mine", trap);
  refused("a hard link to another file");
  REQUIRE(mkfifo(trap.c_str(), 0600) == 0);
  refused("a FIFO");
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(trap.string().copy(address.sun_path, sizeof address.sun_path - 1) == trap.string().size());
  REQUIRE(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  close(listener);
  refused("a socket");
  if (geteuid() != 0 || mknod(trap.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0) return;
  refused("a device");
}

TEST_CASE("the root of a foreign tree is a directory itself", "[untrusted_tree]") {
  const TempDirectory root;
  write(root / "mine/thesis.tex", "mine");
  fs::create_directory_symlink(root / "mine", root / "link");
  CHECK_THAT(why_not(root / "link"), Catch::Contains("it left a symbolic link"));
  REQUIRE(mkfifo((root / "pipe").c_str(), 0600) == 0);
  CHECK_THAT(why_not(root / "pipe"), Catch::Contains("it left a FIFO"));
  CHECK_THAT(why_not(root / "mine/thesis.tex"), Catch::Contains("it left a file"));
  CHECK_THAT(why_not(root / "nothing"), Catch::Contains("No such file"));
}

TEST_CASE("a foreign tree is neither deep nor large", "[untrusted_tree]") {
  const TempDirectory root;
  fs::create_directory(root / "tree");
  write(root / "tree/file", "four");
  CHECK(why_not(root / "tree", 4).empty());
  CHECK_THAT(why_not(root / "tree", 3), Catch::Contains("more in"));
  REQUIRE(truncate((root / "tree/file").c_str(), 1L << 40) == 0);  // takes no block of the disk, and would in a copy
  CHECK_THAT(why_not(root / "tree"), Catch::Contains("more in"));
  write(root / "tree/file", "");
  make_deep(root / "tree", 100);
  CHECK_THAT(why_not(root / "tree"), Catch::Contains("more than 64 directories in each other"));
}

TEST_CASE("what takes a foreign file's place is not followed", "[untrusted_tree]") {
  const TempDirectory root;
  write(root / "mine/file", "private");
  write(root / "tree/a/file", "text");
  const auto tree = UntrustedTree::read(root / "tree", plenty);
  REQUIRE(tree);
  fs::remove(root / "tree/a/file");
  fs::create_symlink(root / "mine/file", root / "tree/a/file");
  CHECK_FALSE(tree->copy("a/file", root / "copy"));
  fs::remove_all(root / "tree/a");
  fs::create_directory_symlink(root / "mine", root / "tree/a");
  CHECK_FALSE(tree->copy("a/file", root / "copy"));
  fs::remove(root / "tree/a");
  write(root / "tree/a/file", std::string(plenty + 1, 'x'));
  CHECK_THAT(tree->copy("a/file", root / "grown").error(), Catch::Contains("grows"));
  CHECK_FALSE(fs::exists(root / "copy"));
}

TEST_CASE("a tree is removed, whoever closed its directories", "[untrusted_tree]") {
  const TempDirectory root;
  write(root / "mine", "private");
  write(root / "tree/closed/inner/file", "text");
  write(root / "tree/.going-1/file", "a name that is taken");
  fs::create_symlink(root / "mine", root / "tree/closed/link");
  fs::create_directory_symlink(root.path(), root / "tree/closed/inner/link");
  for (const auto* closed : {"tree/closed/inner", "tree/closed", "tree"})
    fs::permissions(root / closed, fs::perms::none);
  remove_tree(root / "tree");
  CHECK(names_in(root.path()) == std::vector<std::string>{"mine"});
  remove_tree(root / "tree");  // nothing there
  fs::create_symlink(root / "mine", root / "link");
  remove_tree(root / "link");
  CHECK(names_in(root.path()) == std::vector<std::string>{"mine"});
  CHECK(fs::exists(root / "mine"));
  std::error_code error;
  remove_tree("/proc/self/task", error);
  CHECK(error);
}

TEST_CASE("a tree is removed, whoever closed its directories, by who is not root", "[untrusted_tree]") {
  const TempDirectory root;
  fs::permissions(root.path(), fs::perms::all);
  const bool was_root = geteuid() == 0;
  if (was_root) REQUIRE(seteuid(61723) == 0);
  write(root / "tree/closed/inner/file", "text");
  for (const auto* closed : {"tree/closed/inner", "tree/closed", "tree"})
    fs::permissions(root / closed, fs::perms::none);
  std::error_code error, without;
  remove_tree(root / "tree", error);
  fs::create_directory(root / "shut");
  write(root / "shut/file", "text");
  fs::permissions(root / "shut", fs::perms::none);
  fs::remove_all(root / "shut", without);  // what it is better than
  remove_tree(root / "shut");
  if (was_root) REQUIRE(seteuid(0) == 0);
  CHECK_FALSE(error);
  CHECK(without);
  CHECK(names_in(root.path()).empty());
}

TEST_CASE("a tree is removed, however deep it is", "[untrusted_tree]") {
  const TempDirectory root;
  fs::create_directory(root / "tree");
  make_deep(root / "tree", 5000);
  remove_tree(root / "tree");
  CHECK(names_in(root.path()).empty());
}

}  // namespace untrusted_tree_tests
