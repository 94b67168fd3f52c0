"""The five operations as torch.distributed has them."""

from __future__ import absolute_import


def operation(torch, exchange, source, target):
    """What a call does. all_reduce and broadcast work in place, on `source`, as torch.distributed has them."""
    distributed = torch.distributed
    operator = {"sum": "SUM", "max": "MAX", "min": "MIN"}[exchange.reduction]
    operator = getattr(distributed.ReduceOp, operator)
    if exchange.kind == "all_reduce":
        return lambda: distributed.all_reduce(source, op=operator)
    if exchange.kind == "broadcast":
        return lambda: distributed.broadcast(source, 0)
    if exchange.kind == "alltoall":
        return lambda: distributed.all_to_all_single(target, source)
    parts = exchange.ranks
    if exchange.kind == "all_gather":
        pieces = list(target.chunk(parts))
        return lambda: distributed.all_gather(pieces, source)
    pieces = list(source.chunk(parts))
    return lambda: distributed.reduce_scatter(target, pieces, op=operator)
