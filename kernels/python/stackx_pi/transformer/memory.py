"""Does the model fit? Asked before it is made: a machine that begins to swap, or ends the process, says less.

Needed at least: the parameters, the cache; in training the gradients and the logits with theirs. Activations depend on the
framework and are left out, so a model that is let through may still be too large. What is free: on a CPU the least of what the
kernel says is available, what the cgroup leaves and the process's limit of address space; on a GPU what its framework says, if
it does.
"""

from __future__ import absolute_import, division

from stackx_pi.errors import Unsupported
from stackx_pi.transformer import cost
from stackx_pi.work import BYTES


def needed(shape, task, dtype):
    size = BYTES[dtype]
    if task.phase == "train":
        size = max(size, 4)  # mixed precision keeps float32
        return 2 * size * (shape.parameter_count() + task.items() * shape.vocabulary)
    return size * shape.parameter_count() + cost.cache_bytes(shape, task, dtype)


def number_in(path):
    try:
        with open(path) as file:
            return int(file.read().split()[0])
    except (IOError, OSError, ValueError, IndexError):
        return None  # "max", or no such file


def left_by_cgroup():
    found = []
    for limit, used in (("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
                        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes")):
        most, now = number_in(limit), number_in(used)
        if most is not None and now is not None:
            found.append(max(most - now, 0))
    return found


def left_by_process():
    import resource
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    pages = number_in("/proc/self/statm")
    return [] if most == resource.RLIM_INFINITY or pages is None else [max(most - pages * resource.getpagesize(), 0)]


def available():
    found = left_by_cgroup() + left_by_process()
    try:
        with open("/proc/meminfo") as file:
            found += [int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable:")]
    except (IOError, OSError, ValueError):
        pass
    return min(found) if found else None


def free_on_gpu(adapter):
    """Of PyTorch and JAX; None where the framework does not say it (TensorFlow, ONNX Runtime)."""
    try:
        if adapter.name == "torch":
            return adapter.torch.cuda.mem_get_info()[0]
        if adapter.name == "jax":
            return adapter.device.memory_stats()["bytes_limit"]
    except (AttributeError, KeyError, TypeError, RuntimeError):
        pass
    return None


def require(adapter, shape, task):
    settings = adapter.settings
    asked = needed(shape, task, settings.dtype)
    free = free_on_gpu(adapter) if settings.device == "gpu" else available()
    if free is not None and asked > free:
        raise Unsupported("the model needs at least %.1f GiB (%s parameters%s), %.1f GiB are free" % (
            asked / 2.0**30, "{:,}".format(shape.parameter_count()),
            ", their gradients, logits" if task.phase == "train" else ", cache", free / 2.0**30))
