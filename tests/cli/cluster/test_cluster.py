"""`stackx cluster` on a real Slurm of three nodes of two kinds: what it measures, and its commands."""

import itertools
import json
import math
import signal
import subprocess
import time

from cluster_box import AT_ONCE, OnSlurm, ROUNDS
from harness import ROOT, STACKX, schema_errors


class Measures(OnSlurm):
    def test_a_campaign_on_three_nodes_of_two_kinds(self):
        cluster = self.start_cluster()
        project = self.project(blocks=2, target={"hardware": "host", "name": "h", "slurm": {"constraint": "h100", "gres": "gpu:h100:1"}})
        document = json.loads(project.read_text())
        document["cluster"]["targets"].append({"hardware": "host", "name": "v", "slurm": {"constraint": "v100", "time": "10"}})
        project.write_text(json.dumps(document))
        began = time.monotonic()
        submitted = self.stackx("cluster", "submit", project).stdout
        self.assertIn("0 of 4 blocks are done", submitted)
        self.until(lambda: self.documents(), "a first document")
        print(f"from submit to the first document: {time.monotonic() - began:.1f} s", end=" ")
        second = self.stackx("cluster", "submit", project, exit_code=2)
        self.assertIn("is under way", second.stderr)
        status, kept = self.wait_for_end()
        self.assertEqual(len(kept), 2 * 2 * ROUNDS * 3)
        by_target = {}
        for directory, one in self.documents():
            by_target.setdefault(directory.parent.parent.name, set()).add(one["host"]["hostname"])
        self.assertEqual(by_target["v"], {"n3"})
        self.assertLessEqual(by_target["h"], {"n1", "n2"})
        plans = [json.loads(file.read_text()) for file in self.root().glob("*/block-*/*/plan.json")]
        self.assertEqual(len({plan["seed"] for plan in plans}), 4)  # orders of their own
        self.assertEqual(len({json.dumps(plan["arms"]) for plan in plans}), 1)  # and the same stacks
        attempts = [json.loads(file.read_text()) for file in self.root().glob("*/block-*/*/attempt.json")]
        self.assertEqual(schema_errors("cluster-attempt", attempts), [""] * 4)
        self.assertEqual(schema_errors("cluster", [json.loads((self.root() / "campaign.json").read_text())]), [""])
        self.compare_with_a_local_run(project)
        self.assertEqual(cluster.command("squeue", "-h"), "")

    def compare_with_a_local_run(self, project):
        """No pair of stacks the other way round, and none another pair's ratio. Intervals need not overlap: on the cluster nodes
        measure side by side, here one inspection after the other, and a ratio depends on such conditions, too."""
        document = json.loads(project.read_text())
        stacks = [one["stack"]["id"] for one in self.json("advise", "--workload", "matmul:m=64,n=64,k=64")["recommendations"]]
        self.assertEqual(len(stacks), 3)
        pairs = list(itertools.combinations(stacks, 2))
        of_cluster = [self.comparison(*pair) for pair in pairs]
        del document["cluster"]
        document["campaign"]["rounds"] = 10
        local = self.write("local.json", document)
        self.environment["STACKX_DB"] = str(self.scratch / "local.db")
        self.stackx("inspect", local)
        for pair, there in zip(pairs, of_cluster):
            here = self.comparison(*pair)
            self.assertNotEqual({there["verdict"], here["verdict"]}, {"FASTER", "SLOWER"}, pair)
            self.assertLess(abs(math.log2(there["ratio"] / here["ratio"])), 1, (pair, there, here))  # one stack is 3 times slower

    def comparison(self, a, b):
        return self.json("compare", a[:10], b[:10])


