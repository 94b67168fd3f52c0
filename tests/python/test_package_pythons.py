"""import stackx with every Python of this machine, its types, and the wheel that it comes in."""

import email
import hashlib
import importlib.util
import shutil
import subprocess
import sys
import unittest
import zipfile

from support import HERE, OLDEST, PACKAGE, ROOT, pythons

from harness import STACKX, BlackBox


def needs(module):
    return unittest.skipIf(importlib.util.find_spec(module) is None,
                           f"{module} is not installed in the tests' Python; ./run test installs it")


class PackageCase(BlackBox):
    def python(self, *arguments, python=sys.executable, cwd=ROOT):
        environment = dict(self.environment, PYTHONPATH=str(PACKAGE), PYTHONDONTWRITEBYTECODE="1", LC_ALL="C.UTF-8",
                           STACKX_PROGRAM=STACKX)
        done = subprocess.run([python, *map(str, arguments)], capture_output=True, text=True, env=environment,
                              timeout=900, cwd=cwd)
        self.assertEqual(done.returncode, 0, f"{python} {arguments}\n{done.stdout}{done.stderr}")
        return done.stdout


class Pythons(PackageCase):
    def test_the_basic_job_with_each(self):
        found = pythons()
        print("Pythons:", *(".".join(map(str, version)) for version in found), file=sys.stderr)
        self.begin_with_what_is_published()
        for version, python in found.items():
            with self.subTest(version):
                self.assertEqual(self.python("-S", "-W", "error", HERE / "basic_job.py", python=python), "done\n")
                self.assertTrue(self.python("-S", "-m", "stackx", "--version", python=python).startswith("stackx "))

    @needs("mypy")
    def test_types(self):
        settings = ["--config-file", PACKAGE / "pyproject.toml", "--cache-dir", self.scratch / "mypy"]
        said = self.python("-m", "mypy", *settings, PACKAGE / "stackx", HERE / "typed_use.py", cwd=self.scratch)
        self.assertIn("Success: no issues found", said)


class Wheel(PackageCase):
    def build(self, name):
        """The wheel, built from a copy (its files are new) by the build backend alone, without the network."""
        source = self.scratch / name
        shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("__pycache__"), copy_function=shutil.copyfile)
        self.python("-c", f"import hatchling.build; print(hatchling.build.build_wheel({str(source)!r}))", cwd=source)
        return next(source.glob("*.whl"))

    @needs("hatchling")
    def test_the_wheel_is_reproducible_and_whole(self):
        first, second = self.build("first"), self.build("second")
        self.assertEqual(*(hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in (first, second)))
        with zipfile.ZipFile(first) as wheel:
            names, folder = wheel.namelist(), "stackx-0.2.0.dist-info/"
            metadata = email.message_from_bytes(wheel.read(folder + "METADATA"))
        ours = {f"stackx/{path.name}" for path in (PACKAGE / "stackx").iterdir() if path.suffix in (".py", ".typed")}
        self.assertEqual({name for name in names if not name.startswith(folder)}, ours)
        self.assertIn("stackx/py.typed", ours)
        self.assertEqual(metadata["License-Expression"], "Apache-2.0")
        self.assertEqual(metadata["Requires-Python"], ">={}.{}".format(*OLDEST))
        self.assertEqual(metadata.get_all("Provides-Extra"), ["pandas", "polars"])
        self.assertTrue(all("extra ==" in one for one in metadata.get_all("Requires-Dist")), "it needs a package")
        self.assertIn("```python", metadata.get_payload())


if __name__ == "__main__":
    unittest.main()
