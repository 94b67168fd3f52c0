"""What a campaign of bench/gpu is of."""
import json


def project(machine, name, workload, seconds=120, stacks=None, requires=None, rounds=1):
    """A project of this GPU, its libraries and --catalog's; its file."""
    file = machine.output / f"{name}.json"
    file.write_text(json.dumps({
        "$schema": "stackx/project/1", "name": name, "catalogs": [str(machine.output / "discovered.json"), *map(str, machine.catalogs)],
        "requires": requires or {"gpu-matmul": "*"}, "hardware": {"gpu": "host", "driver": "host"}, "workload": workload,
        "campaign": {**({"stacks": stacks} if stacks else {"sampler": {"kind": "all"}}), "rounds": rounds, "runner": "local",
                     "limits": {"seconds": seconds, "memory_gib": 32}}}, indent=1) + "\n")
    return file
