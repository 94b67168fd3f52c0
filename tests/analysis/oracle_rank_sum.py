"""Mann and Whitney's U by enumeration, and its interval.

stdin: {"cases": [{"a", "b", "confidence"}]}, stdout: {"answers": [{"cdf", "estimate", "interval"}]}.
"""
import itertools, json, statistics, sys

answers = []
for case in json.load(sys.stdin)["cases"]:
    a, b = case["a"], case["b"]
    n, m = len(a), len(b)
    # U of every way to choose which of the n + m ranks are the first sample's: all are equally likely.
    us = [sum(ranks) - n * (n - 1) // 2 for ranks in itertools.combinations(range(n + m), n)]
    cdf = [sum(u <= bound for u in us) / len(us) for bound in range(n * m + 1)]
    differences = sorted(y - x for x in a for y in b)
    interval = None
    for k in range(1, n * m // 2 + 1):  # the k-th smallest and largest
        if 2 * cdf[k - 1] <= 1 - case["confidence"]:
            interval = [differences[k - 1], differences[n * m - k], 1 - 2 * cdf[k - 1]]
    answers.append({"cdf": cdf, "estimate": statistics.median(differences), "interval": interval})
print(json.dumps({"answers": answers}))
