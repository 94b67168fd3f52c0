"""How one process becomes several ranks, and how they find each other.

A launcher says so in the environment, and this process is then one of its ranks:
    torchrun, an Indexed Job   RANK (or JOB_COMPLETION_INDEX), WORLD_SIZE, MASTER_ADDR, MASTER_PORT
    a TFJob                    TF_CONFIG: workers, a chief before them
    mpirun                     OMPI_COMM_WORLD_RANK or PMI_RANK, with their sizes; MASTER_ADDR where there are several nodes
    srun                       SLURM_PROCID, SLURM_STEP_NUM_TASKS; MASTER_ADDR where there are several nodes
Alone, the process makes the others itself, by fork before a framework is imported: each starts with the same interpreter, paths and
words, and none inherits a framework's threads. Rejected: torchrun for that, which needs a working name service and which torch did not
have before 1.9.
"""

from __future__ import absolute_import

import ctypes
import json
import os
import signal
import sys
import tempfile
import threading

from stackx_pi.errors import EnvironmentFault

PR_SET_PDEATHSIG = 1
FIRST_PORT, PORTS = 20000, 20000
USUAL_PORT = 29500
HERE = "127.0.0.1"
MPI = [("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"),
       ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS")]


class World(object):
    """`host`, `port`: where rank 0 may listen, and at the port behind it; None where all are of this machine and met before. `links`:
    connections to rank 0, or rank 0's to the others in their order; None: to be made (circle.py)."""

    def __init__(self, rank, size, by, local_rank=0, host=HERE, port=USUAL_PORT, links=None, children=()):
        self.rank, self.size, self.by, self.local_rank = rank, size, by, local_rank
        self.host, self.port, self.links, self.children = host, port, links, list(children)
        self.meeting = None  # a file, of forked ranks
        self.ending = False

    def init_method(self):
        """As torch.distributed takes it."""
        return "file://" + self.meeting if self.meeting else "tcp://%s:%d" % (self.host, self.port)

    def here(self):
        """How many ranks share this machine's processors, as far as is known: those that this program has made."""
        return self.size if self.by == "fork" or os.environ.get(OURS) else 1

    def end_children(self):
        """They have no more to say."""
        self.ending = True
        for child in self.children:
            try:
                os.kill(child, signal.SIGKILL)
            except OSError:  # it has ended
                pass


OURS = "STACKX_PI_RANKS"  # this program has called mpirun itself (mpirun.py)


def number(environment, name):
    try:
        return int(environment[name])
    except ValueError:
        raise EnvironmentFault("%s=%s: expected a whole number" % (name, environment[name]))


def launched(environment):
    """The world that a launcher has made; None where this process is alone."""
    for read in (by_world_size, by_tf_config, by_mpirun, by_srun):
        world = read(environment)
        if world is not None:
            return world
    return None


def by_world_size(environment):
    if "WORLD_SIZE" not in environment:
        return None
    rank = next((name for name in ("RANK", "JOB_COMPLETION_INDEX") if name in environment), None)
    if rank is None:
        raise EnvironmentFault("WORLD_SIZE is set, but neither RANK nor JOB_COMPLETION_INDEX")
    local = "LOCAL_RANK" if "LOCAL_RANK" in environment else rank
    return World(number(environment, rank), number(environment, "WORLD_SIZE"), "WORLD_SIZE", number(environment, local),
                 host(environment, None), port(environment))


def tf_config(environment):
    """(kind, index, cluster) of TF_CONFIG, a chief as the first of the workers; None without it."""
    if "TF_CONFIG" not in environment:
        return None
    try:
        found = json.loads(environment["TF_CONFIG"])
        kind, index = str(found["task"]["type"]), int(found["task"]["index"])
        told = dict((str(key), [str(place) for place in places]) for key, places in found["cluster"].items())
        chiefs = told.get("chief", []) + told.get("master", [])
        cluster = {"worker": chiefs + told.get("worker", []), "ps": told.get("ps", [])}
        place = {"chief": ("worker", index), "master": ("worker", index), "worker": ("worker", index + len(chiefs)), "ps": ("ps", index)}
        kind, index = place[kind]
        cluster[kind][index].index(":")
        return kind, index, cluster
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise EnvironmentFault('TF_CONFIG: expected {"cluster": {"worker": ["host:port", ...]}, "task": {"type": "worker", "index": 0}}, '
                               'the type worker, chief, master or ps (%s: %s)' % (type(error).__name__, error))


def by_tf_config(environment):
    found = tf_config(environment)
    if found is None:
        return None
    kind, index, cluster = found
    if kind == "ps":
        raise EnvironmentFault("TF_CONFIG: this task is a parameter server, which exchange=servers starts; it trains nothing")
    first, meet = cluster["worker"][0].rsplit(":", 1)
    return World(index, len(cluster["worker"]), "TF_CONFIG", 0, first, int(meet))


def by_mpirun(environment):
    for rank, size, local, here in MPI:
        if rank in environment and size in environment:
            one_node = environment.get(here, environment[size]) == environment[size]
            return World(number(environment, rank), number(environment, size), "mpirun",
                         number(environment, local if local in environment else rank), host(environment, HERE if one_node else None),
                         port(environment))
    return None


def by_srun(environment):
    if environment.get("SLURM_STEP_NUM_TASKS", "1") == "1":
        return None
    one_node = environment.get("SLURM_STEP_NUM_NODES", "1") == "1"
    local = "SLURM_LOCALID" if "SLURM_LOCALID" in environment else "SLURM_PROCID"
    return World(number(environment, "SLURM_PROCID"), number(environment, "SLURM_STEP_NUM_TASKS"), "srun", number(environment, local),
                 host(environment, HERE if one_node else None), port(environment))


def host(environment, usual):
    found = environment.get("MASTER_ADDR", usual)
    if found is None:
        raise EnvironmentFault("several ranks were started, but MASTER_ADDR does not say where rank 0 is: export the name "
                               "of its node (Slurm: the first of `scontrol show hostnames`; a Job: its Service)")
    return found


def port(environment):
    if "MASTER_PORT" in environment:
        return number(environment, "MASTER_PORT")
    job = int("".join(c for c in environment.get("SLURM_JOB_ID", "") if c.isdigit()) or 0)
    return FIRST_PORT + job % PORTS if job else USUAL_PORT


def fork_ranks(size):
    """Returns in each of `size` processes with its World; this one is rank 0. A rank ends with rank 0, and rank 0 with any."""
    meeting = unused_file() if size > 1 else None
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # one machine; its name may not lead anywhere
    first, children, links = os.getpid(), [], []
    for rank in range(1, size):
        mine, other = pipe()
        child = os.fork()
        if child == 0:
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != first:
                os._exit(1)  # pylint: disable=protected-access
            for link in links + [mine]:  # whose end is to be seen must not be held open
                link.close()
            world = World(rank, size, "fork", rank, links=[other])
            world.meeting = meeting
            return world
        other.close()
        children.append(child)
        links.append(mine)
    world = World(0, size, "fork", 0, links=links, children=children)
    world.meeting = meeting
    for rank, child in enumerate(children):
        watch(world, rank + 1, child)
    return world


def pipe():
    from multiprocessing import Pipe
    return Pipe()


def unused_file():
    handle, path = tempfile.mkstemp(prefix="stackx-ranks-")
    os.close(handle)
    os.remove(path)  # the store wants to make it
    return path


def watch(world, rank, child):
    """A rank that dies would leave the others waiting for it."""
    def wait():
        _, status = os.waitpid(child, 0)
        if status != 0 and not world.ending:
            ended = "killed by signal %d" % os.WTERMSIG(status) if os.WIFSIGNALED(status) else "exit status %d" % os.WEXITSTATUS(status)
            sys.stderr.write("pi.py: rank %d of %d ended: %s\n" % (rank, world.size, ended))
            sys.stderr.flush()
            os._exit(3)  # pylint: disable=protected-access
    thread = threading.Thread(target=wait)
    thread.daemon = True
    thread.start()
