#include <catch2/catch.hpp>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "inspector/confinement/engine.hpp"
#include "specs/format/json.hpp"
#include "tests/inspector/fake_engine.hpp"

using namespace stackx;
using namespace stackx::inspector;
using namespace stackx::inspector::testing;

namespace fs = std::filesystem;

namespace {

// podman with all the runtimes that are tried, whatever this machine has.
class Machine {
 public:
  Machine() {
    for (const char* runtime : {"crun", "runc", "youki"}) podman.add_program(runtime, "exit 1");
    podman.add_program("docker", "echo 'docker: no daemon here' >&2; exit 1");
  }
  auto find() {
    return find_engine({cache / "stackx", supervisor(), [this](const std::string& line) { said.push_back(line); }});
  }
  fs::path answer() const { return cache / "stackx" / "container-engine.json"; }

  FakeEngine podman;
  TempDirectory cache;
  std::vector<std::string> said;
};

}  // namespace

TEST_CASE("an engine that works as it is configured is left as it is", "[engine]") {
  Machine machine;
  const auto engine = machine.find();
  REQUIRE(engine);
  CHECK(engine->program == machine.podman.program());
  CHECK(engine->version == "9.8.7");
  CHECK(engine->runtime.empty());
  CHECK(engine->options.empty());
  CHECK(engine->limits.empty());
  CHECK((engine->memory && engine->pids && engine->cpuset));
  CHECK(engine->rejected.empty());
  CHECK(engine->command("run") == Words{machine.podman.program().string(), "run"});
  CHECK_THAT(engine->description(), Catch::StartsWith("podman 9.8.7, cgroups "));
  CHECK(machine.said == std::vector<std::string>{"trying podman 9.8.7"});
}

TEST_CASE("what does not work is tried otherwise: limits, runtimes, control group managers", "[engine]") {
  Machine machine;
  SECTION("nobody may raise limits") {
    machine.podman.add_program("unused", "");
    // Every run without limits of its own fails.
    machine.podman.fail({"*--cap-drop all --security-opt no-new-privileges*--shm-size *b --mount*"});
    const auto engine = machine.find();
    REQUIRE(engine);
    CHECK(engine->runtime.empty());
    REQUIRE(engine->limits.size() == 4);
    CHECK_THAT(engine->limits[1], Catch::StartsWith("nofile="));
    CHECK_THAT(engine->limits[3], Catch::StartsWith("nproc="));
    REQUIRE(engine->rejected.size() == 1);
    CHECK_THAT(engine->rejected[0], Catch::StartsWith("as configured: ") && Catch::Contains("operation not permitted"));
    CHECK_THAT(engine->description(), Catch::Contains("nofile="));
  }
  SECTION("the default runtime and crun do not work") {
    machine.podman.fail({"run *", "--runtime crun *"});
    const auto engine = machine.find();
    REQUIRE(engine);
    CHECK(engine->runtime == "runc");
    CHECK(engine->command("run") ==
          Words{machine.podman.program().string(), "--runtime", "runc", "run"});
    CHECK(engine->rejected.size() == 4);  // each with and without limits
    CHECK_THAT(engine->description(), Catch::StartsWith("podman 9.8.7, runc, "));
  }
  SECTION("no runtime works with systemd's control groups") {
    machine.podman.fail({"run *", "--runtime crun run*", "--runtime runc run*", "--runtime youki run*"});
    const auto engine = machine.find();
    REQUIRE(engine);
    CHECK(engine->options == Words{"--cgroup-manager", "cgroupfs"});
    CHECK(engine->rejected.size() == 8);
  }
}

TEST_CASE("limits that do not work together are tried alone", "[engine]") {
  Machine machine;
  machine.podman.fail({"*--cpuset-cpus*"});
  const auto engine = machine.find();
  REQUIRE(engine);
  CHECK((engine->memory && engine->pids && !engine->cpuset));
  CHECK_THAT(engine->rejected.back(), Catch::StartsWith("limit of CPUs: "));
  CHECK_THAT(engine->description(), Catch::EndsWith("no cpuset limit"));
}

TEST_CASE("the answer is remembered while what it rests on stays", "[engine]") {
  Machine machine;
  machine.podman.fail({"run *"});
  const auto first = machine.find();
  REQUIRE(first);
  machine.podman.forget();
  const auto second = machine.find();
  REQUIRE(second);
  CHECK(to_json(*second) == to_json(*first));
  CHECK(machine.podman.calls().empty());

  SECTION("another engine of that name") {
    fs::last_write_time(machine.podman.program(), fs::file_time_type::clock::now() + std::chrono::hours(1));
  }
  SECTION("another runtime") { fs::remove(machine.podman.root() / "youki"); }
  SECTION("cut short") {
    const auto text = read(machine.answer());
    testing::write(machine.answer(), text.substr(0, text.size() / 2));
  }
  SECTION("of another format") { testing::write(machine.answer(), R"({"$schema": "stackx/container-engine/99"})"); }
  SECTION("gone") { fs::remove(machine.answer()); }
  machine.podman.fail({});
  const auto third = machine.find();
  REQUIRE(third);
  CHECK(third->runtime.empty());
  CHECK_FALSE(machine.podman.calls().empty());
}

