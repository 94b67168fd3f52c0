"""The whole answer of advise: golden texts for hardware that is not here, for this machine, and where the answer is no.

Rewrite the texts with STACKX_GOLDEN=write and read what changed.
"""

import json
import os
import pathlib
import re
import unittest

from harness import EXAMPLE, ROOT, BlackBox
from made_up_store import MadeUpStore

GOLDEN = pathlib.Path(__file__).with_name("golden")


class Advise(BlackBox):
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.begin_with_what_is_published()

    def golden(self, name, text):
        path = GOLDEN / f"{name}.txt"
        if os.environ.get("STACKX_GOLDEN") == "write":
            path.write_text(text)
        self.assertEqual(text, path.read_text())

    def advise(self, *arguments, exit_code=0):
        return self.stackx("advise", *arguments, exit_code=exit_code)

    def test_v100(self):
        self.golden("v100", self.advise("--hw", "v100", "--workload", "matmul").stdout)

    def test_h100(self):
        self.golden("h100", self.advise("--hw", "h100", "--workload", "matmul").stdout)

    def test_host_where_nothing_is_measured(self):
        """The numbers and the name of the processor are this machine's."""
        text = self.advise("--hw", "host", "--workload", "matmul", exit_code=1).stdout
        name = re.match(r"1\. Valid on (\S+):", text).group(1)
        text = re.sub(r"\s+", " ", text.replace(name, "HOST"))
        self.golden("host", re.sub(r"\d[\d,.]*", "N", text) + "\n")

    def test_the_pages_show_these_answers(self):
        """What README.md and docs/advise.md print of the answers for a V100 is what is compared here, in its order."""
        golden = (GOLDEN / "v100.txt").read_text().splitlines()
        for page in ("README.md", "docs/advise.md"):
            screen = (ROOT / page).read_text().split("$ stackx advise --hw v100 --workload matmul\n", 1)[1].split("```")[0]
            shown = [line for line in screen.splitlines() if line.strip() and line != "..."]
            self.assertGreater(len(shown), 5, page)
            rest = iter(golden)
            for line in shown:
                self.assertIn(line, rest, page)  # and goes on behind it
        self.assertIn((GOLDEN / "impossible.txt").read_text(), (ROOT / "docs" / "advise.md").read_text())

    def test_unknown_gpu(self):
        for asked, nearest in (("v10", "v100"), ("h1000", "h100"), ("v1000", "v100")):
            done = self.advise("--hw", asked, "--workload", "matmul", exit_code=2)
            self.assertEqual(done.stdout, "")
            self.assertIn(nearest, done.stderr)
        self.golden("unknown", self.advise("--hw", "v10", exit_code=2).stderr.split("\n")[-2] + "\n")
        self.assertIn("matmul", self.advise("--hw", "v100", "--workload", "matmol", exit_code=2).stderr)

    def test_hardware_and_workload_as_people_type_them(self):
        done = self.advise("--hw", "rtx4090", "--workload", "gemm:dtype=fp16", exit_code=None)
        self.assertIn("rtx-4090", done.stdout)
        self.assertEqual([line for line in done.stderr.splitlines() if line.startswith("--workload")],
                         ["--workload: gemm is taken for matmul", "--workload: dtype=fp16 is taken for dtype=float16"])
        for typed, model in (("H100PCIe", "h100-pcie-80gb"), ("a100-80g", "a100-sxm4-80gb"), ("g5.xlarge", "a10g")):
            self.assertEqual(self.json("advise", "--hw", typed, "--workload", "matmul", exit_code=None)["accelerator"], model)

    def test_parameters_are_checked(self):
        for typed, said in (("matmul:m=foo", 'm of matmul is a whole number, not "foo"'),
                            ("matmul:dtype=flaot32", 'did you mean "float32"?'),
                            ("matmul:dtyp=float32", 'matmul has no parameter "dtyp"; did you mean "dtype"; it has m, n, k')):
            done = self.advise("--hw", "v100", "--workload", typed, exit_code=2)
            self.assertEqual(done.stdout, "")
            self.assertIn(said, done.stderr)

    def test_a_misspelt_package_gets_the_nearest(self):
        project = self.write("requirements.txt", "torhc==2.4\ntensorflow==2.15.0\n")
        self.assertIn("torhc (did you mean torch?)", re.sub(r"\s+", " ", self.advise("--hw", "h100", "--project", project, exit_code=None).stdout))
        self.write("requirements.txt", "torhc==2.4\n")
        self.assertIn("torhc (did you mean torch?)", self.advise("--hw", "h100", "--project", project, exit_code=2).stderr)

    def test_impossible_project(self):
        project = self.write("requirements.txt", "tensorflow-gpu==1.14\nflask\n")
        arguments = ("--hw", "h100", "--workload", "matmul", "--project", project)
        self.golden("impossible", self.advise(*arguments, exit_code=1).stdout)
        document = self.json("advise", *arguments, exit_code=1)
        self.assertEqual(document["valid"]["stacks"], "0")
        self.assertEqual(document["recommendations"], [])
        self.assertTrue(any("tensorflow 2.12.0" in line for line in document["nearest_that_works"]))
        # What it names as nearest works, and with that exactly as many stacks.
        self.write("requirements.txt", "tensorflow==2.12.0\n")
        self.assertEqual(self.json("advise", *arguments)["valid"]["stacks"], "1936")

    def test_every_number_leads_to_a_document(self):
        document = self.json("advise", "--hw", "v100", "--workload", "matmul")
        self.assertEqual([row["rank"] for row in document["recommendations"]],
                         sorted(row["rank"] for row in document["recommendations"]))
        self.assertEqual(document["valid"]["stacks"], "39185635")
        for row in document["recommendations"]:
            self.assertIn(row["evidence"], ("published", "predicted"))
            self.assertIsNone(row["rate"]["ci95"])
            if row["evidence"] == "published":
                self.assertTrue(row["documents"])
                self.assertTrue(all(source["url"].startswith("https://") for source in row["sources"]))
            else:
                self.assertTrue(row["prediction"]["basis"])
                low, high = row["rate"]["interval80"]
                self.assertTrue(low < row["rate"]["median"] < high)
        text = self.advise("--hw", "v100", "--workload", "matmul", "--explain").stdout
        for row in document["recommendations"]:
            for source in row.get("sources", []):
                self.assertIn(source["url"], text)
        for shown in document["recommendations"][0]["shown"]:
            self.assertIn(shown["document"][:12], text)
        self.assertIn("What is valid rests on", text)

    def test_names_of_one_gpu_give_one_answer(self):
        answers = {json.dumps(self.json("advise", "--hw", name, "--workload", "matmul")["valid"])
                   for name in ("t4", "Tesla T4", "g4dn.xlarge", "NVIDIA T4")}
        self.assertEqual(len(answers), 1)

    def test_the_own_stack_comes_first(self):
        lock = self.write("requirements.txt", "tensorflow-gpu==1.14.0\nnumpy==1.16.4\n")
        arguments = ("--hw", "v100", "--workload", "matmul", "--lock", lock, "--python", "3.7")
        document = self.json("advise", *arguments)
        self.assertEqual(document["own"]["components"], {"tensorflow": "1.14.0", "python": "3.7"})
        self.assertEqual(document["own"]["nearest_valid"]["differs"], {})
        self.assertEqual(document["own"]["nearest_valid"]["stack"]["components"]["cuda"], "10.0.130")
        self.assertTrue(document["own"]["stay"])  # what is published for CUDA 10.0 ties with the best
        text = self.advise(*arguments).stdout
        self.assertLess(text.index("Your stack"), text.index("Published results"))
        self.assertIn("numpy", text)
        # CUDA 9.0 was slower on most shapes.
        self.write("requirements.txt", "tensorflow-gpu==1.12.0\n")
        document = self.json("advise", *arguments[:-1], "3.6")
        self.assertFalse(document["own"]["stay"])
        self.assertIn("brought ×", " ".join(document["own"]["advice"]))
        # No wheel of it was made for that Python.
        self.write("requirements.txt", "tensorflow-gpu==1.14.0\n")
        document = self.json("advise", *arguments[:-1], "3.11")
        self.assertIn("python", document["own"]["nearest_valid"]["differs"])
        # What does not run there cannot stay.
        document = self.json("advise", "--hw", "h100", *arguments[2:-1], "3.7")
        self.assertFalse(document["own"]["stay"])
        self.assertIn("cannot stay", " ".join(document["own"]["advice"]))

    def test_a_project_narrows_the_space(self):
        project = self.write("requirements.txt", "torch>=2.4\n")
        arguments = ("--hw", "v100", "--workload", "matmul", "--project", project)
        found = self.json("advise", *arguments)
        self.assertLess(int(found["valid"]["stacks"]), 39185635)
        self.assertIn("torch", found["run"]["stack"]["components"])
        self.write("requirements.txt", "flask\n")
        self.assertIn("names nothing", self.advise(*arguments, exit_code=2).stderr)

    def test_a_project_of_stackx_is_the_space(self):
        counted = self.json("resolve", EXAMPLE, "--count")["valid_stacks"]
        found = json.loads(self.stackx("advise", "--hw", "host", "--project", EXAMPLE, "--json", exit_code=None).stdout)
        self.assertEqual(found["valid"]["stacks"], counted)
        self.assertIn("know no gpu", self.advise("--hw", "v100", "--project", EXAMPLE, exit_code=2).stderr)

    def test_settling_resolves_to_the_candidates(self):
        file = self.scratch / "settle.json"
        found = self.json("advise", "--hw", "v100", "--workload", "matmul", "--settle", file)
        candidates = {c["id"]: c["components"] for c in found["not_known"]["candidates"]}
        plan = self.json("inspect", file, "--dry-run")
        listed = {json.dumps(arm["stack"], sort_keys=True) for arm in plan["arms"]}
        self.assertEqual(len(listed), len(candidates))
        self.assertEqual(len(plan["arms"]), len(candidates) + 1)  # and a sentinel
        self.assertEqual(plan["campaign"]["rounds"], found["not_known"]["rounds"])
        self.assertRegex(self.stackx("inspect", file, exit_code=2).stderr,
                         "asks for v100-sxm2-16gb, but this machine has none")

    def test_types(self):
        latest = self.json("advise", "--hw", "v100", "--workload", "matmul", "--type", "latest")
        self.assertEqual(latest["run"]["stack"]["components"]["cuda"], "12.9.2")
        advisories = self.write("osv.json", {"id": "MADE-UP-1", "modified": "2026-01-01T00:00:00Z", "affected": [
            {"package": {"ecosystem": "PyPI", "name": "torch"},
             "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "2.6.0"}]}]}]})
        arguments = ("--hw", "v100", "--workload", "matmul", "--type", "security")
        self.assertIn("--advisories", self.advise(*arguments, exit_code=2).stderr)
        safe = self.json("advise", *arguments, "--advisories", advisories)
        self.assertLess(int(safe["valid"]["stacks"]), 39185635)
        self.assertTrue(safe["excluded"])
        for row in safe["excluded"]:
            self.assertEqual((row["component"], row["advisories"]), ("torch", ["MADE-UP-1"]))
        self.assertIn("MADE-UP-1", self.advise(*arguments, "--advisories", advisories).stdout)

    def test_cost_follows_the_price(self):
        self.assertIn("--price", self.advise("--hw", "v100", "--objective", "cost", exit_code=2).stderr)
        rows = self.json("advise", "--hw", "v100", "--workload", "matmul", "--objective", "cost", "--price", "3.6")
        row = rows["recommendations"][0]
        # 3.6 an hour is 0.001 a second; 10^15 flop take 10^6 / (GFLOP/s) seconds.
        self.assertAlmostEqual(row["cost"]["amount"], 0.001 * 1e6 / row["rate"]["median"], places=9)

    def test_nothing_asked_is_left_out_silently(self):
        lock = self.write("requirements.txt", "tensorflow-gpu==1.14.0\n")
        for options in (("--lock", lock), ("--project", lock), ("--settle", "x.json"), ("--price", "2"), ("--explain",),
                        ("--type", "latest"), ("--format", "pod")):
            self.assertIn(options[0], self.advise("--pareto", *options, exit_code=2).stderr)
        for name in ("", " "):
            self.assertIn("--hw", self.advise("--hw", name, exit_code=2).stderr)
        file = self.scratch / "settle.json"
        recipe = self.advise("--hw", "v100", "--workload", "matmul", "--format", "containerfile", "--settle", file).stdout
        self.assertIn("FROM ", recipe)
        self.assertEqual(json.loads(file.read_text())["hardware"]["gpu"], "v100-sxm2-16gb")
        # The command that is named asks the same again.
        text = self.advise("--hw", "v100", "--workload", "matmul", "--delta", "5", "--lock", lock, "--python", "3.7").stdout
        text = re.sub(r"\s+", " ", text)
        self.assertIn("for differences of 5%", text)
        self.assertIn(f"--lock {lock} --python 3.7 --delta 5 --settle", text)


class Measured(MadeUpStore):
    def advise(self, *arguments, exit_code=0):
        return self.stackx("advise", "--hw", "host", "--workload", "matmul", *arguments, exit_code=exit_code)

    def test_what_the_catalogs_do_not_know_is_in_no_recipe(self):
        self.rounds([({"numpy": "1.1", "blas": "3"}, 100), ({"numpy": "1.2", "blas": "3"}, 90)])
        self.store()
        text = self.advise().stdout
        self.assertIn("The catalogs do not know blas 3, numpy 1.1.", text)
        self.assertNotIn("--format", text)
        self.assertIn("Nothing that another campaign would settle.", text)
        for name in ("containerfile", "sbatch", "pod", "requirements"):
            self.assertIn("do not know blas 3, numpy 1.1", self.advise("--format", name, exit_code=2).stderr)

    def test_a_project_holds_for_what_was_measured(self):
        self.rounds([({"mkl": "2026.2.0"}, 200), ({"scipy-openblas64": "0.3.34.481.3"}, 100)])
        self.store()
        chosen = lambda *arguments: json.loads(self.advise("--json", *arguments).stdout)["run"]["stack"]["components"]
        self.assertEqual(chosen(), {"mkl": "2026.2.0"})
        project = self.write("requirements.txt", "scipy-openblas64\n")
        self.assertEqual(chosen("--project", project), {"scipy-openblas64": "0.3.34.481.3"})


if __name__ == "__main__":
    unittest.main()
