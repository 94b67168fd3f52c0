"""The frameworks that a PI can measure: one small module each.

A module defines `Adapter`, made with Settings, which imports the framework and offers
    version, build()            as the framework states them
    mode                        what was run: "function" (compiled, a graph) or "eager" (operation by operation)
    notes                       what a reader of the numbers must know
    threads_used()              None: it cannot be asked
    matmul(a, b), convolution(x, w, axes)   -> Call
    network(x, w, b, v, d)      -> Call: relu(x w + b) v + d, a small network's forward pass
    compiles()                  can it run a function compiled?
Inputs are put on the device before a Call exists, no input is a constant of a graph (which could be folded away), and a Call's
result stays on the device until it is asked for.
"""

from __future__ import absolute_import

import importlib
import sys

from stackx_pi.errors import EnvironmentFault, Unsupported, UsageError
from stackx_pi.parallel.exchange import Exchange

# name -> module of the framework. In this order they are looked for: NumPy last, since all others bring it.
MODULES = [("tensorflow", "tensorflow"), ("torch", "torch"), ("jax", "jax"), ("onnxruntime", "onnxruntime"),
           ("mxnet", "mxnet"), ("numpy", "numpy")]
NAMES = [name for name, _ in MODULES]


class Settings(object):
    def __init__(self, dtype="float32", threads=None, device="cpu", mode="default", tf32=False, layout="default"):
        self.dtype, self.threads, self.device, self.mode = dtype, threads, device, mode
        self.tf32, self.layout = tf32, layout


class Call(object):
    """run() does the work once; wait() ends what run() has only begun, or is None; result() is a NumPy array: m x n, or
    batch, space..., channels."""

    def __init__(self, run, result, wait=None):
        self.run, self.result, self.wait = run, result, wait
        self.function = None  # the compiled one, where it can be asked what it did


class Base(object):
    name = ""
    dtypes = ("float32", "float64", "float16", "bfloat16")
    modes = ("eager",)  # the first is the default
    layouts = ("channels_last",)  # of convolutions; the first is the default
    devices = ("cpu", "gpu")
    sessions = False  # is it the making of a Call that compiles, rather than its first run?
    version = "0"
    exchange = Exchange()  # of gradients, of one worker: none

    def __init__(self, settings):
        self.settings, self.notes = settings, []
        self.mode = self._choose("mode", self.modes)
        self.layout = self._choose("layout", self.layouts)
        self._require("device", settings.device, self.devices)
        self._require("dtype", settings.dtype, self.dtypes)
        self.load()
        if settings.tf32 and settings.device != "gpu":
            self.notes.append("tf32=1 changes nothing on a CPU")

    def _choose(self, key, choices):
        asked = getattr(self.settings, key)
        return choices[0] if asked == "default" else self._require(key, asked, choices)

    def _require(self, key, asked, choices):
        if asked not in choices:
            raise Unsupported("%s: %s=%s; it has %s" % (self.name, key, asked, ", ".join(choices)))
        return asked

    def threads_used(self):
        return None

    def build(self):
        return {}

    def compiles(self):
        return "function" in self.modes

    def network(self, x, w, b, v, d):
        raise Unsupported("%s: a network is not written for it" % self.name)

    def channels_first(self):
        return self.layout == "channels_first"


def to_channels_first(array):
    import numpy
    return numpy.ascontiguousarray(numpy.moveaxis(array, -1, 1))


def to_channels_last(array):
    import numpy
    return numpy.moveaxis(array, 1, -1)


def to_out_in_taps(weights):
    """taps..., in, out -> out, in, taps..."""
    import numpy
    return numpy.ascontiguousarray(numpy.moveaxis(weights, (-1, -2), (0, 1)))


def installed(module):
    """Can it be imported? Not tried: importing it is a phase of its own."""
    if sys.version_info[0] > 2:
        import importlib.util
        try:
            spec = importlib.util.find_spec(module)
            return spec is not None and spec.has_location  # a directory that happens to have the name has none
        except (ImportError, ValueError):
            return False
    import imp  # pylint: disable=deprecated-module,import-error
    try:
        file, _, _ = imp.find_module(module)
        if file:
            file.close()
        return True
    except ImportError:
        return False


def find(asked):
    """(name, module) of the framework to measure; "auto": the one that is installed."""
    if asked != "auto":
        if asked not in NAMES:
            from stackx_pi.parameters import nearest
            near = nearest(asked, NAMES)
            raise UsageError("framework=%s: expected one of %s%s" % (
                asked, ", ".join(NAMES), '; did you mean "%s"?' % near if near else ""))
        return asked, dict(MODULES)[asked]
    for name, module in MODULES:
        if installed(module):
            return name, module
    raise EnvironmentFault("none of %s is installed for %s" % (", ".join(NAMES), sys.executable))


def adapter_module(name):
    """Our module for a framework, which TensorFlow must be imported to choose."""
    kind = name
    if name == "tensorflow":
        import tensorflow
        kind = "tensorflow1" if tensorflow.__version__.startswith(("0.", "1.")) else "tensorflow2"
    return importlib.import_module("stackx_pi.frameworks.with_" + kind)


def adapter(name, settings):
    """Imports the framework. An ImportError is the environment's fault."""
    try:
        return adapter_module(name).Adapter(settings)
    except ImportError as error:
        raise EnvironmentFault("cannot import %s: %s" % (name, error))
