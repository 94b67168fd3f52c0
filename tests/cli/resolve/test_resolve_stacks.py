"""stackx resolve: which stacks it lists, samples and covers with, held against the whole list."""

import collections
import itertools
import json
import os
import re
import subprocess

from harness import STACKX
from resolve_box import ResolveBox


def combinations(components, strength):
    return set(itertools.combinations(sorted(components.items()), strength))


def greedy_rows(stacks, strength):
    """Rows of the cover that always takes the stack with the most that is new."""
    left = [combinations(stack, strength) for stack in stacks]
    rows = 0
    while True:
        best = max(left, key=len)
        if not best:
            return rows
        rows += 1
        left = [one - best for one in left]


class List(ResolveBox):
    def test_the_order_is_the_same_in_two_runs_and_prefixes_agree(self):
        project, _ = self.generated(8)
        every = self.stacks(project)
        self.assertEqual(len(every), self.count(project))
        self.assertEqual(len({str(stack) for stack in every}), len(every))
        self.assertEqual(self.stacks(project), every)
        self.assertEqual(self.stacks(project, "--list", "17"), every[:17])

    def test_none_is_refused(self):
        """Nothing printed would look like no stack; as `inspect --sample 0`."""
        project, _ = self.generated(8)
        for question in ("--list", "--sample", "--top"):
            self.assertIn(f'{question}: expected a whole number, 1 or more, found "0"', self.refusal(project, question, "0"))

    def test_two_million_stacks_take_the_memory_of_a_thousand(self):
        names = [f"c{i}" for i in range(7)]
        self.catalog({name: [str(version) for version in range(10)] for name in names})
        project = self.project(requires={name: "*" for name in names})
        command = [STACKX, "resolve", str(project), "--list", "2000000"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=self.environment) as process:
            lines = enumerate(process.stdout, 1)
            after = {}
            # Read until 100,000 lines are left: megabytes, which no pipe and no buffer holds, so the process still runs.
            for number, _ in itertools.islice(lines, 1_900_000):
                if number in (1_000, 1_900_000):
                    after[number] = self.peak_kib(process.pid)
            self.assertEqual(sum(1 for _ in lines), 100_000)
        self.assertEqual(process.returncode, 0)
        self.assertLess(after[1_900_000] - after[1_000], 4 << 10, after)

    def peak_kib(self, process_id):
        """Of the program alone; what wait4() tells includes what the forking Python held."""
        if not os.path.exists(f"/proc/{process_id}/status"):
            self.skipTest("no /proc to read the memory of a process from")
        with open(f"/proc/{process_id}/status") as status:
            return int(re.search(r"VmHWM:\s*(\d+) kB", status.read())[1])


