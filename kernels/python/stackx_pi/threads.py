"""How many threads a framework may use: what can be said before it is imported.

threads=N sets the variables that OpenMP runtimes and BLAS libraries read when they are loaded; each framework adds its own call
and tells what it really uses. threads=default changes nothing.
"""

from __future__ import absolute_import

import os

from stackx_pi.errors import Unsupported

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS",
             "VECLIB_MAXIMUM_THREADS")


def announce(threads):
    """Before the framework is imported."""
    if threads is None:
        return
    for name in VARIABLES:
        os.environ[name] = str(threads)
    os.environ["OMP_DYNAMIC"] = "FALSE"
    os.environ["MKL_DYNAMIC"] = "FALSE"


def usable_cpus():
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.sysconf("SC_NPROCESSORS_ONLN")


def bind(threads):
    """For a framework that has no other way: the process, and all threads it starts from now on, get `threads` CPUs."""
    cpus = sorted(os.sched_getaffinity(0))
    if threads > len(cpus):
        raise Unsupported("%d threads asked for, this process may use %d CPUs" % (threads, len(cpus)))
    os.sched_setaffinity(0, cpus[:threads])


def share(rank, ranks):
    """Of the CPUs that this process may use the part of one rank of so many that do the same, where each can have some: for those that
    this program starts itself; a launcher binds its own. What is loaded later counts its CPUs by it. Returns what all have."""
    if ranks < 2 or not hasattr(os, "sched_getaffinity"):
        return None
    cpus = sorted(os.sched_getaffinity(0))
    some = len(cpus) // ranks
    if some:
        os.sched_setaffinity(0, cpus[rank * some:(rank + 1) * some])
    return cpus


def require(asked, used, what):
    if asked is not None and used is not None and used != asked:
        raise Unsupported("%d threads asked for, %s uses %d" % (asked, what, used))
