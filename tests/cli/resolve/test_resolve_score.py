"""stackx resolve --top against sorting the whole list, and what is wrong with a file of scores."""

import json
import random
from decimal import Decimal

from resolve_box import ResolveBox


class Top(ResolveBox):
    def top(self, project, count, scores):
        arguments = ["--top", str(count)] + ([] if scores is None else ["--score", str(self.score_file(scores))])
        text = self.stackx("resolve", project, *arguments, "--json").stdout
        return [json.loads(line, parse_float=Decimal, parse_int=Decimal) for line in text.splitlines()]

    def score_file(self, scores):
        def number(value):  # as written: a float would round it
            return value if isinstance(value, str) else json.dumps(value)
        components = ",".join(f'{json.dumps(component)}:{{{",".join(f"{json.dumps(v)}:{number(s)}" for v, s in versions.items())}}}'
                              for component, versions in scores.items())
        return self.write("scores.json", f'{{"$schema":"stackx/score/1","scores":{{{components}}}}}')

    def test_without_scores_it_says_that_all_are_equal(self):
        self.catalog({"a": ["1", "2"]})
        project = self.project(requires={"a": "*"})
        done = self.stackx("resolve", project, "--top", "2")
        self.assertIn("--top: without --score FILE or --effects all stacks score 0", done.stderr)
        self.assertEqual(self.stackx("resolve", project, "--top", "2", "--score", self.score_file({"a": {"1": 1}})).stderr, "")

    def assert_sorted(self, project, scores):
        def total(components):
            return sum(Decimal(str(scores.get(name, {}).get(version, "0"))) for name, version in components.items())
        expected = sorted(self.stacks(project), key=total, reverse=True)  # stable: equals stay in the list's order
        for count in (1, 7, len(expected) + 3):
            found = self.top(project, count, scores)
            self.assertEqual([line["components"] for line in found], expected[:count])
            self.assertEqual([line["score"] for line in found], [total(one) for one in expected[:count]])

    def test_order_scores_and_ties_are_those_of_the_sorted_list(self):
        for seed in (2, 4, 8, 10):
            project, catalog = self.generated(seed)
            numbers = random.Random(seed)
            scores = {name: {version: numbers.choice(["-1.5", "0.1", "0.2", "0.3", "2", "1e-3", "-2E+2"])
                             for version in entry["versions"] if numbers.random() < 0.6}
                      for name, entry in catalog.components.items() if numbers.random() < 0.7}
            with self.subTest(seed=seed):
                self.assertGreater(len(self.stacks(project)), 100)
                self.assert_sorted(project, scores)

    def test_tenths_are_exact(self):
        self.catalog({"a": ["1", "2"], "b": ["1", "2"]})
        project = self.project(requires={"a": "*", "b": "*"})
        scores = {"a": {"1": "0.1", "2": "0.3"}, "b": {"1": "0.2", "2": "0"}}  # 0.1 + 0.2 is 0.3
        totals = [line["score"] for line in self.top(project, 9, scores)]
        self.assertEqual(totals, [Decimal("0.5"), Decimal("0.3"), Decimal("0.3"), Decimal("0.1")])
        self.assert_sorted(project, scores)

    def test_numbers_beyond_a_double_are_exact(self):
        self.catalog({"a": ["1", "2", "3"]})
        scores = {"a": {"1": "9007199254740993.5", "2": "9007199254740993.25", "3": "9007199254740993.75"}}
        found = self.top(self.project(requires={"a": "*"}), 3, scores)
        self.assertEqual([line["components"]["a"] for line in found], ["3", "1", "2"])
        self.assertEqual(found[2]["score"], Decimal("9007199254740993.25"))

    def test_without_scores_all_are_equal_and_in_the_order_of_the_list(self):
        project, _ = self.generated(2)
        found = self.top(project, 50, None)
        self.assertEqual([line["components"] for line in found], self.stacks(project, "--list", "50"))
        self.assertEqual({line["score"] for line in found}, {0})

    def test_0_stacks_are_refused(self):
        self.catalog({"a": ["1"]})
        for question in ("--top", "--list", "--sample"):
            self.assertIn(f'{question}: expected a whole number, 1 or more, found "0"',
                          self.refusal(self.project(requires={"a": "*"}), question, "0"))


class BadScores(ResolveBox):
    def complaint(self, scores):
        self.catalog({"numpy": ["1.26.4", "2.0.1"], "scipy": ["1.11"]})
        project = self.project(requires={"numpy": "*"})
        text = scores if scores.lstrip().startswith("{\"$schema\"") else f'{{"$schema":"stackx/score/1","scores":{scores}}}'
        message = self.refusal(project, "--top", "1", "--score", self.write("scores.json", text))
        self.assertIn(str(self.scratch / "scores.json"), message)
        return message

    def test_unknown_component(self):
        message = self.complaint('{"nunpy": {"2.0.1": 1}}')
        self.assertIn("/scores/nunpy", message)
        self.assertIn('did you mean "numpy"?', message)

    def test_unknown_version(self):
        message = self.complaint('{"numpy": {"2.0.2": 1}}')
        self.assertIn("/scores/numpy/2.0.2", message)
        self.assertIn('did you mean "2.0.1"?', message)

    def test_not_a_number(self):
        for value in ('"1"', "true", "null", "[1]"):
            message = self.complaint('{"numpy": {"2.0.1": %s}}' % value)
            self.assertIn("/scores/numpy/2.0.1: expected a number", message)

    def test_too_many_digits(self):
        for value in ("1e31", "1" + "0" * 30, "123456789012345678901234567890.5", "1e99"):
            message = self.complaint('{"numpy": {"2.0.1": %s}}' % value)
            self.assertIn("/scores/numpy/2.0.1", message)
            self.assertIn("30 digits", message)
        self.complaint('{"numpy": {"2.0.1": 1e15, "1.26.4": 1e-20}}')  # each is fine, not both

    def test_too_many_decimals(self):
        self.assertIn("30 decimals", self.complaint('{"numpy": {"2.0.1": 1e-400}}'))

    def test_wrong_document(self):
        self.assertIn("stackx/score/1", self.complaint('{"$schema": "stackx/scores/1", "scores": {}}'))
        self.assertIn('"scores"', self.complaint('{"$schema": "stackx/score/1", "score": {}}'))
        self.assertIn("not JSON", self.complaint('{"numpy": {"2.0.1": 1,}}'))

    def test_a_file_that_is_not_there(self):
        self.catalog({"a": ["1"]})
        done = self.stackx("resolve", self.project(requires={"a": "*"}), "--top", "1", "--score",
                           self.scratch / "nowhere.json", exit_code=2)
        self.assertIn("nowhere.json", done.stderr)
