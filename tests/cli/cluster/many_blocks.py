"""What tests of `stackx cluster` with thousands of blocks share: a spool, a made-up Slurm, and a project over look-alike libraries."""

import json
import subprocess

from harness import STACKX, BlackBox
from slurm_stub import SlurmStub
from stand_in_nodes import StandInNodes


class ManyBlocks(BlackBox):
    def setUp(self):
        super().setUp()
        self.spool = self.scratch / "spool"
        self.spool.mkdir()
        self.slurm = SlurmStub(self.scratch / "slurm")
        self.environment["PATH"] = self.slurm.path()
        self.environment["STACKX_SCRATCH"] = str(self.scratch)

    def cluster_project(self, blocks, rounds=4, stacks=5, **settings):
        """A project of as many stacks, for nodes like this machine; `settings`: of its "cluster"."""
        self.fake_catalog({f"library-{i}": (f"9.9.{i + 1}", self.fake_blas(f"9.9.{i + 1}")) for i in range(stacks)})
        # 50 samples, as the PIs take.
        params = {"m": 48, "n": 40, "k": 56, "dtype": "float32", "threads": 1, "repetitions": 50, "min_sample_ms": 1, "warmup_ms": 1}
        return self.project(workload={"pi": "matmul", "params": params},
                            cluster={"targets": [{"hardware": "host", "slurm": {}}], "spool": str(self.spool), "blocks": blocks,
                                     "rounds_per_block": rounds, "parallel": 1000, **settings})

    def submit(self, project, *words):
        """Its directory on the spool."""
        self.stackx("cluster", "submit", project, "--stage", "none", "--new", *words)
        return max(self.spool.iterdir(), key=lambda one: json.loads((one / "campaign.json").read_text())["created"])

    def measured(self, root, block=0):
        """Really measures a block; the directory of that start."""
        self.stackx("cluster", "block", root, "--target", "host", "--block", block)
        return next((root / "host" / f"block-{block}").iterdir())

    def nodes(self, root, measured, seed=0):
        return StandInNodes(root, "host", measured, seed)
