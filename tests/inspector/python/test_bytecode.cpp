// An interpreter that compiles may be anybody's program: what it left in its room, and what of it is used.
#include "inspector/python/bytecode.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <set>

#include "tests/inspector/support.hpp"

namespace bytecode_tests {

using namespace stackx::inspector;
using namespace stackx::inspector::testing;

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t plenty = 1 << 20;

struct Compilation {
  const TempDirectory root;
  const fs::path tree = root / "tree", room = root / "room";
  std::vector<std::string> sources;

  Compilation() {
    write(tree / "a.py", "a");
    write(tree / "pkg/b.py", "b");
    write(tree / "pkg/data.txt", "data");
    fs::last_write_time(tree / "a.py", fs::file_time_type::clock::now() - std::chrono::hours(100));
    fs::create_directory(room);
    sources = copy_sources(tree, room);
  }
  std::expected<void, std::string> take() const { return take_bytecode(sources, room, tree, plenty); }
};

}  // namespace

TEST_CASE("sources are copied to be compiled, with their times", "[bytecode]") {
  const Compilation made;
  CHECK(std::set(made.sources.begin(), made.sources.end()) == std::set<std::string>{"a.py", "pkg/b.py"});
  CHECK(read(made.room / "pkg/b.py") == "b");
  CHECK_FALSE(fs::exists(made.room / "pkg/data.txt"));
  CHECK(fs::last_write_time(made.room / "a.py") == fs::last_write_time(made.tree / "a.py"));
  CHECK(fs::hard_link_count(made.room / "a.py") == 1);
}

TEST_CASE("bytecode of the sources is taken, and nothing else", "[bytecode]") {
  const Compilation made;
  write(made.room / "__pycache__/a.cpython-311.pyc", "compiled a");
  write(made.room / "pkg/b.pyc", "compiled b");  // as Python 2 leaves it
  write(made.room / "a.py", "poisoned");
  for (const auto* more : {"sitecustomize.py", "sitecustomize.pyc", "__pycache__/c.cpython-311.pyc", "pkg/evil.so",
                           "pkg/data.txt", "other/b.pyc"})
    write(made.room / more, "poison");
  REQUIRE(made.take());
  CHECK(read(made.tree / "__pycache__/a.cpython-311.pyc") == "compiled a");
  CHECK(read(made.tree / "pkg/b.pyc") == "compiled b");
  CHECK(read(made.tree / "a.py") == "a");
  CHECK(read(made.tree / "pkg/data.txt") == "data");
  CHECK(names_in(made.tree) == std::vector<std::string>{"__pycache__", "a.py", "pkg"});
  CHECK(names_in(made.tree / "__pycache__") == std::vector<std::string>{"a.cpython-311.pyc"});
  CHECK(names_in(made.tree / "pkg") == std::vector<std::string>{"b.py", "b.pyc", "data.txt"});
}

TEST_CASE("bytecode that the wheel brings is replaced, not written to", "[bytecode]") {
  const Compilation made;
  write(made.root / "uv-cache", "shared");
  fs::create_hard_link(made.root / "uv-cache", made.tree / "a.pyc");
  fs::create_directories(made.tree / "pkg/b.pyc");     // not a file at all
  write(made.tree / "__pycache__", "not a directory");
  write(made.room / "a.pyc", "compiled");
  write(made.room / "pkg/b.pyc", "compiled");
  write(made.room / "__pycache__/a.cpython-311.pyc", "compiled");
  REQUIRE(made.take());
  CHECK(read(made.tree / "a.pyc") == "compiled");
  CHECK(read(made.root / "uv-cache") == "shared");
}

TEST_CASE("an interpreter that sets traps compiles nothing", "[bytecode]") {
  const Compilation made;
  write(made.root / "mine", "private");
  fs::create_symlink(made.root / "mine", made.room / "a.pyc");
  CHECK_THAT(made.take().error(), Catch::Contains("a symbolic link"));
  fs::remove(made.room / "a.pyc");
  REQUIRE(mkfifo((made.room / "a.pyc").c_str(), 0600) == 0);
  CHECK_THAT(made.take().error(), Catch::Contains("a FIFO"));
  CHECK_FALSE(fs::exists(made.tree / "a.pyc"));
}

}  // namespace bytecode_tests
