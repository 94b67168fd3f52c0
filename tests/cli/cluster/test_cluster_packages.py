"""`stackx cluster submit PACKAGES`: releases of an index, measured on the nodes of a cluster by a program of one's own, or by a PI of stackx."""

import json
import pathlib
import shutil

from cluster_box import OnKubernetes, OnSlurm
from harness import STACKX
from python_stack import HERE, wheel
from watched_project import Watch


class OfPackages(OnSlurm, Watch):
    """Of `victim`, whose releases say how long they take."""

    def setUp(self):
        super().setUp()
        for version, seconds in (("1.0", 0.03), ("2.0", 0.01)):
            self.release(version, seconds)
        self.settings = self.settings_of({"hardware": "host", "name": "all", "slurm": {}})

    def settings_of(self, *targets, **more):
        return self.write("settings.json", {"$schema": "stackx/cluster-settings/1", "spool": str(self.spool), "blocks": 2, "rounds_per_block": 3,
                                            "targets": targets} | more)

    def words(self, *options, command="submit"):
        return ["cluster", command, "victim", "--settings", self.settings, "--python", HERE, *options]

    def refused(self, *words, exit_code=2):
        done = self.stackx("cluster", "submit", *words, exit_code=exit_code)
        self.assertEqual((done.stdout, list(self.spool.iterdir()), self.index.asked), ("", [], []))
        return " ".join(done.stderr.split())

    def test_which_release_is_fastest_at_a_program(self):
        self.start_cluster()
        self.stackx(*self.words("--pi", self.bench))
        program = self.bench.read_text()
        self.bench.write_text("print(7)\n")  # nodes run what was submitted
        status, kept = self.wait_for_end()
        self.assertEqual([one["outcome"] for one in kept], ["ok"] * 2 * 3 * 2)
        stacks = [{"victim": version, "python": HERE} for version in ("1.0", "2.0")]
        self.assertEqual(sorted({json.dumps(one["stack"], sort_keys=True) for one in kept}), [json.dumps(one, sort_keys=True) for one in stacks])
        copies = list(self.spool.glob("program-*/bench.py"))
        self.assertEqual([copy.read_text() for copy in copies], [program])
        told = self.stackx("cluster", "collect").stdout
        self.assertTrue(told.startswith("victim 2.0 is FASTEST: 100 items/s [100, 100], 3.00x [3.00, 3.00] the next.\nMEASURED here"), told)
        self.assertIn(f"Next: stackx advise --hw host --workload bench --pi {copies[0]}", " ".join(told.split()))
        self.assertLessEqual(max(len(line) for line in told.splitlines() if "/" not in line), 80)
        self.assertIn("All is there: 2 blocks, 12 inspections.", self.stackx("cluster", "status", "victim").stdout)
        self.compare_with_here(copies[0])

    def compare_with_here(self, program):
        """What was measured on nodes and what is measured here are results of the same stacks, and confirmed as advice is."""
        self.bench.write_text(program.read_text())
        self.stackx("inspect", "victim", "--pi", self.bench, "--python", HERE, "--rounds", "2")
        answer = self.stackx("advise", "--pi", self.bench).stdout
        self.assertIn("pip install victim==2.0", answer)
        self.assertIn("2 stacks, 8 rounds on ", answer)
        advice = self.write("advice.json", self.stackx("advise", "--pi", self.bench, "--json").stdout)
        self.stackx("verify", advice, "--pi", self.bench)

    def test_a_sample_of_releases(self):
        text = self.stackx(*self.words("--pi", self.bench, "--sample", "1", command="script")).stdout
        self.assertIn("#SBATCH --array=0-1%16", text)
        self.assertEqual(list(self.spool.iterdir()), [])
        self.stackx(*self.words("--pi", self.bench, "--sample", "1", "--stage", "none"), exit_code=3)  # no Slurm runs
        self.assertEqual([arm["stack"]["victim"] for arm in self.plan()["arms"]], ["2.0"])

    def plan(self, target="all"):
        return json.loads((self.root() / "campaign.json").read_text())["plans"][target]

    def test_on_targets_with_gpus_frameworks_with_cuda_compute_there(self):
        for package in ("torch", "numpy"):
            self.index.add(wheel(package, "1.0"))
        self.settings = self.settings_of({"hardware": "v100", "slurm": {}}, {"hardware": {"gpu": "a100-sxm4-40gb", "driver": "550.54"}, "name": "a100", "slurm": {}},
                                         {"hardware": "zen4", "slurm": {}})
        for package, on_gpu in (("torch", "gpu"), ("numpy", None)):
            self.stackx("cluster", "submit", package, "--workload", "matmul", "--settings", self.settings, "--python", HERE, "--stage", "none", exit_code=3)
            for target, device in (("v100", on_gpu), ("a100", on_gpu), ("zen4", None)):
                with self.subTest(package=package, target=target):
                    arm, = self.plan(target)["arms"]
                    self.assertEqual((arm["stack"], arm["workload"]["params"].get("device")), ({package: "1.0", "python": HERE}, device))
                    self.assertEqual(json.loads((self.root() / target / "project.json").read_text())["hardware"].get("driver"), "550.54" if target == "a100" else None)
            shutil.rmtree(self.root())

    def test_what_cannot_be_submitted_is_refused_before_the_index_is_asked(self):
        told = self.refused("victim", "--pi", self.bench)
        self.assertIn("victim: does not say where the campaign runs; write a file as this one", told)
        self.assertIn('"targets": [{"hardware": "v100", "slurm": {"partition": "gpu"}}]', told)
        self.assertIn("expected one of --pi COMMAND", self.refused("victim", "--settings", self.settings))
        self.assertIn("--files: shows a directory to the command of --pi", self.refused("victim", "--settings", self.settings, "--workload", "matmul", "--files", "."))
        self.assertIn("--workload belongs to Python projects", self.refused(self.project(), "--workload", "matmul"))
        away = self.settings_of({"hardware": "host", "slurm": {}}, spool=str(self.scratch / "away"))
        self.assertIn("mount it, or make it", self.refused("victim", "--pi", self.bench, "--settings", away, exit_code=3))
        pods = self.settings_of({"hardware": "host", "name": "pods", "kubernetes": {"image": "i", "send": "http://127.0.0.1:9/"}})
        self.assertIn('target pods has no "volume", so its pods cannot read the program', self.refused("victim", "--pi", self.bench, "--settings", pods))
        nobody = self.stackx("cluster", "status", "victim", exit_code=2).stderr
        self.assertIn('no campaign of "victim" was submitted from here; stackx cluster submit victim begins one', " ".join(nobody.split()))


