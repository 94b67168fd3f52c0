"""TensorFlow 1.x: a graph and a Session.

Inputs are variables, initialised through placeholders: constants could be folded away, and a graph holds at most 2 GB of them.
The operation is run, not its tensor: session.run(op) fetches nothing. It returns when the device has finished.
"""

from __future__ import absolute_import

from stackx_pi.errors import Unsupported
from stackx_pi.frameworks import Base, Call, to_channels_first, to_channels_last


class Adapter(Base):
    name = "tensorflow"
    modes = ("function",)
    sessions = True
    layouts = ("channels_last", "channels_first")

    def load(self):
        import tensorflow as tf
        self.tf, self.version = tf, tf.__version__
        self.v1 = getattr(tf.compat, "v1", tf) if hasattr(tf, "compat") else tf
        threads = self.settings.threads
        config = self.v1.ConfigProto()
        if threads is not None:
            config.intra_op_parallelism_threads = threads
            config.inter_op_parallelism_threads = 1
        if self.settings.device == "gpu":
            config.gpu_options.allow_growth = True
        else:
            config.device_count["GPU"] = 0
        self.session = self.v1.Session(config=config)
        if self.settings.device == "gpu" and not any(d.device_type == "GPU" for d in self.session.list_devices()):
            raise Unsupported("tensorflow %s sees no GPU" % self.version)
        if self.settings.tf32:
            self.notes.append("TensorFlow 1 has no call for TF32")

    def build(self):
        tf = self.tf
        found = {"git_version": str(getattr(tf, "__git_version__", "")), "compiler": str(getattr(
            tf, "__compiler_version__", "")), "monolithic": bool(getattr(tf, "__monolithic_build__", False))}
        try:
            found["cuda"] = bool(tf.test.is_built_with_cuda())
            found["compile_flags"] = [str(flag) for flag in tf.sysconfig.get_compile_flags() if "_GLIBCXX" in flag]
            from tensorflow.python import pywrap_tensorflow
            found["mkl"] = bool(pywrap_tensorflow.IsMklEnabled())
        except (AttributeError, ImportError):
            pass
        return found

    def threads_used(self):
        return self.settings.threads  # a Session takes what its configuration says

    def _device(self):
        return self.tf.device("/device:GPU:0" if self.settings.device == "gpu" else "/device:CPU:0")

    def _variable(self, array):
        tf = self.v1
        dtype = getattr(tf, self.settings.dtype)
        # bfloat16 has no NumPy type of its own: converted on the way in, exactly, since the numbers fit.
        placeholder = tf.placeholder(array.dtype, array.shape)
        value = tf.cast(placeholder, dtype) if placeholder.dtype != dtype else placeholder
        variable = tf.Variable(value, trainable=False)
        self.session.run(variable.initializer, {placeholder: array})
        return variable

    def _call(self, tensor, finish):
        wide = self.v1.cast(tensor, self.v1.float32) if self.settings.dtype == "bfloat16" else tensor
        run = self.session.make_callable(tensor.op)
        # A second execution, of the same operation on the same variables: fetching belongs to no sample.
        return Call(run, lambda: finish(self.session.run(wide)))

    def matmul(self, a, b):
        with self._device():
            return self._call(self.v1.matmul(self._variable(a), self._variable(b)), lambda c: c)

    def network(self, *arrays):
        matmul, relu = self.v1.matmul, self.v1.nn.relu
        with self._device():
            x, w, b, v, d = [self._variable(one) for one in arrays]
            return self._call(matmul(relu(matmul(x, w) + b), v) + d, lambda y: y)

    def convolution(self, x, w, axes):
        tf, first = self.v1, self.channels_first()
        if any(one.low != one.high or one.low for one in axes):
            padding = "SAME"
        else:
            padding = "VALID"
        with self._device():
            inputs = self._variable(to_channels_first(x) if first else x)
            filters = self._variable(w)
            if len(axes) == 1:
                result = tf.nn.conv1d(inputs, filters, axes[0].stride, padding, data_format="NCW" if first else "NWC")
            else:
                inner = [one.stride for one in axes]
                strides = [1, 1] + inner if first else [1] + inner + [1]
                result = tf.nn.conv2d(inputs, filters, strides, padding, data_format="NCHW" if first else "NHWC")
            return self._call(result, to_channels_last if first else lambda y: y)
