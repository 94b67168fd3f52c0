"""What training a network takes at least: a lower bound, so that no run is refused that would fit.

Counted, in each worker: parameters and velocities in float32, the gradients of PyTorch, which keeps them (others may use up each as it
comes), and the batch; on the host what the check keeps in float64 while it awaits the other workers (the first state, two steps'
states, gradients), or the drawing of a batch, which NumPy makes in float64. Left out: activations, mixed precision's copies of the
weights, what frameworks and libraries take for themselves. So a run that is let through may still be too large, by far where
activations are most of it.
"""

from __future__ import absolute_import, division

from stackx_pi.memory import Need

KEYS = ["batch", "image_size", "depth", "width", "classes"]
# Bytes a parameter: weights and velocities in float32 and float64; of two steps; the right gradients.
START, STEPS, GRADIENTS = 2 * (4 + 8), 2 * 2 * 8, 8


def kept(adapter, momentum):
    """Arrays of the parameters' size that a worker holds from step to step."""
    if (adapter.exchange.name or "").startswith("servers"):
        return 0  # weights and velocities are the servers'
    return 3 if adapter.name == "torch" and momentum else 2  # without momentum PyTorch has no velocities


def need_of(adapter, network, batch, momentum):
    parameters, images = network.parameter_count(), 3 * batch * network.image_size**2
    own = 4 * (kept(adapter, momentum) * parameters + images)
    return Need(KEYS, own if adapter.settings.device == "cpu" else 0, (START + STEPS + GRADIENTS) * parameters, own, (8 + 4) * images)
