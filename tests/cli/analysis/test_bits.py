"""Error, ulps and bits of results: what compare, advise, report and blame's documents say of stacks whose digests are known, and of
real inspections of libraries that are steady, unsteady, or less exact."""

import hashlib
import json

from made_up_store import MadeUpStore, stack_id

ONE, OTHER = {"openblas": "0.3.34", "threads": "1"}, {"openblas": "0.3.27", "threads": "1"}


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


class Bits(MadeUpStore):
    def measured(self, *sides, rounds=12, **options):
        """Each side: stack, digest of a round, more of the check."""
        for number in range(rounds):
            for stack, of_round, more in sides:
                check = {"reference": "float64", "max_relative_error": 1e-7, "bound": 1e-5, "pass": True, "max_ulps": 8.0,
                         "result_digest": digest(of_round(number)), "inputs": "splitmix64, seed 1", "deterministic": True}
                check.update(more)
                self.inspection(stack, 100, number, check={k: v for k, v in check.items() if v is not None}, **options)
        self.store()

    def compare(self, *options, metric="error"):
        words = ("compare", stack_id(ONE)[:10], stack_id(OTHER)[:10], "--metric", metric, *options)
        return self.stackx(*words, "--no-plots").stdout, self.json(*words)

    def test_the_same(self):
        self.measured((ONE, lambda n: "x", {}), (OTHER, lambda n: "x", {}))
        text, found = self.compare()
        self.assertEqual(text.splitlines()[1], f"Results are bit for bit the same on {self.host['hostname']}.")
        (one,) = found["bits"]
        self.assertEqual((one["same"], one["host"], one["inputs"]), (True, self.host["hostname"], "splitmix64, seed 1"))
        self.assertEqual(one["stacks"], [stack_id(ONE), stack_id(OTHER)])
        self.assertEqual(one["a"], {"digests": [digest("x")], "inspections": 12, "unsteady": 0})
        self.assertEqual(self.compare(metric="ulps")[1]["bits"], found["bits"])
        by_rate = self.compare(metric="rate")
        self.assertNotIn("bits", by_rate[1])
        self.assertNotIn("bit for bit", by_rate[0])

    def test_different(self):
        self.measured((ONE, lambda n: "x", {}), (OTHER, lambda n: "y", {}))
        text, found = self.compare()
        self.assertEqual(text.splitlines()[1], f"Results differ in bits on {self.host['hostname']}.")
        self.assertEqual([one["same"] for one in found["bits"]], [False])
        self.assertFalse(any("gave different bits" in note for note in found["notes"]))

    def test_different_in_different_runs(self):
        """Also where one run of them had the other's bits."""
        self.measured((ONE, lambda n: "x", {}), (OTHER, lambda n: "y" if n == 7 else "x", {}))
        text, found = self.compare()
        self.assertIn("Results differ in bits on", text)
        said = f"gave different bits in different runs, 2 results in 12 inspections on {self.host['hostname']}"
        self.assertIn(f"Note: B {said}.", text)
        advice = self.stackx("advise", "--hw", "host", "--workload", "matmul", "--metric", "error").stdout
        self.assertIn("different bits in different runs, 2 results in 12 inspections", " ".join(advice.split()))
        ranking = self.json("advise", "--hw", "host", "--workload", "matmul", "--metric", "error", "--explain")
        self.assertIn(f"OpenBLAS 0.3.27 {said}", ranking["notes"])
        report = self.stackx("report", "--hw", "host", "--workload", "matmul", "--metric", "error").stdout
        self.assertIn(said, report)
        self.assertNotIn("different bits", self.stackx("advise", "--hw", "host", "--workload", "matmul", "--metric", "memory").stdout)

    def test_different_from_call_to_call(self):
        self.measured((ONE, lambda n: "x", {}), (OTHER, lambda n: "x", {"deterministic": False}))
        text, found = self.compare()
        self.assertIn("Results differ in bits on", text)
        self.assertIn("B gave different bits from call to call, in 12 of 12 inspections", text)
        self.assertEqual(found["bits"][0]["b"]["unsteady"], 12)

    def test_other_inputs_are_another_problem(self):
        self.measured((ONE, lambda n: "x", {}), (OTHER, lambda n: "y", {"inputs": "RandomState, seed 1"}))
        text, found = self.compare()
        self.assertNotIn("bits", found)
        self.assertNotIn(" bits", text)

    def test_other_machines_are_not_compared(self):
        there = dict(self.host, hostname="there", memory_bytes=self.host["memory_bytes"] + 4096)
        self.measured((ONE, lambda n: "x", {}))
        self.measured((OTHER, lambda n: "y", {}), host=there, campaign="second", device="GPU-2")
        found = self.compare()[1]
        self.assertNotIn("bits", found)

    def test_what_was_measured_before_has_none(self):
        none = {"result_digest": None, "inputs": None, "deterministic": None, "max_ulps": None}
        self.measured((ONE, lambda n: "", none), (OTHER, lambda n: "", none))
        self.assertNotIn("bits", self.compare()[1])
        self.assertEqual(self.json("compare", stack_id(ONE)[:10], stack_id(OTHER)[:10], "--metric", "ulps", exit_code=1)["verdict"], None)

    def test_a_regression_in_error_and_ulps_is_found(self):
        self.measured((ONE, lambda n: "x", {"max_relative_error": 9e-7, "max_ulps": 24.0}), (OTHER, lambda n: "y", {}))
        for metric, ratio in (("error", 9), ("ulps", 3)):
            text, found = self.compare(metric=metric)
            self.assertEqual(found["verdict"], "WORSE")
            self.assertAlmostEqual(found["ratio"], ratio, delta=1e-6)
            self.stackx("compare", stack_id(OTHER)[:10], stack_id(ONE)[:10], "--metric", metric, "--max-slower", "50", exit_code=1)
        self.assertTrue(text.startswith("A has MORE error in ulps than B: WORSE"), text)
        best = self.stackx("advise", "--hw", "host", "--workload", "matmul", "--metric", "ulps").stdout
        self.assertRegex(best, r"^OpenBLAS 0\.3\.27 has the LEAST error in ulps: 8\.00 ulp")

    def test_an_exact_result_has_no_ulps(self):
        self.measured((ONE, lambda n: "x", {"max_ulps": 0.0}), (OTHER, lambda n: "x", {"max_ulps": 0.0}))
        self.assertEqual(self.compare(metric="ulps")[1]["verdict"], "EQUIVALENT")

    def test_the_document_comes_back_as_it_was(self):
        self.measured((ONE, lambda n: str(n), {"deterministic": False, "max_ulps": 0.5}), rounds=3)
        found = [json.loads(line) for line in self.stackx("export").stdout.splitlines()]
        checks = sorted((one["check"] for one in found if "check" in one), key=lambda check: check["result_digest"])
        self.assertEqual([one["result_digest"] for one in checks], sorted(digest(str(n)) for n in range(3)))
        self.assertTrue(all(one["max_ulps"] == 0.5 and one["deterministic"] is False for one in checks))
        self.assertEqual(self.stackx("db", "check").returncode, 0)


