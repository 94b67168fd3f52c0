"""What the percentiles of the system `spin` are when nothing but its known service times takes time: the third opinion.

Service times as in spin_blas.c; arrivals as std::mt19937 and std::exponential_distribution of libstdc++ draw them, which
LoadGen and stackx-pi use; the queue of one server by Lindley's recursion. All in ns.
"""
import math
import random

PERIOD = 1000


def normal_quantile(p):
    low, high = -10.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        if 0.5 * math.erfc(-middle / math.sqrt(2)) < p:
            low = middle
        else:
            high = middle
    return low


def service_times(mean_us, sigma=0.3, seed=1):
    mean = 1e3 * mean_us
    times = [int(mean * math.exp(sigma * normal_quantile((i + 0.5) / PERIOD) - sigma * sigma / 2)) for i in range(PERIOD)]
    state = seed
    for i in range(PERIOD - 1, 0, -1):
        state = (state * 6364136223846793005 + 1442695040888963407) & (2**64 - 1)
        j = (state >> 33) % (i + 1)
        times[i], times[j] = times[j], times[i]
    return times


def mersenne_twister(seed):
    """std::mt19937: Python's generator, seeded with one word."""
    words = [seed & 0xFFFFFFFF]
    for i in range(1, 624):
        words.append((1812433253 * (words[-1] ^ (words[-1] >> 30)) + i) & 0xFFFFFFFF)
    generator = random.Random()
    generator.setstate((3, (*words, 624), None))
    return lambda: generator.getrandbits(32)


def arrivals(rate, seed, queries):
    draw, time, times = mersenne_twister(seed), 0, []
    for _ in range(queries):
        times.append(time)
        low, high = draw(), draw()
        time += int(1e9 * -math.log(1 - (low + high * 2**32) / 2**64) / rate)
    return times


def latencies(scenario, queries, mean_us, rate=None, seed=1):
    """None where the scenario has none."""
    service = service_times(mean_us)
    if scenario == "SingleStream":
        return [service[i % PERIOD] for i in range(queries)]
    if scenario == "MultiStream":
        return [sum(service[(8 * i + j) % PERIOD] for j in range(8)) for i in range(queries)]
    if scenario != "Server":
        return None
    free, waited = 0, []
    for i, due in enumerate(arrivals(rate, seed, queries)):
        free = max(free, due) + service[i % PERIOD]
        waited.append(free - due)
    return waited


def percentile(values, percent):
    """As LoadGen takes it."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]
