"""stackx compare --source: published results side by side, recomputed here from the evidence files.

The numbers of "own.json" are made up for these tests; nobody measured them."""

import json

from harness import ROOT, BlackBox

MLPERF = [json.loads(file.read_text()) for file in (ROOT / "specs" / "data" / "evidence").rglob("mlperf-training-v0.6.json")]


def minutes(mlperf_id):
    """{pi: (minutes, runs)} of one row of the MLPerf table, read here without stackx."""
    found = {}
    for table in (table for document in MLPERF for table in document["tables"]):
        for cells in table["rows"]:
            cell = dict(table.get("details", {}).items())
            cell.update((column.removeprefix("details."), value) for column, value in zip(table["columns"], cells))
            if cell.get("mlperf_id") == mlperf_id:
                found[table["pi"]] = (cell["value"], cell.get("values") or table.get("values") or [])
    return found


class CompareSources(BlackBox):
    def own(self, name="own.json", hardware="Tesla V100-SXM2-32GB", **values):
        """Made-up minutes in the form that a reader would type in."""
        tables = [{"source": 0, "hardware": hardware, "devices": 8, "pi": pi, "metric": "minutes_to_train",
                   "params": {"division": "closed"}, "details": {"id": "super"},
                   "stack": {"cuda": "10.1.168", "cudnn": "7.5.0", "nccl": "2.3.7", "nvidia_driver": "418.67",
                             "os": "RHEL 7.6"},
                   "columns": ["value", "values"], "rows": [value if isinstance(value, list) else [value, None]]}
                  for pi, value in values.items()]
        source = [{"url": "https://example.org/made-up", "title": "made up for a test", "read": "2026-11-20"}]
        return self.write(name, {"$schema": "stackx/evidence/1", "source": source, "tables": tables})

    def compare(self, *sources, hw="v100", exit_code=0):
        arguments = [word for source in sources for word in ("--source", source)]
        return self.json("compare", *(("--hw", hw) if hw else ()), *arguments, exit_code=exit_code)

    def test_two_submissions_differ_by_what_their_minutes_say(self):
        first, second = minutes("0.6-9"), minutes("0.6-18")
        self.assertEqual(set(first), {"train_ssd", "train_maskrcnn", "train_gnmt", "train_transformer"})
        answer = self.compare("mlperf-v0.6:0.6-9", "mlperf-v0.6:0.6-18")
        self.assertEqual({pair["benchmark"] for pair in answer["pairs"]}, first.keys() & second.keys())
        for pair in answer["pairs"]:
            (a, a_runs), (b, b_runs) = first[pair["benchmark"]], second[pair["benchmark"]]
            self.assertAlmostEqual(pair["difference"], (b - a) / a, places=12)
            self.assertEqual((pair["first"]["value"], pair["second"]["value"]), (a, b))
            self.assertEqual(pair["ranges_overlap"], min(a_runs) <= max(b_runs) and min(b_runs) <= max(a_runs))
            low, high = pair["ratio_of_runs"]["ci95"]
            ratios = sorted(y / x for x in a_runs for y in b_runs)
            self.assertLessEqual(ratios[0], low)
            self.assertLessEqual(low, pair["ratio_of_runs"]["estimate"])
            self.assertLessEqual(pair["ratio_of_runs"]["estimate"], high)
            self.assertLessEqual(high, ratios[-1] * (1 + 1e-12))
            self.assertIn(min(ratios, key=lambda r: abs(r - low)), [r for r in ratios if abs(r - low) < 1e-9])
            self.assertEqual(set(pair["differs"]), {"os"})
            self.assertIn("8 devices against 16", pair["cautions"])
        text = self.stackx("compare", "--hw", "v100", "--source", "mlperf-v0.6:0.6-9", "--source",
                           "mlperf-v0.6:0.6-18").stdout
        differences = [100 * (second[pi][0] - a) / a for pi, (a, _) in first.items()]
        self.assertIn(f"From {min(differences):+.2f}% to {max(differences):+.2f}% over 4 benchmarks.", text)
        self.assertIn("negative means that the second needed less", text)

    def test_a_readers_own_minutes_beside_the_table(self):
        own = self.own(train_ssd=21.5, train_resnet50=[115.9, [115.7, 115.8, 115.9, 116.0, 116.1]])
        answer = self.compare("mlperf-v0.6:0.6-8,0.6-9", own)
        pairs = {pair["benchmark"]: pair for pair in answer["pairs"]}
        self.assertEqual(set(pairs), {"train_ssd", "train_resnet50"})
        self.assertAlmostEqual(pairs["train_ssd"]["difference"], (21.5 - 22.36) / 22.36)
        self.assertIsNone(pairs["train_ssd"]["ratio_of_runs"])
        self.assertIn("the second is a single number; it lies outside the range", pairs["train_ssd"]["says"])
        self.assertEqual(pairs["train_ssd"]["differs"]["cuda"], ["10.1.163", "10.1.168"])
        self.assertEqual(pairs["train_ssd"]["differs"]["nccl"], ["2.4.6", "2.3.7"])
        self.assertNotIn("driver", pairs["train_ssd"]["differs"])
        self.assertIsNotNone(pairs["train_resnet50"]["ratio_of_runs"]["ci95"])
        self.assertIn("only mlperf-v0.6:0.6-8,0.6-9 has train_gnmt (minutes_to_train)", answer["notes"])
        by_id = self.compare("mlperf-v0.6:0.6-8,0.6-9", f"{own}:super")
        self.assertEqual([p["difference"] for p in by_id["pairs"]], [p["difference"] for p in answer["pairs"]])
        text = self.stackx("compare", "--source", "mlperf-v0.6:0.6-9", "--source", own).stdout
        self.assertIn("cuda: 10.1.163 against 10.1.168", text)
        self.assertIn("carries no confidence interval", text)

    def test_the_white_papers_extremes_are_what_such_minutes_give(self):
        # -6.13 % and +2.29 % of the published minutes: made up backwards, to see that the sign and the rounding hold.
        table = minutes("0.6-9")
        own = self.own(train_ssd=round(table["train_ssd"][0] * (1 - 0.0613), 4),
                       train_gnmt=round(table["train_gnmt"][0] * (1 + 0.0229), 4))
        text = self.stackx("compare", "--hw", "v100", "--source", "mlperf-v0.6:0.6-9", "--source", own).stdout
        self.assertIn("From -6.13% to +2.29% over 2 benchmarks.", text)

    def test_what_is_not_there_is_named(self):
        known = "mlperf-v0.6:0.6-9"
        for sources, message in (
                ((known,), "--source stands 1 time; two are compared"),
                ((known, "mlperf-v0.6:0.6-99"), "no result with the id 0.6-99; there are 0.6-"),
                ((known, "mlperf"), "may be any of mlperf-inference-v0.5, mlperf-training, mlperf-training-v0.6; name one"),
                ((known, "deepbensh"), 'did you mean "deepbench"?'),
                ((known, "missing.json"), "neither a file nor a source")):
            arguments = [word for source in sources for word in ("--source", source)]
            done = self.stackx("compare", "--hw", "v100", *arguments, exit_code=2)
            with self.subTest(sources=sources):
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stdout, "")
        self.assertIn("A and B have no place", self.stackx("compare", "x", "y", "--source", known, exit_code=2).stderr)
        self.assertIn("A and B are required", self.stackx("compare", exit_code=2).stderr)
        bad = self.write("bad.json", {"$schema": "stackx/evidence/1", "source": [], "tablse": []})
        done = self.stackx("compare", "--source", known, "--source", bad, exit_code=2)
        self.assertIn('did you mean "tables"?', done.stderr)

    def test_nothing_in_common_is_a_no(self):
        answer = self.compare("mlperf-v0.6:0.6-8", self.own(train_ssd=21.5), exit_code=1)
        self.assertEqual(answer["pairs"], [])
        self.assertEqual(len(answer["notes"]), 2)
        done = self.stackx("compare", "--source", "mlperf-v0.6:0.6-8", "--source", self.own(train_ssd=21.5), exit_code=1)
        self.assertIn("No benchmark that both have", done.stdout)
        self.stackx("compare", "--hw", "h100", "--source", "mlperf-v0.6:0.6-8", "--source", "mlperf-v0.6:0.6-9",
                    exit_code=2)
