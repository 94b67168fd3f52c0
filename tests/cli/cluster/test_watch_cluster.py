"""stackx watch --cluster, on a real Slurm of three nodes and on a Kubernetes that is played: submitted by one pass, collected by later ones, told once."""

import json
import subprocess
import time

from cluster_box import OnKubernetes, OnSlurm
from harness import STACKX, schema_errors
from python_stack import HERE, wheel
from watched_project import CHANGED, NOTHING, REGRESSION, Watch


def told_at_last(case, words, exit_code):
    """Passes as a timer would start them, until one does not say that the cluster is measuring: its document."""
    end = time.monotonic() + 600
    while time.monotonic() < end:
        done = subprocess.run([STACKX, *map(str, words), "--json"], env=case.environment, capture_output=True, text=True)
        document = json.loads(done.stdout or "{}")
        if document.get("answer", {}).get("kind") != "under_way":
            case.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
            case.assertEqual(schema_errors("watch", [document]), [""])
            return document
        case.assertEqual(done.returncode, 0, done.stderr)
        time.sleep(0.5)
    case.fail(f"the cluster does not end: {document}")


class Watched:
    def watch(self, *options, exit_code=0):
        document = self.json("watch", self.project_file, "--no-refresh", *options, exit_code=exit_code)
        self.assertEqual(schema_errors("watch", [document]), [""])
        return document

    def watch_until_told(self, exit_code):
        return told_at_last(self, ["watch", self.project_file, "--no-refresh", "--cluster"], exit_code)

    def two_libraries(self, target):
        fast, slow = self.fake_blas("1.0.0", slow=1), self.fake_blas("1.1.0", slow=100)  # no load makes up for that
        versions = {"1.0.0": slow}
        self.catalog(versions)
        document = {"$schema": "stackx/project/1", "name": "watched", "catalogs": ["catalog.json"], "requires": {"fake": "*"},
                    "workload": {"pi": "matmul", "params": {"m": 64, "n": 64, "k": 64, "dtype": "float32", "threads": 1, "repetitions": 5}},
                    "campaign": {"rounds": 5, "limits": {"seconds": 120, "memory_gib": 2}},
                    "cluster": {"targets": [target], "blocks": 3, "rounds_per_block": 4, "spool": str(self.spool)}}
        self.project_file = self.write("project.json", document)
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


class PackagesOnSlurm(OnSlurm, Watch):
    """Releases of an index, by a program of the user's: where it runs stands in --settings, as of `cluster submit`."""

    def setUp(self):
        super().setUp()
        self.settings = self.settings_of({"hardware": "host", "name": "all", "slurm": {}})

    def settings_of(self, *targets):
        return self.write("settings.json", {"$schema": "stackx/cluster-settings/1", "spool": str(self.spool), "blocks": 3, "rounds_per_block": 4, "targets": targets})

    def words(self, *options):
        return super().words("--settings", self.settings, *options)

    def test_a_release_that_is_slower_and_one_that_is_faster(self):
        self.start_cluster()
        self.release("1.0", 0.02)
        planned = " ".join(self.told("--dry-run").stdout.split())
        self.assertIn("on the cluster, 2 arms in 3 blocks of 4 rounds (24 inspections); verdicts when all are done", planned)
        self.assertEqual(list(self.spool.iterdir()), [])
        self.assertIn("Measuring on the cluster, 0 of 3 blocks done", self.told().stdout)
        first = told_at_last(self, self.words(), NOTHING)
        self.assertEqual((first["answer"]["kind"], first["after"]["stack"], first["cost"]["rounds"]), ("no_change", {"victim": "1.0", "python": HERE}, 12))
        for version, seconds, code, verdict, advised in (("2.0", 0.03, REGRESSION, "SLOWER", "1.0"), ("3.0", 0.01, CHANGED, "FASTER", "3.0")):
            with self.subTest(version):
                self.release(version, seconds)
                self.assertEqual(self.watch()["answer"]["kind"], "under_way")
                told = told_at_last(self, self.words(), code)
                self.assertEqual([(row["stack"]["victim"], row["verdict"], row["rounds"]) for row in told["newcomers"]], [(version, verdict, 12)])
                self.assertEqual(self.stack_of(told), advised)
                self.assertEqual(self.watch()["answer"]["kind"], "nothing_new")

    def test_nodes_with_gpus(self):
        for package in ("torch", "numpy"):
            self.index.add(wheel(package, "1.0"))
        self.settings = self.settings_of({"hardware": "v100", "slurm": {}})
        for package, on_gpu in (("torch", "gpu"), ("numpy", None)):
            with self.subTest(package):
                begun = self.json("watch", package, "--workload", "matmul", "--python", HERE, "--settings", self.settings)
                self.assertEqual((begun["answer"]["kind"], begun["hw"]), ("under_way", "v100"))
                frozen, = [json.loads(one.read_text()) for one in self.spool.glob("*/campaign.json") if package in one.read_text()]
                arms = frozen["plans"]["v100"]["arms"]
                self.assertEqual({(json.dumps(arm["stack"]), arm["workload"]["params"].get("device")) for arm in arms},
                                 {(json.dumps({package: "1.0", "python": HERE}, sort_keys=True), on_gpu)})

    def test_what_no_cluster_measures(self):
        def refused(*words):
            return " ".join(self.stackx("watch", "victim", "--pi", self.bench, "--offline", *words, exit_code=2).stderr.split())

        self.assertIn("victim: does not say where the campaign runs; write a file as this one and give it with --settings FILE", refused("--cluster"))
        two = self.settings_of({"hardware": "v100", "slurm": {}}, {"hardware": "h100", "slurm": {}})
        self.assertIn("settings.json: has 2 targets; one watch is about one kind of hardware", refused("--settings", two))


class WatchedOnSlurm(Watched, OnSlurm):
    def test_two_libraries(self):
        cluster = self.start_cluster()
        self.two_libraries({"hardware": "host", "name": "all", "slurm": {}})
        self.assertEqual(cluster.command("squeue", "-h"), "")


class WatchedOnKubernetes(Watched, OnKubernetes):
    def test_two_libraries(self):
        self.two_libraries(self.target())
        self.assertEqual(self.cluster.pods(live=True), [])
