"""A project that `stackx watch` watches, against an index on this machine, to which versions are published between passes.

Packages say how long they take (`SECONDS`), and the user's benchmark tells that, whatever else the machine does: verdicts are those
of known times.
"""

import pathlib
import subprocess
import time

from harness import STACKX, schema_errors
from python_stack import HERE, PythonStack, wheel

BENCH = "from victim import SECONDS\nprint(SECONDS)\n"
NOTHING, CHANGED, REGRESSION = 0, 10, 11


class Watch(PythonStack):
    def setUp(self):
        super().setUp()
        self.environment["COLUMNS"] = "80"
        self.bench = self.write("bench.py", BENCH)
        self.requirements = self.write("requirements.txt", "victim\n")

    def release(self, version, seconds, name="victim", requires=(), files=None):
        self.index.add(wheel(name, version, files={f"{name}/__init__.py": f"SECONDS = {seconds}\n", **(files or {})}, requires=requires))

    def withdraw(self, version, name="victim"):
        del self.index.files[f"{name}-{version}-py3-none-any.whl"]

    def words(self, *options):
        return ["watch", self.requirements, "--pi", self.bench, "--python", HERE, *options]

    def watch(self, *options, exit_code=NOTHING):
        """The document of a pass, judged by its schema."""
        document = self.json(*self.words(*options), exit_code=exit_code)
        self.assertEqual(schema_errors("watch", [document]), [""])
        self.assertEqual(document["answer"]["exit_code"], exit_code)
        return document

    def told(self, *options, exit_code=NOTHING):
        return self.stackx(*self.words(*options), exit_code=exit_code)

    def start(self, *options):
        process = subprocess.Popen([STACKX, *map(str, self.words(*options))], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def slots(self, campaign=None):
        """(round, arm) of each inspection, as the store has them."""
        return [(one["round"], one["arm"]) for one in self.documents() if campaign in (None, one["campaign"])]

    def wait_for_inspections(self, count):
        """That many are on the disk: then a pass is in the middle of its campaign."""
        for _ in range(6000):
            found = list(pathlib.Path(f"{self.db}-results").glob("*/*.json"))
            if len([path for path in found if path.name != "plan.json"]) >= count:
                return
            time.sleep(0.05)
        self.fail("the pass does not measure")

    def stack_of(self, document, when="after"):
        return document[when]["stack"]["victim"]
