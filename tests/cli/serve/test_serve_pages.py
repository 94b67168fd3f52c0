"""The pages of `stackx serve` in headless Chromium: with and without script, in the dark, on a phone, on paper, by keyboard.

What they say is compared with what the command line says of the same store. Names, versions and reasons in it try to be HTML.
"""

import contextlib
import copy
import html
import html.parser
import json
import re
import shutil
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

from browser import CHROMIUM, Browser
from harness import EXAMPLE, STACKX
from made_up_store import MadeUpStore, WORKLOAD, sealed, stack_id
from server_of_stackx import Server

EVIL = "1.0</script><script>document.title='owned'</script>\"'&<b>"
NODE = "<script>document.title='owned'</script>node-2"
REASON = "signal 11 <img src=x onerror=\"document.title='owned'\">"
PROJECT = "nightly <b>blas</b>"


def stack(openblas, numpy="1.26.4"):
    return {"cpu": "host", "numpy": numpy, "openblas": openblas}


STACKS = [stack("0.3.23"), stack("0.3.24"), stack("0.3.25"), stack("0.3.23", "2.0.1")]


def plan(project, stacks, rounds, created):
    arms = [{"label": stack_id(one)[:12], "stack": one, "workload": WORKLOAD, "sentinel": False} for one in stacks]
    return sealed({"$schema": "stackx/plan/1", "arms": arms, "created": created, "project": project, "seed": 1, "campaign": {
        "budget": {}, "limits": {"memory_gib": 2.0, "seconds": 30.0}, "max_failed": 3, "parallel": 1, "rounds": rounds,
        "runner": "local", "sampler": {"kind": "all", "seed": 1}, "sentinels": 0}})


DONE = plan(PROJECT, STACKS, 12, "2026-11-20T16:59:00.000Z")
UNDER_WAY = plan("blas & co", [*STACKS, stack(EVIL)], 40, "2026-11-25T09:00:00.000Z")

# What a page is like, as one object.
SEEN = """(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const text = (one) => one.textContent.trim();
  return {
    title: document.title, lang: document.documentElement.lang, headings: all("h1").map(text), width: innerWidth,
    scroll_width: document.documentElement.scrollWidth, background: getComputedStyle(document.body).backgroundColor,
    current: all("nav [aria-current]").map(text), navigation: all("nav a").map((one) => one.getAttribute("href")),
    skip: document.querySelector("a")?.getAttribute("href"),
    unlabelled: all("input, select").filter((one) => !one.labels.length).map((one) => one.name),
    loose_tables: all("table").filter((one) => !one.closest(".scroll") || !one.caption || !one.tHead.querySelector("th[scope=col]")).map((one) => one.id),
    twice: all("[id]").map((one) => one.id).filter((id, i, ids) => ids.indexOf(id) !== i),
    tables: Object.fromEntries(all("table").map((one) => [one.id.replace("table-", ""), {
      titles: [...one.tHead.rows[0].cells].map(text),
      rows: [...one.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.dataset.value ?? text(cell)))}])),
    commands: all(".command code").map((one) => one.textContent), alerts: all("[role=alert]").map(text),
    planted: all("main b:not(#why b), main img, main script").length, main: text(document.querySelector("main")),
  };
})()"""

# Text whose contrast with what lies behind it is below 4.5 (WCAG AA).
FAINT = """(() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = parts(colour).slice(0, 3).map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (one) => {
    for (; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if ((parts(colour)[3] ?? 1) > 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const faint = [];
  for (const one of document.querySelectorAll("body *")) {
    if (![...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) || !one.checkVisibility()) continue;
    const [a, b] = [light(getComputedStyle(one).color), light(behind(one))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) faint.push(one.tagName + "." + one.className + ": " + one.textContent.slice(0, 40));
  }
  return faint;
})()"""

PAGES = ("/", "/?hw=v100&workload=matmul", "/?hw=host&workload=matmul", "/campaigns", "/campaigns/" + DONE["id"][:12], "/campaigns/" + UNDER_WAY["id"],
         "/hardware", "/hardware/v100", "/workloads", "/workloads/matmul", "/stacks/" + stack_id(STACKS[0]), "/regressions", "/regressions?verdict=slower",
         "/coverage", "/coverage?project=blas-cpu", "/failures", "/sources")


