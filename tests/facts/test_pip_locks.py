"""What pip and uv lock runs on hardware that it was made for: real locks, put to `stackx check`.

A package index is asked for metadata once; the locks are kept. Wheels are not downloaded: uv never does it to resolve, pip
not with --dry-run since 23.3 (fast-deps: where an index does not offer metadata of its own, a wheel's end is read).
"""

import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

from harness import KEPT, STACKX, BlackBox  # noqa: E402

PLACE = KEPT / "pip-locks"
PIP = "pip>=25"  # that of the Python which runs the tests may be older
TENSORFLOW, JAX = "tensorflow[and-cuda]", "jax[cuda12]"

# name -> (tool, requirements, date up to which releases count, GPUs that it runs on)
LOCKS = {
    "torch-2.0": ("uv", ["torch"], "2023-06-01", ["v100", "a100"]),
    "torch-2.4": ("uv", ["torch", "torchvision"], "2024-09-01", ["v100", "a100", "h100"]),
    "torch-2.8": ("pip", ["torch==2.8.0", "torchvision"], None, ["v100", "a100", "h100"]),
    "torch-2.11": ("uv", ["torch", "torchvision"], "2026-04-15", ["a100", "h100"]),
    "tensorflow-2.15": ("uv", [TENSORFLOW], "2024-02-01", ["v100", "a100", "h100"]),
    "tensorflow-2.20": ("pip", [TENSORFLOW + "==2.20.0"], None, ["a100", "h100"]),
    "jax-0.4.31": ("uv", [JAX], "2024-08-15", ["v100", "a100", "h100"]),
    "jax-0.7": ("uv", [JAX], "2025-08-15", ["a100", "h100"]),
    "torch-2.8-jax-0.6.2": ("pip", ["torch==2.8.0", JAX + "==0.6.2"], None, ["v100", "a100", "h100"]),
    "tensorflow-2.18-jax-0.4.35": ("uv", [TENSORFLOW + "==2.18.0", JAX + "==0.4.35"], "2025-06-01", ["v100", "a100", "h100"]),
}


not_made = {}  # tool -> why; it is not asked again


class NotMade(Exception):
    pass


def run(argv, stdin=None, **variables):
    done = subprocess.run([str(word) for word in argv], input=stdin, capture_output=True, text=True, timeout=900,
                          env=dict(os.environ, **variables))
    if done.returncode != 0:
        raise NotMade((done.stderr.strip() or "no word").splitlines()[-1].strip())
    return done.stdout


def uv():
    for place in (os.environ.get("STACKX_UV"), shutil.which("uv"), pathlib.Path(sys.executable).with_name("uv")):
        if place and pathlib.Path(place).exists():
            return place
    raise NotMade("no uv (STACKX_UV, PATH)")


def by_uv(requirements, date):
    """Requirements with comments that say what asked for them, as `uv pip compile` writes them."""
    return run([uv(), "pip", "compile", "--quiet", "--no-header", "--python-version", "3.11", "--python-platform", "x86_64-manylinux_2_28",
                "--only-binary", ":all:", *(["--exclude-newer", date] if date else []), "-"], "\n".join(requirements))


def by_pip(requirements, _):
    """What `pip freeze` would print, of a report of what pip would install."""
    pip = PLACE / "pip"
    if not (pip / "pip").is_dir():
        run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", pip, PIP])
    report = PLACE / f"report-{os.getpid()}.json"
    try:
        run([sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--use-feature=fast-deps",
             "--only-binary", ":all:", "--python-version", "3.11", "--implementation", "cp", "--platform", "manylinux2014_x86_64",
             "--platform", "manylinux_2_27_x86_64", "--platform", "manylinux_2_28_x86_64", "--target", PLACE / "never-written",
             "--report", report, *requirements], PYTHONPATH=str(pip))
        installed = [one["metadata"] for one in json.loads(report.read_text())["install"]]
        return "".join(sorted(f"{one['name']}=={one['version']}\n" for one in installed))
    finally:
        report.unlink(missing_ok=True)


def lock(name):
    """Made once, and kept."""
    tool, requirements, date, _ = LOCKS[name]
    PLACE.mkdir(parents=True, exist_ok=True)
    with open(PLACE / "lock", "w") as alone:
        fcntl.flock(alone, fcntl.LOCK_EX)
        file = PLACE / f"{name}.{tool}.txt"
        if not file.exists():
            if tool in not_made:
                raise not_made[tool]
            text = {"uv": by_uv, "pip": by_pip}[tool](requirements, date)
            file.with_suffix(".new").write_text(text)
            file.with_suffix(".new").rename(file)
        return file.read_text()


class Locks(BlackBox):
    def answer(self, text, hw, *options):
        done = subprocess.run([STACKX, "check", *map(str, options or ("-",)), "--python", "3.11", "--hw", hw, "--json"], input=text,
                              capture_output=True, text=True, env=self.environment, timeout=240)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)

    def hold(self, name):
        try:
            text = lock(name)
        except NotMade as reason:
            not_made[LOCKS[name][0]] = reason
            self.skipTest(f"no lock is kept, and none can be made: {reason}")
        pinned = [line for line in text.splitlines() if "==" in line.partition("#")[0]]
        for hw in LOCKS[name][3]:
            with self.subTest(lock=name, hw=hw):
                document = self.answer(text, hw)
                self.assertEqual(document["answer"], "yes", f"{document['text']}\n{text}")
                kept = {name: version for name, version in (line.split("==") for line in pinned) if "[" not in name}
                self.assertEqual({name: version for name, version in kept.items() if document["stack"].get(name, version) != version}, {})
        file = self.write("requirements.txt", text)
        document = self.answer(None, "h100", file)
        self.assertEqual({**document, "text": ""}, {**self.answer(text, "h100"), "text": ""}, "as a file, too")


for one in LOCKS:
    setattr(Locks, "test_" + one.replace("-", "_").replace(".", "_"), lambda self, name=one: self.hold(name))


if __name__ == "__main__":
    unittest.main()
