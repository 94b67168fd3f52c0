// What a process gives up before it becomes the PI: another user's rights than its supervisor's, system calls that
// measuring does not need, and processes without end.
//
// The PI is code from strangers. Where the supervisor is root (of the machine or of a container) the PI runs as an
// unprivileged user of its own, so that it can neither trace nor signal the supervisor, nor write what the kernel lets
// root write without any capability (/proc/sys). Where it is not, both have one user, and what keeps them apart is
// that the supervisor is not dumpable (no ptrace, /proc/PID/mem, environ, fd) and this filter.
//
// Refused with EPERM: tracing and other processes' descriptors and memory, namespaces, mounts, keys, io_uring, BPF,
// perf events, modules, clocks, sockets to the machine's host, and signalling the supervisor, by whatever way, or
// changing its limits and scheduling. clone3 is "not implemented", as its flags cannot be seen: libraries fall back
// to clone. Where no control group counts memory, so are memfd_create, System V's shared memory, semaphores and
// messages, and message queues: nothing in /proc shows what they hold. Rejected: a list of what is allowed, which
// would have to know every framework and driver; killing instead of EPERM, which fails programs that merely try.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace stackx::supervise {

// Another user's rights, all capabilities gone. False with errno if that cannot be had: nothing may run then.
// A user that the namespace does not map is replaced by nobody, and if that is not mapped either, by none: such a
// namespace's root is nobody's root outside. 0: whoever we are, with what we may.
bool become_user(uid_t user);

// At most so many tasks of this user, where the kernel counts them for this run alone (a user of its own, or a user
// namespace of a kernel from 5.14 on).
void limit_tasks(std::uint64_t most, bool own_user);

// From here on. `supervisor`: whose limits are not to be touched; `counted`: a control group counts all memory. False
// with errno where the kernel has no filters.
bool filter_calls(pid_t supervisor, bool counted);

}  // namespace stackx::supervise
