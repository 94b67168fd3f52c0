"""Several nodes in a store: what advise, compare, effects and report say of them."""

import csv
import io
import math

from harness import schema_errors
from made_up_store import MadeUpStore, stack_id

STACKS = [({"openblas": f"0.3.{n}", "threads": "1"}, 100 + 20 * n) for n in range(4)]


class Cluster(MadeUpStore):
    def node(self, name):
        return dict(self.host, hostname=name)

    def blocks(self, factors, stacks=STACKS, blocks=2, rounds=4, noise=0.005, prefix=""):
        """Each node's factor applies to all stacks; a factor may be a function of the stack's place."""
        for name, factor in factors.items():
            for block in range(blocks):
                for number in range(rounds):
                    for place, (stack, gflops) in enumerate(stacks):
                        times = factor(place) if callable(factor) else factor
                        self.inspection(stack, gflops * times * math.exp(self.random.gauss(0, noise)), number,
                                        campaign=f"{prefix}{name} {block}", host=self.node(name))

    def slow_node(self):
        self.blocks({"n1": 1, "n2": 1, "n3": 0.96})


class Nodes(Cluster):
    def test_the_slow_node_is_named_behind_the_answer(self):
        self.store_once(self.slow_node)
        text = self.stackx("advise", "--hw", "host").stdout
        flat = " ".join(text.split())
        self.assertRegex(flat, r"Node n3 is [34]\.\d% slow in every stack \[.*\] \(n=32 inspections in 2 blocks\): compare within "
                               r"nodes only, and look at it\.")
        self.assertIn("FASTEST", text.splitlines()[0])
        self.assertNotIn("Node n1", flat)
        self.assertIn("4 stacks, 24 rounds on 3 nodes, 0 failed", flat)
        explained = " ".join(self.stackx("advise", "--hw", "host", "--explain").stdout.split())
        self.assertRegex(explained, r"3 nodes differ by [\d.]+% \(SD, noise taken off\); a stack's rounds within a block by [\d.]+%; "
                                    r"intervals are over blocks")

        documents = [self.json("advise", "--hw", "host", *arguments) for arguments in ((), ("--explain",))]
        self.assertEqual(schema_errors("advice", documents), ["", ""])
        whole = documents[1]["nodes"]
        self.assertEqual([node["node"] for node in whole["nodes"]][0], "n3")
        slow = whole["nodes"][0]
        self.assertAlmostEqual(slow["factor"], 0.96, delta=0.01)
        self.assertTrue(slow["interval"][0] < 0.96 < slow["interval"][1] < 0.99)
        self.assertEqual((slow["odd"], slow["shown_in_stacks"], slow["stacks"], slow["blocks"], slow["rounds"], slow["inspections"]),
                         (True, 4, 4, 2, 8, 32))
        self.assertEqual([node["odd"] for node in whole["nodes"]], [True, False, False])
        self.assertEqual([node["node"] for node in documents[0]["nodes"]["nodes"]], ["n3"])

    def test_one_node_says_nothing(self):
        self.blocks({"n1": 1})
        self.store()
        self.assertNotIn("nodes", self.json("advise", "--hw", "host", "--explain"))
        for command in (("advise", "--hw", "host", "--explain"), ("effects", "--hw", "host"), ("report", "--hw", "host")):
            self.assertNotRegex(self.stackx(*command).stdout, r"\b[Nn]odes\b|node n1")
        self.assertNotIn("nodes", self.json("compare", "openblas=0.3.1", "openblas=0.3.2"))

    def test_compare_shows_the_ratio_by_node(self):
        self.store_once(self.slow_node)
        found = self.json("compare", "openblas=0.3.1", "openblas=0.3.2")
        self.assertEqual((found["n"], found["design"]), (24, "paired"))
        self.assertEqual(sorted(node["node"] for node in found["nodes"]["ratios"]), ["n1", "n2", "n3"])
        for node in found["nodes"]["ratios"]:
            self.assertEqual(node["rounds"], 8)
            self.assertAlmostEqual(node["ratio"], 120 / 140, delta=0.01)  # what a node does to both is in no ratio
        self.assertAlmostEqual(found["nodes"]["within_log_sd"], 0.005 * math.sqrt(2), delta=0.003)
        text = self.stackx("compare", "openblas=0.3.1", "openblas=0.3.2").stdout
        self.assertIn("n=24 paired rounds on 3 hosts", text)  # which share a fingerprint
        self.assertIn("between nodes (SD, noise taken off)", text)

    def test_a_ratio_that_depends_on_the_node(self):
        self.blocks({"n1": 1, "n2": 1, "n3": lambda place: 0.8 if place == 2 else 1})
        self.store()
        found = self.json("compare", "openblas=0.3.1", "openblas=0.3.2")
        self.assertEqual(found["nodes"]["ratios"][-1]["node"], "n3")
        self.assertLess(found["nodes"]["p"], 1e-6)
        self.assertTrue(any(note.startswith("the ratio depends on the node") for note in found["notes"]), found["notes"])
        advice = self.json("advise", "--hw", "host", "--explain")
        self.assertEqual([node for node in advice["nodes"]["nodes"] if node["odd"]], [])
        self.assertIn(stack_id(STACKS[2][0]), advice["nodes"]["interaction"]["shown_for"])
        self.assertTrue(any(note.startswith("which stack is fast depends on the node") for note in advice["notes"]))

    def test_stacks_of_different_nodes_are_not_compared_silently(self):
        fast, slow = STACKS[3], STACKS[0]
        self.blocks({"n1": 1, "n2": 1}, stacks=[fast])
        self.blocks({"n3": 1}, stacks=[slow])
        self.store()
        said = "openblas 0.3.3 ran on n1, n2 only, openblas 0.3.0 on n3 only: this compares nodes, too"
        advice = self.json("advise", "--hw", "host", "--explain")
        self.assertTrue(any(said.lower() in note.lower() for note in advice["notes"]), advice["notes"])
        self.assertTrue(any(said.lower() in caution.lower() for caution in advice["answer"]["cautions"]), advice["answer"])
        self.assertIn("no shared round", advice["answer"]["line"])
        self.assertNotIn("FASTEST", advice["answer"]["line"])
        self.assertFalse(any("other stacks'" in note for note in advice["notes"]), advice["notes"])  # once is enough
        found = self.json("compare", "openblas=0.3.3", "openblas=0.3.0")
        self.assertEqual(found["design"], "independent")
        self.assertIn("A ran on n1, n2 only, B on n3 only: this compares nodes, too", found["notes"])
        effects = self.json("effects", "--hw", "host")
        self.assertTrue(any("share no round with the others" in note for note in effects["notes"]), effects["notes"])

    def test_medians_of_other_shares_of_nodes_are_not_compared_silently(self):
        self.blocks({"n1": 1, "n2": 0.9})
        self.blocks({"n2": 0.9}, stacks=STACKS[:1], blocks=3, rounds=8, prefix="alone ")
        self.store()
        notes = self.json("advise", "--hw", "host", "--explain")["notes"]
        found = [note for note in notes if "compares nodes, too" in note]
        self.assertEqual(len(found), 1, notes)
        self.assertTrue(found[0].startswith("the median of OpenBLAS 0.3.0 compares nodes, too: 32 of its 40 inspections were on n2, "
                                            "of other stacks' 50%"), found)

    def test_effects_say_what_nodes_did_and_hold_none_of_it(self):
        self.store_once(self.slow_node)
        found = self.json("effects", "--hw", "host")
        self.assertTrue(any("3 nodes differ by" in note and "in no effect" in note for note in found["notes"]), found["notes"])
        self.assertEqual(found["nodes"]["nodes"][0]["node"], "n3")
        step = next(e for e in found["effects"] if (e["from"], e["to"]) == ("0.3.1", "0.3.2"))
        self.assertAlmostEqual(step["ratio"], 140 / 120, delta=0.005)

    def test_report_has_a_section(self):
        self.store_once(self.slow_node)
        text = self.stackx("report", "--hw", "host").stdout
        self.assertIn("## Nodes", text)
        table = list(csv.DictReader(io.StringIO(self.stackx("report", "--hw", "host", "--format", "csv", "--table", "nodes").stdout)))
        self.assertEqual([(row["node"], row["odd"]) for row in table][0], ("n3", "yes"))
        self.assertEqual([row["odd"] for row in table], ["yes", "no", "no"])
        self.stackx("report", "--hw", "host", "-o", "page.html", cwd=self.scratch)
        page = (self.scratch / "page.html").read_text()
        self.assertIn('<section id="nodes">', page)
        self.assertIn('<a href="#nodes">', page)
