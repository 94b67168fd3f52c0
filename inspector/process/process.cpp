#include "inspector/process/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "specs/error.hpp"

extern char** environ;

namespace stackx::inspector {
namespace {

using Clock = std::chrono::steady_clock;

// An owned descriptor, close-on-exec and above the standard ones, so that dup2 in the child cannot
// clobber it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) {
    fd_ = fcntl(fd, F_DUPFD_CLOEXEC, 10);
    const int error = errno;
    close(fd);
    if (fd_ < 0) throw broken_environment(fmt::format("no free descriptor: {}", strerror(error)));
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset();
    fd_ = std::exchange(other.fd_, -1);
    return *this;
  }
  ~Descriptor() { reset(); }
  void reset() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

struct Pair {
  Descriptor ours, childs;
};

Pair make_pipe() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) {
    throw broken_environment(fmt::format("cannot make a pipe: {}", strerror(errno)));
  }
  Pair pair;
  pair.ours = Descriptor(fds[0]);
  pair.childs = Descriptor(fds[1]);
  return pair;
}

Pair make_channel() {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
    throw broken_environment(fmt::format("cannot make a socket pair: {}", strerror(errno)));
  }
  Pair pair;
  pair.ours = Descriptor(fds[0]);
  pair.childs = Descriptor(fds[1]);
  return pair;
}

// Everything the child needs, made before the fork: after it only async-signal-safe calls are
// allowed.
struct Launch {
  std::string program, directory;
  std::vector<char*> argv, envp;
  std::vector<std::string> assignments;
  Pair out, err, channel,
      failure;  // failure: carries the errno of exec, closed by a successful one
  Descriptor null;
  pid_t parent = 0;
};

// Marks what is above the standard descriptors (and the channel) close-on-exec.
void close_others(bool channel) {
#ifdef SYS_close_range
  constexpr unsigned cloexec = 1U << 2;  // CLOSE_RANGE_CLOEXEC
  syscall(SYS_close_range, channel ? 4U : 3U, ~0U, cloexec);
#else
  (void)channel;
#endif
}

[[noreturn]] void become(const Launch& launch) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int error = 0;
  if (getppid() != launch.parent) {
    error = ESRCH;  // the parent died before prctl: nobody waits for this process
  } else if (dup2(launch.null.get(), 0) < 0 || dup2(launch.out.childs.get(), 1) < 0 ||
             dup2(launch.err.childs.get(), 2) < 0 ||
             (launch.channel.childs && dup2(launch.channel.childs.get(), 3) < 0)) {
    error = errno;
  } else if (chdir(launch.directory.c_str()) != 0) {
    error = errno;
  } else {
    close_others(static_cast<bool>(launch.channel.childs));
    for (const int signal : {SIGPIPE, SIGXFSZ, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD}) {
      ::signal(signal, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execve(launch.program.c_str(), launch.argv.data(), launch.envp.data());
    error = errno;
  }
  (void)!write(launch.failure.childs.get(), &error, sizeof error);
  _exit(127);
}

Launch make_launch(const Command& command, const std::string& program) {
  Launch launch;
  launch.program = program;
  launch.directory = command.directory.empty() ? "/" : command.directory.string();
  for (const auto& word : command.argv) launch.argv.push_back(const_cast<char*>(word.c_str()));
  launch.argv.push_back(nullptr);
  for (const auto& [name, value] : command.environment) {
    launch.assignments.push_back(name + "=" + value);
  }
  for (auto& assignment : launch.assignments) launch.envp.push_back(assignment.data());
  launch.envp.push_back(nullptr);
  launch.out = make_pipe();
  launch.err = make_pipe();
  launch.failure = make_pipe();
  if (command.channel) launch.channel = make_channel();
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null < 0) throw broken_environment("/dev/null cannot be opened");
  launch.null = Descriptor(null);
  launch.parent = getpid();
  return launch;
}

// The errno of exec, or 0 once it succeeded.
int exec_error(const Descriptor& failure) {
  int error = 0;
  ssize_t got;
  do got = read(failure.get(), &error, sizeof error);
  while (got < 0 && errno == EINTR);
  return got == sizeof error ? error : 0;
}

// One stream of the child, read without blocking into a text of bounded size.
class Stream {
 public:
  Stream(Descriptor fd, std::size_t limit, std::string& text)
      : fd_(std::move(fd)), limit_(limit), text_(text) {
    if (fd_) fcntl(fd_.get(), F_SETFL, O_NONBLOCK);
  }