class Served(MadeUpStore):
    """One server for all tests, on a store that they leave as it is: what a page takes seconds to work out, it works out once."""

    shared = {}

    def setUp(self):
        super().setUp()
        if not self.shared:
            self.begin_shared()
        self.environment, self.base = dict(self.shared["environment"]), self.shared["base"]

    def begin_shared(self):
        scratch = tempfile.TemporaryDirectory(prefix="stackx-test-")
        unittest.addModuleCleanup(scratch.cleanup)
        self.measure()
        self.store()
        shutil.copytree(self.db.parent, f"{scratch.name}/data")
        environment = dict(self.environment, STACKX_DB=f"{scratch.name}/data/stackx.db", XDG_CACHE_HOME=f"{scratch.name}/cache",
                           XDG_DATA_HOME=f"{scratch.name}/share")
        server = Server(environment, "--project", EXAMPLE)
        unittest.addModuleCleanup(server.end)
        self.shared.update(environment=environment, base=server.url)

    def measure(self):
        self.begin_with_what_is_published()
        other = dict(copy.deepcopy(self.host), hostname=NODE)
        self.documents += [DONE, UNDER_WAY]
        self.rounds(list(zip(STACKS, (100.0, 90.0, 90.0, 100.0), strict=True)), count=12, noise=0.001, campaign=DONE["id"])
        for number in range(4):
            self.round_of_under_way(number, other if number % 2 else self.host)

    def round_of_under_way(self, number, host):
        for i, one in enumerate(STACKS):
            self.inspection(one, 100 - 3 * i, number, campaign=UNDER_WAY["id"], host=host, device=f"GPU-{number % 2}")
        self.inspection(stack(EVIL), 50, number, campaign=UNDER_WAY["id"], host=host, outcome="crashed", reason=REASON, samples_ns=[], exit_code=None)

    def serve(self, *options):
        server = Server(self.environment, *options)
        self.addCleanup(server.end)
        return server.url

    def fetch(self, path, **headers):
        request = urllib.request.Request(self.base + path, headers={"Accept": "text/html", **headers})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return answer.status, answer.headers, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read().decode()


class InBrowser(Served):
    browser = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not CHROMIUM:
            raise unittest.SkipTest("no chromium to open the pages with (Debian package chromium)")
        folder = cls.enterClassContext(contextlib.ExitStack())
        cls.browser = Browser(folder.enter_context(tempfile.TemporaryDirectory(prefix="stackx-test-", ignore_cleanup_errors=True)))
        folder.callback(cls.browser.close)

    def open(self, path, complaints=(), **how):
        """The page, which asked nobody else and complained of nothing else."""
        self.browser.emulate(**how)
        self.browser.open(self.base + path)
        self.assertEqual([one for one in self.browser.requests() if not one.startswith(self.base + "/") and not one.startswith("data:")], [], path)
        self.assertEqual(self.browser.complaints(), list(complaints), path)
        seen = self.browser.evaluate(SEEN)
        self.assertNotIn("owned", seen["title"], path)
        self.assertEqual(seen["planted"], 0, path)
        return seen

    def column(self, seen, table, title):
        at = seen["tables"][table]["titles"].index(title)
        return [row[at] for row in seen["tables"][table]["rows"]]

    def numbers(self, seen, table, title):
        return [float(one) if one else None for one in self.column(seen, table, title)]


