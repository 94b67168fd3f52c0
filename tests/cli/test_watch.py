"""stackx watch against an index on this machine, to which versions are published between passes.

Packages say how long they take (`SECONDS`), the user's benchmark sleeps that long: a machine that does much else stretches a sleep
of 10 ms, but hardly to that of 30 ms in every round.
"""

import json
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import time
import unittest

from harness import STACKX, cases, schema_errors
from python_stack import HERE, PROGRAM, PythonStack, wheel

BENCH = '''import importlib, time
from victim import SECONDS
begin = time.perf_counter()
time.sleep(SECONDS)
print(time.perf_counter() - begin)
'''
NOTHING, CHANGED, REGRESSION = 0, 10, 11


class Watch(PythonStack):
    def setUp(self):
        super().setUp()
        self.environment["COLUMNS"] = "80"
        self.bench = self.write("bench.py", BENCH)
        self.requirements = self.write("requirements.txt", "victim\n")

    def release(self, version, seconds, name="victim", requires=(), files=None):
        self.index.add(wheel(name, version, files={f"{name}/__init__.py": f"SECONDS = {seconds}\n", **(files or {})}, requires=requires))

    def withdraw(self, version, name="victim"):
        del self.index.files[f"{name}-{version}-py3-none-any.whl"]

    def words(self, *options):
        return ["watch", self.requirements, "--pi", self.bench, "--python", HERE, *options]

    def watch(self, *options, exit_code=NOTHING):
        """The document of a pass, judged by its schema."""
        document = self.json(*self.words(*options), exit_code=exit_code)
        self.assertEqual(schema_errors("watch", [document]), [""])
        self.assertEqual(document["answer"]["exit_code"], exit_code)
        return document

    def told(self, *options, exit_code=NOTHING):
        return self.stackx(*self.words(*options), exit_code=exit_code)

    def start(self, *options):
        process = subprocess.Popen([STACKX, *map(str, self.words(*options))], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def slots(self, campaign=None):
        """(round, arm) of each inspection, as the store has them."""
        return [(one["round"], one["arm"]) for one in self.documents() if campaign in (None, one["campaign"])]

    def wait_for_inspections(self, count):
        """That many are on the disk: then a pass is in the middle of its campaign."""
        for _ in range(600):
            found = list(pathlib.Path(f"{self.db}-results").glob("*/*.json"))
            if len([path for path in found if path.name != "plan.json"]) >= count:
                return
            time.sleep(0.05)
        self.fail("the pass does not measure")

    def stack_of(self, document, when="after"):
        return document[when]["stack"]["victim"]


class Passes(Watch):
    """The order of the issue: a faster, a slower, an unbuildable version are published between passes."""

    def test_faster_slower_unbuildable(self):
        self.release("1.0", 0.03)
        with self.subTest("the first pass says what later ones are held against"):
            first = self.watch()
            self.assertTrue(first["first"])
            self.assertEqual(first["answer"]["text"], "First pass: victim 1.0 is advised, and nothing else is valid to compare it with.")
            self.assertTrue(first["after"]["measured"])
        with self.subTest("nothing new: nothing is measured"):
            asked = len(self.index.asked)
            again = self.watch()
            self.assertEqual((again["answer"]["kind"], again["answer"]["text"]), ("nothing_new", "Nothing new: victim 1.0 stays advised."))
            self.assertEqual((again["campaign"], again["cost"]["inspections"]), (None, 0))
            self.assertGreater(len(self.index.asked), asked, "the index was not asked")
        with self.subTest("a faster one"):
            self.release("2.0", 0.01)
            faster = self.watch(exit_code=CHANGED)
            self.assertEqual((self.stack_of(faster, "before"), self.stack_of(faster)), ("1.0", "2.0"))
            row, = faster["newcomers"]
            self.assertEqual((row["verdict"], row["newest"], row["changes"]), ("FASTER", True, [{"component": "victim", "before": "1.0", "after": "2.0"}]))
            self.assertTrue(1.2 < row["interval"][0] <= row["ratio"] <= row["interval"][1] < 4, row)
            self.assertRegex(faster["answer"]["text"], r"^victim 2\.0 is .* (faster than|as fast as) 1\.0, which was advised: change to it\.$")
            self.assertIn("to change: pip install victim==2.0", faster["answer"]["next"])
        with self.subTest("told once"):
            self.assertEqual(self.watch()["answer"]["text"], "Nothing new: victim 2.0 stays advised.")
        with self.subTest("a slower one"):
            self.release("3.0", 0.05)
            slower = self.told(exit_code=REGRESSION).stdout
            self.assertRegex(slower, r"^victim 3\.0 is \d+%.* slower than 2\.0, which is advised: stay\s+with 2\.0\.\n")
            self.assertIn("until a later one is faster: victim!=3.0", slower)
            self.assertLessEqual(max(map(len, slower.splitlines())), 80)
        with self.subTest("an unbuildable one"):
            self.release("4.0", 0.01, files={"../evil.py": "x"})
            broken = self.watch()
            row, = broken["newcomers"]
            self.assertEqual((row["state"], row["outcome"], row["verdict"]), ("failed", "build_failed", None))
            self.assertEqual(broken["answer"]["text"], "victim 4.0 cannot be built: victim 2.0 stays advised.")
            self.assertIn("outside of its environment: ../evil.py", " ".join(broken["answer"]["because"]))
        with self.subTest("which is not tried again, unless one asks for it"):
            before = len(self.slots())
            self.assertEqual(self.watch()["answer"]["kind"], "nothing_new")
            self.assertEqual(len(self.slots()), before)
            self.assertEqual(self.watch("--again")["newcomers"][0]["outcome"], "build_failed")
        with self.subTest("advise names the same stack"):
            advised = self.json("advise", "--workload", "bench", "--pi", self.bench, "--explain")["recommendations"][0]["stack"]
            self.assertEqual(advised["components"]["victim"], "2.0")

    def test_markdown_into_a_file(self):
        self.release("1.0", 0.03)
        self.watch()
        self.release("2.0", 0.01)
        report = self.scratch / "report.md"
        done = self.told("--format", "markdown", "-o", report, exit_code=CHANGED)
        self.assertEqual(done.stdout, "")
        text = report.read_text()
        self.assertTrue(text.startswith("**victim 2.0 is "), text)
        self.assertRegex(text, r"\| victim 1\.0 -\\> 2\.0 \| FASTER \| x\d\.\d+ \[.*\] \| 7 \|")
        self.assertIn("$ stackx watch", text)

    def test_first_pass_on_two_versions(self):
        """The newest is slower than the one before it: who upgrades loses, though nothing was advised before."""
        self.release("1.0", 0.01)
        self.release("2.0", 0.03)
        first = self.watch(exit_code=REGRESSION)
        self.assertRegex(first["answer"]["text"], r"^victim 1\.0 is .* 2\.0, the newest: run victim 1\.0\.$")
        self.assertEqual((self.stack_of(first, "before"), self.stack_of(first)), ("2.0", "1.0"))
        self.assertTrue(first["newcomers"][0]["older"] and first["newcomers"][0]["regression"])
        self.assertEqual(self.watch()["answer"]["text"], "Nothing new: victim 1.0 stays advised.")

    def test_newest_does_not_run(self):
        """A first pass whose newest cannot be built takes the one before; what failed is not tried again."""
        self.release("1.0", 0.01)
        self.release("2.0", 0.01, files={"../evil.py": "x"})
        first = self.watch(exit_code=CHANGED)
        self.assertEqual(first["answer"]["text"], "victim 2.0, which is the newest, does not run here: change to victim 1.0.")
        self.assertIn("../evil.py", " ".join(first["answer"]["because"]))
        tried = len(self.slots())
        again = self.watch()
        self.assertEqual((again["answer"]["text"], len(self.slots())), ("Nothing new: victim 1.0 stays advised.", tried))

    def test_nothing_runs(self):
        self.release("1.0", 0.01, files={"../evil.py": "x"})
        none = self.watch(exit_code=1)
        self.assertEqual((none["answer"]["kind"], none["after"]), ("failing", None))
        with self.subTest("until something does"):
            self.release("1.1", 0.01)
            self.assertEqual(self.stack_of(self.watch()), "1.1")

    def test_both_at_once(self):
        """A component got faster, another one slower: both are said, and the exit code is that of the regression."""
        self.requirements.write_text("victim\nhelper\n")
        self.bench.write_text("import time, victim, helper\ntime.sleep(victim.SECONDS + helper.SECONDS)\nprint(victim.SECONDS + helper.SECONDS)\n")
        self.release("1.0", 0.02)
        self.release("1.0", 0.02, name="helper")
        self.watch()
        self.release("2.0", 0.001)
        self.release("2.0", 0.05, name="helper")
        both = self.watch(exit_code=REGRESSION)
        self.assertEqual({row["name"]: row["verdict"] for row in both["newcomers"]}, {"victim 1.0 -> 2.0": "FASTER", "helper 1.0 -> 2.0": "SLOWER"})
        self.assertTrue(both["advice_changed"])
        self.assertEqual(both["after"]["stack"], {"helper": "1.0", "victim": "2.0", "python": HERE})
        self.assertRegex(both["answer"]["text"], r"^helper 2\.0 is .* slower than 1\.0, which was advised: stay with 1\.0\. victim 2\.0 is .*: change to it\.$")

    def test_equal(self):
        """Nothing is claimed of a version that is as fast; rounds end where none can be told apart any more."""
        self.release("1.0", 0.01)
        self.watch()
        self.release("1.1", 0.01)
        equal = self.watch("--rounds", "14", "--delta", "25")
        self.assertIn(equal["newcomers"][0]["verdict"], ("EQUIVALENT", "UNRESOLVED"))
        self.assertEqual(self.stack_of(equal), "1.0")
        self.assertEqual(self.watch()["answer"]["kind"], "nothing_new", "an old version is no news once it was measured")

    def test_more_than_a_pass_takes(self):
        self.release("1.0", 0.03)
        self.watch()
        for version, seconds in (("2.0", 0.03), ("3.0", 0.03), ("4.0", 0.01)):
            self.release(version, seconds)
        one = self.watch("--most-new", "1", exit_code=CHANGED)
        self.assertEqual(([row["name"] for row in one["newcomers"]], one["waiting"]), (["victim 1.0 -> 4.0"], ["victim 3.0", "victim 2.0"]))
        # What waited is older than what is advised now: no news.
        self.assertEqual(self.watch()["answer"]["kind"], "nothing_new")

    def test_dry_run(self):
        self.release("1.0", 0.03)
        planned = self.watch("--dry-run")
        self.assertEqual(planned["answer"]["text"], "Would measure victim 1.0, the newest that is valid.")
        self.assertEqual(self.slots(), [])
        self.watch()
        self.release("2.0", 0.01)
        planned = self.watch("--dry-run")
        self.assertEqual(planned["answer"]["text"], "Would measure victim 2.0 against victim 1.0, which is advised.")
        self.assertEqual((planned["answer"]["kind"], planned["campaign"]), ("planned", None))
        self.assertEqual(self.watch(exit_code=CHANGED)["newcomers"][0]["name"], "victim 1.0 -> 2.0", "a dry run must not take it for known")

    def test_schema_refuses(self):
        self.release("1.0", 0.01)
        document = self.watch()
        bad = [dict(document, extra=1), {**document, "answer": {**document["answer"], "kind": "fine"}}, {**document, "campaign": "3f"},
               {key: value for key, value in document.items() if key != "after"}]
        self.assertNotIn("", schema_errors("watch", bad))


class Invalid(Watch):
    """What was measured is not valid any more: the index withdrew it, or the project forbids it."""

    def setUp(self):
        super().setUp()
        self.release("1.0", 0.03)
        self.watch()
        self.release("2.0", 0.01)
        self.watch(exit_code=CHANGED)

    def test_advised_one_vanishes(self):
        self.withdraw("2.0")
        gone = self.watch(exit_code=CHANGED)
        self.assertEqual(gone["answer"]["text"], "victim 2.0, which was advised, is not valid any more (victim 2.0 is no longer listed): change to victim 1.0.")
        self.assertEqual([(one["name"], one["was_advised"]) for one in gone["invalid"]], [("victim 2.0", True)])
        self.assertIn("to change: pip install victim==1.0", gone["answer"]["next"])
        again = self.watch()
        self.assertEqual((again["answer"]["text"], again["invalid"]), ("Nothing new: victim 1.0 stays advised.", []), "told twice")
        with self.subTest("and comes back"):
            self.release("2.0", 0.01)
            back = self.watch(exit_code=CHANGED)
            self.assertEqual((self.stack_of(back), back["campaign"]), ("2.0", None))
            self.assertIn("victim 2.0 is valid again, and earlier passes have shown it to be faster", back["answer"]["because"])

    def test_another_one_vanishes(self):
        self.withdraw("1.0")
        gone = self.watch()
        self.assertEqual(gone["answer"]["text"], "Nothing new; of what was measured, 1 stack is not valid any more: victim 2.0 stays advised.")
        self.assertEqual([(one["name"], one["was_advised"]) for one in gone["invalid"]], [("victim 1.0", False)])
        self.assertEqual(self.watch()["invalid"], [])

    def test_project_forbids_it(self):
        self.requirements.write_text("victim<2\n")
        self.assertEqual(self.stack_of(self.watch(exit_code=CHANGED)), "1.0")

    def test_nothing_is_left(self):
        self.requirements.write_text("victim>5\n")
        none = self.watch(exit_code=1)
        self.assertEqual(none["answer"]["kind"], "nothing_valid")
        self.assertTrue(none["notes"])


class Interruptions(Watch):
    """A pass ends at any moment; the next one goes on."""

    def setUp(self):
        super().setUp()
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
        ends = []
        for _ in range(cases(8, 40)):
            process = self.start("--json")
            try:
                process.wait(timeout=chance.uniform(0.05, 3))
                ends.append(process.returncode)
            except subprocess.TimeoutExpired:
                os.kill(process.pid, signal.SIGKILL)
            process.communicate()
        connection = sqlite3.connect(self.db)
        self.assertEqual(connection.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        connection.close()
        while CHANGED not in ends and len(ends) < 3:
            process = self.start("--json")
            process.communicate(timeout=120)
            ends.append(process.returncode)
        self.assertEqual(ends.count(CHANGED), 1, ends)
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
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(json.loads(out)["answer"]["kind"], "interrupted")
        self.assertEqual(self.stack_of(self.watch(exit_code=CHANGED)), "2.0")

    def test_two_at_once(self):
        first = self.start()
        self.wait_for_inspections(self.before + 1)
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


class Sources(Watch):
    """Where versions come from, and what a pass does where nobody answers."""

    def test_index_is_gone(self):
        self.release("1.0", 0.01)
        self.watch()
        self.index.shutdown()
        self.index.server_close()
        offline = self.watch()
        self.assertTrue(offline["refreshed"]["failed"])
        self.assertEqual(len(offline["notes"]), 1, offline["notes"])
        self.assertIn("requirements.txt not refreshed: ", offline["notes"][0])
        self.assertEqual(offline["answer"]["text"], "Nothing new: victim 1.0 stays advised.")

    def test_no_refresh(self):
        self.release("1.0", 0.01)
        self.watch()
        self.release("2.0", 0.01)
        asked = len(self.index.asked)
        self.assertEqual(self.watch("--no-refresh")["answer"]["kind"], "nothing_new")
        self.assertEqual(len(self.index.asked), asked)

    def imported(self, **more):
        """A project of stackx, over a catalog that was imported."""
        self.stackx("catalog", "import", "pypi", "victim", "--python", HERE, "-o", self.scratch / "victim.json")
        self.write("pi.py", "import json, time, victim\nbegin = time.perf_counter_ns()\ntime.sleep(victim.SECONDS)\n"
                            'print(json.dumps({"name": "nap", "component": "victim", "parameters": {}, "work": {"flop": 0, "bytes": 0, "items": 1},\n'
                            '                  "samples_ns": [time.perf_counter_ns() - begin], "loaded": {"victim": victim.VERSION}}))\n')
        return self.project(catalogs=["victim.json"], requires={"victim": "*", "python": "*"}, workload={"pi": "nap", "params": {}}, **more)

    def release(self, version, seconds, **more):
        super().release(version, seconds, **more)
        if not more:
            self.index.add(wheel("victim", version, files={"victim/__init__.py": f"VERSION = {version!r}\nSECONDS = {seconds}\n"}))

    def test_catalog_that_was_imported(self):
        self.release("1.0", 0.03)
        project = self.imported()
        catalog = self.scratch / "victim.json"
        self.assertEqual(json.loads(catalog.read_text())["import"],
                         {"names": ["victim"], "pythons": [HERE], "platform": "linux x86_64", "files": "wheels"})
        words = ["watch", project, "--pi", self.scratch / "pi.py"]
        self.assertEqual(self.json(*words)["after"]["name"], "victim 1.0")
        self.release("2.0", 0.01)
        with self.subTest("without the index nothing is new"):
            self.assertEqual(self.json(*words, "--no-refresh")["answer"]["kind"], "nothing_new")
        document = self.json(*words, exit_code=CHANGED)
        self.assertEqual((document["after"]["name"], document["refreshed"]["read"]), ("victim 2.0", ["victim.json"]))
        self.assertIn("2.0", json.loads(catalog.read_text())["components"]["victim"]["versions"])
        with self.subTest("a catalog that cannot be written is said, and known versions are watched"):
            self.assertEqual(schema_errors("catalog", [json.loads(catalog.read_text())]), [""])
            frozen = json.loads(catalog.read_text())
            frozen["import"]["before"] = "2020-01-01"
            catalog.write_text(json.dumps(frozen))
            self.assertIn("holds what was uploaded before 2020-01-01", self.json(*words)["notes"][0])

    def test_catalog_that_was_written_by_hand(self):
        """Its component gains what the index has released since; such a version is like the newest that is known."""
        self.release("1.0.5", 0.03)
        artifact = self.index.add(wheel("victim", "1.0.5", files={"victim/__init__.py": "VERSION = '1.0.5'\nSECONDS = 0.03\n"}))
        self.imported()
        self.write("victim.json", {"$schema": "stackx/catalog/1", "components": {
            "python": self.python(),
            "victim": {"kind": "package", "versions": {"1.0.5": {"requires": {"python": "*"}, "provides": {"sleeper": "1.0"}, "artifacts": [artifact]}}}}})
        project = self.project(catalogs=["victim.json"], requires={"sleeper": "*"}, workload={"pi": "nap", "params": {}})
        words = ["watch", project, "--pi", self.scratch / "pi.py"]
        self.assertEqual(self.json(*words)["after"]["name"], "victim 1.0.5")
        before = (self.scratch / "victim.json").read_text()
        self.release("2.3.1", 0.01)
        self.release("3.0", 0.001, requires=["something-else"])
        document = self.json(*words, exit_code=CHANGED)
        self.assertEqual(document["after"]["name"], "victim 2.3.1")
        self.assertIn("left out: victim 3.0: it requires other packages than 1.0.5 does", document["notes"][0])
        self.assertEqual((self.scratch / "victim.json").read_text(), before, "somebody's own file")
        overlay, = (self.cache / "watch").glob("*-releases-0.json")
        self.assertEqual(json.loads(overlay.read_text())["components"]["victim"]["versions"]["2.3.1"]["provides"], {"sleeper": "2.3"})
        with self.subTest("offline it stays known"):
            self.assertEqual(self.json(*words, "--offline")["after"]["name"], "victim 2.3.1")

    def test_what_cannot_be_watched(self):
        self.release("1.0", 0.01)
        refused = lambda *words: self.stackx("watch", *words, exit_code=2).stderr
        self.assertIn("expected one of --pi COMMAND", refused(self.requirements))
        self.assertIn("--files", refused(self.requirements, "--files", self.scratch))
        project = self.imported()
        document = json.loads(project.read_text())
        document["workload"]["params"] = {"m": [1, 2]}
        self.assertIn("names 2 workloads", refused(self.write("two.json", document)))
        self.assertIn("needs a base image", refused(self.requirements, "--pi", self.bench, "--runner", "container"))


class Blamed(Watch):
    def test_helper_that_came_along(self):
        """The new version requires a new helper, and that one is slow."""
        self.bench.write_text("import time, victim, helper\ntime.sleep(victim.SECONDS + helper.SECONDS)\nprint(victim.SECONDS + helper.SECONDS)\n")
        self.release("1.0", 0.01, requires=["helper"])
        self.release("1.0", 0.001, name="helper")
        self.watch()
        self.release("2.0", 0.01, requires=["helper>=2"])
        self.release("2.0", 0.05, name="helper")
        asked = self.watch("--blame", exit_code=REGRESSION)
        row = next(row for row in asked["newcomers"] if row["changes"][0]["component"] == "victim")
        self.assertEqual(row["name"], "victim 1.0 -> 2.0 with helper 1.0 -> 2.0")
        self.assertEqual(schema_errors("blame", [row["blame"]]), [""])
        self.assertEqual([one["name"] for one in row["blame"]["rows"] if one["role"] == "culprit"], ["helper 1.0 -> 2.0"])
        self.assertIn("helper 1.0 -> 2.0 makes", " ".join(asked["answer"]["next"]))


class Timers(Watch):
    """--print: judged by what reads it."""

    def printed(self, kind, *options):
        self.release("1.0", 0.01)
        return self.stackx("watch", "requirements.txt", "--pi", "./bench.py --label '50%'", "--budget", "30m", "--print", kind, *options, cwd=self.scratch).stdout

    def test_systemd(self):
        self.bench.chmod(0o755)
        units = self.printed("systemd")
        _, service, timer = units.split("# ~/.config/systemd/user/")
        self.assertIn("SuccessExitStatus=10 11\n", service)
        self.assertIn(f'WorkingDirectory={self.scratch}\n', service)
        self.assertIn('"watch" "requirements.txt" "--pi" "./bench.py --label \'50%%\'" "--budget" "30m"\n', service)
        self.assertNotIn("--print", units)
        house = self.scratch / "units"
        house.mkdir()
        for text in (service, timer):
            name = text.split(";")[0].split()[0]
            (house / name).write_text("# " + text)
        try:
            done = subprocess.run(["systemd-analyze", "verify", *house.iterdir()], capture_output=True, text=True, env={**os.environ, "SYSTEMD_UNIT_PATH": f"{house}:"})
        except FileNotFoundError:
            self.skipTest("no systemd-analyze")
        about_these = [line for line in done.stderr.splitlines() if "stackx-watch" in line]
        self.assertEqual((about_these, done.returncode), ([], 0), done.stderr)

    def test_cron(self):
        line = self.printed("cron").splitlines()[-1]
        self.assertTrue(line.startswith("17 3 * * * cd "), line)
        self.assertIn("50\\%", line)
        # What cron hands to the shell is what was given.
        command = line.split(maxsplit=5)[5].replace("\\%", "%")
        shown = subprocess.run(["sh", "-c", command.replace(STACKX, "printf '%s\\n'")], capture_output=True, text=True, check=True).stdout
        self.assertEqual(shown.splitlines(), ["watch", "requirements.txt", "--pi", "./bench.py --label '50%'", "--budget", "30m"])

    def test_cronjob(self):
        text = self.printed("cronjob")
        try:
            import kubernetes_validate
            import yaml
        except ImportError:
            self.skipTest("no kubernetes-validate")
        document = yaml.safe_load(text)
        kubernetes_validate.validate(document, "1.27", strict=True)
        spec = document["spec"]["jobTemplate"]["spec"]["template"]["spec"]
        self.assertEqual((document["spec"]["concurrencyPolicy"], spec["restartPolicy"]), ("Forbid", "Never"))
        for code, becomes in ((0, 0), (10, 0), (11, 0), (3, 3)):
            script = spec["containers"][0]["command"][2].replace("stackx", f"sh -c 'exit {code}'", 1)
            self.assertEqual(subprocess.run(["sh", "-c", script]).returncode, becomes)

    def test_github(self):
        text = self.printed("github")
        try:
            import check_jsonschema  # noqa: F401
            import sys
            import yaml
        except ImportError:
            self.skipTest("no check-jsonschema")
        file = self.write("watch.yml", text)
        done = subprocess.run([sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", file], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        run = yaml.safe_load(text)["jobs"]["watch"]["steps"][-1]["run"]
        self.assertIn("--budget 30m --format markdown > stackx-watch.md", run)
        tools = self.scratch / "tools"
        tools.mkdir()
        for code, becomes in ((0, 0), (10, 0), (11, 0), (3, 3)):
            (tools / "stackx").write_text(f"#!/bin/sh\necho report\nexit {code}\n")
            (tools / "stackx").chmod(0o755)
            summary = self.write("summary.md", "")
            done = subprocess.run(["bash", "-e", "-c", run], env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "GITHUB_STEP_SUMMARY": str(summary)},
                                  cwd=self.scratch, capture_output=True, text=True)
            self.assertEqual((done.returncode, summary.read_text()), (becomes, "report\n"), done.stderr)

    def test_their_command_runs(self):
        """The command of the systemd unit, as systemd would start it."""
        self.bench.chmod(0o755)
        self.release("1.0", 0.01)
        units = self.stackx("watch", "requirements.txt", "--pi", "./bench.py", "--python", HERE, "--print", "systemd", cwd=self.scratch).stdout
        line = next(line for line in units.splitlines() if line.startswith("ExecStart="))
        words = [word.strip('"') for word in line.removeprefix("ExecStart=").split('" "')]
        done = subprocess.run(words, cwd=self.scratch, env=self.environment, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout[:11]), (0, "First pass:"), done.stderr)


class Stored(Watch):
    def test_what_inspect_measured_counts(self):
        """Somebody measures a version by hand between two passes: the next one tells what that changed, once."""
        self.release("1.0", 0.03)
        self.stackx("catalog", "import", "pypi", "victim", "--python", HERE, "-o", self.scratch / "victim.json")
        self.write("pi.py", "import json, time, victim\nbegin = time.perf_counter_ns()\ntime.sleep(victim.SECONDS)\n"
                            'print(json.dumps({"name": "nap", "component": "victim", "parameters": {}, "work": {"flop": 0, "bytes": 0, "items": 1},\n'
                            '                  "samples_ns": [time.perf_counter_ns() - begin], "loaded": {"victim": victim.version}}))\n')
        for version, seconds in (("1.0", 0.03), ("2.0", 0.01)):
            self.index.add(wheel("victim", version, files={"victim/__init__.py": f"version = {version!r}\nSECONDS = {seconds}\n"}))
            project = self.project(catalogs=["victim.json"], requires={"victim": "*", "python": "*"}, workload={"pi": "nap", "params": {}},
                                   campaign={"sampler": {"kind": "all"}, "rounds": 9, "limits": {"seconds": 30, "memory_gib": 1}})
            if version == "1.0":
                self.json("watch", project, "--pi", self.scratch / "pi.py")
        self.json("watch", project, "--pi", self.scratch / "pi.py", "--dry-run")  # reads the index
        self.stackx("inspect", project, "--pi", self.scratch / "pi.py")
        told = self.json("watch", project, "--pi", self.scratch / "pi.py", exit_code=CHANGED)
        self.assertEqual((told["after"]["name"], told["campaign"]), ("victim 2.0", None))
        self.assertIn("other campaigns of this project have shown it", told["answer"]["because"][0])
        self.assertEqual(self.json("watch", project, "--pi", self.scratch / "pi.py")["answer"]["kind"], "nothing_new")

    def test_what_the_store_holds(self):
        """Nothing but documents: it travels with export and import, and the next pass on the other side goes on from there."""
        self.release("1.0", 0.03)
        self.watch()
        self.release("2.0", 0.01)
        self.watch(exit_code=CHANGED)
        exported = self.scratch / "all.jsonl"
        exported.write_text(self.stackx("export").stdout)
        connection = sqlite3.connect(self.db)
        self.assertEqual(connection.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        connection.close()
        self.environment["STACKX_DB"] = str(self.scratch / "elsewhere" / "stackx.db")
        self.stackx("import", exported)
        self.assertEqual(self.watch()["answer"]["text"], "Nothing new: victim 2.0 stays advised.")

    def test_edited_benchmark_begins_anew(self):
        self.release("1.0", 0.03)
        self.watch()
        self.bench.write_text(BENCH + "# edited\n")
        self.assertTrue(self.watch()["first"])


if __name__ == "__main__":
    unittest.main()
