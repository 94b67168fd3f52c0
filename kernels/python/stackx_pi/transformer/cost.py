"""How much work a sample is: floating point operations, bytes, tokens. All numbers are exact.

Flop: 2 a multiply-add of the matrix products alone, as in work.py; norms, rotation, softmax, SwiGLU, loss and update are not
counted, as in every published count. With t tokens passing (batch x their number), of one forward pass:
    layers     2 t x weights of the layers' matrices: q, o: width^2; k, v: width x kv_heads x head size; gate, up, down: width x
               feed_forward
    attention  4 x layers x width x pairs: 2 width for q k', 2 width for the mix of values, each pair of a query and a position
               that it is multiplied with. prefill, train: batch x context^2, the whole square, as torch's FlopCounterMode and
               the usual model flop (PaLM, arXiv:2204.02311, appendix B) count; what the causal half alone comes to is given
               beside it (flop_causal: context (context + 1) / 2). decode: step i sees context + i + 1 positions, all of them
               needed.
    head       2 x width x vocabulary x positions whose logits are asked for: prefill: the last of each sequence; else all
train is 3 x that: forward, gradients of the weights, gradients of the inputs (the first layer's too: the embedding learns).
A fused attention that computes its scores again on the way back does more than is counted.

Bytes: the least traffic, each in the dtype's size: all weights but the embedding once a pass, a row of the embedding a token,
the cache: prefill writes it; a decoding step reads context + i positions and writes one. train: 3 x the parameters (read
forward, read backward, written), activations left out.
"""

from __future__ import absolute_import, division

from stackx_pi.work import BYTES

FORMULA = ("items: tokens; flop 0, see transformer.flop = 2 tokens layer_weights + 4 layers width pairs + 2 width vocabulary "
           "logit_positions, train 3 times that")


class Task(object):
    """phase: prefill, decode or train; context: tokens of a prompt, cached before, or of a sequence; tokens: decoded a sample."""

    def __init__(self, phase, batch, context, tokens):
        self.phase, self.batch, self.context, self.tokens = phase, batch, context, tokens

    def items(self):
        return self.batch * (self.tokens if self.phase == "decode" else self.context)

    def capacity(self):
        """Positions of the cache."""
        return self.context + (self.tokens if self.phase == "decode" else 0)

    def pairs(self, causal=False):
        if self.phase == "decode":
            return self.batch * (self.tokens * self.context + self.tokens * (self.tokens + 1) // 2)
        return self.batch * (self.context * (self.context + 1) // 2 if causal else self.context**2)


def flop_parts(shape, task, causal=False):
    passes = 3 if task.phase == "train" else 1
    logits = task.batch if task.phase == "prefill" else task.items()
    return {"layers": passes * 2 * task.items() * shape.layers * shape.layer_weights(),
            "attention": passes * 4 * shape.layers * shape.width * task.pairs(causal),
            "head": passes * 2 * shape.width * shape.vocabulary * logits}


def flop(shape, task, causal=False):
    return sum(flop_parts(shape, task, causal).values())


def cache_bytes(shape, task, dtype):
    return BYTES[dtype] * shape.cache_values(task.batch, task.capacity())


def bytes_moved(shape, task, dtype):
    size, embedding = BYTES[dtype], shape.width * shape.vocabulary
    if task.phase == "train":
        return 3 * max(size, 4) * shape.parameter_count()  # mixed precision keeps float32
    weights, rows = shape.parameter_count() - embedding, task.items() * shape.width
    if task.phase == "prefill":
        return size * (weights + rows + shape.cache_values(task.batch, task.context))
    seen = task.tokens * task.context + task.tokens * (task.tokens + 1) // 2  # read, and the one written
    return size * (task.tokens * weights + rows + shape.cache_values(task.batch, seen))