class Rendering(InBrowser):
    def test_every_page_with_and_without_script(self):
        for path in PAGES:
            seen = self.open(path)
            self.assertEqual((seen["lang"], len(seen["headings"]), seen["skip"]), ("en", 1, "#main"), path)
            self.assertEqual((seen["unlabelled"], seen["loose_tables"], seen["twice"]), ([], [], []), path)
            self.assertEqual(len(seen["current"]), 0 if path.startswith("/stacks") else 1, path)
            self.assertEqual(len(seen["navigation"]), 8, path)
            plain = self.open(path, scripts=False)
            for same in ("title", "headings", "tables", "commands", "current", "navigation"):
                self.assertEqual(plain[same], seen[same], (path, same))
            self.assertTrue(seen["tables"] or seen["commands"], path)

    def test_on_a_phone(self):
        for path in PAGES:
            seen = self.open(path, width=390, height=844, mobile=True)
            self.assertEqual((seen["width"], seen["scroll_width"]), (390, 390), path)

    def test_light_and_dark_can_be_read(self):
        for path in PAGES:
            for dark in (False, True):
                seen = self.open(path, dark=dark)
                brightness = [int(one) for one in re.findall(r"\d+", seen["background"])[:3]]
                self.assertTrue(max(brightness) < 40 if dark else min(brightness) == 255, (path, dark, brightness))
                self.assertEqual(self.browser.evaluate(FAINT), [], (path, dark))
        self.browser.evaluate("document.querySelector('h1').style.color = '#556'")  # dark on dark: the judge sees it
        self.assertEqual(len(self.browser.evaluate(FAINT)), 1)

    def test_on_paper(self):
        for path in ("/?hw=host&workload=matmul", "/workloads/matmul", "/campaigns/" + UNDER_WAY["id"]):
            seen = self.open(path, width=700, media="print", dark=True)  # A4 less its margins is 718
            self.assertEqual(seen["background"], "rgb(255, 255, 255)", path)
            self.assertLessEqual(seen["scroll_width"], 700, path)
            self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('nav, form, .command button')].filter((one) => one.checkVisibility()).length"), 0)
            self.assertTrue(self.browser.pdf().startswith(b"%PDF"))

    def test_by_keyboard(self):
        self.open("/")
        where = "(() => { const one = document.activeElement; return one.getAttribute('href') ?? one.name ?? one.tagName })()"
        reached = []
        for _ in range(14):
            self.browser.press("Tab")
            reached.append(self.browser.evaluate(where))
            outline = self.browser.evaluate("(() => { const style = getComputedStyle(document.activeElement); return [style.outlineStyle, parseFloat(style.outlineWidth)] })()")
            self.assertTrue(outline[0] != "none" and outline[1] >= 1, (reached, outline))
        pages = ["/", "/campaigns", "/hardware", "/workloads", "/regressions", "/coverage", "/failures", "/sources"]
        self.assertEqual(reached, ["#main", "/", *pages, "hw", "workload", "have", ""])
        # Written and sent, without a mouse.
        self.browser.evaluate("document.getElementById('hw').focus()")
        self.browser.call("Input.insertText", text="v100")
        self.browser.press("Tab")
        self.browser.call("Input.insertText", text="matmul")
        self.browser._events.clear()
        self.browser.press("Enter")
        self.browser.wait_for("Page.loadEventFired")
        self.assertIn("/?hw=v100&workload=matmul&have=", self.browser.evaluate("location.href"))
        self.assertTrue(self.browser.evaluate("document.getElementById('line').textContent").startswith("Run torch"))


