"""How fast is the count against the exact counters of others? Prints a Markdown table, and stops on a difference.

usage: peers.py [--stackx FILE] [--peers PYTHON] [--rounds 3] [--limit 200] [--only NAME-PREFIX,...]

CPU seconds, medians; ours and the peers in turn, each a fresh process that reads its own encoding of the same instance
(encode.py) from a file. A peer that reaches the limit once is not tried again on that instance. The ratio is that of the
best peer's median to ours. Left out: PySDD (PyPI), whose count is of 64 bits and so wrong here; ddnnife (PyPI), which only
reads diagrams that others compile; sharpSAT-TD and d4, found neither on PyPI nor in Debian. First the counters are
compared with brute force on small instances. toulbar2 counts in floating point: its digits beyond 15 or so are not exact.
"""
import argparse
import math
import pathlib
import re
import shutil
import sys
import tempfile

import encode
import generate
import instance as instances
import measure

HERE = pathlib.Path(__file__).resolve().parent
DEFAULT_STACKX = HERE.parents[1] / "build" / "stackx"
DEFAULT_PYTHON = HERE.parents[1] / "build" / "bench-venv" / "bin" / "python"
OURS = "stackx"
# Where in the output the count stands; at its end, if nothing is said.
NUMBER = {OURS: r'"valid_stacks":\s*"(\d+)"', "clingo": r"Models\s*: (\d+)\s", "toulbar2": r"Number of solutions\s*: =?\s*(\d+)"}

ROUNDING = {"toulbar2"}  # counts in floating point: right to 12 digits will do


def peers(python):
    """{name: (encoding, command)}; ganak twice, since which of two encodings suits it better differs."""
    found = {}
    if measure.Run([python, "-c", "import pyganak"], 60).status == 0:
        found["ganak"] = ("cnf", [python, HERE / "ganak_peer.py"])
        found["ganak, ladder"] = ("ladder", [python, HERE / "ganak_peer.py"])
    else:
        print("ganak is left out: pyganak is not installed for", python, file=sys.stderr)
    if measure.Run([python, "-c", "import clingo"], 60).status == 0:
        found["clingo"] = ("asp", [python, "-m", "clingo", "-n", "0", "-q"])
    else:
        print("clingo is left out: it is not installed for", python, file=sys.stderr)
    if shutil.which("toulbar2"):
        # Counts on a tree decomposition, the narrowest of those it offers; its best-first search cannot count.
        found["toulbar2"] = ("wcsp", [shutil.which("toulbar2"), "-a", "-B=1", "-O=-3", "-hbfs:", "-ub=1"])
    else:
        print("toulbar2 is left out: apt-get install toulbar2", file=sys.stderr)
    return found


def commands(project, stackx, others):
    """Writes the encodings beside the project."""
    instance = instances.read(project)
    made = {OURS: [stackx, "resolve", project, "--count", "--json"]}
    for name, (encoding, command) in others.items():
        path = project.parent / f"instance.{encoding}"
        if not path.exists():
            path.write_text(encode.ENCODINGS[encoding](instance))
        made[name] = [*command, path]
    return made


def number(name, run):
    if run.cpu is None:
        return None
    if name == "toulbar2" and "No solution found" in run.output:
        return 0
    found = re.search(NUMBER.get(name, r"(\d+)\s*$"), run.output)
    if not found:
        sys.exit(f"{name}: no count\n{run.output[-2000:]}{run.errors[-2000:]}")
    return int(found.group(1))


def check(name, counts):
    """The one number that all who finished found."""
    known = {who: count for who, count in counts.items() if count is not None}
    exact = next((count for who, count in known.items() if who not in ROUNDING), None)
    if any(abs(count - exact) * 10**12 > (exact if who in ROUNDING else 0) for who, count in known.items()
           if exact is not None):
        sys.exit(f"{name}: the counts differ: {counts}")
    return exact


def check_small(directory, stackx, others):
    for seed in range(12):
        project = generate.write(directory, f"small-{seed}", *generate.acyclic(seed, 6, (2, 5), (1, 3), 4, 1 + seed % 2))
        project /= "project.json"
        counts = {name: number(name, measure.Run(command, 60))
                  for name, command in commands(project, stackx, others).items()}
        check(project.parent.name, {**counts, "brute force": instances.brute_force(instances.read(project))})


def row(path, stackx, others, options):
    project = path / "project.json"
    runs = measure.interleaved(commands(project, stackx, others), options.rounds, options.limit)
    count = check(path.name, {name: number(name, run) for name, each in runs.items() for run in each[-1:]})
    times = {name: measure.median(run.cpu for run in each) for name, each in runs.items()}
    best = min((time for name, time in times.items() if name != OURS and time is not None), default=None)
    ours = times[OURS]
    ratio = (best if best is not None else options.limit) / ours if ours else None
    shown = "" if ratio is None else f"{'' if best is not None else '> '}{ratio:.{0 if ratio >= 10 else 1}f}"
    cells = [path.name, str(len(instances.read(project).sizes)), "?" if count is None else f"{count:.3g}",
             *(measure.seconds(times[name], options.limit) for name in runs), shown]
    print(f"| {' | '.join(cells)} |", flush=True)
    return ratio


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stackx", default=DEFAULT_STACKX)
    parser.add_argument("--peers", default=DEFAULT_PYTHON, help="a Python that has the peers")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=int, default=200, help="CPU seconds")
    parser.add_argument("--only", default="random,dense,framework")
    options = parser.parse_args()
    others = peers(options.peers)
    with tempfile.TemporaryDirectory(prefix="stackx-bench-") as directory:
        check_small(directory, options.stackx, others)
        print(f"| instance | components | stacks | {' | '.join(f'{name}, s' for name in [OURS, *others])} | best peer / stackx |")
        print("|---" * (len(others) + 5) + "|")
        ratios = [row(path, options.stackx, others, options)
                  for path in generate.generate(directory, *options.only.split(","))]
    known = [ratio for ratio in ratios if ratio]
    if known:
        print(f"\nGeometric mean of the ratios (a peer at its limit counted as done then): "
              f"{math.exp(sum(map(math.log, known)) / len(known)):.3g}.")


if __name__ == "__main__":
    main()
