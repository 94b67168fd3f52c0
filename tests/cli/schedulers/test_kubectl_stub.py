"""The stand-in for a cluster does what was seen of a real Kubernetes 1.36; other tests rest on it."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import kubectl_stub
import test_kubernetes

GOLDEN = test_kubernetes.GOLDEN
# Plays a block: says who it is, ends when its file says how, or at SIGTERM with 3.
BLOCK = """trap 'exit 3' TERM; echo "$STACKX_NODE $JOB_COMPLETION_INDEX $POD_UID $0 $1 $(cat "$2/campaign.json")"
while ! [ -e "$3/end-$1" ]; do sleep 0.02; done; exit "$(cat "$3/end-$1")" """


class Played(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="stackx-kubectl-")
        self.addCleanup(scratch.cleanup)
        self.spool = pathlib.Path(scratch.name) / "spool"
        self.spool.mkdir()
        self.cluster = kubectl_stub.Cluster(pathlib.Path(scratch.name) / "cluster", nodes=["n1", "n2", "n3"], grace=1)
        self.addCleanup(self.cluster.stop)
        config_map, job = test_kubernetes.documents(GOLDEN / "gpu-volume.yaml")
        container = job["spec"]["template"]["spec"]["containers"][0]
        container["command"] = ["sh", "-c", BLOCK, "$(POD_NAME)", "$(JOB_COMPLETION_INDEX)", "/stackx/campaign", str(self.spool)]
        container["volumeMounts"][2]["mountPath"] = str(self.spool)
        self.manifest = pathlib.Path(scratch.name) / "job.yaml"
        self.manifest.write_text(json.dumps(config_map) + "\n---\n" + json.dumps(job))

    def kubectl(self, *words):
        return subprocess.run(["kubectl", *words], env=self.cluster.environment(os.environ), capture_output=True, text=True, timeout=240)

    def create(self):
        return self.kubectl("create", f"--filename={self.manifest}")

    def end(self, index, code=0):
        (self.spool / f"end-{index}").write_text(str(code))

    def status(self, member):
        return self.cluster.job()["status"].get(member)

    def conditions(self):
        return [one["type"] for one in self.cluster.job()["status"].get("conditions", []) if one["status"] == "True"]

    def begun(self, **wanted):
        """The one pod of that kind, once it says who it is."""
        self.cluster.until(lambda: any(self.cluster.log(pod) for pod in self.cluster.pods(phase="Running", **wanted)), 20)
        return next(pod for pod in self.cluster.pods(phase="Running", **wanted) if self.cluster.log(pod))

    def test_a_job_runs_to_its_end(self):
        self.assertEqual(self.create().returncode, 0)
        pod = self.begun(index=1)
        node, index, uid, name, same, text = self.cluster.log(pod).split(maxsplit=5)
        self.assertEqual((node, index, uid, name, same, json.loads(text)),
                         (pod["spec"]["nodeName"], "1", pod["metadata"]["uid"], pod["metadata"]["name"], "1", {"campaign": True}))
        self.assertEqual(len(self.cluster.pods(live=True)), 3)  # parallelism
        again = self.create()
        self.assertEqual((again.returncode, again.stderr.count("(AlreadyExists)")), (1, 2))
        for index in range(4):
            self.end(index)
        self.cluster.until(lambda: "Complete" in self.conditions(), 20)
        self.assertEqual(self.status("completedIndexes"), "0-3")
        listed = json.loads(self.kubectl("get", "jobs.batch,pods", "--selector=stackx.dev/target=h100", "--output=json").stdout)
        self.assertEqual(sorted(one["kind"] for one in listed["items"]), ["Job"] + 4 * ["Pod"])
        self.assertEqual(json.loads(self.kubectl("get", "pods", "-l", "stackx.dev/target=a100", "-o", "json").stdout)["items"], [])

    def test_an_index_is_given_up_after_its_retries(self):
        self.create()
        self.end(0, 7)
        self.cluster.until(lambda: self.status("failedIndexes") == "0", 30)
        self.assertEqual(len(self.cluster.pods(index=0)), 7)
        for index in (1, 2, 3):
            self.end(index)
        self.cluster.until(lambda: "Failed" in self.conditions(), 20)
        self.assertEqual(self.status("completedIndexes"), "1-3")

    def test_a_lost_node_leaves_a_zombie_and_a_job_that_is_never_complete(self):
        self.cluster.set(nodes=["n1", "n2", "n3", "n4"])
        self.create()
        first = self.begun(index=0)
        self.cluster.lose_node(first["spec"]["nodeName"])
        self.cluster.until(lambda: len(self.cluster.pods(index=0, live=True)) == 2, 20)
        second = next(pod for pod in self.cluster.pods(index=0, live=True) if pod["metadata"]["uid"] != first["metadata"]["uid"])
        self.assertNotEqual(second["spec"]["nodeName"], first["spec"]["nodeName"])
        os.kill(self.cluster.process(first), 0)  # goes on
        for index in range(4):
            self.end(index)
        self.cluster.until(lambda: "SuccessCriteriaMet" in self.conditions(), 20)
        self.assertNotIn("Complete", self.conditions())
        self.cluster.node_back(first["spec"]["nodeName"])
        self.cluster.until(lambda: "Complete" in self.conditions(), 20)

    def test_a_node_without_power_kills_what_ran(self):
        self.create()
        first = self.begun(index=0)
        self.cluster.lose_node(first["spec"]["nodeName"], power=False)
        self.cluster.until(lambda: not pathlib.Path(f"/proc/{self.cluster.process(first)}").exists(), 10)
        self.assertIn("deletionTimestamp", next(pod for pod in self.cluster.pods() if pod["metadata"]["uid"] == first["metadata"]["uid"])["metadata"])

    def test_evicted_and_preempted_pods_start_again(self):
        self.create()
        evicted, preempted = self.begun(index=0), self.begun(index=1)
        self.cluster.evict(evicted)
        self.cluster.preempt(preempted)
        for index, first in ((0, evicted), (1, preempted)):
            self.cluster.until(lambda: any(pod["metadata"]["uid"] != first["metadata"]["uid"] for pod in self.cluster.pods(index=index, live=True)), 20)
        left = {pod["metadata"]["uid"]: pod for pod in self.cluster.pods(live=False)}
        self.assertEqual(left[evicted["metadata"]["uid"]]["status"]["reason"], "Evicted")
        self.cluster.until(lambda: preempted["metadata"]["uid"] not in {pod["metadata"]["uid"] for pod in self.cluster.pods()}, 20)

    def test_pods_that_do_not_start(self):
        self.cluster.set(image="ImagePullBackOff", nodes=["n1", "n2"])
        self.create()
        waiting = [pod["status"].get("containerStatuses", [{}])[0].get("state", {}).get("waiting", {}).get("reason") for pod in self.cluster.pods()]
        self.assertEqual(sorted(map(str, waiting)), ["ImagePullBackOff", "ImagePullBackOff", "None"])
        (unplaced,) = [pod for pod in self.cluster.pods() if "nodeName" not in pod["spec"]]
        self.assertIn("anti-affinity", unplaced["status"]["conditions"][0]["message"])
        self.cluster.set(image="")
        self.begun(index=0)

    def test_deleting_ends_pods_and_takes_the_config_map(self):
        self.create()
        pod = self.begun(index=0)
        uid = self.kubectl("get", "jobs.batch", self.cluster.job()["metadata"]["name"], "--output=jsonpath={.metadata.uid}").stdout
        self.assertEqual(uid, self.cluster.job()["metadata"]["uid"])
        owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "x", "uid": uid}
        self.kubectl("patch", "configmaps", self.cluster.job()["metadata"]["name"], "--type=merge",
                     "--patch=" + json.dumps({"metadata": {"ownerReferences": [owner]}}))
        self.assertEqual(len(self.cluster.objects("ConfigMap")), 1)
        self.kubectl("delete", "jobs.batch", "--selector=stackx.dev/campaign=3f2a09c1d2e4", "--ignore-not-found", "--wait=false")
        self.assertEqual((self.cluster.objects("Job"), self.cluster.objects("ConfigMap")), ([], []))
        self.cluster.until(lambda: not self.cluster.objects("Pod"), 20)
        self.assertFalse(pathlib.Path(f"/proc/{self.cluster.process(pod)}").exists())

    def test_suspended_jobs_have_no_pods(self):
        self.create()
        self.begun(index=0)
        name = self.cluster.job()["metadata"]["name"]
        self.kubectl("patch", "jobs.batch", name, "--type=merge", '--patch={"spec":{"suspend":true}}')
        self.cluster.until(lambda: not self.cluster.pods(), 20)
        self.assertIn("Suspended", self.conditions())
        self.kubectl("patch", "jobs.batch", name, "--type=merge", '--patch={"spec":{"suspend":false}}')
        self.begun(index=0)

    def test_what_kubectl_says_when_it_fails(self):
        for settings, words in [({"away": True}, "was refused"), ({"forbidden": ["list pods"]}, "(Forbidden): pods is forbidden"),
                                ({"said": "Unable to connect"}, "Unable to connect"), ({"contexts": ["a"]}, 'context "b" does not exist')]:
            self.cluster.set(**settings)
            done = self.kubectl("get", "jobs.batch,pods", "--context=b", "--output=json")
            self.assertEqual((done.returncode, words in done.stderr), (1, True), done.stderr)
            self.cluster.set(**{name: kubectl_stub.SETTINGS[name] for name in settings})
        self.manifest.write_text(self.manifest.read_text().replace('"completionMode": "Indexed"', '"completionMode": "NonIndexed"'))
        self.assertIn("is invalid: backoffLimitPerIndex needs", self.create().stderr)
