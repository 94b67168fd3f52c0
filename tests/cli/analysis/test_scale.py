"""Where more was measured than an answer reads: seeded samples, said so, with counts of everything."""

import math

from made_up_store import WORKLOAD, MadeUpStore, sealed, stack_id

STACKS, ROUNDS, FAILED = 8, 720, 60
ALL = STACKS * ROUNDS


class Scale(MadeUpStore):
    def setUp(self):
        super().setUp()
        rates = [({"numpy": f"1.{n}", "blas": "3"}, 100 * 0.97 ** (n * 3 % STACKS)) for n in range(STACKS)]
        self.order = [stack for stack, rate in sorted(rates, key=lambda one: -one[1])]
        self.store_once(lambda: self.fill(rates))

    def fill(self, rates):
        for campaign in ("first", "second"):
            self.rounds(rates, count=ROUNDS // 2, campaign=campaign)
        for document in self.documents[-FAILED * STACKS::STACKS]:  # of the first stack, in the last rounds
            document.update(outcome="crashed", reason="signal 11", samples_ns=[])
            del document["exit_code"], document["id"]
        self.documents = [one if "id" in one else sealed(one) for one in self.documents]

    def advise(self, *arguments):
        return self.json("advise", "--hw", "host", "--workload", "matmul", "--explain", *arguments)

    @staticmethod
    def measured(document):
        return [row for row in document["recommendations"] if row["evidence"].startswith("measured")]

    def test_a_sample_ranks_as_everything_does(self):
        some, everything = self.advise(), self.advise("--read", "0")
        self.assertEqual(some["sample"], {"inspections": ALL, "read": 4000, "of_each": 500, "seed": 1})
        self.assertNotIn("sample", everything)
        rows, all_rows = self.measured(some), self.measured(everything)
        self.assertEqual([row["stack"]["components"] for row in all_rows], self.order)
        self.assertEqual([row["stack"] for row in rows], [row["stack"] for row in all_rows])
        for row, of_all in zip(rows, all_rows):
            for key in ("inspections", "failures", "failures_by_outcome", "verdict_vs_best", "evidence"):
                self.assertEqual(row[key], of_all[key], key)
            self.assertLessEqual(row["sampled"], 500)
            self.assertGreater(row["sampled"], 400)
            low, high = row["rate"]["ci95"]
            self.assertLess(low * 0.995, of_all["rate"]["median"])
            self.assertLess(of_all["rate"]["median"], high * 1.005)
            narrow, wide = (of["rate"]["ci95"][1] - of["rate"]["ci95"][0] for of in (of_all, row))
            self.assertGreater(wide, narrow)  # of fewer inspections: said to be less certain
        self.assertEqual(sum(row["failures"] for row in rows), FAILED)

    def test_the_answer_says_so(self):
        text = " ".join(self.stackx("advise", "--hw", "host", "--workload", "matmul").stdout.split())
        self.assertIn(f"Of {ALL:,} inspections 4,000 were read, up to 500 of each stack (seed 1).", text)
        self.assertIn("60 inspections failed", text)
        self.assertEqual(self.json("advise", "--hw", "host", "--workload", "matmul")["sample"]["read"], 4000)
        explained = " ".join(self.stackx("advise", "--hw", "host", "--workload", "matmul", "--explain").stdout.split())
        self.assertRegex(explained, rf"\b\d+ of {ROUNDS}\b")
        self.assertIn("--read 0 reads all; `stackx export` has every document", explained)

    def test_the_seed_decides(self):
        first = self.advise()
        self.assertEqual(first, self.advise())
        other = self.advise("--read-seed", "2")
        self.assertEqual(other["sample"]["seed"], 2)
        self.assertNotEqual([row["rate"] for row in self.measured(first)], [row["rate"] for row in self.measured(other)])

    def test_as_many_as_asked_for(self):
        few = self.advise("--read", "800")
        self.assertEqual(few["sample"]["of_each"], 100)
        self.assertEqual(few["sample"]["read"], 800)
        self.assertNotIn("sample", self.advise("--read", str(ALL)))

    def test_a_campaign_alone(self):
        campaign = self.measured(self.advise())[0]["sources"][0]
        self.assertNotIn("sample", self.advise("--campaign", campaign))
        some = self.advise("--campaign", campaign, "--read", "1000")
        self.assertEqual(some["sample"], {"inspections": ALL // 2, "read": 1000, "of_each": 125, "seed": 1})
        self.assertTrue(all(row["sources"] == [campaign] for row in self.measured(some)))

    def test_the_page_says_what_it_left_out(self):
        page = self.scratch / "page.html"
        self.stackx("report", "--hw", "host", "--workload", "matmul", "-o", page)
        text = page.read_text()
        self.assertIn(f"Of {ALL:,} inspections 4,000 were read", text)
        self.assertIn(f"read of {ALL - FAILED} inspections, {FAILED} more failed", text)
        self.assertIn("--read 0", text)
        self.assertLessEqual(len(text), 6_000_000)
        document = self.json("report", "--hw", "host", "--workload", "matmul")
        self.assertEqual(document["ranking"]["sample"]["read"], 4000)
        self.assertEqual(sum(one["n"] for one in document["distributions"]),
                         sum(row["sampled"] for row in document["ranking"]["recommendations"]))
        everything = self.scratch / "all.html"
        self.stackx("report", "--hw", "host", "--workload", "matmul", "--read", "0", "-o", everything)
        self.assertNotIn("were read", everything.read_text())
        self.assertIn("--workload matmul --read 0 -o report.html", everything.read_text())
        self.assertGreater(len(everything.read_text()), len(text))

    def test_best_compares_samples_of_what_it_counts_whole(self):
        document = self.json("query", "best", "--hw", "host", "--workload", "matmul", "--limit", "8")
        self.assertTrue([note for note in document["notes"] if "of up to 500 inspections of each" in note])
        ranked = {row["stack"]["id"]: row for row in self.measured(self.advise("--read", "0"))}
        for row in document["rows"]:
            of_all = ranked[row["stack_id"]]
            self.assertEqual((row["inspections"], row["failures"]), (of_all["inspections"], of_all["failures"]))
            self.assertAlmostEqual(row["value"], of_all["rate"]["median"], delta=1e-6 * row["value"])
            self.assertIn(row["verdict"], (None, "", of_all["verdict_vs_best"], "UNRESOLVED"))

    def test_effects_say_so(self):
        self.assertTrue([note for note in self.json("effects", "--hw", "host", "--workload", "matmul")["notes"]
                         if "were read, a sample" in note])

    def test_check_quick_and_whole(self):
        whole, quick = (self.stackx("db", "check", *quick).stdout for quick in ((), ("--quick",)))
        for text in (whole, quick):
            self.assertIn(f"sound: {ALL:,} inspections", text)
        self.assertIn("every document by its id, every sum", whole)
        self.assertIn("every 64th document", quick)
        self.assertTrue(self.json("db", "check", "--quick")["quick"])


class Race(MadeUpStore):
    """A race is replayed from all that it measured: of a sample it is read whole, and judged by its fresh rounds."""

    def setUp(self):
        super().setUp()
        rates = [({"numpy": f"1.{n}", "blas": "3"}, rate) for n, rate in enumerate((100, 90, 50, 40))]
        arms = [{"label": stack_id(stack)[:12], "sentinel": False, "stack": stack, "workload": WORKLOAD} for stack, _ in rates]
        plan = sealed({"$schema": "stackx/plan/1", "arms": arms, "created": "2026-11-20T17:00:00.000Z", "project": "race",
                       "seed": 1, "campaign": {
                           "budget": {}, "limits": {"memory_gib": 4.0, "seconds": 120.0}, "max_failed": 50, "parallel": 1,
                           "rounds": 6, "runner": "local", "sampler": {"kind": "all", "seed": 0}, "sentinels": 0,
                           "strategy": {"kind": "race", "error": 0.05, "finalists": 2, "final_rounds": 12}}})
        self.documents.append(plan)
        self.rounds(rates, count=60, noise=0.001)
        for number in range(14):  # two leave after two rounds; the finals
            for stack, gflops in rates if number < 2 else rates[:2]:
                self.inspection(stack, gflops * math.exp(self.random.gauss(0, 0.001)), number, campaign=plan["id"])
        self.store()

    def advise(self, *arguments):
        return self.json("advise", "--hw", "host", "--workload", "matmul", "--explain", "--rows", "0", *arguments)

    def test_a_race_is_read_whole(self):
        document = self.advise("--read", "100")
        self.assertIn("of 1 campaigns that raced, 1 are read whole", " ".join(document["notes"]))
        first, second = document["recommendations"][:2]
        self.assertGreaterEqual(first["sampled"], 14 + 10)
        self.assertLess(first["sampled"], first["inspections"])
        # Of the race, only the rounds that did not pick the two.
        self.assertEqual(second["vs_best"]["pairs"], first["sampled"] - 2)
        everything = self.advise("--read", "0")["recommendations"]
        self.assertEqual(everything[1]["vs_best"]["pairs"], 60 + 12)
        self.assertEqual([row["verdict_vs_best"] for row in document["recommendations"]],
                         [row["verdict_vs_best"] for row in everything])
