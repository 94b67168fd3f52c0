"""Pairwise cover under constraints and without, against allpairspy and PICT's published sizes. Prints a Markdown table.

usage: cover.py [--stackx FILE] [--peers PYTHON] [--rounds 3] [--limit 60]

CPU seconds, medians, in turn: for allpairspy those of its own loop, for us those of the whole process. Which pairs are valid
(in some stack), which rows are, and which pairs a set of rows covers is worked out here, by a search of its own.
"""
import argparse
import itertools
import json
import tempfile

import generate
import instance as instances
import measure
from peers import DEFAULT_PYTHON, DEFAULT_STACKX, HERE


# Supplied by PICT's author for the table of tools on pairwise.org. No models with constraints there: none for `cover`.
PICT = {"array-3^4": 9, "array-3^13": 18, "array-4^15-3^17-2^29": 37, "array-4^1-3^39-2^35": 27, "array-2^100": 15,
        "array-10^20": 210}


def compatible(instance):
    """[i][v][j]: the versions of j that go with version v of i."""
    def agree(i, v, j, w):
        low, high = instance.requires[i][v].get(j, (0, instance.sizes[j]))
        return low <= w < high
    everyone = range(len(instance.sizes))
    return [[[{v} if i == j else {w for w in range(instance.sizes[j]) if agree(i, v, j, w) and agree(j, w, i, v)}
              for j in everyone] for v in range(instance.sizes[i])] for i in everyone]


def extends(goes_with, left, decided=frozenset()):
    """Is there a stack within the versions left? Backtracking, the component with the fewest left first."""
    if not all(left) or len(decided) == len(left):
        return all(left)
    i = min(set(range(len(left))) - decided, key=lambda j: len(left[j]))
    return any(extends(goes_with, [a & b for a, b in zip(left, goes_with[i][v])], decided | {i}) for v in sorted(left[i]))


def valid_pairs(instance):
    free = not any(needs for versions in instance.requires for needs in versions)
    goes_with, every = compatible(instance), [set(range(size)) for size in instance.sizes]
    cells = [(i, v) for i, size in enumerate(instance.sizes) for v in range(size)]
    return {(a, b) for a, b in itertools.combinations(cells, 2) if a[0] != b[0] and (free or
            extends(goes_with, [{v} if (v := dict([a, b]).get(i)) is not None else left for i, left in enumerate(every)]))}


def covered(rows):
    return {pair for row in rows for pair in itertools.combinations(enumerate(row), 2)}


def our_rows(instance, output):
    documents = (json.loads(line) for line in output.splitlines())
    return [[int(document["components"][name]) for name in instance.components]
            for document in documents if isinstance(document.get("components"), dict)]


def compare(path, options):
    """One row a tool: rows, how many of them are valid, pairs covered, time."""
    project = path / "project.json"
    instance = instances.read(project)
    valid = valid_pairs(instance)
    runs = measure.interleaved({"stackx": [options.stackx, "resolve", project, "--cover", 2, "--json"],
                                "allpairspy": [options.peers, HERE / "allpairs_peer.py", project]},
                               options.rounds, options.limit)
    for name, each in runs.items():
        if each[-1].cpu is None or each[-1].status != 0:
            print(f"| {path.name} | {name} | failed or stopped: {' '.join(each[-1].errors.split())} |")
            continue
        if name == "allpairspy":
            said = [json.loads(run.output) for run in each]
            rows, time = said[-1]["rows"], measure.median(one["seconds"] for one in said)
        else:
            rows, time = our_rows(instance, each[-1].output), measure.median(run.cpu for run in each)
        good = sum(len(row) == len(instance.sizes) and instance.allows(row) for row in rows)
        print(f"| {path.name} | {name} | {len(rows)} | {good} | {len(covered(rows) & valid):,} of {len(valid):,} | "
              f"{measure.seconds(time, options.limit)} | {PICT.get(path.name, '')} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stackx", default=DEFAULT_STACKX)
    parser.add_argument("--peers", default=DEFAULT_PYTHON, help="a Python that has allpairspy")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=int, default=60, help="CPU seconds")
    options = parser.parse_args()
    print("| instance | | rows | valid rows | valid pairs covered | s | PICT's rows |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="stackx-bench-") as directory:
        for path in generate.generate(directory, "cover", "array"):
            compare(path, options)


if __name__ == "__main__":
    main()
