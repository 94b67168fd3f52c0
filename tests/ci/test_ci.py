"""examples/ci as a pipeline runs it: the scripts, and the script lines of both pipelines, in git repositories made here.

Packages come from an index on this machine: `demo` 1.0, and 2.0, whose import takes longer. Processes and wheels are real; an import
moves the clock on by which it is timed, so that a machine that does much else changes nothing.
"""

import json
import math
import os
import pathlib
import re
import shutil
import statistics
import string
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from harness import ROOT, STACKX, BlackBox  # noqa: E402
from python_stack import Index, wheel  # noqa: E402

EXAMPLE = ROOT / "examples" / "ci"
PAGE = ROOT / "docs" / "ci.md"
RUNS, RUNS_NOT, UNKNOWN = "torch==2.4.1\n", "torch==2.11.0\n", "torch==99\n"
# Needs no package beside `demo`. 6 rounds: the fewest that can give a verdict.
SPEED = {"workload": {"pi": "import", "params": {"module": "demo", "repetitions": 2, "min_sample_ms": 1, "warmup_ms": 1}},
         "campaign": {"rounds": 6}}


# In import_child.py, which holds CLOCK: the import takes so long by it, beside which what it really takes is nothing.
LATER = """import sys
clock = getattr(sys.modules["__main__"], "CLOCK", None)
if clock:
    real = clock.steady_ns
    clock.steady_ns = lambda: real() + {ns}
"""


def demo(version, import_s=0, broken=False):
    code = LATER.format(ns=int(import_s * 1e9)) + f"__version__ = {version!r}\n" + ("import nothing\n" if broken else "")
    return wheel("demo", version, files={"demo/__init__.py": code})


class Checkout(BlackBox):
    """A project with a copy of examples/ci in ci/, whose target branch has `main` as requirements.txt."""

    def setUp(self):
        super().setUp()
        if shutil.which("git") is None:
            self.skipTest("no git to make a merge request with")
        self.tools, self.home = self.scratch / "tools", self.scratch / "checkout"
        self.tools.mkdir()
        (self.tools / "stackx").symlink_to(pathlib.Path(STACKX).resolve())
        self.environment.update(PATH=f"{self.tools}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
                                GIT_CONFIG_GLOBAL="/dev/null", XDG_CONFIG_HOME=str(self.scratch / "config"))
        shutil.copytree(EXAMPLE, self.home / "ci")
        (self.home / "ci" / "speed.json").write_text(json.dumps(SPEED))
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *words):
        return subprocess.run(["git", "-c", "user.name=test", "-c", "user.email=test@example.org", *words], cwd=self.home,
                              env=self.environment, check=True, capture_output=True, text=True).stdout.strip()

    def merge_request(self, before, after):
        """Its base; the checkout is at its head."""
        for text in (before, after):
            (self.home / "requirements.txt").write_text(text)
            self.git("add", "--all")
            self.git("commit", "--quiet", "--allow-empty", "--message", "requirements")
        return self.git("rev-parse", "HEAD~1")

    def serve_demo(self, *wheels):
        index = Index()
        self.addCleanup(index.server_close)
        self.addCleanup(index.shutdown)
        for file in wheels:
            index.add(file)
        self.environment.update(PIP_INDEX_URL=f"{index.url}/simple", PIP_NO_INDEX="0", PIP_CONFIG_FILE="/dev/null")
        self.environment.pop("PIP_EXTRA_INDEX_URL", None)

    def bash(self, text, exit_code=0, environment=None):
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", text], cwd=self.home, capture_output=True, text=True,
                              env={**self.environment, **(environment or {})}, timeout=900, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, exit_code, f"{text}\nstdout: {done.stdout}\nstderr: {done.stderr}")
        return done

    def first_line(self, text, exit_code=0):
        return self.bash(text, exit_code).stdout.splitlines()[0]


