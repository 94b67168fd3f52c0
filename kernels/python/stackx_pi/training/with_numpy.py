"""NumPy has no gradients: its step is stackx's own (numpy_steps.py), products by NumPy's BLAS."""

from __future__ import absolute_import

from stackx_pi.errors import Unsupported
from stackx_pi.training.numpy_steps import NumpyTrainer


class Trainer(NumpyTrainer):
    def __init__(self, adapter, network, state, settings):
        if adapter.settings.dtype != "float32":
            raise Unsupported("numpy: it has no mixed precision")
        adapter.notes.append("NumPy has no gradients and no layers: stackx's own, written for the check, are timed")
        NumpyTrainer.__init__(self, network, state, settings, exchange=adapter.exchange)