TEST_CASE("where none works, each says why, and nothing is remembered", "[engine]") {
  Machine machine;
  machine.podman.fail({"*run *"});
  const auto none = machine.find();
  REQUIRE_FALSE(none);
  CHECK_THAT(none.error(), Catch::StartsWith("podman 9.8.7: as configured: ") &&
                               Catch::Contains("--runtime crun: ") && Catch::Contains("operation not permitted") &&
                               Catch::Contains("docker") && Catch::Contains("no daemon here"));
  CHECK_FALSE(fs::exists(machine.answer()));
  for (const auto& entry : fs::directory_iterator(machine.cache / "stackx"))
    CHECK(entry.path().extension() != ".tar");

  machine.podman.fail({});
  CHECK(machine.find());
}

TEST_CASE("no image is left of the trying, however it ends", "[engine]") {
  Machine machine;
  const auto images = [&] {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(machine.podman.root() / "images"))
      names.push_back(entry.path().filename());
    return names;
  };
  // How often it asks depends on how long all takes: a few times, or hundreds on a busy machine.
  const auto more = [](int patience) { return patience + 1 + patience / 4; };
  SECTION("one works") { REQUIRE(machine.find()); }
  SECTION("none works") {
    machine.podman.fail({"*run *"});
    REQUIRE_FALSE(machine.find());
  }
  SECTION("interrupted, at any moment") {
    bool found = false;
    for (int patience = 0; !found; patience = more(patience)) {
      int asked = 0;
      found = find_engine({machine.cache / "stackx", supervisor(), {}, [&] { return ++asked > patience; }}).has_value();
      CHECK(images().empty());
      fs::remove(machine.answer());
    }
  }
  SECTION("ended by a signal, at any moment") {
    for (int patience = 1, status = 0; !(patience > 4 && WIFEXITED(status)); patience = more(patience)) {
      fs::remove(machine.answer());
      const pid_t child = fork();
      if (child == 0) {
        std::signal(SIGTERM, SIG_DFL);  // Catch has a handler
        int asked = 0;
        find_engine({machine.cache / "stackx", supervisor(), {}, [&] {
          if (++asked == patience) raise(SIGTERM);
          return false;
        }});
        _exit(0);
      }
      waitpid(child, &status, 0);
      CHECK(images().empty());
      if (patience > 4) continue;
      CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM));
      CHECK_FALSE(fs::exists(machine.answer()));
    }
  }
  SECTION("what another left that was killed goes, what another is using stays") {
    testing::write(machine.podman.root() / "images" / "localhost_stackx-probe_2147483647", "");
    testing::write(machine.podman.root() / "images" / fmt::format("localhost_stackx-probe_{}", getppid()), "");
    REQUIRE(machine.find());
    CHECK(images() == std::vector<std::string>{fmt::format("localhost_stackx-probe_{}", getppid())});
    return;
  }
  CHECK(images().empty());
  CHECK(machine.podman.count("[import]") > 0);
}

TEST_CASE("without an engine, the reason says so", "[engine]") {
  const TempDirectory empty;
  const Variable path("PATH", empty.path().string());
  const auto none = find_engine({empty / "cache", supervisor(), {}});
  REQUIRE_FALSE(none);
  CHECK(none.error() == "podman: not found; docker: not found");
}

TEST_CASE("what is remembered is tried once more, and only that", "[engine]") {
  Machine machine;
  const EngineSearch search{machine.cache / "stackx", supervisor(), {}};
  CHECK_FALSE(remembered_engine(search));
  const auto engine = machine.find();
  REQUIRE(engine);
  REQUIRE(remembered_engine(search));
  CHECK(remembered_engine(search)->description() == engine->description());
  machine.podman.forget();
  const auto elsewhere = machine.cache / "elsewhere";
  CHECK_FALSE(why_no_more(*engine, {elsewhere, supervisor(), {}}));
  CHECK(machine.podman.count("[run]") == 1);
  CHECK_FALSE(fs::exists(elsewhere / "container-engine.json"));
  machine.podman.fail({"*run *"});
  CHECK(why_no_more(*engine, {elsewhere, supervisor(), {}}));
  CHECK(fs::is_empty(machine.podman.root() / "images"));
}

TEST_CASE("an engine that hangs is put away in the time that one has", "[engine]") {
  Machine machine;
  machine.podman.add_program("podman", "case $1 in --version) echo podman version 9;; images|import) ;; *) exec sleep 100;; esac");
  const auto began = std::chrono::steady_clock::now();
  const auto stop = [&] { return std::chrono::steady_clock::now() > began + std::chrono::milliseconds(300); };
  CHECK_FALSE(find_engine({machine.cache / "stackx", supervisor(), {}, stop, std::chrono::milliseconds(200)}));
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(30));
}
