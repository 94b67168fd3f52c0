// stackx-supervise: runs one PI, holds it to its limits, and leaves nothing behind.
//
//   stackx-supervise --seconds S ... -- PI ARGS...  see supervise/orders.hpp
//   stackx-supervise --guard BYTES TASKS -- PROGRAM ARGS...    see supervise/guard.hpp; 0 0: no control group
//   stackx-supervise --relay SOCKET -- ENGINE ARGS...   see supervise/relay.hpp
//   stackx-supervise --channel SOCKET -- PROGRAM ARGS...   its other end
//   stackx-supervise --true                        does nothing, well: to try a sandbox with
//   stackx-supervise --counted-to BYTES            well, if its control group limits memory to that, as a guard or the
//                                                  group itself says
//
// Under bubblewrap it is PID 1 of the sandbox's PID namespace; elsewhere a child subreaper. Either
// way every process that the PI starts, daemons too, ends up below it. Descriptor 3 is a stream
// socket to stackx: end-of-file on it means "stop" (or that stackx died), and the report
// (inspector/process/supervision.hpp) goes out on it at the end. Memory is what /proc shows as resident,
// polled: RLIMIT_AS would count what BLAS libraries merely reserve. Where a control group counts as well, descriptor 4
// tells of its kills. The PI has no hold on it (supervise/confine.hpp): it holds whom it was told to, not dumpable.
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

#include "inspector/process/supervision.hpp"
#include "inspector/supervise/confine.hpp"
#include "inspector/supervise/control_group.hpp"
#include "inspector/supervise/files.hpp"
#include "inspector/supervise/guard.hpp"
#include "inspector/supervise/orders.hpp"
#include "inspector/supervise/processes.hpp"
#include "inspector/supervise/relay.hpp"

namespace {

using stackx::inspector::Supervision;
using stackx::supervise::Orders;
namespace supervise = stackx::supervise;

constexpr int channel = 3, oom_channel = 4;
// Where the kernel counts the user's other processes, too, those get this many more meanwhile: enough for them, and less
// than a machine has (32,768), which otherwise is taken before the supervisor has found what breeds.
constexpr std::uint64_t spare_tasks = 4096;
constexpr std::int64_t second = 1'000'000'000;
constexpr rlim_t most_descriptors = 4096;  // of a process: the kernel keeps a kilobyte or two for each, uncounted

std::int64_t now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec * second + time.tv_nsec;
}

using Resource = decltype(RLIMIT_CORE);  // a type of glibc's own there, int elsewhere

void limit(Resource resource, rlim_t value) {
  rlimit wanted{};
  getrlimit(resource, &wanted);
  wanted.rlim_max = std::min(value, wanted.rlim_max);
  wanted.rlim_cur = std::min(value, wanted.rlim_cur);
  setrlimit(resource, &wanted);
}

[[noreturn]] void fail(int failure) {
  const int error = errno;
  (void)!write(failure, &error, sizeof error);
  _exit(127);
}

[[noreturn]] void become(const Orders& orders, pid_t supervisor, int failure, bool counted) {
  setsid();
  if (!supervise::become_user(orders.user)) fail(failure);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // forgotten when the user changes
  if (getppid() != supervisor) _exit(127);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const int persona = personality(0xffffffffUL);
  if (persona != -1) personality(static_cast<unsigned long>(persona & ~ADDR_NO_RANDOMIZE));
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, orders.memory);
  limit(RLIMIT_NOFILE, most_descriptors);
  if (orders.user != 0 || orders.own_namespace)
    supervise::limit_tasks(orders.tasks, orders.user != 0);
  else
    limit(RLIMIT_NPROC, supervise::tasks_of_machine() + orders.tasks + spare_tasks);
  if (orders.has_cpus) sched_setaffinity(0, sizeof orders.cpus, &orders.cpus);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  if (!supervise::filter_calls(supervisor, counted)) fail(failure);
  execve(orders.argv[0], orders.argv.data(), orders.environment.data());
  fail(failure);
}

class Supervisor {
 public:
  Supervisor(const Orders& orders, std::int64_t began_ns)
      : orders_(orders),
        events_(fcntl(oom_channel, F_GETFD) >= 0 ? oom_channel : -1),
        kills_(supervise::oom_kills(events_)) {
    report_.began_ns = began_ns;
  }

