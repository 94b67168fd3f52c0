"""What a rank takes at least for a collective operation: a lower bound, so that no run is refused that would fit.

Counted: what it sends and receives, on the device; on the host what it received, and the check's sums in more digits than the type
has, which each rank makes at a time of its own. Left out: what the backend copies, and the making of the inputs.
"""

from __future__ import absolute_import, division

from stackx_pi.collectives import WIDTHS
from stackx_pi.memory import Need

KEYS = ["bytes", "dtype", "ranks"]
IN_PLACE = ("all_reduce", "broadcast")


def need_of(exchange, device):
    import numpy
    width = WIDTHS[exchange.dtype]
    held = max(width, 4) * exchange.received if exchange.dtype == "bfloat16" else width * exchange.received
    target = 0 if exchange.kind in IN_PLACE else width * exchange.received
    own = width * exchange.sent + target + held if device == "cpu" else held
    wide = numpy.dtype(numpy.longdouble).itemsize
    # expected, size of the summands, difference
    return Need(KEYS, own, 0, width * (exchange.sent + exchange.received), 3 * wide * exchange.received)
