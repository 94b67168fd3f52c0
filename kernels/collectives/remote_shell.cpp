#include "kernels/collectives/remote_shell.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "kernels/collectives/environment.hpp"
#include "kernels/collectives/network.hpp"
#include "kernels/shared_object.hpp"

extern char** environ;

namespace stackx::kernels::collectives {
namespace fs = std::filesystem;
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kPatience{120}, kGrace{2};
constexpr milliseconds kLook{50};
constexpr std::uint16_t kUsualPort = 29500;  // torchrun's
constexpr int kNobody = 255;  // as ssh's where it cannot connect
constexpr const char* kWords[] = {"RANK", "WORLD_SIZE", "LOCAL_RANK", "JOB_COMPLETION_INDEX"};
constexpr const char* kScript = R"sh(#!/bin/sh
# HOST COMMAND..., options before them
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
call=$(dirname "$0")/$$
printf '%s\n%s' "$host" "$*" >"$call.part" && mv "$call.part" "$call.call"
while [ ! -e "$call.status" ]; do sleep 0.1; done
exit "$(cat "$call.status")"
)sh";

template <typename Whole>
Whole whole_in(const char* name) {
  const std::string text = text_in(name);
  Whole number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    throw LoadError(fmt::format("{}={}: expected a whole number", name, text));
  return number;
}

class Moment {
 public:
  explicit Moment(std::chrono::steady_clock::duration from_now)
      : at_(std::chrono::steady_clock::now() + from_now) {}
  bool is_over() const { return std::chrono::steady_clock::now() >= at_; }

 private:
  std::chrono::steady_clock::time_point at_;
};

bool has_word(int connection, milliseconds within) {
  pollfd asked{connection, POLLIN, 0};
  return poll(&asked, 1, static_cast<int>(within.count())) == 1;
}

// A character at a time: what follows `end` is somebody else's. Nothing: the other has closed before.
std::optional<std::string> read_until(int connection, char end) {
  std::string text;
  for (char one; recv(connection, &one, 1, 0) == 1; text += one)
    if (one == end) return text;
  return std::nullopt;
}

void send_all(int connection, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(connection, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // it is gone: its end tells
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

sockaddr_in place_of(const Started& started) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_family = AF_INET;
  wanted.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(started.host.c_str(), nullptr, &wanted, &found) != 0)
    throw LoadError(fmt::format("MASTER_ADDR={}: no such host", started.host));
  sockaddr_in place = *reinterpret_cast<const sockaddr_in*>(found->ai_addr);
  freeaddrinfo(found);
  place.sin_port = htons(started.port);
  return place;
}

int open_door(std::uint16_t port, std::size_t size) {
  const int door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
  setsockopt(door, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_port = htons(port);
  if (bind(door, reinterpret_cast<const sockaddr*>(&any), sizeof(any)) == 0 &&
      ::listen(door, static_cast<int>(size)) == 0)
    return door;
  const int why = errno;
  close(door);
  throw LoadError(fmt::format("port {}, at which the first process awaits the others: {}", port,
                              std::strerror(why)));
}

int call_first(const Started& started) {
  const sockaddr_in place = place_of(started);
  for (const Moment end(kPatience);; std::this_thread::sleep_for(kLook)) {
    const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(connection, reinterpret_cast<const sockaddr*>(&place), sizeof(place)) == 0)
      return connection;
    const int why = errno;
    close(connection);
    if (end.is_over())
      throw LoadError(fmt::format("rank {}: the first does not answer at {}:{}: {}", started.rank,
                                  started.host, started.port, std::strerror(why)));
  }
}

void write_whole(const fs::path& file, const std::string& text) {
  std::ofstream(fs::path(file) += ".part") << text;
  std::error_code gone;  // the directory is: the launcher has ended
  fs::rename(fs::path(file) += ".part", file, gone);
}

pid_t start(const std::string& command) {
  const pid_t child = fork();
  if (child != 0) return child;
  setsid();
  dup2(STDERR_FILENO, STDOUT_FILENO);
  execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  _exit(127);
}

// With all that it has started.
void end(pid_t child) {
  for (const int number : {SIGTERM, SIGKILL}) {
    kill(-child, number);
    for (const Moment late(kGrace); !late.is_over(); std::this_thread::sleep_for(kLook))
      if (waitpid(child, nullptr, WNOHANG) == child) return;
  }
}

}  // namespace

std::optional<Started> started_by_words() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_FD"})
    if (std::getenv(name) != nullptr) return std::nullopt;
  if (std::getenv("WORLD_SIZE") == nullptr) return std::nullopt;
  const char* rank = std::getenv("RANK") != nullptr ? "RANK" : "JOB_COMPLETION_INDEX";
  Started started{whole_in<std::size_t>(rank), whole_in<std::size_t>("WORLD_SIZE"),
                  text_in("MASTER_ADDR"), 0};
  if (started.size < 2) return std::nullopt;
  started.port = std::getenv("MASTER_PORT") == nullptr ? kUsualPort : whole_in<std::uint16_t>("MASTER_PORT");
  if (started.rank >= started.size)
    throw LoadError(fmt::format("{}={}, but WORLD_SIZE={}", rank, started.rank, started.size));
  place_of(started);
  return started;
}

