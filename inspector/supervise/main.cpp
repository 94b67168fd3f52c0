// stackx-supervise: runs one PI, holds it to its limits, and leaves nothing behind.
//
//   stackx-supervise --seconds S --memory BYTES --processes N [--cpus 0,1,...] [--env
//   NAME=VALUE]... -- PI ARGS...
//   stackx-supervise --guard -- PROGRAM ARGS...    see supervise/guard.hpp
//   stackx-supervise --relay SOCKET -- ENGINE ARGS...   see supervise/relay.hpp
//   stackx-supervise --channel SOCKET -- PROGRAM ARGS...   its other end
//   stackx-supervise --true                        does nothing, well: to try a sandbox with
//
// Under bubblewrap it is PID 1 of the sandbox's PID namespace; elsewhere a child subreaper. Either
// way every process that the PI starts, daemons too, ends up below it. Descriptor 3 is a stream
// socket to stackx: end-of-file on it means "stop" (or that stackx died), and the report
// (inspector/run/supervision.hpp) goes out on it at the end. Memory is what /proc shows as resident,
// polled: RLIMIT_AS would count what BLAS libraries merely reserve.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "inspector/run/supervision.hpp"
#include "inspector/supervise/guard.hpp"
#include "inspector/supervise/processes.hpp"
#include "inspector/supervise/relay.hpp"

namespace {

using stackx::inspector::Supervision;
namespace supervise = stackx::supervise;

constexpr int channel = 3;
constexpr std::int64_t second = 1'000'000'000;

std::int64_t now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec * second + time.tv_nsec;
}

struct Orders {
  double seconds = 60;
  std::uint64_t memory = 0, processes = 0;
  cpu_set_t cpus;
  bool has_cpus = false;
  std::vector<char*> environment, argv;  // both end in nullptr
};

[[noreturn]] void usage(const char* what) {
  std::fprintf(stderr, "stackx-supervise: %s; it is started by stackx inspect, not by hand\n",
               what);
  std::exit(2);
}

void parse_cpus(const char* text, Orders& orders) {
  CPU_ZERO(&orders.cpus);
  for (char* end = nullptr; *text != '\0'; text = *end == ',' ? end + 1 : end) {
    const long cpu = std::strtol(text, &end, 10);
    if (end == text || cpu < 0 || cpu >= CPU_SETSIZE) usage("--cpus wants numbers and commas");
    CPU_SET(cpu, &orders.cpus);
    orders.has_cpus = true;
  }
}

Orders parse(int argc, char** argv) {
  Orders orders;
  int i = 1;
  for (; i < argc && std::strcmp(argv[i], "--") != 0; i += 2) {
    const std::string option = argv[i];
    if (i + 1 >= argc) usage("an option lacks its value");
    if (option == "--seconds") {
      orders.seconds = std::atof(argv[i + 1]);
    } else if (option == "--memory") {
      orders.memory = std::strtoull(argv[i + 1], nullptr, 10);
    } else if (option == "--processes") {
      orders.processes = std::strtoull(argv[i + 1], nullptr, 10);
    } else if (option == "--cpus") {
      parse_cpus(argv[i + 1], orders);
    } else if (option == "--env") {
      orders.environment.push_back(argv[i + 1]);
    } else {
      usage("unknown option");
    }
  }
  for (++i; i < argc; ++i) orders.argv.push_back(argv[i]);
  if (orders.argv.empty()) usage("no program after --");
  orders.argv.push_back(nullptr);
  orders.environment.push_back(nullptr);
  return orders;
}

void limit(__rlimit_resource resource, rlim_t value) {
  rlimit wanted{};
  getrlimit(resource, &wanted);
  wanted.rlim_cur = wanted.rlim_max = std::min(value, wanted.rlim_max);
  setrlimit(resource, &wanted);
}

[[noreturn]] void become(const Orders& orders, pid_t supervisor, int failure) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(127);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const int persona = personality(0xffffffffUL);
  if (persona != -1) personality(static_cast<unsigned long>(persona & ~ADDR_NO_RANDOMIZE));
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, orders.memory);
  if (orders.has_cpus) sched_setaffinity(0, sizeof orders.cpus, &orders.cpus);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  execve(orders.argv[0], orders.argv.data(), orders.environment.data());
  const int error = errno;
  (void)!write(failure, &error, sizeof error);
  _exit(127);
}

class Supervisor {
 public:
  explicit Supervisor(const Orders& orders) : orders_(orders) {}

  Supervision supervise() {
    if (!start()) return report_;
    while (!ended_) {
      wait(next_look());
      reap();
      if (!ended_) enforce();
    }
    sweep();
    return report_;
  }

