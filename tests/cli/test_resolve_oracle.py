"""stackx resolve --count against clingo on generated catalogs, too large for brute force."""

import importlib.util
import json
import unittest

import clingo_oracle
from resolve_box import ResolveBox

MOST = 200_000  # stacks that clingo shall list one by one


class Oracle(ResolveBox):
    @unittest.skipUnless(importlib.util.find_spec("clingo"), "the Python module clingo is not installed: pip install clingo")
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


if __name__ == "__main__":
    unittest.main()
