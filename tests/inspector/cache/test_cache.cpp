// What the cache holds, and what pruning frees of it: wheels and trees made here, an engine that is a script.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "inspector/cache/cache.hpp"
#include "inspector/cache/cache_use.hpp"
#include "inspector/cache/exposure.hpp"
#include "inspector/cache/file_lock.hpp"
#include "inspector/cache/prune.hpp"
#include "inspector/python/tree.hpp"
#include "inspector/python/wheels.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx::inspector;
using namespace stackx::inspector::testing;

namespace fs = std::filesystem;

namespace {

using FileClock = fs::file_time_type::clock;
constexpr std::size_t content = 100'000;

std::string hash(char digit) { return std::string(64, digit); }

// A wheel of one file, as its store installs it.
Wheel install(const fs::path& cache, const std::string& name, char digit) {
  WheelStore store(cache / "wheels",
                   [&](const WheelRequest&, const fs::path& target) -> std::expected<void, BuildFailure> {
                     write(target / name / "data", std::string(content, digit));
                     return {};
                   });
  return store.get({name, "1.0", name + "-1.0-py3-none-any.whl", hash(digit), 0, "cpython-311"}, {}).value();
}

fs::path tree(const fs::path& cache, const std::vector<Wheel>& wheels) {
  return EnvironmentTrees(cache / "environments").get(wheels, {}).value();
}

void age(const fs::path& entry, int days) {
  const auto then = FileClock::now() - std::chrono::hours(24 * days);
  for (const auto& path : {entry, fs::path(entry.string() + ".lock")})
    if (fs::exists(path)) fs::last_write_time(path, then);
}

PruneOrder unused_for(int days) {
  PruneOrder order;
  order.before = FileClock::now() - std::chrono::hours(24 * days);
  return order;
}

PruneOrder everything() {
  PruneOrder order;
  order.before = FileClock::now();
  order.all = true;
  return order;
}

const Pruned* find(const std::vector<Pruned>& pruned, const fs::path& path) {
  const auto found = std::ranges::find(pruned, path, &Pruned::path);
  return found == pruned.end() ? nullptr : &*found;
}

std::uint64_t freed(const std::vector<Pruned>& pruned) {
  std::uint64_t sum = 0;
  for (const auto& one : pruned) sum += one.freed;
  return sum;
}

// An engine that knows the images named in `directory`/ID, whose content is the size; rmi removes the file.
Engine fake_engine(const fs::path& directory) {
  const auto program = directory / "engine";
  write(program,
        "#!/bin/sh\ncd " + directory.string() +
            "\nwhile [ $# -gt 1 ]; do [ $1 = rmi ] && verb=rmi; shift; done\n"
            "[ -e \"$1\" ] || { echo no such image >&2; exit 1; }\n"
            "[ \"$verb\" = rmi ] || exec cat \"$1\"\n"
            "[ -e \"$1.busy\" ] && { echo image is in use >&2; exit 2; }\nexec rm \"$1\"\n");
  fs::permissions(program, fs::perms::owner_all);
  Engine engine;
  engine.program = program;
  engine.kind = "podman";
  return engine;
}

fs::path image(const fs::path& cache, char digit, const std::string& type, const std::string& base,
               const std::vector<std::string>& packages, const std::string& id, bool pulled = false) {
  const auto file = cache / "images" / (hash(digit) + ".json");
  write(file, nlohmann::json{{"$schema", "stackx/image/1"}, {"type", type}, {"base", base}, {"sha256", ""},
                             {"packages", packages}, {"program", ""}, {"id", id}, {"digest", "sha256:0"},
                             {"pulled", pulled}, {"installed", {{"dpkg", "1.0"}}}}.dump());
  const auto lock = file.parent_path() / (hash(digit) + ".lock");
  write(lock, "");
  const auto then = FileClock::now() - std::chrono::hours(1000);
  fs::last_write_time(file, then);
  fs::last_write_time(lock, then);
  return file;
}

}  // namespace

