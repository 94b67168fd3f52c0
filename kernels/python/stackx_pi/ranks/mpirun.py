"""Calls the launcher of mpi4py's MPI, where nobody has: this program again, N times, on this machine.

The launcher is looked for as stackx-pi does (kernels/collectives/launcher.cpp): beside the library, in the `bin` of its prefix, on
$PATH. It is told to stay on this machine, which works without a network and as root; what is exported goes before that. Each rank's
CPUs are its share of this process's (threads.share), not what a launcher would bind it to.
"""

from __future__ import absolute_import

import json
import os
import socket
import subprocess
import sys

from stackx_pi import protocol
from stackx_pi.errors import EnvironmentFault
from stackx_pi.ranks.world import OURS, launched
from stackx_pi.starting.children import command, ending

NAMES = {"openmpi": ["mpirun.openmpi", "orterun", "prterun", "mpirun"], "mpich": ["mpiexec.mpich", "mpiexec.hydra", "mpiexec"]}
DEFAULTS = {
    "openmpi": {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PRTE_ALLOW_RUN_AS_ROOT": "1",
                "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_plm": "isolated", "OMPI_MCA_oob_tcp_if_include": "lo",
                "OMPI_MCA_btl_tcp_if_include": "lo", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "OMPI_MCA_hwloc_base_binding_policy": "none",
                "PRTE_MCA_hwloc_default_binding_policy": "none"},
    "mpich": {"HYDRA_LAUNCHER": "fork", "HYDRA_IFACE": "lo"}}


def wanted(size):
    return size > 1 and launched(os.environ) is None


def document(size, phases):
    """What rank 0 of `size` prints; its phases are ours."""
    library, kind = mpi_library()
    words = [launcher(library, kind), "-n", str(size)] + command(os.path.basename(sys.argv[0]), sys.argv[1:])
    environment = dict(DEFAULTS[kind], **os.environ)
    environment.update({OURS: str(size), "MASTER_PORT": str(free_port())})
    child = subprocess.Popen(words, stdout=subprocess.PIPE, env=environment)
    out, _ = child.communicate()
    if child.returncode == 0:
        for line in out.decode("utf-8", "replace").splitlines():
            if line.startswith("{"):
                found = json.loads(line)
                phases.done[:] = found["phases"]
                phases.memory.update(found["memory"])
                return found
            sys.stderr.write(line + "\n")
    if child.returncode == protocol.USAGE:
        protocol.finish(protocol.USAGE)  # it has said why
    raise EnvironmentFault("%s: %s" % (words[0], ending(child.returncode)))


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


def free_port():
    """Behind which the next one is free, too: now, at least."""
    for _ in range(100):
        first, second = socket.socket(), socket.socket()
        try:
            first.bind(("", 0))
            second.bind(("", first.getsockname()[1] + 1))
            return first.getsockname()[1]
        except (IOError, OSError, OverflowError):
            pass
        finally:
            first.close()
            second.close()
    raise EnvironmentFault("no two free ports one behind the other")
