"""A campaign on a cluster, for tests: a project that needs no network, a spool, waiting, and what must hold at the end: all rounds are there,
and every document of the spool stands in the store, once. On a real Slurm of three nodes (slurm_cluster), or on a Kubernetes that is played (kubectl_stub)."""

import json
import os
import pathlib
import shutil
import subprocess
import time
import unittest

import kubectl_stub
import slurm_cluster
from harness import BlackBox, EXAMPLE, ROOT, STACKX, schema_errors

ROUNDS = 5
# Of an inspection that has no samples to speak of, for campaigns that nothing has to meet while they run.
AT_ONCE = {"repetitions": 3, "min_sample_ms": 1, "warmup_ms": 1}


def waiting_program(directory):
    """stackx in a tree of its own, with a PI that waits before it measures: what its campaigns take is time, not the processor."""
    programs = directory / "waiting" / "bin"
    if not programs.exists():
        programs.mkdir(parents=True)
        for program in (STACKX, pathlib.Path(STACKX).parent / "stackx-supervise", os.environ["STACKX_WAITING_PI"]):
            shutil.copy(program, programs)
        for data in ("specs", "kernels"):
            (directory / "waiting" / data).symlink_to(ROOT / data)
    return str(programs / "stackx")


class ClusterBox(BlackBox):
    """A project of three stacks of Debian's libraries, which nothing has to be fetched for, and a spool of its own."""

    def setUp(self):
        super().setUp()
        self.kept = self.scratch / "kept"  # what the spool is a mount of
        self.spool = self.scratch / "spool"
        self.kept.mkdir()
        self.spool.mkdir()
        self.environment["COLUMNS"] = "80"

    def project(self, blocks=3, rounds=ROUNDS, target=None, params=None, lasts=False, **campaign):
        """`lasts`: on Slurm the rounds take seconds, so that something can happen while they are measured."""
        target = target or {"hardware": "host", "name": "all", "slurm": {}}
        if lasts and "slurm" in target:
            target["slurm"]["program"] = waiting_program(self.scratch)
        if lasts:
            params = AT_ONCE
        document = json.loads(EXAMPLE.read_text())
        document["name"] = "on-slurm"
        document["workload"]["params"].update(m=64, n=64, k=64, **(params or {}))
        document["campaign"] = {"stacks": self.stacks(document), "rounds": rounds} | campaign
        document["cluster"] = {"targets": [target], "blocks": blocks,
                               "rounds_per_block": rounds, "spool": str(self.spool)}
        return self.write("project.json", document)

    def stacks(self, document):
        document = {key: value for key, value in document.items() if key != "campaign"}
        listed = self.lines("resolve", self.write("all.json", document), "--sample", "609", "--seed", "1")
        chosen = {}
        for one in listed:
            components = {name: version for name, version in one["components"].items() if name != "cpu"}
            kind = (components.get("openblas-coretype"), "debian-blis" in components)
            if components.get("threads") == "1" and ("debian-openblas" in components or kind[1]) and kind[0] in (None, "auto", "Nehalem"):
                chosen[kind] = components
        self.assertEqual(len(chosen), 3)
        return list(chosen.values())

    def root(self):
        found = [one for one in self.spool.iterdir() if (one / "campaign.json").exists()]
        self.assertEqual(len(found), 1)
        return found[0]

    def documents(self, block=None):
        """[(attempt's directory, inspection)] on the spool."""
        found = []
        for file in self.root().glob(f"*/block-{'*' if block is None else block}/*/*.json"):
            if len(file.stem) == 64:
                found.append((file.parent, json.loads(file.read_text())))
        return found

    def until(self, done, what, seconds=240):
        end = time.monotonic() + seconds
        while not (found := done()):
            if time.monotonic() > end:
                logs = "\n".join(f"--- {file}\n{file.read_text()[-1500:]}" for file in self.root().glob("*/log/*"))
                self.fail(f"{what} did not happen in {seconds} s\n{self.stackx('cluster', 'status', exit_code=None).stdout}\n{logs}")
            time.sleep(0.1)
        return found

    def measuring(self):
        """{block: (node, job)} of starts that have delivered a result and go on."""
        found = {}
        for file in self.root().glob("*/block-*/*/attempt.json"):
            attempt = json.loads(file.read_text())
            if attempt["state"] == "running" and len(list(file.parent.glob("*.json"))) > 3:
                found[attempt["block"]] = (attempt["node"], attempt["job"])
        return found

    def wait_for_end(self, seconds=600):
        """`collect --wait` ends, with all that there is."""
        began = time.monotonic()
        done = subprocess.run([STACKX, "cluster", "collect", "--wait"], env=self.environment, capture_output=True, text=True, timeout=seconds)
        self.assertEqual(done.returncode, 0, f"{done.stdout}\n{done.stderr}\n{self.logs()}")
        self.took = time.monotonic() - began
        return self.check_all()

    def logs(self):
        return "\n".join(f"--- {file}\n{file.read_text()[-1500:]}" for file in self.root().glob("*/log/*"))

    def check_all(self):
        """Every block has its rounds, and every document of the spool stands in the store, once."""
        status = self.json("cluster", "status")
        self.assertEqual(schema_errors("cluster-status", [status]), [""])
        self.assertTrue(status["finished"], status)
        on_spool = [one["id"] for _, one in self.documents()]
        kept = [one for one in self.lines_of_export() if one["$schema"] == "stackx/inspection/1"]
        self.assertEqual(sorted(on_spool), sorted(one["id"] for one in kept))
        self.assertEqual(len(set(on_spool)), len(on_spool))
        places = [(one["campaign"], one["round"], one["arm"]) for one in kept]
        self.assertEqual(len(set(places)), len(places))
        self.assertEqual(self.stackx("db", "check").returncode, 0)
        return status, kept

    def lines_of_export(self):
        return [json.loads(line) for line in self.stackx("export").stdout.splitlines()]