TEST_CASE("the cache tells wheels, trees and what they share", "[cache]") {
  const TempDirectory cache;
  const auto a = install(cache.path(), "alpha", 'a'), b = install(cache.path(), "beta", 'b');
  const auto both = tree(cache.path(), {a, b});
  const auto found = read_cache(cache.path(), nullptr);
  REQUIRE(found.wheels.size() == 2);
  REQUIRE(found.environments.size() == 1);
  const auto& wheel = found.wheels.back();
  CHECK(wheel.package == "alpha");
  CHECK(wheel.version == "1.0");
  CHECK(wheel.tag == "cpython-311");
  CHECK(wheel.usage.shared >= content);  // linked into the tree
  CHECK(wheel.usage.shared < 2 * content);
  const auto& environment = found.environments.front();
  CHECK(environment.path == both);
  CHECK(environment.wheels.size() == 2);
  CHECK(environment.packages.size() == 2);
  CHECK(environment.usage.shared >= 2 * content);
  CHECK(environment.usage.own < content);  // directories and the manifest
  CHECK(found.bytes >= 2 * content);
  CHECK(found.bytes < 3 * content);  // every file once
  CHECK(found.leftovers.empty());
}

TEST_CASE("a use is remembered, of trees and of wheels", "[cache]") {
  const TempDirectory cache;
  const auto wheel = install(cache.path(), "alpha", 'a');
  const auto site = tree(cache.path(), {wheel});
  age(wheel.directory, 90);
  age(site, 90);
  const auto month_ago = FileClock::now() - std::chrono::hours(24 * 30);
  CHECK(read_cache(cache.path(), nullptr).wheels.front().used < month_ago);
  CHECK(read_cache(cache.path(), nullptr).environments.front().used < month_ago);
  install(cache.path(), "alpha", 'a');
  tree(cache.path(), {wheel});
  CHECK(read_cache(cache.path(), nullptr).wheels.front().used > month_ago);
  CHECK(read_cache(cache.path(), nullptr).environments.front().used > month_ago);
}

TEST_CASE("what was not used goes, and says what came back", "[cache][prune]") {
  const TempDirectory cache;
  const auto old = install(cache.path(), "old", 'a'), fresh = install(cache.path(), "fresh", 'b');
  const auto site = tree(cache.path(), {old, fresh});
  age(old.directory, 40);
  const auto dry = [&](PruneOrder order) {
    order.dry_run = true;
    return prune(read_cache(cache.path(), nullptr), order, nullptr);
  };

  SECTION("a wheel that a tree still holds gives back its directories only") {
    const auto pruned = prune(read_cache(cache.path(), nullptr), unused_for(30), nullptr);
    REQUIRE(pruned.size() == 1);
    CHECK(pruned[0].kind == "wheel");
    CHECK(pruned[0].name == "old 1.0 (cpython-311)");
    CHECK(pruned[0].kept.empty());
    CHECK(pruned[0].freed < content);
    CHECK_FALSE(fs::exists(old.directory));
    CHECK_FALSE(fs::exists(old.directory.string() + ".lock"));
    CHECK(fs::exists(fresh.directory));
    CHECK(fs::file_size(site / "old" / "data") == content);
  }
  SECTION("together with the tree it gives back its bytes, as the dry run says") {
    age(site, 40);
    const auto before = read_cache(cache.path(), nullptr).bytes;
    const auto expected = dry(unused_for(30));
    CHECK(read_cache(cache.path(), nullptr).bytes == before);
    const auto pruned = prune(read_cache(cache.path(), nullptr), unused_for(30), nullptr);
    REQUIRE(pruned.size() == 2);
    CHECK(freed(pruned) == freed(expected));
    CHECK(find(pruned, old.directory)->freed >= content);
    CHECK_FALSE(fs::exists(site));
    const auto after = read_cache(cache.path(), nullptr).bytes;
    CHECK(before - after >= freed(pruned));  // directories that list less may shrink, too
    CHECK(before - after < freed(pruned) + content);
  }
  SECTION("what was used in time stays") {
    CHECK(dry(unused_for(50)).empty());
    CHECK(prune(read_cache(cache.path(), nullptr), unused_for(50), nullptr).empty());
    CHECK(fs::exists(old.directory));
  }
  SECTION("what was used since the cache was looked at stays") {
    const auto looked = read_cache(cache.path(), nullptr);
    install(cache.path(), "old", 'a');
    CHECK(prune(looked, unused_for(30), nullptr).empty());
    CHECK(fs::exists(old.directory));
  }
  SECTION("a pruned wheel is installed anew") {
    prune(read_cache(cache.path(), nullptr), unused_for(30), nullptr);
    CHECK(fs::file_size(install(cache.path(), "old", 'a').directory / "old" / "data") == content);
  }
}