class Sample(ResolveBox):
    def test_one_seed_gives_one_sample(self):
        project, _ = self.generated(8)
        every = {str(stack) for stack in self.stacks(project)}
        first = self.stacks(project, "--sample", "50", "--seed", "1")
        self.assertEqual(len(first), 50)
        self.assertEqual(self.stacks(project, "--sample", "50", "--seed", "1"), first)
        self.assertEqual(self.stacks(project, "--sample", "20", "--seed", "1"), first[:20])
        self.assertNotEqual(self.stacks(project, "--sample", "50", "--seed", "2"), first)
        self.assertLessEqual({str(stack) for stack in first}, every)

    def test_draws_are_independent_and_uniform(self):
        # Three stacks; drawing version by version would give "a 1" half of the time, not a third.
        self.catalog({"a": {"1": {}, "2": {"requires": {"b": "*"}}}, "b": ["1", "2"]})
        project = self.project(requires={"a": "*"})
        draws = self.stacks(project, "--sample", "3000", "--seed", "3")
        times = collections.Counter(str(stack) for stack in draws)
        self.assertEqual(len(times), 3)
        for stack, number in times.items():
            self.assertAlmostEqual(number, 1000, delta=5 * (3000 * 2 / 9) ** 0.5, msg=stack)  # five standard deviations
        again = sum(one == following for one, following in zip(draws, draws[1:]))
        self.assertAlmostEqual(again, 1000, delta=5 * (3000 * 2 / 9) ** 0.5)

    def test_latest_first_counts_the_steps_behind(self):
        for seed in (2, 4, 10):
            project, _ = self.generated(seed)
            every = self.stacks(project)
            possible = collections.defaultdict(set)
            for stack in every:
                for name, version in stack.items():
                    possible[name].add(int(version))

            def lateness(stack):
                return -sum(sum(other > int(version) for other in possible[name]) for name, version in stack.items())
            found = self.lines("resolve", project, "--sample", "40", "--strategy", "latest")
            expected = sorted(every, key=lateness, reverse=True)[:40]
            self.assertEqual([line["components"] for line in found], expected)
            self.assertEqual([line["score"] for line in found], [lateness(stack) for stack in expected])

    def test_a_list_in_the_order_of_a_strategy(self):
        project, _ = self.generated(4)
        for strategy in ("latest", "distance"):
            for output in (self.lines, lambda *words: self.stackx(*words).stdout):
                self.assertEqual(output("resolve", project, "--list", "12", "--strategy", strategy, "--seed", "5"),
                                 output("resolve", project, "--sample", "12", "--strategy", strategy, "--seed", "5"))
        first = self.lines("resolve", project, "--list", "12")
        self.assertNotEqual(self.lines("resolve", project, "--list", "12", "--strategy", "latest"), first)
        both = self.lines("resolve", project, "--list", "12", "--sample", "3", "--strategy", "latest")  # that of --sample
        self.assertEqual(both, first + self.lines("resolve", project, "--sample", "3", "--strategy", "latest"))
        self.assertIn("1 or more", self.refusal(project, "--list", "0", "--strategy", "latest"))
        self.assertIn("--sample N", self.refusal(project, "--list", "12", "--strategy", "uniform"))
        self.assertIn("add --sample N or --list N", self.refusal(project, "--strategy", "latest"))

    def test_distance_spreads_further_than_chance(self):
        def spread(stacks):
            return sum(len(set(one.items()) ^ set(other.items())) for one, other in itertools.combinations(stacks, 2))
        for seed in (2, 4, 8):
            project, _ = self.generated(seed)
            apart = self.stacks(project, "--sample", "12", "--strategy", "distance", "--seed", "5")
            self.assertEqual(len({str(stack) for stack in apart}), 12)
            self.assertEqual(self.stacks(project, "--sample", "12", "--strategy", "distance", "--seed", "5"), apart)
            every = self.stacks(project)
            self.assertTrue(all(stack in every for stack in apart))
            by_chance = [spread(self.stacks(project, "--sample", "12", "--seed", str(chance))) for chance in range(5)]
            self.assertGreater(spread(apart), max(by_chance))

    def test_distance_gives_all_stacks_when_there_are_fewer(self):
        self.catalog({"a": ["1", "2", "3"]})
        found = self.stacks(self.project(requires={"a": "*"}), "--sample", "9", "--strategy", "distance")
        self.assertEqual(sorted(stack["a"] for stack in found), ["1", "2", "3"])


class Cover(ResolveBox):
    def test_covers_hold_every_valid_combination_and_are_small(self):
        for seed in (2, 4, 10):
            project, _ = self.generated(seed)
            every = self.stacks(project)
            for strength in (1, 2, 3):
                with self.subTest(seed=seed, strength=strength):
                    done = self.stackx("resolve", project, "--cover", str(strength), "--json")
                    rows = [json.loads(line)["components"] for line in done.stdout.splitlines()]
                    self.assertTrue(all(row in every for row in rows))
                    wanted = set().union(*(combinations(stack, strength) for stack in every))
                    self.assertEqual(set().union(*(combinations(row, strength) for row in rows)), wanted)
                    word = "version" if strength == 1 else "versions"
                    self.assertEqual(done.stderr, f"{len(rows)} stacks cover {len(wanted)} of {len(wanted)} valid "
                                                  f"combinations of {strength} {word}\n")
                    self.assertLessEqual(len(rows), 1.15 * greedy_rows(every, strength) + 1)

    def test_strengths_other_than_1_to_3_are_refused(self):
        project, _ = self.generated(2)
        for strength in ("0", "4", "two"):
            self.assertIn("--cover", self.refusal(project, "--cover", strength))
