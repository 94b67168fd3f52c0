"""Time and memory of `stackx resolve --count` against the number of components, and where it stops.

usage: scaling.py [--stackx FILE] [--rounds 3] [--limit 120] [--plot FILE.svg]      (the plot needs matplotlib)

At a fixed reach of requirements the treewidth stays and the components grow; at 40 components the reach grows. Where the
count is refused (--memory) or reaches the limit of time, the table says so. Prints a Markdown table.
"""
import argparse
import re
import tempfile

import generate
import measure
from peers import DEFAULT_STACKX, OURS, number


def point(path, options):
    command = [options.stackx, "resolve", path / "project.json", "--count", "--json"]
    runs = measure.interleaved({OURS: command}, options.rounds, options.limit)[OURS]
    last, size = runs[-1], int(path.name.split("-")[1])
    if last.cpu is None:
        return size, None, None, f"stopped after {options.limit} s"
    if last.status != 0:
        needed = re.search(r"would take \S+ \w+", last.errors)
        return size, None, last.mebibytes, f"refused: {needed[0] if needed else last.errors.strip()}"
    return size, measure.median(run.cpu for run in runs), last.mebibytes, f"{number(OURS, last):.3g}"


def table(title, points):
    print(f"| {title} | stacks | s | peak MiB |\n|---|---|---|---|")
    for size, time, memory, said in points:
        print(f"| {size} | {said} | {'' if time is None else f'{time:.3f}'} | {'' if memory is None else f'{memory:.0f}'} |")
    print(flush=True)


def plot(file, families):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "stackx", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(2, len(families), figsize=(8, 5), sharex="col")
    for column, (title, points) in zip(axes.T, families.items()):
        for axis, index, label in ((column[0], 1, "CPU seconds"), (column[1], 2, "peak MiB")):
            done = [point for point in points if point[1] is not None]
            axis.semilogy([point[0] for point in done], [point[index] for point in done], "o-", color="C0", markersize=4)
            for point in points:
                if point[1] is None:
                    axis.axvline(point[0], color="C3", linestyle=":")
            axis.set_ylabel(label)
            axis.minorticks_off()
            axis.grid(True, alpha=0.3)
        column[1].set_xlabel(title + (" (dotted: stops)" if len(done) < len(points) else ""))
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None, "Creator": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stackx", default=DEFAULT_STACKX)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=int, default=120, help="CPU seconds")
    parser.add_argument("--plot", help="where to write the plot")
    options = parser.parse_args()
    families = {"components, requirements reach 4 ahead": "width", "reach of requirements, 40 components": "reach"}
    measured = {}
    with tempfile.TemporaryDirectory(prefix="stackx-bench-") as directory:
        for title, prefix in families.items():
            measured[title] = [point(path, options) for path in sorted(generate.generate(directory, prefix))]
            table(title, measured[title])
    if options.plot:
        plot(options.plot, measured)


if __name__ == "__main__":
    main()