 private:
  bool start() {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, nullptr);
    signals_ = signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC);
    int failure[2];
    if (signals_ < 0 || pipe2(failure, O_CLOEXEC) != 0) return not_started(errno);
    report_.start_ns = now(CLOCK_REALTIME);
    started_ = now(CLOCK_MONOTONIC);
    const pid_t self = getpid();
    pi_ = fork();
    if (pi_ < 0) return not_started(errno);
    if (pi_ == 0) become(orders_, self, failure[1]);
    close(failure[1]);
    int error = 0;
    const ssize_t got = read(failure[0], &error, sizeof error);
    close(failure[0]);
    if (got == sizeof error) {
      waitpid(pi_, nullptr, 0);
      return not_started(error);
    }
    return true;
  }

  bool not_started(int error) {
    report_.end = Supervision::End::not_started;
    report_.status = error;
    return false;
  }

  // Nanoseconds until the next look at the memory: soon when little is left (a process can touch
  // some GiB a second), seldom otherwise, so that the measurement is not disturbed.
  std::int64_t next_look() const {
    const auto free_bytes = orders_.memory > used_ ? orders_.memory - used_ : 0;
    const double fill = static_cast<double>(free_bytes) / 16e9;  // seconds at 16 GB/s
    return std::clamp(static_cast<std::int64_t>(fill * second), second / 200, second / 10);
  }

  void wait(std::int64_t most_ns) {
    const auto due = started_ + static_cast<std::int64_t>(orders_.seconds * second);
    const auto left = std::clamp<std::int64_t>(due - now(CLOCK_MONOTONIC), 0, most_ns);
    pollfd fds[] = {{signals_, POLLIN, 0}, {channel_open_ ? channel : -1, POLLIN, 0}};
    timespec time{left / second, left % second};
    if (ppoll(fds, 2, &time, nullptr) <= 0) return;
    if (fds[0].revents != 0) {
      signalfd_siginfo info;
      while (read(signals_, &info, sizeof info) == sizeof info) {
      }
    }
    if (fds[1].revents != 0) {  // stackx never writes: end-of-file
      channel_open_ = false;
      stop(Supervision::End::stopped);
    }
  }

  void reap() {
    int status = 0;
    rusage usage{};
    for (pid_t pid; (pid = wait4(-1, &status, WNOHANG, &usage)) > 0;) {
      if (pid == pi_) record(status, usage);
    }
  }

  void record(int status, const rusage& usage) {
    ended_ = true;
    report_.duration_ns = now(CLOCK_MONOTONIC) - started_;
    if (!stopped_) {
      report_.end = WIFEXITED(status) ? Supervision::End::exited : Supervision::End::signalled;
      report_.status = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
    }
    const auto us = [](const timeval& time) { return time.tv_sec * 1'000'000 + time.tv_usec; };
    report_.user_us = us(usage.ru_utime);
    report_.system_us = us(usage.ru_stime);
    report_.max_rss_kib = usage.ru_maxrss;
    report_.minor_faults = usage.ru_minflt;
    report_.major_faults = usage.ru_majflt;
    report_.voluntary = usage.ru_nvcsw;
    report_.involuntary = usage.ru_nivcsw;
  }

  void enforce() {
    if (stopped_) {
      supervise::kill_all();  // again: one may have been forked meanwhile
      return;
    }
    // First and quickly: thousands of processes that fork without end leave us a few milliseconds a second.
    if (supervise::listed() > 2 * orders_.processes + 64) return stop(Supervision::End::processes);
    const auto pids = supervise::others();
    if (pids.size() > orders_.processes) return stop(Supervision::End::processes);
    used_ = supervise::memory_of(pids, orders_.memory);
    report_.peak_bytes = std::max(report_.peak_bytes, used_);
    if (used_ > orders_.memory) {
      stop(Supervision::End::memory);
    } else if (now(CLOCK_MONOTONIC) - started_ >=
               static_cast<std::int64_t>(orders_.seconds * second)) {
      stop(Supervision::End::deadline);
    }
  }

  void stop(Supervision::End why) {
    if (!stopped_) report_.end = why;
    stopped_ = true;
    supervise::kill_all();
  }

  // What outlived the PI. A helper that sees its pipe close and is about to exit gets 100 ms.
  void sweep() {
    std::vector<pid_t> left = supervise::others();
    for (int i = 0; !stopped_ && !left.empty() && i < 50; ++i) {
      pause_ms(2);
      reap();
      left = supervise::others();
    }
    if (!stopped_) report_.left = left.size();
    while (!left.empty()) {
      supervise::kill_all();
      pause_ms(1);
      reap();
      left = supervise::others();
    }
    reap();
  }

  static void pause_ms(int milliseconds) {
    timespec time{0, milliseconds * 1'000'000L};
    nanosleep(&time, nullptr);
  }

  const Orders& orders_;
  Supervision report_;
  pid_t pi_ = -1;
  int signals_ = -1;
  std::int64_t started_ = 0;
  std::uint64_t used_ = 0;
  bool ended_ = false, stopped_ = false, channel_open_ = true;
};

void send(const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t got = ::send(channel, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (got <= 0) return;  // stackx is gone
    sent += static_cast<std::size_t>(got);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--true") == 0) return 0;
  if (argc > 3 && std::strcmp(argv[1], "--guard") == 0 && std::strcmp(argv[2], "--") == 0) {
    return supervise::guard(argv + 3);
  }
  if (argc > 4 && std::strcmp(argv[3], "--") == 0) {
    if (std::strcmp(argv[1], "--relay") == 0) return supervise::relay(argv[2], argv + 4);
    if (std::strcmp(argv[1], "--channel") == 0) return supervise::connect_channel(argv[2], argv + 4);
  }
  const auto orders = parse(argc, argv);
  if (fcntl(channel, F_SETFD, FD_CLOEXEC) != 0) usage("descriptor 3 is not open");
  signal(SIGPIPE, SIG_IGN);
  if (getpid() != 1) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, 0);  // the channel tells that stackx died, and then there is work to do
  }
  send(stackx::inspector::to_text(Supervisor(orders).supervise()));
  return 0;
}
