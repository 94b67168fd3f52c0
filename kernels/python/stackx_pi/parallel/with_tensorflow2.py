"""mirrored: the all-reduce of tf.distribute.MultiWorkerMirroredStrategy: a ring over gRPC between CPUs, NCCL between GPUs.

Gradients are averaged as Keras' optimizers do, by the replica context, which packs them. The weights are plain variables, one set
a worker: mirrored ones would be the same there, with one replica a worker.
"""

from __future__ import absolute_import

import json
import os

from stackx_pi.errors import Unsupported
from stackx_pi.parallel.addresses import own_address
from stackx_pi.parallel.exchange import Exchange


def join(adapter, workers):
    tf = adapter.tf
    if "TF_CONFIG" not in os.environ:
        os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": workers.gathered(own_address(workers.world))},
                                              "task": {"type": "worker", "index": workers.world.rank}})
    strategy = getattr(tf.distribute, "MultiWorkerMirroredStrategy", None)
    if strategy is None:
        strategy = getattr(tf.distribute.experimental, "MultiWorkerMirroredStrategy", None)
    if strategy is None:
        raise Unsupported("tensorflow %s has no MultiWorkerMirroredStrategy" % adapter.version)
    return Mirrored(tf, strategy())


class Mirrored(Exchange):
    name = "mirrored"

    def __init__(self, tf, strategy):
        self.tf, self.strategy = tf, strategy

    def step(self, function):
        return lambda *given: self.strategy.run(function, given)

    def mean(self, gradients):
        replica = self.tf.distribute.get_replica_context()
        return replica.all_reduce(self.tf.distribute.ReduceOp.MEAN, gradients)
