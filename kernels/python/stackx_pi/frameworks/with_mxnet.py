"""MXNet 1.x: nd.dot and nd.Convolution.

Its engine is asynchronous: on a CPU every call is awaited (nd.waitall), on a GPU the last of a sample.
"""

from __future__ import absolute_import

from stackx_pi.errors import Unsupported
from stackx_pi.frameworks import Base, Call, to_channels_first, to_channels_last, to_out_in_taps


class Adapter(Base):
    name = "mxnet"
    dtypes = ("float32", "float64", "float16")
    layouts = ("channels_first",)

    def load(self):
        import mxnet
        self.mxnet, self.version = mxnet, mxnet.__version__
        if self.settings.device == "gpu":
            if not mxnet.context.num_gpus():
                raise Unsupported("mxnet %s sees no GPU" % self.version)
            self.notes.append("MXNet 1 has no call for TF32")
            self.context = mxnet.gpu(0)
        else:
            self.context = mxnet.cpu(0)
        if self.settings.threads is not None:
            self.notes.append("MXNet has no call that tells its threads: OMP_NUM_THREADS was set before it was imported")

    def build(self):
        try:
            features = self.mxnet.runtime.Features()
            return {"features": dict((str(name), bool(features.is_enabled(name))) for name in features)}
        except AttributeError:  # before 1.5
            return {}

    def _put(self, array):
        return self.mxnet.nd.array(array, ctx=self.context, dtype=self.settings.dtype)

    def _call(self, function, finish):
        waitall, box = self.mxnet.nd.waitall, []

        def begin():
            box[:] = [function()]

        def run():
            box[:] = [function()]
            waitall()

        def result():
            return finish(box[0].asnumpy())

        if self.settings.device == "cpu":
            return Call(run, result)
        return Call(begin, result, waitall)

    def matmul(self, a, b):
        dot, left, right = self.mxnet.nd.dot, self._put(a), self._put(b)
        self.mxnet.nd.waitall()
        return self._call(lambda: dot(left, right), lambda c: c)

    def convolution(self, x, w, axes):
        nd = self.mxnet.nd
        inputs, filters = self._put(to_channels_first(x)), self._put(to_out_in_taps(w))
        arguments = dict(num_filter=w.shape[-1], kernel=tuple(one.kernel for one in axes), no_bias=True,
                         stride=tuple(one.stride for one in axes), layout="NCW" if len(axes) == 1 else "NCHW")
        if any(one.low != one.high for one in axes):
            if len(axes) == 1:
                raise Unsupported("mxnet: no padding of one end in one dimension")
            self.notes.append("MXNet pads both ends alike: here the input is padded first, in the timed call")
            widths = (0, 0, 0, 0) + tuple(side for one in axes for side in (one.low, one.high))

            def function():
                return nd.Convolution(nd.pad(inputs, mode="constant", pad_width=widths), filters, **arguments)
        else:
            arguments["pad"] = tuple(one.low for one in axes)

            def function():
                return nd.Convolution(inputs, filters, **arguments)

        nd.waitall()
        return self._call(function, to_channels_last)
