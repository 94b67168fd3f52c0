"""`stackx cluster` on a real Slurm whose nodes, networks, jobs and controllers die."""

import json
import re

from cluster_box import AT_ONCE, OnSlurm


class GoesWrong(OnSlurm):
    def test_power_loss_of_a_node(self):
        cluster = self.start_cluster()
        self.stackx("cluster", "submit", self.project(rounds=12, lasts=True))
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
        self.stackx("cluster", "submit", self.project(rounds=12, lasts=True))
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
        self.stackx("cluster", "submit", self.project(rounds=20, lasts=True))  # is still there when the urgent job comes
        block, (node, _) = self.until(self.measuring, "measuring").popitem()
        script = self.write_script("#!/bin/sh\nsleep 1\n")
        cluster.command("sbatch", "--partition=urgent", "--exclusive", "--output=/dev/null", f"--nodelist={node}", script)
        status, kept = self.wait_for_end()
        states = {json.loads(file.read_text())["state"] for file in self.root().glob(f"*/block-{block}/*/attempt.json")}
        self.assertIn("interrupted", states)

    def test_the_controller_dies(self):
        cluster = self.start_cluster()
        self.stackx("cluster", "submit", self.project(lasts=True))
        self.until(self.measuring, "measuring")
        cluster.kill_controller()
        unknown = self.json("cluster", "collect")
        self.assertFalse(unknown["targets"][0]["queue"]["known"])
        self.assertEqual(unknown["targets"][0]["submitted"], "")
        cluster.start_controller()
        self.wait_for_end()
        self.assertEqual(len(list(self.root().glob("all/submission-*.json"))), 1)

    def test_a_controller_that_forgets(self):
        """What it had not written down runs beside what it starts again, or is held and its node drained: what `status` advises helps."""
        cluster = self.start_cluster()
        self.stackx("cluster", "submit", self.project(rounds=8, lasts=True))
        self.until(self.measuring, "measuring")
        cluster.kill_controller(remembers=False)
        cluster.start_controller()

        def all_done():
            target = self.json("cluster", "collect")["targets"][0]
            for task in target["queue"]["tasks"]:
                if task["state"] == "held":
                    self.assertIn("scontrol release", task["advice"])
                    cluster.command("scontrol", "release", task["job"], check=False)
            for remark in target["queue"]["remarks"]:
                for node in re.findall(r"nodename=(n\d)", remark):
                    cluster.command("scontrol", "update", f"nodename={node}", "state=resume", check=False)
            return target["finished"]

        self.until(all_done, "all rounds", 600)
        self.check_all()

    def test_a_held_job_and_a_drained_node(self):
        cluster = self.start_cluster()
        cluster.command("scontrol", "update", "nodename=n1", "state=drain", "reason=bad disk")
        project = self.project(blocks=2, params=AT_ONCE, target={"hardware": "host", "name": "all", "slurm": {"directives": ["--hold"]}})
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
        self.stackx("cluster", "submit", self.project(params=AT_ONCE, target={"hardware": "host", "name": "all", "slurm": {"preamble": preamble}}))
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
