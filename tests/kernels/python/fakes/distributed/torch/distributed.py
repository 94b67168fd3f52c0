"""torch.distributed of the tests: see __init__.py."""

import os
import signal
import time

import numpy

WRONG = os.environ.get("FAKE_TORCH_WRONG", "")


class ReduceOp:
    SUM, MAX, MIN = "sum", "max", "min"


class State:
    place, rank, size, sent, received = "", 0, 1, {}, {}


def is_available():
    return True


def init_process_group(backend, init_method, rank, world_size, timeout):
    State.place, State.rank, State.size = init_method.split("://")[1].replace(":", "-"), rank, world_size


def name(source, to, number):
    return "%s.%d-%d-%d.npy" % (State.place, source, to, number)


def send(tensor, to, group=None):
    number = State.sent[to] = State.sent.get(to, 0) + 1
    path = name(State.rank, to, number)
    with open(path + ".part", "wb") as file:
        numpy.save(file, tensor.values)
    os.rename(path + ".part", path)


def recv(tensor, source, group=None):
    number = State.received[source] = State.received.get(source, 0) + 1
    path, end = name(source, State.rank, number), time.monotonic() + (5 if WRONG == "killed" else 100)
    while not os.path.exists(path):
        if time.monotonic() > end:
            raise RuntimeError("connection closed by peer, rank %d" % source)
        time.sleep(0.0002)
    tensor.values[:] = numpy.load(path)
    os.remove(path)


def exchanged(tensor):
    """What every rank has, by rank."""
    from torch import Tensor
    if WRONG == "killed" and State.rank == State.size - 1:
        os.kill(os.getpid(), signal.SIGKILL)
    others = [rank for rank in range(State.size) if rank != State.rank]
    for rank in others:
        send(tensor, rank)
    all_of_them = [tensor.values.copy() for _ in range(State.size)]
    for rank in others:
        if WRONG == "alone":
            recv(Tensor(tensor.values.copy()), rank)
        else:
            recv(Tensor(all_of_them[rank]), rank)
    return all_of_them


def barrier():
    exchanged_quietly()


def exchanged_quietly():
    from torch import Tensor
    token = Tensor(numpy.zeros(1))
    for rank in range(State.size):
        if rank != State.rank:
            send(token, rank)
    for rank in range(State.size):
        if rank != State.rank:
            recv(token, rank)


def combined(parts, op):
    if WRONG == "no_last_rank":
        parts = parts[:-1]
    combine = {"sum": numpy.add, "max": numpy.maximum, "min": numpy.minimum}["max" if WRONG == "other_operation" else op]
    result = parts[0].astype(numpy.float32) if WRONG == "float_sum" else parts[0]
    for part in parts[1:]:
        result = combine(result, part)
    return result


def finish(tensor, values):
    if WRONG == "one_element":
        values = values.copy()
        values[len(values) // 2] = 0
    if WRONG == "last_rank" and State.rank == State.size - 1:
        values = numpy.zeros_like(values)
    if WRONG == "one_bit" and State.rank == State.size - 1:
        values = values.copy()
        values.view(numpy.uint8)[0] ^= 1
    tensor.values[:] = values


def all_reduce(tensor, op):
    finish(tensor, combined(exchanged(tensor), op))


def reduce_scatter(target, pieces, op):
    from torch import Tensor
    if WRONG == "no_reduce_scatter":
        raise RuntimeError("ProcessGroupFake does not support reduce_scatter")
    whole = combined(exchanged(Tensor(numpy.concatenate([piece.values for piece in pieces]))), op)
    finish(target, numpy.split(whole, State.size)[State.rank])


def moved(parts):
    if WRONG == "no_last_rank":
        return parts[:-1] + [parts[0]]
    return parts[::-1] if WRONG == "other_operation" else parts


def all_gather(pieces, tensor):
    from torch import Tensor
    whole = Tensor(numpy.concatenate(moved(exchanged(tensor))))
    finish(whole, whole.values)
    for piece, part in zip(pieces, whole.chunk(State.size)):
        piece.values[:] = part.values


def all_to_all_single(target, source):
    parts = [numpy.split(part, State.size)[State.rank] for part in moved(exchanged(source))]
    finish(target, numpy.concatenate(parts))


def broadcast(tensor, root):
    parts = exchanged(tensor)
    own = State.rank == State.size - 1 and WRONG == "no_last_rank"
    finish(tensor, parts[-1] if WRONG == "other_operation" else tensor.values if own else parts[root])
