#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>

#include "inspector/cache/file_lock.hpp"
#include "specs/error.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx;
using namespace stackx::inspector;
using namespace stackx::inspector::testing;

namespace fs = std::filesystem;

TEST_CASE("a lock is held until it goes out of scope", "[lock]") {
  const TempDirectory root;
  const auto file = root / "a.lock";
  std::vector<std::string> said;
  const auto say = [&](const std::string& line) { said.push_back(line); };
  {
    const FileLock first(file, say);
    CHECK(first.held());
    CHECK(said.empty());
    int asked = 0;
    const FileLock second(file, say, [&] { return ++asked > 3; });
    CHECK_FALSE(second.held());
    CHECK(asked == 4);
    CHECK(said.size() == 1);  // once, however long it waits
    CHECK(FileLock(root / "b.lock", say).held());
  }
  CHECK(FileLock(file, say).held());
  CHECK(fs::exists(file));  // removing it would let two builders lock two files of one name
}

TEST_CASE("what is no plain file is no lock: who holds one would be waited for when it is read", "[lock]") {
  const TempDirectory root;
  REQUIRE(mkfifo((root / "pipe.lock").c_str(), 0600) == 0);
  fs::create_symlink("a.lock", root / "link.lock");
  CHECK_THROWS_WITH(FileLock(root / "pipe.lock", nullptr), Catch::Contains("no plain file"));
  CHECK_THROWS_AS(FileLock(root / "link.lock", nullptr), Error);
  CHECK_FALSE(fs::exists(root / "a.lock"));
}

TEST_CASE("a lock dies with its holder", "[lock]") {
  const TempDirectory root;
  const auto file = root / "a.lock";
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const FileLock lock(file, {});
    if (write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  CHECK_FALSE(FileLock(file, {}, [] { return true; }).held());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK(FileLock(file, {}, [] { return true; }).held());
  close(ready[0]), close(ready[1]);
}

TEST_CASE("a lock is not inherited by the programs that are started meanwhile", "[lock]") {
  const TempDirectory root;
  pid_t child = 0;
  {
    const FileLock lock(root / "a.lock", {});
    child = fork();
    if (child == 0) {
      execlp("sleep", "sleep", "600", static_cast<char*>(nullptr));
      _exit(1);
    }
    for (int i = 0; i < 60'000 && read("/proc/" + std::to_string(child) + "/comm") != "sleep\n"; ++i)
      usleep(1000);
  }
  CHECK(FileLock(root / "a.lock", {}, [] { return true; }).held());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_CASE("a lock file that cannot be opened is named", "[lock]") {
  const TempDirectory root;
  try {
    const FileLock lock(root / "none" / "a.lock", {});
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::environment);
    CHECK_THAT(error.what(), Catch::Contains("none/a.lock"));
  }
}
