"""A campaign of two hundred blocks: what the head takes in, what it does not read again, and what that costs."""

import json
import os
import pathlib
import shutil
import subprocess

from many_blocks import ManyBlocks
from harness import STACKX
from stand_in_nodes import canonical, read

BLOCKS, ROUNDS, STACKS = 200, 2, 3


class ClusterScale(ManyBlocks):
    def passes(self, *words):
        """What a pass says, and its memory at the most in MB."""
        process = subprocess.Popen([STACKX, "cluster", *words, "--json"], stdout=subprocess.PIPE, text=True, env=self.environment)
        with process.stdout as printed:
            said = json.loads(printed.read())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0, said)
        return said, usage.ru_maxrss / 1000

    def target(self, said):
        return {key: said["targets"][0][key] for key in ("blocks", "done", "missing", "rounds", "inspections", "failed")}

    def test_the_stand_in_keeps_fractions_as_stackx_writes_them(self):
        """nlohmann's digits of 548 in a million random fractions are not the fewest that mean them."""
        text = '{"a":5.7972643790479514,"b":[1.0,0.035624440093411217,3],"c":"5.7"}'
        self.assertEqual(canonical(read(pathlib.Path(self.write("document.json", text)))), text)

    def test_two_hundred_blocks(self):
        root = self.submit(self.cluster_project(BLOCKS, ROUNDS, STACKS))
        self.assertEqual({block: len(jobs) for block, jobs in self.slurm.tasks().items()}, dict.fromkeys(range(BLOCKS), 1))
        measured = self.scratch / "measured"
        shutil.move(self.measured(root), measured)
        nodes = self.nodes(root, measured)

        # Half of them are whole, half were lost on the way, and Slurm says of all that they ended well.
        for block in range(0, 100):
            nodes.start(block)
        for _ in nodes.at_once(range(100, BLOCKS), rounds=1):
            pass
        self.slurm.set("COMPLETED")
        said, memory = self.passes("collect", "--no-submit")
        self.assertEqual(self.target(said), {"blocks": 200, "done": "0-99", "missing": "100-199", "rounds": 300, "inspections": 900, "failed": 0})
        self.assertEqual(said["collected"], {"documents": 1100, "starts": 200, "remarks": []})
        self.assertLess(memory, 300)

        # What is there is not read again, neither of whole starts nor of others: files are no longer what they were.
        for start in (root / "host").glob("block-*/*"):
            for file in start.glob("?" * 64 + ".json"):
                file.write_text("not a document")
        again, memory = self.passes("collect")
        self.assertEqual(again["collected"], {"documents": 0, "starts": 0, "remarks": []})
        self.assertEqual(again["targets"][0]["submitted"], "100-199")
        self.assertLess(memory, 300)
        self.assertEqual({len(self.slurm.tasks()[block]) for block in range(100, BLOCKS)}, {2})

        # Rounds of another start of a block fill it up, and what is more than asked for is taken in, too.
        for block in range(100, BLOCKS):
            nodes.start(block)
        self.slurm.set("RUNNING")
        said, memory = self.passes("collect")
        self.assertEqual(self.target(said), {"blocks": 200, "done": "0-199", "missing": "", "rounds": 500, "inspections": 1500, "failed": 0})
        self.assertEqual(said["collected"], {"documents": 700, "starts": 100, "remarks": []})
        self.assertTrue(said["finished"])
        self.assertLess(memory, 300)
        self.assertEqual({jobs[-1][1] for jobs in self.slurm.tasks().values()}, {"COMPLETED", "CANCELLED"})  # nothing is left

        shutil.rmtree(root / "host" / "block-0")  # somebody tidied up
        said, _ = self.passes("status")
        self.assertEqual((said["finished"], said["targets"][0]["inspections"], said["collected"]["remarks"]), (True, 1500, []))
        self.stackx("db", "check")
