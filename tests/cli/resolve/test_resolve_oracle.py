"""stackx resolve --count against clingo on generated catalogs, too large for brute force."""

import importlib.util
import json
import unittest

import clingo_oracle
from resolve_box import ResolveBox

MOST = 200_000  # stacks that clingo shall list one by one


@unittest.skipUnless(importlib.util.find_spec("clingo"), "the Python module clingo is not installed: pip install clingo")
class Oracle(ResolveBox):
    def test_counts_agree_with_clingo(self):
        sizes = []
        for seed in range(40):
            with self.subTest(seed=seed):
                project, catalog = self.generated(seed)
                expected = clingo_oracle.count(catalog.components, catalog.requires, catalog.pins, MOST)
                answer = self.stackx("resolve", project, "--count", "--json", exit_code=0 if expected else 1)
                counted = int(json.loads(answer.stdout)["valid_stacks"])
                self.assertEqual(min(counted, MOST + 1), expected)
                sizes.append(expected)
        self.assertGreaterEqual(sum(size >= 100 for size in sizes), 10, sizes)
        self.assertGreaterEqual(sum(size >= 5_000 for size in sizes), 4, sizes)

    def test_lists_of_the_most_entangled_agree_with_clingo(self):
        # With cycles everywhere; tables of gigabytes, for some thousand stacks.
        for seed in (171, 424):
            project, catalog = self.generated(seed)
            expected = clingo_oracle.count(catalog.components, catalog.requires, catalog.pins, MOST)
            self.assertGreater(expected, 1_000)
            listed = self.stacks(project, "--memory", "0.01", "--list", str(MOST))
            self.assertEqual(len({tuple(sorted(stack.items())) for stack in listed}), expected)
            self.assertEqual(len(listed), expected)
