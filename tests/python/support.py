"""What the tests of the Python package share: the package from the source tree, and stand-ins for the program."""

import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGE = ROOT / "python"
OLDEST = (3, 9)
sys.path[:0] = [str(ROOT / "tests" / "cli"), str(PACKAGE)]


def stand_in(path, script):
    """A program that is a shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)
    return path


def pythons():
    """{version: path} of the Pythons of this machine that the package is for, the one that runs this among them."""
    homes = [pathlib.Path.home() / ".pyenv/versions", pathlib.Path.home() / ".local/share/uv/python"]
    paths = [shutil.which(f"python3.{minor}") for minor in range(OLDEST[1], 20)] + ["/usr/bin/python3"]
    paths += [str(path) for home in homes for path in sorted(home.glob("*/bin/python3"))]
    found = {sys.version_info[:2]: sys.executable}
    for path in paths:
        version = path and version_of(path)
        if version and version >= OLDEST:
            found.setdefault(version, path)
    return dict(sorted(found.items()))


def version_of(python):
    """(3, 11), or None if it does not answer."""
    ask = [python, "-S", "-c", "import sys; print(*sys.version_info[:2])"]
    try:
        done = subprocess.run(ask, capture_output=True, text=True, timeout=240)
        return tuple(map(int, done.stdout.split())) if done.returncode == 0 else None
    except OSError:
        return None
