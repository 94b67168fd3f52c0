"""stackx query upgrades: what newer versions did to published rates, counted here from timm's tables."""

import json
import statistics

from harness import ROOT, BlackBox
from test_evidence import EVIDENCE


def timm_rates():
    """{(hardware, workload): {version: rate}} of timm's tables with several versions, read here without stackx."""
    series = {}
    for file in EVIDENCE.rglob("timm-benchmarks.json"):
        for table in json.loads(file.read_text())["tables"]:
            for cells in table["rows"]:
                row = {f"{member}.{key}": value for member in ("params", "stack") for key, value in table.get(member, {}).items()}
                row.update({key: value for key, value in table.items() if key in ("hardware", "metric", "devices")})
                row.update(zip(table["columns"], cells))
                workload = tuple(sorted((key, str(value)) for key, value in row.items() if key.startswith("params.")))
                series.setdefault((row["hardware"], file.parent.name, workload), {})[row["stack.torch"]] = row["value"]
    return series


class Upgrades(BlackBox):
    def test_torch_on_one_card_is_what_its_tables_say(self):
        self.begin_with_what_is_published()
        ratios, newest = [], []
        for (hardware, _, _), versions in timm_rates().items():
            if hardware != "NVIDIA GeForce RTX 3090":
                continue
            ordered = [versions[v] for v in sorted(versions, key=lambda text: [int(part) for part in text.split(".")])]
            ratios += [newer / older for older, newer in zip(ordered, ordered[1:])]
            if len(ordered) >= 3:
                newest.append(max(ordered) / ordered[-1])
        document = self.json("query", "upgrades", "--component", "torch", "--hw", "rtx-3090")
        self.assertEqual(document["$schema"], "stackx/upgrades/1")
        [row] = document["upgrades"]
        self.assertEqual((row["component"], row["architecture"]), ("torch", "ampere"))
        steps = row["steps"]
        self.assertEqual(steps["n"], len(ratios))
        self.assertAlmostEqual(steps["median"], statistics.median(ratios), places=3)
        self.assertAlmostEqual(steps["slower"], sum(r < 1 / 1.03 for r in ratios) / len(ratios), places=3)
        self.assertAlmostEqual(steps["faster"], sum(r > 1.03 for r in ratios) / len(ratios), places=3)
        self.assertEqual(row["newest"]["n"], len(newest))
        self.assertAlmostEqual(row["newest"]["within"], sum(r <= 1.03 for r in newest) / len(newest), places=3)
        text = self.stackx("query", "upgrades", "--component", "torch", "--hw", "rtx-3090").stdout
        self.assertTrue(text.startswith("A newer torch on rtx-3090 was slower by more than 3% in "
                                        f"{round(100 * steps['slower'])}% of {len(ratios)} cases; faster by more than"), text)

    def test_all_of_it_is_the_file_that_comes_along(self):
        self.begin_with_what_is_published()
        self.assertEqual(self.stackx("query", "upgrades", "--json").stdout,
                         (ROOT / "specs" / "data" / "upgrades.json").read_text())
        text = self.stackx("query", "upgrades").stdout
        self.assertTrue(text.startswith("A newer version was slower by more than 3% in "))
        self.assertIn("more (--limit 0 shows all)", text)
        rows = self.stackx("query", "upgrades", "--format", "csv", "--limit", "0").stdout.splitlines()
        self.assertEqual(len(rows) - 1, len(json.loads((ROOT / "specs" / "data" / "upgrades.json").read_text())["upgrades"]))

    def test_one_workload_takes_in_its_own_evidence_alone(self):
        done = self.stackx("query", "upgrades", "--workload", "all_gather")
        self.assertIn("published results of all_gather that come with stackx", done.stderr)
        self.assertTrue(done.stdout.startswith("A newer version for all_gather was slower"))
        self.assertIn("nccl", done.stdout)

    def test_what_nobody_published_is_said(self):
        done = self.stackx("query", "upgrades", "--workload", "train_timm", "--component", "torhc", exit_code=2)
        self.assertIn('did you mean "torch"?', done.stderr)
        done = self.stackx("query", "upgrades", "--workload", "hello_world", exit_code=1)
        self.assertTrue(done.stdout.startswith("Nobody published what a newer version for hello_world changes"))
        done = self.stackx("query", "upgrades", "--stack", "00", exit_code=2)
        self.assertIn("expected at most one --component", done.stderr)
