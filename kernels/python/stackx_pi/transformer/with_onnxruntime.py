"""ONNX Runtime: a model written here (onnx_graph.py), weights as constants; no training.

Norms and SwiGLU are made of the operators that exporters make them of, which the runtime's optimiser knows and may fuse. Attention
is written out: the contrib operator GroupQueryAttention belongs to newer versions alone. All inputs and outputs are bound to
memory of the device once. The cache of a decoding step is an input and an output of the model, and both are bound to the same
memory: ScatterElements then writes its one position where it stands, in place of copying the rest; were it read elsewhere before
it is written, the check would see it. A runtime that has no IO binding is refused.
"""

from __future__ import absolute_import

import shutil
import tempfile

from stackx_pi.errors import Unsupported
from stackx_pi.transformer import forward, inputs
from stackx_pi.transformer.onnx_graph import Graph
from stackx_pi.transformer.shape import EPSILON


class Operations(object):
    """Nodes in place of numbers. `positions` of `batch` sequences; with `cache`, [(keys, values)], one token at input "place"."""

    def __init__(self, graph, shape, weights, dtype, batch, positions, tables, cache=None, capacity=0):
        import numpy
        self.numpy, self.graph, self.shape, self.weights = numpy, graph, shape, weights
        self.dtype, self.batch, self.positions = dtype, batch, positions
        self.cosine, self.sine = tables
        self.cache, self.capacity = cache, capacity
        self.kept = []

    def whole(self, *values):
        return self.graph.constant(self.numpy.array(values, self.numpy.int64))

    def real(self, value, dtype=None):
        return self.graph.constant(self.numpy.array(value, dtype or self.dtype))

    def embed(self, tokens):
        return self.graph.node("Gather", self.weights[0], tokens)

    def norm(self, x, i):
        node = self.graph.node
        wide = node("Cast", x, to=1) if self.dtype == "float16" else x
        kind = "float32" if self.dtype == "float16" else self.dtype
        mean = node("ReduceMean", node("Pow", wide, self.real(2, kind)), axes=[-1], keepdims=1)
        unit = node("Div", wide, node("Sqrt", node("Add", mean, self.real(EPSILON, kind))))
        return node("Mul", node("Cast", unit, to=10) if self.dtype == "float16" else unit, self.weights[i])

    def product(self, x, i):
        return self.graph.node("MatMul", x, self.weights[i])

    def add(self, x, y):
        return self.graph.node("Add", x, y)

    def gate(self, x, y):
        node = self.graph.node
        return node("Mul", node("Mul", x, node("Sigmoid", x)), y)

    def last(self, x):
        return self.graph.node("Slice", x, self.whole(self.positions - 1), self.whole(self.positions), self.whole(1))

    def reshaped(self, x, *sides):
        return self.graph.node("Reshape", x, self.whole(*sides))

    def heads(self, x):
        split = self.reshaped(x, self.batch, self.positions, -1, self.shape.head_size)
        return self.graph.node("Transpose", split, perm=[0, 2, 1, 3])

    def rotate(self, x):
        node, size = self.graph.node, self.shape.head_size
        first = node("Slice", x, self.whole(0), self.whole(size // 2), self.whole(3))
        second = node("Slice", x, self.whole(size // 2), self.whole(size), self.whole(3))
        turned = node("Concat", node("Neg", second), first, axis=-1)
        return node("Add", node("Mul", x, self.cosine), node("Mul", turned, self.sine))

    def attend(self, q, k, v, layer):
        q, k, v = self.rotate(self.heads(q)), self.rotate(self.heads(k)), self.heads(v)
        node, shape, batch = self.graph.node, self.shape, self.batch
        names = "keys_%d" % layer, "values_%d" % layer
        if self.cache is None:
            k, v = [node("Identity", new, output=name) for new, name in zip((k, v), names)]
        else:
            k, v = [node("ScatterElements", kept, "place", new, axis=2, output=name) for kept, new, name in zip(
                self.cache[layer], (k, v), names)]
        self.kept.append(names)
        rows = self.reshaped(q, batch, shape.kv_heads, shape.group * self.positions, shape.head_size)
        scores = node("MatMul", rows, node("Transpose", k, perm=[0, 1, 3, 2]))
        scores = node("Mul", scores, self.real(shape.head_size**-0.5))
        split = self.reshaped(scores, batch, shape.heads, self.positions, -1)
        likely = node("Softmax", node("Add", split, self.hidden()), axis=3)
        likely = self.reshaped(likely, batch, shape.kv_heads, shape.group * self.positions, -1)
        mixed = self.reshaped(node("MatMul", likely, v), batch, shape.heads, self.positions, shape.head_size)
        return self.reshaped(node("Transpose", mixed, perm=[0, 2, 1, 3]), batch, self.positions, -1)

    def hidden(self):
        """What is added to the scores: 0, or what the softmax makes 0 of. An input in decoding."""
        if self.cache is not None:
            return "hidden"
        return self.graph.constant(mask(self.numpy.arange(self.positions), self.positions, self.dtype))


def mask(places, slots, dtype):
    """One row a query at its place."""
    import numpy
    least = -1e4 if dtype == "float16" else -1e9
    return numpy.where(numpy.arange(slots)[None, :] <= numpy.asarray(places)[:, None], 0, least).astype(dtype)


class Runner(object):
    def __init__(self, adapter, shape, weights, learns):  # pylint: disable=unused-argument
        import numpy
        self.numpy, self.adapter, self.shape, self.runtime = numpy, adapter, shape, adapter.runtime
        self.dtype = adapter.settings.dtype
        self.device = "cuda" if adapter.settings.device == "gpu" else "cpu"
        if not hasattr(self.runtime, "OrtValue"):
            raise Unsupported("onnxruntime %s has no OrtValue to bind a cache to" % adapter.version)
        self.directory = tempfile.mkdtemp(prefix="stackx-onnx-")
        self.graph = Graph(self.directory)
        self.names = [self.graph.constant(w.astype(self.dtype), "weight_%d" % i) for i, w in enumerate(weights)]

    def _operations(self, batch, positions, tables, **more):
        return Operations(self.graph, self.shape, self.names, self.dtype, batch, positions, tables, **more)

    def _finished(self, do, logits, batch, capacity):
        """Outputs of the graph -> session."""
        self.graph.node("Reshape", logits, do.whole(batch, -1), output="logits")
        self.graph.output("logits", self.dtype, (batch, self.shape.vocabulary))
        for name in [name for pair in do.kept for name in pair]:
            self.graph.output(name, self.dtype, (batch, self.shape.kv_heads, capacity, self.shape.head_size))
        self.kept_names = do.kept
        try:
            self.session = self.adapter._session(self.graph.write())  # pylint: disable=protected-access
        finally:
            shutil.rmtree(self.directory, True)  # mapped: a file lives on until nobody has it open

    def _value(self, array):
        return self.runtime.OrtValue.ortvalue_from_numpy(self.numpy.ascontiguousarray(array), self.device, 0)

    def _tables(self, end, first=0):
        """Both halves of a head: the same angles twice."""
        return [self.numpy.concatenate([table, table], -1).astype(self.dtype) for table in inputs.rotary_tables(
            self.shape, end, first)]

    def start_prefill(self, tokens):
        batch, positions = tokens.shape
        do = self._operations(batch, positions, [self.graph.constant(table) for table in self._tables(positions)])
        given = self.graph.input("tokens", "int64", (batch, positions))
        self._finished(do, forward(self.shape, do, given, last=True), batch, positions)
        cache = self.numpy.zeros((batch, self.shape.kv_heads, positions, self.shape.head_size), self.dtype)
        self.kept = [[self._value(cache.copy()) for _ in pair] for pair in self.kept_names]
        self.found = self._value(self.numpy.zeros((batch, self.shape.vocabulary), self.dtype))
        self.bindings = [self._binding({"tokens": self._value(tokens.astype("int64"))})]

    def _binding(self, values):
        binding = self.session.io_binding()
        outputs = {"logits": self.found}
        for names, pair in zip(self.kept_names, self.kept):
            outputs.update(zip(names, pair))
        for name, value in values.items():
            binding.bind_ortvalue_input(name, value)
        for name, value in outputs.items():
            binding.bind_ortvalue_output(name, value)
        return binding, values  # a CPU value borrows NumPy's memory

    def prefill(self):
        self.session.run_with_iobinding(self.bindings[0][0])  # waits for the device

    def start_decode(self, cache, tokens):
        shape, graph = self.shape, self.graph
        self.kept = [[self._value(array.astype(self.dtype)) for array in pair] for pair in cache]
        batch, steps = tokens.shape
        capacity = self.kept[0][0].shape()[2]
        sides = (batch, shape.kv_heads, capacity, shape.head_size)
        given = graph.input("tokens", "int64", (batch, 1))
        graph.input("place", "int64", (batch, shape.kv_heads, 1, shape.head_size))
        graph.input("hidden", self.dtype, (1, capacity))
        tables = [graph.input(name, self.dtype, (1, shape.head_size)) for name in ("cosine", "sine")]
        old = [[graph.input("old_%s_%d" % (kind, layer), self.dtype, sides) for kind in ("keys", "values")]
               for layer in range(shape.layers)]
        do = self._operations(batch, 1, tables, cache=old, capacity=capacity)
        self._finished(do, forward(shape, do, given), batch, capacity)
        self.found = self._value(self.numpy.zeros((batch, shape.vocabulary), self.dtype))
        self.bindings = [self._step_binding(old, tokens[:, i:i + 1], capacity - steps + i, capacity) for i in range(steps)]

    def _step_binding(self, old, token, place, capacity):
        shape, numpy = self.shape, self.numpy
        values = dict(zip(("cosine", "sine"), [self._value(table) for table in self._tables(place + 1, place)]))
        values["tokens"] = self._value(token.astype("int64"))
        values["place"] = self._value(numpy.full((len(token), shape.kv_heads, 1, shape.head_size), place, numpy.int64))
        values["hidden"] = self._value(mask([place], capacity, self.dtype))
        for names, pair in zip(old, self.kept):
            values.update(zip(names, pair))
        return self._binding(values)

    def step(self, i):
        self.session.run_with_iobinding(self.bindings[i][0])

    def logits(self):
        return self.found.numpy().astype("float64")

    def cache(self):
        return [[value.numpy().astype("float64") for value in pair] for pair in self.kept]

    def peak_memory(self):
        return None
