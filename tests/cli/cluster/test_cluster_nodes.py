"""`stackx cluster` spreads one inspection over several nodes: NumPy trains by its ring, on nodes that are played by processes of this
machine, and on a real Slurm where there is one."""

import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

import slurm_cluster
from cluster_box import ClusterBox, OnKubernetes, OnSlurm
from harness import ROOT, STACKX, schema_errors

PARAMS = {"depth": 14, "width": 4, "image_size": 64, "classes": 7, "batch": 4, "repetitions": 3, "mini_batch": 1,
          "num_warmup_batches": 0, "exchange": "ring", "threads": 1}


def two_free_ports():
    with socket.socket() as first:
        first.bind(("", 0))
        return first.getsockname()[1]


def descendants(pid):
    """Of a process, the youngest last."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += [int(child), *descendants(int(child))]
    return found


@unittest.skipIf(importlib.util.find_spec("numpy") is None, "NumPy is not installed for " + sys.executable)
class Trained(ClusterBox):
    target = {"hardware": "host", "name": "pair", "nodes": 2, "slurm": {}}

    def project(self, blocks=1, rounds=2, target=None, params=None, workers=("1", "2"), **changes):
        import numpy
        version = "%d.%d.%d" % sys.version_info[:3]
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {
            "cpu": {"kind": "hardware", "versioning": "opaque", "versions": {}},
            "python": {"kind": "runtime", "versions": {version: {"requires": {"python-environment": "==tests"}}}},
            "numpy": {"kind": "package", "versions": {numpy.__version__: {"requires": {"python-environment": "==tests"}}}},
            "python-environment": {"kind": "runtime", "versioning": "opaque", "versions": {"tests": {
                "artifacts": [{"type": "path", "file": sys.executable, "program": sys.executable}],
                "requires": {"python": "==" + version, "numpy": "==" + numpy.__version__}}}},
            "framework": {"kind": "setting", "versioning": "opaque", "versions": {
                "numpy": {"parameters": {"framework": "numpy"}, "requires": {"numpy": "*"}}}},
            "workers": {"kind": "setting", "versions": {count: {"parameters": {"workers": int(count)}} for count in workers or ["1"]}}}})
        requires = {"framework": "*"} | ({"workers": "*"} if workers else {})
        return self.write("project.json", {
            "$schema": "stackx/project/1", "name": "over-nodes", "catalogs": ["catalog.json"], "requires": requires, "hardware": {"cpu": "host"},
            "workload": {"pi": "train_resnet50", "params": params or PARAMS},
            "campaign": {"sampler": {"kind": "all"}, "rounds": rounds, "limits": {"seconds": 100, "memory_gib": 2}},
            "cluster": {"targets": [target or self.target], "blocks": blocks, "rounds_per_block": rounds, "spool": str(self.spool)}} | changes)

    def freeze(self, project):
        """Its campaign on the spool; nothing can be submitted here."""
        empty = self.scratch / "no-slurm"
        empty.mkdir(exist_ok=True)
        done = subprocess.run([STACKX, "cluster", "submit", project, "--stage", "none"], env=self.environment | {"PATH": str(empty)}, capture_output=True, text=True)
        self.assertIn("squeue is not installed here", done.stdout + done.stderr)
        return self.root()

    def check_results(self, kept, nodes):
        by_workers = {}
        for one in kept:
            self.assertEqual(one["outcome"], "ok", one["reason"] + one["stderr_tail"])
            self.assertEqual(one["workload"]["params"]["nodes"], "2")
            by_workers.setdefault(one["stack"]["workers"], []).append(one)
        for one in by_workers["2"]:
            self.assertEqual(sorted(one["nodes"]), nodes)
            self.assertEqual(one["nodes"][0], one["host"]["hostname"])
            self.assertIn("with the network", one["runner"])
            self.assertEqual(one["work"]["items"], 2 * PARAMS["batch"])
            self.assertIn("mean of the gradients of 2 workers", one["check"]["reference"])
        for one in by_workers["1"]:
            self.assertNotIn("nodes", one)
            self.assertNotIn("with the network", one["runner"])
            self.assertEqual(one["work"]["items"], PARAMS["batch"])
        self.assertEqual(schema_errors("inspection", kept), [""] * len(kept))
        return by_workers


class Played(Trained):
    """Each node is a process of this machine."""

    def setUp(self):
        super().setUp()
        self.environment["STACKX_SCRATCH"] = str(self.scratch)
        self.environment["PATH"] = os.environ.get("PATH", "/usr/bin:/bin")
        self.port = two_free_ports()

    def node(self, number, *more, program=STACKX, **changes):
        words = [program, "cluster", "block", self.root(), "--target", "pair", "--block", "0", "--meet", f"127.0.0.1:{self.port}", "--worker", str(number),
                 "--attempt", "1.0", *more]
        process = subprocess.Popen(words, env=self.environment | {"STACKX_NODE": f"n{number + 1}"} | changes, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def ended(self, process, seconds=600):
        said, _ = process.communicate(timeout=seconds)
        return process.returncode, said

    def worker(self, node):
        """The process of its PI, once it is there."""
        def found():
            for pid in descendants(node.pid):
                try:
                    words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                except OSError:
                    continue
                if b"train_resnet50" in words and b"--" not in words:
                    return pid
            return None
        pid = self.until(found, "a worker's process")
        time.sleep(1)
        return pid

    def results(self):
        return [one for _, one in self.documents()]

    def test_two_nodes_train_together(self):
        self.freeze(self.project())
        second, first = self.node(1), self.node(0)
        code, said = self.ended(first)
        self.assertEqual(code, 0, said)
        self.assertIn("with n2 at 127.0.0.1", said)
        code, told = self.ended(second)
        self.assertEqual(code, 0, told)
        self.assertIn("block 0, node 2: complete", told)
        self.check_results(self.results(), ["n1", "n2"])
        self.stackx("cluster", "collect", "--no-submit", exit_code=None)
        rows = self.json("query", "best", "--workload", "train_resnet50:nodes=2", "--limit", "9")["rows"]
        self.assertTrue(rows)
        page = self.scratch / "report.html"
        self.stackx("report", "--hw", "host", "--workload", "train_resnet50", "-o", page)
        self.assertIn("workers", page.read_text())

    def test_a_worker_that_dies_is_the_result_by_its_node_s_name(self):
        self.freeze(self.project(rounds=1, workers=("2",), params=PARAMS | {"repetitions": 100000}))
        second, first = self.node(1), self.node(0)
        pid = self.worker(second)
        os.kill(pid, signal.SIGKILL)
        self.until(lambda: [one for one in self.results() if one["outcome"] != "ok"], "its end")
        [one] = [one for one in self.results() if one["outcome"] != "ok"]
        self.assertEqual(one["outcome"], "crashed", one["reason"])
        self.assertIn("on n2 (node 2 of 2): the PI was ended by SIGKILL", one["reason"])
        first.terminate()

    def test_a_node_that_is_lost_ends_the_start_in_seconds(self):
        self.freeze(self.project(rounds=1, workers=("2",), params=PARAMS | {"repetitions": 100000}))
        second, first = self.node(1), self.node(0)
        self.worker(second)
        began = time.monotonic()
        second.kill()
        code, said = self.ended(first)
        self.assertEqual(code, 1, said)
        self.assertIn("on n2 (node 2 of 2): its program has ended", said)
        print(f"from the loss of a node to the end of the others: {time.monotonic() - began:.1f} s", end=" ")
        [attempt] = [json.loads(file.read_text()) for file in self.root().glob("*/block-*/*/attempt.json")]
        self.assertEqual((attempt["state"], attempt["node"]), ("failed", "n1"))

    def test_the_first_node_s_end_is_the_others(self):
        self.freeze(self.project(rounds=1, workers=("2",), params=PARAMS | {"repetitions": 100000}))
        second, first = self.node(1), self.node(0)
        self.worker(second)
        first.kill()
        code, said = self.ended(second)
        self.assertEqual(code, 1, said)
        self.assertIn("the block's first node has ended", said)

    def test_a_node_where_nothing_can_run_is_named_at_once(self):
        self.freeze(self.project())
        alone = self.scratch / "bin" / "stackx"  # without what belongs beside it
        alone.parent.mkdir()
        os.link(STACKX, alone) if os.stat(STACKX).st_dev == os.stat(self.scratch).st_dev else alone.write_bytes(pathlib.Path(STACKX).read_bytes())
        alone.chmod(0o755)
        second, first = self.node(1, program=alone, STACKX_DATA=str(pathlib.Path(__file__).parents[3] / "specs/data")), self.node(0)
        code, said = self.ended(first)
        self.assertEqual(code, 3, said)
        self.assertRegex(said, "on n2: .*stackx-supervise")
        code, said = self.ended(second)
        self.assertEqual(code, 3, said)

    def test_nobody_comes_and_strangers_do(self):
        self.freeze(self.project())
        second = self.node(1, "--meet-patience", "4", STACKX_MEETING="another job's")
        code, said = self.ended(self.node(0, "--meet-patience", "3"))
        self.assertEqual(code, 3, said)
        self.assertIn("of the 2 nodes of this block, number 2 has not come to 127.0.0.1", said)
        self.ended(second)
        code, said = self.ended(self.node(1, "--meet-patience", "1"))
        self.assertEqual(code, 3, said)
        self.assertIn("where the first node of this block should await this one", said)


class Refused(Trained):
    def script(self, code=0, **project):
        done = self.stackx("cluster", "script", self.project(**project), exit_code=code)
        return done.stdout if code == 0 else done.stderr

    def test_the_script(self):
        text = self.script()
        for line in ("#SBATCH --nodes=2", "#SBATCH --ntasks=2", "#SBATCH --ntasks-per-node=1", "#SBATCH --signal=USR2@120", "srun --nodes=2 --ntasks=2"):
            self.assertIn(line, text)
        self.assertEqual(subprocess.run(["bash", "-n"], input=re.sub("^# pair.*\n", "", text), text=True).returncode, 0)

    def test_what_cannot_be_spread(self):
        for project, said in (
                ({"workers": ("1", "4")}, "\"nodes\": 2, but workers=4 by a setting of the stack"),
                ({"workers": None, "params": PARAMS | {"workers": 3}}, "\"nodes\": 2, but workers=3: one worker runs on each node"),
                ({"workload": {"pi": "all_reduce", "params": {}}, "requires": {"workers": "*"}}, "neither Python nor an MPI"),
                ({"params": PARAMS | {"nodes": 2}}, "take it out"),
                ({"workload": {"pi": "matmul", "params": {"m": 8, "n": 8, "k": 8}}}, "matmul runs in one process"),
                ({"workload": {"pi": "transformer", "params": {"phase": "decode"}}}, "phase=train alone"),
                ({"target": self.target | {"nodes": 0}}, "expected 1 to 4096, found 0"),
                ({"target": self.target | {"slurm": {"directives": ["--ntasks=4"]}}}, "--ntasks is what stackx sets itself")):
            with self.subTest(said=said):
                error = self.script(2, **project)
                self.assertIn(said, error)
                self.assertIn("project.json", error)

    def test_how_many_workers_follows_from_the_nodes(self):
        self.project(workers=None)
        plan = json.loads((self.freeze(self.scratch / "project.json") / "campaign.json").read_text())["plans"]["pair"]
        self.assertEqual([(arm["workload"]["params"]["workers"], arm["workload"]["params"]["nodes"]) for arm in plan["arms"]], [("2", "2")])


class OnPlayedKubernetes(Trained, OnKubernetes):
    def test_two_indices_of_a_job_are_one_block(self):
        document = json.loads(self.project(blocks=2, target=OnKubernetes.target(self) | {"nodes": 2}).read_text())
        document["cluster"]["parallel"] = 1
        self.stackx("cluster", "submit", self.write("project.json", document))
        [service] = self.cluster.objects("Service")
        self.assertEqual((service["spec"]["clusterIP"], self.cluster.job()["spec"]["completions"]), ("None", 4))
        status, kept = self.wait_for_end()
        self.assertEqual(len(kept), 2 * 2 * 2)
        self.check_results(kept, ["n1", "n2"])
        self.assertEqual(status["targets"][0]["scheduler"], "kubernetes")


@unittest.skipIf(slurm_cluster.why_not(), slurm_cluster.why_not())
class OnRealSlurm(Trained, OnSlurm):
    kinds = ("h100", "h100", "h100")

    def test_a_campaign_over_two_nodes_of_three(self):
        cluster = self.start_cluster()
        self.stackx("cluster", "submit", self.project(blocks=2))
        _, kept = self.wait_for_end()
        self.assertEqual(len(kept), 2 * 2 * 2)
        pairs = {tuple(sorted(one["nodes"])) for one in kept if "nodes" in one}
        self.assertTrue(all(len(set(pair)) == 2 and set(pair) <= {"n1", "n2", "n3"} for pair in pairs), pairs)
        self.assertEqual(cluster.command("squeue", "-h"), "")

    @unittest.skipUnless(shutil.which("mpirun.openmpi") and shutil.which("mpiexec.mpich"), "needs Open MPI and MPICH")
    def test_collectives_of_an_mpi_over_two_nodes(self):
        """Each inspection is an MPI world of its own, started by that MPI's launcher in the sandboxes of two nodes."""
        self.start_cluster()
        document = json.loads((ROOT / "examples/mpi-allreduce/project.json").read_text())
        document["requires"] = {"mpi": "*", "ranks": "==2"}
        document["workload"]["params"] = {"bytes": 65536, "repetitions": 5, "warmup_ms": 1}
        document["campaign"] = {"stacks": self.stacks_of_both(document), "rounds": 2, "limits": {"seconds": 100, "memory_gib": 2}}
        document["cluster"] = {"targets": [self.target], "blocks": 1, "rounds_per_block": 2, "spool": str(self.spool)}
        self.stackx("cluster", "submit", self.write("project.json", document))
        _, kept = self.wait_for_end()
        self.assertEqual(len(kept), 2 * 2)
        for one in kept:
            self.assertEqual(one["outcome"], "ok", one["reason"] + one["stderr_tail"])
            self.assertEqual((len(set(one["nodes"])), one["workload"]["params"]["nodes"]), (2, "2"))

    def stacks_of_both(self, document):
        """One stack of each MPI, with its own choices."""
        project = self.write("all.json", {key: value for key, value in document.items() if key != "campaign"})
        found = {}
        for one in self.lines("resolve", project, "--sample", "500", "--seed", "1"):
            parts = {name: version for name, version in one["components"].items() if name != "cpu"}
            if all(version == "auto" for name, version in parts.items() if name.startswith(("openmpi-", "mpich-"))):
                found[next(name for name in parts if name.startswith("debian-"))] = parts
        self.assertEqual(sorted(found), ["debian-mpich", "debian-openmpi"])
        return list(found.values())

    def test_training_by_mpi_over_two_nodes(self):
        if importlib.util.find_spec("mpi4py") is None or not shutil.which("mpirun.openmpi"):
            self.skipTest("needs mpi4py and Open MPI")
        self.start_cluster()
        self.stackx("cluster", "submit", self.project(rounds=1, params=PARAMS | {"exchange": "mpi"}))
        _, kept = self.wait_for_end()
        self.check_results(kept, sorted({node for one in kept for node in one.get("nodes", [])}))

    def test_a_node_that_lost_its_power_ends_the_start(self):
        cluster = self.start_cluster()
        project = self.project(target=self.target | {"slurm": {"nodelist": "n1,n2"}})
        document = json.loads(project.read_text())
        document["cluster"]["attempts"] = 1
        self.stackx("cluster", "submit", self.write("project.json", document))
        self.until(self.measuring, "measuring")
        began = time.monotonic()
        cluster.power_loss("n2")
        self.until(lambda: any(json.loads(file.read_text())["state"] != "running" for file in self.root().glob("*/block-*/*/attempt.json")),
                   "the first node knows that the second is lost")
        print(f"from power loss to the start's end: {time.monotonic() - began:.1f} s", end=" ")
