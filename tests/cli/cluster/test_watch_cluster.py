"""stackx watch --cluster, on a real Slurm of three nodes and on a Kubernetes that is played: submitted by one pass, collected by later ones, told once."""

import json
import subprocess
import time

from cluster_box import OnKubernetes, OnSlurm
from harness import STACKX, schema_errors


class Watched:
    def watch(self, *options, exit_code=0):
        document = self.json("watch", self.project_file, "--no-refresh", *options, exit_code=exit_code)
        self.assertEqual(schema_errors("watch", [document]), [""])
        return document

    def watch_until_told(self, exit_code):
        """Passes as a timer would start them, until one does not say that the cluster is measuring."""
        end = time.monotonic() + 600
        while time.monotonic() < end:
            done = subprocess.run([STACKX, "watch", self.project_file, "--no-refresh", "--cluster", "--json"], env=self.environment, capture_output=True, text=True)
            document = json.loads(done.stdout or "{}")
            if document.get("answer", {}).get("kind") != "under_way":
                self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
                return document
            self.assertEqual(done.returncode, 0, done.stderr)
            time.sleep(0.5)
        self.fail(f"the cluster does not end: {document}")

    def two_libraries(self, target):
        fast, slow = self.fake_blas("1.0.0", slow=1), self.fake_blas("1.1.0", slow=100)  # no load makes up for that
        versions = {"1.0.0": slow}
        self.catalog(versions)
        document = {"$schema": "stackx/project/1", "name": "watched", "catalogs": ["catalog.json"], "requires": {"fake": "*"},
                    "workload": {"pi": "matmul", "params": {"m": 64, "n": 64, "k": 64, "dtype": "float32", "threads": 1, "repetitions": 5}},
                    "campaign": {"rounds": 5, "limits": {"seconds": 120, "memory_gib": 2}},
                    "cluster": {"targets": [target], "blocks": 3, "rounds_per_block": 4, "spool": str(self.spool)}}
        self.project_file = self.write("project.json", document)
        with self.subTest("what no cluster measures"):
            refused = self.stackx("watch", self.write("requirements.txt", "numpy\n"), "--workload", "matmul", "--cluster", "--no-refresh", "--offline", exit_code=2)
            self.assertIn("--cluster: ", refused.stderr)
        begun = self.watch("--cluster")
        self.assertEqual((begun["answer"]["kind"], begun["answer"]["text"]),
                         ("under_way", "Measuring on the cluster, 0 of 3 blocks done: a later pass tells what changed."))
        first = self.watch_until_told(0)
        self.assertEqual((first["answer"]["kind"], first["after"]["name"], first["cost"]["rounds"]), ("no_change", "fake 1.0.0", 12))
        self.assertEqual(self.watch("--cluster")["answer"]["kind"], "nothing_new")
        versions["1.1.0"] = fast
        self.catalog(versions)
        self.assertEqual(self.watch("--cluster")["answer"]["kind"], "under_way")
        told = self.watch_until_told(10)
        self.assertEqual([(row["name"], row["verdict"], row["rounds"]) for row in told["newcomers"]], [("fake 1.0.0 -> 1.1.0", "FASTER", 12)])
        self.assertEqual(told["after"]["name"], "fake 1.1.0")
        self.assertEqual(self.watch("--cluster")["answer"]["kind"], "nothing_new")

    def catalog(self, versions):
        components = {"fake": {"kind": "package", "versions": {version: {"provides": {"blas": version}, "reports": "*", "artifacts": [
            {"type": "path", "file": str(path), "library": str(path)}]} for version, path in versions.items()}}}
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": components})


class WatchedOnSlurm(Watched, OnSlurm):
    def test_two_libraries(self):
        cluster = self.start_cluster()
        self.two_libraries({"hardware": "host", "name": "all", "slurm": {}})
        self.assertEqual(cluster.command("squeue", "-h"), "")


class WatchedOnKubernetes(Watched, OnKubernetes):
    def test_two_libraries(self):
        self.two_libraries(self.target())
        self.assertEqual(self.cluster.pods(live=True), [])
