"""stackx report: the page in a headless browser, its charts against --json, Markdown, CSV.

The store is made here: result documents of two sizes, with drift, failures and names that try to be HTML.
"""

import csv
import hashlib
import html
import io
import json
import math
import pathlib
import random
import re
import shutil
import subprocess

from harness import STACKX, BlackBox

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
LIBRARY = pathlib.Path(STACKX).parent / "share" / "stackx" / "report" / "plotly.min.js"
EVIL = "1.0</script><script>document.title='owned'</script>\"'&<b>"
VERSIONS = ["0.3.34", "0.3.33", "0.3.30", EVIL]
ROUNDS = 14

# Reports what the page is like once it is drawn: into its own document, or to the page that frames it.
PROBE = """
<script>
const seen = {violations: [], errors: []};
addEventListener("securitypolicyviolation", (event) => seen.violations.push(event.blockedURI + " " + event.violatedDirective));
addEventListener("error", (event) => seen.errors.push(String(event.message)));
addEventListener("load", () => setTimeout(() => {
  seen.title = document.title;
  seen.owned = document.title === "owned";
  seen.width = innerWidth;
  seen.scroll_width = document.documentElement.scrollWidth;
  seen.resources = performance.getEntriesByType("resource").map((entry) => entry.name);
  seen.background = getComputedStyle(document.body).backgroundColor;
  seen.rows = Object.fromEntries([...document.querySelectorAll("table")].map((one) => [one.className, one.tBodies[0].rows.length]));
  seen.unlabelled = [...document.querySelectorAll(".chart")].filter((one) => !one.getAttribute("aria-label")).length;
  const draw = () => Object.fromEntries([...document.querySelectorAll(".chart")].map((one) => [one.id, {
    traces: (one.data || []).map((trace) => ({type: trace.type, name: trace.name, x: trace.x, y: trace.y, q1: trace.q1, median: trace.median,
      q3: trace.q3, lowerfence: trace.lowerfence, upperfence: trace.upperfence})),
    drawn: (one.calcdata || []).map((trace) => trace.length),
    computed: (one.calcdata || []).flatMap((trace) => trace.filter((point) => point.med !== undefined).map((point) => point.med)),
    marks: one.querySelectorAll("svg path, svg circle").length,
    paper: one.layout && one.layout.paper_bgcolor, width: one.getBoundingClientRect().width}]));
  seen.charts = draw();
  dispatchEvent(new Event("beforeprint"));
  seen.printed = draw();
  seen.open = document.querySelectorAll("details[open]").length;
  dispatchEvent(new Event("afterprint"));
  seen.closed = document.querySelectorAll("details:not([open])").length;
  const text = JSON.stringify(seen);
  if (parent !== window) parent.postMessage(text, "*");
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = text;
  document.body.append(out);
}, 300));
</script>
"""
FRAME = """<!DOCTYPE html><meta charset="utf-8"><iframe src="%s" style="width: 390px; height: 844px; border: 0"></iframe>
<script>addEventListener("message", (event) => {
  const out = document.createElement("pre"); out.id = "probe"; out.textContent = event.data; document.body.append(out); });</script>"""


def sealed(document):
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return dict(document, id=hashlib.sha256(text.encode()).hexdigest())


