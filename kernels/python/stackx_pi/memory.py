"""What a run takes of memory against what can be had: told before it is taken, as kernels/memory.hpp does for the native PIs.

Needed at least: our own arrays, and what the check takes beside them; what a framework makes of them is not known, so that a run
that is let through may still be too large. What is free: on a CPU the least of what the kernel says is available, what the cgroup
leaves (pages of files that were not used lately can be dropped) and the process's limit of address space; on a GPU what its
framework says, if it does: PyTorch the device's free memory, JAX what its allocator may still take of its share (75% of the GPU
unless XLA_PYTHON_CLIENT_MEM_FRACTION says otherwise), which a neighbour may hold.

Several ranks: each has its own limit of address space; those of one host and control group share the rest, those of one GPU its
memory. What all hold at one time counts for each of them, what one takes for a moment counts once. All refuse, or none.
"""

from __future__ import absolute_import, division

import collections
import os

from stackx_pi.errors import Unsupported
from stackx_pi.work import BYTES

# keys: the parameters that it follows from; bytes of our arrays on the host, of the check, of the arrays on the GPU; alone: on the
# host beside the arrays, and not in all ranks at the same time
Need = collections.namedtuple("Need", "keys arrays check device alone")
Need.__new__.__defaults__ = (0,)
Free = collections.namedtuple("Free", "bytes whose")
JAX_SHARE = "GPU's that JAX may take (XLA_PYTHON_CLIENT_MEM_FRACTION sets its share)"

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


def shared():
    """By all processes of a household()."""
    kib = number_in("/proc/meminfo", "MemAvailable:")
    found = left_by_cgroup() + ([] if kib is None else [kib * 1024])
    return min(found) if found else None


def available():
    """To this process."""
    found = left_by_process() + [size for size in (shared(),) if size is not None]
    return min(found) if found else None


def household():
    """What is the same in processes that share memory, and in no others: the boot and the control group; None: it cannot be told."""
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            boot = file.read().strip()
        return "%s %s" % (boot, [os.stat(place).st_ino for place, _, _, _ in GROUPS if os.path.isdir(place)])
    except (IOError, OSError):
        return None


def gpu_of(adapter):
    """The same in ranks that share a GPU; None where it cannot be told: an ordinal is another GPU in every container."""
    try:
        if adapter.settings.device == "gpu" and adapter.name == "torch":
            return str(adapter.torch.cuda.get_device_properties(adapter.device).uuid)
    except (AttributeError, AssertionError, TypeError, RuntimeError):
        pass
    return None


def free_on_gpu(adapter):
    """Of PyTorch and JAX; None where the framework does not say it (TensorFlow, ONNX Runtime), and where there is no GPU in it."""
    try:
        if adapter.settings.device != "gpu":
            return None
        if adapter.name == "torch":
            return Free(adapter.torch.cuda.mem_get_info()[0], "GPU's")
        if adapter.name == "jax":
            told = adapter.device.memory_stats()
            return Free(max(told["bytes_limit"] - told["bytes_in_use"], 0), JAX_SHARE) if told["bytes_limit"] else None
    except (AttributeError, KeyError, TypeError, RuntimeError):
        pass
    return None


def need_of(keys, inputs, result, dtype, checked):
    """Of arrays of so many elements. An input is made in float64; `checked` elements are converted to it at once for the check, if they
    are not of it."""
    host = 4 if dtype == "bfloat16" else BYTES[dtype]  # NumPy has no bfloat16
    arrays = host * (sum(inputs) + result)
    checked = 0 if dtype == "float64" else checked
    return Need(keys, arrays, max(8 * checked, 8 * max(inputs) - host * result), BYTES[dtype] * (sum(inputs) + result))


def amount(size):
    """447.0 GiB"""
    size, units = size / 1024.0, ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    while size >= 1024 and len(units) > 1:
        size, units = size / 1024, units[1:]
    return "%.1f %s" % (size, units[0])


def of_processes(need, processes):
    """Bytes of the host that so many take at one time."""
    return processes * need.arrays + max(processes * need.check, need.alone)


def short(need, parameters, processes, host, on_gpu, device):
    """The sentence of the native PIs, if it does not fit; `on_gpu`: processes on the same GPU."""
    takes = of_processes(need, processes)
    if (host is None or takes <= host) and (device is None or on_gpu * need.device <= device.bytes):
        return None
    text = "%s takes at least %s of host memory (%s for arrays, %s for the check)" % (
        " ".join("%s=%s" % (key, parameters.text(key)) for key in need.keys), amount(takes), amount(processes * need.arrays),
        amount(takes - processes * need.arrays))
    if processes > 1:
        text += " in %d processes" % processes
    if need.device:
        text += " and %s of the GPU's" % amount(on_gpu * need.device)
    there = ["%s of the %s" % (amount(free.bytes), free.whose) for free in (
        Free(host, "host's") if host is not None else None, device) if free is not None]
    return "%s; there are %s: give a smaller %s or %s" % (text, " and ".join(there), ", ".join(need.keys[:-1]), need.keys[-1])


def nobody_else(value):
    return [value]


def require(adapter, need, parameters, gathered=nobody_else):
    """Raises Unsupported where it does not fit; in all ranks, if it does not in one. `gathered`: a value -> those of all ranks."""
    own, all_of_them, device = available(), shared(), free_on_gpu(adapter)  # before another rank takes any
    mine = [household(), gpu_of(adapter)]
    here, on_gpu = [sum(place == one for place in places) if one is not None else 1
                    for one, places in zip(mine, zip(*gathered(mine)))]
    if adapter.settings.device != "gpu":
        need = need._replace(device=0)
    reasons = [short(need, parameters, 1, own, 1, device)]
    if max(here, on_gpu) > 1:
        reasons.append(short(need, parameters, here, all_of_them, on_gpu, device))
    refuse_together(next((reason for reason in reasons if reason), None), gathered)


def refuse_together(reason, gathered):
    for one in gathered(reason):
        if one is not None:
            raise Unsupported(one)
