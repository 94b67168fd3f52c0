"""A training step in NumPy, gradients included: in float64 the reference that check.py compares with.

Written from the definitions, layer by layer: each operation computes its result and puts on a tape how the gradient of its
result becomes those of its inputs. Images are NHWC; a convolution is one matrix product of patches and filters. With `noise` u
each result and each gradient is multiplied by 1 + u x, x uniform in [-1, 1): what rounding to a type with unit roundoff u does
to them, so that two evaluations show how far rounding carries (check.py).

Tests compare the gradients with central differences of the loss, and the loss with loops over every tap.
"""

from __future__ import absolute_import, division

from stackx_pi.parallel.exchange import Exchange
from stackx_pi.training import network as networks
from stackx_pi.training import State


class Value(object):
    def __init__(self, array):
        self.array, self.gradient = array, None

    def add_gradient(self, gradient):
        self.gradient = gradient if self.gradient is None else self.gradient + gradient


class Operations(object):
    """`copies`: of how many times these images the batch consists; for the unbiased variance alone."""

    def __init__(self, network, weights, noise=0.0, state=None, copies=1):
        import numpy
        self.numpy, self.network, self.copies = numpy, network, copies
        self.noise, self.random = noise, state
        self.weights = [Value(self.rounded(w)) for w in weights]
        self.statistics = [None] * len(network.convolutions)
        self.tape = []

    def rounded(self, array):
        if not self.noise:
            return array
        return array * (1 + self.noise * (2 * self.random.random_sample(array.shape) - 1))

    def result(self, array, backward):
        """`backward`: gradient of the result -> adds to those of the inputs."""
        value = Value(self.rounded(array))

        def back():
            backward(self.rounded(value.gradient))

        self.tape.append(back)
        return value

    def windows(self, x, kernel, stride, out):
        """A view: image, row, column, row of the kernel, column of the kernel, channel."""
        n, rows, columns, channel = x.strides
        return self.numpy.lib.stride_tricks.as_strided(
            x, (x.shape[0], out, out, kernel, kernel, x.shape[3]),
            (n, rows * stride, columns * stride, rows, columns, channel))

    def padded(self, x, pad, fill=0):
        if not pad:
            return x
        return self.numpy.pad(x, [(0, 0), (pad, pad), (pad, pad), (0, 0)], "constant", constant_values=fill)

    def convolve(self, x, i, layer):
        w, out, stride = self.weights[3 * i], layer.out, layer.stride
        images, inner = x.array.shape[0], (slice(None), slice(layer.pad, layer.pad + layer.size),
                                           slice(layer.pad, layer.pad + layer.size))

        def patches():
            windows = self.windows(self.padded(x.array, layer.pad), layer.kernel, stride, out)
            return windows.reshape(images * out * out, -1)

        def backward(gradient):
            flat = gradient.reshape(-1, layer.outputs)
            w.add_gradient(self.numpy.dot(patches().T, flat).reshape(w.array.shape))
            if i == 0:
                return  # nobody needs the images' gradient
            side = layer.size + 2 * layer.pad
            total = self.numpy.zeros((images, side, side, layer.inputs), gradient.dtype)
            for row in range(layer.kernel):
                for column in range(layer.kernel):
                    part = self.numpy.dot(flat, w.array[row, column].T).reshape(images, out, out, -1)
                    total[:, row:row + out * stride:stride, column:column + out * stride:stride] += part
            x.add_gradient(total[inner])

        filters = w.array.reshape(-1, layer.outputs)
        return self.result(self.numpy.dot(patches(), filters).reshape(images, out, out, -1), backward)

    def total(self, array, over):
        """Summed in float64: NumPy adds many rows of float32 one by one."""
        return array.sum(axis=over, dtype=self.numpy.float64).astype(array.dtype)

    def normalise(self, x, i):
        """Batch norm in training mode."""
        gamma, beta = self.weights[3 * i + 1], self.weights[3 * i + 2]
        over, count = (0, 1, 2), x.array.size // x.array.shape[3]
        mean = self.total(x.array, over) / count
        variance = self.total((x.array - mean)**2, over) / count
        scale = 1 / self.numpy.sqrt(variance + networks.EPSILON)
        unit = (x.array - mean) * scale
        whole = count * self.copies
        self.statistics[i] = mean, variance * (whole / max(whole - 1.0, 1.0))

        def backward(gradient):
            by_unit = self.total(gradient * unit, over)
            total = self.total(gradient, over)
            gamma.add_gradient(by_unit)
            beta.add_gradient(total)
            x.add_gradient(gamma.array * scale * (gradient - total / count - unit * (by_unit / count)))

        return self.result(unit * gamma.array + beta.array, backward)

    def relu(self, x):
        return self.result(self.numpy.maximum(x.array, 0), lambda gradient: x.add_gradient(gradient * (x.array > 0)))

    def add(self, x, shortcut):
        def backward(gradient):
            x.add_gradient(gradient)
            shortcut.add_gradient(gradient)

        return self.result(x.array + shortcut.array, backward)

    def max_pool(self, x):
        net, size = self.network, x.array.shape[1]
        out = networks.positions(size, net.pool_kernel, net.pool_stride, net.pool_pad)
        padded = self.padded(x.array, net.pool_pad, -self.numpy.inf)
        shape = (x.array.shape[0], out, out, net.pool_kernel**2, x.array.shape[3])
        taps = self.windows(padded, net.pool_kernel, net.pool_stride, out).reshape(shape)
        chosen = taps.argmax(axis=3)

        def backward(gradient):
            total = self.numpy.zeros(padded.shape, gradient.dtype)
            for tap in range(net.pool_kernel**2):
                row, column = divmod(tap, net.pool_kernel)
                span = out * net.pool_stride
                total[:, row:row + span:net.pool_stride, column:column + span:net.pool_stride] += gradient * (chosen == tap)
            x.add_gradient(total[:, net.pool_pad:net.pool_pad + size, net.pool_pad:net.pool_pad + size])

        return self.result(taps.max(axis=3), backward)

    def mean(self, x):
        shape = x.array.shape
        return self.result(x.array.mean(axis=(1, 2)), lambda gradient: x.add_gradient(
            self.numpy.zeros(shape, gradient.dtype) + gradient[:, None, None, :] / (shape[1] * shape[2])))

    def last_layer(self, x):
        w, bias = self.weights[-2:]

        def backward(gradient):
            w.add_gradient(self.numpy.dot(x.array.T, gradient))
            bias.add_gradient(gradient.sum(axis=0))
            x.add_gradient(self.numpy.dot(gradient, w.array.T))

        return self.result(self.numpy.dot(x.array, w.array) + bias.array, backward)

    def loss(self, logits, labels):
        """Mean cross-entropy; a number. Its gradient is put on `logits`."""
        shifted = logits.array - logits.array.max(axis=1, keepdims=True)
        likely = self.numpy.exp(shifted)
        total = likely.sum(axis=1, keepdims=True)
        rows = self.numpy.arange(len(labels))
        gradient = likely / total
        gradient[rows, labels] -= 1
        logits.add_gradient(gradient / len(labels))
        return float((self.numpy.log(total[:, 0]) - shifted[rows, labels]).mean())


