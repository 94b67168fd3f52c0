#!/usr/bin/env python3
"""Nodes of a cluster that measure nothing: documents of blocks as `stackx cluster block` would leave them on the spool, made of those
of a block that was really measured.

    nodes = StandInNodes(campaign_directory, "host", measured)   # measured: the directory of a start, with all arms of the wave
    nodes.start(7)                                               # a whole start of block 7: plan, attempt, every inspection
    for step in nodes.at_once(range(100)): ...                   # a hundred starts side by side, one file a step

Each document has an id, a plan, a place, samples and an hour of its own. A file comes to its place by its rename, as from a node, but
without fsync, which a thousand nodes would wait for beside one another and a program that stands for them in turn.

As a program: stand_in_nodes.py CAMPAIGN_DIRECTORY TARGET MEASURED FIRST COUNT [FILES_A_SECOND]: `at_once` for blocks from FIRST on;
prints how many inspections it wrote and in what time."""

import collections
import datetime
import hashlib
import json
import os
import pathlib
import random
import sys
import time


MARK, NUMBER = "\ue000", "\ue001"  # in no document


def read(file):
    """A document whose fractions stay as they are written: of two thousand stackx writes one with a digit more than Python would."""
    return json.loads(file.read_text(), parse_float=lambda text: NUMBER + text + NUMBER)


def canonical(document):
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.replace(f'"{NUMBER}', "").replace(f'{NUMBER}"', "")


def sealed(document):
    rest = {key: value for key, value in document.items() if key != "id"}
    return dict(rest, id=hashlib.sha256(canonical(rest).encode()).hexdigest())


class Template:
    """The text of an inspection, cut where documents differ."""

    CHANGED = ("campaign", "finished", "id", "position", "round")

    def __init__(self, document):
        if sealed(document)["id"] != document["id"]:
            raise SystemExit("Python writes this document otherwise than stackx does")
        self.samples = [float(str(sample).strip(NUMBER)) for sample in document["samples_ns"]]
        marked = {word: f"{MARK}{word}{MARK}" for word in (*self.CHANGED, "host")}
        text = canonical(document | {word: marked[word] for word in self.CHANGED} | {"host": dict(document["host"], hostname=marked["host"])})
        for word in marked.values():
            text = text.replace(f'"{word}"', word)
        numbers = canonical(document["samples_ns"])
        for form in (numbers, json.dumps(numbers)[1:-1]):  # what the PI printed repeats them
            text = text.replace(form, f"{MARK}samples{MARK}")
        before, after = text.split(f'"id":{marked["id"]},')
        self.before, self.after = before.split(MARK), after.split(MARK)  # every second one is a word

    def document(self, words):
        """id and text; `words` as JSON."""
        before, after = (filled(parts, words) for parts in (self.before, self.after))
        identity = hashlib.sha256((before + after).encode()).hexdigest()
        return identity, f'{before}"id":"{identity}",{after}\n'


def filled(parts, words):
    parts = list(parts)
    parts[1::2] = [words[word] for word in parts[1::2]]
    return "".join(parts)


class StandInNodes:
    def __init__(self, root, target, measured, seed=0):
        self.root, self.target = pathlib.Path(root), target
        self.campaign = json.loads((self.root / "campaign.json").read_text())
        wave = json.loads((self.root / target / "wave-0.json").read_text())
        self.rounds = self.campaign["settings"]["rounds_per_block"]
        measured = pathlib.Path(measured)
        self.plan, self.attempt = read(measured / "plan.json"), read(measured / "attempt.json")
        self.templates = {}
        for file in measured.glob("?" * 64 + ".json"):
            document = read(file)
            self.templates.setdefault(document["arm"], Template(document))
        if set(self.templates) != set(wave["arms"]):
            raise SystemExit(f"{measured}: has not all arms of the wave")
        self.random = random.Random(seed)
        self.written = 0  # inspections

    def start(self, block, rounds=None):
        for _ in self.files(block, rounds):
            pass

    def at_once(self, blocks, rounds=None):
        """Yields after each file; the starts go on side by side."""
        alive = collections.deque(self.files(block, rounds) for block in blocks)
        while alive:
            try:
                yield next(alive[0])
                alive.rotate(-1)
            except StopIteration:
                alive.popleft()

    def files(self, block, rounds=None):
        """Writes a start file by file: all its rounds, or as many as `rounds`, then it was lost."""
        node = f"node-{block % 1000:04}"
        name = f"{block + 1}.0-{node}-{self.random.getrandbits(32):08x}"
        directory = self.root / self.target / f"block-{block}" / name
        directory.mkdir(parents=True)
        began = datetime.datetime.now(datetime.timezone.utc)
        plan = sealed(self.plan | {"created": stamp(began), "seed": self.random.getrandbits(50),
                                   "block": {"cluster": self.campaign["id"], "target": self.target, "block": block, "attempt": name},
                                   "campaign": dict(self.plan["campaign"], rounds=self.rounds)})
        put(directory, "plan.json", canonical(plan) + "\n")
        yield
        attempt = self.attempt | {"block": block, "attempt": name, "node": node, "job": f"1_{block}", "began": stamp(began), "plan": plan["id"],
                                  "rounds": self.rounds, "state": "running"}
        attempt.pop("ended", None)
        put(directory, "attempt.json", canonical(attempt) + "\n")
        yield
        arms = list(self.templates)
        for number in range(self.rounds if rounds is None else rounds):
            self.random.shuffle(arms)
            for position, arm in enumerate(arms):
                at = began + datetime.timedelta(seconds=number * len(arms) + position)
                samples = [int(sample * self.random.lognormvariate(0, 0.01)) for sample in self.templates[arm].samples]
                identity, text = self.templates[arm].document(
                    {"campaign": f'"{plan["id"]}"', "finished": f'"{stamp(at)}"', "position": str(position), "round": str(number),
                     "host": f'"{node}"', "samples": canonical(samples)})
                put(directory, f"{identity}.json", text)
                self.written += 1
                yield
        if rounds is None or rounds == self.rounds:
            put(directory, "attempt.json", canonical(attempt | {"state": "complete", "ended": stamp(began)}) + "\n")
            yield


def stamp(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"


def put(directory, name, text):
    part = directory / f".{name}.{os.getpid()}.part"
    with open(part, "wb", buffering=0) as file:
        file.write(text.encode())
    os.rename(part, directory / name)


def main():
    root, target, measured, first, count, *rate = sys.argv[1:]
    nodes = StandInNodes(root, target, measured, int(first))
    began, files = time.monotonic(), 0
    for _ in nodes.at_once(range(int(first), int(first) + int(count))):
        files += 1
        if rate and (ahead := began + files / float(rate[0]) - time.monotonic()) > 0:
            time.sleep(ahead)
    print(nodes.written, time.monotonic() - began)


if __name__ == "__main__":
    main()
