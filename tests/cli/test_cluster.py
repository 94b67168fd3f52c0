"""`stackx cluster` on a real Slurm of three nodes: what it measures, and what goes wrong on clusters."""

import json
import os
import random
import signal
import subprocess
import time
import unittest

import slurm_cluster
from harness import BlackBox, EXAMPLE, STACKX, cases, schema_errors

ROUNDS = 5


@unittest.skipIf(slurm_cluster.why_not(), slurm_cluster.why_not())
class OnSlurm(BlackBox):
    """A project of three stacks of Debian's libraries, which nothing has to be fetched for, and a spool of its own."""

    kinds = ("h100", "h100", "v100")

    def setUp(self):
        super().setUp()
        self.kept = self.scratch / "kept"  # what the spool is a mount of
        self.spool = self.scratch / "spool"
        self.kept.mkdir()
        self.spool.mkdir()
        self.environment["COLUMNS"] = "80"

    def start_cluster(self, **options):
        cluster = slurm_cluster.SlurmCluster(self.scratch / "slurm", self.kinds, **options)
        self.environment.update(cluster.environment | {"STACKX_DB": self.environment["STACKX_DB"],
                                                       "XDG_CACHE_HOME": self.environment["XDG_CACHE_HOME"],
                                                       "XDG_DATA_HOME": self.environment["XDG_DATA_HOME"], "COLUMNS": "80",
                                                       "STACKX_SCRATCH": str(self.scratch)})
        self.addCleanup(cluster.stop)
        cluster.start()
        return cluster

    def project(self, blocks=3, rounds=ROUNDS, target=None, **campaign):
        document = json.loads(EXAMPLE.read_text())
        document["name"] = "on-slurm"
        document["workload"]["params"].update(m=64, n=64, k=64)
        document["campaign"] = {"stacks": self.stacks(document), "rounds": rounds} | campaign
        document["cluster"] = {"targets": [target or {"hardware": "host", "name": "all", "slurm": {}}], "blocks": blocks,
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

    def until(self, done, what, seconds=60):
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

    def wait_for_end(self, seconds=120):
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
        """The same order, and intervals that overlap."""
        of_cluster = self.verdicts()
        document = json.loads(project.read_text())
        del document["cluster"]
        document["campaign"]["rounds"] = 10
        local = self.write("local.json", document)
        self.environment["STACKX_DB"] = str(self.scratch / "local.db")
        self.stackx("inspect", local)
        of_machine = self.verdicts()
        self.assertEqual(set(of_cluster), set(of_machine))
        for stack, (low, high) in of_cluster.items():
            least, most = of_machine[stack]
            self.assertTrue(low <= most and least <= high, (of_cluster, of_machine))

    def verdicts(self):
        """{stack: interval of its ratio to the best}"""
        rows = self.json("advise", "--workload", "matmul:m=64,n=64,k=64")["recommendations"]
        return {one["stack"]["id"]: one["vs_best"]["ci"] for one in rows if one["vs_best"]}


class GoesWrong(OnSlurm):
    def test_power_loss_of_a_node(self):
        cluster = self.start_cluster()
        self.stackx("cluster", "submit", self.project())
        block, (node, _) = self.until(self.measuring, "measuring").popitem()
        cluster.power_loss(node)
        left = {one["id"] for directory, one in self.documents(block)}
        status, kept = self.wait_for_end()
        self.assertLessEqual(left, {one["id"] for one in kept})
        starts = {directory for directory, _ in self.documents(block)}
        self.assertGreaterEqual(len(starts), 2)
        self.assertEqual(len({json.loads((one / "plan.json").read_text())["id"] for one in starts}), len(starts))

    def test_cut_network_and_return(self):
        cluster = self.start_cluster()
        self.stackx("cluster", "submit", self.project(rounds=12))
        block, (node, _) = self.until(self.measuring, "measuring").popitem()
        cluster.cut_network(node)
        self.until(lambda: "down" in cluster.states()[node], "the node's being given up")
        self.until(lambda: len({directory for directory, _ in self.documents(block)}) > 1 or block not in self.measuring(), "another start")
        cluster.join_network(node)
        status, kept = self.wait_for_end()
        target = status["targets"][0]
        self.assertGreaterEqual(target["rounds"], 3 * 12)  # a zombie's complete rounds count, too

    def test_preemption(self):
        cluster = self.start_cluster()
        self.stackx("cluster", "submit", self.project())
        block, (node, _) = self.until(self.measuring, "measuring").popitem()
        script = self.write_script("#!/bin/sh\nsleep 1\n")
        cluster.command("sbatch", "--partition=urgent", "--exclusive", f"--nodelist={node}", script)
        status, kept = self.wait_for_end()
        states = {json.loads(file.read_text())["state"] for file in self.root().glob(f"*/block-{block}/*/attempt.json")}
        self.assertIn("interrupted", states)

    def test_the_controller_dies(self):
        cluster = self.start_cluster()
        self.stackx("cluster", "submit", self.project())
        self.until(self.measuring, "measuring")
        cluster.kill_controller()
        unknown = self.json("cluster", "collect")
        self.assertFalse(unknown["targets"][0]["queue"]["known"])
        self.assertEqual(unknown["targets"][0]["submitted"], "")
        cluster.start_controller()
        self.wait_for_end()
        self.assertEqual(len(list(self.root().glob("all/submission-*.json"))), 1)

    def test_a_held_job_and_a_drained_node(self):
        cluster = self.start_cluster()
        cluster.command("scontrol", "update", "nodename=n1", "state=drain", "reason=bad disk")
        project = self.project(blocks=2, target={"hardware": "host", "name": "all", "slurm": {"directives": ["--hold"]}})
        self.stackx("cluster", "submit", project)
        said = self.stackx("cluster", "status").stdout
        self.assertIn("scontrol release", said)
        self.assertIn("n1", said)
        self.assertIn("bad disk", said)
        job = self.json("cluster", "status")["targets"][0]["queue"]["tasks"][0]["job"]
        cluster.command("scontrol", "release", job.split("_")[0])
        self.wait_for_end()

    def test_completed_without_having_run(self):
        """The first two starts exit at once with 0, as where slurmstepd is broken."""
        self.start_cluster()
        lazy = self.scratch / "lazy"
        preamble = f"if [ $(ls {lazy} | wc -l) -lt 2 ]; then touch {lazy}/$SLURM_JOB_ID; exit 0; fi"
        lazy.mkdir()
        self.stackx("cluster", "submit", self.project(target={"hardware": "host", "name": "all", "slurm": {"preamble": preamble}}))
        self.wait_for_end()
        self.assertGreaterEqual(len(list(self.root().glob("all/submission-*.json"))), 2)

    def test_a_block_that_never_gets_done_is_given_up(self):
        self.start_cluster()
        document = json.loads(self.project(blocks=1, target={"hardware": "host", "name": "all", "slurm": {"preamble": "exit 3"}}).read_text())
        document["cluster"]["attempts"] = 2
        self.stackx("cluster", "submit", self.write("project.json", document))
        done = self.stackx("cluster", "collect", "--wait", exit_code=1)
        self.assertIn("given up", done.stdout)
        self.assertIn("/all/log", done.stdout.replace("\n", "").replace(" ", ""))
        self.assertEqual(len(list(self.root().glob("all/submission-*.json"))), 2)

    def test_the_wrong_node(self):
        self.start_cluster()
        document = json.loads(self.project(blocks=1, target={"hardware": {"cpu": "zen4" if self.cpu() != "zen4" else "zen3"}, "name": "zen",
                                                             "slurm": {}}).read_text())
        document["cluster"]["attempts"] = 1
        del document["campaign"]["stacks"]
        document["campaign"]["sampler"] = {"kind": "uniform", "count": 2}
        document["pins"] = {"debian-openblas": "*"}
        document["requires"] = {"debian-openblas": "*"}
        self.stackx("cluster", "submit", self.write("project.json", document))
        done = self.stackx("cluster", "collect", "--wait", exit_code=1)
        self.assertIn("not the node that was asked for", " ".join(done.stdout.split()))
        attempt = json.loads(next(self.root().glob("zen/block-0/*/attempt.json")).read_text())
        self.assertEqual(attempt["state"], "wrong_node")
        self.assertEqual(attempt["host"]["cpu"]["microarchitecture"], self.cpu())

    def cpu(self):
        return self.json("hw")["cpu"]["microarchitecture"]

    def write_script(self, text):
        file = self.scratch / "urgent.sh"
        file.write_text(text)
        return file


class Spool(OnSlurm):
    """The spool is a mount of its own on every node, as on clusters."""

    def mount(self, *words):
        done = subprocess.run(["mount", *map(str, words)], capture_output=True, text=True)
        if done.returncode != 0:
            self.skipTest(f"nothing can be mounted here: {done.stderr.strip()}")

    def in_node(self, cluster, node, *words):
        # The first process of the node lives in its mounts; unshare waits outside of them.
        child = subprocess.run(["pgrep", "-P", str(cluster.daemons[node].pid)], capture_output=True, text=True).stdout.split()[0]
        return subprocess.run(["nsenter", "-t", child, "-m", "-p", *map(str, words)], capture_output=True, text=True, check=True)

    def test_a_full_spool(self):
        self.mount("-t", "tmpfs", "-o", "size=6m", "tmpfs", self.spool)
        self.addCleanup(subprocess.run, ["umount", "-l", self.spool])
        self.start_cluster()
        self.stackx("cluster", "submit", self.project())
        self.until(self.measuring, "measuring")
        filler = self.spool / "filler"
        with open(filler, "wb", buffering=0) as file:
            with self.assertRaises(OSError):
                while True:
                    file.write(b"x" * 4096)
        self.until(lambda: "not delivered yet" in self.logs() or (self.scratch_documents() > 0), "a document that cannot be delivered")
        filler.unlink()
        status, kept = self.wait_for_end()
        self.assertEqual(len(kept), 3 * ROUNDS * 3)  # nothing was lost, nothing measured again

    def scratch_documents(self):
        return len([one for one in self.scratch.glob("stackx-*-all-*/*.json")])

    def test_a_spool_that_is_not_mounted_for_a_while(self):
        self.mount("--bind", self.kept, self.spool)
        self.addCleanup(subprocess.run, ["umount", "-l", self.spool])
        cluster = self.start_cluster()
        self.stackx("cluster", "submit", self.project())
        block, (node, _) = self.until(self.measuring, "measuring").popitem()
        self.in_node(cluster, node, "umount", "-l", self.spool)
        self.until(lambda: self.scratch_documents() > 0, "a document that cannot be delivered")
        self.assertEqual(self.in_node(cluster, node, "ls", "-A", self.spool).stdout, "")  # nothing is made in a mount point
        self.in_node(cluster, node, "mount", "--bind", self.kept, self.spool)
        status, kept = self.wait_for_end()
        self.assertEqual(len(kept), 3 * ROUNDS * 3)

    def test_the_head_without_its_spool(self):
        self.mount("--bind", self.kept, self.spool)
        self.addCleanup(subprocess.run, ["umount", "-l", self.spool])
        self.start_cluster()
        self.stackx("cluster", "submit", self.project(blocks=1))
        subprocess.run(["umount", "-l", self.spool], check=True)
        done = self.stackx("cluster", "collect", exit_code=3)
        self.assertIn("is not there", " ".join(done.stdout.split()))
        self.assertEqual(list(self.spool.iterdir()), [])
        self.mount("--bind", self.kept, self.spool)
        self.wait_for_end()


class Killed(OnSlurm):
    def test_collect_is_killed_at_random_moments(self):
        self.start_cluster()
        self.stackx("cluster", "submit", self.project(rounds=8))
        self.until(self.measuring, "measuring")
        dice = random.Random(24)
        for _ in range(cases(50, 200)):
            head = subprocess.Popen([STACKX, "cluster", "collect"], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(dice.uniform(0, 0.12))
            head.send_signal(signal.SIGKILL)
            head.wait()
        self.wait_for_end()
        self.assertEqual(len(list(self.root().glob("all/submission-*.json"))), 1)


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
        self.stackx("cluster", "submit", self.project(rounds=30))
        self.until(self.measuring, "measuring")
        done = self.stackx("cluster", "cancel").stdout
        self.assertIn("Cancelled", done)
        self.until(lambda: cluster.command("squeue", "-h") == "", "the end of the jobs")
        again = self.json("cluster", "collect")
        self.assertEqual(again["targets"][0]["submitted"], "")
        self.assertGreater(again["targets"][0]["inspections"], 0)

    def test_interrupted_waiting_leaves_the_jobs(self):
        cluster = self.start_cluster()
        self.stackx("cluster", "submit", self.project(rounds=10))
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
        del document["cluster"]
        self.assertIn("has no \"cluster\"", self.stackx("cluster", "submit", self.write("none.json", document), exit_code=2).stderr)
        self.assertIn("none was submitted from here", self.stackx("cluster", "status", exit_code=2).stderr)
        self.assertIn("--on", self.stackx("cluster", "submit", project, "--on", "kubernetes", exit_code=2).stderr + "--on")


if __name__ == "__main__":
    unittest.main()