class Answers(InBrowser):
    def test_what_should_i_run(self):
        for hw in ("v100", "host"):
            told = self.json("advise", "--hw", hw, "--workload", "matmul")
            answer = told["answer"]
            seen = self.open(f"/?hw={hw}&workload=matmul")
            for part in ("line", "expect"):
                self.assertEqual(self.browser.evaluate(f"document.getElementById('{part}').textContent"), answer[part])
            self.assertEqual(self.browser.evaluate("document.getElementById('why').textContent"), "Why: " + answer["why"])
            self.assertEqual(self.browser.evaluate("document.querySelector('.grade').textContent"), answer["grade"])
            commands = [line.strip() for line in answer["next"] if line.startswith("  ")]
            self.assertEqual(seen["commands"], ([answer["install"]["line"]] if answer["install"]["line"] else []) + commands)
            for words in answer["cautions"] + answer["remarks"]:
                self.assertIn(words.replace("`", ""), seen["main"])  # there it is code
            self.assertEqual(self.numbers(seen, "expected", "Rate"), [one["value"] for one in answer["expected"]])
            if hw == "v100":
                self.assertEqual(self.column(seen, "drivers", "Your driver, at least"), [one["driver_at_least"] for one in answer["by_driver"]])
                self.assertEqual(self.column(seen, "drivers", "Run"), [one["run"] for one in answer["by_driver"]])
                self.assertEqual(self.numbers(seen, "evidence", "Value"), [one["value"] for one in answer["evidence"]])
                self.assertEqual(self.column(seen, "limits", "Last valid"), [one["last_valid"] for one in answer["limits"]])
            else:
                self.assertEqual(self.numbers(seen, "measured", "Median rate"), [one["rate"]["median"] for one in told["recommendations"]])
                self.assertEqual(self.column(seen, "measured", "Stack"), [one["stack"]["id"] for one in told["recommendations"]])
                self.assertEqual(self.column(seen, "measured", "Verdict"), [one["verdict_vs_best"] or "" for one in told["recommendations"]])
                self.assertEqual(len(told["recommendations"]), 4)

    def test_named_questions(self):
        for path, question, table, numbers, words in (
                ("/regressions", ("regressions", "--limit", "100"), "regressions", {"Rate": "ratio", "Rounds": "rounds"},
                 {"Verdict": "verdict", "From": "older_version", "To": "newer_version", "Stack": "newer_stack"}),
                ("/regressions?verdict=slower", ("regressions", "--verdict", "slower"), "regressions", {"Rate": "ratio"}, {"Component": "component"}),
                ("/coverage", ("coverage",), "coverage", {"Inspections": "inspections", "Failed": "failures", "Stacks": "stacks"}, {"Workload": "workload"}),
                ("/coverage?project=blas-cpu", ("coverage", "--project", EXAMPLE, "--limit", "100"), "coverage", {"Inspected": "inspected", "Share": "share"},
                 {"What": "what", "Valid": "valid"}),
                ("/failures", ("failures",), "failures", {"Share failed": "share", "Failed": "failed", "Inspections": "inspections"},
                 {"Component": "component", "Version": "version"}),
                ("/sources", ("sources", "--limit", "0"), "sources", {"Results": "results"}, {"Source": "url", "Read": "read"}),
                ("/hardware", ("hardware", "--limit", "0"), "hardware", {"Inspections": "inspections", "Published": "published"}, {"Hardware": "model"}),
                ("/hardware/v100", ("best", "--hw", "v100", "--limit", "50"), "best", {"Rate": "value"}, {"Workload": "workload", "Stack": "stack_id"}),
                ("/workloads/matmul", ("best", "--workload", "matmul", "--limit", "50"), "best", {"Rate": "value", "CV": "cv"}, {"Evidence": "evidence"}),
                ("/stacks/" + stack_id(STACKS[0]), ("history", "--stack", stack_id(STACKS[0]), "--limit", "0"), "history",
                 {"Median rate": "median", "n": "inspections"}, {"Campaign": "campaign", "First": "date"})):
            rows = self.json("query", *question)["rows"]
            self.assertTrue(rows, question)
            seen = self.open(path)
            for title, key in numbers.items():
                self.assertEqual(self.numbers(seen, table, title), [row[key] for row in rows], (path, title))
            for title, key in words.items():
                self.assertEqual(self.column(seen, table, title), [row[key] for row in rows], (path, title))

    def test_workloads_are_all_there(self):
        told = self.json("workload", "list")["workloads"]
        seen = self.open("/workloads")
        self.assertEqual(self.column(seen, "workloads", "Workload"), [one["name"] for one in told])
        self.assertEqual(self.numbers(seen, "workloads", "Published"), [one["published"] for one in told])
        choices = self.open("/") and self.browser.evaluate("[...document.querySelectorAll('#workload-list option')].map((one) => one.value)")
        self.assertEqual(choices, [one["name"] for one in told])

    def test_campaigns(self):
        rows = {row[0]: row for row in json.loads(self.stackx("query", "--json", "--sql", "SELECT * FROM campaigns WHERE campaign <> ''").stdout)["rows"]}
        seen = self.open("/campaigns")
        self.assertEqual(self.column(seen, "campaigns", "Campaign"), [UNDER_WAY["id"], DONE["id"]])
        self.assertEqual(self.column(seen, "campaigns", "Project"), ["blas & co", PROJECT])
        self.assertEqual(self.numbers(seen, "campaigns", "Failed"), [rows[one][5] for one in (UNDER_WAY["id"], DONE["id"])])
        self.assertEqual(self.numbers(seen, "campaigns", "Progress"), [rows[one][4] / rows[one][3] for one in (UNDER_WAY["id"], DONE["id"])])
        self.assertEqual([rows[UNDER_WAY["id"]][i] for i in (3, 4, 5)], [200, 20, 4])
        one = self.open("/campaigns/" + UNDER_WAY["id"][:10])
        self.assertIn("20 of 200 inspections, 4 failed", one["main"])
        self.assertEqual(one["tables"]["failures"]["rows"][0][:3], ["crashed", REASON, "4"])
        self.assertEqual({(row[0], row[2], row[3]) for row in one["tables"]["nodes"]["rows"]}, {(self.host["hostname"], "10", "2"), (NODE, "10", "2")})
        self.assertEqual(self.column(one, "arms", "Failed"), ["4", "0", "0", "0", "0"])
        self.assertIn(stack_id(stack(EVIL)), self.column(one, "arms", "Stack"))
        self.assertIn("None.", self.open("/campaigns/" + DONE["id"])["main"])

    def test_what_strangers_wrote_is_text(self):
        for path, words in (("/campaigns", PROJECT), ("/campaigns/" + UNDER_WAY["id"], NODE), ("/campaigns/" + UNDER_WAY["id"], REASON),
                            ("/failures", EVIL), ("/stacks/" + stack_id(stack(EVIL)), EVIL), ("/?hw=host&workload=matmul", EVIL)):
            self.assertIn(words, self.open(path)["main"], path)
        # What is asked comes back, too.
        asked = urllib.parse.quote("\"><script>document.title='owned'</script>")
        seen = self.open(f"/?hw={asked}&workload=matmul", complaints=["Failed to load resource: the server responded with a status of 400 (Bad Request)"])
        self.assertEqual(self.browser.evaluate("document.getElementById('hw').value"), "\"><script>document.title='owned'</script>")
        self.assertEqual(len(seen["alerts"]), 1)

    def test_the_report_is_as_it_is_and_runs_its_own_scripts_alone(self):
        self.browser.emulate()
        self.browser.open(self.base + "/report?hw=host&workload=matmul")
        self.assertEqual(self.browser.complaints(), [])
        self.assertNotIn("owned", self.browser.evaluate("document.title"))
        status, headers, text = self.fetch("/report?hw=host&workload=matmul")
        target = self.scratch / "report.html"
        self.stackx("report", "--hw", "host", "--workload", "matmul", "-o", target)
        self.assertEqual(status, 200)
        self.assertTrue(text == target.read_text(), "not the page of the command line")  # five megabytes: assertEqual would print them
        self.assertTrue(self.stackx("report", "--hw", "host", "--workload", "matmul", "--format", "html").stdout == text, "stdout has another page")
        scripts = re.search(r"script-src([^;]*)", headers["Content-Security-Policy"])[1]
        self.assertTrue(re.fullmatch(r"( 'sha256-[A-Za-z0-9+/=]{44}')+| 'none'", scripts), scripts)
        if "plotly" in text.lower() and "'none'" not in scripts:
            self.assertGreater(self.browser.evaluate("document.querySelectorAll('.chart svg').length"), 3)
            self.browser.evaluate("(() => { const one = document.createElement('script'); one.textContent = \"document.title = 'owned'\"; document.body.append(one); })()")
            self.assertNotIn("owned", self.browser.evaluate("document.title"))


