"""stackx resolve against an oracle of its own: the BLAS catalog's stacks, enumerated and checked in Python."""

import hashlib
import itertools
import json
import unittest

from harness import EXAMPLE, BlackBox


def stack_id(components):
    text = json.dumps(components, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


class Resolve(BlackBox):
    def test_example_counts_and_lists_agree(self):
        answer = self.json("resolve", EXAMPLE, "--count")
        self.assertEqual(answer["project"], "blas-cpu")
        valid, raw = int(answer["valid_stacks"]), int(answer["raw_combinations"])
        self.assertGreater(valid, 20)
        self.assertGreater(raw, valid)
        stacks = self.lines("resolve", EXAMPLE, "--list", str(valid + 10))
        self.assertEqual(len(stacks), valid)
        self.assertEqual(len({stack["id"] for stack in stacks}), valid)
        for stack in stacks:
            self.assertEqual(stack["id"], stack_id(stack["components"]))

    def test_example_stacks_keep_the_rules(self):
        flags = set(self.json("hw")["cpu"]["isa"])
        for line in self.lines("resolve", EXAMPLE, "--list", "1000000"):
            stack = line["components"]
            libraries = {"scipy-openblas64", "scipy-openblas32", "mkl", "onednn-cpu-gomp", "debian-openblas", "debian-blis",
                         "netlib-blas"} & stack.keys()
            self.assertEqual(len(libraries), 1, stack)
            layer = stack.get("mkl-threading")
            self.assertEqual("mkl" in stack, layer is not None)
            self.assertEqual(layer == "intel", "intel-openmp" in stack)
            self.assertEqual(layer == "tbb", "tbb" in stack)
            if layer == "sequential" or "netlib-blas" in stack:
                self.assertEqual(stack["threads"], "1")
            if stack.get("openblas-coretype") in ("SkylakeX", "Cooperlake"):
                self.assertIn("avx512f", flags)

    def test_shares_add_up(self):
        shares = self.json("resolve", EXAMPLE, "--share")
        self.assertEqual(sum(map(int, shares["stacks_with"]["threads"].values())), int(shares["valid_stacks"]))

    def test_sample_is_reproducible_distinct_and_valid(self):
        every = {line["id"] for line in self.lines("resolve", EXAMPLE, "--list", "1000000")}
        first = [line["id"] for line in self.lines("resolve", EXAMPLE, "--sample", "20", "--seed", "7")]
        again = [line["id"] for line in self.lines("resolve", EXAMPLE, "--sample", "20", "--seed", "7")]
        other = [line["id"] for line in self.lines("resolve", EXAMPLE, "--sample", "20", "--seed", "8")]
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertEqual(len(set(first)), 20)
        self.assertLessEqual(set(first), every)

    def test_small_catalog_against_brute_force(self):
        versions = {"a": ["1.0", "2.0"], "b": ["1.0", "1.5", "2.0"], "c": ["1", "2"]}
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {
            "a": {"kind": "package", "versions": {"1.0": {"requires": {"b": "<2"}}, "2.0": {"requires": {"b": ">=1.5", "c": "*"}}}},
            "b": {"kind": "package", "versions": {"1.0": {}, "1.5": {"conflicts": {"c": "==2"}}, "2.0": {}}},
            "c": {"kind": "package", "versions": {"1": {}, "2": {}}}}})
        expected = set()
        for a, b, c in itertools.product(versions["a"], [*versions["b"], None], [*versions["c"], None]):
            if a == "1.0" and b in ("1.0", "1.5") and c is None:
                expected.add((a, b, c))
            if a == "2.0" and b in ("1.5", "2.0") and c is not None and not (b == "1.5" and c == "2"):
                expected.add((a, b, c))
        listed = {tuple(line["components"].get(name) for name in "abc")
                  for line in self.lines("resolve", self.project(requires={"a": "*"}), "--list", "100")}
        self.assertEqual(listed, expected)
        answer = self.json("resolve", self.project(requires={"a": "*"}), "--count")
        self.assertEqual((answer["valid_stacks"], answer["raw_combinations"]), (str(len(expected)), "12"))

    def test_unsolvable_is_explained_with_exit_1(self):
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {
            "tensorflow": {"kind": "package", "versions": {"2.19": {"requires": {"python": ">=3.9"}}}},
            "python": {"kind": "runtime", "versions": {"3.8": {}, "3.9": {}}}, "unrelated": {"kind": "package", "versions": {"1": {}}}}})
        project = self.project(requires={"tensorflow": "*", "unrelated": "*"}, pins={"python": "==3.8"})
        answer = self.json("resolve", project, "--explain", exit_code=1)
        clash = " / ".join(answer["clash"])
        self.assertIn("tensorflow", clash)
        self.assertIn("3.8", clash)
        self.assertNotIn("unrelated", clash)
        self.assertIn("no valid stack", self.stackx("resolve", project, exit_code=1).stdout)


if __name__ == "__main__":
    unittest.main()
