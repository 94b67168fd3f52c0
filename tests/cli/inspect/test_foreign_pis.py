"""What PIs that are not stackx's own measure: said in every document, ranked apart, and never above what a device can do."""

import hashlib
import json

from harness import BlackBox, schema_errors
from made_up_store import MadeUpStore

# A PI that measures nothing: it says how many operations it did in a millisecond, a little less for each next library.
FAKE_PI = """#!/usr/bin/env python3
import json, re, sys
arguments = sys.argv[1:]
library = arguments[arguments.index("--library") + 1]
component = arguments[arguments.index("--component") + 1]
version = re.search(r"libfake-9[.]9[.](.*)-0-", library).group(1)
print(json.dumps({"name": "matmul", "component": component,
                  "parameters": dict(word.split("=", 1) for word in arguments if "=" in word),
                  "samples_ns": [1000000 + i for i in range(3)], "work": {"flop": FLOP / int(version), "bytes": 0, "items": 1},
                  "check": {"reference": "none", "max_relative_error": 0, "bound": 1, "pass": True},
                  "loaded": {component: "9.9." + version}}))
"""


class ForeignPis(BlackBox):
    def setUp(self):
        super().setUp()
        self.fake_catalog({"one": ("9.9.1", self.fake_blas("9.9.1")), "two": ("9.9.2", self.fake_blas("9.9.2", slow=3))})
        self.box = self.project()

    def pi(self, name, flop):
        path = self.write(name, FAKE_PI.replace("FLOP", str(flop)))
        path.chmod(0o755)
        return path.resolve()

    def unfair(self):
        return self.pi("unfair.py", 10 ** 8)  # 100 GFLOP/s, which the look-alike library does not reach

    def documents(self, campaign):
        found = map(json.loads, self.stackx("export", "--campaign", campaign).stdout.splitlines())
        plans, inspections = [], []
        for document in found:
            (plans if document["$schema"] == "stackx/plan/1" else inspections).append(document)
        return plans[0], inspections

    def test_neither_the_impossible_nor_the_unfair_comes_first(self):
        own = self.json("inspect", self.box)
        impossible = self.json("inspect", self.box, "--pi", self.pi("impossible.py", 26843546 * 10 ** 6 * 10), exit_code=1)
        self.assertEqual(impossible["outcomes"], {"implausible": 6})
        unfair = self.unfair()
        foreign = self.stackx("inspect", self.box, "--pi", unfair)
        self.assertIn(f"measured by {unfair} (SHA-256 ", foreign.stderr)
        self.assertIn(f"Measured by {unfair} (SHA-256 ", foreign.stdout)

        ranked = self.json("advise", "--workload", "matmul")
        rates = [row["rate"]["median"] for row in ranked["recommendations"] if row["evidence"] == "measured"]
        self.assertEqual(len(rates), 2)
        self.assertTrue(all(rate < 99 for rate in rates), rates)
        best = self.json("query", "best")
        measured = [row["value"] for row in best["rows"] if row["evidence"] == "measured"]
        self.assertEqual((len(measured), max(measured) < 99), (2, True), measured)
        self.assertTrue(any("--pi " in note for note in best["notes"]), best["notes"])
        # What is left out is counted, and how to see it.
        text = self.stackx("advise", "--workload", "matmul").stdout
        digest = self.documents(json.loads(self.stackx("inspect", self.box, "--pi", unfair, "--resume", "--json").stdout)
                                ["campaign"])[0]["program"]["sha256"][:12]
        self.assertIn(f"--pi {digest}", " ".join(text.split()))
        self.assertIn("6 inspections by", " ".join(text.split()))
        for asked in ((str(unfair),), (digest, "--explain")):
            answer = self.json("advise", "--workload", "matmul", "--pi", *asked)
            self.assertEqual(schema_errors("advice", [answer]), [""])
            self.assertEqual((answer["program"]["own"], answer["program"]["path"]), (False, str(unfair)))
            self.assertAlmostEqual(answer["recommendations"][0]["rate"]["median"], 100, delta=1)
        self.assertIn("not stackx's own", " ".join(self.stackx("advise", "--workload", "matmul", "--pi", unfair).stdout.split()))
        # Failures of stackx's own PI are none; those of the impossible are its own.
        failures = self.json("query", "failures", "--pi", self.scratch / "impossible.py")
        self.assertIn("implausible", json.dumps(failures["rows"]))
        self.assertEqual(own["outcomes"], {"ok": 6})
        self.assertEqual(self.stackx("db", "check").returncode, 0)

    def test_what_stackx_has_no_pi_for_is_refused_before_anything_is_made(self):
        box = self.project(workload={"pi": "train_bert_large", "params": {}})
        said = self.stackx("inspect", box, exit_code=2).stderr
        self.assertIn(f'{box}: /workload: stackx has no PI "train_bert_large" for libraries; measure it with a program of your own: --pi FILE', said)
        misspelt = self.project(workload={"pi": "matmull", "params": {}})
        self.assertIn('stackx has no PI "matmull" for libraries; did you mean "matmul"? If not, measure it with a program of your own: --pi FILE',
                      self.stackx("inspect", misspelt, exit_code=2).stderr)
        self.assertEqual(self.stackx("export").stdout, "")  # no campaign was begun
        self.json("inspect", box, "--pi", self.unfair())

    def test_documents_say_which_program_measured(self):
        own = self.json("inspect", self.box, "--rounds", "1")
        plan, inspections = self.documents(own["campaign"])
        self.assertNotIn("program", plan)
        self.assertTrue(all(one["program"]["own"] and len(one["program"]["sha256"]) == 64 for one in inspections))
        unfair = self.unfair()
        foreign = self.json("inspect", self.box, "--rounds", "1", "--pi", unfair)
        self.assertEqual(foreign["answers"][0]["workload"], inspections[0]["workload"]["pi"] + ":" + ",".join(
            f"{key}={value}" for key, value in sorted(inspections[0]["workload"]["params"].items())))
        plan, inspections = self.documents(foreign["campaign"])
        self.assertEqual((plan["program"]["own"], plan["program"]["path"]), (False, str(unfair)))
        self.assertEqual([one["program"] for one in inspections], [plan["program"]] * 2)
        self.assertEqual(schema_errors("inspection", inspections) + schema_errors("plan", [plan]), [""] * 3)

    def test_a_campaign_goes_on_with_the_program_that_it_began_with(self):
        unfair = self.unfair()
        first = self.json("inspect", self.box, "--pi", unfair, "--budget", "2")
        self.assertEqual(first["done"], 2)
        refused = self.stackx("inspect", self.box, "--pi", self.pi("other.py", 10 ** 7), "--resume", exit_code=2).stderr
        self.assertIn(f"measured by {unfair}", refused)
        self.assertIn("start a new campaign", refused)
        unfair.write_text(unfair.read_text() + "\n")
        self.assertIn("--resume", self.stackx("inspect", self.box, "--resume", exit_code=2).stderr)
        self.unfair()  # as it was: the plan knows where it lies
        self.assertEqual(self.json("inspect", self.box, "--resume")["campaign"], first["campaign"])
        own = self.json("inspect", self.box, "--rounds", "1")["campaign"]
        message = self.stackx("inspect", self.box, "--resume", own, "--pi", unfair, exit_code=2).stderr
        self.assertIn("measured by stackx's own PI", message)
        self.assertIn("docs/own-pi.md", self.stackx("inspect", self.box, "--pi", "no-such-pi", exit_code=2).stderr)

    def test_a_plan_of_somebody_else_shows_no_files_of_this_machine(self):
        unfair = self.unfair()
        plan = self.documents(self.json("inspect", self.box, "--pi", unfair, "--rounds", "1")["campaign"])[0]
        plan["program"].update(plain=True, arguments=["--all"], files=str(self.scratch))
        del plan["id"]
        plan["id"] = hashlib.sha256(json.dumps(plan, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()).hexdigest()
        self.assertEqual(schema_errors("plan", [plan]), [""])
        self.stackx("import", self.write("theirs.json", json.dumps(plan)))
        for named in ((), ("--pi", unfair)):
            refused = self.stackx("inspect", self.box, "--resume", plan["id"], *named, exit_code=2).stderr
            self.assertIn(f"measured by the command {unfair} --all (SHA-256 ", refused)
            self.assertIn("nobody ran here", refused)

    def test_a_campaign_that_is_named_is_shown_whoever_measured(self):
        unfair = self.unfair()
        campaign = self.json("inspect", self.box, "--pi", unfair)["campaign"]
        for command in ("advise", "report"):
            text = " ".join(self.stackx(command, "--workload", "matmul", "--campaign", campaign).stdout.split())
            self.assertIn("not stackx's own", text, command)
        nothing = self.stackx("report", "--workload", "matmul", exit_code=1).stdout
        self.assertIn("6 inspections by", nothing)
        self.assertEqual(len(self.json("effects", "--workload", "matmul", "--pi", unfair)["effects"]), 0)
        self.assertIn("no such file", self.stackx("advise", "--pi", "nonsense", exit_code=2).stderr)

    def test_compare_keeps_to_one_program(self):
        unfair = self.unfair()
        campaigns = [self.json("inspect", self.box, "--pi", unfair, "--rounds", "2")["campaign"] for _ in range(2)]
        found = self.json("compare", *campaigns)
        self.assertIn(f"measured by {unfair}", " ".join(found["notes"]))
        own = self.json("inspect", self.box, "--rounds", "2")["campaign"]
        text = " ".join(self.stackx("compare", campaigns[0], own, exit_code=1).stdout.split())
        self.assertIn("no workload in common that one program measured: matmul:", text)
        self.assertIn(f"{unfair} (SHA-256 ", text)
        self.assertIn("for A and stackx's own PI for B", text)
        self.assertIn("--pi", text)


class Imported(MadeUpStore):
    def test_impossible_rates_are_kept_and_do_not_rank(self):
        fast, honest = {"openblas": "0.3.34"}, {"openblas": "0.3.27"}
        workload = {"pi": "matmul", "params": {"m": "512", "n": "512", "k": "512", "dtype": "float32"}}
        for number in range(6):
            for stack, rate in ((fast, 26843546), (honest, 50)):
                self.inspection(stack, rate, number, workload=workload, device="this machine")
        self.store()
        ranked = self.json("query", "best")
        self.assertNotIn("0.3.34", json.dumps(ranked["rows"]))
        self.assertIn("implausible", json.dumps(self.json("query", "failures")["rows"]))
        self.assertEqual(self.stackx("compare", "openblas=0.3.34", "openblas=0.3.27", exit_code=1).stdout.splitlines()[0],
                         "Nothing to compare. No pair has a rate on both sides. Of A's 6 inspections: 6 implausible.")
        self.assertEqual(self.stackx("export").stdout.count('"outcome":"ok"'), 12)  # as they came
        self.assertEqual(self.stackx("db", "check").returncode, 0)