def inspection(version, size, round_number, rate, sentinel=False, outcome="ok", reason=""):
    """A result document: 12 samples around the time that `rate` GFLOP/s mean, two products in each."""
    noise = random.Random(f"{version} {size} {round_number} {sentinel}")
    flop = 2 * size ** 3 * 2
    samples = [] if outcome != "ok" else [round(flop / rate * math.exp(noise.gauss(0, 0.02))) for _ in range(12)]
    stack = {"cpu": "test-arch", "openblas": version, "threads": "1"}
    return sealed({
        "$schema": "stackx/inspection/1", "campaign": "c" * 64, "round": round_number, "position": 0,
        "arm": f"{version} {size}" + (" +A" if sentinel else ""), "sentinel": sentinel, "stack": stack, "loaded": {},
        "workload": {"pi": "matmul", "params": {"m": str(size), "n": str(size), "k": str(size)}},
        "parameters": {"mini_batch": "2"},
        "host": {"hostname": "<i>node</i>", "cpu": {"model": "Testium & Sons", "vendor": "test", "microarchitecture": "test-arch",
                                                  "family": 1, "model_number": 1, "stepping": 1, "isa": [], "packages": 1, "cores": 4,
                                                  "threads": 4, "numa_nodes": 1, "threads_online": 8, "caches": []},
                 "memory_bytes": 8 * 2 ** 30, "gpus": [], "driver": "", "cuda_driver": "", "gpu_note": "", "os": "debian",
                 "os_version": "12", "kernel": "6.1.0", "libc": "glibc 2.36", "governor": "performance", "turbo": "off",
                 "virtualization": "none", "container": "", "runtimes": []},
        "load_1m": 0.25, "device": "d" * 64, "runner": "local (test)", "phases": [], "samples_ns": samples,
        "work": {"flop": float(flop), "bytes": 0.0, "items": 0.0}, "usage": {
            "user_s": 1.5, "system_s": 0.5, "max_rss_bytes": 1, "minor_faults": 0, "major_faults": 0, "voluntary_switches": 0,
            "involuntary_switches": 0},
        "exit_code": 0 if outcome == "ok" else 1, "outcome": outcome, "reason": reason, "stdout_tail": "", "stderr_tail": "",
        "artifacts": {}, "stackx_version": "0.1.0", "finished": f"2025-06-01T12:{round_number:02}:00.000Z"})


def documents():
    drift = random.Random(7)
    for round_number in range(ROUNDS):
        shift = math.exp(drift.gauss(0, 0.03)) * (0.8 if round_number >= 7 else 1)
        for size in (128, 512):
            for i, version in enumerate(VERSIONS):
                rate = shift * (100 - 12 * i) * size / 512 * math.exp(drift.gauss(0, 0.01))
                yield inspection(version, size, round_number, rate)
            yield inspection(VERSIONS[0], size, round_number, shift * 100 * size / 512 * math.exp(drift.gauss(0, 0.01)), sentinel=True)
    for round_number in range(3):
        yield inspection("0.3.1", 512, round_number, 1, outcome="wrong_result", reason=f"error 0.5 {EVIL}")


