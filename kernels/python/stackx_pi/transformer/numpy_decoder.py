"""The decoder in NumPy, gradients included: in float64 the reference that check.py compares with.

Written from the definitions, layer by layer: each operation computes its result and puts on a tape how the gradient of its
result becomes those of its inputs. With `noise` u each result and each gradient is multiplied by 1 + u x, x uniform in [-1, 1):
what rounding to a type with unit roundoff u does to them (check.py).

Tests compare it with a decoder of loops over positions and heads, and the gradients with central differences of the loss.
"""

from __future__ import absolute_import, division

from stackx_pi.parallel.exchange import Exchange
from stackx_pi.transformer import forward, inputs
from stackx_pi.transformer.shape import EPSILON


class Value(object):
    def __init__(self, array):
        self.array, self.gradient = array, None

    def add_gradient(self, gradient):
        self.gradient = gradient if self.gradient is None else self.gradient + gradient


class Operations(object):
    """`weights`: arrays in the order of Shape.tensors(). `cache`: [[keys, values]], which is written at `position`; without one
    the sequences begin here. `learns`: keep the tape."""

    def __init__(self, shape, weights, cache=None, position=0, learns=False, noise=0.0, state=None):
        import numpy
        self.numpy, self.shape, self.position, self.learns = numpy, shape, position, learns
        self.noise, self.random = noise, state
        self.weights = [Value(w) for w in weights]
        self.dtype = weights[0].dtype
        self.cached, self.given = [], cache
        self.tape = []

    def rounded(self, array):
        if not self.noise:
            return array
        return array * (1 + self.noise * (2 * self.random.random_sample(array.shape) - 1))

    def weight(self, i):
        """(the tensor, its value as rounding leaves it)"""
        return self.weights[i], self.rounded(self.weights[i].array)

    def result(self, array, backward):
        """`backward`: gradient of the result -> adds to those of the inputs."""
        value = Value(self.rounded(array))
        if self.learns:
            def back():
                backward(self.rounded(value.gradient))

            self.tape.append(back)
        return value

    def embed(self, tokens):
        w, table = self.weight(0)

        def backward(gradient):
            total = self.numpy.zeros_like(table)
            self.numpy.add.at(total, tokens, gradient)
            w.add_gradient(total)

        return self.result(table[tokens], backward)

    def norm(self, x, i):
        w, scale = self.weight(i)
        inverse = 1 / self.numpy.sqrt((x.array**2).mean(axis=-1, keepdims=True) + self.dtype.type(EPSILON))
        unit = x.array * inverse

        def backward(gradient):
            w.add_gradient((gradient * unit).reshape(-1, len(scale)).sum(axis=0))
            by_unit = gradient * scale
            x.add_gradient(inverse * (by_unit - unit * (by_unit * unit).mean(axis=-1, keepdims=True)))

        return self.result(unit * scale, backward)

    def product(self, x, i):
        w, matrix = self.weight(i)
        sides, flat = x.array.shape[:-1], x.array.reshape(-1, x.array.shape[-1])

        def backward(gradient):
            rows = gradient.reshape(-1, matrix.shape[1])
            w.add_gradient(self.numpy.dot(flat.T, rows))
            x.add_gradient(self.numpy.dot(rows, matrix.T).reshape(x.array.shape))

        return self.result(self.numpy.dot(flat, matrix).reshape(sides + (matrix.shape[1],)), backward)

    def add(self, x, y):
        def backward(gradient):
            x.add_gradient(gradient)
            y.add_gradient(gradient)

        return self.result(x.array + y.array, backward)

    def gate(self, x, y):
        """SwiGLU: silu(x) y."""
        with self.numpy.errstate(over="ignore"):
            logistic = 1 / (1 + self.numpy.exp(-x.array))
        silu = x.array * logistic

        def backward(gradient):
            y.add_gradient(gradient * silu)
            x.add_gradient(gradient * y.array * (logistic + silu * (1 - logistic)))

        return self.result(silu * y.array, backward)

    def last(self, x):
        return self.result(x.array[:, -1:], lambda gradient: None)

    def attend(self, q, k, v, layer):
        q, k, v = self.rotate(self.heads(q)), self.rotate(self.heads(k)), self.heads(v)
        k, v = self.stored(k, v, layer)
        return self.joined(self.mix(self.softmax(self.scores(q, k)), v))

    def heads(self, x):
        """batch, positions, heads x size -> batch, heads, positions, size"""
        batch, positions, width = x.array.shape
        split = x.array.reshape(batch, positions, -1, self.shape.head_size)
        return self.result(split.transpose(0, 2, 1, 3), lambda gradient: x.add_gradient(
            gradient.transpose(0, 2, 1, 3).reshape(batch, positions, width)))

    def joined(self, x):
        batch, heads, positions, size = x.array.shape
        return self.result(x.array.transpose(0, 2, 1, 3).reshape(batch, positions, -1), lambda gradient: x.add_gradient(
            gradient.reshape(batch, positions, heads, size).transpose(0, 2, 1, 3)))

    def rotate(self, x):
        tables = inputs.rotary_tables(self.shape, self.position + x.array.shape[2], self.position)
        cosine, sine = [table.astype(self.dtype) for table in tables]
        return self.result(turned(self.numpy, x.array, cosine, sine), lambda gradient: x.add_gradient(
            turned(self.numpy, gradient, cosine, -sine)))

    def stored(self, k, v, layer):
        """All keys and values until here."""
        if self.given is None:
            self.cached.append((k.array, v.array))
            return k, v
        end = self.position + k.array.shape[2]
        for kept, new in zip(self.given[layer], (k, v)):
            kept[:, :, self.position:end] = new.array
        return [Value(kept[:, :, :end]) for kept in self.given[layer]]

    def grouped(self, x):
        """batch, heads, positions, size -> batch, kv_heads, group x positions, size: the queries that share a key's head."""
        batch, heads, positions, size = x.shape
        kv_heads = self.shape.kv_heads
        return x.reshape(batch, kv_heads, heads // kv_heads * positions, size)

    def scores(self, q, k):
        scale = self.dtype.type(self.shape.head_size**-0.5)
        batch, heads, positions, _ = q.array.shape
        rows = self.grouped(q.array)
        product = self.numpy.matmul(rows, k.array.transpose(0, 1, 3, 2)) * scale

        def backward(gradient):
            split = self.grouped(gradient) * scale
            q.add_gradient(self.numpy.matmul(split, k.array).reshape(q.array.shape))
            k.add_gradient(self.numpy.matmul(split.transpose(0, 1, 3, 2), rows))

        return self.result(product.reshape(batch, heads, positions, -1), backward)

    def hidden(self, queries, keys):
        """The pairs that a query must not see: what comes after it."""
        at = self.numpy.arange(queries)[:, None] + keys - queries
        return self.numpy.arange(keys)[None, :] > at

    def softmax(self, x):
        hidden = self.hidden(*x.array.shape[2:])
        seen = self.numpy.where(hidden, -self.numpy.inf, x.array)
        likely = self.numpy.exp(seen - seen.max(axis=-1, keepdims=True))
        likely /= likely.sum(axis=-1, keepdims=True)

        def backward(gradient):
            x.add_gradient(likely * (gradient - (gradient * likely).sum(axis=-1, keepdims=True)))

        return self.result(likely, backward)

    def mix(self, likely, v):
        batch, heads, positions, _ = likely.array.shape
        rows = self.grouped(likely.array)

        def backward(gradient):
            split = self.grouped(gradient)
            likely.add_gradient(self.numpy.matmul(split, v.array.transpose(0, 1, 3, 2)).reshape(likely.array.shape))
            v.add_gradient(self.numpy.matmul(rows.transpose(0, 1, 3, 2), split))

        return self.result(self.numpy.matmul(rows, v.array).reshape(batch, heads, positions, -1), backward)

    def loss(self, logits, targets):
        """Mean cross-entropy; a number. Its gradient is put on `logits`."""
        rows = logits.array.reshape(-1, logits.array.shape[-1])
        shifted = rows - rows.max(axis=1, keepdims=True)
        likely = self.numpy.exp(shifted)
        total = likely.sum(axis=1, keepdims=True)
        at, right = self.numpy.arange(len(rows)), targets.reshape(-1)
        gradient = likely / total
        gradient[at, right] -= 1
        logits.add_gradient((gradient / self.dtype.type(len(rows))).reshape(logits.array.shape))
        return float((self.numpy.log(total[:, 0]) - shifted[at, right]).mean(dtype=self.numpy.float64))


def turned(numpy, x, cosine, sine):
    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    return numpy.concatenate([first * cosine - second * sine, second * cosine + first * sine], axis=-1)


def evaluate(operations, tokens):
    """(loss, gradients in the order of the weights) of batch x (positions + 1)"""
    operations.learns = True
    loss = operations.loss(forward(operations.shape, operations, tokens[:, :-1]), tokens[:, 1:])
    while operations.tape:
        operations.tape.pop()()
    return loss, [w.gradient for w in operations.weights]


class NumpyRunner(object):
    """In the type `dtype`. `operations`: the class of operations, which tests replace by wrong ones."""

    def __init__(self, shape, weights, dtype, operations=Operations, exchange=None):
        self.shape, self.operations, self.exchange = shape, operations, exchange or Exchange()
        self.arrays = [w.astype(dtype) for w in weights]
        self.dtype, self.kept = self.arrays[0].dtype, None

    def start_prefill(self, tokens):
        self.tokens = tokens

    def prefill(self):
        do = self.operations(self.shape, self.arrays)
        self.found = forward(self.shape, do, self.tokens, last=True).array[:, 0]
        self.kept = do.cached

    def start_decode(self, cache, tokens):
        self.kept = [[array.astype(self.dtype) for array in pair] for pair in cache]
        self.tokens, self.first = tokens, self.kept[0][0].shape[2] - tokens.shape[1]

    def step(self, i):
        do = self.operations(self.shape, self.arrays, self.kept, self.first + i)
        self.found = forward(self.shape, do, self.tokens[:, i:i + 1]).array[:, 0]

    def start_train(self, tokens):
        self.tokens = tokens

    def train(self, rate):
        loss, gradients = evaluate(self.operations(self.shape, self.arrays), self.tokens)
        self.arrays = [w - self.dtype.type(rate) * g for w, g in zip(self.arrays, self.exchange.mean(gradients))]
        return loss

    def logits(self):
        return self.found.astype("float64")

    def cache(self):
        return [[array.astype("float64") for array in pair] for pair in self.kept]

    def weights(self):
        return [array.astype("float64") for array in self.arrays]

    def peak_memory(self):
        return None
