"""ONNX Runtime: a small model, made here (onnx_model.py).

All operands are inputs of the model, bound to memory of the device once (IO binding), as is the result; runtimes too old for
that get them with every run. Filters are therefore no constant: what the runtime does to constant filters when it loads a
model (NCHWc blocking, packing) is not done, and the rate of a convolution is that of filters that may change.
"""

from __future__ import absolute_import

import os
import re

from stackx_pi.errors import Unsupported
from stackx_pi.frameworks import Base, Call, onnx_model, to_channels_first, to_channels_last, to_out_in_taps


class Adapter(Base):
    name = "onnxruntime"
    dtypes = ("float32", "float64", "float16")
    modes = ("function",)
    layouts = ("channels_first",)
    sessions = True
    session = None

    def load(self):
        gpu = self.settings.device == "gpu"
        if gpu and not self.settings.tf32:
            os.environ["NVIDIA_TF32_OVERRIDE"] = "0"  # before 1.18 there is no option for it; cuBLAS and cuDNN read this when they are loaded
        import onnxruntime
        self.runtime, self.version = onnxruntime, onnxruntime.__version__
        available = onnxruntime.get_available_providers() if hasattr(onnxruntime, "get_available_providers") else []
        if gpu and "CUDAExecutionProvider" not in available:
            raise Unsupported("onnxruntime %s has no CUDA provider; it has %s" % (self.version, ", ".join(available)))
        self.providers = ["CPUExecutionProvider"]
        if gpu:
            self.providers = [("CUDAExecutionProvider", self._cuda_options())] + self.providers

    def _cuda_options(self):
        """A runtime that does not know an option falls back to the processor."""
        release = [int(number) for number in re.findall("[0-9]+", self.version)[:2]]
        return {"use_tf32": str(int(self.settings.tf32))} if release >= [1, 18] else {}

    def build(self):
        found = {"providers": [str(name) for name in self.session.get_providers()]} if self.session is not None else {}
        get = getattr(self.runtime, "get_build_info", None)
        return dict(found, info=str(get())) if get else found

    def threads_used(self):
        return self.settings.threads  # a session takes what its options say

    def _session(self, model):
        options = self.runtime.SessionOptions()
        if self.settings.threads is not None:
            options.intra_op_num_threads = self.settings.threads
            options.inter_op_num_threads = 1
        try:
            self.session = self.runtime.InferenceSession(model, options, providers=self.providers)
        except TypeError:  # before 1.4 there is no such argument
            self.session = self.runtime.InferenceSession(model, options)
        if self.settings.device == "gpu" and "CUDAExecutionProvider" not in self.session.get_providers():
            raise Unsupported("onnxruntime %s fell back from CUDA to %s" % (
                self.version, ", ".join(self.session.get_providers())))
        return self.session

    def _call(self, model, operands, finish):
        """`operands`: name -> array."""
        session, box = self._session(model), []
        if not hasattr(self.runtime, "OrtValue"):
            self.notes.append("this ONNX Runtime has no OrtValue: each run gets NumPy arrays and gives one back")

            def run_plain():
                box[:] = session.run(None, operands)

            return Call(run_plain, lambda: finish(box[0]))
        device = "cuda" if self.settings.device == "gpu" else "cpu"
        binding, values = session.io_binding(), []
        for name, array in operands.items():
            values.append(self.runtime.OrtValue.ortvalue_from_numpy(array, device, 0))
            binding.bind_ortvalue_input(name, values[-1])
        binding.bind_output("c", device)

        def run():
            session.run_with_iobinding(binding)  # waits for the device

        call = Call(run, lambda: finish(binding.copy_outputs_to_cpu()[0]))
        call.holds = (operands, values)  # a CPU value borrows NumPy's memory
        return call

    def matmul(self, a, b):
        return self._call(onnx_model.matmul(self.settings.dtype), {"a": a, "b": b}, lambda c: c)

    def network(self, x, w, b, v, d):
        operands = {"x": x, "w": w, "b": b, "v": v, "d": d}
        return self._call(onnx_model.network(self.settings.dtype), operands, lambda c: c)

    def convolution(self, x, w, axes):
        model = onnx_model.convolution(self.settings.dtype, axes)
        return self._call(model, {"a": to_channels_first(x), "b": to_out_in_taps(w)}, to_channels_last)
