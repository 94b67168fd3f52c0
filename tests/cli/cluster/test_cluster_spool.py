"""`stackx cluster` where the spool is full or away, and where `collect` is killed."""

import random
import signal
import subprocess
import time

from cluster_box import AT_ONCE, OnSlurm, ROUNDS
from harness import STACKX, cases


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
        self.stackx("cluster", "submit", self.project(lasts=True))
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
        self.stackx("cluster", "submit", self.project(lasts=True))
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
        self.stackx("cluster", "submit", self.project(blocks=1, params=AT_ONCE))
        subprocess.run(["umount", "-l", self.spool], check=True)
        done = self.stackx("cluster", "collect", exit_code=3)
        self.assertIn("is not there", " ".join(done.stdout.split()))
        self.assertEqual(list(self.spool.iterdir()), [])
        self.mount("--bind", self.kept, self.spool)
        self.wait_for_end()


class Killed(OnSlurm):
    def test_collect_is_killed_at_random_moments(self):
        self.start_cluster()
        self.stackx("cluster", "submit", self.project(rounds=8, lasts=True))
        self.until(self.measuring, "measuring")
        dice = random.Random(24)
        for _ in range(cases(50, 200)):
            head = subprocess.Popen([STACKX, "cluster", "collect"], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(dice.uniform(0, 0.12))
            head.send_signal(signal.SIGKILL)
            head.wait()
        self.wait_for_end()
        self.assertEqual(len(list(self.root().glob("all/submission-*.json"))), 1)
