"""Against Thoth's adviser (thoth_peer.py): listing stacks, the best stack, a clash. Prints Markdown tables.

usage: adviser.py [--stackx FILE] [--thoth PYTHON] [--rounds 3] [--limit 60]

CPU seconds, medians, in turn. For Thoth, those in its resolver (imports not counted); for us, of the whole process.
"""
import argparse
import json
import pathlib
import sys
import tempfile

import generate
import measure
from peers import DEFAULT_STACKX, HERE

STACKS = 10000
LISTED = 1000000
PREDICTORS = {"AUTO": "TemporalDifference (its default)", "HillClimbing": "HillClimbing", "MCTS": "MCTS",
              "RandomWalk": "RandomWalk", "ApproximatingLatest": "ApproximatingLatest"}


class Side:
    """Several runs of one command, and what the last of them said."""

    def __init__(self, runs):
        self.runs, self.finished = runs, all(run.cpu is not None for run in runs)
        if self.finished and runs[-1].status not in (0, 1):  # 1: there is no stack
            sys.exit(f"status {runs[-1].status}\n{runs[-1].errors}")
        lines = runs[-1].output.splitlines()
        self.said = json.loads(lines[-1]) if self.finished and lines and lines[-1].startswith("{") else {}

    def seconds(self):
        if "seconds" in self.said:
            return measure.median(json.loads(run.output.splitlines()[-1])["seconds"] for run in self.runs)
        return measure.median(run.cpu for run in self.runs)


def thoth(options, predictor, stacks, path, *score):
    return [options.thoth, HERE / "thoth_peer.py", predictor, stacks, path / "project.json", *score]


def compare(commands, options):
    return {name: Side(runs) for name, runs in measure.interleaved(commands, options.rounds, options.limit).items()}


def listing(path, options, has_thoth):
    score, project = path / "score.json", path / "project.json"
    commands = {"stackx resolve --list 1000000 --json": [options.stackx, "resolve", project, "--list", LISTED, "--json"],
                "stackx resolve --top 1": [options.stackx, "resolve", project, "--top", 1, "--score", score, "--json"]}
    if has_thoth:
        commands.update({f"thoth-adviser, {shown}": thoth(options, name, STACKS, path, score)
                         for name, shown in PREDICTORS.items()})
    print("| framework: 20 versions over 20 libraries of 20 | stacks | s | stacks/s | best score |\n|---|---|---|---|---|")
    for name, side in compare(commands, options).items():
        stacks = side.said.get("stacks", LISTED if "--list" in name else 1)
        best = side.said.get("best", side.said.get("score"))
        time = side.seconds()
        rate = "" if time is None or stacks == 1 else f"{stacks / time:,.0f}"
        print(f"| {name} | {stacks if time is not None else f'fewer than {STACKS}'} | {measure.seconds(time, options.limit)} | {rate} | "
              f"{'' if best is None else f'{best:.3f}'} |")


def clashes(paths, options, has_thoth):
    predictors = ["HillClimbing", "ApproximatingLatest"] if has_thoth else []
    print("\n| unrelated packages of 20 versions | stackx --explain, s | " +
          " | ".join(f"thoth-adviser, {name}, s" for name in predictors) + " |\n" + "|---" * (2 + len(predictors)) + "|")
    given_up = set()  # a predictor that reached the limit beside fewer packages
    for path in sorted(paths, key=lambda path: int(path.name.split("-")[1])):
        commands = {"stackx": [options.stackx, "resolve", path / "project.json", "--explain", "--json"],
                    **{name: thoth(options, name, 1, path) for name in predictors if name not in given_up}}
        times = {name: side.seconds() for name, side in compare(commands, options).items()}
        given_up.update(name for name, time in times.items() if time is None)
        print(f"| {path.name.split('-')[1]} | " +
              " | ".join(measure.seconds(times.get(name), options.limit) for name in ["stackx", *predictors]) + " |",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stackx", default=DEFAULT_STACKX)
    parser.add_argument("--thoth", default=HERE.parents[1] / "build" / "bench-venv-thoth" / "bin" / "python")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=int, default=60, help="CPU seconds")
    options = parser.parse_args()
    has_thoth = pathlib.Path(options.thoth).exists()
    if not has_thoth:
        print(f"thoth-adviser is left out: there is no {options.thoth}\n")
    with tempfile.TemporaryDirectory(prefix="stackx-bench-") as directory:
        listing(*generate.generate(directory, "framework"), options, has_thoth)
        clashes(generate.generate(directory, "clash"), options, has_thoth)


if __name__ == "__main__":
    main()
