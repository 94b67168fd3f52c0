"""Recomputes from the evidence files what published_ranking.cpp says of stacks, with nothing of stackx's own code.

stdin: {"directory", "cases": [{"pi", "hardware", "params", "key": component}]}: the results of a workload family on one
published name of hardware whose parameters hold these values. A stack is told by the version of one component.
stdout: {"answers": [{"versions": {version: {shape: goodness}}, "pairs": {"a/b": {...}}}]}, goodness being GFLOP/s, or
minus the milliseconds where the operations are not known.
"""
import json, math, pathlib, statistics, sys

try:
    from scipy import stats
except ImportError as error:
    print(json.dumps({"missing": str(error)}))
    sys.exit()


def rows(directory):
    for file in sorted(pathlib.Path(directory).rglob("*.json")):
        document = json.loads(file.read_text())
        for table in document["tables"]:
            for cells in table["rows"]:
                row = {key: dict(table.get(key, {})) for key in ("params", "stack", "details")}
                row.update({key: table[key] for key in ("pi", "metric", "hardware", "devices") if key in table})
                for column, cell in zip(table["columns"], cells):
                    if cell is None:
                        continue
                    head, dot, tail = column.partition(".")
                    if dot:
                        row[head][tail] = cell
                    else:
                        row[head] = cell
                yield row


def good(row):
    """Higher is better: GFLOP/s of products and convolutions, minus the time of the rest."""
    p, value = row["params"], row["value"]
    if row["metric"] == "rate_tflops":
        return value * 1000
    assert row["metric"] == "elapsed_ms", row["metric"]
    if row["pi"] == "matmul":
        return 2 * p["m"] * p["n"] * p["k"] / value / 1e6
    if row["pi"] == "conv2d":
        h = (p["h"] + 2 * p["pad_h"] - p["filter_h"]) // p["stride_h"] + 1
        w = (p["w"] + 2 * p["pad_w"] - p["filter_w"]) // p["stride_w"] + 1
        return 2 * p["n"] * p["k"] * p["c"] * p["filter_h"] * p["filter_w"] * h * w / value / 1e6
    return -value


def sign_test_interval(logs, confidence):
    """The order statistics whose coverage reaches the confidence, by SciPy's binomial distribution."""
    n, ordered, found = len(logs), sorted(logs), None
    for k in range(1, n // 2 + 1):
        if 1 - 2 * stats.binom.cdf(k - 1, n, 0.5) >= confidence:
            found = [math.exp(ordered[k - 1]), math.exp(ordered[n - k])]
    return found


request = json.load(sys.stdin)
everything = list(rows(request["directory"]))
answers = []
for case in request["cases"]:
    versions = {}
    for row in everything:
        if row["pi"] != case["pi"] or row["hardware"] != case["hardware"] or not row["stack"]:
            continue
        if any(str(row["params"].get(key)) != value for key, value in case["params"].items()):
            continue
        shape = json.dumps(row["params"], sort_keys=True)
        versions.setdefault(row["stack"][case["key"]], {}).setdefault(shape, []).append(good(row))
    level = lambda values: statistics.median(math.log(abs(v)) * (1 if v > 0 else -1) for v in values)
    pairs = {}
    for a in versions:
        for b in versions:
            shared = versions[a].keys() & versions[b].keys()
            logs = [level(versions[a][s]) - level(versions[b][s]) for s in shared]
            if a == b or not logs:
                continue
            pairs[f"{a}/{b}"] = {"shapes": len(logs), "ratio": math.exp(statistics.median(logs)),
                                 "better": sum(x > 0 for x in logs), "worse": sum(x < 0 for x in logs),
                                 "interval": sign_test_interval(logs, 0.95)}
    highest = {version: max(v for values in shapes.values() for v in values) for version, shapes in versions.items()}
    answers.append({"pairs": pairs, "results": {v: sum(map(len, s.values())) for v, s in versions.items()},
                    "highest": highest})
print(json.dumps({"answers": answers}))
