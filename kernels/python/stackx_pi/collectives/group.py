"""torch.distributed: the ranks' group, what they agree on, and the five operations as calls.

What ranks agree on goes by messages to and from rank 0, not by the operations under test (kernels/collectives/processes.hpp).
"""

from __future__ import absolute_import

import datetime

from stackx_pi.errors import EnvironmentFault
from stackx_pi.measure import Clock

TIMEOUT = datetime.timedelta(seconds=120)
TEXT = 256


class Group(object):
    def __init__(self, torch, world, backend):
        self.torch, self.distributed, self.world = torch, torch.distributed, world
        if not self.distributed.is_available():
            raise EnvironmentFault("this torch was built without torch.distributed")
        self.distributed.init_process_group(backend, init_method=world.init_method, rank=world.rank,
                                            world_size=world.size, timeout=TIMEOUT)
        self.talk = None if backend == "gloo" else self.distributed.new_group(backend="gloo")

    def barrier(self):
        self.distributed.barrier()

    def send(self, values, to):
        self.distributed.send(values, to, group=self.talk)

    def receive(self, values, source):
        self.distributed.recv(values, source, group=self.talk)

    def from_first(self, values):
        if self.world.rank == 0:
            for rank in range(1, self.world.size):
                self.send(values, rank)
        else:
            self.receive(values, 0)
        return values

    def largest(self, value):
        mine = self.torch.tensor([value], dtype=self.torch.float64 if isinstance(value, float) else self.torch.int64)
        if self.world.rank == 0:
            other = mine.clone()
            for rank in range(1, self.world.size):
                self.receive(other, rank)
                mine = self.torch.max(mine, other)
        else:
            self.send(mine, 0)
        return self.from_first(mine).item()

    def text_of(self, rank, text):
        raw = bytearray(text.encode("utf-8")[:TEXT].ljust(TEXT))
        values = self.torch.tensor(list(raw), dtype=self.torch.int64)
        if rank != 0 and self.world.rank == rank:
            self.send(values, 0)
        if rank != 0 and self.world.rank == 0:
            self.receive(values, rank)
        return bytes(bytearray(self.from_first(values).tolist())).decode("utf-8", "replace").strip()

    def clock(self, own):
        """Rank 0's time in all ranks, so that measure() decides alike everywhere."""
        def now():
            return self.largest(own.steady_ns() if self.world.rank == 0 else -2**62)
        return Clock(now, own.epoch_ns)

    def sampler(self, call, wait, clock):
        """A barrier, a loop of calls; of the ranks' times the largest."""
        def sample(mini_batch):
            self.barrier()
            begin = clock.steady_ns()
            for _ in range(mini_batch):
                call()
            if wait is not None:
                wait()
            return self.largest(clock.steady_ns() - begin)
        return sample

    def agreed(self, check):
        """The worst of all ranks' checks, the same everywhere."""
        size, rank = self.world.size, self.world.rank
        check["max_relative_error"] = self.largest(float(check["max_relative_error"]))
        first = size - self.largest(0 if check["pass"] else size - rank)
        check["pass"] = first == size
        detail = check.pop("detail", "")
        if not check["pass"]:
            check["detail"] = self.text_of(first, detail)
        return check


def operation(torch, exchange, source, target):
    """What a call does. all_reduce and broadcast work in place, on `source`, as torch.distributed has them."""
    distributed = torch.distributed
    operator = {"sum": "SUM", "max": "MAX", "min": "MIN"}[exchange.reduction]
    operator = getattr(distributed.ReduceOp, operator)
    if exchange.kind == "all_reduce":
        return lambda: distributed.all_reduce(source, op=operator)
    if exchange.kind == "broadcast":
        return lambda: distributed.broadcast(source, 0)
    if exchange.kind == "alltoall":
        return lambda: distributed.all_to_all_single(target, source)
    parts = exchange.ranks
    if exchange.kind == "all_gather":
        pieces = list(target.chunk(parts))
        return lambda: distributed.all_gather(pieces, source)
    pieces = list(source.chunk(parts))
    return lambda: distributed.reduce_scatter(target, pieces, op=operator)
