"""The layers of TensorFlow 1 and 2 alike: tf.nn, as tf.layers and Keras call it.

Strided convolutions are padded first, as tf_cnn_benchmarks does; batch norm is the fused one. The batch's variance that it
gives back is the unbiased one.
"""

from __future__ import absolute_import

from stackx_pi.training import network as networks


class Operations(object):
    def __init__(self, v1, network, weights, dtype, channels_first):
        """`v1`: tf.compat.v1; `weights`: variables or tensors of float32."""
        self.v1, self.network, self.weights = v1, network, weights
        self.dtype, self.first = getattr(v1, dtype), channels_first
        self.format = "NCHW" if channels_first else "NHWC"
        self.statistics = [None] * len(network.convolutions)

    def spread(self, pair, ones):
        """`pair` for rows and columns, `ones` for images and channels."""
        return [ones, ones] + [pair, pair] if self.first else [ones, pair, pair, ones]

    def narrow(self, value):
        return value if self.dtype == self.v1.float32 else self.v1.cast(value, self.dtype)

    def wide(self, value):
        return value if self.dtype == self.v1.float32 else self.v1.cast(value, self.v1.float32)

    def convolve(self, x, i, layer):
        padding = "VALID"
        if layer.pad and layer.stride == 1 and layer.kernel == 2 * layer.pad + 1:
            padding = "SAME"
        elif layer.pad:
            x = self.v1.pad(x, self.spread([layer.pad, layer.pad], [0, 0]))
        return self.v1.nn.conv2d(x, self.narrow(self.weights[3 * i]), strides=self.spread(layer.stride, 1), padding=padding,
                                 data_format=self.format)

    def normalise(self, x, i):
        y, mean, variance = self.v1.nn.fused_batch_norm(
            x, self.weights[3 * i + 1], self.weights[3 * i + 2], epsilon=networks.EPSILON, data_format=self.format,
            is_training=True)
        self.statistics[i] = mean, variance
        return y

    def relu(self, x):
        return self.v1.nn.relu(x)

    def add(self, x, shortcut):
        return x + shortcut

    def max_pool(self, x):
        """Behind a ReLU: nothing is less than the padding's 0."""
        net = self.network
        x = self.v1.pad(x, self.spread([net.pool_pad, net.pool_pad], [0, 0]))
        return self.v1.nn.max_pool(x, self.spread(net.pool_kernel, 1), self.spread(net.pool_stride, 1), "VALID",
                                   data_format=self.format)

    def mean(self, x):
        return self.v1.reduce_mean(x, [2, 3] if self.first else [1, 2])

    def last_layer(self, x):
        return self.v1.matmul(x, self.narrow(self.weights[-2])) + self.narrow(self.weights[-1])

    def loss(self, images, labels):
        logits = self.wide(networks.forward(self.network, self, self.narrow(images)))
        return self.v1.reduce_mean(self.v1.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