class Fleet(Checkout):
    CHECK = "ci/check-fleet.sh -o report.md ci/fleet.txt requirements.txt"

    def test_a_merge_request_that_is_fine(self):
        self.merge_request("torch==2.3.1\n", RUNS)
        said = self.bash(self.CHECK).stdout
        self.assertEqual(said.splitlines()[0], "Yes: requirements.txt runs on all 4 kinds of nodes.")
        rows = re.findall(r"(?m)^\| (\w+)\S* .*\| (\w+) +\|", said)
        self.assertEqual(rows[1:], [(name, "Yes") for name in ("h100", "a100", "v100", "zen4")])
        self.assertEqual((self.home / "report.md").read_text(), said)

    def test_a_build_without_kernels_for_the_v100(self):
        self.merge_request(RUNS, RUNS_NOT)
        said = self.bash(self.CHECK, exit_code=1).stdout
        self.assertEqual(said.splitlines()[0], "No: requirements.txt fails on 1 of 4 kinds of nodes.")
        self.assertRegex(said, r"\| v100, driver 580\.95\.05, Python 3\.11 +\| No +\| torch 2\.11\.0 has no kernels for V100 ")
        self.assertIn("The nearest that runs: torch 2.11.0+cu126 instead of 2.11.0", said)
        self.assertEqual((self.home / "report.md").read_text(), said)

    def test_what_nobody_lists(self):
        self.merge_request(RUNS, UNKNOWN)
        self.assertRegex(self.first_line(self.CHECK), r"^Warning: requirements.txt is not known .* 4 of 4 kinds .*--strict")
        self.assertRegex(self.first_line(self.CHECK.replace("-o", "--strict -o"), 1), "^No: .* fails on 4 of 4 ")
        self.merge_request(RUNS, RUNS + "our-own-library==3\n")
        self.assertRegex(self.bash(self.CHECK).stdout, "\nNot judged: .*our-own-library")

    def refused(self, text, exit_code=2, environment=None):
        """What the one line of an error says."""
        done = self.bash(text, exit_code, environment)
        self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)
        return done.stderr

    def test_bad_input_names_the_line(self):
        self.merge_request(RUNS, "torch==2.4.1\nnot a requirement\n")
        self.assertRegex(self.refused(self.CHECK), r"^check-fleet\.sh: ci/fleet\.txt:4 \(h100, .*\): requirements\.txt:2: ")
        for fleet, expected in (("v1000\n", r"fleet:1 \(v1000\): .*no such hardware"), ("# none\n", "names no node"),
                                ("h100 - - - more", r"fleet:1: .*found \"more\""),
                                ("\nh100 new", r"fleet:2 .*expected a version such as")):
            with self.subTest(fleet):
                (self.home / "fleet").write_text(fleet)
                self.assertRegex(self.refused("ci/check-fleet.sh fleet torch==2.4.1"), expected)
        self.assertIn("none.txt: no such file", self.refused("ci/check-fleet.sh none.txt torch"))
        self.assertIn("usage: ", self.bash("ci/check-fleet.sh ci/fleet.txt", 2).stderr)

    def test_a_broken_environment_is_no_answer(self):
        (self.tools / "stackx").unlink()
        (self.tools / "stackx").write_text("#!/bin/sh\necho 'stackx: disk full' >&2\nexit 3\n")
        (self.tools / "stackx").chmod(0o755)
        self.assertRegex(self.refused("ci/check-fleet.sh ci/fleet.txt torch", 3), r"ci/fleet\.txt:4 .*: disk full")
        (self.tools / "stackx").unlink()
        said = self.refused("ci/check-fleet.sh ci/fleet.txt torch", 3, {"PATH": "/usr/bin:/bin"})
        self.assertIn("no stackx in PATH", said)

    def test_lines_as_editors_leave_them(self):
        (self.home / "fleet").write_bytes(b"h100 580.95.05\r\n\r\nzen4\r\nh100 - 3.11 manylinux_2_28_x86_64")
        self.assertRegex(self.first_line("sh ci/check-fleet.sh fleet torch==2.4.1"), "^Yes: .* all 3 kinds")


