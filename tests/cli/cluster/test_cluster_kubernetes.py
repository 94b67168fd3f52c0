"""`stackx cluster` on Kubernetes, as kubectl_stub plays it: pods are real, the API server and the nodes are not."""

import http.server
import json
import threading

from cluster_box import AT_ONCE, OnKubernetes, ROUNDS
from server_of_stackx import serving


class Measures(OnKubernetes):
    def test_a_campaign_on_a_shared_volume(self):
        self.submit(blocks=3, params=AT_ONCE)
        status, kept = self.wait_for_end()
        self.assertEqual(len(kept), 3 * ROUNDS * 3)
        self.assertLessEqual(self.nodes_of(kept), {"n1", "n2"})  # the node's name, not the pod's
        self.assertEqual(status["targets"][0]["scheduler"], "kubernetes")

    def test_documents_sent_to_a_url(self):
        taken, refuse_first = {}, [3]

        class Server(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                text = self.rfile.read(int(self.headers["Content-Length"])).decode()
                if refuse_first[0] > 0:
                    refuse_first[0] -= 1
                    self.send_response(503)
                else:
                    taken[json.loads(text).get("id")] = text
                    self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/documents"
        target = self.target(send=url)
        del target["kubernetes"]["volume"]
        self.submit(target=target, blocks=1, params=AT_ONCE)
        self.until(lambda: len([one for one in taken.values() if '"stackx/inspection/1"' in one]) == ROUNDS * 3, "all documents")
        lines = self.scratch / "sent.jsonl"
        lines.write_text("".join(sorted(taken.values(), key=lambda text: "stackx/plan/1" not in text)))
        self.stackx("import", lines)
        status = self.json("cluster", "status")
        self.assertEqual((status["targets"][0]["done"], status["finished"]), ("0", True))


    def test_documents_sent_to_a_server_of_stackx(self):
        """Which has the head's store: nothing is to be collected."""
        with serving(self.environment) as server:
            target = self.target(send=server.url)
            del target["kubernetes"]["volume"]
            self.submit(target=target, blocks=1, params=AT_ONCE)
            self.until(lambda: self.json("cluster", "status")["finished"], "the end")
            self.assertEqual(server.request("/healthz")[0], 200)
        status = self.json("cluster", "status")
        self.assertEqual(status["targets"][0]["done"], "0")
        self.stackx("db", "check")


class GoesWrong(OnKubernetes):
    def test_a_lost_node_leaves_a_zombie(self):
        self.submit(blocks=2, rounds=10, lasts=True)
        self.running()
        node = self.cluster.pods(index=0, live=True)[0]["spec"]["nodeName"]
        self.cluster.lose_node(node)
        self.until(lambda: len({directory for directory, _ in self.documents(0)}) > 1 or 0 not in self.measuring(), "another start")
        status, kept = self.wait_for_end()
        self.assertGreaterEqual(status["targets"][0]["rounds"], 2 * 10)

    def test_power_loss_of_a_node(self):
        self.submit(blocks=2, rounds=10, lasts=True)
        self.running()
        node = self.cluster.pods(index=0, live=True)[0]["spec"]["nodeName"]
        left = {one["id"] for _, one in self.documents()}
        self.cluster.lose_node(node, power=False)
        status, kept = self.wait_for_end()
        self.assertLessEqual(left, {one["id"] for one in kept})

    def test_success_criteria_met_without_complete(self):
        self.cluster.play_success_criteria_only()
        self.submit(blocks=2, params=AT_ONCE)
        self.wait_for_end()
        self.assertEqual(len(list(self.root().glob("k/submission-*.json"))), 1)

    def test_eviction_and_preemption(self):
        self.submit(blocks=2, rounds=10, lasts=True)
        self.cluster.evict(self.running(0))
        status, kept = self.wait_for_end()
        self.assertGreaterEqual(len({directory for directory, _ in self.documents(0)}), 2)

    def test_an_api_server_that_is_away(self):
        self.submit(blocks=2, lasts=True)
        self.running()
        self.cluster.set(away=True)
        done = self.json("cluster", "collect")
        self.assertFalse(done["targets"][0]["queue"]["known"])
        self.assertEqual(done["targets"][0]["submitted"], "")
        said = " ".join(self.stackx("cluster", "status").stdout.split())
        self.assertIn("nothing is submitted until it answers", said)
        self.cluster.set(away=False)
        self.wait_for_end()
        self.assertEqual(len(list(self.root().glob("k/submission-*.json"))), 1)

    def test_an_image_that_cannot_be_pulled(self):
        self.cluster.set(image="ImagePullBackOff")
        self.submit(blocks=1, params=AT_ONCE)
        said = " ".join(self.stackx("cluster", "status").stdout.split())
        self.assertIn("its image cannot be fetched", said)
        self.cluster.set(image="")
        self.wait_for_end()

    def test_cancel(self):
        self.submit(blocks=2, rounds=30, lasts=True)
        self.running()
        self.assertIn("Cancelled", self.stackx("cluster", "cancel").stdout)
        self.until(lambda: not self.cluster.pods(live=True), "the end of the pods")
        self.assertEqual(self.cluster.objects("Job"), [])
        self.assertEqual(self.json("cluster", "collect")["targets"][0]["submitted"], "")
