"""PyTorch: autograd and torch.optim.SGD, without torchvision. mode=function compiles forward and loss (torch.compile).

Mixed precision is torch.autocast's. layout=channels_last keeps NCHW tensors in that order of memory.
"""

from __future__ import absolute_import

from stackx_pi.errors import Unsupported
from stackx_pi.frameworks import to_channels_first
from stackx_pi.training import LOSS_SCALE, State
from stackx_pi.training import network as networks


class Operations(object):
    def __init__(self, torch, network, weights, statistics):
        self.functional, self.network = torch.nn.functional, network
        self.torch, self.weights, self.statistics = torch, weights, statistics

    def convolve(self, x, i, layer):
        return self.functional.conv2d(x, self.weights[3 * i], None, layer.stride, layer.pad)

    def normalise(self, x, i):
        mean, variance = self.statistics[i]
        return self.functional.batch_norm(x, mean, variance, self.weights[3 * i + 1], self.weights[3 * i + 2], True,
                                          networks.STATISTICS_RATE, networks.EPSILON)

    def relu(self, x):
        return self.functional.relu(x, inplace=True)

    def add(self, x, shortcut):
        return x + shortcut

    def max_pool(self, x):
        net = self.network
        return self.functional.max_pool2d(x, net.pool_kernel, net.pool_stride, net.pool_pad)

    def mean(self, x):
        return self.torch.flatten(self.functional.adaptive_avg_pool2d(x, 1), 1)

    def last_layer(self, x):
        return self.functional.linear(x, self.weights[-2], self.weights[-1])


def from_numpy_layout(array):
    """taps, in, out -> out, in, taps; in, out -> out, in."""
    import numpy
    if array.ndim == 4:
        return numpy.ascontiguousarray(array.transpose(3, 2, 0, 1))
    return numpy.ascontiguousarray(array.T)


def to_numpy_layout(array):
    return array.transpose(2, 3, 1, 0) if array.ndim == 4 else array.T


class Trainer(object):
    def __init__(self, adapter, network, state, settings):
        torch = self.torch = adapter.torch
        self.device, self.dtype, self.exchange = adapter.device, adapter.settings.dtype, adapter.exchange
        self.last = not adapter.channels_first()
        if self.dtype != "float32":
            self._require_autocast()
        torch.set_grad_enabled(True)
        self.weights = [torch.nn.Parameter(self._put(from_numpy_layout(w))) for w in state.weights]
        self.statistics = [(self._put(mean), self._put(variance)) for mean, variance in zip(state.means, state.variances)]
        self.optimizer = torch.optim.SGD(self.weights, lr=settings.learning_rate, momentum=settings.momentum)
        self.scale = LOSS_SCALE[self.dtype]
        operations = Operations(torch, network, self.weights, self.statistics)

        def loss_of(images, labels):
            return torch.nn.functional.cross_entropy(networks.forward(network, operations, images).float(), labels)

        loss_of = self.exchange.spread(loss_of, self.weights)
        self.loss_of = torch.compile(loss_of) if adapter.mode == "function" else loss_of

    def _put(self, array):
        tensor = self.torch.from_numpy(array).clone().to(device=self.device)
        return tensor.to(memory_format=self.torch.channels_last) if self.last and tensor.dim() == 4 else tensor

    def put(self, images, labels):
        self.images = self._put(to_channels_first(images))
        self.labels = self.torch.from_numpy(labels).to(device=self.device, dtype=self.torch.int64)

    def _forward(self):
        if self.dtype == "float32":
            return self.loss_of(self.images, self.labels)
        with self._autocast():
            return self.loss_of(self.images, self.labels)

    def _autocast(self):
        return self.torch.autocast(self.device.type, dtype=getattr(self.torch, self.dtype))

    def _require_autocast(self):
        """Where it does not have a dtype some versions raise, others warn and go on in float32."""
        torch = self.torch
        enabled = torch.is_autocast_cpu_enabled if self.device.type == "cpu" else torch.is_autocast_enabled
        try:
            with self._autocast():
                if enabled():
                    return
                reason = "does nothing"
        except (AttributeError, RuntimeError) as error:
            reason = str(error).strip().splitlines()[0]
        raise Unsupported("torch %s: autocast to %s on %s: %s" % (torch.__version__, self.dtype, self.device.type, reason))

    def step(self):
        for weight in self.weights:
            weight.grad = None
        loss = self._forward()
        (loss * self.scale if self.scale != 1 else loss).backward()
        self.exchange.mean_of_grads(self.weights)
        if self.scale != 1:
            for weight in self.weights:
                weight.grad.mul_(1.0 / self.scale)
        self.optimizer.step()
        if self.device.type == "cuda":
            self.torch.cuda.synchronize()  # the loss is there before the update is
        return loss.item()

    def read(self):
        def array(tensor):
            return tensor.detach().double().cpu().numpy()

        # With momentum=0 torch keeps no velocity: it is the gradient.
        velocities = [self.optimizer.state[w].get("momentum_buffer") for w in self.weights]
        velocities = [w.grad if v is None else v for w, v in zip(self.weights, velocities)]
        return State([to_numpy_layout(array(w)) for w in self.weights], [to_numpy_layout(array(v)) for v in velocities],
                     [array(mean) for mean, _ in self.statistics], [array(variance) for _, variance in self.statistics])
