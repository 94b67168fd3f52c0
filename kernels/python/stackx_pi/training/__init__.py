"""Training of a network, step by step, in each framework: what the PI train_resnet50 measures.

network.py      the network's shape, once for all frameworks, and how its layers are joined
numpy_steps.py  the same in NumPy with gradients of its own: the reference in float64, and the framework "numpy"
with_*.py       a Trainer for each framework
check.py        two steps of a Trainer against the reference
report.py       what tf_cnn_benchmarks prints

A Trainer has
    put(images, labels)   the batch that step() trains on: float32 NHWC, int32; both NumPy
    step()                one step: forward, loss, gradients, update; returns the loss, so it has ended when it returns
    read()                State: everything it has learnt, as NumPy float64
A step is stochastic gradient descent with momentum, v = momentum v + g; w -= learning_rate v, without weight decay; the loss is
the mean cross-entropy of the softmax. The loss is fetched in each step, as tf_cnn_benchmarks does.

dtype float32: all in float32. bfloat16 and float16: mixed precision, that is activations and convolutions in that type, batch
norm's statistics, the loss, the weights and their update in float32; with float16 the loss is scaled by 128, as
tf_cnn_benchmarks does.
"""

from __future__ import absolute_import

import importlib

from stackx_pi.errors import Unsupported

LOSS_SCALE = {"float32": 1, "bfloat16": 1, "float16": 128}
FRAMEWORKS = ("tensorflow", "torch", "jax", "numpy")


class State(object):
    """Lists in the order of Network.shapes(): weights (taps..., in, out), velocities; running means and variances of each
    convolution's batch norm."""

    def __init__(self, weights, velocities, means, variances):
        self.weights, self.velocities, self.means, self.variances = weights, velocities, means, variances


class Settings(object):
    def __init__(self, learning_rate, momentum):
        self.learning_rate, self.momentum = learning_rate, momentum


def initial_state(network, seed):
    """Where every framework starts: He's initialisation for convolutions (fan out), gamma near 1, and near 1/4 where a block ends
    (Goyal et al. 2017, arXiv:1706.02677, begin with 0 there), beta near 0; near, so that the check sees them. Velocities 0, running
    statistics 0 and 1."""
    import numpy
    from stackx_pi.inputs import random_state
    ends = set("gamma %d" % block.convolutions[-1] for block in network.blocks)
    weights = []
    for stream, (name, shape) in enumerate(network.shapes()):
        values = random_state(seed, 100 + stream).random_sample(shape) * 2 - 1
        if name.startswith("convolution"):
            values *= (6.0 / (shape[0] * shape[1] * shape[3]))**0.5
        elif name.startswith("gamma"):
            values = (0.25 if name in ends else 1) * (1 + 0.1 * values)
        elif name.startswith("beta"):
            values *= 0.1
        else:
            values *= network.features**-0.5
        weights.append(values.astype(numpy.float32))
    outputs = [one.outputs for one in network.convolutions]
    return State(weights, [numpy.zeros_like(w) for w in weights], [numpy.zeros(n, numpy.float32) for n in outputs],
                 [numpy.ones(n, numpy.float32) for n in outputs])


def random_batch(network, batch, seed, stream):
    """Images in [-1, 1) as NHWC, and labels."""
    import numpy
    from stackx_pi.inputs import random_array, random_state
    images = random_array((batch, network.image_size, network.image_size, 3), "float32", seed, stream)
    return images, random_state(seed, stream + 1).randint(0, network.classes, size=batch).astype(numpy.int32)


def trainer(adapter, network, state, settings):
    """`adapter`: a loaded Adapter of stackx_pi.frameworks."""
    if adapter.name not in FRAMEWORKS:
        raise Unsupported("%s does not train networks" % adapter.name)
    if adapter.settings.dtype not in LOSS_SCALE:
        raise Unsupported("train_resnet50 has float32, and float16 and bfloat16 as mixed precision")
    kind = adapter.__module__.rsplit(".", 1)[-1]
    return importlib.import_module("stackx_pi.training." + kind).Trainer(adapter, network, state, settings)
