"""The workers of one training: how they start, what they agree on, by which exchange they take means."""

from __future__ import absolute_import

import importlib
import os

from stackx_pi import ranks, threads
from stackx_pi.bits import most_ulps
from stackx_pi.errors import Unsupported, UsageError
from stackx_pi.parallel.exchange import Exchange
from stackx_pi.parameters import Parameter
from stackx_pi.ranks import mpirun
from stackx_pi.ranks.circle import Circle
from stackx_pi.ranks.world import World, tf_config

KINDS = {"numpy": ("ring", "mpi"), "torch": ("ddp", "mpi"), "jax": ("pmap", "mpi"), "tensorflow2": ("mirrored", "mpi"),
         "tensorflow1": ("servers",)}
NAMES = ["default", "ddp", "mirrored", "servers", "pmap", "ring", "mpi"]
PARAMETERS = [
    Parameter("workers", "0", "processes that train together, each with a batch; 0: all that a launcher started, or 1"),
    Parameter("exchange", "default", "how they come to the mean of their gradients: ddp (torch), mirrored (TensorFlow 2), servers "
                                     "(TensorFlow 1), pmap (JAX), ring (NumPy), mpi"),
    ranks.NODES,
    Parameter("servers", "1", "exchange=servers: how many parameter servers"),
]
FAR = 1 << 20  # streams of random numbers of the other workers


class Workers(object):
    def __init__(self, world, asked, servers):
        self.world, self.asked, self.servers = world, asked, servers
        self.several = world.size > 1
        self.circle = Circle(world) if self.several else None
        self.exchange, self.cpus = Exchange(), None

    @classmethod
    def alone(cls):
        return cls(World(0, 1, "nobody"), "default", 0)

    def words(self):
        return "; mean of the gradients of %d workers, each with inputs of its own" % self.world.size if self.several else ""

    def prepare(self, name):
        """Before the framework `name` is imported."""
        if self.several:
            self.cpus = threads.share(self.world.local_rank, self.world.here())
            if name == "jax" and self.asked != "mpi":
                from stackx_pi.parallel.with_jax import connect
                connect(self.world, self.circle)

    def all_cpus(self):
        """For a process that is none of the workers."""
        if self.cpus:
            os.sched_setaffinity(0, self.cpus)

    def join(self, adapter):
        """After it: the exchange, which the adapter's trainers call."""
        if self.several:
            kind = adapter.__module__.rsplit("with_", 1)[-1]
            kinds = KINDS.get(kind, ())
            name = (kinds or ("none",))[0] if self.asked == "default" else self.asked
            if name not in kinds:
                raise Unsupported("%s %s: exchange=%s; it has %s" % (adapter.name, adapter.version, self.asked,
                                                                     " and ".join(kinds) or "none"))
            module = "mpi" if name == "mpi" else "with_" + kind
            self.exchange = importlib.import_module("stackx_pi.parallel." + module).join(adapter, self)
        adapter.exchange = self.exchange

    def stream(self, number):
        """Of random numbers: each worker has inputs of its own."""
        return number + FAR * self.world.rank

    def right_mean(self, arrays):
        return self.circle.mean(arrays) if self.several else arrays

    def agreed(self, check):
        return most_ulps(self.circle.agreed(check), self.gathered) if self.several else check

    def together(self, sample):
        return self.circle.sampler(sample) if self.several else sample

    def clock(self, own):
        return self.circle.clock(own) if self.several else own

    def described(self, unit, items, own_ns):
        """What a document says of them. `items` of one worker in a sample, of which `own_ns` are its times."""
        if not self.several:
            return {}
        return {"workers": {"count": self.world.size, "exchange": self.exchange.name, "started_by": self.world.by,
                            unit: self.gathered(items * len(own_ns) / (sum(own_ns) / 1e9) if own_ns else None)}}

    def end(self):
        """Returns in the first."""
        self.exchange.end()
        ranks.end(self.world)

    def first(self):
        return self.world.rank == 0

    def gathered(self, value):
        return self.circle.gathered(value) if self.several else [value]


def start(parameters, phases):
    """(Workers, None), or (None, the document of those that mpirun started). Before a framework is imported."""
    asked = parameters.one_of("exchange", NAMES)
    servers = parameters.whole("servers", 1, 1024)
    task = tf_config(os.environ)
    if task is not None and task[0] == "ps":
        from stackx_pi.parallel.with_tensorflow1 import serve
        serve(task[2], task[1])
    size = parameters.whole("workers", 0, ranks.MOST_RANKS)
    if asked == "mpi" and mpirun.wanted(size):
        return None, mpirun.document(size, phases)
    return Workers(ranks.start(parameters, "workers", 1), asked, servers), None


def refuse(parameters, why):
    """Of a phase that has no gradients."""
    if parameters.whole("workers", 0, ranks.MOST_RANKS) > 1:
        raise UsageError("workers=%s: %s" % (parameters.text("workers"), why))
    parameters.set("workers", 1)
    parameters.set("nodes", 1)
