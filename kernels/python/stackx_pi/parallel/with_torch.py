"""ddp: torch.nn.parallel.DistributedDataParallel. Buckets of gradients are reduced while others are still computed."""

from __future__ import absolute_import

from stackx_pi.parallel.exchange import Exchange
from stackx_pi.ranks import with_torch


def join(adapter, workers):
    if adapter.settings.device == "gpu":
        with_torch.use_own_gpu(adapter, workers.world)
    return Ddp(adapter.torch, with_torch.join(adapter.torch, workers.world, adapter.settings.device))


class Ddp(Exchange):
    def __init__(self, torch, backend):
        self.torch, self.name = torch, "ddp (%s)" % backend

    def spread(self, loss_of, weights):
        nn = self.torch.nn

        class Loss(nn.Module):
            def __init__(self):
                super(Loss, self).__init__()
                self.weights = nn.ParameterList(weights)  # the very same: Parameters already

            def forward(self, *given):
                return loss_of(*given)

        return nn.parallel.DistributedDataParallel(Loss())
