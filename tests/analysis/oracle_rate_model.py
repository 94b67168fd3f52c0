"""The rate model by other means: every row against every other, no tables, cumulated weights for the median.

Reads {"pi", "rows": [{"params", "stack", "result", "hardware", "vendor", "architecture", "capability", "peak", "bandwidth",
"rate"}],
"ask": [row]} on stdin; answers, for each asked row and kind of leaving out (0 shape, 1 library, 2 hardware), the estimate, its
distance, and the two naive rules."""
import json, sys
try:
    import numpy as np
except ImportError as error:
    print(json.dumps({"missing": str(error)}))
    sys.exit()

SIZES = {"matmul": ["m", "n", "k", "batch"],
         "conv2d": ["w", "h", "c", "n", "k", "filter_w", "filter_h", "stride_w", "stride_h"],
         "rnn": ["hidden", "batch", "timesteps"]}
WORDS = {"matmul": ["ta", "tb"], "conv2d": ["pass"], "rnn": ["cell", "pass"]}
BYTES = {"float32": 4, "tf32": 4, "float16": 2, "bfloat16": 2, "int8": 1, "float64": 8, "complex64": 8, "complex128": 16}

def seconds(pi, row):
    p = row["params"]
    number = lambda key, absent=0.0: float(p.get(key, absent))
    size = BYTES[p["dtype"]]
    out = 4 if p["dtype"] == "int8" else size
    overhead = 1e-5
    if pi == "matmul":
        m, n, k = number("m"), number("n"), number("k")
        flop = (8 if p["dtype"].startswith("complex") else 2) * m * n * k * number("batch", 1)
        traffic = number("batch", 1) * (size * (m * k + k * n) + out * m * n)
    elif pi == "conv2d":
        wide = (number("w") + 2 * number("pad_w") - number("filter_w")) // number("stride_w", 1) + 1
        high = (number("h") + 2 * number("pad_h") - number("filter_h")) // number("stride_h", 1) + 1
        filters = number("k") * number("c") * number("filter_w") * number("filter_h")
        flop = 2 * number("n") * filters * wide * high
        traffic = size * (number("n") * number("c") * number("w") * number("h") + filters) + out * number("n") * number("k") * wide * high
    else:
        weights = {"vanilla": 1, "gru": 3, "lstm": 4}[p["cell"]] * 2 * number("hidden") ** 2
        flop = 2 * weights * number("batch") * number("timesteps")
        traffic = size * (weights + 2 * number("batch") * number("hidden") * number("timesteps"))
        overhead = 5e-6 * number("timesteps")
    return flop, flop / (row["peak"] * 1e9) + traffic / (row["bandwidth"] * 1e9) + overhead

def library(stack):
    for component, name in [("cuda", "cuda"), ("rocm", "rocm"), ("cublas", "cuda"), ("clblas", "clblas")]:
        if component in stack:
            parts = stack[component].split(".")
            return name, int(parts[0]) + (int(parts[1]) / 10 if len(parts) > 1 else 0)
    return "", 0.0

def caller(stack):
    for name in ("vllm", "sglang", "tensorrt-llm", "torch", "jax", "tensorflow", "mxnet", "cupy", "pytorch"):
        if name in stack:
            return "torch" if name == "pytorch" else name
    return ""

def main():
    request = json.load(sys.stdin)
    pi, rows = request["pi"], request["rows"]
    flop, expected = np.array([seconds(pi, row) for row in rows]).T
    log_rate = np.log([row["rate"] for row in rows])
    roof = np.log(flop / 1e9 / expected)
    gain = log_rate - roof
    column = lambda f: np.array([f(row) for row in rows])
    logs = np.log(np.maximum(1, column(lambda r: [float(r["params"].get(key, 1)) for key in SIZES[pi]])))
    words = column(lambda r: [{"N": "", "fwd": ""}.get(r["params"].get(key, ""), r["params"].get(key, "")) for key in WORDS[pi]])
    peak, bandwidth = np.log(column(lambda r: r["peak"])), np.log(column(lambda r: r["bandwidth"]))
    vendor, architecture, capability = (column(lambda r, key=key: r[key]) for key in ("vendor", "architecture", "capability"))
    names = column(lambda r: library(r["stack"])[0])
    versions = column(lambda r: library(r["stack"])[1])
    release = column(lambda r: r["stack"].get("cudnn", r["stack"].get("miopen", "")))
    dtype = column(lambda r: r["params"]["dtype"])
    multiply = column(lambda r: r["params"].get("mul", r["params"]["dtype"]))
    callers, results = column(lambda r: caller(r["stack"])), column(lambda r: r["result"])
    shape_key = np.array([hash((tuple(a), tuple(b))) for a, b in zip(logs, words)])
    library_key = np.array([f"{name} {version:.1f}" for name, version in zip(names, versions)])
    hardware_key = column(lambda r: r["hardware"])

    answers = []
    for i in request["ask"]:
        shape = np.sqrt(((logs - logs[i]) ** 2).sum(1)) + (words != words[i]).sum(1)
        # The shape itself and the six next, with all that are as far as the last.
        order = sorted({key: far for key, far in zip(shape_key, shape)}.values())
        among = shape <= order[min(6, len(order) - 1)] + 1e-9
        rates = np.hypot(peak - peak[i], bandwidth - bandwidth[i])
        hardware = rates + np.where(vendor != vendor[i], 3, 0.15 * (architecture != architecture[i]) + 0.15 * (capability != capability[i]))
        both = (names != "") & (names[i] != "")
        apart = np.where(names != names[i], 1, 0.3 * np.minimum(1, abs(versions - versions[i]))) + 0.05 * (release != release[i])
        types = 1.0 * (dtype != dtype[i]) + 2 * (multiply != multiply[i])
        distance = shape + hardware + both * apart + types
        # Of two equally near results the one of the same program's call counts; the distance stays.
        call = 0.3 * (callers != callers[i]) + 0.05 * ((results != "") & (results[i] != "") & (results != results[i]))
        answer = {"row": i}
        for kind, key in enumerate((shape_key, library_key, hardware_key)):
            left = np.flatnonzero(among & (key != key[i]))
            result = {"log_rate": None, "distance": None, "nearest": None, "peak_ratio": None}
            if left.size:
                left = left[np.argsort(gain[left], kind="stable")]
                weight = np.exp(-(distance + call)[left] / 0.1)
                weight[weight < 1e-9 * weight.sum()] = 0
                kept, weights = left[weight > 0], weight[weight > 0]
                # Half of the weight lies at or below the one, half at or above the other.
                sums = np.cumsum(weights) / weights.sum()
                low, high = np.searchsorted(sums, 0.5 - 1e-9), np.searchsorted(sums, 0.5 + 1e-9)
                result["log_rate"] = float((gain[kept][low] + gain[kept][high]) / 2 + roof[i])
                result["distance"] = float(np.average(distance[kept], weights=weights))
            same = np.flatnonzero(among & (key != key[i]) & (dtype == dtype[i]) & (multiply == multiply[i]))
            if same.size:
                order = [(shape[j], hardware[j], library_key[j] != library_key[i]) for j in same]
                best = same[[one == min(order) for one in order]]
                result["nearest"] = float(np.median(log_rate[best]))
                result["peak_ratio"] = float(np.median(log_rate[best] + peak[i] - peak[best]))
            answer[str(kind)] = result
        answers.append(answer)
    print(json.dumps({"answers": answers}))

main()
