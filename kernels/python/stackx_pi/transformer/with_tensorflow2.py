"""TensorFlow 2: a tf.function a phase (mode=eager: none), with a GradientTape for training; without Keras.

Attention is written out: TensorFlow has no call for it outside Keras. The queries that share a head of keys are rows of one
product, and nothing is repeated. The cache is a pair of variables a layer; a decoding step assigns its position's slice, and
attends to the slots that are filled, whose number is a tensor: one graph serves all steps. Weights are variables; the gradient
of the embedding, which comes as rows, is made whole, as it is in the other frameworks.
"""

from __future__ import absolute_import

from stackx_pi.transformer import forward, inputs
from stackx_pi.transformer.shape import EPSILON


class Operations(object):
    """`cache`: [(keys, values)], and the `position` at which one token is put; without: a sequence from its begin."""

    def __init__(self, tf, shape, weights, tables, batch, positions, cache=None, position=None, narrow=None):
        self.tf, self.shape, self.weights, self.batch, self.positions = tf, shape, weights, batch, positions
        self.tables, self.cache, self.position, self.narrow = tables, cache, position, narrow
        self.kept = []

    def cast(self, tensor):
        """Mixed precision: weights in the type of the activations."""
        return self.tf.identity(tensor) if self.narrow is None else self.tf.cast(tensor, self.narrow)

    def wide(self, x):
        return x if x.dtype == self.tf.float64 else self.tf.cast(x, self.tf.float32)

    def embed(self, tokens):
        rows = self.tf.gather(self.weights[0], tokens)
        return rows if self.narrow is None else self.tf.cast(rows, self.narrow)

    def norm(self, x, i):
        tf, wide = self.tf, self.wide(x)
        wide = wide * tf.math.rsqrt(tf.reduce_mean(tf.square(wide), -1, keepdims=True) + EPSILON)
        return tf.cast(wide, x.dtype) * self.cast(self.weights[i])

    def product(self, x, i):
        flat = self.tf.reshape(x, [-1, x.shape[-1]])  # a matrix: of three dimensions it is a batch of products
        return self.tf.reshape(self.tf.matmul(flat, self.cast(self.weights[i])), [self.batch, -1, self.weights[i].shape[1]])

    def add(self, x, y):
        return x + y

    def gate(self, x, y):
        return self.tf.nn.silu(x) * y

    def last(self, x):
        return x[:, -1:]

    def heads(self, x):
        return self.tf.transpose(self.tf.reshape(x, [self.batch, self.positions, -1, self.shape.head_size]), [0, 2, 1, 3])

    def rotate(self, x):
        first, second = self.tf.split(x, 2, -1)
        cosine, sine = [self.tf.cast(table, x.dtype) for table in self.tables]
        return self.tf.concat([first * cosine - second * sine, second * cosine + first * sine], -1)

    def attend(self, q, k, v, layer):
        tf, shape, batch, positions = self.tf, self.shape, self.batch, self.positions
        q, k, v = self.rotate(self.heads(q)), self.rotate(self.heads(k)), self.heads(v)
        if self.cache is not None:
            place = self.position
            for kept, new in zip(self.cache[layer], (k, v)):
                kept[:, :, place:place + 1].assign(new)
            k, v = [kept[:, :, :place + 1] for kept in self.cache[layer]]
        else:
            self.kept.append((k, v))
        rows = tf.reshape(q, [batch, shape.kv_heads, shape.group * positions, shape.head_size])
        scores = self.wide(tf.matmul(rows, k, transpose_b=True)) * shape.head_size**-0.5
        if self.cache is None:
            seen = tf.range(positions)[None, :] <= tf.range(positions)[:, None]
            split = tf.reshape(scores, [batch, shape.heads, positions, positions])
            split = tf.where(seen, split, tf.constant(-float("inf"), scores.dtype))
            likely = tf.reshape(tf.nn.softmax(split), tf.shape(scores))
        else:
            likely = tf.nn.softmax(scores)
        mixed = tf.reshape(tf.matmul(tf.cast(likely, v.dtype), v), [batch, shape.heads, positions, shape.head_size])
        return tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [batch, positions, shape.width])


