#include "inspector/confinement/supervised_run.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "inspector/confinement/container.hpp"
#include "inspector/confinement/sandbox.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx::inspector;
using stackx::inspector::testing::TempDirectory;

namespace supervised_run_tests {
namespace {

Verdict shell(const std::string& script, const std::filesystem::path& writable, std::uint64_t disk_bytes) {
  SupervisedRun what;
  what.supervisor = testing::supervisor();
  what.argv = {"/bin/sh", "-c", script, "sh", writable};
  what.confinement.writable = {writable};
  what.confinement.disk_bytes = disk_bytes;
  what.timeout_seconds = 120;
  return judge(what, run(what, Sandbox::none("none")));
}

// A program that a confiner holds, and what it printed.
std::pair<Verdict, std::string> shell_in(const Confiner& confiner, const std::string& script, Confinement confinement = {}) {
  SupervisedRun what;
  what.supervisor = testing::supervisor();
  what.argv = {"/bin/sh", "-c", script};
  what.confinement = std::move(confinement);
  what.timeout_seconds = 120;
  const auto result = run(what, confiner);
  return {judge(what, result), result.process.out};
}

// As an engine that adds a file system in memory of its own, on a machine without control groups.
class WithAnother : public Confiner {
 public:
  explicit WithAnother(const Sandbox& sandbox) : sandbox_(sandbox) {}
  std::string description() const override { return ""; }
  bool available() const override { return true; }
  std::vector<std::string> wrap(const Confinement& confinement) const override {
    auto words = sandbox_.wrap(confinement);
    words.at(2) = words.at(3) = "0";  // of the guard
    const std::vector<std::string> end{"--remount-ro", "/dev"}, more{"--perms", "1777", "--tmpfs", "/another"};
    words.insert(std::search(words.begin(), words.end(), end.begin(), end.end()), more.begin(), more.end());
    return words;
  }
  std::map<std::string, std::string> environment() const override { return sandbox_.environment(); }

 private:
  const Sandbox& sandbox_;
};

// Begins with other words, as an engine that takes its time does.
class After : public Confiner {
 public:
  explicit After(Words words) : words_(std::move(words)) {}
  std::string description() const override { return ""; }
  bool available() const override { return true; }
  std::vector<std::string> wrap(const Confinement& /*confinement*/) const override { return words_; }
  std::map<std::string, std::string> environment() const override { return current_environment(); }

