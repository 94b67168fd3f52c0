"""Least squares and ridge by other means: normal equations, ranks, and fitting again without each stack.

Reads {"cases": [{"stacks": [{component: version}], "values": [...], "penalty": p, "ask": [stacks],
"differences": [[component, from, to, [confounded with]]]}]} on stdin ("" is absent)."""
import json, sys
try:
    import numpy as np
    from scipy import stats
except ImportError as error:
    print(json.dumps({"missing": str(error)}))
    sys.exit()

def columns_of(stacks, without=()):
    names = sorted({name for stack in stacks for name in stack} - set(without))
    return [(name, version) for name in names for version in sorted({stack.get(name, "") for stack in stacks})]

def design(stacks, columns):
    return np.array([[1.0] + [float(stack.get(name, "") == version) for name, version in columns] for stack in stacks])

def rank(matrix):
    return int(np.linalg.matrix_rank(matrix, tol=1e-7))

def vector(columns, component, start, end):
    l = np.zeros(1 + len(columns))
    l[1 + columns.index((component, end))] += 1
    l[1 + columns.index((component, start))] -= 1
    return l

def estimable(stacks, component, start, end, without=()):
    columns = columns_of(stacks, without)
    X = design(stacks, columns)
    return rank(np.vstack([X, vector(columns, component, start, end)])) == rank(X)

def ridge(X, y, penalty):
    P = np.diag([0.0] + [penalty] * (X.shape[1] - 1))
    inverse = np.linalg.inv(X.T @ X + P)
    return inverse @ X.T @ y, inverse

def press(X, y, penalty):
    _, inverse = ridge(X, y, penalty)
    H = X @ inverse @ X.T
    e = y - H @ y
    return float(np.sum((e / (1 - np.diag(H))) ** 2))

def answer(case):
    stacks, y, penalty = case["stacks"], np.array(case["values"]), case["penalty"]
    columns = columns_of(stacks)
    X, n = design(stacks, columns), len(stacks)
    solution, _, r, _ = np.linalg.lstsq(X, y, rcond=1e-10)
    df = n - rank(X)
    sd = float(np.sqrt(np.sum((y - X @ solution) ** 2) / df)) if df else None
    pinv = np.linalg.pinv(X.T @ X, rcond=1e-10)
    differences = []
    for component, start, end, confounded in case["differences"]:
        if not estimable(stacks, component, start, end):
            enough = estimable(stacks, component, start, end, confounded)
            minimal = not any(estimable(stacks, component, start, end, [c for c in confounded if c != one]) for one in confounded)
            differences.append({"enough": bool(enough), "minimal": bool(minimal)})
            continue
        l = vector(columns, component, start, end)
        value = float(l @ solution)
        half = float(stats.t.ppf(0.975, df) * sd * np.sqrt(l @ pinv @ l)) if df else None
        differences.append({"value": value, "half": half})
    beta, inverse = ridge(X, y, penalty)
    H = X @ inverse @ X.T
    e = y - H @ y
    noise2 = float(np.sum(e ** 2 / (1 - np.diag(H))) / (n - 1))
    parameters = float(np.trace(H))
    t = stats.t.ppf(0.975, max(1.0, n - 1 - parameters))
    asked = design(case["ask"], columns)
    again = []
    for i in range(n):  # the columns stay, as do those that are 0 then
        keep = np.arange(n) != i
        again.append(float(X[i] @ ridge(X[keep], y[keep], penalty)[0]))
    grid = [float(press(X, y, penalty * f)) for f in (0.8, 0.9, 1.1, 1.25)]
    return {"rank": rank(X), "df": df, "sd": sd, "differences": differences,
            "effects": {f"{c} {v}": float(b) for (c, v), b in zip(columns, beta[1:])}, "parameters": parameters,
            "predicted": [float(v) for v in asked @ beta],
            "half": [float(t * np.sqrt(noise2 * (1 + x @ inverse @ x))) for x in asked],
            "in_row_space": [rank(np.vstack([X, x])) == rank(X) for x in asked],
            "leave_one_out": again, "press": press(X, y, penalty), "press_beside": grid}

print(json.dumps({"cases": [answer(case) for case in json.load(sys.stdin)["cases"]]}))
