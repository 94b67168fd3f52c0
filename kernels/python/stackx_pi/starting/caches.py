"""Where compilers keep what they have compiled, and how to send all of them to one directory."""

from __future__ import absolute_import

import os

# Inductor, Triton, XLA through JAX, the CUDA driver, torch's run-time kernels.
VARIABLES = ["TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "JAX_COMPILATION_CACHE_DIR", "CUDA_CACHE_PATH", "PYTORCH_KERNEL_CACHE_PATH"]
# JAX keeps by itself only what took a second to compile. What a stack's settings say goes before.
KEEP_ALL = {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0", "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1"}


def environment(directory):
    """This process's, with every cache in `directory`."""
    changed = dict(KEEP_ALL, **os.environ)
    for name in VARIABLES:
        changed[name] = os.path.join(directory, name.lower())
        if not os.path.isdir(changed[name]):
            os.makedirs(changed[name])
    return changed


def content(directory):
    """(files, bytes)"""
    sizes = [os.path.getsize(os.path.join(place, name)) for place, _, names in os.walk(directory) for name in names]
    return len(sizes), sum(sizes)
