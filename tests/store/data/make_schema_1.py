#!/usr/bin/env python3
"""Made-up documents of many kinds on stdout, always the same: what tests/store/data/schema-1.db was made of.

schema-1.db.gz was written by the last stackx whose stores had schema 1 (commit b654a56), once and for all:

    python3 make_schema_1.py > made.jsonl
    stackx import made.jsonl --db schema-1.db
    stackx export --db schema-1.db > schema-1.jsonl
    sqlite3 schema-1.db 'PRAGMA wal_checkpoint(TRUNCATE)'; gzip -9n schema-1.db schema-1.jsonl
"""

import copy
import hashlib
import json
import random

CHANCE = random.Random(2611)
V100 = {"compute_capability": "7.0", "memory_bytes": 16945512448, "model": "Tesla V100-SXM2-16GB",
        "pci": "0000:3b:00.0", "uuid": "GPU-11111111-0000-0000-0000-000000000001"}
HOST = {"container": "", "cpu": {"caches": [{"bytes": 49152, "instances": 8, "level": 1, "type": "data"},
                                            {"bytes": 110100480, "instances": 1, "level": 3, "type": "unified"}],
                                 "cores": 8, "family": 6, "isa": ["aes", "avx2", "avx512f", "fma", "sse4_2"],
                                 "microarchitecture": "sapphire-rapids", "model": "Intel(R) Xeon(R) Platinum 8480C",
                                 "model_number": 143, "numa_nodes": 1, "packages": 1, "stepping": 8, "threads": 16,
                                 "threads_online": 16, "vendor": "intel"},
        "cuda_driver": "", "driver": "", "governor": "performance", "gpu_note": "", "gpus": [], "hostname": "bench-1",
        "kernel": "6.1.0-18-amd64", "libc": "glibc 2.36", "memory_bytes": 67200000000, "os": "debian",
        "os_version": "12", "runtimes": ["bubblewrap 0.8.0"], "turbo": "on", "virtualization": "kvm"}

CPU = set(HOST["cpu"]) | {"quota", "max_mhz"}


def host(**changes):
    result = copy.deepcopy(HOST)
    for key, value in changes.items():
        (result["cpu"] if key in CPU else result)[key] = value
    return result


HOSTS = [host(), host(kernel="6.1.0-21-amd64", turbo="off"),  # one machine before and after an upgrade
         host(hostname="größer", microarchitecture="zen3", model="AMD EPYC 7763 64-Core Processor", vendor="amd",
              family=25, model_number=1, cores=64, threads=128, isa=["avx2", "fma"], quota=7.5, max_mhz=3800.0),
         host(hostname="gpu-1", driver="550.54.15", cuda_driver="12.4", gpus=[V100], memory_limit_bytes=34359738368,
              microarchitecture="haswell", model="Intel(R) Xeon(R) CPU E5-2698 v4 @ 2.20GHz", model_number=63)]
FINGERPRINT = hashlib.sha256(b"a machine").hexdigest()
MATMUL = {"pi": "matmul", "params": {"m": "512", "n": "512", "k": "512", "dtype": "float32"}}
COPY = {"pi": "copy", "params": {"bytes": "1048576"}}
IMPORT = {"pi": "import", "params": {}}
STACKS = [{"openblas": f"0.3.{minor}", "python": python} for minor in (9, 21, 23, 29) for python in ("3.9", "3.11")]
STACKS += [{"mkl": "2024.2.2", "python": "3.11", "threads": "2"}, {"numpy": "1.26.4", "cuda": "12.2.2"}]


def canonical(document):
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def sealed(document):
    return dict(document, id=hashlib.sha256(canonical(document).encode()).hexdigest())


def label(stack):
    return hashlib.sha256(canonical(stack).encode()).hexdigest()[:12]


def inspection(stack, workload=MATMUL, round=0, position=0, campaign="", **changes):
    n = CHANCE.choice([1, 3, 7, 50])
    base = 2 * 512**3 / CHANCE.uniform(40, 90)
    samples = [int(base * CHANCE.gauss(1, 0.02)) for _ in range(n)]
    start = 1760000000000000000 + round % 1000 * 1_000_000_000
    document = {
        "$schema": "stackx/inspection/1", "arm": label(stack), "artifacts": {}, "campaign": campaign,
        "check": {"bound": 1e-05, "max_relative_error": CHANCE.random() * 1e-7, "pass": True,
                  "reference": "float64 product of sampled rows"},
        "device": FINGERPRINT, "exit_code": 0,
        "finished": f"2026-11-{1 + round % 28:02}T17:{position % 60:02}:{round % 60:02}.{CHANCE.randrange(1000):03}Z",
        "host": CHANCE.choice(HOSTS[:2]), "load_1m": CHANCE.randrange(300) / 100, "loaded": dict(stack),
        "outcome": "ok", "parameters": dict(workload["params"], mini_batch=str(CHANCE.choice([1, 4]))),
        "phases": [{"name": "check", "start_ns": start, "duration_ns": 1500000 + n, "end_ns": start + 1500000 + n},
                   {"name": "measure", "start_ns": start, "duration_ns": sum(samples), "end_ns": start + sum(samples)}],
        "position": position, "reason": "", "round": round, "runner": "local (bubblewrap 0.8.0)",
        "samples_ns": samples, "sentinel": False, "stack": stack, "stackx_version": "0.1.0", "stderr_tail": "",
        "stdout_tail": canonical({"name": workload["pi"], "samples_ns": samples}) + "\n",
        "usage": {"involuntary_switches": CHANCE.randrange(40), "major_faults": 0, "max_rss_bytes": 123456789 + n,
                  "minor_faults": CHANCE.randrange(9000), "system_s": CHANCE.randrange(100) / 1000,
                  "user_s": CHANCE.randrange(9000) / 1000, "voluntary_switches": CHANCE.randrange(90)},
        "work": {"bytes": 0.0, "flop": 2.0 * 512**3, "items": 0.0}, "workload": workload}
    if CHANCE.random() < 0.5:
        document["steal"] = CHANCE.randrange(100) / 1000
    document.update(changes)
    return sealed({key: value for key, value in document.items() if value is not None})


