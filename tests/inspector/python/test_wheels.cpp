// Wheels made here, installed by uv from a directory: no network.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <thread>

#include "inspector/python/uv.hpp"
#include "inspector/python/wheels.hpp"
#include "specs/error.hpp"
#include "tests/inspector/support.hpp"

namespace wheels_tests {

using namespace stackx;
using namespace stackx::inspector;
using namespace stackx::inspector::testing;

namespace fs = std::filesystem;

namespace {

const std::string some_hash(64, 'a');

// An installer that writes one library, and counts.
struct FakeInstaller {
  int calls = 0;
  Installer get() {
    return
        [this](const WheelRequest&, const fs::path& target) -> std::expected<void, BuildFailure> {
          ++calls;
          write(target / "tiny/lib/libtiny.so.1", "library");
          write(target / "tiny/data.txt", "data");
          return {};
        };
  }
};

WheelRequest tiny() { return {"tiny", "1.0", "tiny-1.0-py3-none-any.whl", some_hash, 100}; }

// What the directory holds, by name.
// uv told to look for wheels in one directory only.
class Index {
 public:
  explicit Index(const fs::path& directory)
      : program_("STACKX_UV", uv().string()),
        links_("UV_FIND_LINKS", directory.string()),
        none_("UV_NO_INDEX", "1"),
        cache_("UV_CACHE_DIR", (directory / "uv-cache").string()),
        offline_("UV_OFFLINE", std::nullopt) {}

