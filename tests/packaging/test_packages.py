"""What ./run package hands out, on fresh roots of Debian 11, 12 and 13 that hold Python and pip and no compiler.

`./run test --thorough` makes the packages first; otherwise those that are in dist/ are tried, if they are of this commit.
STACKX_DIST names another folder.
"""

import functools
import json
import os
import pathlib
import re
import subprocess
import tarfile
import tempfile
import time
import unittest

from fresh_root import FreshRoot

from harness import ROOT, this_machine

SUITES = ("bullseye", "bookworm", "trixie")
PROJECT = {
    "$schema": "stackx/project/1", "name": "two-blas", "catalogs": ["blas.json"], "requires": {"scipy-openblas64": "*"},
    "hardware": {"cpu": "host"}, "pins": {"openblas-coretype": {"any": ["==auto", "==Haswell"]}, "threads": "==1"},
    "workload": {"pi": "matmul", "params": {"m": 256, "n": 256, "k": 256, "dtype": "float32"}},
    "campaign": {"sampler": {"kind": "uniform", "count": 2, "seed": 1}, "rounds": 3, "runner": "local"},
}


@functools.cache
def dist():
    """The folder of packages; skips where there is none of this commit."""
    if chosen := os.environ.get("STACKX_DIST"):
        return pathlib.Path(chosen)
    if os.environ.get("STACKX_THOROUGH") == "1":
        subprocess.run([ROOT / "run", "package"], check=True, timeout=3600)
        return ROOT / "dist"
    archive = next((ROOT / "dist").glob("*.tar.zst"), None)
    if archive is None:
        raise unittest.SkipTest("no packages: ./run package makes them, ./run test --thorough makes and tries them")
    with tempfile.TemporaryDirectory() as scratch:
        unpacked = unpack(archive, scratch)
        said = subprocess.run([unpacked / "bin/stackx", "--version"], capture_output=True, text=True, check=True).stdout
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=7", "HEAD"], capture_output=True, text=True).stdout.strip()
    if f"commit {commit}" not in said or "+changes" in said:
        raise unittest.SkipTest(f"dist/ holds {said.strip()}, not {commit}: ./run package makes it anew")
    return ROOT / "dist"


def package(pattern):
    found = sorted(dist().glob(pattern))
    if len(found) != 1:
        raise AssertionError(f"expected one {pattern} in {dist()}, found {found}")
    return found[0]


def unpack(archive, folder):
    subprocess.run(["tar", "-C", folder, "--zstd", "-xf", archive], check=True)
    return next(pathlib.Path(folder).iterdir())


class Suite:
    """One suite; every package gets a root of its own."""

    suite = ""

    def setUp(self):
        dist()
        self.root = FreshRoot(self.suite)
        self.addCleanup(self.root.close)

    def check_answers(self):
        """What a stranger does first; no compiler is there to help."""
        self.root.run("sh", "-c", "! command -v cc && ! command -v gcc && ! command -v bwrap")
        advice = self.root.run("stackx", "advise", "--hw", "v100", "--workload", "matmul")
        self.assertRegex(advice, r"\ARun torch \S+ on Python ")
        checked = self.root.run("stackx", "check", "torch==2.4.0", "--hw", "host")
        self.assertRegex(checked, r"\AYes: ")
        self.assertRegex(self.root.run("stackx", "--version"), r"\Astackx \d+\.\d+\.\d+")

    def check_inspect(self):
        """Two versions of OpenBLAS, each from its wheel; what is missing for it, the program says."""
        self.root.run("python3", "-m", "venv", "/venv")
        self.root.run("/venv/bin/pip", "install", "uv")
        (self.root.path / "two.json").write_text(json.dumps(PROJECT))
        said = self.root.run("stackx", "inspect", "/two.json", timeout=600)
        documents = [json.loads(line) for line in self.root.run("stackx", "export").splitlines()]
        done = [one for one in documents if one["$schema"] == "stackx/inspection/1"]
        self.assertEqual([(one["outcome"], one["check"]["pass"]) for one in done], [("ok", True)] * 6, said)
        self.assertEqual(len({one["stack"]["scipy-openblas64"] for one in done}), 2)

    def check_comforts(self, prefix, zsh="site-functions"):
        """Pages and completions lie where man and shells look."""
        share = self.root.path / prefix / "share"
        pages = {file.name.removesuffix(".gz") for file in (share / "man/man1").iterdir()}
        self.assertLessEqual({"stackx.1", "stackx-advise.1", "stackx-doctor.1"}, pages)
        for file in ("bash-completion/completions/stackx", f"zsh/{zsh}/_stackx", "fish/vendor_completions.d/stackx.fish",
                     "stackx/report/plotly.min.js", "stackx/data/gpus.json", "stackx/python/matmul.py"):
            self.assertTrue((share / file).is_file(), file)

    def test_wheel(self):
        self.root.run("python3", "-m", "venv", "/venv")
        (wheel,) = self.root.bring(package("*.whl"))
        before = time.monotonic()
        self.root.run("/venv/bin/pip", "install", "--no-index", wheel)
        self.root.run("stackx", "advise", "--hw", "v100", "--workload", "matmul")
        took = time.monotonic() - before
        print(f"{self.suite}: pip install and advise in {took:.1f} s", flush=True)
        self.assertLess(took, 30)
        self.check_answers()
        self.check_comforts("venv")
        self.check_inspect()
        said = self.root.run("/venv/bin/python", "-c", "import stackx; a = stackx.advise(hw='v100', workload='matmul'); print(a.line)")
        self.assertRegex(said, r"\ARun torch ")
        self.root.run("/venv/bin/pip", "uninstall", "--yes", "stackx")
        self.assertFalse((self.root.path / "venv/bin/stackx").exists())
        self.assertEqual([path for path in self.root.path.glob("venv/share/**/*stackx*") if not path.is_dir()], [])
        self.assertEqual([path for path in self.root.path.glob("venv/share/stackx/**/*") if not path.is_dir()], [])

    def test_deb(self):
        (deb,) = self.root.bring(package("*.deb"))
        self.root.run("dpkg", "-i", deb)  # needs what every Debian has
        self.root.run("dpkg", "--verify", "stackx")
        self.check_answers()
        self.check_comforts("usr", zsh="vendor-completions")
        self.check_inspect()
        self.root.run("dpkg", "--purge", "stackx")
        left = self.root.run("sh", "-c", "find /usr /etc -name '*stackx*'")
        self.assertEqual(left, "")

    def test_archive(self):
        folder = self.root.path / "opt"
        unpacked = unpack(package("*.tar.zst"), folder)
        program = f"/opt/{unpacked.name}/bin/stackx"
        self.assertRegex(self.root.run(program, "advise", "--hw", "v100", "--workload", "matmul"), r"\ARun torch ")
        pi = json.loads(self.root.run(f"/opt/{unpacked.name}/bin/stackx-pi", "hello_world"))
        self.assertTrue(pi["samples_ns"])


