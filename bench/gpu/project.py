"""What a campaign of bench/gpu is of, and its running."""
import json

from machine import progress


def project(machine, name, workload, seconds=120, stacks=None, requires=None, rounds=1):
    """A project of this GPU, its libraries and --catalog's; its file."""
    file = machine.output / f"{name}.json"
    file.write_text(json.dumps({
        "$schema": "stackx/project/1", "name": name, "catalogs": [str(machine.output / "discovered.json"), *map(str, machine.catalogs)],
        "requires": requires or {"gpu-matmul": "*"}, "hardware": {"gpu": "host", "driver": "host"}, "workload": workload,
        "campaign": {**({"stacks": stacks} if stacks else {"sampler": {"kind": "all"}}), "rounds": rounds, "runner": "local",
                     "limits": {"seconds": seconds, "memory_gib": 32}}}, indent=1) + "\n")
    return file


def campaign(machine, name, workload, seconds, **what):
    """Runs the campaign of project() for so long, or goes on with it; what stackx said at its end, line by line."""
    again = (machine.output / f"{name}.json").exists()
    file = project(machine, name, workload, **what)
    told = machine.stackx("inspect", file, "--device", machine.uuid, "--allow-paths", "--budget", f"{seconds}s",
                          *(["--resume"] if again else []), status=(0, 1), seconds=seconds + 120).stdout
    progress(told)
    return told.splitlines() or ["nothing was measured"]
