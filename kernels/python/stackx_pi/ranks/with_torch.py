"""torch.distributed's group of all ranks: Gloo between CPUs, NCCL between GPUs."""

from __future__ import absolute_import

import datetime

from stackx_pi.errors import EnvironmentFault, Unsupported

TIMEOUT = datetime.timedelta(seconds=120)


def join(torch, world, device):
    """The backend's name."""
    if not torch.distributed.is_available():
        raise EnvironmentFault("this torch was built without torch.distributed")
    backend = "nccl" if device == "gpu" else "gloo"
    torch.distributed.init_process_group(backend, init_method=world.init_method(), rank=world.rank, world_size=world.size,
                                         timeout=TIMEOUT)
    return backend


def use_own_gpu(adapter, world):
    """Of a machine's GPUs the one that belongs to this rank. What a launcher says of no machine's own ranks is counted around."""
    torch = adapter.torch
    count = torch.cuda.device_count()
    if world.here() > count:  # NCCL takes a GPU once
        raise Unsupported("%d ranks on this machine, a GPU each: torch sees %d" % (world.here(), count))
    torch.cuda.set_device(world.local_rank % count)
    adapter.device = torch.device("cuda", torch.cuda.current_device())
