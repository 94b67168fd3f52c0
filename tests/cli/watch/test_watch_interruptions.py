"""stackx watch that ends at any moment, and the pass after it."""

import json
import os
import random
import signal
import sqlite3
import subprocess

from harness import cases
from python_stack import HERE
from watched_project import BENCH, CHANGED, NOTHING, Watch

NAP = "import time\ntime.sleep(0.3)\n"  # what is left of a campaign in its middle takes seconds: time enough to end it there


class Interruptions(Watch):
    """A pass ends at any moment; the next one goes on."""

    def setUp(self):
        super().setUp()
        self.bench.write_text(BENCH + NAP)
        self.release("1.0", 0.15)
        self.watch()
        self.before = len(self.slots())
        self.release("2.0", 0.05)

    def test_killed_and_gone_on(self):
        process = self.start()
        self.wait_for_inspections(self.before + 5)
        self.release("3.0", 0.001)  # no news before the campaign that is under way has ended
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        kept = self.slots()
        self.assertGreater(len(kept), self.before)
        document = self.watch(exit_code=CHANGED)
        self.assertEqual(([row["name"] for row in document["newcomers"]], self.stack_of(document)), (["victim 1.0 -> 2.0"], "2.0"))
        slots = self.slots(document["campaign"])
        self.assertEqual(len(slots), len(set(slots)), "an inspection was made twice")
        self.assertTrue(set(kept) <= set(self.slots()))
        with self.subTest("then what came meanwhile"):
            self.assertEqual([row["name"] for row in self.watch(exit_code=CHANGED)["newcomers"]], ["victim 2.0 -> 3.0"])

    def test_killed_again_and_again(self):
        """At random moments, in all of its steps: what is told is told once, and nothing is measured twice."""
        chance = random.Random(27)
        ends, last_words = [], []  # exit codes of passes that ended by themselves; what others had said when they were killed
        for _ in range(cases(8, 40)):
            process = self.start("--json")
            try:
                out, _ = process.communicate(timeout=chance.uniform(0.05, 3))
            except subprocess.TimeoutExpired:
                process.kill()
                out, _ = process.communicate()
            if process.returncode == -signal.SIGKILL:
                last_words.append(out)
            else:
                ends.append(process.returncode)
        connection = sqlite3.connect(self.db)
        self.assertEqual(connection.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        connection.close()
        while CHANGED not in ends and len(ends) < 3:
            process = self.start("--json")
            process.communicate(timeout=600)
            ends.append(process.returncode)
        if CHANGED not in ends:  # who had told it was killed before it could end
            self.assertTrue(any(out.endswith("}\n") and json.loads(out)["answer"]["exit_code"] == CHANGED for out in last_words), last_words)
        self.assertLessEqual(ends.count(CHANGED), 1, ends)
        self.assertLessEqual(set(ends), {NOTHING, CHANGED})
        self.assertEqual(self.watch()["answer"]["text"], "Nothing new: victim 2.0 stays advised.")
        slots = [(one["campaign"], one["round"], one["arm"]) for one in self.documents()]
        self.assertEqual(len(slots), len(set(slots)), "an inspection was made twice")
        self.assertEqual(len({campaign for campaign, _, _ in slots}), 2, "a campaign was begun anew")

    def test_newcomer_vanishes_meanwhile(self):
        """What was measured for nothing is given up; what else was new then is new again."""
        self.release("1.5", 0.05)
        process = self.start()
        self.wait_for_inspections(self.before + 5)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        self.withdraw("2.0")
        document = self.watch(exit_code=CHANGED)
        self.assertIn("was given up: victim 2.0 is not valid any more", document["notes"][0])
        self.assertEqual(([row["name"] for row in document["newcomers"]], self.stack_of(document)), (["victim 1.0 -> 1.5"], "1.5"))
        self.assertEqual(self.watch()["answer"]["kind"], "nothing_new")

    def test_ended_in_order(self):
        process = self.start("--json")
        self.wait_for_inspections(self.before + 4)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(json.loads(out)["answer"]["kind"], "interrupted")
        self.assertEqual(self.stack_of(self.watch(exit_code=CHANGED)), "2.0")

    def test_two_at_once(self):
        first = self.start()
        self.wait_for_inspections(self.before + 1)
        first.send_signal(signal.SIGSTOP)  # it is under way for as long as the second takes to see it
        refused = self.told(exit_code=2)
        self.assertEqual(refused.stdout, "")
        self.assertIn(f"is under way: process {first.pid} on ", refused.stderr)
        with self.subTest("a pass over another project goes on beside it"):
            other = self.write("other/requirements.txt" if (self.scratch / "other").mkdir() is None else "", "victim==1.0\n")
            self.stackx("watch", other, "--pi", self.bench, "--python", HERE, "--dry-run")
        os.kill(first.pid, signal.SIGKILL)
        first.communicate()
        self.assertEqual(self.stack_of(self.watch(exit_code=CHANGED)), "2.0", "kill -9 leaves no lock behind")
        self.assertEqual([path.name for path in self.db.parent.iterdir() if path.name.endswith(".lock")], [])

    def test_report_that_nobody_got(self):
        """Where the report cannot be written, the next pass tells it."""
        self.told("-o", self.scratch / "no" / "such" / "directory" / "report", exit_code=3)
        measured = len(self.slots())
        document = self.watch(exit_code=CHANGED)
        self.assertEqual(self.stack_of(document), "2.0")
        self.assertEqual(len(self.slots()), measured, "measured again")
        self.assertEqual(self.watch()["answer"]["kind"], "nothing_new")

    def test_budget(self):
        """So many inspections a pass, and the next one goes on until there is a verdict."""
        part = self.watch("--budget", "8")
        self.assertEqual((part["answer"]["kind"], part["goes_on"], part["cost"]["inspections"]), ("unsettled", True, 8))
        self.assertEqual(part["answer"]["text"], "Not settled within the budget, the next pass goes on; victim 1.0 stays advised.")
        rest = self.watch(exit_code=CHANGED)
        self.assertEqual(rest["campaign"], part["campaign"])
        self.assertEqual(rest["newcomers"][0]["rounds"], 7)
