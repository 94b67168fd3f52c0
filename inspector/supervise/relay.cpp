#include "inspector/supervise/relay.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

namespace stackx::supervise {
namespace {

constexpr int channel = 3;
constexpr int patience_ms = 10'000;  // for the engine to end its client once stackx is gone

bool address_of(const char* path, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  if (std::strlen(path) >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return false;
  }
  std::strcpy(address.sun_path, path);
  return true;
}

int complain(const char* what) {
  std::fprintf(stderr, "stackx-supervise: %s: %s\n", what, std::strerror(errno));
  return 126;
}

[[noreturn]] void become(char** argv, pid_t relay) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != relay) _exit(127);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  execv(argv[0], argv);
  std::fprintf(stderr, "%s: %s\n", argv[0], std::strerror(errno));
  _exit(127);
}

// A directory that was not there before, and the socket in it; both are removed at the end.
class Listener {
 public:
  explicit Listener(const char* path) : path_(path), directory_(path_.substr(0, path_.rfind('/'))) {}
  ~Listener() {
    close_socket();
    if (made_) rmdir(directory_.c_str());
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  bool open() {
    sockaddr_un address{};
    if (!address_of(path_.c_str(), address) || mkdir(directory_.c_str(), 0700) != 0) return false;
    made_ = true;
    fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return fd_ >= 0 && bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
           chmod(path_.c_str(), 0666) == 0 && listen(fd_, 1) == 0 &&
           chmod(directory_.c_str(), 0711) == 0;
  }
  int fd() const { return fd_; }
  int accept_one() {
    const int peer = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
    if (peer >= 0) close_socket();
    return peer;
  }

 private:
  void close_socket() {
    if (fd_ < 0) return;
    close(fd_);
    unlink(path_.c_str());
    fd_ = -1;
  }

  std::string path_, directory_;
  int fd_ = -1;
  bool made_ = false;
};

// Bytes from one socket to the other; false at end-of-file.
bool pass(int from, int to) {
  char buffer[65536];
  const ssize_t got = read(from, buffer, sizeof buffer);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  for (ssize_t sent = 0; sent < got;) {
    const ssize_t n = send(to, buffer + sent, static_cast<std::size_t>(got - sent), MSG_NOSIGNAL);
    if (n <= 0) break;  // nobody reads there any more
    sent += n;
  }
  return got > 0;
}

class Relay {
 public:
  Relay(Listener& listener, pid_t client, int signals)
      : listener_(listener), client_(client), signals_(signals) {}

  int run() {
    while (!client_ended_) step();
    if (peer_ >= 0)  // what the supervisor said last may still be on its way
      for (pollfd last{peer_, POLLIN, 0}; poll(&last, 1, 1000) > 0 && pass(peer_, channel);) {
      }
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  }

 private:
  void step() {
    pollfd fds[] = {{signals_, POLLIN, 0},
                    {listener_.fd(), POLLIN, 0},
                    {told_to_stop_ ? -1 : channel, POLLIN, 0},
                    {peer_, POLLIN, 0}};
    const int ready = poll(fds, 4, told_to_stop_ ? patience_ms : -1);
    if (ready == 0) kill(client_, SIGKILL);
    if (ready <= 0) return;
    if (fds[0].revents != 0) reap();
    if (fds[1].revents != 0) accept();
    if (fds[2].revents != 0 && !pass(channel, peer_)) stop();
    if (fds[3].revents != 0 && !pass(peer_, channel)) {
      close(peer_);
      peer_ = -1;
      shutdown(channel, SHUT_WR);  // as far as stackx sees, the supervisor is gone
    }
  }

  void accept() {
    peer_ = listener_.accept_one();
    if (told_to_stop_) shutdown(peer_, SHUT_WR);
  }

  void stop() {
    told_to_stop_ = true;
    if (peer_ >= 0) shutdown(peer_, SHUT_WR);
  }

  void reap() {
    signalfd_siginfo info;
    while (read(signals_, &info, sizeof info) == sizeof info) {
    }
    if (waitpid(client_, &status_, WNOHANG) == client_) client_ended_ = true;
  }

  Listener& listener_;
  pid_t client_;
  int signals_, peer_ = -1, status_ = 0;
  bool told_to_stop_ = false, client_ended_ = false;
};

}  // namespace

int relay(const char* socket, char** argv) {
  sigset_t child_signal;
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_signal, nullptr);
  const int signals = signalfd(-1, &child_signal, SFD_NONBLOCK | SFD_CLOEXEC);
  if (signals < 0 || fcntl(channel, F_SETFD, FD_CLOEXEC) != 0) return complain("descriptor 3");
  signal(SIGPIPE, SIG_IGN);
  Listener listener(socket);
  if (!listener.open()) return complain(socket);
  prctl(PR_SET_PDEATHSIG, 0);  // the channel tells that stackx died, and then there is work to do
  const pid_t self = getpid();
  const pid_t client = fork();
  if (client < 0) return complain("fork");
  if (client == 0) become(argv, self);
  return Relay(listener, client, signals).run();
}

int connect_channel(const char* socket_path, char** argv) {
  sockaddr_un address{};
  if (!address_of(socket_path, address)) return complain(socket_path);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    return complain(socket_path);
  if (fd != channel && (dup2(fd, channel) < 0 || close(fd) != 0)) return complain("descriptor 3");
  execv(argv[0], argv);
  return complain(argv[0]);
}

}  // namespace stackx::supervise
