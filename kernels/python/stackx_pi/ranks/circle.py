"""What ranks tell one another besides what is measured: their verdicts, their times, what the right mean of their gradients is.

All goes to rank 0 and back, by connections of Python's own standard library: of a collective operation that is wrong nothing is
believed. Forked ranks have pipes; others reach rank 0 at the port behind that of their framework. Messages are JSON or plain numbers:
nothing that arrives is ever executed. Rejected: messages by torch.distributed or MPI, which only some of the frameworks have.
"""

from __future__ import absolute_import, division

import json
import time

from stackx_pi.errors import EnvironmentFault
from stackx_pi.measure import Clock

TIMEOUT, WHY = 120, 10


class Circle(object):
    def __init__(self, world):
        self.world = world
        self.links = connected(world) if world.links is None else world.links

    def combined(self, mine, combine):
        """`combine`: (what came so far, the next rank's) -> both; bytes. The same in all ranks."""
        try:
            if self.world.rank != 0:
                self.links[0].send_bytes(mine)
                return self.links[0].recv_bytes()
            for link in self.links:
                mine = combine(mine, link.recv_bytes())
            for link in self.links:
                link.send_bytes(mine)
            return mine
        except (EOFError, IOError, OSError) as error:
            if self.world.children:
                time.sleep(WHY)  # who watches them tells which has ended, and how, and ends this one
            raise EnvironmentFault("rank %d of %d: another one has ended (%s)" % (
                self.world.rank, self.world.size, str(error) or type(error).__name__))

    def gathered(self, value):
        """What each rank says, in their order. JSON."""
        found = self.combined(json.dumps([value]).encode("ascii"), lambda some, more: json.dumps(
            json.loads(some.decode("ascii")) + json.loads(more.decode("ascii"))).encode("ascii"))
        return json.loads(found.decode("ascii"))

    def largest(self, value):
        return max(self.gathered(value))

    def barrier(self):
        self.gathered(0)

    def mean(self, arrays):
        """Of each array over all ranks; float64."""
        import numpy

        def added(some, more):
            return (numpy.frombuffer(some) + numpy.frombuffer(more)).tobytes()

        wide = [numpy.asarray(array, numpy.float64) for array in arrays]
        return [(numpy.frombuffer(self.combined(array.tobytes(), added)) / self.world.size).reshape(array.shape) for array in wide]

    def clock(self, own):
        """Rank 0's time in all ranks, so that measure() decides alike everywhere."""
        return Clock(lambda: self.gathered(own.steady_ns())[0], own.epoch_ns)

    def sampler(self, sample):
        """Begun together; of the ranks' times the largest."""
        def together(mini_batch):
            self.barrier()
            return self.largest(sample(mini_batch))
        return together

    def agreed(self, check):
        """The worst of all ranks' checks, the same everywhere."""
        found = self.gathered([check["pass"], check["max_relative_error"], check.get("detail", "")])
        check["pass"] = all(right for right, _, _ in found)
        check["max_relative_error"] = max(error for _, error, _ in found)
        check.pop("detail", None)
        if not check["pass"]:
            check.pop("worst", None)
            check["detail"] = next(detail for right, _, detail in found if not right)
        return check


def connected(world):
    from multiprocessing.connection import Listener
    if world.size == 1:
        return []
    place = (world.host, world.port + 1)
    if world.rank != 0:
        link = called(place, world)
        link.send_bytes(str(world.rank).encode("ascii"))
        return [link]
    try:
        listener = Listener(("", place[1]), "AF_INET", world.size)
    except (IOError, OSError) as error:
        raise EnvironmentFault("port %d, at which rank 0 awaits the others: %s; export another MASTER_PORT (one less)" % (place[1], error))
    links = {}
    while len(links) < world.size - 1:
        link = listener.accept()
        links[int(link.recv_bytes())] = link
    listener.close()
    return [links[rank] for rank in sorted(links)]


def called(place, world):
    from multiprocessing.connection import Client
    until = time.time() + TIMEOUT
    while True:
        try:
            return Client(place, "AF_INET")
        except (IOError, OSError) as error:
            if time.time() > until:
                raise EnvironmentFault("rank %d: rank 0 does not answer at %s:%d: %s" % ((world.rank,) + place + (error,)))
            time.sleep(0.1)
