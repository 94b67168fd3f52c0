"""ring: gradients of all tensors in one buffer, summed around a ring of TCP connections: each worker sends a part to the next and adds
what comes from the one before, then the sums go round once more; as Gloo and Horovod do without MPI. Each sends 2 (N - 1) / N buffers.
Nothing but sockets of Python's standard library, which the check does not use (ranks/circle.py has its own connections).
"""

from __future__ import absolute_import, division

import select
import socket

from stackx_pi.errors import EnvironmentFault
from stackx_pi.parallel.addresses import own_host
from stackx_pi.parallel.mpi import Mpi

PATIENCE = 120  # seconds


def join(adapter, workers):
    return Ring(adapter, workers)


class Ring(Mpi):
    name = "ring"

    def __init__(self, adapter, workers):  # pylint: disable=super-init-not-called
        self.adapter, self.buffers = adapter, {}
        self.rank, self.size = workers.world.rank, workers.world.size
        self.ahead, self.behind = neighbours(workers)

    def end(self):
        for link in (self.ahead, self.behind):
            link.close()

    def add_all(self, buffer):
        import numpy
        parts = numpy.array_split(buffer, self.size)
        came = numpy.empty_like(parts[0])
        for step in range(self.size - 1):
            own, next_one = parts[(self.rank - step) % self.size], parts[(self.rank - step - 1) % self.size]
            self.pass_on(own, came[:next_one.size])
            next_one += came[:next_one.size]
        for step in range(self.size - 1):
            self.pass_on(parts[(self.rank - step + 1) % self.size], parts[(self.rank - step) % self.size])

    def pass_on(self, mine, theirs):
        """Sends one part to the next worker while another comes from the one before: who sends first and then reads may wait for ever."""
        out, into = memoryview(mine.view("uint8")), memoryview(theirs.view("uint8"))
        while len(out) or len(into):
            can_read, can_write, _ = select.select([self.behind] if len(into) else [], [self.ahead] if len(out) else [], [], PATIENCE)
            if not can_read and not can_write:
                raise EnvironmentFault("ring: worker %d of %d: nothing came for %d s" % (self.rank + 1, self.size, PATIENCE))
            if can_read:
                got = self.behind.recv_into(into)
                if got == 0:
                    raise EnvironmentFault("ring: worker %d of %d: the one before it has ended" % (self.rank + 1, self.size))
                into = into[got:]
            if can_write:
                out = out[self.ahead.send(out):]


def neighbours(workers):
    """Connections to the next worker and from the one before."""
    listener = socket.socket()
    listener.bind(("", 0))
    listener.listen(1)
    places = workers.gathered([own_host(workers.world), listener.getsockname()[1]])
    host, port = places[(workers.world.rank + 1) % len(places)]
    ahead = socket.create_connection((host, port), PATIENCE)
    listener.settimeout(PATIENCE)
    behind, _ = listener.accept()
    listener.close()
    for link in (ahead, behind):
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link.setblocking(False)
    return ahead, behind