void forget_words() {
  for (const char* name : kWords) unsetenv(name);
  std::vector<std::string> slurms;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view word = *variable;
    if (word.starts_with("SLURM_")) slurms.emplace_back(word.substr(0, word.find('=')));
  }
  for (const std::string& name : slurms) unsetenv(name.c_str());
}

RemoteShell::RemoteShell(const Started& started) : others_(started.size - 1), hosts_(started.size) {
  const sockaddr_in first = place_of(started);
  hosts_[0] = address_of(reinterpret_cast<const sockaddr*>(&first));
  const int door = open_door(started.port, started.size);
  std::size_t missing = others_.size();
  for (const Moment end(kPatience); missing > 0 && !end.is_over();) {
    if (!has_word(door, kLook)) continue;
    sockaddr_in from{};
    socklen_t size = sizeof(from);
    const int connection =
        accept4(door, reinterpret_cast<sockaddr*>(&from), &size, SOCK_CLOEXEC);
    const std::string said = read_until(connection, '\n').value_or("");
    const std::size_t rank = std::strtoull(said.c_str(), nullptr, 10);
    if (rank == 0 || rank >= started.size || others_[rank - 1].connection >= 0) {
      close(connection);  // a stranger
      continue;
    }
    others_[rank - 1].connection = connection;
    hosts_[rank] = address_of(reinterpret_cast<const sockaddr*>(&from));
    --missing;
  }
  close(door);
  if (missing > 0)
    throw LoadError(fmt::format("{} of {} processes have not come to {}:{} within {} s", missing,
                                started.size, started.host, started.port, kPatience.count()));
  std::string pattern = (fs::temp_directory_path() / "stackx-shell-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw LoadError(fmt::format("{}: {}", pattern, std::strerror(errno)));
  directory_ = pattern;
  std::ofstream(program()) << kScript;
  fs::permissions(program(), fs::perms::owner_all);
}

RemoteShell::~RemoteShell() {
  for (const Other& other : others_)
    if (other.connection >= 0) close(other.connection);
  std::error_code left;
  fs::remove_all(directory_, left);
}

void RemoteShell::serve() {
  std::vector<fs::path> calls;
  for (const auto& file : fs::directory_iterator(directory_))
    if (file.path().extension() == ".call") calls.push_back(file.path());
  for (const fs::path& call : calls) take(call);
  for (Other& other : others_)
    if (!other.call.empty()) listen(other);
}

void RemoteShell::take(const fs::path& call) {
  std::stringstream said;
  said << std::ifstream(call).rdbuf();
  fs::remove(call);
  const std::string status = fs::path(call).replace_extension(".status").string();
  std::string host;
  std::getline(said, host);
  for (std::size_t i = 0; i < others_.size(); ++i) {
    if (!others_[i].call.empty() || hosts_[i + 1] != host) continue;
    others_[i].call = status;
    std::string command = said.str().substr(std::min(host.size() + 1, said.str().size()));
    send_all(others_[i].connection, command += '\0');
    return;
  }
  fmt::print(stderr, "stackx-pi: MPI's launcher wants to start something on {}, where nobody waits for it\n", host);
  write_whole(status, std::to_string(kNobody));
}

void RemoteShell::listen(Other& other) {
  while (!other.status.ends_with('\n') && has_word(other.connection, milliseconds(0))) {
    char one = 0;
    const bool came = recv(other.connection, &one, 1, 0) == 1;
    other.status += came ? std::string(1, one) : fmt::format("{}\n", kNobody);
    if (other.status.ends_with('\n')) write_whole(other.call, other.status.substr(0, other.status.size() - 1));
  }
}

void wait_for_launcher(const Started& started) {
  const int first = call_first(started);
  send_all(first, fmt::format("{}\n", started.rank));
  const auto command = read_until(first, '\0');
  if (!command) return;  // all ranks are elsewhere, or the first has said what is wrong
  forget_words();
  const pid_t child = start(*command);
  if (child < 0) throw LoadError("no further process");
  int status = 0;
  while (waitpid(child, &status, WNOHANG) != child) {
    char word = 0;
    if (has_word(first, kLook) && recv(first, &word, 1, 0) <= 0) return end(child);
  }
  const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  send_all(first, fmt::format("{}\n", code));
  close(first);
  if (code != 0)
    fmt::print(stderr, "stackx-pi: rank {}: what MPI's launcher ran here ended with status {}\n", started.rank, code);
}

}  // namespace stackx::kernels::collectives
