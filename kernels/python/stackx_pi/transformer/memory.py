"""Does the model fit? Asked before it is made: a machine that begins to swap, or ends the process, says less.

Needed at least: the parameters, the cache; in training the gradients and the logits with theirs. Activations depend on the
framework and are left out, so a model that is let through may still be too large. What is free: stackx_pi/memory.py.
"""

from __future__ import absolute_import, division

from stackx_pi import memory
from stackx_pi.transformer import cost
from stackx_pi.work import BYTES


def needed(shape, task, dtype):
    size = BYTES[dtype]
    if task.phase == "train":
        size = max(size, 4)  # mixed precision keeps float32
        return 2 * size * (shape.parameter_count() + task.items() * shape.vocabulary)
    return size * shape.parameter_count() + cost.cache_bytes(shape, task, dtype)


def require(adapter, shape, task, gathered=memory.nobody_else):
    """`gathered`: as in stackx_pi/memory.py; of several workers each counts for itself, as on a host of its own."""
    settings, reason = adapter.settings, None
    asked = needed(shape, task, settings.dtype)
    free = memory.free_on_gpu(adapter) if settings.device == "gpu" else memory.Free(memory.available(), "host's")
    if free is not None and free.bytes is not None and asked > free.bytes:
        reason = "the model needs at least %.1f GiB (%s parameters%s), %.1f GiB are free%s: give a smaller model, batch or context" % (
            asked / 2.0**30, "{:,}".format(shape.parameter_count()),
            ", their gradients, logits" if task.phase == "train" else ", cache", free.bytes / 2.0**30,
            " of the " + free.whose if free.whose == memory.JAX_SHARE else "")
    memory.refuse_together(reason, gathered)
