"""stackx compare on made-up stores: what A and B can be, the verdicts, and what is said when nothing can be compared."""

import json
import math
import random
import statistics

from harness import this_machine
from made_up_store import WORKLOAD, MadeUpStore, campaign_id, stack_id


def exact_interval(values, confidence):
    """Order statistics around the median, from the binomial distribution."""
    values, n = sorted(values), len(values)
    k, tail = 0, 0.0
    while tail + math.comb(n, k) / 2 ** n <= (1 - confidence) / 2:
        tail += math.comb(n, k) / 2 ** n
        k += 1
    return (values[k - 1], values[n - k]) if k else None


class Compare(MadeUpStore):
    def setUp(self):
        super().setUp()
        self.environment["COLUMNS"] = "160"  # sentences on a line

    def compare(self, *arguments, exit_code=0):
        return self.json("compare", *arguments, exit_code=exit_code)

    def test_fits_the_screen(self):
        self.rounds([({"openblas": "0.3.34", "threads": "1"}, 106), ({"openblas": "0.3.27", "threads": "1"}, 100)])
        self.store()
        self.environment["COLUMNS"] = "80"
        for line in self.stackx("compare", "openblas=0.3.34", "openblas=0.3.27", "--max-slower", "3", exit_code=1).stdout.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_versions_that_nobody_measured(self):
        measures = "of packages `stackx blame a==1 a==2 --workload matmul` measures the two"
        self.assertIn(f"Nothing is measured here yet; {measures}.", self.stackx("compare", "a==1", "a==2", exit_code=1).stdout)
        self.rounds([({"a": "2"}, 106), ({"a": "3"}, 100)])
        self.store()
        self.assertIn(f"a 1 is in no measured stack; measured are 2, 3; {measures}", self.stackx("compare", "a==1", "a==2", exit_code=2).stderr)
        self.assertIn("measures the two", self.stackx("compare", "torch==1", "torch==2", exit_code=2).stderr)
        self.assertNotIn("blame", self.stackx("compare", "a==1", stack_id({"a": "2"}), exit_code=2).stderr)

    def test_what_it_leads_on_to_exists(self):
        said = self.stackx("compare", "cublas=12.9", "cublas=13.1", "--hw", "h200", exit_code=1).stdout
        said = " ".join(said.split())
        self.assertNotIn("blame", said)
        self.assertIn("cublas is no package's name (the index has nvidia-cublas", said)
        self.assertIn("`stackx advise --hw h200 --workload matmul --explain` and `stackx query upgrades --component cublas`", said)
        self.stackx("query", "upgrades", "--component", "cublas")
        said = self.stackx("compare", "torch=2.5.1", "torch=2.6.0", "--hw", "h200", exit_code=1).stdout
        self.assertIn("`stackx blame torch=2.5.1 torch=2.6.0 --workload matmul`, on such a machine, measures the two", " ".join(said.split()))

    def test_files_that_are_not_there(self):
        self.assertIn("lock1.txt: there is no such file", self.stackx("compare", "lock1.txt", "lock2.txt", exit_code=2).stderr)
        self.rounds([({"a": "2"}, 106), ({"a": "3"}, 100)])
        self.store()
        self.assertIn("old/a: there is no such file", self.stackx("compare", "old/a", "b", exit_code=2).stderr)

    def test_what_a_stranger_types(self):
        self.rounds([({"openblas": "0.3.34"}, 106), ({"openblas": "0.3.27"}, 100)])
        self.store()
        for words, said in ((("0.3.34", "0.3.27"), "0.3.34: a version of which component? Write openblas=0.3.34"),
                            (("openblas=0.3.34", "openblas=0.3.34"), "are the same stack; name another for B."),
                            ((), "compare: A and B are required: "), (("openblas=0.3.34",), "compare openblas=0.3.34: A and B are required: ")):
            self.assertIn(said, self.stackx("compare", *words, exit_code=2).stderr)
        # What nobody told is not called a rate.
        text = self.stackx("compare", "openblas=0.3.34", "openblas=0.3.27", "--metric", "energy", exit_code=1).stdout
        self.assertIn("No pair has an amount of energy on both sides.", text)

    def test_faster_slower_and_the_interval(self):
        new, old = {"openblas": "0.3.34", "threads": "1"}, {"openblas": "0.3.27", "threads": "1"}
        logs = self.rounds([(new, 106), (old, 100)])
        self.store()
        found = self.compare(stack_id(new)[:10], stack_id(old)[:10])
        self.assertEqual((found["verdict"], found["design"], found["n"], found["unit"]), ("FASTER", "paired", 24, "GFLOP/s"))
        ratios = [a - b for a, b in logs]
        self.assertAlmostEqual(found["ratio"], math.exp(statistics.median(ratios)), places=6)
        for bound, expected in zip(found["interval"], exact_interval(ratios, 0.95)):
            self.assertAlmostEqual(bound, math.exp(expected), places=6)
        low, high = found["bootstrap"]
        self.assertTrue(1.04 < low < found["ratio"] < high < 1.08)
        couple = found["couples"][0]
        self.assertEqual(couple["differ"], {"openblas": ["0.3.34", "0.3.27"]})
        self.assertEqual((couple["a"]["inspections"], couple["rounds"]), (24, 24))
        self.assertAlmostEqual(couple["a"]["median"], math.exp(statistics.median(a for a, _ in logs)), delta=0.01)

        back = self.compare(stack_id(old)[:10], stack_id(new)[:10])
        self.assertEqual(back["verdict"], "SLOWER")
        self.assertAlmostEqual(back["ratio"] * found["ratio"], 1)
        text = self.stackx("compare", stack_id(new)[:10], stack_id(old)[:10]).stdout
        self.assertTrue(text.startswith(f"A is FASTER than B: x{found['ratio']:.3f} ["), text)
        for part in ("n=24 paired rounds on 1 host", "hierarchical bootstrap", "0.3.34", "0.3.27", "24 pairs", "GFLOP/s"):
            self.assertIn(part, text)
        self.assertNotIn("pairs", self.stackx("compare", stack_id(new)[:10], stack_id(old)[:10], "--no-plots").stdout)

    def test_equivalent_unresolved_and_too_few(self):
        first, second = {"openblas": "1"}, {"openblas": "2"}
        self.rounds([(first, 100), (second, 100.1)], count=20, noise=0.002)
        self.rounds([(first, 100), (second, 100.1)], count=20, noise=0.03, campaign="noisy",
                    workload=dict(WORKLOAD, pi="conv2d"))
        self.rounds([(first, 100), (second, 200)], count=5, campaign="short", workload=dict(WORKLOAD, pi="import"))
        self.store()
        sides = ("openblas=1", "openblas=2")
        self.assertEqual(self.compare(*sides, "--workload", "matmul")["verdict"], "EQUIVALENT")
        self.assertIn("EQUIVALENT (within 1%)", self.stackx("compare", *sides, "--workload", "matmul").stdout)
        self.assertEqual(self.compare(*sides, "--workload", "matmul", "--delta", "0")["verdict"], "UNRESOLVED")
        noisy = self.compare(*sides, "--workload", "conv2d")
        self.assertEqual(noisy["verdict"], "UNRESOLVED")
        self.assertGreater(noisy["further"], 0)
        few = self.compare(*sides, "--workload", "import")
        self.assertEqual((few["verdict"], few["interval"], few["further"]), ("UNRESOLVED", None, 1))
        self.assertIn("About 1 round more would tell", self.stackx("compare", *sides, "--workload", "import").stdout)

    def test_stacks_by_version_are_coupled_where_the_rest_is_equal(self):
        stacks = [({"openblas": version, "coretype": core, "threads": threads}, rate * int(threads))
                  for version, rate in (("0.3.27", 100), ("0.3.34", 110)) for core in ("Haswell", "Zen") for threads in "12"]
        self.rounds(stacks + [({"mkl": "2025", "interface": "lp64", "threads": "1"}, 150)])
        self.store()
        found = self.compare("openblas=0.3.34", "openblas=0.3.27")
        self.assertEqual((found["verdict"], len(found["couples"]), found["n"]), ("FASTER", 4, 24))
        for couple in found["couples"]:
            self.assertEqual(couple["differ"], {"openblas": ["0.3.34", "0.3.27"]})
            self.assertEqual(couple["verdict"], "FASTER")
        self.assertAlmostEqual(found["ratio"], 1.1, delta=0.01)
        both = self.compare("openblas=0.3.34,threads=2", "openblas=0.3.27,threads=1")
        self.assertEqual(len(both["couples"]), 2)
        self.assertAlmostEqual(both["ratio"], 2.2, delta=0.02)
        # A library that only one side has is no partner of another, as long as there are couples without it.
        threads = self.compare("threads=2", "threads=1")
        self.assertEqual([list(couple["differ"]) for couple in threads["couples"]], [["threads"]] * 4)
        # What only one side has at all needs no name.
        other = self.compare("mkl=2025", "openblas=0.3.34")
        self.assertEqual({couple["b"]["stack"]["components"]["threads"] for couple in other["couples"]}, {"1"})
        self.assertEqual(len(other["couples"]), 2)
        self.assertIn("coretype, interface", " ".join(other["notes"]))
        text = self.stackx("compare", "openblas=0.3.34", "openblas=0.3.27").stdout
        self.assertIn("4 FASTER", text)
        self.assertIn("coretype=Zen threads=2", text)
        # Nothing differs only in what was named.
        nothing = self.stackx("compare", "threads=1,openblas=0.3.34,coretype=Zen", "threads=2,coretype=Zen,openblas=0.3.34",
                              exit_code=0).stdout
        self.assertIn("SLOWER", nothing)

    def test_no_couple_says_what_else_differs(self):
        self.rounds([({"openblas": "1", "threads": "1"}, 1), ({"openblas": "1", "threads": "2"}, 1), ({"openblas": "2", "threads": "4"}, 1)])
        self.store()
        self.assertIn("threads", self.stackx("compare", "openblas=1", "openblas=2", exit_code=1).stdout)
        self.assertEqual(self.compare("openblas=1", "openblas=2", exit_code=1)["verdict"], None)

    def test_lock_files(self):
        stack = lambda numpy, threads: {"numpy": numpy, "python": "3.11", "threads": threads}
        self.rounds([(stack("1.26.4", "1"), 100), (stack("2.2.0", "1"), 103), (stack("1.26.4", "2"), 180), (stack("2.2.0", "2"), 190)])
        self.store()
        old = self.write("requirements.txt", "numpy==1.26.4\nrequests==2.0.0\n")
        new = self.write("Pipfile.lock", {"_meta": {"hash": {"sha256": "0" * 64}, "pipfile-spec": 6, "requires": {"python_version": "3.11"},
                                                    "sources": []},
                                          "default": {"numpy": {"version": "==2.2"}}, "develop": {}})
        found = self.compare(new, old)
        self.assertEqual((found["verdict"], len(found["couples"]), found["a"]["kind"]), ("FASTER", 2, "lock"))
        self.assertTrue(any("requests" in note for note in found["notes"]), found["notes"])
        self.assertEqual(self.compare(new, stack_id(stack("1.26.4", "2")))["couples"][0]["differ"], {"numpy": ["2.2.0", "1.26.4"]})
        foreign = self.write("other.txt", "flask==1.0\n")
        self.assertIn("none of its 1 packages", self.stackx("compare", new, foreign, exit_code=2).stderr)

    def test_campaigns_are_independent_and_the_stack_is_the_unit(self):
        stacks = [({"openblas": str(n)}, 50 + 10 * n) for n in range(8)]
        self.rounds(stacks, count=12, campaign="first")
        self.rounds([(stack, 1.1 * rate) for stack, rate in stacks] + [({"mkl": "1"}, 5)], count=15, campaign="second")
        self.store()
        a, b = (f"campaign:{campaign_id(name)[:8]}" for name in ("second", "first"))
        found = self.compare(a, b)
        self.assertEqual((found["verdict"], found["looks"], found["design"], found["n"], len(found["couples"])), ("UNRESOLVED", "FASTER", "independent", 8, 8))
        self.assertAlmostEqual(found["ratio"], 1.1, delta=0.05)
        ratios = [math.log(couple["ratio"]) for couple in found["couples"]]
        for bound, expected in zip(found["interval"], exact_interval(ratios, 0.95)):
            self.assertAlmostEqual(bound, math.exp(expected), places=6)
        for couple in found["couples"]:
            self.assertNotIn("verdict", couple)
            low, high = couple["bootstrap"]
            self.assertTrue(low < couple["ratio"] < high)
        notes = " ".join(found["notes"])
        self.assertIn("nothing is paired", notes)
        self.assertIn("A load 0.50 (n=135), steal not told; B load 0.50 (n=96), steal not told", notes)
        self.assertIn("1 stack only in A and 0 stacks only in B", notes)
        text = self.stackx("compare", a, b).stdout
        self.assertTrue(text.startswith("A looks faster than B: x1."), text)
        self.assertIn("n=8 stacks, each measured on both sides, not paired", text)
        self.assertIn("The stacks are the same: it is no version in them", text)

    def test_hosts_by_name_and_by_fingerprint(self):
        twin = dict(self.host, hostname="twin")  # the same make: the same fingerprint
        larger = dict(self.host, hostname="larger", memory_bytes=3 * self.host["memory_bytes"])
        stack = {"openblas": "1"}
        for campaign, rate, host in (("first", 100, self.host), ("second", 150, twin), ("third", 200, larger)):
            self.rounds([(stack, rate)], count=20, host=host, campaign=campaign)
        self.store()
        here = f"host:{self.host['hostname']}"
        found = self.compare("host:twin", here)
        self.assertEqual((found["verdict"], found["looks"], found["design"], found["a"]["kind"]), ("UNRESOLVED", "FASTER", "independent", "host"))
        self.assertTrue(found["interval"][0] < 1.5 < found["interval"][1], found["interval"])
        self.assertTrue(any(note.startswith("hosts differ") for note in found["notes"]))
        self.assertIn("n=20 and 20 inspections, not paired", self.stackx("compare", "twin", here).stdout)
        fingerprint = this_machine()["fingerprint"]
        both = self.compare("larger", f"host:{fingerprint[:10]}")["couples"][0]
        self.assertEqual((both["a"]["inspections"], both["b"]["inspections"]), (20, 40))

    def test_stores(self):
        stacks = [({"openblas": str(n)}, 50 + 10 * n) for n in range(7)]
        self.rounds(stacks, count=10)
        first = self.store("first")
        self.rounds([(stack, 0.8 * rate) for stack, rate in stacks], count=10, campaign="second")
        second = self.store("second")
        found = self.compare(first, second)
        self.assertEqual((found["looks"], found["a"]["kind"], found["n"]), ("FASTER", "store", 7))
        self.assertAlmostEqual(found["ratio"], 1.25, delta=0.08)
        self.assertFalse(self.db.exists())  # nobody asked for the usual store
        # What one took over from the other was measured once: it is left out, or B would be as fast as itself.
        self.stackx("merge", first, second, "--db", self.scratch / "both.db")
        again = self.compare(first, self.scratch / "both.db", exit_code=1)
        self.assertIsNone(again["verdict"])
        self.assertIn("All that A holds is in the other store, too.", again["notes"])
        self.rounds([(stack, rate) for stack, rate in stacks], count=10, campaign="third")
        self.stackx("merge", first, "--db", self.store("third"))
        partly = self.compare(self.scratch / "third.db", self.scratch / "both.db", exit_code=None)
        self.assertIn("70 inspections are in both stores: measured once, and left out", partly["notes"])
        self.assertEqual(partly["looks"], "FASTER")
        self.assertIn("are the same store", self.stackx("compare", first, first, exit_code=2).stderr)
        self.stackx("compare", first, second, "--workload", "conv2d", exit_code=1)

    def test_a_workload_of_the_stores_is_none_that_others_call_so(self):
        """A program of somebody's own is called "training"; without one the word is taken for a family."""
        own = {"pi": "training", "params": {}}
        stores = []
        for name in ("first", "second"):
            self.rounds([({"openblas": version}, rate) for version, rate in (("1", 100), ("2", 130))], count=10, campaign=name, workload=own)
            stores.append(self.store(name))
        done = self.stackx("compare", *stores, "--workload", "training", "--json")
        self.assertEqual((json.loads(done.stdout)["n"], done.stderr), (2, ""))
        taken = self.stackx("compare", *stores, "--workload", "resnet", "--json", exit_code=1).stderr
        self.assertIn("resnet is taken for train_resnet50", " ".join(taken.split()))

    def test_stacks_that_never_ran_together_are_not_paired(self):
        first, second = {"openblas": "1"}, {"openblas": "2"}
        self.rounds([(first, 100)], count=20)
        self.rounds([(second, 130)], count=20, campaign="second")
        self.store()
        found = self.compare("openblas=2", "openblas=1")
        self.assertEqual((found["verdict"], found["looks"], found["design"]), ("UNRESOLVED", "FASTER", "independent"))
        text = self.stackx("compare", "openblas=2", "openblas=1").stdout
        self.assertTrue(text.startswith("A looks faster than B: x1."), text)
        self.assertNotIn("FASTER", text)
        self.assertIn("Not shown: no round has both", text)
        self.assertIn("run both in one campaign", text)
        self.assertIn("EXCEEDED by what was measured, at two times", self.stackx("compare", "openblas=2", "openblas=1", "--max-slower", "3", exit_code=1).stdout)

    def test_limit_decides_the_exit_code(self):
        new, old = {"openblas": "2"}, {"openblas": "1"}
        self.rounds([(old, 100), (new, 94)])
        self.store()
        sides = ("openblas=1", "openblas=2")
        self.assertTrue(self.compare(*sides, "--max-slower", "3", exit_code=1)["limit"]["exceeded"])
        self.assertIn("EXCEEDED", self.stackx("compare", *sides, "--max-slower", "3", exit_code=1).stdout)
        self.assertFalse(self.compare(*sides, "--max-slower", "6")["limit"]["exceeded"])  # 6%: not shown to be more
        self.assertFalse(self.compare(*reversed(sides), "--max-slower", "0")["limit"]["exceeded"])

    def test_failures_and_rounds_not_shared_are_told(self):
        first, second = {"openblas": "1"}, {"openblas": "2"}
        self.rounds([(first, 100), (second, 90)], count=10)
        for number in (10, 11, 12):
            self.inspection(first, 100, number)
        self.inspection(second, 1, 13, outcome="crashed", reason="signal 11", samples_ns=[], exit_code=None)
        self.store()
        text = self.stackx("compare", "openblas=1", "openblas=2").stdout
        self.assertIn("A ran in 13 rounds, B in 10 rounds, both in 10 rounds", text)
        self.assertIn("1 crashed", text)
        self.assertEqual(self.compare("openblas=1", "openblas=2")["couples"][0]["b"]["failures"], {"crashed": 1})

    def test_one_side_only_failed(self):
        """No rate has no unit: what became of it is the answer."""
        for number in range(6):
            self.inspection({"openblas": "0.3.27"}, 50, number)
            self.inspection({"openblas": "0.3.29"}, 50, number, outcome="crashed", samples_ns=[], exit_code=None,
                            reason="ended by signal 11 (segmentation fault)", work={"flop": 0.0, "bytes": 0.0, "items": 0.0})
        self.store()
        said = self.stackx("compare", "openblas=0.3.27", "openblas=0.3.29", exit_code=1).stdout
        self.assertEqual(said.splitlines()[0], "Nothing to compare. No pair has a rate on both sides. Of B's 6 inspections: 6 crashed.")

    def test_sentinel_against_its_stack(self):
        stack = {"openblas": "1"}
        label = stack_id(stack)[:12] + "+A"
        for number in range(20):
            speed = self.random.gauss(0, 0.1)
            for arm in ("", label):
                self.inspection(stack, 100 * math.exp(speed + self.random.gauss(0, 0.002)), number, arm=arm)
        self.store()
        found = self.compare(stack_id(stack)[:12], label)
        self.assertEqual((found["verdict"], found["n"]), ("EQUIVALENT", 20))

    def test_finalists_of_a_race_on_their_fresh_rounds(self):
        self.fake_catalog({f"library{n}": ("1", "/nowhere.so") for n in range(4)})
        project = self.project(campaign={"sampler": {"kind": "all"}, "rounds": 60,
                                         "strategy": {"kind": "race", "finalists": 2, "final_rounds": 12}})
        plan = self.json("inspect", project, "--dry-run")
        self.documents.append(plan)
        arms = plan["arms"]
        for number in range(60):
            for place, arm in enumerate(arms):
                # Luck before the finals: the first is ahead by 4%, later by nothing.
                rate = 100 * (0.7 if place > 1 else 1.04 if place == 0 and number < 10 else 1)
                self.inspection(arm["stack"], rate * math.exp(self.random.gauss(0, 0.002)), number, campaign=plan["id"],
                                workload=arm["workload"])
        self.store()
        found = self.compare(stack_id(arms[0]["stack"])[:12], stack_id(arms[1]["stack"])[:12])
        note = [note for note in found["notes"] if "raced" in note][0]
        first = int(note.split("from round ")[1].split(" ")[0])
        self.assertEqual(found["n"], 60 - first)
        self.assertTrue(0 < first < 60, note)
        left = self.compare(stack_id(arms[0]["stack"])[:12], stack_id(arms[2]["stack"])[:12])
        self.assertEqual(left["verdict"], "FASTER")

    def test_workload_that_both_have_most_of(self):
        first, second = {"openblas": "1"}, {"openblas": "2"}
        small = dict(WORKLOAD, params={"m": "64", "n": "64", "k": "64"})
        self.rounds([(first, 100), (second, 90)], count=8, workload=small)
        self.rounds([(first, 100), (second, 90)], count=12, campaign="second")
        self.rounds([(first, 100)], count=30, campaign="third", workload=dict(WORKLOAD, pi="conv2d"))
        self.store()
        found = self.compare("openblas=1", "openblas=2")
        self.assertEqual((found["workload"], found["n"]), ("matmul:k=512,m=512,n=512", 12))
        self.assertTrue(any("m=64" in note for note in found["notes"]))
        self.assertEqual(self.compare("openblas=1", "openblas=2", "--workload", "matmul:m=64")["n"], 8)

    def test_bad_input_names_what_was_expected(self):
        first, second = {"openblas": "0.3.27"}, {"openblas": "0.3.34"}
        self.rounds([(first, 100), (second, 90)], count=6)
        self.store()
        for arguments, expected in ((("openblas=0.3.1", "openblas=0.3.27"), "0.3.27, 0.3.34"), (("opneblas=1", "openblas=0.3.27"), "did you mean"),
                                    (("nonsense", "openblas=0.3.27"), "COMPONENT=VERSION"), (("openblas=0.3.27", "openblas=0.3.27"), "are the same"),
                                    (("openblas=0.3.27", "campaign:" + campaign_id("first")[:9]), "two of a kind"),
                                    (("campaign:abcdef", "openblas=0.3.27"), "no such campaign"), (("host:mars", "openblas=0.3.27"), "on such a host"),
                                    (("openblas=", "openblas=0.3.27"), "expected COMPONENT=VERSION"), (("store:none.db", "x"), "no such file")):
            with self.subTest(arguments=arguments):
                self.assertIn(expected, self.stackx("compare", *arguments, exit_code=2).stderr)
        self.assertIn("same stack", self.stackx("compare", stack_id(first)[:9], "openblas=0.3.27", exit_code=1).stdout)

    def test_nothing_measured(self):
        self.store()
        self.stackx("compare", "openblas=1", "openblas=2", exit_code=1)
