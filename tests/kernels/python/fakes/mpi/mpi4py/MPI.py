"""MPI of the tests. FAKE_MPI_WRONG: alone (nothing is added), first (only ranks 0 and 1 are), stale (the call before), one_rank (the last
rank gets zeros), coarse (in float16), once (right in the first call alone), twice (added twice), one_bit (a middle one of the largest
number, in the last rank), later (the same from the third call on)."""

import os
import time

import numpy

SUM, IN_PLACE = "sum", None
WRONG = os.environ.get("FAKE_MPI_WRONG", "")


def Get_library_version():
    return "Fake MPI 1.0, of the tests"


def Finalize():
    pass


class World:
    calls, before = 0, None

    def Get_rank(self):
        return int(os.environ["PMI_RANK"])

    def Get_size(self):
        return int(os.environ["PMI_SIZE"])

    def Allreduce(self, place, buffer, operation):
        assert place is IN_PLACE and operation == SUM
        World.calls += 1
        own = buffer.copy()
        parts = self.parts(own)
        if WRONG == "first":
            parts = parts[:2]
        if WRONG == "coarse":
            parts = [part.astype(numpy.float16) for part in parts]
        result = sum(parts[1:], parts[0]).astype(buffer.dtype)
        if WRONG == "alone" or (WRONG == "once" and World.calls > 1):
            result = own * self.Get_size()
        if WRONG == "twice":
            result *= 2
        if WRONG == "one_rank" and self.Get_rank() == self.Get_size() - 1:
            result *= 0
        if (WRONG == "one_bit" or (WRONG == "later" and World.calls > 2)) and self.Get_rank() == self.Get_size() - 1:
            result.view(numpy.uint32)[abs(result).argmax()] ^= 1 << 8
        World.before, result = result, World.before if WRONG == "stale" and World.before is not None else result
        buffer[:] = result

    def parts(self, own):
        def path(rank):
            return os.path.join(os.environ["FAKE_MPI"], "%d-%d.npy" % (World.calls, rank))
        with open(path(self.Get_rank()) + ".part", "wb") as file:
            numpy.save(file, own)
        os.rename(path(self.Get_rank()) + ".part", path(self.Get_rank()))
        found = []
        for rank in range(self.Get_size()):
            while not os.path.exists(path(rank)):
                time.sleep(0.0005)
            found.append(numpy.load(path(rank)))
        return found


COMM_WORLD = World()
