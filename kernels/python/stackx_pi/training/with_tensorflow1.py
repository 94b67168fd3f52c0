"""TensorFlow 1: a graph with tf.train.MomentumOptimizer, as tf_cnn_benchmarks has it. The batch is a pair of variables."""

from __future__ import absolute_import

from stackx_pi.frameworks import to_channels_first
from stackx_pi.training import LOSS_SCALE, State
from stackx_pi.training import network as networks
from stackx_pi.training.tensorflow_layers import Operations


class Trainer(object):
    def __init__(self, adapter, network, state, settings):
        self.v1, self.session, self.adapter = adapter.v1, adapter.session, adapter
        self.network, self.settings, self.first = network, settings, adapter.channels_first()
        self.batch, self.exchange = None, adapter.exchange
        with self._place():
            self.weights = [self._shared(i, w) for i, w in enumerate(state.weights)]
            self.means, self.variances = [[self._variable(a, False) for a in arrays] for arrays in (
                state.means, state.variances)]

    def _place(self):
        return self.exchange.own_place(self.adapter._device)  # pylint: disable=protected-access

    def _shared(self, number, array):
        with self.exchange.shared_place(number):
            return self._variable(array, True, self.exchange.first)

    def _variable(self, array, trainable, mine=True):
        """Initialised through a placeholder: a graph holds at most 2 GB of constants. Not `mine`: another worker does it."""
        placeholder = self.v1.placeholder(array.dtype, array.shape)
        variable = self.v1.Variable(placeholder, trainable=trainable)
        if mine:
            self.session.run(variable.initializer, {placeholder: array})
        variable.placeholder_of_value = placeholder
        return variable

    def put(self, images, labels):
        images = to_channels_first(images) if self.first else images
        if self.batch is None:
            with self._place():
                self.batch = [self._variable(images, False), self._variable(labels, False)]
                self._build()
        for variable, array in zip(self.batch, (images, labels)):
            self.session.run(variable.initializer, {variable.placeholder_of_value: array})

    def _build(self):
        v1, scale, rate = self.v1, LOSS_SCALE[self.adapter.settings.dtype], networks.STATISTICS_RATE
        operations = Operations(v1, self.network, self.weights, self.adapter.settings.dtype, self.first)
        self.loss = operations.loss(*self.batch)
        self.optimizer = self.exchange.optimizer(v1.train.MomentumOptimizer(self.settings.learning_rate, self.settings.momentum))
        pairs = self.optimizer.compute_gradients(self.loss * scale if scale != 1 else self.loss, self.weights)
        if scale != 1:
            pairs = [(gradient / scale, weight) for gradient, weight in pairs]
        updates = [self.optimizer.apply_gradients(pairs, self.exchange.global_step())]
        for mean, variance, (new_mean, new_variance) in zip(self.means, self.variances, operations.statistics):
            updates += [v1.assign_add(mean, (new_mean - mean) * rate).op,
                        v1.assign_add(variance, (new_variance - variance) * rate).op]
        self.velocities = [self.optimizer.get_slot(w, "momentum") for w in self.weights]
        self.exchange.begin(self.session, self.velocities)
        self.run_step = self.session.make_callable([self.loss, v1.group(*updates)])

    def step(self):
        return float(self.run_step()[0])

    def read(self):
        import numpy
        return State(*[[a.astype(numpy.float64) for a in self.session.run(variables)] for variables in (
            self.weights, self.velocities, self.means, self.variances)])
