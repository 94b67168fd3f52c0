// The relay between stackx and a supervisor that an engine started: the engine here runs the words itself.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>

#include "inspector/confinement/container.hpp"
#include "inspector/process/process.hpp"
#include "inspector/process/supervision.hpp"
#include "tests/inspector/support.hpp"


using namespace stackx::inspector;
using namespace stackx::inspector::testing;

namespace fs = std::filesystem;

namespace {

// `engine` before the words that it is to run, as docker's client stands before a container's.
Command through_relay(const fs::path& socket, const Words& engine, const Words& program,
                      const std::string& seconds = "30") {
  Command command;
  command.argv = {supervisor().string(), "--relay", socket.string(), "--"};
  command.argv.insert(command.argv.end(), engine.begin(), engine.end());
  append(command.argv, {supervisor().string(), "--channel", socket.string(), "--"});
  append(command.argv, {supervisor().string(), "--seconds", seconds, "--memory", "1000000000",
                        "--processes", "50", "--tasks", "100", "--"});
  command.argv.insert(command.argv.end(), program.begin(), program.end());
  command.environment = current_environment();
  command.channel = true;
  return command;
}

}  // namespace

TEST_CASE("the supervisor's report comes through the relay", "[relay]") {
  const TempDirectory scratch;
  const auto socket = scratch / "fresh" / "socket";
  const auto finished = run(through_relay(socket, {"/usr/bin/env"}, {"/bin/sh", "-c", "echo out; exit 7"}));
  REQUIRE(finished.end == End::exited);
  CHECK(finished.status == 0);
  CHECK(finished.out == "out\n");
  const auto report = supervision_from(finished.channel);
  REQUIRE(report);
  CHECK(report->end == Supervision::End::exited);
  CHECK(report->status == 7);
  CHECK_FALSE(fs::exists(socket.parent_path()));  // it leaves nothing
}

TEST_CASE("a stop reaches the supervisor, and its report still comes back", "[relay]") {
  const TempDirectory scratch;
  const auto socket = scratch / "fresh" / "socket";
  const std::string mark = "31" + std::to_string(getpid());
  auto command = through_relay(socket, {"/usr/bin/env"}, {"/bin/sleep", mark});
  // The mark stands in the command lines of the relay, the supervisor and sleep, once all have started.
  command.stop = [&] { return processes_with(mark) >= 3; };
  const auto finished = run(command);
  CHECK(finished.end == End::stopped);
  const auto report = supervision_from(finished.channel);
  REQUIRE(report);
  CHECK(report->end == Supervision::End::stopped);
  CHECK(wait_for_processes(mark, 0));
  CHECK_FALSE(fs::exists(socket.parent_path()));
}

TEST_CASE("an engine that never connects is its own status, without a report", "[relay]") {
  const TempDirectory scratch;
  const auto socket = scratch / "fresh" / "socket";
  const auto finished =
      run(through_relay(socket, {"/bin/sh", "-c", "echo no such image >&2; exit 125"}, {"/bin/true"}));
  CHECK(finished.end == End::exited);
  CHECK(finished.status == 125);
  CHECK(finished.err == "no such image\n");
  CHECK(finished.channel.empty());
  CHECK_FALSE(fs::exists(socket.parent_path()));
}

TEST_CASE("a stop before anything connected ends the engine's client", "[relay]") {
  const TempDirectory scratch;
  auto command = through_relay({}, {}, {});
  command.argv = {supervisor().string(), "--relay", (scratch / "fresh" / "socket").string(), "--",
                  "/bin/sleep", "1000"};
  command.deadline = std::chrono::milliseconds(200);
  command.grace = std::chrono::milliseconds(200);
  const auto finished = run(command);
  CHECK(finished.end == End::deadline);
  CHECK(finished.channel.empty());
}

TEST_CASE("a directory that is there is nobody's to use, nor a path that is too long", "[relay]") {
  const TempDirectory scratch;
  fs::create_directory(scratch / "there");
  auto finished = run(through_relay(scratch / "there" / "socket", {"/usr/bin/env"}, {"/bin/true"}));
  CHECK(finished.status == 126);
  CHECK(mentions(finished.err, "File exists"));
  CHECK(fs::is_empty(scratch / "there"));
  finished = run(through_relay(scratch / std::string(120, 'x') / "socket", {"/usr/bin/env"}, {"/bin/true"}));
  CHECK(finished.status == 126);
  CHECK(mentions(finished.err, "File name too long"));
}

TEST_CASE("what runs behind a relay does not outlive stackx", "[relay]") {
  const TempDirectory scratch;
  const auto socket = scratch / "fresh" / "socket";
  const std::string mark = "32" + std::to_string(getpid());
  const pid_t stackx = fork();
  if (stackx == 0) {
    setsid();
    const auto finished = run(through_relay(socket, {"/usr/bin/env"}, {"/bin/sleep", mark}, "600"));
    write(scratch / "ended", "status " + std::to_string(finished.status) + ", " + finished.err + finished.channel);
    _exit(0);
  }
  for (int i = 0; i < 1200 && processes_with(mark) < 3; ++i) usleep(50'000);
  INFO((fs::exists(scratch / "ended") ? read(scratch / "ended") : "it has not ended"));
  REQUIRE(processes_with(mark) >= 3);
  kill(stackx, SIGKILL);
  waitpid(stackx, nullptr, 0);
  CHECK(wait_for_processes(mark, 0));
  for (int i = 0; i < 3000 && fs::exists(socket.parent_path()); ++i) usleep(20'000);
  CHECK_FALSE(fs::exists(socket.parent_path()));
}

TEST_CASE("docker's words hold a relay and its other end, podman's a descriptor", "[relay][container]") {
  Engine engine;
  engine.kind = "docker";
  engine.program = "/usr/bin/docker";
  engine.limits = {"--ulimit", "nofile=1024:1024"};
  Confinement confinement;
  confinement.image = "sha256:0";
  const auto has = [](const Words& words, const std::string& word) {
    return std::ranges::find(words, word) != words.end();
  };
  const auto words = Container(engine, "/opt/stackx-supervise").wrap(confinement);
  REQUIRE(words.size() > 12);
  CHECK(words[0] == "/opt/stackx-supervise");
  CHECK(words[1] == "--relay");
  const fs::path socket = words[2];
  CHECK(words[3] == "--");
  CHECK(words[4] == "/usr/bin/docker");
  CHECK(Words(words.end() - 5, words.end()) ==
        Words{"sha256:0", "/opt/stackx-supervise", "--channel", socket.string(), "--"});
  CHECK(has(words, bind_mount(socket.parent_path(), false)));
  CHECK_FALSE(fs::exists(socket.parent_path()));
  for (const auto* word : {"--preserve-fds", "--read-only-tmpfs=false", "--no-hosts"})
    CHECK_FALSE(has(words, word));
  CHECK(*std::next(std::ranges::find(words, "--user")) ==
        (getuid() == 0 ? "0:0" : std::to_string(getuid()) + ":" + std::to_string(getgid())));
  CHECK(Container(engine, "/opt/stackx-supervise").wrap(confinement)[2] != socket);
  engine.kind = "podman";
  const auto podman = Container(engine, "/opt/stackx-supervise").wrap(confinement);
  CHECK(has(podman, "--preserve-fds"));
  CHECK_FALSE(has(podman, "--relay"));
}