class Evaluation(object):
    """loss, gradients, and the (mean, unbiased variance) of every batch norm's input."""

    def __init__(self, operations, images, labels):
        logits = networks.forward(operations.network, operations, Value(images))
        self.loss = operations.loss(logits, labels)
        while operations.tape:
            operations.tape.pop()()
        self.gradients = [w.gradient for w in operations.weights]
        self.statistics = operations.statistics


class NumpyTrainer(object):
    """Steps in the weights' own type. `operations`: the class of operations, which tests replace by wrong ones."""

    def __init__(self, network, state, settings, operations=Operations, exchange=None):
        self.network, self.settings, self.operations = network, settings, operations
        self.exchange = exchange or Exchange()
        self.state = State([w.copy() for w in state.weights], [v.copy() for v in state.velocities], list(state.means),
                           list(state.variances))

    def put(self, images, labels):
        self.images, self.labels = images.astype(self.state.weights[0].dtype), labels

    def step(self):
        state, settings = self.state, self.settings
        found = Evaluation(self.operations(self.network, state.weights), self.images, self.labels)
        for i, gradient in enumerate(self.exchange.mean(found.gradients)):
            self.update(i, gradient)
        rate = networks.STATISTICS_RATE
        for i, (mean, variance) in enumerate(found.statistics):
            state.means[i] = (1 - rate) * state.means[i] + rate * mean
            state.variances[i] = (1 - rate) * state.variances[i] + rate * variance
        return found.loss

    def update(self, i, gradient):
        state, settings = self.state, self.settings
        dtype = state.weights[i].dtype.type
        state.velocities[i] = dtype(settings.momentum) * state.velocities[i] + gradient
        state.weights[i] = state.weights[i] - dtype(settings.learning_rate) * state.velocities[i]

    def read(self):
        import numpy
        return State(*[[numpy.asarray(a, numpy.float64) for a in arrays] for arrays in (
            self.state.weights, self.state.velocities, self.state.means, self.state.variances)])
