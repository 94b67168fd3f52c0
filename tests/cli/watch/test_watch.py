"""What passes of stackx watch tell and advise."""

from harness import schema_errors
from python_stack import HERE
from watched_project import CHANGED, REGRESSION, Watch


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
            for number in (row["ratio"], *row["interval"]):
                self.assertAlmostEqual(number, 3, delta=1e-6)
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

    def test_broken_benchmark(self):
        """A program that fails with every stack says nothing of stacks: none is advised that nobody saw running, none given up."""
        self.bench.write_text("import sys\nprint('no licence', file=sys.stderr)\nsys.exit(3)\n")
        for version in ("1.0", "1.1", "1.2"):
            self.release(version, 0.01)
        for _ in range(2):
            broken = self.watch(exit_code=1)
            self.assertEqual((broken["answer"]["kind"], broken["after"], broken["advice_changed"]), ("failing", None, False))
            self.assertRegex(broken["answer"]["text"], "^Your program fails with every stack that was tried: .*3")
            self.assertEqual([row["name"] for row in broken["newcomers"]], ["victim 1.2 -> 1.1"], "another version was tried")
            self.assertNotIn("change to", " ".join([broken["answer"]["text"], *broken["answer"]["next"]]))

    def test_broken_after_it_ran(self):
        """What is advised stays so, and what came meanwhile is still new once the program runs again."""
        (self.scratch / "data").mkdir()
        licence = self.write("data/licence", "")
        self.bench.write_text("import os, sys\nfrom victim import SECONDS\nif not os.path.exists('licence'):\n    sys.exit('no licence')\nprint(SECONDS)\n")
        files = ("--files", self.scratch / "data")
        self.release("1.0", 0.03)
        self.watch(*files)
        licence.unlink()
        self.release("2.0", 0.01)
        for _ in range(2):
            broken = self.watch(*files, exit_code=1)
            self.assertRegex(broken["answer"]["text"], "^Your program fails with every stack that was tried: .*no licence")
            self.assertEqual((self.stack_of(broken), broken["advice_changed"]), ("1.0", False))
        licence.write_text("")
        self.assertEqual(self.stack_of(self.watch(*files, exit_code=CHANGED)), "2.0")

    def test_both_at_once(self):
        """A component got faster, another one slower: both are said, and the exit code is that of the regression."""
        self.requirements.write_text("victim\nhelper\n")
        self.bench.write_text("import victim, helper\nprint(victim.SECONDS + helper.SECONDS)\n")
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
        self.assertEqual(equal["newcomers"][0]["verdict"], "EQUIVALENT")
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
        document = self.watch("--dry-run")
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

    def test_index_withdraws_it(self):
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
        with self.subTest("another one vanishes"):
            self.withdraw("1.0")
            gone = self.watch()
            self.assertEqual(gone["answer"]["text"], "Nothing new; of what was measured, 1 stack is not valid any more: victim 2.0 stays advised.")
            self.assertEqual([(one["name"], one["was_advised"]) for one in gone["invalid"]], [("victim 1.0", False)])
            self.assertEqual(self.watch()["invalid"], [])

    def test_project_forbids_it(self):
        self.requirements.write_text("victim<2\n")
        self.assertEqual(self.stack_of(self.watch(exit_code=CHANGED)), "1.0")
        with self.subTest("and all others"):
            self.requirements.write_text("victim>5\n")
            none = self.watch(exit_code=1)
            self.assertEqual(none["answer"]["kind"], "nothing_valid")
            self.assertTrue(none["notes"])


class Blamed(Watch):
    def test_helper_that_came_along(self):
        """The new version requires a new helper, and that one is slow."""
        self.bench.write_text("import victim, helper\nprint(victim.SECONDS + helper.SECONDS)\n")
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
