"""PyTorch, operation by operation (mode=eager) or compiled (mode=function: torch.compile of the pass or the step).

Attention is torch's scaled_dot_product_attention where there is one (PyTorch 2), else written out. Keys are repeated for the
queries that share them when a prompt is read (enable_gqa came with 2.5, and would make another call of another version); in
decoding the queries that share a head are its rows, and nothing is copied. A decoding step in eager mode attends to the part of
the cache that is filled; compiled, where a length that grows would be compiled again and again, to all of it under a mask, as
gpt-fast and transformers' static cache do. Mixed precision is torch.autocast's.
"""

from __future__ import absolute_import

from stackx_pi.errors import Unsupported
from stackx_pi.transformer import forward, inputs
from stackx_pi.transformer.shape import EPSILON


class Operations(object):
    """One sequence from its begin; `kept` takes keys and values."""

    def __init__(self, torch, shape, weights, tables):
        self.torch, self.shape, self.weights = torch, shape, weights
        self.functional, self.cosine, self.sine = torch.nn.functional, tables[0], tables[1]
        self.kept = []
        # A call of torch's costs about a microsecond, also one that changes nothing: types are compared here, once.
        self.half = weights[0].dtype in (torch.float16, torch.bfloat16)

    def embed(self, tokens):
        return self.functional.embedding(tokens, self.weights[0])

    def norm(self, x, i):
        wide = x.float() if self.half else x
        wide = wide * self.torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + EPSILON)
        return (wide.to(x.dtype) if self.half else wide) * self.weights[i]

    def product(self, x, i):
        return self.functional.linear(x, self.weights[i])

    def add(self, x, y):
        return x + y

    def gate(self, x, y):
        return self.functional.silu(x) * y

    def last(self, x):
        return x[:, -1:]

    def heads(self, x):
        return x.view(x.shape[0], x.shape[1], -1, self.shape.head_size).transpose(1, 2)

    def rotate(self, x):
        half = self.shape.head_size // 2
        first, second = x[..., :half], x[..., half:]
        return self.torch.cat([first * self.cosine - second * self.sine, second * self.cosine + first * self.sine], -1)

    def attend(self, q, k, v, layer):
        q, k, v = self.rotate(self.heads(q)), self.rotate(self.heads(k)), self.heads(v)
        if q.dtype != v.dtype:  # under autocast: the tables are float32
            q, k = q.to(v.dtype), k.to(v.dtype)
        mixed = self.attended(q, k, v, layer)
        return mixed.transpose(1, 2).reshape(q.shape[0], q.shape[2], self.shape.width)

    def attended(self, q, k, v, layer):  # pylint: disable=unused-argument
        self.kept.append((k, v))
        batch, kv_heads, positions, size = k.shape
        if self.shape.group > 1:
            k, v = [x[:, :, None].expand(batch, kv_heads, self.shape.group, positions, size).reshape(
                batch, -1, positions, size) for x in (k, v)]
        if hasattr(self.functional, "scaled_dot_product_attention"):
            return self.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        seen = self.torch.ones(positions, positions, dtype=self.torch.bool, device=q.device).tril()
        return self.written_out(q, k, v, seen)

    def written_out(self, q, k, v, seen):
        scores = self.torch.matmul(q, k.transpose(-1, -2)) * self.shape.head_size**-0.5
        if seen is not None:
            scores = scores.masked_fill(seen.logical_not(), float("-inf"))
        likely = self.torch.softmax(scores if scores.dtype == self.torch.float64 else scores.float(), -1)
        return self.torch.matmul(likely.to(v.dtype), v)


class Step(Operations):
    """One token a sequence, at `position` of the cache: a number, or with `seen`, a mask of the slots, a tensor."""

    def __init__(self, torch, shape, weights, tables, cache, position, seen):
        Operations.__init__(self, torch, shape, weights, tables)
        self.cache, self.position, self.seen = cache, position, seen

    def attended(self, q, k, v, layer):
        keys, values = self.cache[layer]
        if self.seen is None:
            keys[:, :, self.position:self.position + 1] = k
            values[:, :, self.position:self.position + 1] = v
            keys, values = keys[:, :, :self.position + 1], values[:, :, :self.position + 1]
        else:
            keys.index_copy_(2, self.position, k)
            values.index_copy_(2, self.position, v)
        batch, kv_heads, _, size = keys.shape
        q = q.reshape(batch, kv_heads, self.shape.group, size)
        if hasattr(self.functional, "scaled_dot_product_attention"):
            mixed = self.functional.scaled_dot_product_attention(q, keys, values, attn_mask=self.seen)
        else:
            mixed = self.written_out(q, keys, values, self.seen)
        return mixed.reshape(batch, -1, 1, size)