class Script(InBrowser):
    shared = {}  # a server of its own: what is sent to it changes the pages

    def test_tables_sort_and_filter(self):
        self.open("/hardware")
        column = "[...document.querySelectorAll('#table-hardware tbody tr')].filter((row) => !row.hidden).map((row) => Number(row.cells[%d].dataset.value))"
        published = self.browser.evaluate("[...document.querySelectorAll('#table-hardware th')].findIndex((one) => one.textContent === 'Published')")
        click = f"document.querySelectorAll('#table-hardware th button')[{published}].click()"
        self.browser.evaluate(click)
        rising = self.browser.evaluate(column % published)
        self.assertEqual(rising, sorted(rising))
        self.browser.evaluate(click)
        self.assertEqual(self.browser.evaluate(column % published), sorted(rising, reverse=True))
        self.assertEqual(self.browser.evaluate("document.querySelector('#table-hardware [aria-sort]').getAttribute('aria-sort')"), "descending")
        self.assertNotEqual(rising[0], rising[-1])
        self.browser.evaluate("(() => { const one = document.querySelector('.filter input'); one.value = 'tesla v100'; one.dispatchEvent(new Event('input')); })()")
        shown = self.browser.evaluate("[...document.querySelectorAll('#table-hardware tbody tr')].filter((row) => !row.hidden).map((row) => row.cells[0].textContent)")
        self.assertTrue(shown and all("tesla" in one.lower() and "v100" in one.lower() for one in shown), shown)
        self.assertIn(f"{len(shown)} of {len(rising)}", self.browser.evaluate("document.querySelector('.filter span').textContent"))

    def test_commands_are_copied(self):
        self.open("/?hw=v100&workload=matmul")
        self.browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"], origin=self.base)
        self.browser.call("Page.bringToFront")
        self.browser.evaluate("document.querySelector('.command button').click()")
        wanted = self.browser.evaluate("document.querySelector('.command code').textContent")
        self.assertTrue(wanted.startswith("pip install torch"))
        end = time.monotonic() + 120
        while (copied := self.browser.evaluate("navigator.clipboard.readText()")) != wanted and time.monotonic() < end:
            time.sleep(0.1)
        self.assertEqual(copied, wanted)

    def test_a_campaign_under_way_comes_up_to_date(self):
        self.open("/campaigns/" + UNDER_WAY["id"])
        progress = "document.getElementById('progress').textContent"
        self.assertIn("20 of 200", self.browser.evaluate(progress))
        self.browser.evaluate("window.kept = true")
        self.documents = []
        self.round_of_under_way(4, self.host)
        body = "".join(json.dumps(one) + "\n" for one in self.documents).encode()
        with urllib.request.urlopen(urllib.request.Request(self.base + "/v1/documents", data=body), timeout=240) as answer:
            self.assertEqual(json.load(answer)["inserted"], 5)
        deadline = time.monotonic() + 240
        while "25 of 200" not in self.browser.evaluate(progress):
            self.assertLess(time.monotonic(), deadline, self.browser.evaluate(progress))
            time.sleep(0.3)
        self.assertTrue(self.browser.evaluate("window.kept"), "the page was loaded again")
        self.assertEqual(self.browser.evaluate("document.querySelector('#table-nodes tbody').rows[0].cells[2].textContent"), "15")
        # What stays as it is costs an answer without a body.
        self.browser._events.clear()
        answer = self.browser.wait_for("Network.responseReceived")
        self.assertEqual(answer["response"]["status"], 304, answer["response"]["url"])
        self.assertEqual(self.browser.complaints(), [])

    def test_what_is_done_is_not_asked_again(self):
        self.open("/campaigns/" + DONE["id"])
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('[data-live]').length"), 0)


