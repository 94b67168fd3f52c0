r"""A remote shell for MPI's launcher, made of processes that run already: those that `stackx cluster` or torchrun has started, on
this node and on others.

mpirun starts a program of its own on each other node (orted, prted, hydra_pmi_proxy) by what it takes for ssh: HOST COMMAND... Here that
is a script. It leaves its call in a directory; the first process hands the command on to the one that waits on that node, which runs it
as its child, in its own sandbox or container. So every run is a new MPI world, wherever this program runs. Rejected: ssh, which neither
a sandbox nor a pod has; the PMI of an srun step, which ties processes together once in the step's life.

    each of the others to the first   "RANK\n" at once, "STATUS\n" once its command has ended
    the first to one of the others    a command and NUL; the end of the connection: there is none, or what runs is to end

kernels/collectives/remote_shell.hpp is the same for stackx-pi.
"""

from __future__ import absolute_import

import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from stackx_pi import protocol
from stackx_pi.errors import EnvironmentFault
from stackx_pi.ranks.circle import TIMEOUT
from stackx_pi.starting.children import ending

# What told this process which of them it is: the ranks that MPI makes must not read it.
TOLD = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "JOB_COMPLETION_INDEX")
BY_MPI = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK")
LOOK, GRACE = 0.05, 2  # seconds
NOBODY = 255  # as ssh's where it cannot connect
SCRIPT = """#!/bin/sh
# HOST COMMAND..., options before them
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
call=$(dirname "$0")/$$
printf '%s\\n%s' "$host" "$*" >"$call.part" && mv "$call.part" "$call.call"
while [ ! -e "$call.status" ]; do sleep 0.1; done
exit "$(cat "$call.status")"
"""


def can_serve(world, environment):
    """Whether the processes of this world wait for MPI's launcher; else it has started them."""
    return world.size > 1 and world.by in ("WORLD_SIZE", "srun") and not any(name in environment for name in BY_MPI)


def for_ranks(environment):
    """Without what names this process, and without Slurm's words, by which a launcher would call srun."""
    return dict((name, value) for name, value in environment.items() if name not in TOLD and not name.startswith("SLURM_"))


class RemoteShell(object):
    """In the first process, while the launcher runs. `hosts`: addresses of all processes, in their order; `program`: the script."""

    def __init__(self, world):
        self.waiting = await_others(world)
        self.hosts = [socket.gethostbyname(world.host)] + [link.getpeername()[0] for link in self.waiting]
        self.links, self.open = list(self.waiting), True
        self.directory = tempfile.mkdtemp(prefix="stackx-shell-")
        self.program = os.path.join(self.directory, "shell")
        with open(self.program, "w") as script:
            script.write(SCRIPT)
        os.chmod(self.program, 0o700)
        self.threads = [start_thread(self.serve)]

    def serve(self):
        try:
            while self.open:
                for name in os.listdir(self.directory):
                    if name.endswith(".call"):
                        self.take(os.path.join(self.directory, name[:-len(".call")]))
                time.sleep(LOOK)
        except (IOError, OSError):
            if self.open:
                raise  # else closed meanwhile: the directory is gone

    def take(self, call):
        with open(call + ".call") as said:
            host, _, command = said.read().partition("\n")
        os.remove(call + ".call")
        link = next((one for one in self.waiting if one.getpeername()[0] == host), None)
        if link is None:
            sys.stderr.write("pi.py: MPI's launcher wants to start something on %s, where nobody waits for it\n" % host)
            return answer(call, NOBODY)
        self.waiting.remove(link)
        self.threads.append(start_thread(lambda: answer(call, run_there(link, command))))

    def close(self):
        self.open = False
        for link in self.links:
            try:
                link.shutdown(socket.SHUT_RDWR)  # a thread may read there
            except (IOError, OSError):  # the other has ended
                pass
        for thread in self.threads:  # what one writes meanwhile would keep the directory; the first, which adds others, ends before them
            thread.join(GRACE)
        for link in self.links:
            link.close()
        shutil.rmtree(self.directory, ignore_errors=True)


def start_thread(function):
    thread = threading.Thread(target=function)
    thread.daemon = True
    thread.start()
    return thread


def answer(call, status):
    try:
        with open(call + ".part", "w") as out:
            out.write(str(status))
        os.rename(call + ".part", call + ".status")
    except (IOError, OSError):  # the directory is gone: the launcher has ended
        pass


def run_there(link, command):
    try:
        link.sendall(command.encode("utf-8") + b"\0")
        return int(read_until(link, b"\n") or NOBODY)
    except (IOError, OSError):  # it has ended without a word
        return NOBODY


def read_until(link, end):
    """None: the other has closed before."""
    got = b""
    while not got.endswith(end):
        more = link.recv(1)
        if not more:
            return None
        got += more
    return got[:-1]


def await_others(world):
    """Connections in the order of ranks."""
    door = socket.socket()
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind(("", world.port))
        door.listen(world.size)
        door.settimeout(TIMEOUT)
        links = {}
        while len(links) < world.size - 1:
            link, _ = door.accept()
            link.settimeout(None)
            links[int(read_until(link, b"\n") or 0)] = link
        return [links[rank] for rank in range(1, world.size)]
    except (IOError, OSError, ValueError, KeyError) as error:
        raise EnvironmentFault("port %d, at which the first process awaits the others: %s" % (world.port, error))
    finally:
        door.close()


def wait_for_launcher(world):
    """In each of the others: runs what the launcher wants to run here; ends this process. How that ended is no failure of ours: daemons
    that find the launcher gone before them say so by a status; the launcher's own tells whether all went well."""
    link = called(world)
    link.sendall(("%d\n" % world.rank).encode("ascii"))
    command = read_until(link, b"\0")
    if command is None:  # all ranks are elsewhere, or the first has said what is wrong
        protocol.finish(protocol.DONE)
    with open(os.devnull) as nothing:
        child = subprocess.Popen(["/bin/sh", "-c", command.decode("utf-8")], stdin=nothing, env=for_ranks(os.environ), preexec_fn=os.setsid)
    try:
        while child.poll() is None:
            if select.select([link], [], [], LOOK)[0] and not link.recv(1):
                end(child)
                protocol.finish(protocol.DONE)
    finally:  # Ctrl-C, too
        end(child)
    link.sendall(("%d\n" % (child.returncode % 256)).encode("ascii"))
    if child.returncode != 0:
        sys.stderr.write("pi.py: rank %d: what MPI's launcher ran here: %s\n" % (world.rank, ending(child.returncode)))
    protocol.finish(protocol.DONE)


def called(world):
    until = time.time() + TIMEOUT
    while True:
        try:
            return socket.create_connection((world.host, world.port))
        except (IOError, OSError) as error:
            if time.time() > until:
                raise EnvironmentFault("rank %d: rank 0 does not answer at %s:%d: %s" % (world.rank, world.host, world.port, error))
            time.sleep(LOOK)


def end(child, send=os.killpg, grace=GRACE):
    """With all that it has started, unless `send` is os.kill; `grace`: seconds between SIGTERM and SIGKILL."""
    if child.poll() is not None:
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        until = time.time() + grace
        send(child.pid, number)
        while child.poll() is None and time.time() < until:
            time.sleep(LOOK)
        if child.returncode is not None:
            return
