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
from stackx_pi.ranks.world import fork_ranks, launched

MOST_RANKS = 1 << 16


def start(parameters, key, usual):
    """The World. `parameters` has under `key` how many ranks there are to be; 0: all that a launcher started, `usual` where none did.
    Before a framework is imported."""
    wanted = parameters.whole(key, 0, MOST_RANKS)
    world = launched(os.environ) or fork_ranks(wanted or usual)
    if wanted not in (0, world.size):
        raise EnvironmentFault("%s=%d, but %s started %d" % (key, wanted, world.by, world.size))
    parameters.set(key, world.size)
    return world


def end(world):
    """Returns in rank 0."""
    if world.rank != 0:
        protocol.finish(protocol.DONE)
    world.end_children()
