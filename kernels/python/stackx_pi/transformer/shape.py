"""A decoder's shape: layers, width, heads, grouped keys, feed-forward, vocabulary; its tensors and how much work they are.

The architecture is Llama's (Touvron et al. 2023, arXiv:2302.13971; grouped keys: Ainslie et al. 2023, arXiv:2305.13245): token
embedding; in each layer x += o(attention(norm x)), x += down(silu(gate(norm x)) * up(norm x)); a last norm and a head of its own.
Norms are RMSNorm (epsilon 1e-5), positions rotary (half a head apart, base 10000), nothing has a bias. Matrices are (in, out).

Presets are shapes alone: weights are random, the head is never tied to the embedding, and base and epsilon, which cost no time,
are the same for all. So a model whose head is tied where it is published has width x vocabulary more parameters here.
"""

from __future__ import absolute_import, division

import collections

from stackx_pi.errors import UsageError
from stackx_pi.work import product

EPSILON = 1e-5
ROTARY_BASE = 10000.0
KEYS = ("layers", "width", "heads", "kv_heads", "feed_forward", "vocabulary")
MOST = {"layers": 1 << 10, "width": 1 << 16, "heads": 1 << 12, "kv_heads": 1 << 12, "feed_forward": 1 << 18,
        "vocabulary": 1 << 20}
LAYER = ("attention norm", "q", "k", "v", "o", "feed-forward norm", "gate", "up", "down")

# name -> sizes in the order of KEYS. tiny and small are our own: for tests, and about a second on two cores.
PRESETS = collections.OrderedDict([
    ("tiny", (2, 32, 4, 2, 48, 96)),
    ("small", (4, 256, 8, 4, 768, 8192)),
    ("smollm2-135m", (30, 576, 9, 3, 1536, 49152)),  # huggingface.co/HuggingFaceTB/SmolLM2-135M, config.json; tied there
    ("tinyllama-1.1b", (22, 2048, 32, 4, 5632, 32000)),  # huggingface.co/TinyLlama/TinyLlama-1.1B-Chat-v1.0, config.json
    ("llama-3.2-1b", (16, 2048, 32, 8, 8192, 128256)),  # huggingface.co/meta-llama/Llama-3.2-1B, config.json; tied there
    ("llama-2-7b", (32, 4096, 32, 32, 11008, 32000)),  # arXiv:2307.09288; huggingface.co/meta-llama/Llama-2-7b-hf
    ("llama-3.1-8b", (32, 4096, 32, 8, 14336, 128256)),  # arXiv:2407.21783, table 3; meta-llama/Llama-3.1-8B
])


class Shape(object):
    def __init__(self, layers, width, heads, kv_heads, feed_forward, vocabulary):
        self.layers, self.width, self.heads, self.kv_heads = layers, width, heads, kv_heads
        self.feed_forward, self.vocabulary = feed_forward, vocabulary
        if width % heads:
            raise UsageError("width=%d is no multiple of heads=%d" % (width, heads))
        if heads % kv_heads:
            raise UsageError("heads=%d is no multiple of kv_heads=%d" % (heads, kv_heads))
        self.head_size, self.group = width // heads, heads // kv_heads
        if self.head_size % 2:
            raise UsageError("width=%d and heads=%d make heads of %d: rotary positions need an even size" % (
                width, heads, self.head_size))

    def sizes(self):
        return collections.OrderedDict((key, getattr(self, key)) for key in KEYS)

    def changed(self, **sizes):
        return Shape(**dict(self.sizes(), **sizes))

    def layer_tensors(self):
        width, keys, inner = self.width, self.kv_heads * self.head_size, self.feed_forward
        sides = ((width,), (width, width), (width, keys), (width, keys), (width, width), (width,), (width, inner),
                 (width, inner), (inner, width))
        return list(zip(LAYER, sides))

    def tensors(self):
        """(name, shape) in the order in which all frameworks keep them; at() is the place of one."""
        result = [("embedding", (self.vocabulary, self.width))]
        for layer in range(self.layers):
            result += [("%s of layer %d" % (name, layer), sides) for name, sides in self.layer_tensors()]
        return result + [("last norm", (self.width,)), ("head", (self.width, self.vocabulary))]

    def at(self, name, layer):
        return 1 + layer * len(LAYER) + LAYER.index(name)

    def parameter_count(self):
        layer = sum(product(sides) for _, sides in self.layer_tensors())
        return self.layers * layer + self.width + 2 * self.width * self.vocabulary

    def layer_weights(self):
        """Of the matrices of one layer: each is multiplied once by every token."""
        return sum(product(sides) for _, sides in self.layer_tensors() if len(sides) == 2)

    def cache_values(self, batch, positions):
        """Keys and values of all layers."""
        return 2 * self.layers * batch * self.kv_heads * self.head_size * positions


def from_parameters(parameters):
    """(name, Shape): a preset, and what was said beside it."""
    name = parameters.one_of("model", list(PRESETS))
    sizes = dict(zip(KEYS, PRESETS[name]))
    for key in KEYS:
        asked = parameters.whole_or(key, "preset", 1, MOST[key])
        if asked is not None:
            sizes[key] = asked
    shape = Shape(**sizes)
    for key in KEYS:
        parameters.set(key, sizes[key])
    return name, shape
