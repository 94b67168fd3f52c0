"""The peer for OpenBLAS: the same product through NumPy, which brings the library file that stackx-pi loads.

usage: numpy_peer.py SIZE MINI_BATCH REPETITIONS WARMUP_MS; threads through OPENBLAS_NUM_THREADS.
Prints the median nanoseconds of one product.  numpy_peer.py --library prints the OpenBLAS file in use.
"""
import statistics
import sys
import time

import numpy

if sys.argv[1:] == ["--library"]:
    print(next(line.split()[-1] for line in open("/proc/self/maps") if "openblas" in line))
    sys.exit()
size, batch, repetitions, warm_up_ms = map(int, sys.argv[1:])
random = numpy.random.default_rng(1)
a, b = (random.uniform(-1, 1, (size, size)).astype(numpy.float32) for _ in range(2))
c = numpy.zeros((size, size), numpy.float32)
samples = []
start = time.perf_counter_ns()
while len(samples) < repetitions:
    begin = time.perf_counter_ns()
    for _ in range(batch):
        numpy.matmul(a, b, out=c)
    if begin - start >= warm_up_ms * 1_000_000:
        samples.append((time.perf_counter_ns() - begin) / batch)
print(round(statistics.median_high(samples)))
