"""servers: TensorFlow 1's parameter servers, one graph a worker, with SyncReplicasOptimizer: weights and velocities are theirs, gradients
are collected there, and a step ends when the mean of all has been applied.

Servers are processes of this machine that rank 0 starts (parameter_server.py); a TFJob's are its own tasks, told by TF_CONFIG.
"""

from __future__ import absolute_import

import json
import os
import subprocess

from stackx_pi.errors import Unsupported
from stackx_pi.parallel.addresses import own_address
from stackx_pi.parallel.exchange import Exchange
from stackx_pi.ranks.world import tf_config
from stackx_pi.starting.children import command


def join(adapter, workers):
    if adapter.settings.device != "cpu":
        raise Unsupported("exchange=servers is written for CPUs")  # a Server would take all GPUs before the session says which
    cluster = told() or made(workers)
    v1, world = adapter.v1, workers.world
    config = v1.ConfigProto()
    config.CopyFrom(adapter.session._config)  # pylint: disable=protected-access
    server = v1.train.Server(v1.train.ClusterSpec(cluster), job_name="worker", task_index=world.rank, config=config)
    adapter.session.close()
    adapter.session = v1.Session(server.target, config=config)
    return Servers(v1, workers, len(cluster["ps"]), server)


def told():
    found = tf_config(os.environ)
    return found[2] if found is not None and found[2]["ps"] else None


def serve(cluster, index):
    """This process is a parameter server from now on."""
    words = command("parameter_server.py", [json.dumps(cluster), str(index)])
    os.execv(words[0], words)


def made(workers):
    own = [own_address(workers.world) for _ in range(workers.servers)] if workers.first() else []
    said = workers.gathered([own_address(workers.world), own])
    cluster = {"worker": [worker for worker, _ in said], "ps": said[0][1]}
    if workers.first():
        for index in range(workers.servers):
            child = subprocess.Popen(command("parameter_server.py", [json.dumps(cluster), str(index)]), preexec_fn=workers.all_cpus)
            workers.world.children.append(child.pid)
    return cluster


class Servers(Exchange):
    repeats = False  # servers, step and tokens are the session's: a second SyncReplicasOptimizer would take those of the first

    def __init__(self, v1, workers, count, server):
        self.v1, self.workers, self.count, self.server = v1, workers, count, server
        self.name = "servers (%d)" % count
        self.first = workers.first()

    def own_place(self, device):  # pylint: disable=unused-argument
        return self.v1.device("/job:worker/task:%d/device:CPU:0" % self.workers.world.rank)

    def shared_place(self, number):
        return self.v1.device("/job:ps/task:%d/device:CPU:0" % (number % self.count))

    def optimizer(self, optimizer):
        size = self.workers.world.size
        self.synchronous = self.v1.train.SyncReplicasOptimizer(optimizer, replicas_to_aggregate=size, total_num_replicas=size)
        return self.synchronous

    def global_step(self):
        with self.shared_place(0):
            return self.v1.train.get_or_create_global_step()

    def begin(self, session, shared):
        """`shared`: variables that the first worker initialises for all."""
        if self.first:
            session.run([variable.initializer for variable in shared] + [self.v1.train.get_global_step().initializer])
            session.run(self.synchronous.chief_init_op)
        self.workers.circle.barrier()
        if self.first:
            # No token at first: a step would end before its own update.
            session.run(self.synchronous.get_init_tokens_op(num_tokens=0))
            self.synchronous.get_chief_queue_runner().create_threads(session, daemon=True, start=True)
        else:
            session.run(self.synchronous.local_step_init_op)
        self.workers.circle.barrier()
