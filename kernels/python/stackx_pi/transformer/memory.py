"""Does the model fit? Asked before it is made: a machine that begins to swap, or ends the process, says less.

Needed at least: the parameters, the cache; in training the gradients and the logits with theirs. Activations depend on the
framework and are left out, so a model that is let through may still be too large. What is free: stackx_pi/memory.py.
"""

from __future__ import absolute_import, division

from stackx_pi import memory
from stackx_pi.errors import Unsupported
from stackx_pi.transformer import cost
from stackx_pi.work import BYTES


def needed(shape, task, dtype):
    size = BYTES[dtype]
    if task.phase == "train":
        size = max(size, 4)  # mixed precision keeps float32
        return 2 * size * (shape.parameter_count() + task.items() * shape.vocabulary)
    return size * shape.parameter_count() + cost.cache_bytes(shape, task, dtype)


def require(adapter, shape, task):
    settings = adapter.settings
    asked = needed(shape, task, settings.dtype)
    free = memory.free_on_gpu(adapter) if settings.device == "gpu" else memory.available()
    if free is not None and asked > free:
        raise Unsupported(
            "the model needs at least %.1f GiB (%s parameters%s), %.1f GiB are free: give a smaller model, batch or context" % (
                asked / 2.0**30, "{:,}".format(shape.parameter_count()),
                ", their gradients, logits" if task.phase == "train" else ", cache", free / 2.0**30))