def failure(outcome, stack, **more):
    return inspection(stack, outcome=outcome, reason=f"{outcome}: \"quoted\", naïve", samples_ns=[], check=None,
                      exit_code=None, work={"bytes": 0.0, "flop": 0.0, "items": 0.0}, stderr_tail="Traceback:\n" * 3, **more)


def plan(name, arms, rounds, created, budget=None):
    return sealed({
        "$schema": "stackx/plan/1", "arms": arms, "created": created, "project": name, "seed": 42,
        "campaign": {"budget": budget or {}, "limits": {"memory_gib": 4.0, "seconds": 120.0}, "max_failed": 50,
                     "parallel": 1, "rounds": rounds, "runner": "local", "sampler": {"kind": "all", "seed": 0},
                     "sentinels": 1}})


def arm(stack, workload=MATMUL, sentinel=False):
    return {"label": label(stack) + ("+A" if sentinel else ""), "sentinel": sentinel, "stack": stack, "workload": workload}


def campaign(document, skip=()):
    """Every arm in every round, but those of `skip`; each sixth of the last arm fails."""
    for round in range(document["campaign"]["rounds"]):
        for position, one in enumerate(CHANCE.sample(document["arms"], len(document["arms"]))):
            if (round, position) in skip:
                continue
            where = dict(workload=one["workload"], round=round, position=position, campaign=document["id"],
                         arm=one["label"], sentinel=one["sentinel"])
            if one is document["arms"][-1] and round % 6 == 5:
                yield failure(CHANCE.choice(["crashed", "timed_out", "wrong_result", "wrong_stack"]), one["stack"], **where)
            else:
                yield inspection(one["stack"], **where)


def oddities():
    numpy = STACKS[-1]
    gpu = dict(host=HOSTS[3], device=V100["uuid"])
    for outcome in ("build_failed", "hash_mismatch", "out_of_memory", "left_processes", "missing_pi"):
        yield failure(outcome, numpy, finished="2026-11-20T17:00:00Z", **gpu)
    for finished in ("", "yesterday", "2026-11-20T17:00:00+01:00", "1969-07-20T20:17:40.000Z", "2026-11-20T17:00:00.123456Z"):
        yield inspection(numpy, finished=finished, **gpu)
    for samples in ([], [0], [-5, 7], [2**63 - 1, -2**63, 0], [1] * 300):
        yield inspection(numpy, samples_ns=samples, phases=[], **gpu)
    for work in ({"bytes": 1e9, "flop": 0.0, "items": 0.0}, {"bytes": 0.0, "flop": 0.0, "items": 64.0},
                 {"bytes": -0.0, "flop": -1.5, "items": 1e-300}):
        yield inspection(STACKS[0], workload=COPY, work=work, host=HOSTS[2], device="")
    for round in (4095, 4096, 2**32 + 1, 2**63, 2**64 - 1):
        yield inspection(STACKS[1], round=round, position=2**64 - 1, campaign="c0ffee", finished="2026-11-20T17:00:00Z")
    for text in ("'; DROP TABLE inspections; --", "%s%n \\0 \\u0000", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 \u202e", "a" * 5000, "\0 zero"):
        yield inspection({"name": text, text: "1"}, workload={"pi": "x", "params": {"p": "ä;--"}}, runner=text, reason=text,
                         host=host(hostname=text), artifacts={text: text}, loaded={}, stdout_tail=text * 3, device=text)
    yield inspection({}, workload=IMPORT)  # a stack of nothing
    yield inspection(numpy, exit_code=255, check={"bound": 0.0, "max_relative_error": 1e308, "pass": False, "reference": ""})


def documents():
    first = plan("blas-cpu", [arm(stack) for stack in STACKS[:8]] + [arm(STACKS[0], sentinel=True)], 14, "2026-11-01T12:00:00.000Z")
    second = plan("copies", [arm(stack, COPY) for stack in STACKS[:3]] + [arm(STACKS[8])], 12, "2026-11-02T12:00:00.000Z",
                  {"inspections": 40, "minutes": 5.0})
    never = plan("planned, never run", [arm(STACKS[9])], 5, "2026-11-03T12:00:00.000Z")
    made = [first, second, never, *campaign(first), *campaign(second, skip={(3, 1), (7, 0)}), *oddities()]
    return made + [inspection(CHANCE.choice(STACKS), round=CHANCE.randrange(3)) for _ in range(12)]


if __name__ == "__main__":
    for document in documents():
        print(canonical(document))
