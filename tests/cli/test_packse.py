"""The situations of packse (packse/cases.txt): our stacks against trying everything, and against what pip installs."""

import functools
import http.server
import json
import pathlib
import shutil
import subprocess
import sys
import threading
import unittest

from harness import BlackBox
from packse.cases import Everything, lay_out, read

# Where pip and we differ, by our design; each with the reason.
BY_DESIGN = {}
HERE = pathlib.Path(__file__).parent


def served(folder):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    return server


class Packse(BlackBox):
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

    def stacks(self, case):
        """Those that the roots have in the catalog that is imported for them, or None: there is no catalog."""
        file = self.scratch / "catalog.json"
        file.unlink(missing_ok=True)
        self.stackx("catalog", "import", "pypi", *case.roots, "--python", case.python, *(["--pre"] if case.pre else []), "-o", file,
                    "--index-url", self.url(case), "--pip", shutil.which("true"), exit_code=None)
        if not file.exists():
            return set()
        requires = {}
        for root in case.holding_roots():
            for name in (root.name, *(f"{root.name}+{extra}" for extra in root.extras)):
                requires.setdefault(name, []).append(str(root.specifier))
        document = {"$schema": "stackx/project/1", "name": "packse", "catalogs": ["catalog.json"],
                    "requires": {name: ",".join(filter(None, ranges)) or "*" for name, ranges in requires.items()}}
        (self.scratch / "project.json").write_text(json.dumps(document))
        done = self.stackx("resolve", self.scratch / "project.json", "--list", "100000", "--json", exit_code=None)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        stacks = [json.loads(line)["components"] for line in done.stdout.splitlines()]
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
        subprocess.run([sys.executable, HERE / "packse" / "run_pip.py", self.scratch / "runs.json"], env=self.environment, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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
        self.assertGreater(total, 200)

    def test_what_pip_installs_is_a_stack(self):
        answers, differing = self.pip_answers(), {}
        for case in self.cases:
            stacks, answer = self.stacks(case), answers[case.name]
            if (answer is None) != (not stacks) or (stacks and frozenset(answer.items()) not in stacks):
                differing[case.name] = f"pip: {answer}, here: {sorted(map(sorted, stacks))[:3]}"
        solved = sum(answer is not None for answer in answers.values())
        self.assertGreater(solved, 80, "pip answers")
        self.assertGreater(len(self.cases) - solved, 30, "pip refuses")
        self.assertEqual({name: text for name, text in differing.items() if name not in BY_DESIGN}, {})
        self.assertEqual(set(BY_DESIGN) - set(differing), set(), "these agree now")


if __name__ == "__main__":
    unittest.main()
