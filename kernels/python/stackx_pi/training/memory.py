"""What training a network takes at least: a lower bound, so that no run is refused that would fit.

Counted, in each worker: parameters, gradients (where a framework keeps them all until the update) and velocities in float32, and the
batch; on the host what the check keeps in float64 while it awaits the other workers (the first state, two steps' states, gradients),
or the drawing of a batch, which NumPy makes in float64. Left out: activations, mixed precision's copies of the weights, what frameworks
and libraries take for themselves. So a run that is let through may still be too large, by far where activations are most of it.
"""

from __future__ import absolute_import, division

from stackx_pi.memory import Need

KEYS = ["batch", "image_size", "depth", "width", "classes"]
START, STEPS, GRADIENTS = 2 * (4 + 8), 2 * 2 * 8, 8  # bytes a parameter: weights and velocities in float32 and float64; of two steps; right ones


def kept(adapter, momentum):
    """Arrays of the parameters' size that a worker holds when it updates them."""
    if (adapter.exchange.name or "").startswith("servers"):
        return 0  # weights and velocities are the servers'
    if adapter.name == "torch":
        return 3 if momentum else 2
    whole_state_twice = adapter.mode == "eager" or adapter.settings.device == "cpu"  # else its arrays are donated
    return 3 if adapter.name == "numpy" or adapter.name == "jax" and whole_state_twice else 2


def need_of(adapter, network, batch, momentum):
    parameters, images = network.parameter_count(), 3 * batch * network.image_size**2
    own = 4 * (kept(adapter, momentum) * parameters + images)
    return Need(KEYS, own if adapter.settings.device == "cpu" else 0, (START + STEPS + GRADIENTS) * parameters, own, (8 + 4) * images)