  // Reads what is there, a bounded amount; false once nothing more can come.
  bool pump() {
    std::array<char, 65536> buffer;
    for (int rounds = 0; fd_ && rounds < 16; ++rounds) {
      const ssize_t got = read(fd_.get(), buffer.data(), buffer.size());
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
      if (got <= 0) {
        fd_.reset();
        return false;
      }
      const auto room = limit_ - text_.size();
      exceeded_ = exceeded_ || static_cast<std::size_t>(got) > room;
      text_.append(buffer.data(), std::min<std::size_t>(static_cast<std::size_t>(got), room));
      if (exceeded_) return true;
    }
    return static_cast<bool>(fd_);
  }
  bool exceeded() const { return exceeded_; }
  int fd() const { return fd_.get(); }  // poll ignores negative ones

 private:
  Descriptor fd_;
  std::size_t limit_;
  std::string& text_;
  bool exceeded_ = false;
};

// What a process wrote by its own calls; 0 where the kernel does not say.
std::uint64_t written_by(pid_t pid) {
  std::ifstream io(fmt::format("/proc/{}/io", pid));
  std::uint64_t bytes = 0;
  for (std::string word; io >> word;)
    if (word == "wchar:" && io >> bytes) break;
  return bytes;
}

// Watches one child until it ended and its group is gone.
class Watch {
 public:
  Watch(const Command& command, pid_t pid, Launch& launch, Finished& finished)
      : command_(command),
        pid_(pid),
        finished_(finished),
        out_(std::move(launch.out.ours), command.stdout_limit, finished.out),
        err_(std::move(launch.err.ours), command.stderr_limit, finished.err),
        channel_(std::move(launch.channel.ours), std::size_t{1} << 20, finished.channel),
        due_(Clock::now() + command.deadline) {
#ifdef SYS_pidfd_open
    const long fd =
        syscall(SYS_pidfd_open, pid, 0);  // older kernels: -1, and the poll interval serves
    if (fd >= 0) pidfd_ = Descriptor(static_cast<int>(fd));
#endif
  }

  void until_end() {
    int status = 0;
    for (;;) {
      pump();
      const pid_t got = wait4(pid_, &status, WNOHANG, &finished_.usage);
      if (got == pid_) break;
      enforce();
      wait();
    }
    kill(-pid_, SIGKILL);  // what the child started and left in its group
    pump();
    if (finished_.end != End::not_started) return;  // we ended it, and why stands there
    finished_.end = WIFEXITED(status) ? End::exited : End::signalled;
    finished_.status = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
  }

 private:
  void pump() {
    out_.pump();
    err_.pump();
    channel_.pump();
  }

  void enforce() {
    const auto now = Clock::now();
    if (ending_) {
      if (now >= due_) kill(-pid_, SIGKILL);
    } else if (out_.exceeded() || err_.exceeded()) {
      end(End::output_limit, now);
    } else if (now >= due_) {
      end(End::deadline, now);
    } else if (command_.stop && command_.stop()) {
      end(End::stopped, now);
    } else if (command_.most_written > 0 && written_by(pid_) > command_.most_written) {
      end(End::wrote_too_much, now);
    }
  }

  void end(End why, Clock::time_point now) {
    finished_.end = why;
    ending_ = true;
    if (command_.channel && channel_.fd() >= 0) {
      shutdown(channel_.fd(), SHUT_WR);
      due_ = now + command_.grace;
    } else {
      kill(-pid_, SIGKILL);
      due_ = now;
    }
  }

  void wait() {
    using std::chrono::milliseconds;
    auto left = std::chrono::ceil<milliseconds>(due_ - Clock::now());
    const auto most = milliseconds(pidfd_ ? (command_.stop || command_.most_written > 0 ? 50 : 1000) : 10);
    left = std::clamp(left, milliseconds(ending_ ? 5 : 0), most);
    std::array<pollfd, 4> fds{{{pidfd_.get(), POLLIN, 0},
                               {out_.exceeded() ? -1 : out_.fd(), POLLIN, 0},
                               {err_.exceeded() ? -1 : err_.fd(), POLLIN, 0},
                               {channel_.fd(), POLLIN, 0}}};
    poll(fds.data(), fds.size(), static_cast<int>(left.count()));  // EINTR: just another look
  }

  const Command& command_;
  pid_t pid_;
  Finished& finished_;
  Stream out_, err_, channel_;
  Descriptor pidfd_;
  Clock::time_point due_;
  bool ending_ = false;
};

