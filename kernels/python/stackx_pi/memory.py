"""What a run takes of memory against what can be had: told before it is taken, as kernels/memory.hpp does for the native PIs.

Needed at least: our own arrays, and what the check takes beside them; what a framework makes of them is not known, so that a run
that is let through may still be too large. What is free: on a CPU the least of what the kernel says is available, what the cgroup
leaves (pages of files that were not used lately can be dropped) and the process's limit of address space; on a GPU what its
framework says, if it does.
"""

from __future__ import absolute_import, division

import collections

from stackx_pi.errors import Unsupported
from stackx_pi.work import BYTES

# keys: the parameters that it follows from; bytes of our arrays on the host, of the check, of the arrays on the GPU
Need = collections.namedtuple("Need", "keys arrays check device")

GROUPS = (("/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
          ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"))


def number_in(path, key=""):
    """The first of a file, or the one behind a word that begins a line."""
    try:
        with open(path) as file:
            words = next((line.split() for line in file if line.startswith(key)), [])
        return int(words[1 if key else 0])
    except (IOError, OSError, ValueError, IndexError):
        return None  # "max", or no such file


def left_by_cgroup():
    found = []
    for place, limit, used, droppable in GROUPS:
        most, now = number_in("%s/%s" % (place, limit)), number_in("%s/%s" % (place, used))
        if most is not None and now is not None:
            kept = max(now - (number_in(place + "/memory.stat", droppable + " ") or 0), 0)
            found.append(max(most - kept, 0))
    return found


def left_by_process():
    import resource
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    pages = number_in("/proc/self/statm")
    return [] if most == resource.RLIM_INFINITY or pages is None else [max(most - pages * resource.getpagesize(), 0)]


def available():
    kib = number_in("/proc/meminfo", "MemAvailable:")
    found = left_by_cgroup() + left_by_process() + ([] if kib is None else [kib * 1024])
    return min(found) if found else None


def free_on_gpu(adapter):
    """Of PyTorch and JAX; None where the framework does not say it (TensorFlow, ONNX Runtime), and where there is no GPU in it."""
    try:
        if adapter.settings.device != "gpu":
            return None
        if adapter.name == "torch":
            return adapter.torch.cuda.mem_get_info()[0]
        if adapter.name == "jax":
            return adapter.device.memory_stats()["bytes_limit"]
    except (AttributeError, KeyError, TypeError, RuntimeError):
        pass
    return None


def need_of(keys, inputs, result, dtype, checked):
    """Of arrays of so many elements. An input is made in float64; `checked` elements are converted to it at once for the check."""
    host = 4 if dtype == "bfloat16" else BYTES[dtype]  # NumPy has no bfloat16
    arrays = host * (sum(inputs) + result)
    return Need(keys, arrays, max(8 * checked, 8 * max(inputs) - host * result), BYTES[dtype] * (sum(inputs) + result))


def amount(size):
    """447.0 GiB"""
    size, units = size / 1024.0, ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    while size >= 1024 and len(units) > 1:
        size, units = size / 1024, units[1:]
    return "%.1f %s" % (size, units[0])


def require(adapter, need, parameters):
    """Raises Unsupported with the sentence of the native PIs."""
    host, device = available(), free_on_gpu(adapter)
    if (host is None or need.arrays + need.check <= host) and (device is None or need.device <= device):
        return
    text = "%s takes at least %s of host memory (%s for arrays, %s for the check)" % (
        " ".join("%s=%s" % (key, parameters.text(key)) for key in need.keys), amount(need.arrays + need.check), amount(need.arrays),
        amount(need.check))
    if adapter.settings.device == "gpu":
        text += " and %s of the GPU's" % amount(need.device)
    there = ["%s of the %s" % (amount(size), whose) for size, whose in ((host, "host's"), (device, "GPU's")) if size is not None]
    raise Unsupported("%s; there are %s: give a smaller %s or %s" % (
        text, " and ".join(there), ", ".join(need.keys[:-1]), need.keys[-1]))
