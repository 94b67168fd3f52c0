"""`/metrics` of `stackx serve`: well formed for promtool, scraped by a real Prometheus, and what the dashboard asks for is there."""

import datetime
import json
import re
import shutil
import subprocess
import time
import unittest
import urllib.parse
import urllib.request

from harness import ROOT
from made_up_store import MadeUpStore
from server_of_stackx import Server

DASHBOARD = ROOT / "docs" / "grafana-dashboard.json"
STACK = {"numpy": "2.0.0", "python": "3.11"}
GPU = "GPU-11111111-2222-3333-4444-555555555555"


class Metrics(MadeUpStore):
    def setUp(self):
        super().setUp()
        self.server = Server(self.environment)
        self.addCleanup(self.server.end)

    def send(self):
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        conditions = {"sm_clock_mhz": [1400.0, 1410.0, 1420.0], "temperature_c": [60.0, 61.0, 62.0], "power_w": [300.0, 310.0, 320.0],
                      "gpu_utilization_percent": [90.0, 95.0, 100.0], "throttle": [0.0, 4.0, 0.0]}
        self.inspection(STACK, 50, 0, device=GPU, finished=now, conditions=conditions, throttled=[1])
        self.inspection(STACK, 50, 1, device=GPU, outcome="crashed", reason="signal 11", samples_ns=[])
        documents, self.documents = self.documents, []
        status, answer = self.server.send(documents)
        self.assertEqual(status, 201, answer)
        self.assertEqual(self.server.send(documents)[0], 200)
        self.assertEqual(self.server.send([{}])[0], 422)

    def metrics(self):
        """{name{labels}: value}"""
        status, headers, body = self.server.request("/metrics")
        self.assertEqual(status, 200)
        self.assertTrue(headers["Content-Type"].startswith("text/plain; version=0.0.4"))
        self.text = body
        return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in body.splitlines() if not line.startswith("#")}

    def test_what_they_say(self):
        self.send()
        self.assertEqual(self.server.request("/v1/query/coverage")[0], 200)
        self.assertEqual(self.server.request("/v1/query/x?whatever=a")[0], 400)
        self.assertEqual(self.server.request("/some/where")[0], 404)
        values = self.metrics()
        for name, expected in (('stackx_documents_total{outcome="inserted"}', 2), ('stackx_documents_total{outcome="already_there"}', 2),
                               ('stackx_documents_total{outcome="refused"}', 1), ('stackx_inspections{outcome="ok"}', 1),
                               ('stackx_inspections{outcome="crashed"}', 1), ("stackx_store_readable", 1), ("stackx_intake_queue_requests", 0),
                               ('stackx_http_requests_total{code="200",method="GET",route="/v1/query/QUESTION"}', 1),
                               ('stackx_http_requests_total{code="404",method="GET",route="other"}', 1)):
            self.assertEqual(values.get(name), expected, f"{name} in\n{self.text}")
        device = f'{{device="{GPU}",hostname="{self.host["hostname"]}"}}'
        for name, expected in (("sm_clock_hertz", 1410e6), ("temperature_celsius", 61), ("power_watts", 310), ("utilization_ratio", 0.95),
                               ("throttled_ratio", 1 / 3)):
            self.assertAlmostEqual(values[f"stackx_gpu_{name}{device}"], expected, msg=name)
        self.assertGreater(values["stackx_store_size_bytes"], 10_000)
        self.assertLess(abs(values["stackx_last_result_timestamp_seconds"] - time.time()), 600)

    @unittest.skipUnless(shutil.which("promtool"), "promtool is not installed (prometheus)")
    def test_names_and_format_by_convention(self):
        self.send()
        self.metrics()
        done = subprocess.run(["promtool", "check", "metrics"], input=self.text, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_who_scrapes_waits_for_nothing(self):
        self.assertEqual(self.metrics()["stackx_answers_waiting"], 0)

    def test_the_dashboard_asks_for_what_is_there(self):
        self.send()
        self.metrics()
        there = {re.split(r"[{ ]", line)[0] for line in self.text.splitlines() if not line.startswith("#")}
        dashboard = json.loads(DASHBOARD.read_text())
        asked = {name for panel in dashboard["panels"] for target in panel.get("targets", []) for name in re.findall(r"stackx_\w+", target["expr"])}
        self.assertGreater(len(asked), 15)
        campaigns = {name for name in asked if name.startswith("stackx_campaign_")}
        self.assertLessEqual(asked - campaigns, there | {"stackx_gpu_memory_clock_hertz"})
        self.assertLessEqual(campaigns, {"stackx_campaign_planned_inspections", "stackx_campaign_done_inspections", "stackx_campaign_failed_inspections"})

    @unittest.skipUnless(shutil.which("prometheus"), "prometheus is not installed")
    def test_a_real_prometheus_scrapes_and_answers(self):
        self.send()
        config = self.write("prometheus.yml", "global: {scrape_interval: 1s}\nscrape_configs:\n- job_name: stackx\n  static_configs:\n"
                            f"  - targets: ['127.0.0.1:{self.server.port}']\n")
        port = self.free_port()
        scraper = subprocess.Popen(["prometheus", f"--config.file={config}", f"--storage.tsdb.path={self.scratch / 'tsdb'}",
                                    f"--web.listen-address=127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for query, expected in (('stackx_documents_total{outcome="inserted"}', "2"), ("sum(stackx_inspections)", "2"), ("up", "1")):
                self.assertEqual(self.answer_of(port, query), expected, query)
        finally:
            scraper.terminate()
            scraper.wait()

    def free_port(self):
        import socket
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            return one.getsockname()[1]

    def answer_of(self, port, query):
        until = time.monotonic() + 240
        while time.monotonic() < until:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/query?query={urllib.parse.quote(query)}", timeout=10) as response:
                    if found := json.load(response)["data"]["result"]:
                        return found[0]["value"][1]
            except OSError:
                pass
            time.sleep(0.5)
        self.fail(f"no answer to {query}")
