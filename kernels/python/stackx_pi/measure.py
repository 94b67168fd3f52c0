"""Calibrate -> warm up -> measure, as kernels/timing/measure.cpp does it (read its header for the why): turns a call into samples.

One sample times a mini-batch of calls, so many that it lasts at least min_sample. The clock comes from outside, so that tests
need not wait. A phase is recorded for each step, also when its work raises.
"""

from __future__ import absolute_import, division

import contextlib
import ctypes
import gc
import time

SAMPLES_IN_A_ROW = 3
# No preemption explains a sample of this many targets that is longer than a busy machine's scheduler (and its hypervisor's) leaves a
# thread waiting: with a target of 1 ms, 20 of them were not enough.
CLEARLY_LONG, CLEARLY_LONG_NS = 20, 250000000
MIN_REPETITIONS = 3  # the fewest that have a median and a spread
CLOCK_MONOTONIC = 1
SPIN_NS = 500000  # as stackx-pi's clock


class Timespec(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


def monotonic_by_ctypes():
    """Python 2.7 has no monotonic clock. The call costs about a microsecond, which mini-batches outweigh."""
    library = ctypes.CDLL(None, use_errno=True)
    try:
        clock_gettime = library.clock_gettime
    except AttributeError:  # glibc before 2.17
        clock_gettime = ctypes.CDLL("librt.so.1", use_errno=True).clock_gettime
    value = Timespec()
    reference = ctypes.byref(value)

    def now():
        if clock_gettime(CLOCK_MONOTONIC, reference) != 0:
            raise OSError(ctypes.get_errno(), "clock_gettime")
        return value.seconds * 1000000000 + value.nanoseconds

    return now


def waiter(steady_ns):
    """steady ns -> returns at that time or as soon after as can be: sleeps, and spins for the last half millisecond."""

    def wait_until(due):
        left = due - steady_ns() - SPIN_NS
        if left > 0:
            time.sleep(left / 1e9)
        while steady_ns() < due:
            pass

    return wait_until


class Clock(object):
    def __init__(self, steady_ns, epoch_ns, wait_until=None):
        self.steady_ns, self.epoch_ns = steady_ns, epoch_ns
        self.wait_until = wait_until or waiter(steady_ns)  # scenarios wait for arrivals

    @staticmethod
    def system():
        """Steady is CLOCK_MONOTONIC, one time for all processes of the machine."""
        if hasattr(time, "monotonic_ns"):
            return Clock(time.monotonic_ns, time.time_ns)
        if hasattr(time, "monotonic"):
            return Clock(lambda: int(time.monotonic() * 1e9), lambda: int(time.time() * 1e9))
        return Clock(monotonic_by_ctypes(), lambda: int(time.time() * 1e9))


class Plan(object):
    def __init__(self, repetitions=20, mini_batch=0, min_sample_ns=5000000, warm_up_ns=100000000, max_ns=0):
        self.repetitions = repetitions
        self.mini_batch = mini_batch  # 0: calibrate
        self.min_sample_ns = min_sample_ns
        self.warm_up_ns = warm_up_ns
        self.max_ns = max_ns  # 0: no limit. Past it sampling stops, but not below MIN_REPETITIONS.


class Measurement(object):
    def __init__(self):
        self.mini_batch = 1
        self.samples_ns = []
        self.stopped_early = False


def median(values):
    values, middle = sorted(values), len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def peak_memory_bytes():
    """The most memory that this process has held so far; 0 without /proc. Not getrusage, whose figure survives exec."""
    try:
        with open("/proc/self/status") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except (IOError, OSError):
        pass
    return 0


class Phases(object):
    def __init__(self, clock):
        self.clock, self.done = clock, []
        self.memory = {}  # phase -> the most that the process had held up to its end

    @contextlib.contextmanager
    def record(self, name):
        start, begin = self.clock.epoch_ns(), self.clock.steady_ns()
        try:
            yield
        finally:
            self.done.append({"name": name, "start_ns": start, "duration_ns": self.clock.steady_ns() - begin})
            held = peak_memory_bytes()
            if held:
                self.memory[name] = held


class Calibration(object):
    """Doubles the mini-batch until three samples in a row reach the target, or one is so long that no preemption explains it."""

    def __init__(self, target_ns):
        self._target_ns, self._reached = target_ns, 0
        self.mini_batch, self.done = 1, False

    def add(self, elapsed_ns):
        if elapsed_ns < self._target_ns:
            self._reached = 0
            self.mini_batch *= 2
        else:
            self._reached += 1
            clearly_long = elapsed_ns >= CLEARLY_LONG_NS and elapsed_ns // CLEARLY_LONG >= self._target_ns
            if self._reached == SAMPLES_IN_A_ROW or clearly_long:
                self.done = True


def sampler(call, wait, clock):
    """mini-batch -> elapsed ns, of calls in a loop. `wait` ends what the calls have only begun (a GPU's work)."""

    def sample(mini_batch):
        begin = clock.steady_ns()
        for _ in range(mini_batch):
            call()
        if wait is not None:
            wait()
        return clock.steady_ns() - begin

    return sample


@contextlib.contextmanager
def without_collections():
    """As timeit does: a collection in a sample is Python's work, not the framework's."""
    collects = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def measure(sample, plan, clock, phases, measured=None):
    """`sample` is mini-batch -> elapsed ns. The call must have been made before (the check does): what a framework does once
    (compiling, starting threads) would mislead the calibration. `measured(ns, mini_batch)` hears of each sample that is kept, outside
    of it."""
    with without_collections():
        return calibrate_and_measure(sample, plan, clock, phases, measured)


def calibrate_and_measure(sample, plan, clock, phases, measured=None):
    result = Measurement()
    begin = clock.steady_ns()
    calibration = Calibration(plan.min_sample_ns)

    def mini_batch():
        return plan.mini_batch or calibration.mini_batch

    with phases.record("calibrate"):
        while not plan.mini_batch and not calibration.done:
            calibration.add(sample(calibration.mini_batch))
    with phases.record("warm_up"):
        while clock.steady_ns() - begin < plan.warm_up_ns:
            calibration.add(sample(mini_batch()))
    result.mini_batch = mini_batch()
    with phases.record("measure"):
        while len(result.samples_ns) < plan.repetitions:
            late = plan.max_ns > 0 and clock.steady_ns() - begin >= plan.max_ns
            if late and len(result.samples_ns) >= MIN_REPETITIONS:
                break
            result.samples_ns.append(sample(result.mini_batch))
            if measured is not None:
                measured(result.samples_ns[-1], result.mini_batch)
    result.stopped_early = len(result.samples_ns) < plan.repetitions
    return result
