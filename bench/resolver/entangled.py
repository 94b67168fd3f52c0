"""Exact counts of instances whose tables fill or outgrow memory, by turns with an older binary of stackx.

usage: entangled.py STACKX [OLDER_STACKX] [NAME-PREFIX...]

CPU seconds of the whole process and peak memory, n = 1 each: a run takes up to two minutes. What was refused says so, and bounds are
named as bounds.
"""
import json
import pathlib
import sys
import tempfile

import generate
import measure


def cell(run):
    if run.cpu is None:
        return "> limit"
    memory = f"{run.cpu:.1f} s, {run.mebibytes / 1024:.2f} GiB"
    if run.status != 0:
        return f"refused ({memory})"
    answer = json.loads(run.output)
    return memory if "valid_stacks" in answer else f"bounds ({memory})"


def counts(runs):
    found = {json.loads(run.output).get("valid_stacks") for run in runs if run.status == 0 and run.cpu is not None}
    return {count for count in found if count}


def main(binaries, prefixes):
    with tempfile.TemporaryDirectory() as directory:
        for path in generate.generate(directory, *(prefixes or ["entangled"])):
            commands = {binary: [binary, "resolve", path / "project.json", "--count", "--json"] for binary in binaries}
            runs = measure.interleaved(commands, 1, 150)
            done = [runs[binary][0] for binary in binaries]
            found = counts(done)
            if len(found) > 1:
                sys.exit(f"{path.name}: the counts differ: {found}")
            print(f"| {path.name} | {int(found.pop()):.3g} |" if found else f"| {path.name} | |",
                  " | ".join(map(cell, done)), "|", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    known = [word for word in sys.argv[1:] if pathlib.Path(word).is_file()]
    main([str(pathlib.Path(word).resolve()) for word in known], [word for word in sys.argv[1:] if word not in known])
