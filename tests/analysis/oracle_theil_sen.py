"""Reads {"cases": [{"x": [...], "y": [...], "confidence": 0.95}, ...]} on stdin, prints SciPy's theilslopes of each."""
import json, sys
try:
    from scipy import stats
except ImportError as error:
    print(json.dumps({"missing": str(error)}))
    sys.exit()

answers = []
for case in json.load(sys.stdin)["cases"]:
    found = stats.theilslopes(case["y"], case["x"], case["confidence"])
    answers.append({"slope": float(found[0]), "low": float(found[2]), "high": float(found[3])})
print(json.dumps({"answers": answers}))
