"""JAX: mode=function (jax.jit, the default) or mode=eager (operation by operation).

Dispatch is asynchronous: on a CPU every call is awaited (two calls in flight would run side by side, and use more threads than
asked for), on a GPU the last of a sample, since a stream keeps their order.
"""

from __future__ import absolute_import

import os

from stackx_pi import threads
from stackx_pi.errors import Unsupported
from stackx_pi.frameworks import Base, Call, to_channels_first, to_channels_last


def prepare(settings):
    """What must be said before JAX is imported, here or in the process that starts one."""
    if settings.threads is not None and settings.device == "cpu":
        # XLA has no call for it: it starts as many threads as the process has CPUs.
        threads.bind(settings.threads)
        os.environ["NPROC"] = str(settings.threads)
    if settings.device == "cpu":
        os.environ["JAX_PLATFORMS"] = os.environ["JAX_PLATFORM_NAME"] = "cpu"
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")


class Adapter(Base):
    name = "jax"
    modes = ("function", "eager")
    layouts = ("channels_last", "channels_first")

    def load(self):
        settings = self.settings
        prepare(settings)
        if settings.threads is not None and settings.device == "cpu":
            self.notes.append("XLA's threads cannot be set: the process is bound to %d CPUs" % settings.threads)
        import jax
        self.jax, self.version = jax, jax.__version__
        if settings.dtype == "float64":
            jax.config.update("jax_enable_x64", True)
        if settings.device == "gpu":
            try:
                self.device = jax.devices("gpu")[0]
            except RuntimeError as error:
                raise Unsupported("jax %s: %s" % (self.version, str(error).splitlines()[0]))
            jax.config.update("jax_default_matmul_precision", "tensorfloat32" if settings.tf32 else "highest")
        else:
            self.device = jax.devices("cpu")[0]

    def build(self):
        import jaxlib
        return {"jaxlib": str(getattr(jaxlib, "__version__", "")) or str(jaxlib.version.__version__),
                "platform": str(getattr(self.device.client, "platform_version", "")), "device": str(self.device)}

    def threads_used(self):
        return threads.usable_cpus() if self.settings.device == "cpu" and self.settings.threads is not None else None

    def _put(self, array):
        import jax.numpy as jnp
        value = jnp.asarray(array, dtype=getattr(jnp, self.settings.dtype))
        return self.jax.device_put(value, self.device).block_until_ready()

    def _call(self, function, arguments, finish):
        import numpy
        box = []
        if self.mode == "function":
            function = self.jax.jit(function)

        def run():
            box[:] = [function(*arguments).block_until_ready()]

        def begin():
            box[:] = [function(*arguments)]

        def result():
            value = box[0]
            return finish(numpy.asarray(value.astype("float32") if self.settings.dtype == "bfloat16" else value))

        if self.settings.device == "cpu":
            call = Call(run, result)
        else:
            call = Call(begin, result, lambda: box[0].block_until_ready())
        call.function = function if self.mode == "function" else None
        return call

    def matmul(self, a, b):
        import jax.numpy as jnp
        return self._call(jnp.matmul, (self._put(a), self._put(b)), lambda c: c)

    def network(self, *arrays):
        import jax.numpy as jnp
        return self._call(lambda x, w, b, v, d: jnp.matmul(jnp.maximum(jnp.matmul(x, w) + b, 0), v) + d,
                          [self._put(one) for one in arrays], lambda y: y)

    def convolution(self, x, w, axes):
        convolve, first = self.jax.lax.conv_general_dilated, self.channels_first()
        space = "W" if len(axes) == 1 else "HW"
        data = "NC" + space if first else "N" + space + "C"
        strides = tuple(one.stride for one in axes)
        padding = tuple((one.low, one.high) for one in axes)

        def function(inputs, filters):
            return convolve(inputs, filters, strides, padding, dimension_numbers=(data, space + "IO", data))

        arguments = (self._put(to_channels_first(x) if first else x), self._put(w))
        return self._call(function, arguments, to_channels_last if first else lambda y: y)