TEST_CASE("what others use is never freed", "[cache][prune]") {
  const TempDirectory cache;
  const auto wheel = install(cache.path(), "alpha", 'a');
  write(cache / "uv" / "archive", std::string(content, 'u'));

  SECTION("an entry whose lock is held") {
    age(wheel.directory, 90);
    const FileLock lock(wheel.directory.string() + ".lock", {});
    const auto pruned = prune(read_cache(cache.path(), nullptr), unused_for(30), nullptr);
    REQUIRE(pruned.size() == 1);
    CHECK(pruned[0].kept == "another stackx holds its lock");
    CHECK(fs::exists(wheel.directory));
  }
  SECTION("what a campaign took since it began, and uv's cache while it runs") {
    age(wheel.directory, 90);
    const auto idle = install(cache.path(), "idle", 'b');
    age(idle.directory, 90);
    {
      const CacheUse campaign(cache.path());
      install(cache.path(), "alpha", 'a');
      const auto pruned = prune(read_cache(cache.path(), nullptr), everything(), nullptr);
      CHECK(find(pruned, wheel.directory)->kept == "used by a campaign that runs");
      CHECK(find(pruned, cache / "uv")->kept == "a campaign runs");
      CHECK(find(pruned, idle.directory)->kept.empty());
    }
    CHECK(fs::exists(wheel.directory));
    CHECK(fs::exists(cache / "uv"));
    CHECK_FALSE(fs::exists(idle.directory));
    const auto pruned = prune(read_cache(cache.path(), nullptr), everything(), nullptr);
    CHECK(find(pruned, wheel.directory)->kept.empty());
    CHECK(find(pruned, cache / "uv")->freed >= content);
    CHECK_FALSE(fs::exists(wheel.directory));
    CHECK_FALSE(fs::exists(cache / "uv"));
  }
}

TEST_CASE("what runs without a sandbox have for themselves is counted and freed, too", "[cache][prune]") {
  const TempDirectory cache;
  const auto open = root_of(Exposure::open, cache.path());
  REQUIRE(open != cache.path());
  const auto inside = install(cache.path(), "alpha", 'a'), outside = install(open, "alpha", 'a');
  const auto site = tree(open, {outside});
  write(open / "uv" / "archive", std::string(content, 'u'));
  const auto lone = open / "wheels" / (hash('b') + ".lock");
  write(lone, "");
  const auto found = read_cache(cache.path(), nullptr);
  CHECK(found.wheels.size() == 2);
  CHECK(found.environments.size() == 1);
  CHECK(found.uv == std::vector{open / "uv"});
  CHECK(found.uv_bytes >= content);
  CHECK(found.bytes >= 3 * content);
  {
    const CacheUse campaign(cache.path());
    install(open, "alpha", 'a');
    const auto pruned = prune(read_cache(cache.path(), nullptr), everything(), nullptr);
    CHECK(find(pruned, outside.directory)->kept == "used by a campaign that runs");
    CHECK(find(pruned, open / "uv")->kept == "a campaign runs");
  }
  prune(read_cache(cache.path(), nullptr), everything(), nullptr);
  for (const auto& place : {inside.directory, outside.directory, site, open / "uv", lone}) CHECK_FALSE(fs::exists(place));
}

