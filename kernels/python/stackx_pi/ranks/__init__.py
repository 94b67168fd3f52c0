"""Several processes that measure one thing together: who they are, how they start, what they tell one another.

world.py       a process's place among the others; started by a launcher, or by fork
mpirun.py      where MPI is wanted, and nobody has called its launcher
circle.py      what ranks agree on, by way of rank 0: apart from what is measured
with_torch.py  torch.distributed's group of all ranks

Every process takes part from its first statement on; rank 0 alone prints the document.
"""

from __future__ import absolute_import

import os

from stackx_pi import protocol
from stackx_pi.errors import EnvironmentFault
from stackx_pi.parameters import Parameter
from stackx_pi.ranks.world import fork_ranks, launched

MOST_RANKS = 1 << 16
NODES = Parameter("nodes", "0", "machines that the processes are spread over, one on each, as `stackx cluster` starts them; 0: not said")


def start(parameters, key, usual):
    """The World. `parameters` has under `key` how many ranks there are to be; 0: all that a launcher started, `usual` where none did.
    Before a framework is imported."""
    wanted = parameters.whole(key, 0, MOST_RANKS)
    world = launched(os.environ) or fork_ranks(wanted or usual)
    if wanted not in (0, world.size):
        raise EnvironmentFault("%s=%d, but %s started %d" % (key, wanted, world.by, world.size))
    nodes = parameters.whole("nodes", 0, MOST_RANKS)
    if nodes > 1 and world.size > 1 and world.by == "fork":
        raise EnvironmentFault("nodes=%d, but nobody has started this on other machines: `stackx cluster` does, or a launcher" % nodes)
    parameters.set("nodes", max(nodes, 1))
    parameters.set(key, world.size)
    return world


def end(world):
    """Returns in rank 0."""
    if world.rank != 0:
        protocol.finish(protocol.DONE)
    world.end_children()
