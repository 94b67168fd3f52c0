"""Latencies as LoadGen reports them, and what so many queries prove: kernels/timing/latency.cpp in Python, the why in its header.

Percentile p of n latencies is sorted[int(n * p)]: no interpolation. Early stopping: n queries, t of them late, prove the percentile if
P(X <= t) < 0.01 for X binomial(n, 1 - p).
"""

from __future__ import absolute_import, division

import math

PERCENTILES = [("50", .50), ("90", .90), ("95", .95), ("97", .97), ("99", .99), ("99.9", .999)]
CONFIDENCE = .99


def percentile_of(ordered, fraction):
    return ordered[int(len(ordered) * fraction)]


def most_late(queries, fraction, confidence=CONFIDENCE):
    """The most late queries among so many with which the percentile is still proven; None: not even if none is late."""
    q, total, late = 1 - fraction, 0.0, 0
    all_ways, late_log, timely_log = math.lgamma(queries + 1.0), math.log(q), math.log1p(-q)
    while late < queries:
        ways = all_ways - math.lgamma(late + 1.0) - math.lgamma(queries - late + 1.0)
        total += math.exp(ways + late * late_log + (queries - late) * timely_log)
        if not total < 1 - confidence:
            break
        late += 1
    return late - 1 if late else None


def proves(queries, late, fraction, confidence):
    most = most_late(queries, fraction, confidence)
    return most is not None and late <= most


def least_queries(late, fraction, confidence=CONFIDENCE):
    """The fewest that prove the percentile while `late` of them are late: 662 for one at the 99th percentile, 64 at the 90th."""
    least = above = late + 1
    while not proves(above, late, fraction, confidence):
        above *= 2
    while least < above:
        middle = (least + above) // 2
        if proves(middle, late, fraction, confidence):
            above = middle
        else:
            least = middle + 1
    return least


def proven_percentile(ordered, fraction, confidence=CONFIDENCE):
    """An upper bound of the percentile that holds with that confidence (LoadGen's "early stopping percentile estimate"); None: too few
    queries."""
    most = most_late(len(ordered), fraction, confidence)
    return ordered[len(ordered) - most] if most else None
