"""Campaigns whose every inspection is already in the store, made up: what their end and their report take is analysis alone.

The plan is stackx's own (`inspect --dry-run --json`), so that `inspect --resume` takes it up, finds nothing left to run
and says what a campaign says at its end. Its program is never started.
"""
import datetime
import hashlib
import json
import math
import random
import subprocess

PROGRAM = "#!/bin/sh\nexit 1\n"
SAMPLES = 50
SHAPES = {  # versions of two settings, workloads, rounds at 4,000 inspections, and how they differ
    "2 stacks": dict(versions=(2, 1), rounds=2000),
    "16 stacks": dict(versions=(4, 4), rounds=250),
    "40 stacks": dict(versions=(8, 5), rounds=100),
    "200 stacks": dict(versions=(20, 10), rounds=20),
    "1,000 stacks": dict(versions=(40, 25), rounds=4),
    "40 stacks, the machine's speed steps and drifts": dict(versions=(8, 5), rounds=100, drift=True),
    "40 stacks on 16 nodes": dict(versions=(8, 5), rounds=100, nodes=16),
    "10 stacks, 4 sizes": dict(versions=(5, 2), sizes=4, rounds=100),
    "40 stacks, until intervals are narrow": dict(versions=(8, 5), rounds=100, strategy={"kind": "precision", "width": 0.0002}),
    "40 stacks, a race": dict(versions=(8, 5), rounds=100, strategy={"kind": "race", "final_rounds": 12}, gap=0),
}


def make(directory, stackx, environment, versions, rounds, sizes=1, nodes=1, drift=False, strategy=None, gap=0.003):
    """A project, its program and a store of its campaign; what the command lines need of them."""
    directory.mkdir(parents=True)
    settings = {name: {"kind": "setting", "versioning": "opaque", "versions": {
        f"{name}{i}": {"environment": {f"PI_{name.upper()}": str(i)}} for i in range(count)}} for name, count in zip("ab", versions)}
    campaign = {"sampler": {"kind": "all"}, "rounds": rounds, "sentinels": 1} | ({"strategy": strategy} if strategy else {})
    project = {"$schema": "stackx/project/1", "name": "made-up", "catalogs": ["catalog.json"], "requires": {"a": "*", "b": "*"},
               "workload": {"pi": "sort", "params": {"items": [1000 * (i + 1) for i in range(sizes)]}}, "campaign": campaign}
    for name, document in (("catalog.json", {"$schema": "stackx/catalog/1", "components": settings}), ("project.json", project)):
        (directory / name).write_text(json.dumps(document))
    program = directory / "pi"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    environment = dict(environment, STACKX_DB=str(directory / "stackx.db"))

    def call(*arguments):
        return subprocess.run([stackx, *map(str, arguments)], env=environment, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True).stdout

    plan = json.loads(call("inspect", directory / "project.json", "--pi", program, "--dry-run", "--json"))
    host = {key: value for key, value in json.loads(call("hw", "--json")).items() if key not in ("fingerprint", "container_engine")}
    documents = directory / "documents.jsonl"
    with open(documents, "w") as out:
        out.write(text(plan) + "\n")
        for document in inspections(plan, host, nodes, drift, gap):
            out.write(text(dict(document, id=hashlib.sha256(text(document).encode()).hexdigest())) + "\n")
    call("import", documents)
    documents.unlink()
    return {"project": directory / "project.json", "program": program, "plan": plan["id"], "environment": environment}


def text(document):
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def inspections(plan, host, nodes, drift, gap):
    chance = random.Random(7)
    program = plan["program"]
    speed, moment = 0.0, 1_795_636_543_000_000_000
    for number in range(plan["campaign"]["rounds"]):
        if drift:
            speed += chance.gauss(0, 0.002) + (chance.choice((-0.02, 0.02)) if number % 40 == 39 else 0)
        order = list(plan["arms"])
        chance.shuffle(order)
        for position, arm in enumerate(order):
            a, b = (int(arm["stack"][name][1:]) for name in "ab")
            items = int(arm["workload"]["params"]["items"])
            middle = items * 1e3 * math.exp(gap * a + 0.02 * b + chance.gauss(0, 0.01) + speed)
            samples = [int(middle * math.exp(chance.gauss(0, 0.01))) for _ in range(SAMPLES)]
            moment += 300_000_000
            seconds, ms = divmod(moment // 1_000_000, 1000)
            check = {"bound": 0.0, "max_relative_error": 0.0, "pass": True, "reference": "none"}
            said = {"check": check, "component": "a", "loaded": {}, "name": "sort", "parameters": arm["workload"]["params"],
                    "samples_ns": samples, "work": {"bytes": 0.0, "flop": 0.0, "items": float(items)}}
            yield {"$schema": "stackx/inspection/1", "arm": arm["label"], "sentinel": arm["sentinel"], "stack": arm["stack"],
                   "workload": arm["workload"], "campaign": plan["id"], "round": number, "position": position, "program": program,
                   "host": dict(host, hostname=f"n{number % nodes}") if nodes > 1 else host, "device": "0" * 64,
                   "artifacts": {}, "loaded": {}, "parameters": arm["workload"]["params"], "samples_ns": samples, "check": check,
                   "work": said["work"], "outcome": "ok", "reason": "", "exit_code": 0, "runner": "local", "stackx_version": "0.2.0",
                   "phases": [{"name": "run", "start_ns": moment, "duration_ns": 50_000_000, "end_ns": moment + 50_000_000}],
                   "load_1m": chance.randrange(4096) / 2048, "steal": 0.0 if chance.random() < 0.8 else chance.randrange(100) / 4096,
                   "finished": f"{utc(seconds)}.{ms:03}Z", "stdout_tail": text(said) + "\n", "stderr_tail": "",
                   "usage": {"user_s": 0.01, "system_s": 0.0, "max_rss_bytes": 2_060_288, "minor_faults": 128, "major_faults": 0,
                             "voluntary_switches": 1, "involuntary_switches": chance.randrange(9)}}


def utc(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")


def commands(made, page):
    """What is timed: {name: arguments}."""
    asked = ["--hw", "host", "--workload", "sort", "--pi", made["program"]]
    return {"end": ["inspect", made["project"], "--pi", made["program"], "--resume", made["plan"]],
            "report": ["report", *asked, "-o", page]}
