"""NumPy has no layers and no gradients: stackx's own (numpy_decoder.py), products by NumPy's BLAS."""

from __future__ import absolute_import

from stackx_pi.errors import Unsupported
from stackx_pi.transformer.numpy_decoder import NumpyRunner


class Runner(NumpyRunner):
    def __init__(self, adapter, shape, weights, learns):
        if learns and adapter.settings.dtype == "bfloat16":
            raise Unsupported("numpy: it has no mixed precision")
        adapter.notes.append("NumPy has no layers%s: stackx's own, written for the check, are timed" % (
            " and no gradients" if learns else ""))
        NumpyRunner.__init__(self, shape, weights, adapter.settings.dtype, exchange=adapter.exchange)