class Runner(object):
    def __init__(self, adapter, shape, weights, learns):
        tf = self.tf = adapter.tf
        self.shape, self.compiled = shape, adapter.mode == "function"
        self.device = adapter._device()  # pylint: disable=protected-access
        self.gpu = adapter.settings.device == "gpu"
        mixed = learns and adapter.settings.dtype == "bfloat16"
        self.narrow = tf.bfloat16 if mixed else None
        self.dtype = tf.float32 if mixed else getattr(tf, adapter.settings.dtype)
        with self.device:
            self.arrays = [tf.Variable(self._put(w)) for w in weights]
        self.found, self.kept, self.exchange = None, None, adapter.exchange

    def _put(self, array):
        with self.device:
            return self.tf.identity(self.tf.cast(self.tf.convert_to_tensor(array), self.dtype))

    def _whole(self, array):
        with self.device:
            return self.tf.identity(self.tf.convert_to_tensor(array, self.tf.int32))

    def _tables(self, end, first=0):
        return [self._put(table) for table in inputs.rotary_tables(self.shape, end, first)]

    def _compiled(self, function):
        return self.tf.function(function) if self.compiled else function

    def _wait(self):
        if self.gpu:
            self.tf.reshape(self.found, [-1])[0].numpy()

    def start_prefill(self, tokens):
        tf, shape, arrays, (batch, positions) = self.tf, self.shape, self.arrays, tokens.shape

        def prefill(given, *tables):
            do = Operations(tf, shape, arrays, tables, batch, positions)
            return forward(shape, do, given, last=True)[:, 0], do.kept

        self.function, self.given = self._compiled(prefill), [self._whole(tokens)] + self._tables(positions)

    def prefill(self):
        with self.device:
            self.found, self.kept = self.function(*self.given)
        self._wait()

    def start_decode(self, cache, tokens):
        tf, shape, arrays, batch = self.tf, self.shape, self.arrays, len(tokens)
        with self.device:
            kept = self.kept = [tuple(tf.Variable(self._put(array)) for array in pair) for pair in cache]

        def step(token, position, *tables):
            return forward(shape, Operations(tf, shape, arrays, tables, batch, 1, kept, position), token)[:, 0]

        self.function = self._compiled(step)
        capacity, steps = int(kept[0][0].shape[2]), tokens.shape[1]
        self.given = [[self._whole(tokens[:, i:i + 1]), self._whole(place)] + self._tables(place + 1, place)
                      for i, place in enumerate(range(capacity - steps, capacity))]

    def step(self, i):
        with self.device:
            self.found = self.function(*self.given[i])
        self._wait()

    def start_train(self, tokens):
        tf, shape, arrays, narrow = self.tf, self.shape, self.arrays, self.narrow
        batch, positions = tokens.shape[0], tokens.shape[1] - 1

        def train(given, targets, rate, *tables):
            with tf.GradientTape() as tape:
                do = Operations(tf, shape, arrays, tables, batch, positions, narrow=narrow)
                logits = do.wide(forward(shape, do, given))
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits))
            gradients = [tf.convert_to_tensor(gradient) for gradient in tape.gradient(loss, arrays)]
            for array, gradient in zip(arrays, self.exchange.mean(gradients)):
                array.assign_sub(rate * gradient)
            return loss

        self.function = self._compiled(self.exchange.step(train))
        self.given = [self._whole(part) for part in (tokens[:, :-1], tokens[:, 1:])]
        self.tables = self._tables(positions)

    def train(self, rate):
        with self.device:
            rate = self.tf.constant(rate, self.dtype)
            self.found = self.function(*(self.given + [rate] + self.tables))
        return float(self.found.numpy())

    def _read(self, tensor):
        import numpy
        wide = self.tf.cast(tensor, self.tf.float32) if tensor.dtype == self.tf.bfloat16 else tensor
        return wide.numpy().astype(numpy.float64)

    def logits(self):
        return self._read(self.found)

    def cache(self):
        return [[self._read(tensor) for tensor in pair] for pair in self.kept]

    def weights(self):
        return [self._read(array) for array in self.arrays]

    def peak_memory(self):
        try:
            return self.tf.config.experimental.get_memory_info("GPU:0")["peak"]
        except (AttributeError, KeyError, ValueError):
            return None
