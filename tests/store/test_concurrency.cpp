// Several processes, and processes that are killed.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "specs/format/json.hpp"
#include "store/spool.hpp"
#include "tests/store/fixture.hpp"

using namespace stackx;
using namespace stackx::test;
using store::Ingest;
using store::Mode;
using store::Store;

namespace {

template <typename Work>
pid_t child(Work work) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  try {
    work();
    ::_exit(0);
  } catch (const std::exception& error) {
    ::write(2, error.what(), std::strlen(error.what()));
    ::_exit(1);
  }
}

bool succeeded(pid_t pid) {
  int status = 0;
  return ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE(
    "concurrency: several processes make and fill one store at once, a reader sees whole documents "
    "only") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  constexpr std::uint64_t each = 40;
  std::vector<pid_t> pids;
  for (std::uint64_t writer = 0; writer < 4; ++writer)
    pids.push_back(child([&, writer] {
      Store store = Store::open(file);
      // A quarter of the documents is everybody's.
      for (std::uint64_t n = 0; n < each; ++n)
        store.ingest(inspection(n % 4 == 0 ? n : 1000 * (writer + 1) + n));
    }));
  pids.push_back(child([&] {
    for (int i = 0; i < 50; ++i) {
      if (!std::filesystem::exists(file)) continue;
      try {
        const Store store = Store::open(file, Mode::read_only);
        for (const auto& id : ids(store, std::string(64, 'c')))
          if (!store.inspection(id)) throw std::logic_error("half a document");
      } catch (const Error& error) {  // the moment before its makers wrote the schema
        if (std::string(error.what()).find("empty store") == std::string::npos) throw;
      }
    }
  }));
  for (const pid_t pid : pids) CHECK(succeeded(pid));
  const Store store = Store::open(file, Mode::read_only);
  CHECK(store.measurements({}).size() == each / 4 + 4 * (each - each / 4));
  CHECK(store.check().empty());
}

TEST_CASE("concurrency: two processes race for one place, one of them wins") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  Store::open(file);
  const auto racer = [&](double load) {
    return child([&, load] {
      Store store = Store::open(file);
      std::size_t refused = 0;
      for (std::uint64_t n = 0; n < 60; ++n) {
        auto mine = inspection(n);
        mine.load_1m = load;
        specs::seal(mine);
        try {
          store.ingest(mine);
        } catch (const Error&) {
          ++refused;
        }
      }
      if (refused > 60) throw std::logic_error("too many");
    });
  };
  const pid_t a = racer(1000), b = racer(2000);
  CHECK(succeeded(a));
  CHECK(succeeded(b));
  const Store store = Store::open(file, Mode::read_only);
  CHECK(store.measurements({}).size() == 60);
  CHECK(store.done(std::string(64, 'c')).size() == 60);
  CHECK(store.check().empty());
}

TEST_CASE(
    "concurrency: kill -9 at random moments loses nothing that was written and leaves nothing "
    "half") {
  const Directory directory;
  const auto file = directory / "stackx.db";
  specs::Random random(31337);
  std::uint64_t next = 0;
  std::size_t before = 0;
  for (int kills = 0; kills < 60; ++kills) {
    int acknowledged[2];
    REQUIRE(::pipe(acknowledged) == 0);
    const pid_t pid = child([&] {
      store::Spool spool(file);
      Store store = Store::open(file);
      for (std::uint64_t n = next;; ++n) {
        const auto document = inspection(n);
        spool.write(document);
        ::write(acknowledged[1], "x", 1);  // durable from here on
        store.ingest(document);
      }
    });
    ::close(acknowledged[1]);
    pollfd first{acknowledged[0], POLLIN, 0};
    if (kills % 10 == 5) ::poll(&first, 1, -1);  // some of them have written something, however slow the machine
    ::usleep(static_cast<useconds_t>(random.below(kills % 2 ? 4'000 : 40'000)));
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    std::uint64_t written = 0;
    for (char c; ::read(acknowledged[0], &c, 1) == 1;) ++written;
    ::close(acknowledged[0]);

    Store store = Store::open(file);
    store::Spool spool(file);
    for (const auto& remark : spool.recover(store))
      CHECK_THAT(remark, Catch::Contains("were not in the store"));
    const std::size_t now = store.measurements({}).size();
    // Everything acknowledged is there; at most the one in flight besides.
    REQUIRE(now >= before + written);
    REQUIRE(now <= before + written + 1);
    before = now;
    next = now;
    if (kills % 10 == 9) REQUIRE(store.check().empty());
  }
  REQUIRE(before > 0);
  const Store store = Store::open(file, Mode::read_only);
  CHECK(store.check().empty());
  for (std::uint64_t n = 0; n < before; ++n) REQUIRE(store.inspection(inspection(n).id));
}

TEST_CASE("concurrency: a store whose maker was killed at any moment is whole or not there, and the next writer makes it") {
  specs::Random random(4711);
  int begun = 0;
  for (int kills = 0; kills < 200; ++kills) {
    const Directory directory;
    const auto file = directory / "stackx.db";
    const pid_t pid = child([&] { Store::open(file); });
    if (kills % 50 == 25)  // some are killed while they make it, or after, however slow the machine
      for (int i = 0; i < 600'000 && !std::filesystem::exists(file); ++i) ::usleep(100);
    ::usleep(static_cast<useconds_t>(random.below(12'000)));
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    begun += std::filesystem::exists(file);
    if (const auto store = Store::open_if_readable(file)) REQUIRE(store->measurements({}).empty());
    REQUIRE(Store::open(file).check().empty());
  }
  CHECK(begun > 0);
}
