"""How one process becomes several ranks, and how they find each other.

A launcher says so in the environment, and this process is then one of its ranks:
    torchrun, an Indexed Job   RANK (or JOB_COMPLETION_INDEX), WORLD_SIZE, MASTER_ADDR, MASTER_PORT
    srun                       SLURM_PROCID, SLURM_STEP_NUM_TASKS; MASTER_ADDR where there are several nodes
Alone, the process makes the others itself, by fork before a framework is imported: each starts with the same interpreter, paths and
words, and none inherits a framework's threads. They meet in a file. Rejected: torchrun for that, which needs a working name service and
which torch did not have before 1.9.
"""

from __future__ import absolute_import

import ctypes
import os
import signal
import tempfile

from stackx_pi.errors import EnvironmentFault

PR_SET_PDEATHSIG = 1
FIRST_PORT, PORTS = 20000, 20000


class World(object):
    """`init_method` as torch.distributed takes it."""

    def __init__(self, rank, size, init_method, local_rank, by):
        self.rank, self.size, self.init_method, self.local_rank, self.by = rank, size, init_method, local_rank, by


def number(environment, name):
    try:
        return int(environment[name])
    except ValueError:
        raise EnvironmentFault("%s=%s: expected a whole number" % (name, environment[name]))


def launched(environment):
    """The world that a launcher has made; None where this process is alone."""
    if "WORLD_SIZE" in environment:
        rank = next((name for name in ("RANK", "JOB_COMPLETION_INDEX") if name in environment), None)
        if rank is None:
            raise EnvironmentFault("WORLD_SIZE is set, but neither RANK nor JOB_COMPLETION_INDEX")
        local = "LOCAL_RANK" if "LOCAL_RANK" in environment else rank
        return World(number(environment, rank), number(environment, "WORLD_SIZE"), address(environment, None),
                     number(environment, local), "WORLD_SIZE")
    if environment.get("SLURM_STEP_NUM_TASKS", "1") != "1":
        one_node = environment.get("SLURM_STEP_NUM_NODES", "1") == "1"
        local = "SLURM_LOCALID" if "SLURM_LOCALID" in environment else "SLURM_PROCID"
        return World(number(environment, "SLURM_PROCID"), number(environment, "SLURM_STEP_NUM_TASKS"),
                     address(environment, "127.0.0.1" if one_node else None), number(environment, local), "srun")
    return None


def address(environment, host):
    host = environment.get("MASTER_ADDR", host)
    if host is None:
        raise EnvironmentFault("several ranks were started, but MASTER_ADDR does not say where rank 0 is: export the name "
                               "of its node (Slurm: the first of `scontrol show hostnames`; a Job: its Service)")
    job = int("".join(c for c in environment.get("SLURM_JOB_ID", "") if c.isdigit()) or 0)
    port = environment.get("MASTER_PORT", str(FIRST_PORT + job % PORTS if job else 29500))
    return "tcp://%s:%s" % (host, port)


def fork_ranks(size):
    """Returns in each of `size` processes with its World; this one is rank 0. A rank ends with rank 0."""
    handle, path = tempfile.mkstemp(prefix="stackx-ranks-")
    os.close(handle)
    os.remove(path)  # the store wants to make it
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # one machine; its name may not lead anywhere
    first, children = os.getpid(), []
    for rank in range(1, size):
        child = os.fork()
        if child == 0:
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != first:
                os._exit(1)  # pylint: disable=protected-access
            return World(rank, size, "file://" + path, rank, "fork"), []
        children.append(child)
    return World(0, size, "file://" + path, 0, "fork"), children
