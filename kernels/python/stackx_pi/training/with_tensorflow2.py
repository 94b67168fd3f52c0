"""TensorFlow 2: a tf.function (mode=eager: none) with a GradientTape; the update is TensorFlow's own kernel ResourceApplyMomentum,
since Keras' optimizers changed their formula between releases."""

from __future__ import absolute_import

from stackx_pi.frameworks import to_channels_first
from stackx_pi.training import LOSS_SCALE, State
from stackx_pi.training import network as networks
from stackx_pi.training.tensorflow_layers import Operations


class Trainer(object):
    def __init__(self, adapter, network, state, settings):
        tf = self.tf = adapter.tf
        self.first, self.device = adapter.channels_first(), adapter._device()  # pylint: disable=protected-access
        with self.device:
            self.weights, self.velocities, self.means, self.variances = [
                [tf.Variable(array) for array in arrays] for arrays in (state.weights, state.velocities, state.means,
                                                                        state.variances)]
        self.exchange = adapter.exchange
        function = self.exchange.step(self._step_function(network, settings, adapter.settings.dtype))
        self.function = tf.function(function) if adapter.mode == "function" else function

    def _step_function(self, network, settings, dtype):
        tf, scale = self.tf, LOSS_SCALE[dtype]

        def step(images, labels):
            with tf.GradientTape() as tape:
                operations = Operations(tf.compat.v1, network, self.weights, dtype, self.first)
                loss = operations.loss(images, labels)
                scaled = loss * scale if scale != 1 else loss
            gradients = self.exchange.mean(tape.gradient(scaled, self.weights))
            for weight, velocity, gradient in zip(self.weights, self.velocities, gradients):
                tf.raw_ops.ResourceApplyMomentum(
                    var=weight.handle, accum=velocity.handle, lr=tf.constant(settings.learning_rate, tf.float32),
                    grad=gradient / scale if scale != 1 else gradient, momentum=tf.constant(settings.momentum, tf.float32))
            for mean, variance, (new_mean, new_variance) in zip(self.means, self.variances, operations.statistics):
                mean.assign_add((new_mean - mean) * networks.STATISTICS_RATE)
                variance.assign_add((new_variance - variance) * networks.STATISTICS_RATE)
            return loss

        return step

    def put(self, images, labels):
        with self.device:
            self.images = self.tf.identity(to_channels_first(images) if self.first else images)
            self.labels = self.tf.identity(labels)

    def step(self):
        with self.device:
            return float(self.function(self.images, self.labels).numpy())

    def read(self):
        import numpy
        return State(*[[variable.numpy().astype(numpy.float64) for variable in variables] for variables in (
            self.weights, self.velocities, self.means, self.variances)])
