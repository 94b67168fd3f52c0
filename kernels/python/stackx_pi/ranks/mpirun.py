"""Calls the launcher of mpi4py's MPI, where nobody has: this program again, N times, on this machine, or on the nodes where others
wait for that (remote_shell.py).

The launcher is looked for as stackx-pi does (kernels/collectives/launcher.cpp): beside the library, in the `bin` of its prefix, on
$PATH. It is told to stay on this machine, which works without a network and as root, or which processes there are and by which network
they reach one another; what is exported goes before that. Each rank's CPUs are its share of this process's (threads.share), not what a
launcher would bind it to.

Once rank 0 has printed the document, the ranks have LEAVE seconds to leave, and those that stay are ended: MPICH before 4.2 may wait in
MPI_Finalize for ever (kernels/collectives/launcher.hpp).
"""

from __future__ import absolute_import

import json
import os
import re
import subprocess
import sys
import time

from stackx_pi import protocol
from stackx_pi.errors import EnvironmentFault
from stackx_pi.ranks.network import free_port, network_of
from stackx_pi.ranks.remote_shell import LOOK, RemoteShell, can_serve, end, for_ranks, start_thread, wait_for_launcher
from stackx_pi.ranks.world import OURS, launched
from stackx_pi.starting.children import command, ending

LEAVE = 10  # seconds
DOCUMENT = re.compile(br"^\{.*\n", re.MULTILINE)
NAMES = {"openmpi": ["mpirun.openmpi", "orterun", "prterun", "mpirun"], "mpich": ["mpiexec.mpich", "mpiexec.hydra", "mpiexec"]}
# A sandbox that has no System V shared memory, without which MPICH's UCX ends: it has POSIX's.
DEFAULTS = {
    "openmpi": {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PRTE_ALLOW_RUN_AS_ROOT": "1",
                "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
                "PRTE_MCA_hwloc_default_binding_policy": "none"},
    "mpich": {"UCX_TLS": "^sysv"}}
ON_ONE_MACHINE = {
    "openmpi": {"OMPI_MCA_plm": "isolated", "OMPI_MCA_oob_tcp_if_include": "lo", "OMPI_MCA_btl_tcp_if_include": "lo",
                "OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"},
    "mpich": {"HYDRA_LAUNCHER": "fork", "HYDRA_IFACE": "lo"}}


def wanted(size):
    world = launched(os.environ)
    return size > 1 if world is None else can_serve(world, os.environ)


def document(size, phases):
    """What rank 0 prints of `size`, or of all that wait; its phases are ours. Returns in the first process alone."""
    world = launched(os.environ)
    if world is None:
        return measured(size, phases, ON_ONE_MACHINE, lambda _: [], {OURS: str(size)})
    if world.rank != 0:
        wait_for_launcher(world)
    if size not in (0, world.size):
        raise EnvironmentFault("workers=%d, but %s started %d" % (size, world.by, world.size))
    shell = RemoteShell(world)
    try:
        return measured(world.size, phases, by_shell(shell), lambda kind: over_nodes(kind, shell.hosts), {"MASTER_ADDR": shell.hosts[0]})
    finally:
        shell.close()


def measured(size, phases, defaults, options, told):
    library, kind = mpi_library()
    environment = dict(DEFAULTS[kind], **defaults[kind])
    environment.update(for_ranks(os.environ))
    environment.update(told, MASTER_PORT=str(free_port()))
    words = [launcher(library, kind)] + options(kind) + ["-n", str(size)] + command(os.path.basename(sys.argv[0]), sys.argv[1:])
    child = subprocess.Popen(words, stdout=subprocess.PIPE, env=environment)
    out, left = heard(child)
    if child.returncode == 0 or not left:
        for line in out.decode("utf-8", "replace").splitlines():
            if line.startswith("{"):
                found = json.loads(line)
                phases.done[:] = found["phases"]
                phases.memory.update(found["memory"])
                if not left:
                    note = "%s: its ranks had not left MPI_Finalize %d s after the result, and were ended" % (kind, LEAVE)
                    found["notes"].append(note)
                    sys.stderr.write("pi.py: %s\n" % note)  # which an inspection keeps
                return found
            sys.stderr.write(line + "\n")
    if child.returncode == protocol.USAGE:
        protocol.finish(protocol.USAGE)  # it has said why
    raise EnvironmentFault("%s: %s" % (words[0], ending(child.returncode)))