class Report(BlackBox):
    OPTIONS = ("report", "--hw", "test-arch", "--workload", "matmul:m=512")

    def setUp(self):
        super().setUp()
        self.stackx("import", self.write("results.jsonl", "".join(json.dumps(one) + "\n" for one in documents())))

    def page(self, *options):
        path = self.scratch / "report.html"
        self.stackx(*self.OPTIONS, *options, "-o", path)
        return path

    def chromium(self, *arguments):
        if not CHROMIUM:
            self.skipTest("no chromium to render the page with (Debian package chromium)")
        done = subprocess.run([CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
                               "--disable-background-networking", f"--user-data-dir={self.scratch / 'profile'}",
                               "--virtual-time-budget=10000", "--enable-logging=stderr", "--log-level=0", *map(str, arguments)],
                              capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        self.assertEqual(console, [])
        return done.stdout

    def probe(self, page, *arguments, framed=False):
        """What the page says of itself after it was drawn in a browser."""
        copy = self.scratch / "probed.html"
        text = page.read_text()
        self.assertEqual(text.count("<head>"), 1)
        copy.write_text(text.replace("<head>", "<head>" + PROBE))
        target = self.write("frame.html", FRAME % copy.as_uri()) if framed else copy
        dom = self.chromium(*arguments, "--dump-dom", target.as_uri())
        found = re.search(r'<pre id="probe">(.*?)</pre>', dom, re.S)
        self.assertTrue(found, "the page did not come to its end: " + dom[-500:])
        seen = json.loads(html.unescape(found.group(1)))
        self.assertEqual((seen["errors"], seen["violations"], seen["resources"]), ([], [], []))
        self.assertFalse(seen["owned"], "a version became a script")
        return seen

    def need_library(self):
        if not LIBRARY.exists():
            self.skipTest("stackx was built without Plotly (pip install plotly, then configure again)")

    def test_charts_hold_the_data(self):
        self.need_library()
        seen = self.probe(self.page(), "--window-size=1200,900")
        report = self.json(*self.OPTIONS)
        charts = seen["charts"]
        self.assertEqual(set(charts), {
            "chart-box", "chart-violin", "chart-samples", "chart-inspections", "chart-size-rate", "chart-size-elapsed",
            "chart-effects", "chart-shift", "chart-rounds", "chart-sentinels"})
        self.assertEqual(seen["unlabelled"], 0)
        for name, chart in charts.items():
            self.assertGreater(chart["marks"], 4, name)
            self.assertGreater(sum(chart["drawn"]), 0, name)

        shown = report["distributions"]
        self.assertEqual([one["n"] for one in shown], [ROUNDS] * len(VERSIONS))
        boxes = charts["chart-box"]["traces"]
        for key, of in (("q1", "q1"), ("median", "median"), ("q3", "q3"), ("lowerfence", "low"), ("upperfence", "high")):
            drawn = [value for trace in boxes for value in trace[key]]
            self.assertEqual(drawn, [one[of] for one in shown], key)
        self.assertEqual([rates for trace in boxes for rates in trace["x"]], [one["rates"] for one in shown])
        self.assertEqual(charts["chart-box"]["computed"], [one["median"] for one in shown])
        self.assertEqual([trace["x"] for trace in charts["chart-violin"]["traces"]], [one["rates"] for one in shown])

        middle = charts["chart-samples"]["traces"][2]
        self.assertEqual(middle["x"], [point["repetitions"] for point in report["spread"]["by_samples"]])
        self.assertEqual(middle["y"], [100 * point["median"] for point in report["spread"]["by_samples"]])
        curves = {one["id"]: one for one in report["sizes"]["curves"]}
        for key, chart in (("rate", "chart-size-rate"), ("seconds", "chart-size-elapsed")):
            for i, one in enumerate(shown):
                low, high = charts[chart]["traces"][3 * i + 1], charts[chart]["traces"][3 * i]
                points = curves[one["id"]]["points"]
                self.assertEqual(charts[chart]["traces"][3 * i + 2]["x"], [128, 512])
                self.assertEqual(charts[chart]["traces"][3 * i + 2]["y"], [point[key]["median"] for point in points])
                self.assertEqual((low["y"], high["y"]), ([p[key]["q1"] for p in points], [p[key]["q3"] for p in points]))
        shifts = report["drift"][0]["rounds"]
        for drawn, at in zip(charts["chart-shift"]["traces"][0]["y"], shifts, strict=True):
            self.assertAlmostEqual(drawn, 100 * math.expm1(at["shift"]))
        self.assertEqual(charts["chart-sentinels"]["traces"][0]["x"], [one["ratio"] for one in report["sentinels"]["tests"]])
        self.assertEqual(charts["chart-effects"]["traces"][0]["x"], [one["ratio"] for one in report["effects"]["effects"]])
        self.assertEqual(seen["rows"]["ranking"], len(VERSIONS))
        self.assertEqual(seen["rows"]["sizes"], 2 * len(VERSIONS) + 1)  # 0.3.1 failed at one size
        self.assertEqual(seen["rows"]["round_rates"], ROUNDS)
        # On paper: white, everything open, and back again.
        self.assertGreater(seen["open"], 4)
        self.assertGreater(seen["closed"], 4)
        self.assertEqual({chart["paper"] for chart in seen["printed"].values()}, {"#ffffff"})

    def test_dark(self):
        self.need_library()
        seen = self.probe(self.page(), "--window-size=1200,900", "--blink-settings=preferredColorScheme=0")
        papers = {chart["paper"] for chart in seen["charts"].values()}
        self.assertEqual(len(papers), 1)
        self.assertLess(int(papers.pop()[1:3], 16), 64)
        self.assertLess(int(re.match(r"rgb\((\d+)", seen["background"]).group(1)), 64)
        self.assertEqual({chart["paper"] for chart in seen["printed"].values()}, {"#ffffff"})

    def test_phone(self):
        self.need_library()
        seen = self.probe(self.page(), framed=True)
        self.assertEqual(seen["width"], 390)
        self.assertLessEqual(seen["scroll_width"], 390)
        for name, chart in seen["charts"].items():
            self.assertLessEqual(chart["width"], 390, name)

    def test_print(self):
        self.need_library()
        target = self.scratch / "report.pdf"
        self.chromium("--no-pdf-header-footer", f"--print-to-pdf={target}", self.page().as_uri())
        pdf = target.read_bytes()
        self.assertTrue(pdf.startswith(b"%PDF"))
        self.assertIn(len(re.findall(rb"/Type\s*/Page\b", pdf)), range(3, 20))

    def test_without_the_library(self):
        binary = self.scratch / "bin" / "stackx"
        binary.parent.mkdir()
        shutil.copy(STACKX, binary)
        self.environment["STACKX_DATA"] = str(pathlib.Path(__file__).resolve().parents[3] / "specs" / "data")
        path = self.scratch / "bare.html"
        done = subprocess.run([binary, *self.OPTIONS, "-o", path], capture_output=True, text=True, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("pip install plotly", done.stderr)
        self.assertIn("pip install plotly", path.read_text())
        seen = self.probe(path)
        self.assertEqual(seen["rows"]["ranking"], len(VERSIONS))
        self.assertEqual(seen["rows"]["rounds"], ROUNDS)
        self.stackx(*self.OPTIONS, "--format", "html", "--charts", self.scratch / "no-such.js", exit_code=2)

    def test_text_formats(self):
        report = self.json(*self.OPTIONS)
        markdown = self.stackx(*self.OPTIONS).stdout
        self.assertTrue(markdown.startswith("# "))
        self.assertIn("Which of 5 stacks", markdown)
        # The same sentence wherever it is said.
        line = report["headline"]["text"]
        self.assertEqual(report["answer"], line)
        self.assertEqual(re.sub(r"\\(.)", r"\1", markdown.splitlines()[0]), "# " + line)
        self.assertIn("wrong\\_result", markdown)
        self.assertIn("performance", markdown)
        self.assertEqual(self.stackx(*self.OPTIONS, "--format", "markdown").stdout, markdown)

        rows = list(csv.DictReader(io.StringIO(self.stackx(*self.OPTIONS, "--format", "csv").stdout)))
        self.assertEqual([float(row["median"]) for row in rows],
                         [one["rate"]["median"] for one in report["ranking"]["recommendations"]])
        self.assertEqual([row["verdict"] or None for row in rows],
                         [one["verdict_vs_best"] for one in report["ranking"]["recommendations"]])
        self.assertEqual({row["stack"] for row in rows}, {f"openblas {version}" for version in VERSIONS})
        by_round = list(csv.DictReader(io.StringIO(self.stackx(*self.OPTIONS, "--format", "csv", "--table", "round_rates").stdout)))
        for i, one in enumerate(report["distributions"]):
            self.assertEqual([float(row[f"stack_{i + 1}"]) for row in by_round], one["rates"])
        target = self.scratch / "values.csv"
        self.stackx(*self.OPTIONS, "--table", "values", "-o", target)
        with open(target, newline="") as file:
            values = [float(row["rate"]) for row in csv.DictReader(file)]
        self.assertEqual(values, [rate for one in report["distributions"] for rate in one["rates"]])

        self.assertEqual(report["failures"][0]["inspections"], 3)
        self.assertEqual(report["machines"][0]["facts"][0], {"name": "CPU", "value": "Testium & Sons"})
        self.assertEqual(report["sentinels"]["able"], 1)
        self.assertEqual(report["drift"][0]["changes"][0]["round"], 7)
        curve = report["sizes"]["curves"][-1]["points"][-1]
        self.assertAlmostEqual(curve["seconds"]["median"] * curve["rate"]["median"] * 1e9, 2 * 512 ** 3, delta=2 * 512 ** 3 * 0.02)

    def test_bad_usage(self):
        self.assertIn("ranking", self.stackx(*self.OPTIONS, "--format", "csv", "--table", "nonsense", exit_code=2).stderr)
        for format in ((), ("--format", "html"), ("--json",)):
            self.assertIn("add --format csv", self.stackx(*self.OPTIONS, "--table", "values", *format, exit_code=2).stderr)
        self.assertIn("--format", self.stackx(*self.OPTIONS, "-o", self.scratch / "report.xyz", exit_code=2).stderr)
        self.stackx(*self.OPTIONS, "-o", self.scratch / "no" / "such" / "report.html", exit_code=3)
        self.assertIn("no such hardware", self.stackx("report", "--hw", "abacus", exit_code=2).stderr)