class Speed(Checkout):
    COMPARE = "ci/compare-locks.sh --max-slower 3 -o report.md before.txt requirements.txt"

    def locks(self, before, after):
        (self.home / "before.txt").write_text(before)
        (self.home / "requirements.txt").write_text(after)

    def test_slower_and_not(self):
        self.serve_demo(demo("1.0", 100), demo("2.0", 1000))
        pip_compile = f"# head\ndemo==2.0 ; python_version >= '3' \\\n    --hash=sha256:{64 * '0'}\n    # via us\n"
        self.locks("demo==1.0\n", pip_compile)
        said = self.bash(self.COMPARE, 1).stdout
        self.assertEqual(said.splitlines()[0], "No: requirements.txt is more than 3% slower.")
        self.assertRegex(said, r"limit +B may be 3% slower than A: EXCEEDED")
        self.assertRegex(said, r"(?s)Measured:.*demo 1\.0 is FASTEST")
        self.assertEqual((self.home / "report.md").read_text(), said)
        self.assertIn("n=12 paired rounds", self.bash(self.COMPARE, 1).stdout, "a store that is kept adds up")
        # The other way round, and of another workload than the store has most of by now.
        (self.home / "ci" / "speed.json").write_text(json.dumps(SPEED).replace('"repetitions": 2', '"repetitions": 1'))
        self.locks("demo==2.0", "demo==1.0")
        said = self.bash(self.COMPARE).stdout
        self.assertEqual(said.splitlines()[0], "Yes: requirements.txt is not more than 3% slower.")
        self.assertRegex(said, "(?m)^  workload .*repetitions=1,")

    def test_the_same_stack_is_not_measured(self):
        self.serve_demo(demo("1.0"))
        self.locks("demo==1.0\n", "demo == 1.0  # as before\n")
        self.assertRegex(self.first_line(self.COMPARE), "^Yes: .*are the same stack on Python .*nothing to measure")
        self.assertIn("the same stack", (self.home / "report.md").read_text())

    def test_a_lock_that_does_not_run(self):
        self.serve_demo(demo("1.0"), demo("2.0", broken=True))
        self.locks("demo==1.0\n", "demo==2.0\n")
        said = self.bash(self.COMPARE, 1).stdout
        self.assertRegex(said, r"^No: before\.txt and requirements\.txt cannot be compared")
        self.assertRegex(said, r"demo 2\.0 failed: .*nothing")
        self.locks("demo==1.0\n", "demo==3.0\n")
        self.assertIn("requirements.txt is no stack on Python", self.bash(self.COMPARE, 1).stderr)

    def test_bad_input(self):
        self.serve_demo(demo("1.0"), demo("2.0"))
        self.locks("demo==1.0\n", "demo==2.0\n")
        self.assertIn("5 rounds cannot give a verdict", self.bash(self.COMPARE.replace("-o", "--rounds 5 -o"), 2).stderr)
        lists = json.dumps(SPEED).replace('"repetitions": 2', '"repetitions": [1, 2]')
        for text, expected in (("# no JSON", "expected JSON with one `workload`"), ("{}", "KeyError"),
                               (lists, "several workloads")):
            with self.subTest(text):
                (self.home / "other.json").write_text(text)
                self.assertIn(expected, self.bash(self.COMPARE.replace("-o", "--speed other.json -o"), 2).stderr)
        self.assertIn("none.txt: no such file", self.bash("ci/compare-locks.sh none.txt requirements.txt", 2).stderr)
        self.assertIn("--slower: no such option", self.bash("ci/compare-locks.sh --slower 3 a b", 2).stderr)
        for lock, expected in (("-r other.txt", "-r other.txt"), ("demo @ file:///demo.whl", "expected a package"),
                               ("# none", "names no package")):
            with self.subTest(lock):
                self.locks("demo==1.0\n", lock)
                self.assertIn(expected, self.bash(self.COMPARE, 2).stderr)


