"""The Slurm that faults of campaigns are tried on does what a real one of several machines does."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from harness import cases
from slurm import PATH
from slurm_cluster import SlurmCluster, why_not

# Says which node it is on each time it starts; the last start says so at its end too.
TASK = """#!/bin/bash
#SBATCH --array=0-2 --exclusive --requeue --output=/dev/null --open-mode=append
echo "$(hostname) $$" >> "{place}/$SLURM_ARRAY_TASK_ID.began"
while [ ! -e "{place}/go" ]; do sleep 0.2; done
hostname >> "{place}/$SLURM_ARRAY_TASK_ID.ended"
"""


class OnACluster(unittest.TestCase):
    def setUp(self):
        why = why_not()
        if why:
            self.skipTest(why)
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="stackx-test-"))
        self.addCleanup(shutil.rmtree, self.scratch)
        self.cluster = SlurmCluster(self.scratch / "slurm")
        self.addCleanup(self.cluster.stop)
        self.cluster.start()

    def lines(self, name):
        file = self.scratch / name
        return file.read_text().splitlines() if file.exists() else []

    def submit(self):
        script = self.scratch / "task.sh"
        script.write_text(TASK.format(place=self.scratch))
        job = self.cluster.command("sbatch", "--parsable", script).strip()
        self.cluster.until(lambda: all(self.lines(f"{task}.began") for task in range(3)), "three tasks on three nodes")
        return job

    def task_on(self, node):
        return next(task for task in range(3) if self.lines(f"{task}.began")[0].split()[0] == node)


@unittest.skipUnless(cases(0, 1), "test_cluster_faults has the same happen to campaigns; ./run test --thorough")
class TheCluster(OnACluster):
    def test_a_lost_node_s_task_starts_elsewhere(self):
        job = self.submit()
        self.assertEqual({self.lines(f"{task}.began")[0].split()[0] for task in range(3)}, {"n1", "n2", "n3"})
        lost = self.task_on("n2")
        self.cluster.power_loss("n2")
        (self.scratch / "go").touch()
        self.cluster.wait(job)
        self.cluster.until(lambda: len(self.lines(f"{lost}.began")) == 2, "the lost task again")
        self.assertEqual(set(self.cluster.wait(job).values()), {"COMPLETED"})
        self.assertEqual([len(self.lines(f"{task}.ended")) for task in range(3)], [1, 1, 1])
        self.assertNotEqual(self.lines(f"{lost}.ended"), ["n2"])
        self.cluster.start_node("n2")
        self.cluster.until(lambda: self.cluster.states()["n2"] == "idle", "n2 again")

    def test_a_node_cut_off_goes_on_by_itself(self):
        job = self.submit()
        cut = self.task_on("n1")
        self.cluster.cut_network("n1")
        self.cluster.until(lambda: self.cluster.states()["n1"].startswith("down"), "n1 down")
        (self.scratch / "go").touch()
        self.cluster.until(lambda: len(self.lines(f"{cut}.ended")) == 2, "both of it")
        self.assertIn("n1", self.lines(f"{cut}.ended"))
        self.cluster.join_network("n1")
        self.cluster.until(lambda: self.cluster.states()["n1"] == "idle", "n1 again")
        self.assertEqual(set(self.cluster.wait(job).values()), {"COMPLETED"})

    def test_tasks_outlive_the_controller(self):
        job = self.submit()
        self.cluster.kill_controller()
        asked = subprocess.run(["squeue"], env=self.cluster.environment, capture_output=True, timeout=240)
        self.assertNotEqual(asked.returncode, 0)
        (self.scratch / "go").touch()
        self.cluster.until(lambda: all(self.lines(f"{task}.ended") for task in range(3)), "tasks without a controller")
        self.cluster.start_controller()
        self.cluster.until(lambda: self.cluster.states(), "the controller")
        self.assertEqual(set(self.cluster.wait(job).values()), {"COMPLETED"})

    def test_a_controller_that_forgot_starts_tasks_again(self):
        job = self.submit()
        self.cluster.kill_controller(remembers=False)
        self.cluster.start_controller()
        reasons = ("squeue", "-h", "-r", "-j", job, "-o", "%r")
        self.cluster.until(lambda: any(len(self.lines(f"{task}.began")) == 2 for task in range(3)) or
                           "requeued held" in self.cluster.command(*reasons, check=False), "a task again, or held")

    def test_urgent_jobs_preempt(self):
        job = self.submit()
        self.cluster.command("sbatch", "--partition=urgent", "--exclusive", "--nodelist=n3", "--output=/dev/null", "--wrap=true")
        again = self.task_on("n3")
        self.cluster.until(lambda: len(self.lines(f"{again}.began")) == 2, "the preempted task again")
        (self.scratch / "go").touch()
        self.assertEqual(set(self.cluster.wait(job).values()), {"COMPLETED"})


class Accounting(unittest.TestCase):
    def test_all_starts_of_a_task_are_remembered(self):
        why = why_not(accounting=True)
        if why:
            self.skipTest(why)
        with tempfile.TemporaryDirectory(prefix="stackx-test-") as scratch:
            with SlurmCluster(pathlib.Path(scratch) / "slurm", ("h100", "h100"), accounting=True) as cluster:
                job = cluster.command("sbatch", "--parsable", "--requeue", "--output=/dev/null", "--wrap=sleep 20").strip()
                cluster.until(lambda: cluster.tasks(job).get(job) == "RUNNING", "the job")
                cluster.command("scontrol", "requeue", job)
                cluster.wait(job)
                cluster.until(lambda: "COMPLETED" in self.states(cluster, job), "its end")
                self.assertEqual(self.states(cluster, job), ["REQUEUED", "COMPLETED"])

    def states(self, cluster, job):
        return cluster.command("sacct", "-n", "-P", "-X", "-D", "-j", job, "-o", "State").split()


class NothingIsLeft(unittest.TestCase):
    def test_when_the_test_is_killed(self):
        """Even by SIGKILL: no process, no network of it."""
        why = why_not()
        if why:
            self.skipTest(why)
        with tempfile.TemporaryDirectory(prefix="stackx-test-") as place:
            script = ("import pathlib, sys, time; from slurm_cluster import SlurmCluster\n"
                      f"c = SlurmCluster(pathlib.Path({place!r}) / 'slurm', ('h100',))\n"
                      "c.start(); print(c.network, flush=True); time.sleep(600)")
            with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as test:
                network = test.stdout.readline().strip() + "."
                self.assertTrue(processes_in(place))
                self.assertIn(network, addresses())
                test.kill()
            end = time.monotonic() + 240
            while (processes_in(place) or network in addresses()) and time.monotonic() < end:
                time.sleep(0.1)
            self.assertEqual(processes_in(place), [])
            self.assertNotIn(network, addresses())


def addresses():
    environment = dict(os.environ, PATH=PATH)
    return subprocess.run(["ip", "-4", "-o", "addr"], env=environment, capture_output=True, text=True, check=True).stdout


def processes_in(place):
    """Command lines of processes that know of `place`."""
    found = []
    for one in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if place.encode() in (one / "environ").read_bytes():
                found.append((one / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            pass  # ended meanwhile
    return found
