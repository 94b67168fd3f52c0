"""What collective operations mean, count and must result in: kernels/collectives/{collective,exchange_check}.hpp in Python.

The same inputs as stackx-pi's, element by element: a hash of (seed, rank, index). Read those headers for the formulas (nccl-tests'),
the bound of a sum's error and why one rank has no bus bandwidth.
"""

from __future__ import absolute_import, division

KINDS = ["all_reduce", "all_gather", "reduce_scatter", "broadcast", "alltoall"]
REDUCING = ("all_reduce", "reduce_scatter")
WIDTHS = {"float32": 4, "float64": 8, "float16": 2, "bfloat16": 2, "int32": 4}
ROUNDOFF = {"float32": 2.0**-24, "float64": 2.0**-53, "float16": 2.0**-11, "bfloat16": 2.0**-8, "int32": 0.0}
END = "bytes a call: bus bandwidth as nccl-tests defines it"
FORMULAS = {"all_reduce": "2 (ranks - 1) / ranks * " + END, "broadcast": END}


class Exchange(object):
    """One operation on so many ranks; `part` is 0 where `size` is less than an element a part."""

    def __init__(self, kind, dtype, reduction, ranks, size):
        self.kind, self.dtype, self.reduction, self.ranks = kind, dtype, reduction, ranks
        self.divided = kind not in ("all_reduce", "broadcast")
        self.part = size // WIDTHS[dtype] // (ranks if self.divided else 1)
        self.message = self.part * ranks if self.divided else self.part
        self.sent = self.part if kind == "all_gather" else self.message
        self.received = self.part if kind == "reduce_scatter" else self.message
        self.message_bytes = self.message * WIDTHS[dtype]

    def bus_factor(self):
        if self.ranks == 1:
            return 0
        if self.kind == "broadcast":
            return 1
        return (2 if self.kind == "all_reduce" else 1) * (self.ranks - 1) / self.ranks

    def bus_bytes(self):
        return self.bus_factor() * self.message_bytes


def formula(kind):
    return FORMULAS.get(kind, "(ranks - 1) / ranks * " + END)
