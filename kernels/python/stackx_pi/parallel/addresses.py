"""Where a worker can be reached by the others, for frameworks that want to know it."""

from __future__ import absolute_import

import socket


def own_address(world):
    """host:port at which the others reach this worker. The port is free now; that is all that can be known."""
    probe = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    probe.bind(("", 0))
    port = probe.getsockname()[1]
    probe.close()
    return "%s:%d" % (own_host(world), port)


def own_host(world):
    """The address from which this machine speaks to rank 0."""
    if world.by == "fork" or world.rank == 0:
        return world.host
    probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)  # connecting it sends nothing
    try:
        probe.connect((world.host, world.port))
        return probe.getsockname()[0]
    finally:
        probe.close()
