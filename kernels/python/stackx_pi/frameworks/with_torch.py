"""PyTorch, operation by operation (mode=eager) or compiled (mode=function: torch.compile, PyTorch 2).

On a GPU torch.cuda.synchronize() ends each sample; on a CPU an operation has ended when its call returns.
"""

from __future__ import absolute_import

from stackx_pi.errors import Unsupported
from stackx_pi.frameworks import Base, Call, to_channels_first, to_channels_last, to_out_in_taps


class Adapter(Base):
    name = "torch"
    modes = ("eager", "function")
    layouts = ("channels_first", "channels_last")

    def load(self):
        import torch
        self.torch, self.version = torch, torch.__version__
        settings = self.settings
        if settings.threads is not None:
            torch.set_num_threads(settings.threads)
        if self.mode == "function" and not hasattr(torch, "compile"):
            raise Unsupported("torch %s has no torch.compile" % self.version)
        if settings.device == "gpu":
            if not torch.cuda.is_available():
                raise Unsupported("torch %s sees no GPU" % self.version)
            for backend in (getattr(torch.backends.cuda, "matmul", None), torch.backends.cudnn):
                if hasattr(backend, "allow_tf32"):
                    backend.allow_tf32 = settings.tf32
        torch.set_grad_enabled(False)
        self.device = torch.device("cuda" if settings.device == "gpu" else "cpu")

    def build(self):
        torch = self.torch
        config = torch.__config__.show() if hasattr(torch, "__config__") else ""
        return {"config": config, "git_version": str(getattr(torch.version, "git_version", "")),
                "cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version() if torch.version.cuda else None}

    def threads_used(self):
        return self.torch.get_num_threads()

    def compiles(self):
        return hasattr(self.torch, "compile")

    def _put(self, array):
        tensor = self.torch.from_numpy(array)
        # clone: torch's own, aligned memory, also on a CPU where NumPy's would be borrowed
        return tensor.clone().to(device=self.device, dtype=getattr(self.torch, self.settings.dtype))

    def _call(self, function, arguments, finish):
        torch, box = self.torch, []
        if self.mode == "function":
            function = torch.compile(function)

        def run():
            box[:] = [function(*arguments)]

        def result():
            value = box[0].float() if self.settings.dtype == "bfloat16" else box[0]
            return finish(value.cpu().numpy())

        return Call(run, result, torch.cuda.synchronize if self.settings.device == "gpu" else None)

    def matmul(self, a, b):
        return self._call(self.torch.matmul, (self._put(a), self._put(b)), lambda c: c)

    def network(self, *arrays):
        relu, matmul = self.torch.relu, self.torch.matmul
        return self._call(lambda x, w, b, v, d: matmul(relu(matmul(x, w) + b), v) + d, [self._put(one) for one in arrays],
                          lambda y: y)

    def convolution(self, x, w, axes):
        functional = self.torch.nn.functional
        convolve = functional.conv1d if len(axes) == 1 else functional.conv2d
        inputs, filters = self._put(to_channels_first(x)), self._put(to_out_in_taps(w))
        if not self.channels_first():
            if len(axes) == 1:
                raise Unsupported("torch: layout=channels_last is for two dimensions")
            inputs = inputs.to(memory_format=self.torch.channels_last)
            filters = filters.to(memory_format=self.torch.channels_last)
        stride = tuple(one.stride for one in axes)
        symmetric = tuple(one.low for one in axes)
        if any(one.low != one.high for one in axes):
            # torch's own padding="same" refuses strides; the input is padded in the call, which is timed.
            self.notes.append("torch pads both ends alike: here the input is padded first, in the timed call")
            pads = [side for one in reversed(axes) for side in (one.low, one.high)]

            def function(left, right):
                return convolve(functional.pad(left, pads), right, None, stride)
        else:

            def function(left, right):
                return convolve(left, right, None, stride, symmetric)

        return self._call(function, (inputs, filters), to_channels_last)