TEST_CASE("a campaign that was killed protects nothing", "[cache][prune]") {
  const TempDirectory cache;
  const pid_t pid = fork();
  if (pid == 0) {
    const CacheUse campaign(cache.path());
    _exit(0);  // as if killed: no destructor runs
  }
  waitpid(pid, nullptr, 0);
  CHECK_FALSE(fs::is_empty(cache / "campaigns"));
  CHECK_FALSE(in_use_since(cache.path()));
  CHECK(fs::is_empty(cache / "campaigns"));
  const CacheUse first(cache.path());
  const auto began = in_use_since(cache.path());
  const CacheUse second(cache.path());
  CHECK(in_use_since(cache.path()) == began);  // the oldest counts
  bool called = false;
  CHECK_FALSE(while_unused(cache.path(), [&] { called = true; }));
  CHECK_FALSE(called);
}

TEST_CASE("a lock that was removed while somebody waited for it is taken anew", "[cache][lock]") {
  const TempDirectory directory;
  const auto file = directory / "x.lock";
  auto first = std::make_unique<FileLock>(file, nullptr);
  bool removed = false;
  const FileLock second(file, nullptr, [&] {  // asked while it waits
    if (!removed) {
      fs::remove(file);
      first.reset();
      removed = true;
    }
    return false;
  });
  REQUIRE(second.held());
  CHECK(fs::exists(file));  // so that a third one meets it there
  CHECK_FALSE(FileLock(file, {}, [] { return true; }).held());
}

TEST_CASE("leftovers of dead builders go whatever their age, those of living ones stay", "[cache][prune]") {
  const TempDirectory cache;
  install(cache.path(), "alpha", 'a');
  const auto wheels = cache / "wheels";
  write(wheels / (hash('c') + "-cpython-311.partial-123") / "half", "x");
  write(wheels / (hash('c') + "-cpython-311.partial-123.build") / "log", "x");
  write(wheels / (hash('d') + ".partial-124") / "half", "x");
  write(wheels / hash('e') / "no-manifest", "x");
  write(cache / "environments" / (hash('f') + ".partial-9") / "half", "x");
  write(cache / "images" / (hash('f') + ".json.77.part"), "x");
  write(cache / "container-engine.2147483646.part", "x");  // above any kernel's largest pid
  write(cache / ("probe-" + std::to_string(getpid()) + ".tar"), "x");
  {
    const FileLock at_work(wheels / (hash('d') + ".lock"), {});
    CHECK(read_cache(cache.path(), nullptr).leftovers.size() == 6);
    const auto pruned = prune(read_cache(cache.path(), nullptr), unused_for(30), nullptr);
    CHECK(pruned.size() == 6);
    CHECK(fs::exists(wheels / (hash('d') + ".partial-124") / "half"));
  }
  CHECK(prune(read_cache(cache.path(), nullptr), unused_for(30), nullptr).size() == 1);
  CHECK(read_cache(cache.path(), nullptr).leftovers.empty());
  CHECK(fs::exists(cache / ("probe-" + std::to_string(getpid()) + ".tar")));
  CHECK(read_cache(cache.path(), nullptr).wheels.size() == 1);
  CHECK(fs::is_empty(cache / "environments"));
  CHECK(fs::is_empty(cache / "images"));
}

