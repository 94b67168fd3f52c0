"""stackx blame on wheels that cost known times: which change is it?

Packages are made on the spot. Each says what it costs (`SECONDS`, a function of the others where it matters); the user's program
imports them all, sleeps for the sum of their costs and prints it, so the machine's noise is that of the sleep alone.
"""

import io
import json
import pathlib
import signal
import subprocess
import time
import unittest
import zipfile

from harness import STACKX, schema_errors
from python_stack import PythonStack

BENCH = '''import importlib, pathlib, time
names = [path.name for path in pathlib.Path(importlib.import_module("p00").__file__).parents[1].iterdir() if path.name.startswith("p") and path.name[1:].isdigit()]
versions = {name: importlib.import_module(name).VERSION for name in names}
seconds = 0.02 * (1 + sum(importlib.import_module(name).cost(versions) for name in names))
begin = time.perf_counter()
time.sleep(max(seconds, 0.001))
print(time.perf_counter() - begin)
'''


def package(name, version, cost="0", requires=()):
    """A wheel; `cost` is an expression of `versions`, {package: version}."""
    info = f"{name}-{version}.dist-info"
    contents = {f"{name}/__init__.py": f"VERSION = {version!r}\ndef cost(versions):\n    return {cost}\n",
                f"{info}/METADATA": "\n".join(["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}",
                                               *(f"Requires-Dist: {one}" for one in requires), ""]),
                f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    contents[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*contents, f"{info}/RECORD"])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, content in contents.items():
            archive.writestr(zipfile.ZipInfo(path), content)
    return f"{name}-{version}-py3-none-any.whl", buffer.getvalue()


class Blame(PythonStack):
    def setUp(self):
        super().setUp()
        self.bench = self.write("bench.py", BENCH)

    def ends(self, count, costs=None, requires=None, between=()):
        """old.txt with every package at 1.0, new.txt at 2.0; costs: {(package, version): expression}."""
        names = [f"p{i:02}" for i in range(count)]
        for name in names:
            for version in ("1.0", "2.0", *(between if name == names[-1] else ())):
                self.index.add(package(name, version, (costs or {}).get((name, version), "0"), (requires or {}).get((name, version), ())))
        return [self.write(f"{end}.txt", "".join(f"{name}=={version}\n" for name in names)) for end, version in (("old", "1.0"), ("new", "2.0"))]

    def blame(self, ends, *options, exit_code=0):
        return self.json("blame", *ends, "--pi", self.bench, *options, exit_code=exit_code)

    @staticmethod
    def roles(answer, role="culprit"):
        return [row["name"] for row in answer["rows"] if row["role"] == role]
