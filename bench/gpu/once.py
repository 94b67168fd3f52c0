"""Part 2: every native indicator once, checked, by each library that was found. One JSON document a line in once.jsonl."""
import statistics

from tally import Tally

SQUARE = "m={0} n={0} k={0}"
DTYPES = ("float64", "float32", "tf32", "float16", "bfloat16")


def runs():
    """(library's component, words): first what no device has run yet and takes about a second, then the longer series."""
    yield from never_run()
    yield from measured_before()


def never_run():
    for words in ("api=runtime", "synchronous=1"):
        yield "cudart", f"launch_latency {words}"
    for loop in ("read", "write", "copy", "memcpy"):
        yield "cudart", f"memory_bandwidth loop={loop}"
    for words in ("direction=d2h", "direction=both", "memory=pageable", "direction=d2h memory=pageable"):
        yield "cudart", f"transfer {words}"
    yield "cublas", "matmul dtype=int8 " + SQUARE.format(4096)
    yield "cublaslt", "matmul dtype=int8 search=0 " + SQUARE.format(4096)
    yield "cublas", "matmul dtype=bfloat16 l2=flush " + SQUARE.format(2048)
    for dtype in ("float32", "tf32", "float16"):
        yield "cublas+cudnn", f"transformer_ops dtype={dtype}"
        yield "cudnn", f"conv2d dtype={dtype}"
    for words in ("dtype=bfloat16", "dtype=float16 phase=decode"):
        yield "cublas+cudnn", f"transformer_ops {words}"
    for collective in ("all_gather", "reduce_scatter", "broadcast", "alltoall", "all_reduce"):
        yield "nccl", f"{collective} bytes=1048576 ranks=1"
    for scenario in ("single_stream", "offline", "server"):
        yield "cublas", f"matmul scenario={scenario} dtype=bfloat16 latency_bound_ms=1 " + SQUARE.format(2048)
    for component, words in (("cublas", ""), ("cublas", "min_sample_ms=200 "), ("cublaslt", "search=0 "), ("cublaslt", "search=16 ")):
        # What frameworks ask for; and by samples long enough for the device not to rest between them.
        yield component, f"matmul dtype=bfloat16 result=same {words}" + SQUARE.format(8192)


def measured_before():
    for name in ("memory_bandwidth", "launch_latency", "transfer"):
        yield "cudart", name
    for dtype in DTYPES:
        yield "cublas", f"matmul dtype={dtype} " + SQUARE.format(8192)
    for dtype in ("tf32", "float16", "bfloat16", "fp8"):
        for search in (0, 16):
            yield "cublaslt", f"matmul dtype={dtype} search={search} " + SQUARE.format(8192)
    for kernel, dtypes in (("tiled", ("float32", "float64")), ("tensor", ("tf32", "float16", "bfloat16"))):
        for dtype in dtypes:
            yield "nvrtc", f"matmul kernel={kernel} dtype={dtype} " + SQUARE.format(4096)
            yield "nvrtc", f"matmul kernel={kernel} dtype={dtype} m=1031 n=1033 k=1027"  # edges in all three directions
    for size in (1024, 2048, 4096, 16384):
        for dtype in DTYPES:
            yield "cublas", f"matmul dtype={dtype} " + SQUARE.format(size)


def part(machine):
    runtime, tally = machine.library("cudart"), Tally(machine.output / "once.jsonl")
    yield "| indicator | library | median | result |"
    yield "|---|---|---|---|"
    for component, words in runs():
        words = machine.sized(words)
        libraries = [machine.library(one) for one in component.split("+")]
        if None in libraries or machine.left() < 3:
            tally.skip(words, component if None in libraries else "time")
            continue
        name, *parameters = words.split()
        partners = [word for one in [*libraries[1:], runtime] for word in ("--with", one)]
        found = machine.native([name, "--library", libraries[0], *partners, f"device={machine.uuid}", *machine.limited(name), *parameters])
        yield f"| {words} | {component} | {amount(found)} | {tally.add(words, found)} |"
    yield from tally.summary()


def amount(found):
    """TFLOP/s, GB/s or microseconds a call, by what the indicator counts."""
    told = found.get("document", {})
    if not told.get("samples_ns"):
        return ""
    sample, work = statistics.median(told["samples_ns"]), told["work"]
    if work.get("flop", 0) > work.get("bytes", 0):
        return f"{work['flop'] / sample / 1e3:.4g} TFLOP/s"
    if work.get("bytes"):
        return f"{work['bytes'] / sample:.4g} GB/s"
    return f"{sample / max(work.get('items', 1), 1) / 1e3:.3g} us"
