"""stackx effects, resolve --top --effects and advise --pareto on a made-up store whose truth is known."""

import csv
import io
import itertools
import json
import math

from made_up_store import WORKLOAD, MadeUpStore, stack_id

TRUTH = {"blas": {"1.0": 0.0, "1.2": math.log(1.1), "1.10": math.log(1.3)}, "threads": {"1": 0.0, "2": math.log(1.9)},
         "isa": {"AVX2": 0.0, "AVX512": math.log(1.4), "SSE2": -0.5}}


class Effects(MadeUpStore):
    def stacks(self):
        names = sorted(TRUTH)
        return [dict(zip(names, versions)) for versions in itertools.product(*(TRUTH[name] for name in names))]

    def rate(self, stack):
        return 50 * math.exp(sum(TRUTH[name][version] for name, version in stack.items()))

    def measure(self, stacks, count=6, noise=0.01, **options):
        return self.rounds([(stack, self.rate(stack)) for stack in stacks], count=count, noise=noise, **options)

    def catalog(self, **more):
        components = {name: {"kind": "setting", "versioning": "opaque", "versions": {version: {} for version in [*versions, *more.get(name, [])]}}
                      for name, versions in TRUTH.items()}
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": components})
        return self.project(requires={name: "*" for name in TRUTH})

    def effect(self, document, component, start, end):
        found = [one for one in document["effects"] if (one["component"], one["from"], one["to"]) == (component, start, end)]
        self.assertEqual(len(found), 1, document["effects"])
        return found[0]

    def test_the_effects_are_the_truth(self):
        self.measure(self.stacks()[:15])
        self.store()
        found = self.json("effects")
        for component, start, end, kind in (("blas", "1.0", "1.2", "step"), ("blas", "1.2", "1.10", "step"), ("blas", "1.0", "1.10", "overall"),
                                            ("threads", "1", "2", "step")):
            one = self.effect(found, component, start, end)
            true = math.exp(TRUTH[component][end] - TRUTH[component][start])
            self.assertAlmostEqual(one["ratio"], true, delta=0.03 * true)
            self.assertTrue(one["ci95"][0] < one["ratio"] < one["ci95"][1])
            self.assertTrue(one["clear"])
            self.assertEqual(one["kind"], kind)
        # Names have no order: each against the one that most stacks hold.
        isa = [one for one in found["effects"] if one["component"] == "isa"]
        self.assertEqual(len(isa), 2)
        self.assertEqual(len({one["from"] for one in isa}), 1)
        self.assertEqual(found["model"]["stacks"], 15)
        self.assertEqual(found["model"]["degrees_of_freedom"], 15 - 6)
        self.assertLess(found["model"]["leave_one_out"]["median_absolute_error"], 0.05)
        self.assertGreaterEqual(found["model"]["leave_one_out"]["intervals_that_covered"], 12)
        self.assertRegex(found["text"], r"^threads 1 -> 2 matters most: ×1\.\d+ \[1\.\d+, [12]\.\d+\]; 6 of 6 changes shown to matter\.$")
        self.environment["COLUMNS"] = "80"
        text = self.stackx("effects").stdout
        self.assertEqual(" ".join(text.partition("\n\n")[0].split()), found["text"])
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        for command in ("effects", "report"):
            self.assertIn("--campaign nope: the store knows no such campaign", self.stackx(command, "--campaign", "nope", exit_code=2).stderr)
        only = self.json("effects", "--component", "threads")
        self.assertEqual({one["component"] for one in only["effects"]}, {"threads"})
        self.assertIn('did you mean "threads"?', self.stackx("effects", "--component", "thread", exit_code=2).stderr)

    def test_table_and_csv_say_the_same(self):
        self.measure(self.stacks()[:15])
        self.store()
        document = self.json("effects")
        rows = list(csv.DictReader(io.StringIO(self.stackx("effects", "--format", "csv").stdout)))
        self.assertEqual([(row["component"], row["from"], row["to"], float(row["ratio"])) for row in rows],
                         [(one["component"], one["from"], one["to"], one["ratio"]) for one in document["effects"]])
        table = self.stackx("effects").stdout
        for one in document["effects"]:
            self.assertIn(f"{one['from']} -> {one['to']}", table)
            self.assertIn(f"×{one['ratio']:.3f}", table)
        self.assertIn("15 stacks predicted from the others", table)
        self.assertIn("from 90 inspections of 15", table)

    def test_what_varies_together_is_named(self):
        stacks = [{"threads": threads, **both} for threads in ("1", "2") for both in ({}, {"mkl": "2024", "openmp": "5"})]
        self.rounds([(stack, 100 + 10 * number) for number, stack in enumerate(stacks)], count=4)
        self.store()
        found = self.json("effects")
        self.assertEqual([one["component"] for one in found["effects"]], ["threads"])
        self.assertEqual([(one["component"], one["with"]) for one in found["confounded"]], [("mkl", ["openmp"]), ("openmp", ["mkl"])])
        self.assertIn("being there or not, of mkl, openmp", self.stackx("effects").stdout.replace("\n ", ""))

    def test_top_is_the_sorted_list_of_predictions(self):
        measured = self.stacks()[:15]
        logs = self.measure(measured)
        self.store()
        project = self.catalog(isa=["SSE42"])
        done = self.stackx("resolve", project, "--top", "100", "--effects", "--json")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(lines), 24)
        rates = [one["predicted"]["rate"] for one in lines]
        for higher, lower in zip(rates, rates[1:]):
            self.assertGreaterEqual(higher, lower * (1 - 1e-5))
        known = {stack_id(stack): number for number, stack in enumerate(measured)}
        for one in lines:
            self.assertEqual(one["evidence"], "predicted")
            low, high = one["predicted"]["interval95"]
            self.assertTrue(low < one["predicted"]["rate"] < high)
            if one["components"]["isa"] == "SSE42":
                self.assertEqual(one["never_measured"], ["isa SSE42"])
                self.assertIsNone(one["measured"])
                continue
            self.assertEqual(one["never_measured"], [])
            self.assertAlmostEqual(math.log(one["predicted"]["rate"] / self.rate(one["components"])), 0, delta=0.15)  # the rounds' own speed
            if one["id"] in known:
                self.assertEqual(one["measured"]["inspections"], 6)
                values = sorted(math.exp(row[known[one["id"]]]) for row in logs)
                self.assertAlmostEqual(one["measured"]["median"], (values[2] + values[3]) / 2, delta=0.01)
            else:
                self.assertIsNone(one["measured"])
        width = {name: max(math.log(one["predicted"]["interval95"][1] / one["predicted"]["interval95"][0]) for one in lines
                           if (one["components"]["isa"] == "SSE42") == (name == "unknown")) for name in ("known", "unknown")}
        self.assertGreater(width["unknown"], 2 * width["known"])
        best = max(self.stacks(), key=self.rate)
        self.assertEqual(lines[0]["components"], best)
        self.assertNotIn(best, measured)
        self.assertIn("1 of the project's 9 versions were never measured", " ".join(done.stderr.split()))
        self.assertIn("Best measured: ", done.stderr)
        self.assertIn("which nobody has measured", " ".join(done.stderr.split()))
        text = self.stackx("resolve", project, "--top", "1", "--effects").stdout
        self.assertRegex(text, r"^predicted [0-9.]+ \[[0-9.]+, [0-9.]+\] GFLOP/s  [0-9a-f]{12}  blas=")

        predicted = self.json("effects", "--predict", project, "--top", "3")["predictions"]
        self.assertEqual(predicted, lines[:3])
        table = self.stackx("effects", "--predict", project, "--top", "3").stdout
        self.assertIn("The 3 stacks of", table)
        self.assertIn(lines[0]["id"][:12], table)

    def test_scores_are_for_use_elsewhere(self):
        self.measure(self.stacks())
        self.store()
        project = self.catalog()
        scores = self.scratch / "scores.json"
        self.stackx("effects", "--scores", scores)
        with_scores = self.lines("resolve", project, "--top", "18", "--score", scores)
        with_effects = self.lines("resolve", project, "--top", "18", "--effects")
        self.assertEqual([one["id"] for one in with_scores], [one["id"] for one in with_effects])
        self.assertEqual([one["score"] for one in with_scores], [one["score"] for one in with_effects])
        document = json.loads(self.stackx("effects", "--scores", "-").stdout)
        self.assertEqual(document["$schema"], "stackx/score/1")
        self.assertEqual(set(document["scores"]), set(TRUTH))

    def test_nothing_measured(self):
        self.measure(self.stacks()[:3])
        self.store()
        project = self.catalog()
        done = self.stackx("effects", "--workload", "conv2d", exit_code=1)
        self.assertIn("--workload matmul", done.stdout)
        self.assertEqual(self.json("effects", "--workload", "conv2d", exit_code=1)["effects"], [])
        asked = ("resolve", project, "--top", "1", "--effects", "--workload", "conv2d")
        text = self.stackx(*asked, exit_code=1).stdout  # the input is fine, the answer is no
        self.assertRegex(text, r"\ANo measurement of conv2d on \S+ to predict from\.\nWhat is measured:\n  --hw ")
        done = self.stackx(*asked, "--json", exit_code=1)  # a stream without a stack
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr, text)

    def test_only_failures(self):
        self.inspection(self.stacks()[0], 50, outcome="crashed", reason="signal 11", samples_ns=[])
        self.store()
        self.assertIn("failed: there is no rate", self.stackx("effects", exit_code=1).stdout)
        self.assertIn("failed: there is no rate", self.stackx("resolve", self.catalog(), "--top", "1", "--effects", exit_code=1).stdout)

    def test_usage(self):
        project = self.catalog()
        self.assertIn("--top K", self.stackx("resolve", project, "--effects", exit_code=2).stderr)
        self.stackx("resolve", project, "--top", "1", "--workload", "matmul", exit_code=2)
        self.stackx("resolve", project, "--top", "1", "--effects", "--score", self.scratch / "s.json", exit_code=2)
        self.stackx("effects", "--top", "3", exit_code=2)

    def test_other_workloads_are_noted(self):
        self.measure(self.stacks()[:9])
        self.measure(self.stacks()[:2], campaign="other", workload=dict(WORKLOAD, params={"m": "64", "n": "64", "k": "64"}))
        self.store()
        found = self.json("effects", "--workload", "matmul")
        self.assertEqual(found["model"]["stacks"], 9)
        self.assertTrue(any("m=64" in note for note in found["notes"]), found["notes"])


class Pareto(MadeUpStore):
    def test_the_front(self):
        arms = {"fast": (100, 0.08), "middle": (90, 0.02), "beaten": (80, 0.04), "steady": (70, 0.001)}
        for number in range(10):
            for name, (rate, spread) in arms.items():
                self.inspection({"library": name}, rate * (1 + (spread if number % 2 else -spread)), number)
        self.inspection({"library": "once"}, 500, 0)
        self.store()
        found = self.json("advise", "--pareto")
        self.assertEqual([one["stack"]["components"]["library"] for one in found["front"]], ["fast", "middle", "steady"])
        self.assertEqual((found["dominated"], found["without_cv"]), (1, 1))
        for one in found["front"]:
            self.assertTrue(one["cv"]["ci95"][0] < one["cv"]["value"] < one["cv"]["ci95"][1])
            self.assertEqual(one["inspections"], 10)
        table = self.stackx("advise", "--pareto").stdout
        self.assertIn("library middle", table)
        self.assertNotIn("library beaten", table)
