"""Pairs of fresh processes that run in turns, slice by slice, and what they say about the ratio of two programs."""
import contextlib
import math
import os
import signal
import statistics
import subprocess
import sys
import tempfile


def bare_environment(variables):
    """Nothing of the caller's settings may decide how many threads run."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "OPENBLAS_", "MKL_", "KMP_", "GOMP_"))}
    return {**kept, **variables}


def refuse(command, status, errors):
    sys.exit(f"{' '.join(map(str, command))}: status {status}\n{errors}")


def output(command, **variables):
    done = subprocess.run([str(word) for word in command], env=bare_environment(variables), text=True, capture_output=True)
    if done.returncode != 0:
        refuse(command, done.returncode, done.stderr)
    return done.stdout


class Stoppable:
    """A process that runs only in its turns."""

    def __init__(self, stack, command, variables):
        self.command = command
        self.files = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in range(2)]
        self.process = subprocess.Popen([str(word) for word in command], env=bare_environment(variables),
                                        stdout=self.files[0], stderr=self.files[1])
        stack.callback(self.process.wait)
        stack.callback(self.process.kill)
        self.process.send_signal(signal.SIGSTOP)

    def turn(self, seconds):
        self.process.send_signal(signal.SIGCONT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        self.process.send_signal(signal.SIGSTOP)

    def output(self):
        for file in self.files:
            file.seek(0)
        if self.process.returncode != 0:
            refuse(self.command, self.process.returncode, self.files[1].read())
        return self.files[0].read()


def in_turns(commands, slice_seconds):
    """The outputs of (command, variables), of which one runs at a time while the others are stopped.

    A shared machine changes its speed within seconds: in turns both programs meet the same changes. The sample that a
    stop falls into is one in many, and both report medians."""
    with contextlib.ExitStack() as stack:
        processes = [Stoppable(stack, *command) for command in commands]
        while running := [one for one in processes if one.process.poll() is None]:
            for one in running:
                one.turn(slice_seconds)
        return [one.output() for one in processes]


def median_range(values):
    """The narrowest pair of order statistics that holds the median with at least 95 % (sign test)."""
    ordered, n = sorted(values), len(values)
    outside = 0.0
    for k in range(n // 2 + 1):
        outside += 2 * math.comb(n, k) / 2**n
        if outside > 0.05:
            return ordered[max(k - 1, 0)], ordered[min(n - k, n - 1)]
    return ordered[0], ordered[-1]


def compare(ours, peer, pairs, slice_seconds, label):
    """Both are (command, variables, nanoseconds a call of its output); who begins a pair alternates.

    Returns the medians of both sides and (median, low, high) of the paired ratios of rates, ours / peer."""
    times = {"ours": [], "peer": []}
    for pair in range(pairs):
        order = [("ours", ours), ("peer", peer)][::1 if pair % 2 == 0 else -1]
        texts = in_turns([side[:2] for _, side in order], slice_seconds)
        for (name, side), text in zip(order, texts):
            times[name].append(side[2](text))
        print(f"\r{label}: {pair + 1}/{pairs} ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    ratios = [b / a for a, b in zip(times["ours"], times["peer"])]  # of rates: the inverse of the times'
    return (statistics.median(times["ours"]), statistics.median(times["peer"]),
            (statistics.median(ratios), *median_range(ratios)))