@unittest.skipIf(slurm_cluster.why_not(), slurm_cluster.why_not())
class OnSlurm(ClusterBox):
    kinds = ("h100", "h100", "v100")

    def start_cluster(self, **options):
        cluster = slurm_cluster.SlurmCluster(self.scratch / "slurm", self.kinds, **options)
        self.environment.update(cluster.environment | {"STACKX_DB": self.environment["STACKX_DB"],
                                                       "XDG_CACHE_HOME": self.environment["XDG_CACHE_HOME"],
                                                       "XDG_DATA_HOME": self.environment["XDG_DATA_HOME"], "COLUMNS": "80",
                                                       "STACKX_SCRATCH": str(self.scratch)})
        self.addCleanup(cluster.stop)
        cluster.start()
        return cluster


class OnKubernetes(ClusterBox):
    def setUp(self):
        super().setUp()
        self.cluster = kubectl_stub.Cluster(self.scratch / "cluster", program=STACKX, nodes=["n1", "n2"],
                                            pod_env={"STACKX_SCRATCH": str(self.scratch)})
        self.addCleanup(self.cluster.stop)
        self.environment = self.cluster.environment(self.environment)

    def target(self, **more):
        return {"hardware": "host", "name": "k", "kubernetes": {"image": "registry.example/stackx:1", "volume": {"persistentVolumeClaim": {"claimName": "stackx"}}} | more}

    def submit(self, **options):
        if options.get("lasts"):
            self.cluster.set(program=waiting_program(self.scratch))
        return self.stackx("cluster", "submit", self.project(target=options.pop("target", self.target()), **options))

    def logs(self):
        return "\n".join(self.cluster.log(pod) for pod in self.cluster.pods())

    def running(self, block=0):
        """The pod of the block that measures."""
        def found():
            if block in self.measuring():
                return next((pod for pod in self.cluster.pods(index=block, live=True)), None)
        return self.until(found, "measuring")

    def nodes_of(self, kept):
        return {one["host"]["hostname"] for one in kept}
