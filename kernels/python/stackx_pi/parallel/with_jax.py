"""pmap: jax.distributed makes the workers' devices known to all, jax.pmap runs the step on each, pmean takes the mean: by Gloo between
CPUs (jax 0.4.27 and later), NCCL between GPUs. Everything has a first axis of one: this worker's one device."""

from __future__ import absolute_import

from stackx_pi.errors import Unsupported
from stackx_pi.parallel.addresses import own_address
from stackx_pi.parallel.exchange import Exchange

AXIS = "workers"


def connect(world, circle):
    """Before JAX looks for its devices."""
    import jax
    try:
        jax.config.update("jax_cpu_collectives_implementation", "gloo")
    except AttributeError:
        pass  # join() finds out whether the devices see each other
    address = circle.gathered(own_address(world))[0]
    jax.distributed.initialize(address, num_processes=world.size, process_id=world.rank)


def join(adapter, workers):
    jax = adapter.jax
    if adapter.mode != "function":
        raise Unsupported("jax: exchange=pmap compiles the step; with mode=eager exchange=mpi can be had")
    if jax.process_count() != workers.world.size:
        raise Unsupported("jax %s: its CPU devices of different processes do not see each other; exchange=mpi can be had" % adapter.version)
    adapter.device = jax.local_devices()[0]
    return Pmap(jax, adapter.device)


class Pmap(Exchange):
    name = "pmap"

    def __init__(self, jax, device):
        self.jax, self.device = jax, device

    def compiled(self, function, donate_argnums=()):
        return self.jax.pmap(function, AXIS, donate_argnums=donate_argnums)

    def mean(self, gradients):
        return self.jax.lax.pmean(gradients, AXIS)

    def each(self, value):
        def with_axis(leaf):
            return self.jax.device_put(self.jax.numpy.asarray(leaf)[None], self.device)
        return self.jax.tree_util.tree_map(with_axis, value)

    def own(self, value):
        return self.jax.tree_util.tree_map(lambda leaf: leaf.addressable_data(0).reshape(leaf.shape[1:]), value)
