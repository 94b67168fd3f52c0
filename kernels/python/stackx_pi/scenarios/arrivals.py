"""When queries arrive at a server: LoadGen's Poisson process, kernels/timing/arrivals.cpp number by number.

That is std::mt19937 and std::exponential_distribution<double> of libstdc++: a gap is -log(1 - u) / rate, u made of two outputs of the
generator, the first the lower half; nanoseconds are cut off; the first query comes at 0. So the same seed gives stackx-pi, these PIs
and LoadGen the same schedule, query by query.

Python's generator is mt19937 too, but is seeded in another way and makes other numbers of its outputs; here its state is set to what
std::mt19937(seed) has, and its outputs are taken as they are. Rejected: a twister written out in Python, the same numbers more slowly,
and NumPy's generator, whose outputs are reached through methods that NumPy may make differently.
"""

from __future__ import absolute_import, division

import math
import random

WORDS = 624


def mt19937(seed):
    """-> a function: the outputs of std::mt19937(seed), one after the other."""
    words = [seed & 0xffffffff]
    for i in range(1, WORDS):
        words.append((1812433253 * (words[-1] ^ (words[-1] >> 30)) + i) & 0xffffffff)
    generator = random.Random()
    generator.setstate((3, tuple(words) + (WORDS,), None))
    return lambda: generator.getrandbits(32)


def poisson_arrivals(per_second, seed, queries, duration_ns):
    """Nanoseconds from the start, ascending: at least so many queries, and going on until one arrives at `duration_ns` or later."""
    output, log = mt19937(seed), math.log
    below_one = 1 - 2.0**-53
    arrivals, time = [], 0
    while len(arrivals) < queries or not arrivals or arrivals[-1] < duration_ns:
        arrivals.append(time)
        low = output()
        u = min((low + output() * 4294967296.0) / 18446744073709551616.0, below_one)
        time += int(-log(1 - u) / per_second * 1e9)
    return arrivals
