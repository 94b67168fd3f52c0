"""Debian suites as they come, with Python and pip and nothing else, to install packages in."""

import fcntl
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

from harness import KEPT

INCLUDE = "python3,python3-venv,python3-pip,ca-certificates"
# Mounts of its own, and processes that end with the first: nothing of it is left on the machine.
ENTER = """
set -e
mount --bind "$1" "$1"
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
mount --rbind /sys "$1/sys"
for file in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
  [ -f "$file" ] || continue
  [ -e "$1$file" ] || touch "$1$file"
  mount --bind "$file" "$1$file"
done
root=$1; shift
exec chroot "$root" "$@"
"""
# How this machine reaches its package index.
INDEX = ("PIP_INDEX_URL", "PIP_CERT", "PIP_TRUSTED_HOST", "PIP_DEFAULT_TIMEOUT", "SSL_CERT_FILE", "HTTPS_PROXY", "https_proxy")


def archive_of(suite):
    """The suite as a tar archive, made once by mmdebstrap and kept."""
    if os.geteuid() != 0:
        raise unittest.SkipTest("entering another root needs root")
    if shutil.which("mmdebstrap") is None:
        raise unittest.SkipTest("mmdebstrap is not installed; ./run package installs it")
    folder = KEPT / "roots"
    folder.mkdir(parents=True, exist_ok=True)
    archive = folder / f"{suite}.tar"
    with open(folder / f"{suite}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not archive.exists():
            done = subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", f"--include={INCLUDE}", suite, f"{archive}.new"],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                raise unittest.SkipTest(f"no root of {suite}: {done.stderr[-400:]}")
            os.rename(f"{archive}.new", archive)
    return archive


class FreshRoot:
    def __init__(self, suite):
        self.scratch = tempfile.TemporaryDirectory(prefix="stackx-root-")
        self.path = pathlib.Path(self.scratch.name, suite)
        self.path.mkdir()
        subprocess.run(["tar", "-C", self.path, "-xf", archive_of(suite)], check=True)

    def bring(self, *files):
        """Puts files into the root's /brought; where each is there."""
        (self.path / "brought").mkdir(exist_ok=True)
        return ["/brought/" + pathlib.Path(shutil.copy(file, self.path / "brought")).name for file in files]

    def run(self, *words, exit_code=0, timeout=900, **environment):
        index = {name: os.environ[name] for name in INDEX if name in os.environ}
        usual = {"PATH": "/venv/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8", "COLUMNS": "80"}
        done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "enter", self.path, *words],
                              capture_output=True, text=True, timeout=timeout, env={**usual, **index, **environment})
        if done.returncode != exit_code:
            raise AssertionError(f"{words} in {self.path.name} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def close(self):
        self.scratch.cleanup()
