"""The wheel of the build at hand: what `cmake --install` lays out, packed, judged, installed, used and taken away again.

Only its tag is not that of ./run package's, whose programs run on older systems, too (test_packages).
"""

import base64
import csv
import email
import hashlib
import importlib.util
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

from harness import ROOT

BUILD = pathlib.Path(os.environ.get("STACKX_BUILD", ROOT / "build"))
CMAKE = os.environ.get("STACKX_CMAKE", "cmake")
VERSION = re.search(r"^project\(stackx VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]


def run(*words, **environment):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=900,
                          env={**os.environ, **{name: str(value) for name, value in environment.items()}})
    if done.returncode != 0:
        raise AssertionError(f"{words} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout + done.stderr


@unittest.skipIf(importlib.util.find_spec("hatchling") is None, "hatchling is not installed; ./run test installs it")
class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="stackx-test-")
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = pathlib.Path(scratch.name)
        cls.stage = cls.scratch / "stage"
        run(CMAKE, "--install", BUILD, "--prefix", cls.stage)
        cls.wheel = cls.build("first")
        with zipfile.ZipFile(cls.wheel) as wheel:
            cls.files = {name: wheel.read(name) for name in wheel.namelist()}

    @classmethod
    def build(cls, name):
        run(ROOT / "packaging/wheel", cls.scratch / f"{name}-work", cls.scratch / name, STACKX_STAGE=cls.stage,
            STACKX_WHEEL_TAG="py3-none-linux_x86_64", STACKX_PYTHON=sys.executable, SOURCE_DATE_EPOCH=1700000000)
        return next((cls.scratch / name).glob("*.whl"))

    def test_holds_everything(self):
        self.assertEqual(self.wheel.name, f"stackx-{VERSION}-py3-none-linux_x86_64.whl")
        data = f"stackx-{VERSION}.data/"
        for name in ("scripts/stackx", "scripts/stackx-pi", "scripts/stackx-supervise", "data/share/stackx/data/gpus.json",
                     "data/share/stackx/python/matmul.py", "data/share/man/man1/stackx-advise.1",
                     "data/share/bash-completion/completions/stackx", "data/share/zsh/site-functions/_stackx",
                     "data/share/fish/vendor_completions.d/stackx.fish"):
            self.assertIn(data + name, self.files)
        self.assertTrue(any(name.startswith(data + "data/share/stackx/data/evidence/") for name in self.files))
        self.assertIn(f"stackx-{VERSION}.dist-info/licenses/LICENSE", self.files)
        self.assertIn("stackx/py.typed", self.files)

    def test_record_and_metadata(self):
        info = f"stackx-{VERSION}.dist-info/"
        rows = {name: (digest, size) for name, digest, size in csv.reader(io.StringIO(self.files[info + "RECORD"].decode()))}
        self.assertEqual(set(rows), set(self.files))
        for name, content in self.files.items():
            if name == info + "RECORD":
                continue
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            self.assertEqual(rows[name], ("sha256=" + digest, str(len(content))), name)
        metadata = email.message_from_bytes(self.files[info + "METADATA"])
        self.assertEqual((metadata["Name"], metadata["Version"], metadata["License-Expression"]), ("stackx", VERSION, "Apache-2.0"))
        self.assertIn("Root-Is-Purelib: false", self.files[info + "WHEEL"].decode())

    def test_the_same_bytes_twice(self):
        self.assertEqual(self.build("second").read_bytes(), self.wheel.read_bytes())

    def test_judged(self):
        for module, words in (("twine", ["check", "--strict"]), ("check_wheel_contents", [])):
            with self.subTest(module):
                if importlib.util.find_spec(module) is None:
                    self.skipTest(f"{module} is not installed; ./run test installs it")
                run(sys.executable, "-m", module, *words, self.wheel)

    def test_installed_and_taken_away(self):
        home, venv = self.scratch / "home", self.scratch / "venv"
        run(sys.executable, "-m", "venv", venv)
        run(venv / "bin/pip", "install", "--no-index", self.wheel)
        away = {"HOME": home, "XDG_DATA_HOME": home / "data", "XDG_CACHE_HOME": home / "cache", "STACKX_DB": home / "stackx.db",
                "STACKX_DATA": "", "STACKX_PROGRAM": ""}
        self.assertTrue(run(venv / "bin/stackx", "--version", **away).startswith(f"stackx {VERSION}"))
        self.assertTrue(run(venv / "bin/stackx", "advise", "--hw", "v100", "--workload", "matmul", **away).startswith("Run torch "))
        if shutil.which("man"):  # looks beside every program in PATH
            self.assertIn(str(venv), run("man", "-w", "stackx-advise", PATH=f"{venv}/bin:{os.environ['PATH']}"))
        ask = "import stackx; print(stackx.advise(hw='v100', workload='matmul').line)"
        self.assertTrue(run(venv / "bin/python", "-c", ask, **away).startswith("Run torch "))
        run(venv / "bin/pip", "uninstall", "--yes", "stackx")
        left = [str(path) for path in venv.rglob("*stackx*") if not path.is_dir()]  # pip leaves empty directories
        self.assertEqual(left, [])


class Version(unittest.TestCase):
    """It stands in five places, and is one."""

    def test_is_one(self):
        read = lambda name: (ROOT / name).read_text()
        self.assertIn(f'\nversion = "{VERSION}"\n', read("python/pyproject.toml"))
        self.assertTrue(read("packaging/deb/changelog").startswith(f"stackx ({VERSION}) "))
        self.assertEqual(re.search(r"^## (\d\S*)", read("CHANGELOG.md"), re.MULTILINE)[1], VERSION)
        self.assertIn(f"stackx_{VERSION}_amd64.deb", read("docs/releasing.md"))


if __name__ == "__main__":
    unittest.main()