class Runner(object):
    def __init__(self, adapter, shape, weights, learns):
        import numpy
        torch = self.torch = adapter.torch
        self.numpy, self.shape, self.device = numpy, shape, adapter.device
        self.compiled = adapter.mode == "function"
        asked = getattr(torch, adapter.settings.dtype)
        self.mixed = learns and asked == torch.bfloat16
        self.dtype = torch.float32 if self.mixed else asked
        if self.mixed and not hasattr(torch, "autocast"):
            raise Unsupported("torch %s has no autocast" % torch.__version__)
        torch.set_grad_enabled(learns)
        self.exchange = adapter.exchange
        self.arrays = [self._put(w.T if w.ndim == 2 and i else w) for i, w in enumerate(weights)]
        if learns:
            self.arrays = [torch.nn.Parameter(array) for array in self.arrays]
            self.optimizer = torch.optim.SGD(self.arrays, lr=1.0)
        self.found = self.kept = None

    def _put(self, array):
        # A copy of torch's own, also on a CPU, where NumPy's memory would be borrowed
        return self.torch.from_numpy(self.numpy.ascontiguousarray(array)).clone().to(device=self.device, dtype=self.dtype)

    def _whole(self, array):
        return self.torch.from_numpy(array.astype("int64")).clone().to(self.device)

    def _tables(self, end, first=0):
        return [self._put(table) for table in inputs.rotary_tables(self.shape, end, first)]

    def _compiled(self, function):
        return self.torch.compile(function) if self.compiled else function

    def _wait(self):
        if self.device.type == "cuda":
            self.torch.cuda.synchronize()

    def start_prefill(self, tokens):
        torch, shape, arrays, tables = self.torch, self.shape, self.arrays, self._tables(tokens.shape[1])

        def prefill(given):
            do = Operations(torch, shape, arrays, tables)
            return forward(shape, do, given, last=True)[:, 0], do.kept

        self.tokens, self.function = self._whole(tokens), self._compiled(prefill)

    def prefill(self):
        self.found, self.kept = self.function(self.tokens)
        self._wait()

    def start_decode(self, cache, tokens):
        torch, shape, arrays = self.torch, self.shape, self.arrays
        kept = self.kept = [[self._put(array) for array in pair] for pair in cache]
        capacity, steps = kept[0][0].shape[2], tokens.shape[1]
        places = range(capacity - steps, capacity)

        def step(token, tables, position, seen):
            return forward(shape, Step(torch, shape, arrays, tables, kept, position, seen), token)[:, 0]

        self.function = self._compiled(step)
        self.given = []
        for i, place in enumerate(places):
            tables = self._tables(place + 1, place)
            position, seen = place, None
            if self.compiled:
                position = self._whole(self.numpy.array([place]))
                seen = (torch.arange(capacity, device=self.device) <= place)[None, None, None]
            self.given.append((self._whole(tokens[:, i:i + 1]), tables, position, seen))

    def step(self, i):
        self.found = self.function(*self.given[i])
        self._wait()

    def start_train(self, tokens):
        torch, shape, arrays, tables = self.torch, self.shape, self.arrays, self._tables(tokens.shape[1] - 1)

        def loss_of(given, targets):
            logits = forward(shape, Operations(torch, shape, arrays, tables), given)
            logits = logits.float() if logits.dtype != torch.float64 else logits
            return torch.nn.functional.cross_entropy(logits.reshape(-1, shape.vocabulary), targets.reshape(-1))

        self.tokens = [self._whole(part) for part in (tokens[:, :-1], tokens[:, 1:])]
        self.function = self._compiled(self.exchange.spread(loss_of, arrays))

    def train(self, rate):
        self.optimizer.param_groups[0]["lr"] = rate
        for array in self.arrays:
            array.grad = None
        if self.mixed:
            with self.torch.autocast(self.device.type, dtype=self.torch.bfloat16):
                loss = self.function(*self.tokens)
        else:
            loss = self.function(*self.tokens)
        loss.backward()
        self.exchange.mean_of_grads(self.arrays)
        self.optimizer.step()
        self._wait()  # the loss is there before the update is
        return loss.item()

    def _read(self, tensor):
        return tensor.detach().double().cpu().numpy()

    def logits(self):
        return self._read(self.found)

    def cache(self):
        return [[self._read(tensor) for tensor in pair] for pair in self.kept]

    def weights(self):
        return [self._read(w).T if w.dim() == 2 and i else self._read(w) for i, w in enumerate(self.arrays)]

    def peak_memory(self):
        return self.torch.cuda.max_memory_allocated() if self.device.type == "cuda" else None