 private:
  Variable program_, links_, none_, cache_, offline_;
};

WheelStore store_in(const fs::path& root, bool offline = false) {
  auto uv = std::make_shared<Uv>(UvOptions{{}, {}, offline, {}});
  return {root, [uv](const WheelRequest& request, const fs::path& target) {
            return uv->install(request, target);
          }};
}

}  // namespace

TEST_CASE("a wheel is installed once, and found again", "[wheels]") {
  const TempDirectory root;
  FakeInstaller installer;
  std::vector<std::string> said;
  const Say say = [&](const std::string& line) { said.push_back(line); };
  const auto first = WheelStore(root / "wheels", installer.get()).get(tiny(), say);
  REQUIRE(first);
  CHECK(first->directory == root / "wheels" / some_hash);
  CHECK(first->files.size() == 2);
  CHECK(first->shared_objects == std::vector<fs::path>{first->directory / "tiny/lib/libtiny.so.1"});
  CHECK(first->library_directories == std::vector<fs::path>{first->directory / "tiny/lib"});
  CHECK(said == std::vector<std::string>{"installing tiny 1.0 (0.0 MB)"});

  const auto second = WheelStore(root / "wheels", installer.get()).get(tiny(), say);
  REQUIRE(second);
  CHECK(installer.calls == 1);
  CHECK(second->shared_objects == first->shared_objects);
  CHECK(names_in(root / "wheels") == std::vector<std::string>{some_hash, some_hash + ".lock"});
}

TEST_CASE("what is not whole is built again", "[wheels]") {
  const TempDirectory root;
  FakeInstaller installer;
  WheelStore store(root.path(), installer.get());
  REQUIRE(store.get(tiny(), {}));
  const auto directory = root / some_hash;
  SECTION("a file lacks") { fs::remove(directory / "tiny/data.txt"); }
  SECTION("a file is cut short") { write(directory / "tiny/data.txt", "d"); }
  SECTION("a file is not its own") { write(directory / "tiny/data/__init__.py", ""); }
  SECTION("no manifest") { fs::remove(directory / ".stackx-wheel.json"); }
  SECTION("half a manifest") {
    const auto text = read(directory / ".stackx-wheel.json");
    write(directory / ".stackx-wheel.json", text.substr(0, text.size() / 2));
  }
  SECTION("another format") {
    write(directory / ".stackx-wheel.json", R"({"$schema": "stackx/wheel/99", "files": []})");
  }
  SECTION("no format") { write(directory / ".stackx-wheel.json", R"({"files": []})"); }
  SECTION("a file without a name") {
    write(directory / ".stackx-wheel.json", R"({"$schema": "stackx/wheel/1", "files": [{"size": 1}]})");
  }
  SECTION("a size that is none") {
    write(directory / ".stackx-wheel.json", R"({"$schema": "stackx/wheel/1", "files": [{"path": "a", "size": -1}]})");
  }
  const auto again = store.get(tiny(), {});
  REQUIRE(again);
  CHECK(installer.calls == 2);
  CHECK(again->files.size() == 2);
}

TEST_CASE("a failed installation leaves nothing", "[wheels]") {
  const TempDirectory root;
  WheelStore store(root.path(), [](const WheelRequest&, const fs::path& target) {
    write(target / "half", "of it");
    return std::expected<void, BuildFailure>(std::unexpected(BuildFailure{"no network", "log"}));
  });
  const auto wheel = store.get(tiny(), {});
  REQUIRE_FALSE(wheel);
  CHECK(wheel.error().reason == "no network");
  CHECK(wheel.error().log_tail == "log");
  CHECK(names_in(root.path()) == std::vector<std::string>{some_hash + ".lock"});
}

TEST_CASE("a full disk is an outcome, and what filled it is taken away", "[wheels]") {
  const TempDirectory root;
  bool full = true;
  WheelStore store(root.path(), [&](const WheelRequest& request, const fs::path& target) {
    testing::write(target / "half", "of it");
    if (full) write_requirements("/dev/full", request);
    return std::expected<void, BuildFailure>();
  });
  const auto refused = store.get(tiny(), {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().outcome == specs::Outcome::disk_full);
  CHECK(mentions(refused.error().reason, "no space left"));
  CHECK(names_in(root.path()) == std::vector<std::string>{some_hash + ".lock"});
  full = false;
  CHECK(store.get(tiny(), {}));
}

TEST_CASE("what cannot be removed is no end of a campaign", "[wheels]") {
  if (geteuid() != 0) return;  // root makes what nobody else can remove
  const TempDirectory root;
  fs::permissions(root.path(), fs::perms::all);
  const auto stale = fmt::format("{}.partial-{}", some_hash, getpid());
  testing::write(root / stale / "inner/file", "x");
  REQUIRE(seteuid(61723) == 0);
  WheelStore store(root.path(), [](const WheelRequest&, const fs::path& target) -> std::expected<void, BuildFailure> {
    testing::write(target / "closed/file", "text");
    fs::permissions(target / "closed", fs::perms::none);
    return std::unexpected(BuildFailure{"it failed", ""});
  });
  FakeInstaller installer;
  const auto failed = store.get(tiny(), {});
  const auto left = names_in(root.path());
  const auto built = WheelStore(root.path(), installer.get()).get(tiny(), {});
  REQUIRE(seteuid(0) == 0);
  CHECK(failed.error().reason == "it failed");
  CHECK(left == std::vector<std::string>{some_hash + ".lock", stale});
  CHECK(built);

  fs::remove(root / some_hash / ".stackx-wheel.json");
  fs::permissions(root / some_hash, fs::perms(0755));
  testing::write(root / some_hash / "inner/file", "x");
  REQUIRE(seteuid(61723) == 0);
  const auto refused = WheelStore(root.path(), installer.get()).get(tiny(), {});
  REQUIRE(seteuid(0) == 0);
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().reason, Catch::Contains("is damaged and cannot be removed: Permission denied; remove it"));
}

TEST_CASE("what a tool is to install is written whole, or not at all", "[uv]") {
  const TempDirectory root;
  write_requirements(root / "requirements.txt", tiny());
  CHECK(read(root / "requirements.txt") == "tiny==1.0 --hash=sha256:" + some_hash + "\n");
  // A file cut short would install nothing, and that without an error.
  CHECK_THROWS_AS(write_requirements("/dev/full", tiny()), fs::filesystem_error);
  CHECK_THROWS_AS(write_requirements(root / "none" / "requirements.txt", tiny()), fs::filesystem_error);
  for (const auto* line : {"x\n--index-url http://127.0.0.1", "x\r-e .", "x\x1b"})
    CHECK_THROWS_AS(write_requirements(root / "requirements.txt", std::vector<std::string>{line}), Error);
}

TEST_CASE("a cache that cannot be written is a broken environment", "[wheels]") {
  const TempDirectory root;
  write(root / "file", "not a directory");
  FakeInstaller installer;
  CHECK_THROWS_AS(WheelStore(root / "file" / "wheels", installer.get()).get(tiny(), {}), Error);
}

TEST_CASE("names and hashes that are none go no further", "[wheels]") {
  const TempDirectory root;
  FakeInstaller installer;
  WheelStore store(root / "wheels", installer.get());
  const auto refused = [&](auto change) {
    auto request = tiny();
    change(request);
    const auto wheel = store.get(request, {});
    return !wheel && mentions(wheel.error().reason, "correct the catalog");
  };
  for (const std::string name :
       {"", "-r", "a b", "a\nb", "../a", "a;b", "$(a)", "a==1", "a#", "ä"}) {
    INFO(name);
    CHECK(refused([&](WheelRequest& request) { request.package = name; }));
  }
  for (const std::string version : {"", "1 0", "1\n--extra-index-url x", "one", "1.0 --hash=x"}) {
    INFO(version);
    CHECK(refused([&](WheelRequest& request) { request.version = version; }));
  }
  for (const auto& hash : {std::string(), std::string("../../x"), std::string(63, 'a'),
                           std::string(64, 'A'), std::string(64, '/')}) {
    INFO(hash);
    CHECK(refused([&](WheelRequest& request) { request.sha256 = hash; }));
  }
  for (const std::string file : {"../x-1.0.tar.gz", "/etc/cron.d/x", "a/b.whl", "..", "."}) {
    INFO(file);
    CHECK(refused([&](WheelRequest& request) { request.file = file; }));
  }
  CHECK(installer.calls == 0);
  CHECK_FALSE(fs::exists(root / "wheels"));
}

TEST_CASE("a builder that is killed leaves nothing that is used", "[wheels]") {
  const TempDirectory root;
  const pid_t child = fork();
  if (child == 0) {
    WheelStore store(root.path(), [&](const WheelRequest&, const fs::path& target) {
      write(target / "tiny/lib/libtiny.so.1", "half a lib");
      for (;;) pause();
      return std::expected<void, BuildFailure>();
    });
    (void)store.get(tiny(), {});
    _exit(0);
  }
  const auto partial = root / (some_hash + ".partial-" + std::to_string(child));
  for (int i = 0; i < 6000 && !fs::exists(partial / "tiny/lib/libtiny.so.1"); ++i) usleep(10'000);
  REQUIRE(fs::exists(partial));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK_FALSE(fs::exists(root / some_hash));

  FakeInstaller installer;
  const auto wheel = WheelStore(root.path(), installer.get()).get(tiny(), {});
  REQUIRE(wheel);
  CHECK(read(wheel->directory / "tiny/lib/libtiny.so.1") == "library");
  CHECK_FALSE(fs::exists(partial));
}

TEST_CASE("two builders at once build once", "[wheels]") {
  const TempDirectory root;
  const auto log = root / "log";
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    WheelStore store(root / "wheels", [&](const WheelRequest&, const fs::path& target) {
      std::ofstream(log, std::ios::app) << "built\n" << std::flush;
      usleep(100'000);
      write(target / "libtiny.so", "library");
      return std::expected<void, BuildFailure>();
    });
    const auto wheel = store.get(tiny(), {});
    _exit(wheel && read(wheel->directory / "libtiny.so") == "library" ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  CHECK(read(log) == "built\n");
}

TEST_CASE("waiting for another builder can be interrupted", "[wheels]") {
  const TempDirectory root;
  const auto lock = (root / (some_hash + ".lock")).string();
  const int fd = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  REQUIRE(flock(fd, LOCK_EX) == 0);
  FakeInstaller installer;
  std::vector<std::string> said;
  const auto wheel =
      WheelStore(root.path(), installer.get())
          .get(
              tiny(), [&](const std::string& line) { said.push_back(line); }, [] { return true; });
  close(fd);
  REQUIRE_FALSE(wheel);
  CHECK(wheel.error().reason == "interrupted");
  CHECK(installer.calls == 0);
}

TEST_CASE("uv installs what has the right hash", "[wheels][uv]") {
  if (uv().empty()) {
    WARN("skipped: uv not found (STACKX_UV, PATH, .venv/bin/uv)");
    return;
  }
  const TempDirectory root;
  const auto made =
      make_wheel(root / "index", "tinylib", "1.0",
                 {"tinylib/lib/libtiny.so=shared", "tinylib-1.0.data/data/lib/libpart.so.2=x"});
  const Index index(root / "index");
  auto store = store_in(root / "wheels");
  const auto wheel = store.get(
      {"tinylib", "1.0", made.file.filename(), made.sha256, fs::file_size(made.file)}, {});
  REQUIRE(wheel);
  CHECK(read(wheel->directory / "tinylib/lib/libtiny.so") == "shared");
  CHECK(read(wheel->directory / "lib/libpart.so.2") == "x");  // the data scheme lands at the root
  CHECK(wheel->library_directories.size() == 2);

  SECTION("another hash is refused, and both are named") {
    auto other = made.sha256;
    other[0] = other[0] == '0' ? '1' : '0';
    const auto refused = store.get({"tinylib", "1.0", made.file.filename(), other, 0}, {});
    REQUIRE_FALSE(refused);
    INFO(refused.error().reason);
    CHECK(mentions(refused.error().reason, "hash mismatch"));
    CHECK(mentions(refused.error().reason, made.sha256));
    CHECK(mentions(refused.error().reason, other));
    CHECK_FALSE(fs::exists(root / "wheels" / other));
  }
  SECTION("one that is not there is named") {
    const auto missing = store.get({"nothing", "2.0", "nothing-2.0.whl", some_hash, 0}, {});
    REQUIRE_FALSE(missing);
    CHECK(mentions(missing.error().reason, "nothing"));
    auto offline = store_in(root / "wheels", true);
    const auto uncached = offline.get({"nothing", "2.0", "nothing-2.0.whl", some_hash, 0}, {});
    REQUIRE_FALSE(uncached);
    CHECK(mentions(uncached.error().reason, "nothing-2.0.whl is not in the cache"));
  }
  SECTION("offline, what is installed is used") {
    fs::remove_all(root / "index");
    CHECK(store_in(root / "wheels", true).get({"tinylib", "1.0", "", made.sha256, 0}, {}));
  }
}

TEST_CASE("a wheel with entries outside of itself writes nothing there", "[wheels][uv]") {
  if (uv().empty()) {
    WARN("skipped: uv not found (STACKX_UV, PATH, .venv/bin/uv)");
    return;
  }
  const TempDirectory root;
  const auto made = make_wheel(root / "index", "evil", "1.0",
                               {"../escaped=x", "../../escaped=x", "evil/../../escaped=x",
                                root.path().string() + "/escaped=x", "evil/fine=y",
                                "evil-1.0.data/data/../../../escaped=x"});
  const Index index(root / "index");
  for (int i = 0; i < 2; ++i) {  // uv says it when it unpacks, and would not the second time
    const auto refused = store_in(root / "wheels").get({"evil", "1.0", "", made.sha256, 0}, {});
    REQUIRE_FALSE(refused);
    CHECK(mentions(refused.error().reason, "outside of its environment"));
  }
  for (const auto& entry : fs::recursive_directory_iterator(root.path())) {
    INFO(entry.path());
    const auto path = entry.path().lexically_relative(root.path()).string();
    // Below the wheel's own directory, or in uv's cache, it harms nobody.
    const bool inside =
        path.starts_with("wheels/" + made.sha256 + "/") || path.starts_with("index/");
    CHECK((inside || entry.path().filename() != "escaped"));
  }
}

TEST_CASE("how much a wheel may unpack to grows with it", "[wheels]") {
  CHECK(most_unpacked(4 << 20) == std::uint64_t{512} << 20);
  CHECK(most_unpacked(100 << 20) == std::uint64_t{2000} << 20);
  CHECK(most_unpacked(400 << 20) == std::uint64_t{3648} << 20);  // of what a catalog can claim to be that large
  CHECK(most_unpacked(std::uint64_t{1} << 62) == std::uint64_t{32} << 30);
  CHECK(most_unpacked(0) == std::uint64_t{4} << 30);
  CHECK(mentions(unpacks_to_too_much({"x", "1", "x-1-py3-none-any.whl", ""}).reason, "state \"size\" there"));
}

TEST_CASE("a wheel that unpacked to too much is not kept", "[wheels]") {
  const TempDirectory root;
  WheelStore store(root.path(), [](const WheelRequest&, const fs::path& target) {
    write(target / "huge", "");
    fs::resize_file(target / "huge", std::uint64_t{513} << 20);
    return std::expected<void, BuildFailure>();
  });
  const auto refused = store.get(tiny(), {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().outcome == specs::Outcome::too_large);
  CHECK(mentions(refused.error().reason, "unpacks to more than 537 MB"));
  CHECK(names_in(root.path()) == std::vector<std::string>{some_hash + ".lock"});
}

TEST_CASE("uv is stopped while it unpacks what a wheel did not say it holds", "[wheels][uv]") {
  if (uv().empty()) {
    WARN("skipped: uv not found (STACKX_UV, PATH, .venv/bin/uv)");
    return;
  }
  const TempDirectory root;
  const auto made = make_bomb(root / "index", "bomb", "1.0", 1200);
  REQUIRE(fs::file_size(made.file) < 4 << 20);
  const Index index(root / "index");
  const auto refused =
      store_in(root / "wheels").get({"bomb", "1.0", made.file.filename(), made.sha256, fs::file_size(made.file)}, {});
  REQUIRE_FALSE(refused);
  INFO(refused.error().reason);
  CHECK(refused.error().outcome == specs::Outcome::too_large);
  for (const auto& entry : fs::recursive_directory_iterator(root.path())) {
    INFO(entry.path());
    CHECK((!entry.is_regular_file() || entry.file_size() < 4 << 20));  // nothing of it lies anywhere
  }
}

TEST_CASE("a build that makes a large wheel may unpack no more for that", "[uv]") {
  if (uv().empty()) {
    WARN("uv is not here");
    return;
  }
  const TempDirectory root;
  const auto made = make_bomb(root / "index", "bomb", "1.0", 1200, 60);
  REQUIRE(most_unpacked(fs::file_size(made.file)) > 1200 << 20);
  const Index index(root / "index");
  const WheelRequest source{"bomb", "1.0", "bomb-1.0.tar.gz", some_hash, 1000};
  fs::create_directory(root / "tmp");
  const Variable temporary("TMPDIR", (root / "tmp").string());
  const auto refused = Uv({}).unpack(source, made.file, root / "target", {});
  REQUIRE_FALSE(refused);
  INFO(refused.error().reason);
  CHECK(refused.error().outcome == specs::Outcome::too_large);
  CHECK(names_in(root / "tmp").empty());  // where a uv that is stopped would leave a gigabyte
  for (const auto& name : names_in(root.path())) CHECK(name.find("uv") == std::string::npos);
}

TEST_CASE("passwords of indexes are in no reason and in no log", "[wheels][uv]") {
  const TempDirectory root;
  write(root / "uv", "#!/bin/sh\necho 'error: Failed to fetch: `https://me:secret@h/simple/`' >&2\nexit 2\n");
  fs::permissions(root / "uv", fs::perms::owner_all);
  const Index index(root.path());
  const Variable program("STACKX_UV", (root / "uv").string());
  const auto refused = store_in(root / "wheels").get(tiny(), {});
  REQUIRE_FALSE(refused);
  CHECK(mentions(refused.error().reason, "https://***@h/simple/"));
  CHECK(mentions(refused.error().log_tail, "https://***@h/simple/"));
  CHECK_FALSE(mentions(refused.error().reason + refused.error().log_tail, "secret"));
}

TEST_CASE("without uv the reason says what to install", "[wheels][uv]") {
  const TempDirectory empty;
  const Variable path("PATH", empty.path().string());
  const Variable named("STACKX_UV", std::nullopt);
  const auto wheel = store_in(empty / "wheels").get(tiny(), {});
  REQUIRE_FALSE(wheel);
  CHECK(mentions(wheel.error().reason, "pip install uv"));
  const Variable wrong("STACKX_UV", "/nonexistent/uv");
  CHECK_THROWS_AS(store_in(empty / "wheels").get(tiny(), {}), Error);
}

TEST_CASE("uv is told what pip is told, unless it was told itself", "[uv]") {
  const std::string config =
      "global.cert='/etc/ssl/certs/ca.crt'\n"
      "global.index-url='https://a.example/simple'\n"
      "install.index-url='https://b.example/simple'\n"
      ":env:.find-links='/opt/wheels\\n/srv/wheels'\n"
      "global.extra-index-url='https://c.example/simple https://d.example/simple'\n"
      "global.timeout='60'\n";
  CHECK(uv_from_pip(config, {}) ==
        Environment{{"UV_DEFAULT_INDEX", "https://b.example/simple"},
                    {"UV_INDEX", "https://c.example/simple https://d.example/simple"},
                    {"UV_FIND_LINKS", "/opt/wheels,/srv/wheels"},
                    {"SSL_CERT_FILE", "/etc/ssl/certs/ca.crt"}});
  CHECK(uv_from_pip(config, {{"UV_INDEX_URL", "x"},
                             {"UV_INDEX", "x"},
                             {"UV_FIND_LINKS", "x"},
                             {"SSL_CERT_FILE", "x"}})
            .empty());
  CHECK(uv_from_pip(config + ":env:.index-url='https://e.example/simple'\n", {})
            .at("UV_DEFAULT_INDEX") == "https://e.example/simple");
  CHECK(uv_from_pip("global.no-index='true'\n", {}) == Environment{{"UV_NO_INDEX", "1"}});
  CHECK(uv_from_pip("", {}).empty());
  CHECK(uv_from_pip("rubbish\n=\nglobal.index-url=\n", {}).empty());
}

}  // namespace wheels_tests
