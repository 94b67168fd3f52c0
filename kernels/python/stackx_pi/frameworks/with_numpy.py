"""NumPy: its own loops and the BLAS it was built with.

It has no convolution of many channels: what its users write is measured, a window view copied to patches and one product with the
filters, all inside the timed call.
"""

from __future__ import absolute_import

from stackx_pi import libraries
from stackx_pi.frameworks import Base, Call


class Adapter(Base):
    name = "numpy"
    dtypes = ("float32", "float64", "float16")
    devices = ("cpu",)

    def load(self):
        import numpy
        self.numpy, self.version = numpy, numpy.__version__

    def build(self):
        """numpy.show_config, as an object where NumPy can (1.26 or newer), else its lines."""
        import contextlib
        try:
            return {"config": self.numpy.show_config(mode="dicts")}
        except TypeError:
            pass
        config = getattr(self.numpy, "__config__", None)
        found = {}
        for name in dir(config):
            value = getattr(config, name)
            if name.endswith("_info") and isinstance(value, dict):
                found[name] = dict((str(key), str(item)) for key, item in value.items())
        return {"config": found}

    def threads_used(self):
        used = [library["threads"] for library in libraries.loaded_libraries() if "threads" in library]
        return max(used) if used else None

    def matmul(self, a, b):
        if self.settings.dtype == "float16":
            self.notes.append("NumPy multiplies float16 in loops of its own: no BLAS has it")
        dot, box = self.numpy.dot, []

        def run():
            box[:] = [dot(a, b)]

        return Call(run, lambda: box[0])

    def network(self, x, w, b, v, d):
        dot, maximum, box = self.numpy.dot, self.numpy.maximum, []

        def run():
            box[:] = [dot(maximum(dot(x, w) + b, 0), v) + d]

        return Call(run, lambda: box[0])

    def convolution(self, x, w, axes):
        self.notes.append("NumPy has no convolution: patches and one product with the filters are timed")
        numpy, box = self.numpy, []
        pad = [(0, 0)] + [(one.low, one.high) for one in axes] + [(0, 0)]
        padded = any(one.low or one.high for one in axes)
        channels, filters = w.shape[-2:]
        kernel = tuple(one.kernel for one in axes)
        out = tuple(one.out for one in axes)
        flat = w.reshape(-1, filters)

        def run():
            source = numpy.pad(x, pad, "constant") if padded else x
            strides = source.strides
            windows = numpy.lib.stride_tricks.as_strided(
                source, (x.shape[0],) + out + kernel + (channels,),
                (strides[0],) + tuple(s * one.stride for s, one in zip(strides[1:], axes)) + strides[1:-1] +
                (strides[-1],))
            rows = windows.reshape(-1, flat.shape[0])  # copies
            box[:] = [numpy.dot(rows, flat).reshape((x.shape[0],) + out + (filters,))]

        return Call(run, lambda: box[0])
