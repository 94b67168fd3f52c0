"""JAX without a library above it: value_and_grad of the loss and the update, one function, compiled (mode=function).

Batch norm is written out, its mean and variance in float32.
"""

from __future__ import absolute_import

from stackx_pi.frameworks import to_channels_first
from stackx_pi.training import LOSS_SCALE, State
from stackx_pi.training import network as networks


class Operations(object):
    def __init__(self, jax, network, weights, dtype, channels_first):
        import jax.numpy as jnp
        self.jax, self.jnp, self.network, self.weights = jax, jnp, network, weights
        self.dtype, self.first = dtype, channels_first
        self.over = (0, 2, 3) if channels_first else (0, 1, 2)
        self.statistics = [None] * len(network.convolutions)

    def spread(self, vector):
        return vector[:, None, None] if self.first else vector

    def convolve(self, x, i, layer):
        data = "NCHW" if self.first else "NHWC"
        pads = [(layer.pad, layer.pad)] * 2
        return self.jax.lax.conv_general_dilated(x, self.weights[3 * i].astype(self.dtype), (layer.stride, layer.stride), pads,
                                                 dimension_numbers=(data, "HWIO", data))

    def normalise(self, x, i):
        jnp, gamma, beta = self.jnp, self.weights[3 * i + 1], self.weights[3 * i + 2]
        wide = x.astype("float32")
        mean = jnp.mean(wide, self.over)
        variance = jnp.mean(jnp.square(wide - self.spread(mean)), self.over)
        count = x.size // mean.size
        self.statistics[i] = mean, variance * (count / max(count - 1.0, 1.0))
        scale = gamma * self.jax.lax.rsqrt(variance + networks.EPSILON)
        return ((wide - self.spread(mean)) * self.spread(scale) + self.spread(beta)).astype(self.dtype)

    def relu(self, x):
        return self.jax.nn.relu(x)

    def add(self, x, shortcut):
        return x + shortcut

    def max_pool(self, x):
        net = self.network
        window, strides, pads = [1] * 4, [1] * 4, [(0, 0)] * 4
        for axis in (2, 3) if self.first else (1, 2):
            window[axis], strides[axis], pads[axis] = net.pool_kernel, net.pool_stride, (net.pool_pad, net.pool_pad)
        return self.jax.lax.reduce_window(x, -self.jnp.inf, self.jax.lax.max, tuple(window), tuple(strides), tuple(pads))

    def mean(self, x):
        return self.jnp.mean(x, (2, 3) if self.first else (1, 2))

    def last_layer(self, x):
        return self.jnp.matmul(x, self.weights[-2].astype(self.dtype)) + self.weights[-1].astype(self.dtype)


class Trainer(object):
    def __init__(self, adapter, network, state, settings):
        self.jax, self.device = adapter.jax, adapter.device
        self.first = adapter.channels_first()
        self.dtype, self.exchange = adapter.settings.dtype, adapter.exchange
        self.learnt = tuple([self._put(array) for array in arrays] for arrays in (
            state.weights, state.velocities, state.means, state.variances))
        function = self._step_function(network, settings)
        if adapter.mode == "function":
            # A GPU's memory is short: the new state takes the old one's place.
            gpu = adapter.settings.device == "gpu"
            function = (self.exchange.compiled or self.jax.jit)(function, donate_argnums=(0,) if gpu else ())
        self.function = function

    def _put(self, array):
        return self.exchange.each(self.jax.device_put(array, self.device))

    def _step_function(self, network, settings):
        jax, dtype, first, scale = self.jax, self.dtype, self.first, LOSS_SCALE[self.dtype]

        def loss_of(weights, images, labels):
            operations = Operations(jax, network, weights, dtype, first)
            logits = networks.forward(network, operations, images.astype(dtype)).astype("float32")
            likely = jax.nn.log_softmax(logits)
            return -scale * operations.jnp.mean(likely[operations.jnp.arange(len(labels)), labels]), operations.statistics

        def step(learnt, images, labels):
            weights, velocities, means, variances = learnt
            (loss, statistics), gradients = jax.value_and_grad(loss_of, has_aux=True)(weights, images, labels)
            gradients = self.exchange.mean(gradients)
            velocities = [settings.momentum * v + g / scale for v, g in zip(velocities, gradients)]
            weights = [w - settings.learning_rate * v for w, v in zip(weights, velocities)]
            rate = networks.STATISTICS_RATE
            means = [(1 - rate) * old + rate * new for old, (new, _) in zip(means, statistics)]
            variances = [(1 - rate) * old + rate * new for old, (_, new) in zip(variances, statistics)]
            return (weights, velocities, means, variances), loss / scale

        return step

    def put(self, images, labels):
        self.images, self.labels = self._put(to_channels_first(images) if self.first else images), self._put(labels)

    def step(self):
        self.learnt, loss = self.function(self.learnt, self.images, self.labels)
        for arrays in self.learnt:  # a call returns before its arrays are there
            for array in arrays:
                array.block_until_ready()
        return float(self.exchange.own(loss))

    def read(self):
        import numpy
        return State(*[[numpy.asarray(a, numpy.float64) for a in arrays] for arrays in self.exchange.own(self.learnt)])
