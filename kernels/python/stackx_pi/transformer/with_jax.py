"""JAX without a library above it: one function a phase, compiled (mode=function) or operation by operation (mode=eager).

Attention is written out (jax.nn.dot_product_attention came with 0.4.31): the queries that share a head of keys are rows of one
product, and nothing is repeated. A decoding step attends to the whole cache under a mask, since shapes are fixed when a function is
compiled, and gives the old cache's memory to the new one (donation; versions whose CPU client cannot do that copy it, and say so on
stderr).
"""

from __future__ import absolute_import

from stackx_pi.transformer import forward, inputs
from stackx_pi.transformer.shape import EPSILON


class Operations(object):
    """`cache`: [(keys, values)], and the `position` at which one token is put; without: a sequence from its begin."""

    def __init__(self, jax, shape, weights, tables, cache=None, position=None, narrow=None):
        import jax.numpy as jnp
        self.jax, self.jnp, self.shape, self.weights = jax, jnp, shape, weights
        self.cosine, self.sine = tables
        self.cache, self.position, self.narrow = cache, position, narrow
        self.kept = []

    def cast(self, array):
        """Mixed precision: weights in the type of the activations."""
        return array if self.narrow is None else array.astype(self.narrow)

    def wide(self, x):
        return x if x.dtype == "float64" else x.astype("float32")

    def embed(self, tokens):
        return self.cast(self.weights[0][tokens])

    def norm(self, x, i):
        wide = self.wide(x)
        wide = wide * self.jax.lax.rsqrt(self.jnp.mean(self.jnp.square(wide), -1, keepdims=True) + EPSILON)
        return wide.astype(x.dtype) * self.cast(self.weights[i])

    def product(self, x, i):
        return self.jnp.matmul(x, self.cast(self.weights[i]))

    def add(self, x, y):
        return x + y

    def gate(self, x, y):
        return self.jax.nn.silu(x) * y

    def last(self, x):
        return x[:, -1:]

    def heads(self, x):
        return x.reshape(x.shape[0], x.shape[1], -1, self.shape.head_size).transpose(0, 2, 1, 3)

    def rotate(self, x):
        half = self.shape.head_size // 2
        first, second, cosine, sine = x[..., :half], x[..., half:], self.cast(self.cosine), self.cast(self.sine)
        return self.jnp.concatenate([first * cosine - second * sine, second * cosine + first * sine], -1)

    def attend(self, q, k, v, layer):
        q, k, v = self.rotate(self.heads(q)), self.rotate(self.heads(k)), self.heads(v)
        batch, heads, positions, size = q.shape
        jnp = self.jnp
        if self.cache is None:
            seen = jnp.arange(positions)[None, :] <= jnp.arange(positions)[:, None]
        else:
            k, v = [self.jax.lax.dynamic_update_slice_in_dim(kept, new, self.position, 2) for kept, new in zip(
                self.cache[layer], (k, v))]
            seen = (jnp.arange(k.shape[2]) <= self.position)[None, :]
        self.kept.append((k, v))
        kv_heads = self.shape.kv_heads
        rows = q.reshape(batch, kv_heads, heads // kv_heads * positions, size)
        scores = self.wide(jnp.matmul(rows, k.transpose(0, 1, 3, 2))) * size**-0.5
        scores = jnp.where(seen, scores.reshape(batch, heads, positions, -1), -jnp.inf)
        likely = self.jax.nn.softmax(scores, -1).astype(v.dtype).reshape(rows.shape[:3] + (-1,))
        mixed = jnp.matmul(likely, v).reshape(batch, heads, positions, size)
        return mixed.transpose(0, 2, 1, 3).reshape(batch, positions, -1)


class Runner(object):
    def __init__(self, adapter, shape, weights, learns):
        self.jax, self.shape, self.device, self.compiled = adapter.jax, shape, adapter.device, adapter.mode == "function"
        mixed = learns and adapter.settings.dtype == "bfloat16"
        self.narrow, self.dtype = ("bfloat16", "float32") if mixed else (None, adapter.settings.dtype)
        self.exchange = adapter.exchange
        self.arrays = [self.exchange.each(self._put(w)) for w in weights]
        self.found = self.kept = None

    def _put(self, array):
        import jax.numpy as jnp
        # A copy of its own: on a CPU NumPy's memory could be borrowed
        return self.jax.device_put(jnp.array(array, dtype=getattr(jnp, self.dtype)), self.device)

    def _whole(self, array):
        import jax.numpy as jnp
        return self.jax.device_put(jnp.array(array, dtype=jnp.int32), self.device)

    def _tables(self, end, first=0):
        return [self._put(table) for table in inputs.rotary_tables(self.shape, end, first)]

    def _compiled(self, function, given_away=()):
        return self.jax.jit(function, donate_argnums=given_away) if self.compiled else function

    def start_prefill(self, tokens):
        jax, shape = self.jax, self.shape

        def prefill(weights, given, tables):
            do = Operations(jax, shape, weights, tables)
            return forward(shape, do, given, last=True)[:, 0], do.kept

        self.function, self.given = self._compiled(prefill), (self._whole(tokens), self._tables(tokens.shape[1]))

    def prefill(self):
        self.found, self.kept = self._ended(self.function(self.arrays, *self.given))

    def start_decode(self, cache, tokens):
        jax, shape = self.jax, self.shape

        def step(kept, weights, token, tables, position):
            do = Operations(jax, shape, weights, tables, kept, position)
            return forward(shape, do, token)[:, 0], do.kept

        self.kept = [tuple(self._put(array) for array in pair) for pair in cache]
        self.function = self._compiled(step, (0,))
        capacity, steps = self.kept[0][0].shape[2], tokens.shape[1]
        self.given = [(self._whole(tokens[:, i:i + 1]), self._tables(place + 1, place), self._whole(place))
                      for i, place in enumerate(range(capacity - steps, capacity))]

    def step(self, i):
        self.found, self.kept = self._ended(self.function(self.kept, self.arrays, *self.given[i]))

    def start_train(self, tokens):
        jax, shape, narrow, exchange = self.jax, self.shape, self.narrow, self.exchange

        def loss_of(weights, given, targets, tables):
            do = Operations(jax, shape, weights, tables, narrow=narrow)
            likely = jax.nn.log_softmax(do.wide(forward(shape, do, given)))
            return -do.jnp.mean(do.jnp.take_along_axis(likely, targets[:, :, None], -1))

        def train(weights, given, targets, tables, rate):
            loss, gradients = jax.value_and_grad(loss_of)(weights, given, targets, tables)
            gradients = exchange.mean(gradients)
            return [w - rate * g for w, g in zip(weights, gradients)], loss

        compiled = exchange.compiled if self.compiled and exchange.compiled else self._compiled
        self.function = compiled(train, (0,))
        self.given = [exchange.each(part) for part in [self._whole(tokens[:, :-1]), self._whole(tokens[:, 1:]),
                                                       self._tables(tokens.shape[1] - 1)]]

    def train(self, rate):
        self.arrays, loss = self._ended(self.function(self.arrays, *(self.given + [self.exchange.each(rate)])))
        return float(self.exchange.own(loss))

    def _ended(self, results):
        """A call returns before its results are there."""
        for leaf in self.jax.tree_util.tree_leaves(results):
            leaf.block_until_ready()
        return results

    def _read(self, array):
        import numpy
        return numpy.asarray(array.astype("float32") if array.dtype == "bfloat16" else array).astype(numpy.float64)

    def logits(self):
        return self._read(self.found)

    def cache(self):
        return [[self._read(array) for array in pair] for pair in self.kept]

    def weights(self):
        return [self._read(array) for array in self.exchange.own(self.arrays)]

    def peak_memory(self):
        try:
            return self.device.memory_stats()["peak_bytes_in_use"]
        except (AttributeError, KeyError, TypeError):
            return None
