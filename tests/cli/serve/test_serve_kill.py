"""kill -9 of `stackx serve` while many send, and disks that are full while they do: what was acknowledged is in the store, once, the
store is sound, and senders who come again complete it."""

import http.client
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import threading
import time
import unittest

from harness import ROOT, STACKX, cases, published_store
from made_up_store import MadeUpStore
from server_of_stackx import Server

KILLS = cases(5, 30)
FULL = cases(5, 30)
SENDERS = 8
PATIENCE = 120


class Senders:
    """Threads that send documents one by one and in bundles, each again until it is acknowledged, to whatever server is there."""

    def __init__(self, documents, pause=0.0):
        self.pause = pause  # after each that was acknowledged
        self.left, self.lock = list(documents), threading.Lock()
        self.acknowledged, self.turned_away, self.trouble = set(), [], []
        self.port, self.paused, self.over = None, False, False
        self.threads = [threading.Thread(target=self.run, args=(number,), daemon=True) for number in range(SENDERS)]
        for thread in self.threads:
            thread.start()

    def next(self, number):
        with self.lock:
            count = 1 if number % 2 else 5
            bundle, self.left = self.left[:count], self.left[count:]
        return bundle

    def run(self, number):
        while bundle := self.next(number):
            while not self.over and (self.paused or not self.send(bundle, number)):
                time.sleep(0.02)
            time.sleep(self.pause)

    def send(self, bundle, number):
        """Whether it was acknowledged."""
        body = "".join(json.dumps(one, sort_keys=True) + "\n" for one in bundle).encode()
        method, path = ("PUT", "/v1/documents/" + bundle[0]["id"]) if number % 4 == 1 else ("POST", "/v1/documents")
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port or 9, timeout=PATIENCE)
            try:
                connection.request(method, path, body)
                response = connection.getresponse()
                said = response.read().decode()
            finally:
                connection.close()
        except (OSError, http.client.HTTPException):
            return False
        if response.status in (200, 201):
            self.acknowledged.update(one["id"] for one in bundle)
            return True
        if response.status == 503 and re.fullmatch(r"\d+", response.headers["Retry-After"] or ""):
            self.turned_away.append(json.loads(said)["error"])
        else:
            self.trouble.append((response.status, said))
        return False

    def end(self):
        self.over = True
        for thread in self.threads:
            thread.join(PATIENCE)


class Sent(MadeUpStore):
    def many(self, count):
        """A plan, and inspections of several campaigns."""
        plan = json.loads((ROOT / "tests/specs/documents/plan/good-stratified.json").read_text())
        for campaign in ("first", "second", "third"):
            self.rounds([({"openblas": f"0.3.{minor}", "python": "3.11"}, 50 + minor) for minor in (9, 21, 23, 25)], count=count // 12, campaign=campaign)
        documents, self.documents = self.documents, []
        random.Random(1).shuffle(documents)
        return [plan] + documents

    def ids_in(self, database, wrapper=()):
        done = subprocess.run([*wrapper, STACKX, "export", "--db", database], env=self.environment, capture_output=True, text=True, timeout=900)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line)["id"] for line in done.stdout.splitlines()]

    def judge(self, senders, ids, everything):
        self.assertEqual(senders.trouble, [])
        self.assertEqual(len(ids), len(set(ids)), "something is there twice")
        self.assertLessEqual(set(ids), everything, "what nobody sent is there")


class Killed(Sent):
    def test_kill_under_load(self):
        self.begin_with_what_is_published()
        documents = self.many(KILLS * 600)
        everything, chance = {one["id"] for one in documents}, random.Random(20)
        senders, grown = Senders(documents), []
        self.addCleanup(senders.end)
        for _ in range(KILLS):
            server = Server(self.environment, "--log", "nothing")
            senders.port, before, end = server.port, len(senders.acknowledged), time.monotonic() + PATIENCE
            while len(senders.acknowledged) == before and senders.left and time.monotonic() < end:  # it is under load
                time.sleep(0.005)
            time.sleep(chance.uniform(0, 0.4))
            acknowledged = set(senders.acknowledged)
            os.kill(server.process.pid, signal.SIGKILL)
            server.process.wait()
            server.end()
            acknowledged |= set(senders.acknowledged)  # what was on its way when it died was acknowledged before
            grown.append(len(senders.acknowledged) - before)
            self.stackx("db", "check")
            ids = self.ids_in(self.db)
            self.judge(senders, ids, everything)
            self.assertLessEqual(acknowledged, set(ids), "what was acknowledged is lost")
        self.assertTrue(senders.left, "all was sent before the last was killed: send more")
        self.assertGreater(min(grown), 0)
        print(f"{KILLS} kills, {len(senders.acknowledged)} documents acknowledged, {min(grown)} to {max(grown)} between two", flush=True)
        senders.left = senders.left[:200]
        server = Server(self.environment, "--log", "nothing")
        senders.port = server.port
        for thread in senders.threads:
            thread.join(PATIENCE)
        server.end()
        self.assertLessEqual(senders.acknowledged, set(self.ids_in(self.db)))
        self.assertEqual(senders.trouble, [])