TEST_CASE("what cannot be removed stays, says why, and the rest goes", "[cache][prune]") {
  if (geteuid() != 0) return;  // root makes what nobody else can remove
  const TempDirectory cache;
  const auto wheels = cache / "wheels";
  write(wheels / (hash('c') + ".partial-123") / "inner" / "file", "x");
  fs::permissions(cache.path(), fs::perms::all);
  fs::permissions(wheels, fs::perms::all);
  REQUIRE(seteuid(61723) == 0);
  write(wheels / (hash('d') + ".partial-124") / "closed" / "file", "x");
  fs::permissions(wheels / (hash('d') + ".partial-124") / "closed", fs::perms::none);
  const auto pruned = prune(read_cache(cache.path(), nullptr), unused_for(30), nullptr);
  REQUIRE(seteuid(0) == 0);
  REQUIRE(pruned.size() == 2);
  CHECK(pruned[0].kept == "it cannot be removed: Permission denied");
  CHECK(pruned[0].freed == 0);
  CHECK(pruned[1].kept.empty());
  CHECK(fs::exists(wheels / (hash('c') + ".partial-123")));
  CHECK_FALSE(fs::exists(wheels / (hash('d') + ".partial-124")));
}

TEST_CASE("images go through the engine, bases after what is built on them", "[cache][prune]") {
  const TempDirectory cache, store;
  const auto engine = fake_engine(store.path());
  for (const auto& [id, size] : {std::pair("base", "100"), {"upper", "160"}, {"theirs", "70"}, {"ours", "50"}})
    write(store / id, size);
  const auto base = image(cache.path(), '1', "debootstrap", "bookworm", {}, "base");
  const auto upper = image(cache.path(), '2', "debootstrap", "bookworm", {"gcc"}, "upper");
  const auto theirs = image(cache.path(), '3', "oci", "docker.io/library/x:1", {}, "theirs");
  const auto ours = image(cache.path(), '4', "oci", "docker.io/library/y:1", {}, "ours", true);
  const auto gone = image(cache.path(), '5', "debootstrap", "trixie", {}, "gone");
  const auto found = read_cache(cache.path(), &engine);
  REQUIRE(found.images.size() == 5);
  const auto one = std::ranges::find(found.images, "upper", &CachedImage::id);
  CHECK(one->bytes == 160);
  CHECK(one->installed.at("dpkg") == "1.0");
  CHECK(name_of(*one) == "bookworm + gcc");
  CHECK_FALSE(std::ranges::find(found.images, "gone", &CachedImage::id)->there);

  SECTION("all of them") {
    const auto pruned = prune(found, unused_for(30), &engine);
    CHECK(find(pruned, upper)->freed == 60);  // above its base
    CHECK(find(pruned, base)->freed == 100);
    CHECK(find(pruned, ours)->freed == 50);
    CHECK(find(pruned, gone)->freed == 0);
    CHECK(find(pruned, theirs)->freed == 0);
    for (const auto* id : {"base", "upper", "ours"}) CHECK_FALSE(fs::exists(store / id));
    CHECK(fs::exists(store / "theirs"));  // the engine had it before
    CHECK(fs::is_empty(cache / "images"));
  }
  SECTION("one that a container uses stays, and its base") {
    write(store / "upper.busy", "");
    const auto pruned = prune(found, unused_for(30), &engine);
    CHECK(find(pruned, upper)->kept.find("image is in use") != std::string::npos);
    CHECK(find(pruned, base)->kept == "an image that stays is built on it");
    CHECK(fs::exists(upper));
    CHECK(fs::exists(base));
    CHECK_FALSE(fs::exists(store / "ours"));
  }
  SECTION("a dry run leaves all") {
    auto order = unused_for(30);
    order.dry_run = true;
    CHECK(freed(prune(found, order, &engine)) == 210);
    CHECK(fs::exists(store / "upper"));
    CHECK(fs::exists(upper));
  }
  SECTION("without an engine none goes") {
    const auto pruned = prune(read_cache(cache.path(), nullptr), unused_for(30), nullptr);
    CHECK(find(pruned, ours)->kept == "no container engine works here");
    CHECK(fs::exists(ours));
  }
}
