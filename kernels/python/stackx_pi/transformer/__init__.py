"""A decoder of stated shape in each framework: what the PI transformer measures.

shape.py          the shape, its presets and tensors
cost.py           flop, bytes and tokens of a sample
inputs.py         weights, tokens and caches
memory.py         does it fit?
numpy_decoder.py  the decoder in NumPy, with gradients of its own: the reference in float64, and the framework "numpy"
with_*.py         a Runner for each framework
onnx_graph.py     models for ONNX Runtime, without the package onnx
check.py          a Runner against the reference

A Runner is made with (adapter, shape, weights: float32 arrays one after the other, learns) and has, each ended when it returns,
    start_prefill(tokens)        batch x context; then prefill(): one pass: logits of the last position, and the cache
    start_decode(cache, tokens)  (keys, values) a layer, of capacity positions; tokens: batch x steps. Then step(i): feeds
                                 tokens[:, i] at position capacity - steps + i; steps may be taken again from 0
    start_train(tokens)          batch x (context + 1); then train(rate): one step of gradient descent; returns the loss
    logits(), cache(), weights() float64: batch x vocabulary; [(keys, values)], matrices as (in, out): of the last call
    peak_memory()                of a GPU, by the framework's own count; None: it has none
forward() is the decoder, once for all frameworks; Operations are a framework's, each of one layer.

dtype: weights, activations and cache; norms and softmax of float16 and bfloat16 in float32, as in Llama's own code. train: mixed
precision, that is weights, loss and update in float32, products in bfloat16; float16 would need a scaled loss and is refused.
The step is plain gradient descent, w -= rate g: AdamW would add two more arrays as large as the model, and kernels that differ.
The loss is the mean cross-entropy over all positions, each of which predicts the next token.
"""

from __future__ import absolute_import

import importlib

from stackx_pi.errors import Unsupported

FRAMEWORKS = ("tensorflow", "torch", "jax", "onnxruntime", "numpy")
TRAINED_DTYPES = ("float32", "float64", "bfloat16")


def forward(shape, operations, tokens, last=False):
    """The logits of all positions; of the last alone."""
    do = operations
    x = do.embed(tokens)
    for layer in range(shape.layers):
        def weight(name, layer=layer):
            return shape.at(name, layer)

        h = do.norm(x, weight("attention norm"))
        q, k, v = [do.product(h, weight(name)) for name in "qkv"]
        x = do.add(x, do.product(do.attend(q, k, v, layer), weight("o")))
        h = do.norm(x, weight("feed-forward norm"))
        x = do.add(x, do.product(do.gate(do.product(h, weight("gate")), do.product(h, weight("up"))), weight("down")))
    if last:
        x = do.last(x)
    return do.product(do.norm(x, -2), -1)


def require(adapter, phase):
    """What cannot be, before anything is made."""
    name = adapter.name
    if name not in FRAMEWORKS or kind(adapter) == "with_tensorflow1":
        raise Unsupported("%s: the transformer is written for TensorFlow 2, PyTorch, JAX, ONNX Runtime and NumPy" % (
            "tensorflow %s" % adapter.version if name == "tensorflow" else name))
    if phase == "train":
        if name == "onnxruntime":
            raise Unsupported("onnxruntime does not train networks")
        if adapter.settings.dtype not in TRAINED_DTYPES:
            raise Unsupported("phase=train has %s (bfloat16 as mixed precision)" % ", ".join(TRAINED_DTYPES))


def kind(adapter):
    return adapter.__module__.rsplit(".", 1)[-1]


def runner(adapter, shape, weights, learns=False):
    """`adapter`: a loaded Adapter of stackx_pi.frameworks."""
    return importlib.import_module("stackx_pi.transformer." + kind(adapter)).Runner(adapter, shape, weights, learns)