def heard(child):
    """(what the launcher printed until its end, whether that came by itself); it is ended LEAVE seconds after the document."""
    said, late, left = [], None, True

    def read():
        for piece in iter(lambda: os.read(child.stdout.fileno(), 65536), b""):
            said.append(piece)

    reader = start_thread(read)
    try:
        while left and child.poll() is None:
            time.sleep(LOOK)
            if late is None and DOCUMENT.search(b"".join(said)):
                late = time.time() + LEAVE
            left = late is None or time.time() < late
    finally:
        end(child, os.kill, LEAVE)  # it ends its ranks then
    reader.join(LEAVE)  # until all that it has started have closed it, which some do a moment after the launcher's own end
    return b"".join(said), left


def by_shell(shell):
    """Open MPI's own programs stay in the foreground, or their parent would take them for ended; they look on every node for what
    the shell's first word names."""
    program = "/bin/sh " + shell.program
    openmpi = {"OMPI_MCA_plm": "rsh", "OMPI_MCA_plm_rsh_agent": program, "OMPI_MCA_plm_rsh_no_tree_spawn": "1",
               "OMPI_MCA_orte_leave_session_attached": "1", "PRTE_MCA_plm": "ssh", "PRTE_MCA_plm_ssh_agent": program,
               "PRTE_MCA_plm_ssh_no_tree_spawn": "1", "PRTE_MCA_prte_leave_session_attached": "1"}
    network = network_of(shell.hosts[0])
    if network is not None:
        for name in ("OMPI_MCA_oob_tcp_if_include", "OMPI_MCA_btl_tcp_if_include", "PRTE_MCA_prte_if_include", "PMIX_MCA_ptl_tcp_if_include"):
            openmpi[name] = network
    return {"openmpi": openmpi, "mpich": {"HYDRA_LAUNCHER": "rsh", "HYDRA_LAUNCHER_EXEC": shell.program}}


def over_nodes(kind, hosts):
    if kind == "openmpi":
        return ["--host", ",".join(host + ":1" for host in hosts), "-x", "MASTER_ADDR", "-x", "MASTER_PORT"]
    return ["-localhost", hosts[0], "-hosts", ",".join(hosts)]


def mpi_library():
    """(path, kind) of what mpi4py loads."""
    try:
        import mpi4py
        mpi4py.rc.initialize = False
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise EnvironmentFault("exchange=mpi needs mpi4py and an MPI library: %s" % error)
    kind = "openmpi" if "Open MPI" in MPI.Get_library_version() else "mpich"
    named = [path for path in protocol.mapped_files() if os.path.basename(path).startswith("libmp")]
    return (named or [MPI.__file__])[0], kind


def launcher(library, kind):
    home = os.path.dirname(library)
    places = [home, os.path.join(os.path.dirname(home), "bin"), os.path.join(os.path.dirname(os.path.dirname(home)), "bin")]
    places += [place for place in os.environ.get("PATH", "").split(os.pathsep) if place]
    for name in NAMES[kind]:
        for place in places:
            path = os.path.join(place, name)
            if os.access(path, os.X_OK):
                return path
    raise EnvironmentFault("%s: no %s beside it, in the bin directory of its prefix or on the PATH: install its package (Debian: "
                           "openmpi-bin, mpich), or start pi.py by the launcher" % (library, " or ".join(NAMES[kind])))
