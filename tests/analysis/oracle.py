"""Reads {"values": [[...], ...], "p": [[...], ...]} on stdin, prints what NumPy and SciPy make of it."""
import json, sys
try:
    import numpy as np
    from scipy import stats
except ImportError as error:
    print(json.dumps({"missing": str(error)}))
    sys.exit()

def interval(x, confidence):
    n, x = len(x), sorted(x)
    best = None
    for k in range(1, n // 2 + 1):
        coverage = 1 - 2 * stats.binom.cdf(k - 1, n, 0.5)
        if coverage >= confidence and x[k - 1] < x[n - k]:
            best = [x[k - 1], x[n - k], coverage]
    return best

def of(x):
    return {"quantiles": [float(np.quantile(x, q)) for q in (0, .1, .25, .5, .75, .9, 1)],
            "median": float(np.median(x)), "mad": float(stats.median_abs_deviation(x)), "mean": float(np.mean(x)),
            "sd": float(np.std(x, ddof=1)) if len(x) > 1 else None,
            "interval": interval(x, 0.95),
            "sign": float(stats.binomtest(sum(v > 0 for v in x), len(x)).pvalue)}

request = json.load(sys.stdin)
print(json.dumps({"values": [of(x) for x in request["values"]]}))
