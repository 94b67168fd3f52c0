"""kill -9 at random moments: the store stays whole, --resume finishes the same plan, nothing is measured twice."""

import json
import os
import random
import signal
import sqlite3
import subprocess

from harness import STACKX, BlackBox, cases

KILLS = cases(12, 20)


class Kill(BlackBox):
    def check_store(self):
        """Whole documents only: SQLite's own check, and every document's id (export recomputes them)."""
        if not self.db.exists():
            return []
        connection = sqlite3.connect(self.db)
        try:
            self.assertEqual(connection.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            self.assertEqual(connection.execute("PRAGMA foreign_key_check").fetchall(), [])
        finally:
            connection.close()
        documents = [json.loads(line) for line in self.stackx("export").stdout.splitlines()]
        return [document for document in documents if document["$schema"] == "stackx/inspection/1"]

    def test_killed_again_and_again(self):
        self.fake_catalog({f"library-{i}": (f"9.9.{i}", self.fake_blas(f"9.9.{i}")) for i in range(4)})
        rounds = cases(100, 250)
        project = self.project(campaign={"sampler": {"kind": "all", "seed": 3}, "rounds": rounds})
        chance = random.Random(20)
        killed = 0
        for _ in range(KILLS):
            process = subprocess.Popen([STACKX, "inspect", str(project), "--resume"], env=self.environment,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(timeout=chance.uniform(0.01, 0.6))
            except subprocess.TimeoutExpired:
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
                killed += 1
            self.check_store()
        self.assertGreaterEqual(killed, KILLS // 2, "the campaign ended before it could be killed: measure more rounds")
        self.stackx("inspect", project, "--resume")
        documents = self.check_store()
        slots = [(document["round"], document["arm"]) for document in documents]
        self.assertEqual(len(slots), len(set(slots)), "an inspection was made twice")
        self.assertEqual(len({document["campaign"] for document in documents}), 1)
        self.assertEqual(len(slots), 4 * rounds)
        self.assertEqual({document["outcome"] for document in documents}, {"ok"})