class Commands(OnSlurm):
    def test_script_submits_nothing_and_leaves_nothing(self):
        project = self.project()
        text = self.stackx("cluster", "script", project).stdout
        self.assertIn("#SBATCH --exclusive", text)
        self.assertEqual(list(self.spool.iterdir()), [])
        scripts = self.json("cluster", "script", project)["scripts"]
        self.assertEqual([one["target"] for one in scripts], ["all"])
        self.assertEqual(subprocess.run(["bash", "-n"], input=scripts[0]["text"], text=True).returncode, 0)

    def test_cancel_ends_the_jobs_and_keeps_what_was_measured(self):
        cluster = self.start_cluster()
        self.stackx("cluster", "submit", self.project(rounds=30, lasts=True))
        self.until(self.measuring, "measuring")
        done = self.stackx("cluster", "cancel").stdout
        self.assertIn("Cancelled", done)
        self.until(lambda: cluster.command("squeue", "-h") == "", "the end of the jobs")
        again = self.json("cluster", "collect")
        self.assertEqual(again["targets"][0]["submitted"], "")
        self.assertGreater(again["targets"][0]["inspections"], 0)

    def test_cancel_without_a_controller_cancels_nothing(self):
        cluster = self.start_cluster()
        self.stackx("cluster", "submit", self.project(rounds=30, lasts=True))
        self.until(self.measuring, "measuring")
        cluster.kill_controller()
        refused = self.stackx("cluster", "cancel", exit_code=3).stderr
        self.assertIn("is not cancelled, and its jobs may still run", " ".join(refused.split()))
        self.assertFalse(self.json("cluster", "status")["cancelled"])
        cluster.start_controller()
        self.stackx("cluster", "cancel")
        self.until(lambda: cluster.command("squeue", "-h") == "", "the end of the jobs")
        again = " ".join(self.stackx("cluster", "collect", "--again").stdout.split())
        self.assertIn("`stackx cluster submit` begins another campaign", again)
        cluster.kill_controller()
        self.assertIn("Jobs of it may still run", " ".join(self.stackx("cluster", "status").stdout.split()))

    def test_a_target_that_the_project_has_nothing_for(self):
        settings = self.write("v100.json", {"$schema": "stackx/cluster-settings/1", "spool": str(self.spool), "targets": [{"hardware": "v100", "slurm": {}}]})
        said = self.stackx("cluster", "script", self.project(), "--settings", settings, exit_code=2).stderr
        self.assertIn(f'{settings}: target v100 is "v100": project on-slurm', said)
        self.assertIn("has nothing for GPUs", said)
        self.assertNotIn("stackx-script-", said)

    def test_what_cannot_be_made_stops_before_submitting(self):
        cluster = self.start_cluster()
        document = json.loads(self.project(blocks=1, rounds=2, params=AT_ONCE).read_text())
        catalog = json.loads((ROOT / "specs/data/blas.json").read_text())
        artifact = catalog["components"]["debian-blis"]["versions"]["0.9.0-1"]["artifacts"][0]
        artifact["package"], artifact["library"] = "libnonesuch", "/usr/lib/nonesuch/libblis.so.4"
        self.write("broken.json", catalog)
        document["catalogs"] = ["broken.json"]
        done = self.stackx("cluster", "submit", self.write("project.json", document), exit_code=1)
        self.assertIn("Nothing was submitted yet, because of a stack", done.stderr)
        self.assertIn("libnonesuch", done.stderr)
        self.assertEqual(cluster.command("squeue", "-h", "-t", "all"), "")
        status, kept = self.wait_for_end()  # all the same: the failure is a result
        self.assertEqual(sorted(one["outcome"] for one in kept).count("ok"), 2 * 2)
        self.assertEqual(status["targets"][0]["failed"], 1)

    def test_what_the_scheduler_refuses_is_said_and_not_asked_for_ever(self):
        self.start_cluster()
        project = self.project(blocks=1, target={"hardware": "host", "name": "all", "slurm": {"partition": "nonesuch"}})
        done = self.stackx("cluster", "submit", project, "--wait", exit_code=3)
        self.assertIn("Nothing is submitted.", done.stdout)
        self.assertIn("nvalid partition", done.stdout)
        self.assertEqual(done.stderr.count("not submitted:"), 1)

    def test_interrupted_waiting_leaves_the_jobs(self):
        cluster = self.start_cluster()
        self.stackx("cluster", "submit", self.project(rounds=10, lasts=True))
        waiting = subprocess.Popen([STACKX, "cluster", "collect", "--wait"], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.until(self.measuring, "measuring")
        waiting.send_signal(signal.SIGINT)
        out, err = waiting.communicate(timeout=30)
        self.assertEqual(waiting.returncode, 130, out + err)
        self.assertIn("The jobs go on", err)
        self.assertNotEqual(cluster.command("squeue", "-h"), "")
        self.wait_for_end()

    def test_a_race_over_waves(self):
        self.start_cluster()
        project = self.project(blocks=3, rounds=4, strategy={"kind": "race", "final_rounds": 12})
        document = json.loads(project.read_text())
        document["campaign"]["rounds"] = 24
        self.stackx("cluster", "submit", self.write("project.json", document))
        status, kept = self.wait_for_end(240)
        waves = [json.loads(file.read_text()) for file in sorted(self.root().glob("all/wave-*.json"))]
        self.assertGreaterEqual(len(waves), 2)
        self.assertEqual(len(waves[0]["arms"]), 3)
        self.assertEqual(len(waves[-1]["arms"]), 2)  # the finalists

    def test_bad_input(self):
        project = self.project()
        document = json.loads(project.read_text())
        for change, word in (({"targets": [{"hardware": "nonesuch", "slurm": {}}]}, "nobody knows the hardware"),
                             ({"spool": str(self.scratch / "nowhere")}, "no such directory"), ({"spol": "/x"}, "did you mean")):
            broken = self.write("broken.json", document | {"cluster": document["cluster"] | change})
            done = self.stackx("cluster", "submit", broken, exit_code=None if "nowhere" in str(change) else 2) if "nowhere" not in str(change) \
                else subprocess.run([STACKX, "cluster", "submit", broken], env=self.environment, capture_output=True, text=True)
            self.assertIn(word, done.stderr)
            self.assertEqual(list(self.spool.iterdir()), [])
        none = self.write("none-valid.json", document | {"pins": {"debian-openblas": "==9", "debian-blis": "==9"}, "requires": {"debian-openblas": "*"}})
        for command in ("submit", "script"):  # the input is fine, the answer is no
            self.assertRegex(self.stackx("cluster", command, none, exit_code=1).stdout, r"\Aon-slurm, target all: no valid stack\.\n")
            self.assertIn("debian-openblas", " ".join(self.json("cluster", command, none, exit_code=1)["clash"]))
        self.assertEqual(list(self.spool.iterdir()), [])
        settings = self.write("settings.json", document["cluster"] | {"$schema": "stackx/cluster-settings/1"})
        requirements = self.scratch / "requirements.txt"
        requirements.write_text("numpy\n")
        for command in ("submit", "script"):
            self.assertIn(f"--settings {settings}", self.stackx("cluster", command, settings, exit_code=2).stderr)
            self.assertIn("does not say where the campaign runs; write a file as this one", self.stackx("cluster", command, requirements, exit_code=2).stderr)
        del document["cluster"]
        self.assertIn("has no \"cluster\"", self.stackx("cluster", "submit", self.write("none.json", document), exit_code=2).stderr)
        self.assertIn("none was submitted from here", self.stackx("cluster", "status", exit_code=2).stderr)
        self.assertIn("--on", self.stackx("cluster", "submit", project, "--on", "kubernetes", exit_code=2).stderr + "--on")
