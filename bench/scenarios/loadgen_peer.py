"""MLPerf's LoadGen on a matrix product: the same function of the same library that stackx-pi calls, one call a sample.

usage: loadgen_peer.py LIBRARY SIZE SCENARIO DIRECTORY [key=value ...]   (SingleStream, MultiStream, Server, Offline)

Keys are those of LoadGen's TestSettings; warm_up: calls before the test; trace=1: the latencies themselves, too; replay=FILE: nothing
is called, and queries are answered when the file's numbers say, JSON, in ns from the first query.
Prints one JSON object: LoadGen's own results of mlperf_log_detail.txt, and with trace the latencies (ns), the
arrivals (us from the first). DIRECTORY takes LoadGen's logs.
"""
import ctypes
import importlib.metadata
import itertools
import json
import os
import pathlib
import queue
import sys
import threading
import time

import mlperf_loadgen as loadgen

ROW_MAJOR, NO_TRANSPOSE = 101, 111


def operands(size):
    matrices = [(ctypes.c_float * (size * size))() for _ in range(3)]
    for matrix in matrices[:2]:
        for i in range(size * size):
            matrix[i] = (i * 7 % 13 - 6) / 6
    return matrices


def blas_call(library, size):
    name = next(n for n in ("cblas_sgemm", "scipy_cblas_sgemm", "scipy_cblas_sgemm64_") if hasattr(library, n))
    for threads in ("openblas_set_num_threads", "scipy_openblas_set_num_threads"):
        if hasattr(library, threads):
            getattr(library, threads)(1)
    function = getattr(library, name)
    word, real = ctypes.c_int64, ctypes.c_float  # 64-bit integers serve LP64 and ILP64 libraries alike
    function.restype = None
    function.argtypes = [word] * 6 + [real, ctypes.c_void_p, word, ctypes.c_void_p, word, real, ctypes.c_void_p, word]
    a, b, c = operands(size)
    arguments = (ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, size, size, size, 1.0, ctypes.addressof(a), size,
                 ctypes.addressof(b), size, 0.0, ctypes.addressof(c), size)
    keep = (a, b, c)
    return lambda: (keep, function(*arguments))


class Argument(ctypes.Structure):
    _fields_ = [("index", ctypes.c_int), ("memory", ctypes.c_void_p)]


def onednn_call(library, size):
    """oneDNN 3.x: the matmul primitive on plain row-major operands."""
    def run(name, *arguments):
        status = getattr(library, name)(*arguments)
        if status != 0:
            sys.exit(f"{name}: status {status}")

    def made(name, *arguments):
        result = ctypes.c_void_p()
        run(name, ctypes.byref(result), *arguments)
        return result

    plain = made("dnnl_memory_desc_create_with_strides", 2, (ctypes.c_int64 * 12)(size, size), 3,
                 (ctypes.c_int64 * 12)(size, 1))  # 3: f32
    engine = made("dnnl_engine_create", 1, ctypes.c_size_t(0))  # 1: CPU
    stream = made("dnnl_stream_create", engine, 1)
    description = made("dnnl_matmul_primitive_desc_create", engine, plain, plain, None, plain, None)
    primitive = made("dnnl_primitive_create", description)
    keep = operands(size)
    arguments = (Argument * 3)()
    for i, (index, matrix) in enumerate(zip((1, 33, 17), keep)):  # SRC, WEIGHTS, DST
        arguments[i] = Argument(index, made("dnnl_memory_create", plain, engine,
                                            ctypes.c_void_p(ctypes.addressof(matrix))).value)
    execute, wait = library.dnnl_primitive_execute, library.dnnl_stream_wait

    def call():
        if execute(primitive, stream, 3, arguments) != 0 or wait(stream) != 0:
            sys.exit("dnnl_primitive_execute failed")
        return keep
    return call


def settings_of(scenario, words):
    settings = loadgen.TestSettings()
    settings.scenario = getattr(loadgen.TestScenario, scenario)
    settings.mode = loadgen.TestMode.PerformanceOnly
    for key, value in words.items():
        known = getattr(settings, key)
        setattr(settings, key, value == "1" if isinstance(known, bool) else type(known)(float(value)))
    return settings


def results(directory):
    found = {}
    for line in (directory / "mlperf_log_detail.txt").read_text().splitlines():
        event = json.loads(line.split(":::MLLOG", 1)[1])
        if event["key"].startswith(("result_", "early_stopping")):
            found[event["key"]] = event["value"]
    return found


def traced(directory):
    """Latencies of queries, the last of whose samples counts, and arrivals, in the order of issue."""
    latencies, arrivals = {}, {}
    for line in (directory / "mlperf_log_trace.json").read_text().splitlines():
        if '"name":"Sample"' in line and '"complete_ns"' in line:
            event = json.loads(line.rstrip(","))
            query = event["args"]["query_seq"]
            latencies[query] = max(latencies.get(query, 0), event["args"]["complete_ns"])
            arrivals[query] = event["ts"]
    first = min(arrivals.values())
    return {"latencies_ns": [latencies[query] for query in sorted(latencies)],
            "arrivals_us": [round(arrivals[query] - first, 3) for query in sorted(arrivals)]}


NEAR_NS = 300_000  # so long before an answer is due one no longer sleeps


def replaying(done_ns, complete):
    """samples -> None: answered later, by a thread."""
    issued, first = queue.SimpleQueue(), []

    def answer():
        for after in itertools.chain(done_ns, itertools.repeat(0)):  # those that LoadGen asks besides: at once
            sample = issued.get()
            while (left := first[0] + after - time.monotonic_ns()) > 0:
                if left > NEAR_NS:
                    time.sleep((left - NEAR_NS) / 1e9)
            complete(sample)

    def issue(samples):
        first.append(time.monotonic_ns())
        for sample in samples:
            issued.put(sample.id)

    threading.Thread(target=answer, daemon=True).start()
    return issue


def main():
    path, size, scenario, directory = sys.argv[1], int(sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4])
    words = dict(word.split("=", 1) for word in sys.argv[5:])
    warm_up, trace = int(words.pop("warm_up", "0")), words.pop("trace", "0") == "1"
    replay = words.pop("replay", None)
    library = ctypes.CDLL(path)
    call = (onednn_call if hasattr(library, "dnnl_version") else blas_call)(library, size)
    for _ in range(warm_up):
        call()
    complete, response = loadgen.QuerySamplesComplete, loadgen.QuerySampleResponse

    def issue(samples):
        for sample in samples:
            call()
            complete([response(sample.id, 0, 0)])

    if replay:
        issue = replaying(json.loads(pathlib.Path(replay).read_text()), lambda sample: complete([response(sample, 0, 0)]))
    directory.mkdir(parents=True, exist_ok=True)
    log = loadgen.LogSettings()
    output = loadgen.LogOutputSettings()
    output.outdir, output.copy_summary_to_stdout = str(directory), False
    log.log_output, log.enable_trace = output, trace
    settings = settings_of(scenario, words)
    loadgen.StartTestWithLogSettings(loadgen.ConstructSUT(issue, lambda: None),
                                     loadgen.ConstructQSL(16, 16, lambda samples: None, lambda samples: None),
                                     settings, log)
    document = {"loadgen": importlib.metadata.version("mlcommons_loadgen"), "scenario": scenario,
                "settings": words, "results": results(directory)}
    if trace:
        document |= traced(directory)
    print(json.dumps(document))
    sys.stdout.flush()
    os._exit(0)  # LoadGen's own destructors wait for threads of the callbacks


if __name__ == "__main__":
    main()
