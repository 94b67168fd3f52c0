"""Interleaved pairs of runs in fresh processes, and what they say about the ratio of two programs."""
import math
import os
import statistics
import subprocess
import sys


def output(command, **variables):
    # Nothing of the caller's settings may decide how many threads run.
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "OPENBLAS_", "MKL_", "KMP_", "GOMP_"))}
    done = subprocess.run([str(word) for word in command], env={**kept, **variables}, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def median_range(values):
    """The narrowest pair of order statistics that holds the median with at least 95 % (sign test)."""
    ordered, n = sorted(values), len(values)
    outside = 0.0
    for k in range(n // 2 + 1):
        outside += 2 * math.comb(n, k) / 2**n
        if outside > 0.05:
            return ordered[max(k - 1, 0)], ordered[min(n - k, n - 1)]
    return ordered[0], ordered[-1]


def alternate(ours, peer, pairs, label):
    """Runs ours() and peer(), which return nanoseconds a call, in turn; the order within a pair alternates.

    Returns the medians of both sides and (median, low, high) of the paired ratios of rates, ours / peer."""
    times = {"ours": [], "peer": []}
    for pair in range(pairs):
        for side, run in (("ours", ours), ("peer", peer))[::1 if pair % 2 == 0 else -1]:
            times[side].append(run())
        print(f"\r{label}: {pair + 1}/{pairs} ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    ratios = [b / a for a, b in zip(times["ours"], times["peer"])]  # of rates: the inverse of the times'
    return (statistics.median(times["ours"]), statistics.median(times["peer"]),
            (statistics.median(ratios), *median_range(ratios)))