  Supervision supervise() {
    hand_over();
    if (!start()) {
      take_back();
      return report_;
    }
    while (!ended_) {
      wait(more_ended_ ? 0 : next_look());
      reap();
      if (!ended_) enforce();
    }
    sweep();
    take_back();
    if (!stopped_ && supervise::oom_kills(events_) > kills_) report_.end = Supervision::End::memory;
    if (report_.end == Supervision::End::memory) report_.peak_bytes = std::max(report_.peak_bytes, orders_.memory);
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
    if (pi_ == 0) become(orders_, self, failure[1], counted());
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

  // What the PI's user may write. Its pipes, too: /dev/stdout is opened anew by name.
  void hand_over() const {
    if (orders_.user == 0) return;
    supervise::give(orders_.writable, orders_.user);
    for (const int fd : {1, 2}) (void)!fchown(fd, orders_.user, orders_.user);
  }
  void take_back() const {
    if (orders_.user != 0) supervise::give(orders_.writable, getuid());
  }

  bool counted() const { return orders_.counted || events_ >= 0; }

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

  // Not without end: orphans may end faster than they are reaped.
  void reap() {
    int status = 0;
    rusage usage{};
    const auto until = now(CLOCK_MONOTONIC) + second / 100;
    for (pid_t pid; (pid = wait4(-1, &status, WNOHANG, &usage)) > 0;) {
      if (pid == pi_) record(status, usage);
      more_ended_ = now(CLOCK_MONOTONIC) >= until;
      if (more_ended_) return;
    }
    more_ended_ = false;
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
    // What is quick first: thousands of processes that fork without end leave us a few milliseconds a second.
    if (now(CLOCK_MONOTONIC) - started_ >= static_cast<std::int64_t>(orders_.seconds * second))
      return stop(Supervision::End::deadline);
    if (supervise::listed() > 2 * orders_.processes + 64) return stop(Supervision::End::processes);
    const auto pids = supervise::others();
    if (pids.size() > orders_.processes || supervise::tasks_of(pids) > orders_.tasks)
      return stop(Supervision::End::processes);
    if (supervise::oom_kills(events_) > kills_) return stop(Supervision::End::memory);
    if (fills_disk(pids)) return stop(Supervision::End::disk);
    const auto memory = supervise::memory_of(pids, supervise::scratch_used(scratch_), orders_.memory);
    used_ = memory.counted;
    report_.peak_bytes = std::max(report_.peak_bytes, used_);
    report_.together_bytes = std::max(report_.together_bytes, memory.together);
    if (used_ > orders_.memory) stop(Supervision::End::memory);
  }

  // Walking a large tree takes a while: a tenth of the time at most is spent on it.
  bool fills_disk(const std::vector<pid_t>& pids) {
    const auto start = now(CLOCK_MONOTONIC);
    if (orders_.disk == 0 || orders_.writable.empty() || start < next_walk_) return false;
    const auto used = supervise::disk_used(orders_.writable), unnamed = supervise::disk_unnamed(pids);
    const auto end = now(CLOCK_MONOTONIC);
    next_walk_ = end + std::max(second / 5, 10 * (end - start));
    return used > orders_.disk || unnamed > orders_.disk - used || supervise::disk_left(orders_.writable) < least_left_;
  }

  void stop(Supervision::End why) {
    if (!stopped_) report_.end = why;
    stopped_ = true;
    kill(pi_, SIGKILL);  // who starts the others, as a rule; not reaped yet, so the number is its own
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
  int events_;           // of the control group, if there is one
  std::uint64_t kills_;  // that it told of before
  std::int64_t next_walk_ = 0;
  // Of the disk, for others: a GiB, or half of what there was.
  std::uint64_t least_left_ = std::min(std::uint64_t{1} << 30, supervise::disk_left(orders_.writable) / 2);
  // The PI can mount nothing; outside a namespace of our own the file systems are the machine's.
  const std::vector<std::string> scratch_ = getpid() == 1 ? supervise::scratch_places(orders_.writable)
                                                          : std::vector<std::string>{};
  Supervision report_;
  pid_t pi_ = -1;
  int signals_ = -1;
  std::int64_t started_ = 0;
  std::uint64_t used_ = 0;
  bool ended_ = false, stopped_ = false, channel_open_ = true, more_ended_ = false;
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
  const auto began_ns = now(CLOCK_MONOTONIC);
  if (argc == 2 && std::strcmp(argv[1], "--true") == 0) return 0;
  if (argc == 3 && std::strcmp(argv[1], "--counted-to") == 0)
    return fcntl(oom_channel, F_GETFD) >= 0 || supervise::is_counted_to(std::strtoull(argv[2], nullptr, 10)) ? 0 : 1;
  prctl(PR_SET_DUMPABLE, 0);  // nobody of our user reads our environment, memory or descriptors
  if (argc > 5 && std::strcmp(argv[1], "--guard") == 0 && std::strcmp(argv[4], "--") == 0) {
    return supervise::guard(argv + 5, {std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10)});
  }
  if (argc > 4 && std::strcmp(argv[3], "--") == 0) {
    if (std::strcmp(argv[1], "--relay") == 0) return supervise::relay(argv[2], argv + 4);
    if (std::strcmp(argv[1], "--channel") == 0) return supervise::connect_channel(argv[2], argv + 4);
  }
  const auto orders = supervise::parse_orders(argc, argv);
  if (fcntl(channel, F_SETFD, FD_CLOEXEC) != 0) supervise::refuse_orders("descriptor 3 is not open");
  fcntl(oom_channel, F_SETFD, FD_CLOEXEC);  // there under a guard with a control group only
  signal(SIGPIPE, SIG_IGN);
  if (getpid() != 1) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, 0);  // the channel tells that stackx died, and then there is work to do
  }
  send(stackx::inspector::to_text(Supervisor(orders, began_ns).supervise()));
  return 0;
}