class Bullseye(Suite, unittest.TestCase):
    suite = "bullseye"  # glibc 2.31


class Bookworm(Suite, unittest.TestCase):
    suite = "bookworm"


class Trixie(Suite, unittest.TestCase):
    suite = "trixie"


class Packages(unittest.TestCase):
    def judged_by(self, *words):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout + done.stderr

    def tool(self, name):
        return ROOT / ".venv/bin" / name

    def test_wheel_is_what_it_says(self):
        wheel = package("*.whl")
        said = re.sub(r"\s+", " ", self.judged_by(self.tool("auditwheel"), "show", wheel))
        self.assertIn('consistent with the following platform tag: "manylinux_2_17_x86_64"', said)
        self.assertIn("manylinux_2_17_x86_64.manylinux2014_x86_64", wheel.name)
        self.judged_by(self.tool("twine"), "check", "--strict", wheel)
        self.judged_by(self.tool("check-wheel-contents"), wheel)
        self.assertLess(wheel.stat().st_size, 25e6)

    def test_deb_is_one_that_debian_accepts(self):
        said = self.judged_by("lintian", "--fail-on", "error", package("*.deb"))
        self.assertNotRegex(said, "(?m)^E:")
        depends = self.judged_by("dpkg-deb", "-f", package("*.deb"), "Depends").strip()
        self.assertEqual(depends, "libc6 (>= 2.17)")

    def test_programs_want_no_more_than_glibc_2_17(self):
        with tempfile.TemporaryDirectory() as scratch:
            self.judged_by(ROOT / "packaging/check-symbols", unpack(package("*.tar.zst"), scratch) / "bin")

    def test_sums(self):
        done = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=dist(), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_the_same_bytes_in_another_folder(self):
        """Libraries are those that are there; everything of stackx is compiled again, without ccache."""
        if os.environ.get("STACKX_THOROUGH") != "1":
            self.skipTest("takes ten minutes: ./run test --thorough")
        with tempfile.TemporaryDirectory(prefix="stackx-again-") as scratch:
            again = pathlib.Path(scratch, "elsewhere", "stackx")
            subprocess.run(["git", "clone", "--quiet", ROOT, again], check=True)
            (again / "build-package").mkdir()
            (again / "build-package/portable").symlink_to(ROOT / "build-package/portable")
            subprocess.run([again / "packaging/package"], check=True, timeout=3600,
                           env={**os.environ, "STACKX_PYTHON": str(ROOT / ".venv/bin/python"), "CCACHE_DISABLE": "1"})
            self.assertEqual((again / "dist/SHA256SUMS").read_text(), (dist() / "SHA256SUMS").read_text())

    def test_image_is_an_oci_image_that_runs_stackx(self):
        with tarfile.open(package("*.oci.tar")) as image:
            read = lambda name: json.load(image.extractfile("./" + name))
            blob = lambda digest: read("blobs/" + digest.replace(":", "/"))
            (manifest,) = read("index.json")["manifests"]
            config = blob(blob(manifest["digest"])["config"]["digest"])
        self.assertEqual(config["config"]["Entrypoint"], ["/usr/bin/stackx"])
        self.assertEqual(config["config"]["Labels"]["org.opencontainers.image.licenses"], "Apache-2.0")

    def test_image_runs(self):
        """podman run stackx advise …, by the engine and with the limits that stackx finds to work here."""
        engine = this_machine()["container_engine"]
        if engine.get("kind") != "podman":
            self.skipTest("no podman that works here: " + engine.get("none", engine.get("kind", "")))
        podman = [engine["program"], *engine["options"]]
        loaded = self.judged_by(*podman, "load", "--quiet", "-i", package("*.oci.tar"))
        name = re.search(r"(?m)^Loaded image(?:\(s\))?: (\S+)$", loaded)[1]
        self.addCleanup(subprocess.run, [*podman, "rmi", name], capture_output=True)
        self.assertRegex(name, r"^localhost/stackx:\d")
        runtime = ["--runtime", engine["runtime"]] if engine["runtime"] else []
        run = [*podman, *runtime, "run", "--rm", "--network", "none", *engine["limits"], name]
        self.assertRegex(self.judged_by(*run, "advise", "--hw", "v100", "--workload", "matmul"), r"\ARun torch ")


if __name__ == "__main__":
    unittest.main()
