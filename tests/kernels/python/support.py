"""What the tests of the Python PIs share. Tests run under Python 3.9 or newer; the PIs themselves under 2.7 too."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
KERNELS = ROOT / "kernels" / "python"
FAKES = pathlib.Path(__file__).resolve().parent / "fakes"
BOOTSTRAP, PI = KERNELS / "bootstrap.py", KERNELS / "pi.py"
sys.path.insert(0, str(KERNELS))

try:
    import numpy
except ImportError:
    numpy = None

QUICK = ["repetitions=3", "min_sample_ms=0.1", "warmup_ms=0"]
needs_numpy = unittest.skipIf(numpy is None, "NumPy is not installed for " + sys.executable)


def spacing(exact, dtype):
    """The distance of the type's neighbours around an exact number, by NumPy's own: of what the number begins with, cut off."""
    own, exact = "float32" if dtype == "bfloat16" else dtype, numpy.abs(exact)
    cut = exact.astype(own)
    cut = numpy.where(cut > exact, numpy.nextafter(cut, numpy.zeros_like(cut)), cut)
    return numpy.spacing(cut).astype(float) * (65536 if dtype == "bfloat16" else 1)


def tensor_ulps(found, exact):
    """The worst of pairs of tensors, by hand."""
    return max(float(abs(one - right).max() / spacing(abs(right).max(), "float32")) for one, right in zip(found, exact))


def environment(**changes):
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "STACKX_SITE_DIR", "PYTHONSAFEPATH")}
    kept["PYTHONDONTWRITEBYTECODE"] = "1"
    kept.update(changes)
    return kept


def run(*command, **changes):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=240,
                          env=environment(**changes))


def interpreters():
    """Every CPython found: on the PATH and where pyenv keeps them."""
    found = {}
    places = [pathlib.Path(p) for p in os.environ.get("PATH", "").split(os.pathsep) if p]
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")) / "versions"
    if pyenv.is_dir():
        places += [version / "bin" for version in sorted(pyenv.iterdir())]
    names = ["python2.7"] + ["python3.%d" % minor for minor in range(6, 20)]
    for place in places:
        for name in names:
            program = place / name
            if not program.is_file() or "shims" in place.parts:
                continue
            done = run(program, "-c", "import sys; print(sys.version.split()[0])")
            if done.returncode == 0:
                found.setdefault(done.stdout.strip(), str(program))
    found.setdefault(sys.version.split()[0], sys.executable)
    return found


class PiTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.mkdtemp(prefix="stackx-test-")
        self.addCleanup(shutil.rmtree, scratch, True)
        self.scratch = pathlib.Path(scratch)

    def write(self, name, text):
        path = self.scratch / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def pi(self, *words, exit_code=0, before=(), **changes):
        """Runs a PI with this interpreter's own packages; returns the document, or what was on stderr."""
        done = run(sys.executable, *before, PI, *words, **changes)
        self.assertEqual(done.returncode, exit_code, done.stderr + done.stdout)
        if exit_code:
            self.assertEqual(done.stdout, "")
            return done.stderr
        self.assertEqual(done.stdout.count("\n"), 1, done.stdout)
        return json.loads(done.stdout)