// A user's processes may be used up for a moment, by somebody else's: that must not end a campaign.
pid_t fork_patiently() {
  constexpr int attempts = 100;
  for (int attempt = 0;; ++attempt) {
    const pid_t pid = fork();
    if (pid >= 0 || errno != EAGAIN || attempt == attempts) return pid;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace

Finished run(const Command& command) {
  Finished finished;
  const auto program = find_program(command.argv.at(0));
  if (program.empty()) {
    finished.status = access(command.argv[0].c_str(), F_OK) == 0 ? EACCES : errno;
    return finished;
  }
  auto launch = make_launch(command, program.string());
  // An interpreter finds itself by its name, which may have been given from where we stand.
  if (command.argv[0].find('/') != std::string::npos) launch.argv[0] = launch.program.data();
  const pid_t pid = fork_patiently();
  if (pid < 0) throw broken_environment(fmt::format("cannot start a process: {}", strerror(errno)));
  if (pid == 0) become(launch);
  setpgid(pid, pid);  // in both, so that the group exists whoever comes first
  launch.out.childs.reset();
  launch.err.childs.reset();
  launch.channel.childs.reset();
  launch.failure.childs.reset();
  if (const int error = exec_error(launch.failure.ours); error != 0) {
    waitpid(pid, nullptr, 0);
    finished.status = error;
    return finished;
  }
  Watch(command, pid, launch, finished).until_end();
  return finished;
}

std::filesystem::path find_program(const std::string& name) {
  const auto executable = [](const std::filesystem::path& file) {
    std::error_code error;
    return std::filesystem::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) {
    return executable(name) ? std::filesystem::absolute(name) : std::filesystem::path();
  }
  const char* path = std::getenv("PATH");
  const std::string directories = path ? path : "/usr/local/bin:/usr/bin:/bin";
  for (std::size_t from = 0; from <= directories.size();) {
    const auto to = std::min(directories.find(':', from), directories.size());
    const std::filesystem::path directory = directories.substr(from, to - from);
    // Relative directories are skipped: what runs must not depend on where we stand.
    if (directory.is_absolute() && executable(directory / name)) return directory / name;
    from = to + 1;
  }
  return {};
}

void append(Words& words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
}

Environment current_environment() {
  Environment result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (const auto equals = text.find('='); equals != std::string::npos) {
      result[text.substr(0, equals)] = text.substr(equals + 1);
    }
  }
  return result;
}

std::string tail(const std::string& text, std::size_t bytes) {
  const nlohmann::json last = text.substr(text.size() - std::min(text.size(), bytes));
  constexpr auto replace = nlohmann::json::error_handler_t::replace;
  return nlohmann::json::parse(last.dump(-1, ' ', false, replace)).get<std::string>();
}

// glibc names signals since 2.32.
std::string signal_name(int signal) {
  static constexpr std::pair<int, const char*> names[] = {
#define STACKX_SIGNAL(name) {SIG##name, #name}
      STACKX_SIGNAL(HUP),  STACKX_SIGNAL(INT),    STACKX_SIGNAL(QUIT), STACKX_SIGNAL(ILL),  STACKX_SIGNAL(TRAP),
      STACKX_SIGNAL(ABRT), STACKX_SIGNAL(BUS),    STACKX_SIGNAL(FPE),  STACKX_SIGNAL(KILL), STACKX_SIGNAL(USR1),
      STACKX_SIGNAL(SEGV), STACKX_SIGNAL(USR2),   STACKX_SIGNAL(PIPE), STACKX_SIGNAL(ALRM), STACKX_SIGNAL(TERM),
      STACKX_SIGNAL(CHLD), STACKX_SIGNAL(CONT),   STACKX_SIGNAL(STOP), STACKX_SIGNAL(TSTP), STACKX_SIGNAL(TTIN),
      STACKX_SIGNAL(TTOU), STACKX_SIGNAL(URG),    STACKX_SIGNAL(XCPU), STACKX_SIGNAL(XFSZ), STACKX_SIGNAL(VTALRM),
      STACKX_SIGNAL(PROF), STACKX_SIGNAL(WINCH),  STACKX_SIGNAL(POLL), STACKX_SIGNAL(PWR),  STACKX_SIGNAL(SYS),
#undef STACKX_SIGNAL
  };
  for (const auto& [number, name] : names)
    if (number == signal) return fmt::format("SIG{} ({})", name, strsignal(signal));
  return fmt::format("signal {}", signal);
}

}  // namespace stackx::inspector
