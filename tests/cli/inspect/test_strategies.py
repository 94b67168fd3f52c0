"""How campaigns spend their rounds: precision, race, learn; what is said on the way; resuming."""

import json
import pathlib
import re
import signal
import subprocess
import time

from harness import STACKX, BlackBox


# A PI that needs no luck: its samples depend on the library's file name and nothing else.
STEADY_PI = """#!/usr/bin/env python3
import json, re, sys
arguments = sys.argv[1:]
library = arguments[arguments.index("--library") + 1]
component = arguments[arguments.index("--component") + 1]
version, slow = re.search(r"libfake-(.*)-0-(\\d+)[.]so", library).groups()
parameters = dict(word.split("=", 1) for word in arguments if "=" in word)
print(json.dumps({"name": "matmul", "component": component, "parameters": parameters,
                  "samples_ns": [1000000 * int(slow) + i for i in range(3)],
                  "work": {"flop": 215040, "bytes": 0, "items": 1},
                  "check": {"reference": "none", "max_relative_error": 0, "bound": 1, "pass": True},
                  "loaded": {component: version}}))
"""


class Steady(BlackBox):
    def setUp(self):
        super().setUp()
        self.pi = self.write("steady-pi", STEADY_PI)
        self.pi.chmod(0o755)


class Strategies(Steady):
    def libraries(self, **slow):
        """catalog.json with one library a name, which is so many times slower than the quickest."""
        return self.fake_catalog({name: (f"9.9.{i}", self.fake_blas(f"9.9.{i}", slow=times))
                                  for i, (name, times) in enumerate(slow.items(), 1)})

    def campaign(self, strategy, **changes):
        return self.project(campaign={"sampler": {"kind": "all"}, "rounds": 30, "limits": {"seconds": 30, "memory_gib": 2},
                                      "strategy": strategy, **changes})

    def inspections(self, campaign=""):
        lines = self.stackx("export", *(["--campaign", campaign] if campaign else [])).stdout.splitlines()
        return [d for d in map(json.loads, lines) if d["$schema"] == "stackx/inspection/1"]

    def test_race_drops_the_slow_and_runs_finals_on_fresh_rounds(self):
        self.libraries(quick=100, near=102, slow=130, slower=140, slowest=150)
        project = self.campaign({"kind": "race", "final_rounds": 6}, rounds=6)
        done = self.stackx("inspect", project, "--pi", self.pi)
        self.assertIn("4 left the race", done.stderr)
        self.assertRegex(done.stdout, r"finals: \w+ against \w+: FASTER ×1.020 .*, n=6 fresh rounds")
        rounds = {}
        for document in self.inspections():
            rounds.setdefault(next(iter(document["stack"])), []).append(document["round"])
        for name in ("slow", "slower", "slowest"):
            self.assertEqual(rounds[name], [0, 1], name)
        for name in ("quick", "near"):  # without noise near has left, too, and comes back: finals take two
            self.assertEqual(sorted(rounds[name]), list(range(8)), name)
        # A finalist is compared with the other on the fresh rounds alone.
        ranked = self.json("advise", "--workload", "matmul", "--pi", self.pi)["recommendations"]
        pairs = {next(iter(row["stack"]["components"])): (row["vs_best"] or {}).get("pairs") for row in ranked}
        self.assertEqual((pairs["quick"], pairs["near"]), (None, 6))

    def test_a_race_goes_on_where_it_stopped(self):
        self.libraries(quick=100, near=101, slow=160)
        project = self.campaign({"kind": "race", "final_rounds": 6}, rounds=5)
        self.json("inspect", project, "--pi", self.pi, "--budget", "7")
        self.assertEqual(len(self.inspections()), 7)
        self.assertEqual(self.json("inspect", project, "--pi", self.pi, "--resume")["done"], 7)  # the plan's budget holds

        whole = self.json("inspect", project, "--pi", self.pi)
        slots = {(d["round"], d["arm"]) for d in self.inspections(whole["campaign"])}
        self.assertEqual(len(slots), whole["done"])
        self.assertEqual(whole["ending"], "complete")
        again = self.json("inspect", project, "--pi", self.pi, "--resume")
        self.assertEqual((again["done"], again["outcomes"]), (whole["done"], {}))

    def test_precision_stops_when_intervals_are_narrow(self):
        self.libraries(quick=1)
        project = self.campaign({"kind": "precision", "width": 0.01}, rounds=25)
        self.assertEqual(self.json("inspect", project, "--pi", self.pi)["done"], 8)  # where the first look is
        row = self.json("advise", "--workload", "matmul", "--pi", self.pi)["recommendations"][0]
        low, high = row["rate"]["ci95"]
        self.assertLessEqual((high - low) / row["rate"]["median"], 0.01)

    def test_learn_takes_a_batch_a_round(self):
        self.libraries(a=1, b=2, c=3, d=4, e=5)
        self.json("inspect", self.campaign({"kind": "learn", "batch": 2}, rounds=5), "--pi", self.pi)
        by_round = {}
        for document in self.inspections():
            by_round.setdefault(document["round"], set()).add(document["arm"])
        self.assertEqual([len(arms) for _, arms in sorted(by_round.items())], [2] * 5)
        self.assertEqual(len(set.union(*by_round.values())), 5)  # all five were looked at within five rounds

    def test_options_choose_the_strategy_and_do_not_fit_others(self):
        self.libraries(quick=1)
        project = self.project()
        self.assertIn("race", self.stackx("inspect", project, "--strategy", "race", "--dry-run").stdout)
        self.assertIn("0.5% wide", self.stackx("inspect", project, "--strategy", "precision", "--width", "0.5",
                                               "--dry-run").stdout)
        self.assertIn("--strategy precision", self.stackx("inspect", project, "--width", "1", exit_code=2).stderr)
        self.assertIn("--strategy race", self.stackx("inspect", project, "--error", "1", exit_code=2).stderr)
        self.stackx("inspect", project, "--strategy", "best", exit_code=2)
        bad = self.campaign({"kind": "race", "width": 0.1})
        self.assertIn("/campaign/strategy/width: only the strategy \"precision\"",
                      self.stackx("inspect", bad, "--dry-run", exit_code=2).stderr)
        typo = self.campaign({"kind": "rase"})
        self.assertIn("race", self.stackx("inspect", typo, "--dry-run", exit_code=2).stderr)

    def test_the_pilot_says_how_many_inspections_of_how_many_samples(self):
        self.libraries(quick=1, slow=2)
        stderr = self.stackx("inspect", self.project(), "--rounds", "4").stderr
        self.assertRegex(stderr, r"two levels: [\d.]+% between inspections, [\d.]+% within one")
        self.assertRegex(stderr, r"an interval 2% wide takes \d+ inspections of 3 samples")
        design = stderr.index("two levels:")
        self.assertLess(design, stderr.rindex("/8]"), "printed before the campaign goes on")

    def test_noise_is_reported_before_the_campaign_and_recorded_with_it(self):
        self.libraries(quick=1)
        stderr = self.stackx("inspect", self.project(), "--rounds", "1").stderr
        self.assertRegex(stderr, r"checks")
        document = self.inspections()[0]
        self.assertIn("load_1m", document)
        if re.search(r"^cpu(\s+\d+){8,}", pathlib.Path("/proc/stat").read_text(), re.M):
            self.assertTrue(0 <= document["steal"] <= 1)