class FullDisk(Sent):
    """On a tmpfs, in a mount namespace of its own, whose room is taken and given back while many send."""

    SCRIPT = """set -u
mount -t tmpfs -o size=64m none "$1" || exit 99
cp "$2"/* "$1"/
exec "$3" serve --listen 127.0.0.1:0 --log nothing --db "$1/stackx.db"
"""

    def setUp(self):
        super().setUp()
        if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode:
            self.skipTest("no mount namespaces here")
        self.start, self.place = self.scratch / "start", self.scratch / "place"
        self.start.mkdir()
        self.place.mkdir()
        for name, content in published_store().items():
            (self.start / name).write_bytes(content)

    def begin(self):
        class There(Server):
            def __init__(own):  # pylint: disable=no-self-argument
                own.process = subprocess.Popen(["unshare", "-rm", "bash", "-c", self.SCRIPT, "sh", self.place, self.start, STACKX], env=self.environment,
                                               stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
                own.said, own.url, ready = [], None, threading.Event()
                own.reader = threading.Thread(target=own.read, args=(ready,), daemon=True)
                own.reader.start()
                ready.wait(PATIENCE)
                if own.process.poll() == 99:
                    raise unittest.SkipTest("no tmpfs can be mounted here")
                if not own.url:
                    raise AssertionError("".join(own.said))
                own.port = int(own.url.rsplit(":", 1)[1])
        return There()

    def inside(self, server):
        """The directory as the server sees it."""
        return pathlib.Path(f"/proc/{server.process.pid}/root{self.place}")

    def fill(self, server):
        """No byte is left."""
        with open(self.inside(server) / f"filler-{time.monotonic_ns()}", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError as error:
                self.assertIn("No space", str(error))

    def make_room(self, server):
        for filler in self.inside(server).glob("filler*"):
            filler.unlink()

    def wait_for(self, what, why, senders):
        end = time.monotonic() + PATIENCE
        while not what() and time.monotonic() < end:
            time.sleep(0.01)
        self.assertTrue(what(), (why, senders.trouble, senders.turned_away[-3:], {one.name: one.stat().st_size for one in self.inside(self.server).iterdir()}))

    def test_full_under_load(self):
        documents = self.many(1200 + FULL * 300)
        everything = {one["id"] for one in documents}
        self.server = server = self.begin()
        self.addCleanup(server.end)
        database, chance = self.place / "stackx.db", random.Random(7)
        there = ("nsenter", "-t", str(server.process.pid), "-U", "-m", "--preserve-credentials")
        senders = Senders(documents, pause=0.15)  # a tmpfs is quick
        self.addCleanup(senders.end)
        senders.port = server.port
        for _ in range(FULL):
            before = len(senders.acknowledged)
            self.wait_for(lambda b=before: len(senders.acknowledged) > b + 10 or not senders.left, "nothing is stored though there is room", senders)
            time.sleep(chance.uniform(0, 0.1))
            refused = len(senders.turned_away)
            self.fill(server)
            self.wait_for(lambda r=refused: len(senders.turned_away) > r + 3 or not senders.left, "the disk is full and nobody is told", senders)
            self.assertRegex(senders.turned_away[-1], "(?i)disk is full|no space left")
            self.assertEqual(server.request("/healthz")[0], 200)
            acknowledged = set(senders.acknowledged)
            senders.paused = True
            self.make_room(server)
            ids = self.ids_in(database, there)
            self.judge(senders, ids, everything)
            self.assertLessEqual(acknowledged, set(ids), "what was acknowledged is lost")
            senders.paused = False
        self.assertTrue(senders.left, "all was sent before the disk was full for the last time: send more")
        self.assertIsNone(server.process.poll())
        print(f"{FULL} times full, {len(senders.acknowledged)} documents acknowledged, {len(senders.turned_away)} told to come again", flush=True)
        senders.left = []
        for thread in senders.threads:
            thread.join(PATIENCE)
        subprocess.run([*there, STACKX, "db", "check", "--db", database], env=self.environment, check=True, capture_output=True, timeout=900)
        self.assertLessEqual(senders.acknowledged, set(self.ids_in(database, there)))
        self.assertEqual(server.request("/v1/query/coverage", Cache_Control="no-cache")[0], 200)
