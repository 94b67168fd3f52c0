"""What a campaign of bench/gpu is of, and its running.

Time is short, and a campaign that ends early says nothing: so campaigns run in the order in which they matter, each for as long as it needs,
and those behind one that time ended are not begun."""
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


class Turns:
    """Gives campaigns their seconds, one after the other."""

    def __init__(self, machine):
        self.machine, self.ended_early = machine, ""

    def seconds(self, need):
        """What a campaign gets that needs so many on an H200: twice as many, as far as there are; 0: it is not begun."""
        left = int(self.machine.left())
        return 0 if self.ended_early or left < 5 else int(min(left, 2 * need))

    def ran(self, name, told):
        """Takes note of what a campaign said at its end."""
        if any("(budget used up)" in line for line in told):
            self.ended_early = name

    def why_not(self, need):
        """Of a campaign that is not begun."""
        before = f"{self.ended_early} goes on first; " if self.ended_early else ""
        return f"not begun, for want of time ({before}it needs {need:.0f} s, {max(self.machine.left(), 0):.0f} s are left)"


def begun(machine, name):
    return (machine.output / f"{name}.json").exists()


def listed(machine, file):
    """The stacks of a project, {component: version} each, without the hardware."""
    lines = machine.stackx("resolve", file, "--list", 1000, "--json").stdout.splitlines()
    stacks = [json.loads(line)["components"] for line in lines]
    return [{name: version for name, version in one.items() if name not in ("gpu", "driver")} for one in stacks]


def campaign(machine, name, workload, seconds, **what):
    """Runs the campaign of project() for so long, or goes on with it; what stackx said at its end, line by line."""
    again = begun(machine, name)
    file = project(machine, name, workload, **what)
    told = machine.stackx("inspect", file, "--device", machine.uuid, "--allow-paths", "--budget", f"{seconds}s",
                          *(["--resume"] if again else []), status=(0, 1), seconds=seconds + 120).stdout
    progress(told)
    return told.splitlines() or ["nothing was measured"]
