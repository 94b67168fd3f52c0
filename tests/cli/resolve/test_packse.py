"""The situations of packse (packse/cases.txt): our stacks against trying everything, and against what pip installs."""

import functools
import http.server
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

from harness import KEPT, STACKX, BlackBox
from packaging.utils import canonicalize_name
from packse.cases import Everything, lay_out, read

# Where uv's maintainers say otherwise, by our design: the reason, and of which situations.
NOT_AS_UV = {
    "as pip takes pre-releases: a requirement of a package names them, too, or allows nothing else": [
        "prereleases/package-only-prereleases-in-range", "prereleases/transitive-package-only-prereleases-in-range",
        "prereleases/transitive-prerelease-and-stable-dependency", "prereleases/transitive-prerelease-and-stable-dependency-many-versions",
        "prereleases/transitive-prerelease-and-stable-dependency-many-versions-holes"],
    "as pip takes yanked versions: a requirement of a package pins them, too": ["yanked/transitive-yanked-and-unyanked-dependency"],
    "one platform is asked about here, uv's answer is for all": [
        "fork/conflict-in-fork", "fork/non-local-fork-marker-direct", "fork/non-local-fork-marker-transitive",
        "fork/preferences-dependent-forking-conflicting"],
    "only wheels are asked for here": ["wheels/no-wheels", "wheels/no-wheels-with-matching-platform", "wheels/only-wheels-no-binary"],
    "the Python asked for is the one that runs, there is no other for building": [
        "requires_python/incompatible-python-compatible-override-available-no-wheels",
        "requires_python/incompatible-python-compatible-override-no-compatible-wheels",
        "requires_python/incompatible-python-compatible-override-other-wheel",
        "requires_python/incompatible-python-compatible-override-unavailable-no-wheels"],
    "an upper bound of Requires-Python counts, as for pip": ["requires_python/python-less-than-current"],
    "the wheels are for other machines or Pythons than the one asked about": [
        "tag_and_markers/requires-python-wheels", "wheels/specific-architecture"],
}
PIP = "26.3"  # which falls back on pre-releases as PEP 440 says; 25 and older do so only without any range
HERE = pathlib.Path(__file__).parent


@functools.cache
def kept_pip():
    """The folder of that pip, got once."""
    folder = KEPT / f"pip-{PIP}"
    if not folder.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=KEPT) as scratch:
            done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--target", f"{scratch}/pip", f"pip=={PIP}"],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                raise unittest.SkipTest(f"pip {PIP} cannot be had: {done.stderr[-200:]}")
            pathlib.Path(scratch, "pip").rename(folder)
    return folder


def served(folder):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    return server


