"""TensorFlow 2.x: mode=function (tf.function, the default) or mode=eager.

Inputs are arguments of the function, not captured: nothing can be folded. On a CPU an operation has ended when its call returns;
on a GPU the last result is awaited at the end of a sample.
"""

from __future__ import absolute_import

from stackx_pi.errors import Unsupported
from stackx_pi.frameworks import Base, Call, to_channels_first, to_channels_last


class Adapter(Base):
    name = "tensorflow"
    modes = ("function", "eager")
    layouts = ("channels_last", "channels_first")

    def load(self):
        import tensorflow as tf
        self.tf, self.version = tf, tf.__version__
        settings = self.settings
        if settings.threads is not None:
            tf.config.threading.set_intra_op_parallelism_threads(settings.threads)
            tf.config.threading.set_inter_op_parallelism_threads(1)
        experimental = tf.config.experimental
        gpus = getattr(tf.config, "list_physical_devices", experimental.list_physical_devices)("GPU")
        if settings.device == "cpu":
            if gpus:
                experimental.set_visible_devices([], "GPU")
        elif not gpus:
            raise Unsupported("tensorflow %s sees no GPU" % self.version)
        elif hasattr(experimental, "enable_tensor_float_32_execution"):
            experimental.enable_tensor_float_32_execution(settings.tf32)
        else:
            self.notes.append("this TensorFlow has no call for TF32")
        if settings.device == "gpu":
            for gpu in gpus:
                experimental.set_memory_growth(gpu, True)

    def build(self):
        tf = self.tf
        found = {"git_version": str(getattr(tf, "__git_version__", "")),
                 "compiler": str(getattr(tf, "__compiler_version__", ""))}
        if hasattr(tf.sysconfig, "get_build_info"):
            found["info"] = dict((str(key), plain(value)) for key, value in tf.sysconfig.get_build_info().items())
        try:
            from tensorflow.python.util import _pywrap_util_port as port
            found["mkl"] = bool(port.IsMklEnabled())
        except (AttributeError, ImportError):
            pass
        return found

    def threads_used(self):
        return self.tf.config.threading.get_intra_op_parallelism_threads() or None

    def _device(self):
        return self.tf.device("/device:GPU:0" if self.settings.device == "gpu" else "/device:CPU:0")

    def _tensor(self, array):
        with self._device():
            # identity: a real copy on the device, also where NumPy's memory could be borrowed
            return self.tf.identity(self.tf.cast(self.tf.convert_to_tensor(array), getattr(self.tf, self.settings.dtype)))

    def _call(self, function, arguments, finish):
        tf, box, device = self.tf, [], self._device()
        if self.mode == "function":
            function = tf.function(function)

        def run():
            box[:] = [function(*arguments)]

        def run_there():
            with device:
                run()

        def wait():
            tensor = box[0]
            tf.reshape(tensor, [-1])[0].numpy()

        def result():
            tensor = box[0]
            return finish((tf.cast(tensor, tf.float32) if self.settings.dtype == "bfloat16" else tensor).numpy())

        # With no GPU visible there is one device; choosing it again would cost microseconds a call.
        gpu = self.settings.device == "gpu"
        call = Call(run_there if gpu and self.mode == "eager" else run, result, wait if gpu else None)
        call.function = function if self.mode == "function" else None
        return call

    def matmul(self, a, b):
        matmul = self.tf.matmul
        return self._call(lambda left, right: matmul(left, right), (self._tensor(a), self._tensor(b)), lambda c: c)

    def network(self, *arrays):
        matmul, relu = self.tf.matmul, self.tf.nn.relu
        return self._call(lambda x, w, b, v, d: matmul(relu(matmul(x, w) + b), v) + d, [self._tensor(one) for one in arrays],
                          lambda y: y)

    def convolution(self, x, w, axes):
        nn, first = self.tf.nn, self.channels_first()
        padding = "SAME" if any(one.low or one.high for one in axes) else "VALID"
        strides = [one.stride for one in axes]
        if len(axes) == 1:
            strides, data_format, operation = strides[0], "NCW" if first else "NWC", nn.conv1d
        else:
            data_format, operation = "NCHW" if first else "NHWC", nn.conv2d

        def function(inputs, filters):
            return operation(inputs, filters, strides, padding, data_format=data_format)

        arguments = (self._tensor(to_channels_first(x) if first else x), self._tensor(w))
        return self._call(function, arguments, to_channels_last if first else lambda y: y)


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value if isinstance(value, (bool, int)) else str(value)