class Addresses(Served):
    def is_quiet(self, text, path):
        """Nothing runs but the script of its own, nothing is fetched from elsewhere."""
        tags = []
        parser = html.parser.HTMLParser()
        parser.handle_starttag = lambda tag, attributes: tags.append((tag, dict(attributes)))
        parser.feed(text)
        self.assertEqual([one for tag, one in tags if tag == "script"], [{"src": "/static/page.js", "defer": None}], path)
        for tag, attributes in tags:
            self.assertNotIn(tag, ("style", "iframe", "img", "object", "base"), path)
            self.assertFalse([name for name in attributes if name.startswith("on") or name == "style"], (path, tag, attributes))
            address = attributes.get("href") or attributes.get("src") or attributes.get("action") or "/"
            self.assertTrue(address[0] in "/#" or address == "data:," or tag == "a" and address.startswith("http"), (path, tag, address))

    def test_headers(self):
        for path in (*PAGES, "/static/page.css", "/static/page.js"):
            status, headers, text = self.fetch(path)
            self.assertEqual(status, 200, path)
            policy = headers["Content-Security-Policy"]
            self.assertIn("default-src 'none'", policy)
            self.assertNotIn("unsafe", policy)
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            kind = "text/css" if path.endswith(".css") else "text/javascript" if path.endswith(".js") else "text/html"
            self.assertEqual(headers["Content-Type"], kind + "; charset=utf-8", path)
            again, headers, nothing = self.fetch(path, **{"If-None-Match": headers["ETag"]})
            self.assertEqual((again, nothing), (304, ""), path)
            if kind == "text/html":
                self.is_quiet(text, path)

    def test_refusals_are_in_the_words_of_the_command_line(self):
        def words(*arguments):
            return self.stackx(*arguments, exit_code=2).stderr.removeprefix("stackx: ").strip()

        for path, status, said in (("/?hw=nope&workload=matmul", 400, words("advise", "--hw", "nope", "--workload", "matmul")),
                                   ("/?hw=v100&workload=nope", 400, words("advise", "--hw", "v100", "--workload", "nope")),
                                   ("/hardware/nope", 404, words("hw", "show", "nope")),
                                   ("/workloads/nope", 404, words("workload", "show", "nope")),
                                   ("/regressions?verdict=lost", 400, words("query", "regressions", "--verdict=lost")),
                                   ("/failures?since=never", 400, words("query", "failures", "--since", "never")),
                                   ("/stacks/" + "0" * 64, 404, "the store has none"), ("/campaigns/" + "0" * 64, 404, "the store has none"),
                                   ("/campaigns/'%20OR%201--", 404, "the store has none"), ("/stacks/%3Cb%3E", 400, ""),
                                   ("/coverage?project=/etc/passwd", 400, "none of that name"), ("/coverage?project=blas-cp", 400, 'did you mean "blas-cpu"'),
                                   ("/coverage?sql=SELECT+1", 400, "no such parameter"), ("/hardware/v100/more", 404, "nothing is here"), ("/nowhere", 404, "nothing is here")):
            got, headers, text = self.fetch(path)
            self.assertEqual((got, headers["Content-Type"]), (status, "text/html; charset=utf-8"), path)
            self.assertIn("script-src 'self'", headers["Content-Security-Policy"])
            alert = re.search(r'role="alert"[^>]*>(.*?)</p>', text, re.S)
            self.assertIn(said, html.unescape(re.sub("</?code>", "`", alert[1])) if alert else "", path)
        # Who does not read HTML gets JSON.
        status, headers, text = self.fetch("/nowhere", Accept="application/json")
        self.assertEqual((status, headers["Content-Type"], json.loads(text)["exit_code"]), (404, "application/json", 2))
        status, headers, text = self.fetch("/v1/query/nope")
        self.assertEqual((status, headers["Content-Type"]), (400, "application/json"))

    def test_a_project_is_asked_by_its_name(self):
        status, headers, text = self.fetch("/v1/query/coverage?project=blas-cpu", Accept="application/json")
        self.assertEqual(json.loads(text), self.json("query", "coverage", "--project", EXAMPLE))
        self.base = self.serve()
        status, headers, text = self.fetch("/v1/query/coverage?project=blas-cpu", Accept="application/json")
        self.assertEqual(status, 400)
        self.assertIn("serve --project FILE", json.loads(text)["error"])
        self.assertNotIn('name="project"', self.fetch("/coverage")[2])
        done = subprocess.run([STACKX, "serve", "--listen", "127.0.0.1:0", "--project", EXAMPLE, "--project", EXAMPLE], capture_output=True, text=True,
                              env=self.environment, timeout=120)
        self.assertEqual(done.returncode, 2)
        self.assertIn("blas-cpu", done.stderr)

    def test_what_is_good_is_said_and_sentinels_are_no_stacks(self):
        self.environment["STACKX_DB"] = str(self.scratch / "good" / "stackx.db")
        with_sentinel = plan("good", STACKS[:2], 2, "2026-11-25T09:00:00.000Z")
        with_sentinel["arms"].append({**with_sentinel["arms"][0], "label": with_sentinel["arms"][0]["label"] + "+A", "sentinel": True})
        with_sentinel = sealed({key: value for key, value in with_sentinel.items() if key != "id"})
        self.documents = [with_sentinel]
        self.rounds([(STACKS[0], 100), (STACKS[1], 90)], count=2, campaign=with_sentinel["id"])
        self.stackx("import", self.write("good.jsonl", "".join(json.dumps(one, sort_keys=True, ensure_ascii=False) + "\n" for one in self.documents)))
        self.base = self.serve()
        self.assertIn("Nothing failed: 4 inspections of 2 stacks.", self.fetch("/failures")[2])
        self.assertIn("2, and 1 sentinel<", self.fetch("/campaigns/" + with_sentinel["id"])[2])

    def test_a_token_is_asked_for_in_html(self):
        made = self.stackx("serve", "token", "reader", "--role", "read")
        tokens = self.write("tokens", made.stdout)
        tokens.chmod(0o600)
        self.base = self.serve("--tokens", str(tokens))
        status, headers, text = self.fetch("/campaigns")
        self.assertEqual((status, headers["Content-Type"]), (401, "text/html; charset=utf-8"))
        self.assertTrue(any(one.startswith("Basic") for one in headers.get_all("WWW-Authenticate")))
        self.assertNotIn(PROJECT, text)

    def test_an_empty_store(self):
        self.environment["STACKX_DB"] = str(self.scratch / "empty" / "stackx.db")
        self.base = self.serve()
        for path in ("/", "/campaigns", "/hardware", "/workloads", "/regressions", "/coverage", "/failures", "/sources"):
            status, headers, text = self.fetch(path)
            self.assertEqual(status, 200, path)
        self.assertIn("There are none yet", self.fetch("/campaigns")[2])
        self.assertIn("Nothing of this is measured", self.fetch("/failures")[2])