class Verify(Steady):
    def setUp(self):
        super().setUp()
        self.fake_catalog({"quick": ("9.9.1", self.fake_blas("9.9.1")), "slow": ("9.9.2", self.fake_blas("9.9.2", slow=50))})
        self.json("inspect", self.project(), "--rounds", "7", "--pi", self.pi)
        self.advice = self.write("advice.json", self.json("advise", "--workload", "matmul", "--pi", self.pi))

    def verify(self, *arguments, **options):
        return self.stackx("verify", self.advice, "--rounds", "6", "--project", self.scratch / "project.json", "--pi", self.pi, *arguments, **options)

    def test_a_true_claim_holds(self):
        done = self.verify()
        self.assertIn("The claim holds", done.stdout)
        self.assertIn("the advised stack is faster here", done.stdout)
        answer = json.loads(self.verify("--json").stdout)
        self.assertEqual((answer["claim"], answer["verdict"], answer["pairs"]), ("holds", "FASTER", 6))
        self.assertAlmostEqual(answer["ratio"], 50, delta=0.01)

    def test_a_false_claim_is_refuted(self):
        document = json.loads(self.advice.read_text())
        first, second = document["recommendations"]
        first["stack"], second["stack"] = second["stack"], first["stack"]
        self.advice.write_text(json.dumps(document))
        self.assertIn("The claim is refuted: the advised stack is slower here", self.verify(exit_code=1).stdout)

    def test_an_interrupted_one_says_what_is_known(self):
        before = len(self.stackx("export").stdout.splitlines())
        command = [STACKX, "verify", self.advice, "--rounds", "100000", "--project", self.scratch / "project.json", "--pi", self.pi]
        running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=self.environment)
        while len(self.stackx("export").stdout.splitlines()) < before + 8:  # a plan, and two rounds of three
            self.assertIsNone(running.poll())
            time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        said = " ".join(running.communicate(timeout=240)[0].split())
        self.assertEqual(running.returncode, 130)
        self.assertRegex(said, r"^The claim is undecided: interrupted after \d+ of 100000 rounds; what they measured is kept: `stackx compare ")

    def test_bad_advice_is_refused_before_anything_runs(self):
        stacks = len(self.stackx("export").stdout.splitlines())
        self.assertIn("--baseline", self.verify("--baseline", "zz", exit_code=2).stderr)
        self.assertIn("no catalog knows", self.stackx("verify", self.advice, "--pi", self.pi, exit_code=2).stderr)
        self.assertIn("name that program: --pi FILE", self.stackx("verify", self.advice, exit_code=2).stderr)
        document = json.loads(self.advice.read_text())
        document["recommendations"][0]["stack"]["components"]["quick"] = "6.6"
        self.advice.write_text(json.dumps(document))
        self.assertIn("/recommendations/0/stack/id", self.verify(exit_code=2).stderr)
        self.advice.write_text("{}")
        self.assertIn("advice.json", self.verify(exit_code=2).stderr)
        for text, said in (("{}", "is no advice"), ('{"$schema": "stackx/project/1"}', "is stackx/project/1"), ("Run torch 2.14.1", "is no JSON")):
            self.advice.write_text(text)
            self.assertIn(f"advice.json: {said}; expected what `stackx advise --hw host --workload NAME --json` printed", self.verify(exit_code=2).stderr)
        self.assertEqual(len(self.stackx("export").stdout.splitlines()), stacks)