class Pipelines(Checkout):
    """Both YAML files: by the schemas of their makers, and their script lines run as written, with a `pip` that only looks."""

    def setUp(self):
        super().setUp()
        try:
            import yaml
        except ImportError:
            self.skipTest("no PyYAML to read the pipelines with")
        self.load = lambda name: yaml.safe_load((EXAMPLE / name).read_text())
        self.serve_demo(demo("1.0", 100), demo("2.0", 1000))
        (self.tools / "pip").write_text('#!/bin/sh\n[ "$*" = "install --quiet stackx-1.whl" ]\n')
        (self.tools / "pip").chmod(0o755)

    def run_fine_and_bad(self, jobs):
        """jobs(base) -> {job: (environment, lines)}; one merge request for each gate that is fine, and one that is not."""
        for gate, before, after, exit_code, report, expected in (
                ("stack-runs", RUNS, RUNS, 0, "stack-runs.md", "Yes: "),
                ("stack-runs", RUNS, RUNS_NOT, 1, "stack-runs.md", "No: "),
                ("stack-speed", "demo==1.0", "demo==1.0", 0, "stack-speed.md", "Yes: "),
                ("stack-speed", "demo==1.0", "demo==2.0", 1, "stack-speed.md", "No: ")):
            environment, lines = jobs(self.merge_request(before, after))[gate]
            with self.subTest(gate, after=after):
                self.bash("\n".join(lines), exit_code, environment)
                self.assertTrue((self.home / report).read_text().startswith(expected))

    def test_gitlab(self):
        document = self.load("gitlab-ci.yml")
        base = document.pop(".stackx")

        def variables(job, request):
            known = {"CI_PROJECT_DIR": str(self.home), "CI_MERGE_REQUEST_DIFF_BASE_SHA": request,
                     "STACKX_WHEEL": "stackx-1.whl"}
            own = {**base["variables"], **job.get("variables", {})}
            return {**known, **{name: string.Template(str(value)).substitute(known) for name, value in own.items()}}

        self.run_fine_and_bad(lambda request: {name: (variables(job, request), base["before_script"] + job["script"])
                                               for name, job in document.items()})
        environment = variables(document["stack-speed"], "")
        self.bash("\n".join(document["stack-speed"]["after_script"]).replace("matmul", "import"), 0, environment)
        self.assertIn("demo", (self.home / "stack-speed.html").read_text())

    def test_github(self):
        document = self.load("github.yml")
        summary = self.scratch / "summary.md"

        def value(text, request):
            known = {"vars.STACKX_WHEEL": "stackx-1.whl", "github.workspace": str(self.home),
                     "github.event.pull_request.base.sha": request}
            return re.sub(r"\$\{\{ (\S+) \}\}", lambda found: known[found[1]], text)

        def job(steps, request):
            """What runs until a step fails; those with `always()` are run below."""
            pairs = [pair for step in [document, *steps] for pair in step.get("env", {}).items()]
            environment = {name: value(text, request) for name, text in pairs}
            return ({**environment, "GITHUB_STEP_SUMMARY": str(summary)},
                    [value(step["run"], request) for step in steps if "run" in step and "if" not in step])

        self.run_fine_and_bad(lambda request: {name: job(one["steps"], request) for name, one in document["jobs"].items()})
        for name, one in document["jobs"].items():
            environment, _ = job(one["steps"], "")
            for step in one["steps"]:
                if "run" in step and "if" in step:
                    self.bash(step["run"].replace("matmul", "import"), 0, environment)
            self.assertIn((self.home / f"{name}.md").read_text(), summary.read_text())

    def test_schemas(self):
        try:
            import check_jsonschema  # noqa: F401
        except ImportError:
            self.skipTest("no check-jsonschema, which brings the schemas of GitLab and GitHub")
        for options in (["vendor.gitlab-ci", "--data-transform", "gitlab-ci", EXAMPLE / "gitlab-ci.yml"],
                        ["vendor.github-workflows", EXAMPLE / "github.yml"]):
            done = subprocess.run([sys.executable, "-m", "check_jsonschema", "--builtin-schema", *map(str, options)],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_only_when_what_they_judge_changes(self):
        document = self.load("gitlab-ci.yml")
        for name in ("stack-runs", "stack-speed"):
            self.assertIn("requirements.txt", document[name]["rules"][0]["changes"])
        self.assertIn("requirements.txt", self.load("github.yml")[True]["pull_request"]["paths"])  # YAML 1.1: `on` is true

    def test_shellcheck(self):
        if shutil.which("shellcheck") is None:
            self.skipTest("no shellcheck")
        done = subprocess.run(["shellcheck", *EXAMPLE.glob("*.sh")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


class Page(unittest.TestCase):
    """docs/ci.md says how many rounds show a slowdown in 9 of 10 pipelines."""

    @staticmethod
    def power(rounds, beyond, cv):
        """How often the whole interval of the sign test at 95% lies beyond the limit, for pairs whose noise is normal."""
        above = 0  # pairs on the wrong side of the limit that the interval bears
        while 2 * sum(math.comb(rounds, i) for i in range(above + 1)) / 2 ** rounds <= 0.05:
            above += 1
        p = statistics.NormalDist().cdf(beyond / (cv * math.sqrt(2)))
        return sum(math.comb(rounds, i) * (1 - p) ** i * p ** (rounds - i) for i in range(above))

    def test_the_rounds_that_it_names(self):
        head, *rows = re.findall(r"(?m)^\| (CV|[\d.]+%) ((?:\| \d+%? ){5})\|$", PAGE.read_text())
        numbers = lambda cells: list(map(int, re.findall(r"\d+", cells)))  # noqa: E731
        self.assertEqual(len(rows), 5)
        for cv, cells in rows:
            for beyond, rounds in zip(numbers(head[1]), numbers(cells)):
                with self.subTest(cv=cv, beyond=beyond):
                    self.assertGreaterEqual(self.power(rounds, beyond, float(cv[:-1])), 0.9)
                    self.assertLess(self.power(rounds - 1, beyond, float(cv[:-1])), 0.9)


if __name__ == "__main__":
    unittest.main()
