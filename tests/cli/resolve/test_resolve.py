"""stackx resolve against an oracle of its own: the BLAS catalog's stacks, enumerated and checked in Python."""

import itertools
import json
import math

from harness import EXAMPLE, ROOT, this_machine
from resolve_box import ResolveBox, stack_id

FLASK = ROOT / "examples" / "tensorflow-flask" / "project.json"
FLASK_STACKS = 8182511977833649821182538240


class Resolve(ResolveBox):
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
        flags = set(this_machine()["cpu"]["isa"])
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

    def test_sample_is_reproducible_and_valid(self):
        every = {line["id"] for line in self.lines("resolve", EXAMPLE, "--list", "1000000")}
        first = [line["id"] for line in self.lines("resolve", EXAMPLE, "--sample", "20", "--seed", "7")]
        again = [line["id"] for line in self.lines("resolve", EXAMPLE, "--sample", "20", "--seed", "7")]
        other = [line["id"] for line in self.lines("resolve", EXAMPLE, "--sample", "20", "--seed", "8")]
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertEqual(len(first), 20)
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

    def test_one_is_singular_and_what_has_no_version_is_absent(self):
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {
            "a": {"kind": "package", "versions": {"1.0": {"requires_if": [{"if": {"python": "<3"}, "then": {"gone": "*"}}],
                                                          "requires": {"python": "*"}}}},
            "gone": {"kind": "package", "versions": {}}, "python": {"kind": "runtime", "versions": {"3.11": {}}}}})
        said = self.stackx("resolve", self.project(requires={"a": "*"})).stdout
        self.assertIn(": 1 valid stack out of 1 combination of 3 components (", said)
        said = self.stackx("resolve", self.project(requires={"python": "*"})).stdout
        self.assertIn(": 1 valid stack out of 1 combination of 1 component (", said)
        self.assertIn("catalog.json: valid, 3 components with 2 versions", self.stackx("catalog", "validate", self.scratch / "catalog.json").stdout)
        said = self.stackx("resolve", self.project(requires={"a": "*"}), "--cover", "1").stderr
        self.assertIn("1 stack covers 2 of 2 valid combinations of 1 version\n", said)

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


class Counts(ResolveBox):
    def test_counts_and_shares_beyond_any_machine_number_are_exact_decimals(self):
        # 60 pairs: b's version is not above a's, 10 * 11 / 2 ways each.
        pairs, versions = 60, range(1, 11)
        components = {}
        for pair in range(pairs):
            components[f"a{pair}"] = {str(a): {"requires": {f"b{pair}": f"<={a}"}} for a in versions}
            components[f"b{pair}"] = [str(b) for b in versions]
        self.catalog(components)
        project = self.project(requires={f"a{pair}": "*" for pair in range(pairs)})
        answer = self.json("resolve", project, "--count")
        self.assertEqual(answer["components"], 2 * pairs)
        self.assertEqual(answer["valid_stacks"], str(55 ** pairs))
        self.assertEqual(answer["raw_combinations"], str(10 ** (2 * pairs)))
        shares = self.json("resolve", project, "--share")
        self.assertEqual(shares["valid_stacks"], str(55 ** pairs))
        for version in versions:
            self.assertEqual(shares["stacks_with"]["a7"][str(version)], str(version * 55 ** (pairs - 1)))
            self.assertEqual(shares["stacks_with"]["b7"][str(version)], str((11 - version) * 55 ** (pairs - 1)))

    def test_shares_are_how_often_the_list_holds_each_version(self):
        for seed in (2, 8, 10):
            project, catalog = self.generated(seed)
            every = self.stacks(project)
            for name, versions in self.json("resolve", project, "--share")["stacks_with"].items():
                self.assertEqual(versions.keys(), catalog.components[name]["versions"].keys())
                for version, number in versions.items():
                    self.assertEqual(int(number), sum(stack.get(name) == version for stack in every), (seed, name, version))

    def test_a_person_reads_grouped_digits(self):
        self.catalog({f"c{i}": [str(v) for v in range(10)] for i in range(20)})
        text = self.stackx("resolve", self.project(requires={f"c{i}": "*" for i in range(20)})).stdout
        number = f"{10 ** 20:,}"
        self.assertIn(f"test: {number} valid stacks out of {number} combinations of 20 components", text)

    def test_cycles_are_solved_and_do_not_support_themselves(self):
        self.catalog({"a": {"1": {"requires": {"b": "*"}}, "2": {}}, "b": {"1": {"requires": {"a": "*"}}, "2": {"requires": {"c": "*"}}},
                      "c": {"1": {"requires": {"b": ">=2"}}}})
        listed = {tuple(sorted(stack.items())) for stack in self.stacks(self.project(requires={"a": "*"}))}
        # Not a 2 with b 2 and c 1: these need each other, and nobody needs them.
        self.assertEqual(listed, {(("a", "2"),), (("a", "1"), ("b", "1")), (("a", "1"), ("b", "2"), ("c", "1"))})

    def test_a_ring_of_a_hundred(self):
        # Each version needs the next component not to be older; around the ring all are of one version.
        ring, versions = 100, 5
        self.catalog({f"r{i}": {str(v): {"requires": {f"r{(i + 1) % ring}": f">={v}"}} for v in range(versions)} for i in range(ring)})
        self.assertEqual(self.count(self.project(requires={"r0": "*"})), versions)


class TensorflowFlask(ResolveBox):
    """The real catalog: 73 packages as they were in November 2019."""

    def test_count_and_shares(self):
        answer = self.json("resolve", FLASK, "--count")
        self.assertEqual(answer["valid_stacks"], str(FLASK_STACKS))
        shares = self.json("resolve", FLASK, "--share")
        catalog = self.document("tensorflow-flask-2019-11.json")
        self.assertEqual(answer["components"], len(shares["stacks_with"]))
        self.assertEqual(answer["raw_combinations"],
                         str(math.prod(len(catalog["components"][name]["versions"]) for name in shares["stacks_with"])))
        for root in ("tensorflow", "flask"):
            self.assertEqual(shares["stacks_with"][root].keys(), catalog["components"][root]["versions"].keys())
            self.assertEqual(sum(map(int, shares["stacks_with"][root].values())), FLASK_STACKS)

    def test_a_requirements_txt_over_the_catalog_of_that_name_asks_the_same(self):
        project = self.write("requirements.txt", "tensorflow\nFlask\n")
        self.assertEqual(self.count(project, "--catalog", "tensorflow-flask-2019-11.json"), FLASK_STACKS)

    def document(self, name):
        return json.loads((ROOT / "specs" / "data" / name).read_text())