 private:
  Words words_;
};

RunResult run_in(const Confiner& confiner) {
  SupervisedRun what;
  what.supervisor = testing::supervisor();
  what.argv = {"/bin/true"};
  what.timeout_seconds = 120;
  return run(what, confiner);
}

}  // namespace

TEST_CASE("how long a confiner takes until the program has begun is known", "[supervised_run]") {
  constexpr std::int64_t long_time = 3'000'000'000;  // beside which starting a process is nothing, however busy the machine
  const auto began = std::chrono::steady_clock::now();
  const auto early = std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  const auto late = run_in(After({"/bin/sh", "-c", "sleep 3; exec \"$@\"", "sh"}));
  const auto waited = (std::chrono::steady_clock::now() - began) / std::chrono::nanoseconds(1);
  REQUIRE(late.start);
  REQUIRE(late.supervision);
  CHECK(late.start->duration_ns >= long_time);
  CHECK(late.start->duration_ns <= waited - late.supervision->duration_ns);
  CHECK(late.start->start_ns >= early);
  CHECK(late.start->start_ns + late.start->duration_ns <= late.supervision->start_ns);  // when it forked the PI
  const auto soon = run_in(Sandbox::none("none"));
  REQUIRE(soon.start);
  CHECK(soon.start->duration_ns > 0);
  CHECK(soon.start->duration_ns < late.start->duration_ns);
}

TEST_CASE("a supervisor on another clock tells no start, and all else", "[supervised_run]") {
  const auto shifted = run_in(After({"unshare", "--time", "--monotonic", "1000000"}));
  if (shifted.process.end != End::exited || shifted.process.status != 0) return;  // not root, or an old kernel
  REQUIRE(shifted.supervision);
  CHECK(shifted.supervision->end == Supervision::End::exited);
  CHECK_FALSE(shifted.start);
}

TEST_CASE("what a build holds open without a name is counted", "[supervised_run]") {
  const TempDirectory room;
  const std::string removed = "exec 5> \"$1/x\"; rm \"$1/x\"; head -c 8000000 /dev/zero >&5; sleep ";
  CHECK_THAT(shell(removed + "100", room.path(), 4 << 20).reason, Catch::Contains("wrote more than"));
  CHECK(shell(removed + "0.5", room.path(), 16 << 20).outcome == stackx::specs::Outcome::ok);
}

TEST_CASE("a process has some thousand descriptors, and no more", "[supervised_run]") {
  const auto [verdict, said] = shell_in(Sandbox::none("none"), "ulimit -Hn");
  CHECK(std::stoul(said) <= 4096);
}

TEST_CASE("every file system in memory that a sandbox lets one write to is memory", "[supervised_run]") {
  const auto sandbox = Sandbox::probe(testing::supervisor());
  if (!sandbox.available()) return;
  Confinement confinement;
  confinement.memory_bytes = std::uint64_t{64} << 20;
  const auto fill = [](const std::string& seconds) {
    return "for i in 1 2; do head -c 40000000 /dev/zero > /another/$i || exit 7; done; sleep " + seconds;
  };
  CHECK(shell_in(WithAnother(sandbox), fill("100"), confinement).first.outcome == stackx::specs::Outcome::out_of_memory);
  confinement.memory_bytes *= 2;
  CHECK(shell_in(WithAnother(sandbox), fill("0.5"), confinement).first.outcome == stackx::specs::Outcome::ok);
}

TEST_CASE("a socket in what a sandbox shows is none there", "[supervised_run]") {
  const auto sandbox = Sandbox::probe(testing::supervisor());
  if (!sandbox.available()) return;
  const TempDirectory shown;
  const auto name = std::filesystem::canonical(shown.path()) / "socket";
  std::filesystem::permissions(shown.path(), std::filesystem::perms(0755));
  sockaddr_un address{AF_UNIX, {}};
  std::strncpy(address.sun_path, name.c_str(), sizeof address.sun_path - 1);
  const int server = socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(bind(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  Confinement confinement;
  confinement.visible = {shown.path()};
  const auto [verdict, said] =
      shell_in(sandbox, "[ -e " + name.string() + " ] && ! [ -S " + name.string() + " ] && echo covered", confinement);
  Engine engine;
  engine.kind = "podman";
  const auto words = Container(engine, testing::supervisor()).wrap(confinement);
  const auto mount = "type=bind,source=/dev/null,\"target=" + (shown.path() / "socket").string() + "\",readonly";
  close(server);
  CHECK(said == "covered\n");
  CHECK(std::ranges::find(words, mount) != words.end());
}

TEST_CASE("what a build may write is counted in files, too", "[supervised_run]") {
  const TempDirectory room;
  const std::string empty_files = "i=0; while [ $i -lt 2000 ]; do : > \"$1/$i\"; i=$((i + 1)); done; sleep ";
  const auto verdict = shell(empty_files + "100", room.path(), 1 << 20);
  CHECK_THAT(verdict.reason, Catch::Contains("wrote more than"));
  CHECK(shell(empty_files + "0.5", room.path(), 8 << 20).outcome == stackx::specs::Outcome::ok);
}

}  // namespace supervised_run_tests

TEST_CASE("a bubblewrap that hangs is waited for as long as one wants", "[sandbox]") {
  const testing::TempDirectory programs;
  testing::write(programs / "bwrap", "#!/bin/sh\nexec sleep 100\n");
  std::filesystem::permissions(programs / "bwrap", std::filesystem::perms::owner_all);
  const testing::Variable path("PATH", programs.path().string() + ":/usr/bin:/bin");
  const auto began = std::chrono::steady_clock::now();
  const auto sandbox = Sandbox::probe(testing::supervisor(), std::chrono::milliseconds(400));
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(30));
  CHECK_FALSE(sandbox.available());
  CHECK(sandbox.description() == "no sandbox: bubblewrap does not work here: it did not end within 0.4 s");
}

TEST_CASE("whether a control group holds memory is asked where runs get theirs", "[sandbox]") {
  CHECK_FALSE(Sandbox::none("not wanted").has_control_group());
  const auto sandbox = Sandbox::probe(testing::supervisor());
  if (geteuid() == 0)  // its guard makes one wherever that can be done, with bubblewrap or without
    CHECK(sandbox.has_control_group() == Sandbox::none("not wanted", testing::supervisor()).has_control_group());
}
