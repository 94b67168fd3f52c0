#include "inspector/supervise/guard.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "inspector/supervise/processes.hpp"

namespace stackx::supervise {
namespace {

constexpr int channel = 3, oom_channel = 4;

[[noreturn]] void become(char** argv, pid_t guard, const ControlGroup& group) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != guard) _exit(127);
  group.join();
  if (group.events() >= 0 && (dup2(group.events(), oom_channel) < 0 || fcntl(oom_channel, F_SETFD, 0) != 0)) _exit(126);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execv(argv[0], argv);
  std::fprintf(stderr, "%s: %s\n", argv[0], std::strerror(errno));
  _exit(127);
}

// Reaps what there is; true once `child` is among it.
bool reap(pid_t child, int& status) {
  bool ended = false;
  int its_status = 0;
  for (pid_t pid; (pid = waitpid(-1, &its_status, WNOHANG)) > 0;) {
    if (pid != child) continue;
    status = its_status;
    ended = true;
  }
  return ended;
}

// Until the child ended or stackx is gone. Only a closed channel counts: one that stackx merely
// shut for writing is an order to the supervisor within, which still has a report to send.
void watch(pid_t child, int signals, int& status) {
  while (!reap(child, status)) {
    pollfd fds[] = {{signals, POLLIN, 0}, {channel, 0, 0}};
    if (poll(fds, 2, -1) < 0) continue;
    if (fds[1].revents != 0) return;
    signalfd_siginfo info;
    while (read(signals, &info, sizeof info) == sizeof info) {
    }
  }
}

}  // namespace

int guard(char** argv, const GroupLimits& limits) {
  sigset_t child_signal;
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_signal, nullptr);
  const int signals = signalfd(-1, &child_signal, SFD_NONBLOCK | SFD_CLOEXEC);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, 0);  // the channel tells that stackx died, and then there is work to do
  const ControlGroup group(limits);
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child == 0) become(argv, self, group);
  int status = 0;
  if (child < 0 || signals < 0) return 126;
  watch(child, signals, status);
  for (; !others().empty(); usleep(1000)) {
    kill_all();
    reap(child, status);
  }
  reap(child, status);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace stackx::supervise