class Real(MadeUpStore):
    """A program that takes part in the protocol, under two settings."""

    PI = """#!/usr/bin/env python3
import hashlib, json, os
mode = os.environ["PI_MODE"]
result = os.urandom(8) if mode == "noisy" else mode.encode()
print(json.dumps({"name": "sum", "samples_ns": [1000000] * 3, "work": {"flop": 0, "bytes": 0, "items": 1}, "loaded": {},
                  "check": {"reference": "exact", "max_relative_error": 1e-8, "bound": 1e-6, "pass": True, "max_ulps": 2.0,
                            "result_digest": hashlib.sha256(result).hexdigest(), "inputs": "mine", "deterministic": True}}))
"""

    def test_different_runs_of_a_real_program(self):
        pi = self.write("pi.py", self.PI)
        pi.chmod(0o755)
        catalog = self.write("c.json", json.dumps({"$schema": "stackx/catalog/1", "components": {"mode": {
            "kind": "setting", "versioning": "opaque", "versions": {mode: {"environment": {"PI_MODE": mode}} for mode in ("steady", "noisy")}}}}))
        project = self.write("p.json", json.dumps({
            "$schema": "stackx/project/1", "name": "bits", "catalogs": [str(catalog)], "requires": {"mode": "*"},
            "workload": {"pi": "sum", "params": {}}, "campaign": {"rounds": 3, "runner": "local"}}))
        self.stackx("inspect", project, "--pi", pi)
        text = self.stackx("compare", "mode=steady", "mode=noisy", "--metric", "error", "--pi", pi, "--no-plots").stdout
        self.assertIn("Results differ in bits on ", text)
        self.assertIn("B gave different bits in different runs, 3 results in 3 inspections", text)
        self.assertNotIn("A gave", text)
