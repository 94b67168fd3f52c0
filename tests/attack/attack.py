"""Attacks on stackx, from what it runs and reads: as root and as a user, under bubblewrap, in containers and with neither.

What each of the three promises stands in docs/security.md; these tests hold it to that."""

import atexit
import functools
import json
import os
import pathlib
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

from harness import STACKX, BlackBox  # noqa: E402  pylint: disable=wrong-import-position

HERE = pathlib.Path(__file__).resolve().parent
USER = 61723  # who is nobody else here
SECRETS = {"AWS_SECRET_ACCESS_KEY": "AKIAsecret-of-the-cloud", "GITLAB_TOKEN": "glpat-secret-of-the-forge",
           "PIP_INDEX_URL": "http://somebody:pass-of-the-index@127.0.0.1:9/simple",
           "https_proxy": "http://somebody:pass-of-the-proxy@127.0.0.1:9"}
WORDS = ["AKIAsecret-of-the-cloud", "glpat-secret-of-the-forge", "pass-of-the-index", "pass-of-the-proxy"]


def accessible_to_all(path):
    return all(os.stat(parent).st_mode & stat.S_IXOTH for parent in [path, *pathlib.Path(path).parents])


def sandboxes():
    """bubblewrap, and what is left without it."""
    return ([True] if shutil.which("bwrap") else []) + [False]


@functools.cache
def programs_without(*missing):
    """A directory of this process, which all may read, with every program of the system but these."""
    place = tempfile.TemporaryDirectory(prefix="stackx-test-programs-")
    atexit.register(place.cleanup)
    os.chmod(place.name, 0o755)
    for directory in ("/usr/bin", "/bin"):
        for name in os.listdir(directory):
            if name not in missing and not os.path.lexists(f"{place.name}/{name}"):
                os.symlink(f"{directory}/{name}", f"{place.name}/{name}")
    return place.name


class Listener:
    """A server on this machine, which nobody in a sandbox may reach: how many came?"""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.came = 0
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                self.socket.accept()[0].close()
            except OSError:
                return
            self.came += 1


class Attack(BlackBox):
    runner = "local"

    def setUp(self):
        super().setUp()
        self.scratch.chmod(0o755)
        self.home = self.scratch / "home"
        (self.home / ".ssh").mkdir(parents=True)
        (self.home / ".ssh" / "id").write_text("a private key")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(str(self.scratch / "socket"))
        self.addCleanup(self.socket.close)
        self.listener = Listener()
        self.addCleanup(self.listener.socket.close)
        self.environment.update(SECRETS, HOME=str(self.home))
        self.prefix = []

    def become(self, root):
        """The rest as this user: root, or nobody in particular. Skips where that cannot be."""
        if root and os.geteuid() != 0:
            self.skipTest("these tests do not run as root")
        if not root and os.geteuid() == 0:
            if not shutil.which("setpriv") or not accessible_to_all(STACKX):
                self.skipTest("another user cannot get at the binary here")
            self.prefix = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
            for directory, _, files in os.walk(self.scratch):
                for name in [".", *files]:
                    os.chown(os.path.join(directory, name), USER, USER, follow_symlinks=False)

    def without_bubblewrap(self):
        """A PATH on which everything is but bwrap and engines."""
        self.environment["PATH"] = programs_without("bwrap", "podman", "docker")

    def run_stackx(self, *arguments, exit_code=None, timeout=900):
        done = subprocess.run([*self.prefix, STACKX, *map(str, arguments)], capture_output=True, text=True, env=self.environment,
                              timeout=timeout, cwd=self.scratch)
        allowed = (0, 1) if exit_code is None else (exit_code,)
        self.assertIn(done.returncode, allowed, f"{arguments}\nstdout: {done.stdout}\nstderr: {done.stderr}")
        return done

    def documents(self):
        lines = [json.loads(line) for line in self.run_stackx("export", exit_code=0).stdout.splitlines()]
        return sorted((one for one in lines if one["$schema"] == "stackx/inspection/1"), key=lambda one: one["finished"])

    def attack(self, name, memory_gib=0.5, seconds=120, **params):
        """What evil_pi.py found, and the document of its inspection."""
        pi = self.scratch / "evil_pi.py"
        shutil.copy(HERE / "evil_pi.py", pi)
        pi.chmod(0o755)
        project = self.project(requires=self.victim(), workload={"pi": name, "params": params},
                               campaign={"sampler": {"kind": "all"}, "rounds": 1, "runner": self.runner,
                                         "limits": {"seconds": seconds, "memory_gib": memory_gib}})
        self.give_away()
        self.run_stackx("inspect", project, "--pi", pi)
        document = self.documents()[-1]
        said = [line for line in document.get("stderr_tail", "").splitlines() if line.startswith("{")]
        return (json.loads(said[-1]) if said else {}), document

    def victim(self):
        """Writes a catalog of one stack; what a project requires of it."""
        self.fake_catalog({"victim": ("9.9.1", self.fake_blas())})
        return {"blas": "*"}

    def give_away(self):
        if self.prefix:
            for directory, _, files in os.walk(self.scratch):
                for name in [".", *files]:
                    os.chown(os.path.join(directory, name), USER, USER, follow_symlinks=False)

    def everything_kept(self):
        """All bytes of store, spool and cache in which a secret might stand."""
        text = ""
        for place in (self.db.parent, self.scratch / "cache", self.scratch / "share"):
            for file in place.rglob("*"):
                if file.is_file() and not file.is_symlink():
                    text += file.read_bytes().decode("latin1")
        return text + (self.run_stackx("export", exit_code=0).stdout if self.db.exists() else "")


def refused(result):
    return isinstance(result, str) and result.startswith("refused")


def main():
    unittest.main()