class Packse(BlackBox):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cases = list(read(HERE / "packse" / "cases.txt"))

    def setUp(self):
        super().setUp()
        for name in [name for name in self.environment if name.lower().endswith("_proxy") or name.startswith("PIP_")]:
            del self.environment[name]
        for case in self.cases:
            lay_out(case, self.scratch / "index" / case.name)
        self.server = served(self.scratch / "index")
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def url(self, case):
        return f"http://127.0.0.1:{self.server.server_port}/{case.name}/simple"

    def answer(self, *arguments):
        """Also a refusal, by itself an answer; not a crash."""
        done = subprocess.run([STACKX, *map(str, arguments)], capture_output=True, text=True, env=self.environment, timeout=900)
        self.assertIn(done.returncode, (0, 1, 2), f"{arguments}\n{done.stderr}")
        return done

    def resolved(self, case):
        """What `resolve --list` says to the roots with the catalog that is imported for them; None: there is no catalog."""
        file = self.scratch / "catalog.json"
        file.unlink(missing_ok=True)
        self.answer("catalog", "import", "pypi", *case.roots, "--python", case.python, *(["--pre"] if case.pre else []), "-o", file,
                    "--index-url", self.url(case), "--pip", shutil.which("true"))
        if not file.exists():
            return None
        requires = {}
        for root in case.holding_roots():
            for name in (root.name, *(f"{root.name}+{canonicalize_name(extra)}" for extra in root.extras)):
                requires.setdefault(name, []).append(str(root.specifier))
        document = {"$schema": "stackx/project/1", "name": "packse", "catalogs": ["catalog.json"],
                    "requires": {name: ",".join(filter(None, ranges)) or "*" for name, ranges in requires.items()}}
        (self.scratch / "project.json").write_text(json.dumps(document))
        return self.answer("resolve", self.scratch / "project.json", "--list", "100000", "--json")

    def stacks(self, case):
        """Sets of (project, version); without what the catalog adds to say of extras and Pythons."""
        if not case.holding_roots():
            return {frozenset()}  # nothing to import, and an import says so
        done = self.resolved(case)
        stacks = [json.loads(line)["components"] for line in done.stdout.splitlines()] if done else []
        return {frozenset((name, version) for name, version in stack.items() if name != "python" and "+" not in name) for stack in stacks}

    def pip_answers(self):
        """What pip would install of each case, {name: version}, or None."""
        runs = []
        for case in self.cases:
            report = self.scratch / "reports" / f"{case.name.replace('/', '-')}.json"
            runs.append({"report": str(report), "arguments": [
                "install", "--dry-run", "--quiet", "--quiet", "--quiet", "--ignore-installed", "--no-cache-dir", "--disable-pip-version-check",
                "--report", str(report), "--target", str(self.scratch / "target"), "--only-binary", ":all:", "--index-url", self.url(case),
                "--python-version", case.python, "--implementation", "cp", *(["--pre"] if case.pre else []), *case.roots]})
        (self.scratch / "reports").mkdir()
        (self.scratch / "runs.json").write_text(json.dumps(runs))
        subprocess.run([sys.executable, HERE / "packse" / "run_pip.py", self.scratch / "runs.json"], check=True,
                       env=dict(self.environment, PYTHONPATH=str(kept_pip())), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        answers = {}
        for case, run in zip(self.cases, runs):
            report = pathlib.Path(run["report"])
            chosen = json.loads(report.read_text())["install"] if report.exists() else None
            answers[case.name] = None if chosen is None else {one["metadata"]["name"]: one["metadata"]["version"] for one in chosen}
        return answers

    def test_the_stacks_are_those_of_trying_everything(self):
        total = 0
        for case in self.cases:
            with self.subTest(case.name):
                expected = set(Everything(case).solutions())
                self.assertEqual(self.stacks(case), expected)
                total += len(expected)
        self.assertGreater(len(self.cases), 140)
        self.assertGreater(total, 150)

    def test_what_pip_installs_is_a_stack(self):
        answers, differing = self.pip_answers(), {}
        for case in self.cases:
            stacks, answer = self.stacks(case), answers[case.name]
            if (answer is None) != (not stacks) or (stacks and frozenset(answer.items()) not in stacks):
                differing[case.name] = f"pip: {answer}, here: {sorted(map(sorted, stacks))[:3]}"
        solved = sum(answer is not None for answer in answers.values())
        self.assertGreater(solved, 80, "pip answers")
        self.assertGreater(len(self.cases) - solved, 30, "pip refuses")
        self.assertEqual(differing, {})

    def test_why_there_is_none_is_always_said(self):
        """Where nothing that is known is in range, what there is instead, or why there is nothing."""
        explained = 0
        for case in self.cases:
            done = self.resolved(case) if case.holding_roots() else None
            if done and done.returncode == 1:
                explained += 1
                self.assertNotRegex(done.stderr, r"known versions of \S+: *(none)?\n", case.name)
                self.assertIn("to fix: ", done.stderr, case.name)
        self.assertGreater(explained, 45)

    def test_where_uv_differs_is_by_design(self):
        differing = {case.name for case in self.cases if bool(set(Everything(case).solutions())) != case.uv}
        self.assertEqual(differing, {name for names in NOT_AS_UV.values() for name in names})
