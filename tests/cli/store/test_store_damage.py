"""Bits that flip in a store's file: every command gives right results or a clear error, never wrong ones, never a crash.

One exception, which `db check` finds: rows of `failures` and `steps` that a damaged page hides from `query`.
"""

import os
import json
import pathlib
import random
import subprocess

from harness import ROOT, STACKX, cases
from made_up_store import MadeUpStore

TRIALS = 600 if os.environ.get("STACKX_LONG") == "1" else cases(40, 60)
COMMANDS = (("export",), ("advise", "--hw", "host", "--workload", "matmul", "--json"), ("query", "failures", "--json"),
            ("query", "best", "--json"), ("query", "coverage", "--json"), ("query", "regressions", "--json"), ("query", "worst-variance", "--json"))


class Damage(MadeUpStore):
    def setUp(self):
        super().setUp()
        data = self.scratch / "data-without-evidence"  # which every command would otherwise add first
        data.mkdir()
        for entry in (ROOT / "specs" / "data").iterdir():
            if entry.name != "evidence":
                (data / entry.name).symlink_to(entry)
        self.environment["STACKX_DATA"] = str(data)
        self.rounds([({"openblas": f"0.3.{minor}", "python": "3.11"}, 50 + minor) for minor in (9, 20, 21, 23)], count=30)
        for number in range(20):
            self.inspection({"openblas": "0.3.29"}, 60, number, outcome="crashed", reason="signal 11", samples_ns=[])
        self.store()
        self.stackx("db", "compact")
        self.content = self.db.read_bytes()

    def run_on(self, content, *arguments):
        for companion in ("-wal", "-shm", "-journal"):
            pathlib.Path(f"{self.db}{companion}").unlink(missing_ok=True)
        self.db.write_bytes(content)
        return subprocess.run([STACKX, *arguments], capture_output=True, text=True, env=self.environment, timeout=240)

    def test_flipped_bits(self):
        truth = {arguments: self.run_on(self.content, *arguments) for arguments in COMMANDS}
        for arguments, done in truth.items():
            self.assertEqual(done.returncode, 0, (arguments, done.stderr))
        chance = random.Random(20261121)
        errors = right = unnoticed = 0
        for trial in range(TRIALS):
            content = bytearray(self.content)
            for _ in range(chance.choice((1, 1, 2, 8, 40))):
                content[chance.randrange(4096 if trial % 6 == 0 else len(content))] ^= 1 << chance.randrange(8)
            check = self.run_on(content, "db", "check")
            self.assertIn(check.returncode, (0, 1, 2, 3), check.stderr)
            for arguments in COMMANDS:
                with self.subTest(trial=trial, command=arguments):
                    done = self.run_on(content, *arguments)
                    self.assertIn(done.returncode, (0, 1, 2, 3), "a crash")
                    if done.returncode == 0 and done.stdout == truth[arguments].stdout:
                        right += 1
                    elif done.returncode in (2, 3):
                        self.assertIn(str(self.db), done.stderr)
                        errors += 1
                    elif arguments[0] == "query" and check.returncode == 1:
                        unnoticed += 1  # rows that are not there are counted by `db check`, not by each question
                    else:
                        expected, found = truth[arguments].stdout.splitlines(), done.stdout.splitlines()
                        more = [line for line in found if line not in expected]
                        self.fail(f"another answer: {len(found)} lines instead of {len(expected)}, {len(more)} of them others: "
                                  f"{more[:1]} {done.stderr[:300]} check: {check.returncode} {check.stdout[:1000]}")
                    if check.returncode == 0:
                        self.assertEqual(done.returncode, 0, "found by no check")
        self.assertLess(unnoticed, TRIALS // 20)
        self.assertGreater(errors, TRIALS // 2)
        self.assertGreater(right, TRIALS // 2)

    def test_cut_files(self):
        for size in (0, 1, 100, 4095, 4096, 8192, len(self.content) // 2, len(self.content) - 8192):
            for arguments in (("export",), ("db", "check"), ("advise", "--hw", "host", "--workload", "matmul")):
                if size <= 1 and arguments[0] == "advise":
                    continue  # SQLite takes it for an empty file: a store is made of it
                done = self.run_on(self.content[:size], *arguments)
                self.assertIn(done.returncode, (1, 2, 3), (size, arguments, done.stdout))
                self.assertIn(str(self.db), done.stderr + done.stdout)
                self.assertEqual(self.db.read_bytes(), self.content[:size])
