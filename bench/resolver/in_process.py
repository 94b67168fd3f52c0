"""The answers' speed inside one process (in_process.cpp), as a Markdown table.  usage: in_process.py PROGRAM PROJECT...

Wall-clock milliseconds, each the median of three processes: `count` includes building the tables that the rest reuses.
Scores come from score.json beside the project, where there is one.
"""
import json
import pathlib
import statistics
import sys

import measure

COLUMNS = {"load, ms": "load_ms", "explain, ms": "explain_ms", "count, ms": "count_ms", "shares, ms": "shares_ms",
           "1,000 samples, ms": "draw/first_1000_ms", "µs a sample": "draw/us_per_sample",
           "million stacks/s listed": "list/stacks_per_second", "best, ms": "top/first_ms", "best 1,000, ms": "top/all_ms"}


def entry(report, path):
    for key in path.split("/"):
        report = report.get(key) if report else None
    return report


def main():
    program, projects = sys.argv[1], [pathlib.Path(name) for name in sys.argv[2:]]
    print(f"| project | stacks | {' | '.join(COLUMNS)} |\n{'|---' * (2 + len(COLUMNS))}|")
    for project in projects:
        score = project.parent / "score.json"
        command = [program, project, *([score] if score.exists() else [])]
        runs = measure.interleaved({"": command}, 3, 300)[""]
        if runs[-1].cpu is None or runs[-1].status != 0:
            said = "stopped after 300 s" if runs[-1].cpu is None else runs[-1].errors.strip()
            print(f"| {project.parent.name} | {said} |")
            continue
        reports = [json.loads(run.output) for run in runs]
        cells = []
        for path in COLUMNS.values():
            values = [entry(report, path) for report in reports]
            value = None if None in values else statistics.median(values)
            cells.append("" if value is None else f"{value / 1e6:.1f}" if path.endswith("per_second") else f"{value:.2f}")
        print(f"| {reports[0]['project']} | {int(reports[0]['valid_stacks']):.3g} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main()
