// MPI's collectives by processes that somebody else has started, and the remote shell that they are to
// the launcher.
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <thread>

#include "kernels/collectives/network.hpp"
#include "kernels/collectives/remote_shell.hpp"
#include "kernels/shared_object.hpp"
#include "tests/kernels/run_pi.hpp"

using namespace stackx::kernels;
using namespace stackx::kernels::collectives;

namespace {

std::uint16_t free_port() {
  const int door = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  socklen_t size = sizeof(any);
  REQUIRE(bind(door, reinterpret_cast<sockaddr*>(&any), size) == 0);
  getsockname(door, reinterpret_cast<sockaddr*>(&any), &size);
  close(door);
  return ntohs(any.sin_port);
}

// Exit status 0: it returned; 3: it threw.
pid_t start_waiting(const Started& started) {
  const pid_t child = fork();
  if (child != 0) return child;
  try {
    wait_for_launcher(started);
  } catch (const LoadError&) {
    _exit(3);
  }
  _exit(0);
}

int status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// As a launcher calls it, which the first process serves meanwhile.
int called(RemoteShell& shell, const std::string& words) {
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", fmt::format("exec /bin/sh '{}' {}", shell.program(), words).c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    shell.serve();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return WEXITSTATUS(status);
}

using Pairs = std::map<std::string, std::string>;

struct Told {
  Pairs said;
  explicit Told(Pairs all) : said(std::move(all)) {
    for (const auto& [name, value] : said) setenv(name.c_str(), value.c_str(), 1);
  }
  ~Told() {
    for (const auto& [name, value] : said) unsetenv(name.c_str());
  }
};

}  // namespace

TEST_CASE("a command runs where another process waits, and its status comes back", "[collectives]") {
  const Started first{0, 3, "127.0.0.1", free_port()};
  std::vector<pid_t> others;
  for (const std::size_t rank : {1, 2}) others.push_back(start_waiting({rank, 3, first.host, first.port}));
  {
    RemoteShell shell(first);
    CHECK(shell.hosts() == std::vector<std::string>(3, "127.0.0.1"));
    CHECK(called(shell, "-x 127.0.0.1 'exit 0'") == 0);
    CHECK(called(shell, "127.0.0.1 exit 7") == 7);
    CHECK(called(shell, "127.0.0.1 true") == 255);  // nobody waits any more
    CHECK(called(shell, "192.0.2.1 true") == 255);
    CHECK(std::filesystem::exists(shell.program()));
  }
  for (const pid_t other : others) CHECK(status_of(other) == 0);  // the launcher's own status tells
}

TEST_CASE("who waits ends with the first process", "[collectives]") {
  const Started first{0, 2, "127.0.0.1", free_port()};
  const pid_t other = start_waiting({1, 2, first.host, first.port});
  RemoteShell(first).serve();
  CHECK(status_of(other) == 0);
}

TEST_CASE("words say which of several processes this one is", "[collectives]") {
  CHECK_FALSE(started_by_words());
  const Told words(Pairs{{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"}, {"SLURM_JOB_ID", "7"}});
  const auto found = started_by_words();
  REQUIRE(found);
  CHECK((found->rank == 1 && found->size == 2 && found->port == 29500));
  {
    const Told launched(Pairs{{"PMI_RANK", "1"}});
    CHECK_FALSE(started_by_words());
  }
  {
    const Told wrong(Pairs{{"MASTER_PORT", "much"}});
    CHECK_THROWS_WITH(started_by_words(), "MASTER_PORT=much: expected a whole number");
  }
  forget_words();
  CHECK_FALSE(started_by_words());
  CHECK(std::getenv("SLURM_JOB_ID") == nullptr);
}

TEST_CASE("the network of an address", "[collectives]") {
  CHECK(network_of("127.0.0.1") == "127.0.0.0/8");
  CHECK_FALSE(network_of("192.0.2.1"));  // RFC 5737: nobody's
}

TEST_CASE("processes that somebody has started exchange by an installed MPI", "[collectives][system]") {
  const std::string library = "/usr/lib/x86_64-linux-gnu/libmpi.so.40";
  if (!std::filesystem::exists(library) || !std::filesystem::exists("/usr/bin/mpirun.openmpi")) {
    WARN("skipped: openmpi-bin is not installed");
    return;
  }
  const std::string port = std::to_string(free_port());
  const std::vector<std::string> pi{"all_reduce", "--library", library, "ranks=2", "nodes=2", "bytes=40000", "repetitions=2", "mini_batch=2", "warmup_ms=0"};
  const auto part = [&](const std::string& rank) {
    return run_pi(pi, {"RANK=" + rank, "WORLD_SIZE=2", "MASTER_ADDR=127.0.0.1", "MASTER_PORT=" + port});
  };
  const pid_t other = fork();
  if (other == 0) {
    const auto second = part("1");
    _exit(second.out.empty() ? second.status : 1);
  }
  const auto first = part("0");
  INFO(first.err);
  REQUIRE(first.status == 0);
  CHECK(status_of(other) == 0);
  CHECK(first.json()["check"]["pass"] == true);
  CHECK(first.json()["parameters"]["ranks"] == 2);
}

TEST_CASE("ranks of one machine are not those of several", "[collectives]") {
  const std::string library = "/usr/lib/x86_64-linux-gnu/libmpi.so.40";
  if (!std::filesystem::exists(library)) return;
  const auto found = run_pi({"all_reduce", "--library", library, "ranks=2", "nodes=2"});
  CHECK(found.status == 3);
  CHECK(found.err.find("nobody has started this on other machines") != std::string::npos);
}