class OfPackagesOnKubernetes(OnKubernetes, Watch):
    def test_a_program_on_the_volume(self):
        self.release("1.0", 0.01)
        settings = self.write("settings.json", {"$schema": "stackx/cluster-settings/1", "spool": str(self.spool), "blocks": 1, "rounds_per_block": 2,
                                                "targets": [self.target()]})
        self.stackx("cluster", "submit", "victim", "--pi", self.bench, "--settings", settings, "--python", HERE)
        _, kept = self.wait_for_end()
        self.assertEqual([(one["stack"]["victim"], one["outcome"]) for one in kept], [("1.0", "ok")] * 2)
        self.assertEqual(len(list(pathlib.Path(self.spool).glob("program-*/bench.py"))), 1)

    def test_pods_on_gpus_have_one(self):
        self.index.add(wheel("torch", "1.0"))
        pods = [self.target() | {"name": name, "hardware": hardware} for name, hardware in (("gpu", "v100"), ("cpu", "zen4"))]
        settings = self.write("settings.json", {"$schema": "stackx/cluster-settings/1", "spool": str(self.spool), "targets": pods})
        scripts = self.json("cluster", "script", "torch", "--workload", "matmul", "--settings", settings, "--python", HERE)["scripts"]
        asks = {target: [one["text"] for one in scripts if one["target"] == target] for target in ("gpu", "cpu")}
        self.assertEqual([any('nvidia.com/gpu: "1"' in text for text in asks[target]) for target in ("gpu", "cpu")], [True, False])
        self.assertEqual([any("-gpus.json: |" in text for text in asks[target]) for target in ("gpu", "cpu")], [True, False])


# A PI of the user's: says on which device it was put.
PI = """#!/bin/sh
cat <<TEXT
{"name": "matmul", "component": "cublas", "parameters": {}, "samples_ns": [1000, 1010, 990], "work": {"flop": 1e6, "bytes": 0, "items": 1},
 "check": {"reference": "r", "max_relative_error": 0, "bound": 1, "pass": true}, "loaded": {"cublas": "12.4"}, "files": [],
 "gpu": {"uuid": "$CUDA_VISIBLE_DEVICES"}}
TEXT
"""


class OfGpus(OnSlurm):
    """Submitted from a machine without a GPU to nodes with one, which a look-alike of NVML plays."""

    def test_the_driver_is_each_nodes_own(self):
        self.start_cluster()
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {
            "driver": {"kind": "driver", "open": True, "versions": {"525.60.13": {}}},
            "cublas": {"kind": "package", "versions": {version: {"requires": {"driver": driver, "gpu.compute_capability": ">=5.0"},
                                                                 "provides": {"blas": version}} for version, driver in (("12.4", ">=525"), ("99.0", ">=9999"))}}}})
        pi = self.write("pi.sh", PI)
        pi.chmod(0o755)
        nvml = pathlib.Path(STACKX).resolve().parent / "tests" / "nvml" / "two_gpus"
        project = self.write("project.json", {
            "$schema": "stackx/project/1", "name": "on-gpus", "catalogs": ["gpus.json", "catalog.json"], "requires": {"cublas": "*"},
            "hardware": {"gpu": "host", "driver": "host"}, "workload": {"pi": "matmul", "params": {"device": "gpu", "m": 64, "n": 64, "k": 64}},
            "campaign": {"sampler": {"kind": "all"}},
            "cluster": {"targets": [{"hardware": "h200", "slurm": {"preamble": f"export LD_LIBRARY_PATH={nvml}"}}], "blocks": 1, "rounds_per_block": 2,
                        "spool": str(self.spool)}})
        self.stackx("cluster", "submit", project, "--pi", pi)
        status, kept = self.wait_for_end()
        measured = {(one["stack"]["cublas"], one["outcome"], one["device"][:4]) for one in kept}
        self.assertEqual(measured, {("12.4", "ok", "GPU-"), ("99.0", "unsupported", "GPU-")})
        too_old = {one["reason"] for one in kept if one["outcome"] == "unsupported"}
        self.assertRegex(" ".join(too_old), r"\Acublas 99\.0 .*driver.*>=9999")
        self.assertEqual({json.dumps(one["stack"]) for one in kept}, {'{"cublas": "12.4"}', '{"cublas": "99.0"}'})  # whichever H200 it is
        self.assertEqual(json.loads((self.root() / "h200" / "project.json").read_text())["hardware"], {"gpu": "h200", "driver": "host"})
        self.assertIn("MEASURED ELSEWHERE (h200): 1 stack, 2 rounds", self.stackx("advise", "--hw", "h200", "--workload", "matmul", "--pi", pi).stdout)
