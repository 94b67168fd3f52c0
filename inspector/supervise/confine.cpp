#include "inspector/supervise/confine.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <linux/sockios.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <sstream>

#include "inspector/supervise/processes.hpp"

namespace stackx::supervise {
namespace {

constexpr uid_t nobody = 65534;

constexpr const char* refused[] = {
    // other processes
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "pidfd_getfd",
    "pidfd_send_signal", "kcmp",
    // namespaces and mounts
    "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen", "fsconfig",
    "fsmount", "fspick", "mount_setattr", "name_to_handle_at", "open_by_handle_at", "quotactl", "quotactl_fd",
    // parts of the kernel that are large, and of no use here
    "add_key", "request_key", "keyctl", "io_uring_setup", "io_uring_enter", "io_uring_register", "bpf",
    "perf_event_open", "userfaultfd", "fanotify_init", "lookup_dcookie", "vmsplice", "memfd_secret",
    // the machine
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff",
    "acct", "syslog", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "iopl", "ioperm", "sethostname",
    "setdomainname", "vhangup", "nfsservctl"};

// The machine's side of a virtual machine's sockets, which no network namespace holds; and the kernel's ciphers.
constexpr int families[] = {AF_VSOCK, AF_ALG};

// Whose memory no process maps and no file system shows.
constexpr const char* uncounted[] = {"memfd_create", "shmget", "shmat", "semget", "msgget", "mq_open"};

constexpr unsigned long new_namespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
                                         CLONE_NEWUTS | CLONE_NEWCGROUP;

class Filter {
 public:
  Filter() : context_(seccomp_init(SCMP_ACT_ALLOW)) {}
  ~Filter() { seccomp_release(context_); }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;
  explicit operator bool() const { return context_ != nullptr; }

  // What the architecture does not have cannot be called either; libseccomp 2.5.4 knows all of those above.
  template <typename... Conditions>
  void refuse(const char* call, int error, Conditions... conditions) {
    const int number = seccomp_syscall_resolve_name(call);
    if (number < 0) return;
    const scmp_arg_cmp all[] = {conditions..., {}};
    seccomp_rule_add_array(context_, SCMP_ACT_ERRNO(static_cast<unsigned>(error)), number, sizeof...(conditions), all);
  }

  // Without the mitigation that older kernels add to filtered processes: it would slow what is measured.
  bool load() {
    seccomp_attr_set(context_, SCMP_FLTATR_CTL_SSB, 1);
    seccomp_attr_set(context_, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    const int status = seccomp_load(context_);
    errno = -status;
    return status == 0;
  }

 private:
  scmp_filter_ctx context_;
};

// The kernel takes 32 bits of an int; the register has 64, and what stands in the others is the caller's choice.
scmp_arg_cmp equals(unsigned argument, int value) {
  return {argument, SCMP_CMP_MASKED_EQ, 0xffffffff, static_cast<std::uint32_t>(value)};
}

scmp_arg_cmp above(unsigned argument, std::uint64_t value) { return {argument, SCMP_CMP_GT, value, 0}; }

// What a user may do to any process of his by its number, its group's, or to all of them.
void protect(Filter& filter, pid_t supervisor) {
  for (const char* call : {"prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr",
                           "kill", "tgkill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "migrate_pages",
                           "move_pages", "pidfd_open"})
    filter.refuse(call, EPERM, equals(0, supervisor));
  filter.refuse("kill", EPERM, equals(0, -1));
  if (const pid_t group = getpgid(supervisor); group > 1) filter.refuse("kill", EPERM, equals(0, -group));
  filter.refuse("setpriority", EPERM, equals(1, supervisor));
  filter.refuse("setpriority", EPERM, above(0, PRIO_PROCESS));
  constexpr int one_process = 1;  // IOPRIO_WHO_PROCESS
  filter.refuse("ioprio_set", EPERM, equals(1, supervisor));
  filter.refuse("ioprio_set", EPERM, above(0, one_process));
  if (supervisor == 1) return;  // whom no process within can signal
  for (const int command : {F_SETOWN, F_SETOWN_EX}) filter.refuse("fcntl", EPERM, equals(1, command));
  for (const int request : {FIOSETOWN, SIOCSPGRP}) filter.refuse("ioctl", EPERM, equals(1, request));
}

bool counts_in_namespaces() {
  utsname system{};
  int major = 0, minor = 0;
  return uname(&system) == 0 && std::sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
         (major > 5 || (major == 5 && minor >= 14));
}

// Whether there is such a user in this namespace, as far as /proc tells: "inside outside count", a line each.
bool is_mapped(uid_t user) {
  std::istringstream lines(read_small("/proc/self/uid_map"));
  std::uint64_t inside = 0, outside = 0, count = 0;
  bool told = false;
  while (lines >> inside >> outside >> count) {
    told = true;
    if (user >= inside && user - inside < count) return true;
  }
  return !told;
}

// For good, as no_new_privs follows: not even root's exec brings them back.
bool drop_capabilities() {
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2]{};
  return syscall(SYS_capset, &header, none) == 0;
}

}  // namespace

bool become_user(uid_t user) {
  if (user == 0) return true;
  if (!is_mapped(user)) user = is_mapped(nobody) ? nobody : 0;
  if (user != 0 && (setgroups(0, nullptr) != 0 || setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0))
    return false;
  return drop_capabilities();  // which go with root's number, and with nobody else's
}

void limit_tasks(std::uint64_t most, bool own_user) {
  if (!own_user && !counts_in_namespaces()) return;
  rlimit wanted{};
  getrlimit(RLIMIT_NPROC, &wanted);
  wanted.rlim_cur = wanted.rlim_max = std::min<rlim_t>(most, wanted.rlim_max);
  setrlimit(RLIMIT_NPROC, &wanted);
}

bool filter_calls(pid_t supervisor, bool counted) {
  Filter filter;
  if (!filter) {
    errno = ENOMEM;
    return false;
  }
  for (const char* call : refused) filter.refuse(call, EPERM);
  filter.refuse("clone3", ENOSYS);
  for (unsigned long bit = 1; bit <= new_namespaces; bit <<= 1)
    if ((new_namespaces & bit) != 0) filter.refuse("clone", EPERM, scmp_arg_cmp{0, SCMP_CMP_MASKED_EQ, bit, bit});
  for (const int family : families) filter.refuse("socket", EPERM, equals(0, family));
  protect(filter, supervisor);
  if (!counted)
    for (const char* call : uncounted) filter.refuse(call, EPERM);
  return filter.load();
}

}  // namespace stackx::supervise
