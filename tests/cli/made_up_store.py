"""A store of made-up inspections, imported as documents: what analysis makes of it needs no libraries to run."""

import copy
import hashlib
import json
import math
import random

from harness import BlackBox, this_machine

WORKLOAD = {"pi": "matmul", "params": {"m": "512", "n": "512", "k": "512"}}


def sealed(document):
    """With its id: the SHA-256 of the canonical JSON of the rest."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return dict(document, id=hashlib.sha256(text.encode()).hexdigest())


def campaign_id(name):
    """Of a made-up campaign; a real id is its own."""
    return name if len(name) == 64 else hashlib.sha256(name.encode()).hexdigest()


def stack_id(stack):
    return hashlib.sha256(json.dumps(stack, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


class MadeUpStore(BlackBox):
    def setUp(self):
        super().setUp()
        self.host = {key: value for key, value in copy.deepcopy(this_machine()).items() if key not in ("fingerprint", "container_engine")}
        self.random = random.Random(1)
        self.documents = []

    def inspection(self, stack, gflops, round=0, campaign="first", host=None, workload=WORKLOAD, arm="", **changes):
        flop = 1e12
        ns = flop / gflops
        document = {"$schema": "stackx/inspection/1", "arm": arm or stack_id(stack)[:12], "artifacts": {},
                    "campaign": campaign_id(campaign), "check": None, "device": "GPU-1",
                    "finished": f"2026-11-20T17:{round % 60:02}:00.000Z", "host": host or self.host, "load_1m": 0.5,
                    "loaded": {}, "outcome": "ok", "parameters": workload["params"], "phases": [], "position": 0,
                    "reason": "", "round": round, "runner": "local", "samples_ns": [int(ns * f + 0.5) for f in (0.98, 1.0, 1.05)],
                    "sentinel": bool(arm), "stack": stack, "stackx_version": "0.1.0", "stdout_tail": "", "stderr_tail": "",
                    "usage": {"user_s": 0.5, "system_s": 0.25, "max_rss_bytes": 1, "minor_faults": 0, "major_faults": 0,
                              "voluntary_switches": 0, "involuntary_switches": 0},
                    "work": {"flop": flop, "bytes": 0.0, "items": 0.0}, "workload": workload, "exit_code": 0}
        document.update(changes)
        self.documents.append(sealed({key: value for key, value in document.items() if value is not None}))

    def rounds(self, rates, count=24, noise=0.01, **options):
        """Each stack of [(stack, GFLOP/s)] in each round; a round's own speed is shared by all. Returns the log rates."""
        logs = []
        for number in range(count):
            speed = self.random.gauss(0, 0.05)
            logs.append([])
            for stack, gflops in rates:
                log = math.log(gflops) + speed + self.random.gauss(0, noise)
                self.inspection(stack, math.exp(log), number, **options)
                logs[-1].append(log)
        return logs

    def store_once(self, make):
        """The store of the documents that `make` makes; made by the first test of a class, copied for all."""
        if "filled" not in vars(type(self)):
            make()
            self.store()
            type(self).filled = {file.name: file.read_bytes() for file in self.db.parent.iterdir() if file.is_file()}
        self.db.parent.mkdir(exist_ok=True)
        for name, content in self.filled.items():
            (self.db.parent / name).write_bytes(content)

    def store(self, name=None):
        """Imports what was made, into a store of its own if it has a name; returns its path."""
        lines = "\n".join(json.dumps(document, sort_keys=True, ensure_ascii=False) for document in self.documents)
        file = self.write(f"{name or 'all'}.jsonl", lines + "\n")
        self.documents = []
        database = self.scratch / f"{name}.db" if name else self.db
        database.parent.mkdir(exist_ok=True)
        self.stackx("import", file, "--db", database)
        return database
