"""Builds that offend: each ends as an outcome of its own, with a reason and the end of the log, leaves nothing half-built,
and, once its cause is gone, is built."""

import functools
import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from harness import STACKX
from python_stack import PythonStack, sdist, wheel


@functools.cache
def shared_cache():
    """One for all that need no empty one: what builds source archives is installed once."""
    shared = tempfile.TemporaryDirectory(prefix="stackx-test-")
    unittest.addModuleCleanup(shared.cleanup)
    return pathlib.Path(shared.name)


class Builds(PythonStack):
    def share_cache(self):
        self.shared = shared_cache()
        self.environment["XDG_CACHE_HOME"] = str(self.shared)
        self.cache = self.shared / "stackx"


class OffendingBuilds(Builds):
    def setUp(self):
        super().setUp()
        self.share_cache()

    def refused(self, project, outcome, *reason, log=""):
        """The stored result of a stack that cannot be built."""
        self.inspect(project, exit_code=None)
        document = self.documents()[-1]
        self.assertEqual(document["outcome"], outcome, document["reason"])
        for part in reason:
            self.assertIn(part, document["reason"])
        self.assertIn(log, document.get("stderr_tail", ""))
        self.assertEqual(document["samples_ns"], [])
        self.assertEqual(self.half_built(), [])
        return document

    def built(self, project):
        self.inspect(project)
        document = self.documents()[-1]
        self.assertEqual(document["outcome"], "ok", document)
        self.assertEqual(self.half_built(), [])
        return document

    def test_a_missing_compiler(self):
        self.needs_build_tools()
        extension = "keywords['ext_modules'] = [setuptools.Extension('victim.core', ['core.c'])]"
        files = {"core.c": "int main(void) { return 0; }\n"}
        missing = sdist(f"import os\nos.environ['CC'] = 'no-such-compiler'\n{extension}", files=files)
        document = self.refused(self.stack(self.index.add(missing)), "build_failed", "victim 1.0: pip could not build victim-1.0.tar.gz",
                                log="no-such-compiler")
        self.assertLessEqual(len(document["stderr_tail"].encode()), 4096)
        # Mended upstream: another file, another hash.
        document = self.built(self.stack(self.index.add(sdist(""))))
        self.assertIn("/environments/", document["parameters"]["where"])

    def test_a_build_that_fails_is_not_taken_for_built(self):
        self.needs_build_tools()
        artifact = self.index.add(sdist("", files={"pyproject.toml": '[build-system]\nrequires = ["setuptools", "helper"]\n'}))
        project = self.stack(artifact)
        self.refused(project, "build_failed", "what its build requires is not to be had as wheels", log="helper")
        self.refused(project, "build_failed", "what its build requires", log="helper")  # tried again, not remembered as done
        self.index.add(wheel("helper"))
        self.built(project)

    def test_another_hash_than_the_catalog_names(self):
        artifact = self.index.add(wheel())
        wrong = dict(artifact, sha256=hashlib.sha256(b"something else").hexdigest())
        self.refused(self.stack(wrong), "hash_mismatch", "hash mismatch", wrong["sha256"], artifact["sha256"])
        self.built(self.stack(artifact))

    def test_a_source_archive_of_another_hash(self):
        self.needs_build_tools()
        artifact = self.index.add(sdist("open('/tmp/ran', 'w')"))
        wrong = dict(artifact, sha256=hashlib.sha256(b"something else").hexdigest())
        document = self.refused(self.stack(wrong), "hash_mismatch", "victim-1.0.tar.gz")
        self.assertIn(wrong["sha256"], document["reason"] + document["stderr_tail"])
        self.built(self.stack(artifact))

    def test_a_wheel_with_entries_outside_of_itself(self):
        evil = wheel(files={"../../../../escaped-up": "x", str(self.scratch / "escaped-absolute"): "x", "victim/fine.py": ""})
        project = self.stack(self.index.add(evil))
        for _ in range(2):  # uv's cache must not make it pass the second time
            self.refused(project, "build_failed", "outside of its environment", "escaped-")
        for place in (self.scratch, self.shared, self.shared.parent):
            self.assertEqual([path for path in (place.iterdir() if place == self.shared.parent else place.rglob("*"))
                              if path.name.startswith("escaped")], [])
        self.built(self.stack(self.index.add(wheel())))

    def test_a_package_for_other_platforms_only(self):
        self.refused(self.stack(self.index.add(wheel(tags="cp311-cp311-win_amd64"))), "unsupported", "none of its files is for CPython")
        self.assertFalse([path for path in self.index.asked if "files" in path])
        self.built(self.stack(self.index.add(wheel(tags="cp311-cp311-win_amd64")), self.index.add(wheel())))

    def test_a_build_that_never_ends(self):
        self.needs_build_tools()
        self.built(self.stack(self.index.add(sdist("", version="0.9")), version="0.9"))  # now the tools are there
        marker = f"victim-never-{os.getpid()}"
        endless = sdist(f"import subprocess, sys, time\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)', '{marker}'])\n"
                        "time.sleep(600)")
        before = time.monotonic()
        self.refused(self.stack(self.index.add(endless), limits={"build_seconds": 3}), "build_timed_out", "3 s")
        self.assertLess(time.monotonic() - before, 120)
        self.assertFalse(self.processes(marker))
        self.built(self.stack(self.index.add(sdist("")), limits={"build_seconds": 120}))

    def processes(self, marker):
        found = []
        for entry in os.listdir("/proc"):
            try:
                with open(f"/proc/{entry}/cmdline", "rb") as file:
                    if marker.encode() in file.read():
                        found.append(entry)
            except OSError:
                continue
        return found

    def test_a_full_disk(self):
        """On a small tmpfs, which is then made larger."""
        namespace = ["unshare", "--user", "--map-root-user", "--mount"]
        place = self.scratch / "small"
        place.mkdir()
        if not shutil.which("unshare") or subprocess.run([*namespace, "mount", "-t", "tmpfs", "none", place], capture_output=True).returncode:
            self.skipTest("this machine lets nobody mount a tmpfs in a user namespace of his own")
        project = self.stack(self.index.add(wheel(files={"victim/data.bin": os.urandom(6 << 20)})))
        self.environment["XDG_CACHE_HOME"] = str(place)
        script = ('mount -t tmpfs -o size=4m none "$1" || exit 99; "$2" inspect "$3" --pi "$4"; test $? -le 1 || exit 98; '
                  'find "$1" -name "*.partial-*" | grep . && exit 97; '
                  'mount -o remount,size=200m "$1" || exit 96; exec "$2" inspect "$3" --pi "$4"')
        done = subprocess.run([*namespace, "sh", "-c", script, "sh", place, STACKX, project, self.pi], env=self.environment,
                              capture_output=True, text=True, timeout=900)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        full, fine = self.documents()
        self.assertEqual(full["outcome"], "disk_full", full)
        self.assertRegex(full["reason"], "no space left|No space left|could not install")
        self.assertEqual(fine["outcome"], "ok", fine)

    def test_a_damaged_tree_is_made_again(self):
        project = self.stack(self.index.add(wheel()))
        self.built(project)
        tree = pathlib.Path(self.documents()[-1]["parameters"]["where"]).parents[1]
        (tree / "victim" / "__init__.py").unlink()  # damaged: made again
        self.built(project)
        self.assertTrue((tree / "victim" / "__init__.py").exists())


class Together(Builds):
    def test_two_campaigns_on_one_empty_cache(self):
        self.needs_build_tools()
        project = self.stack(self.index.add(sdist("import time\ntime.sleep(1)")))
        runs = [self.start(project, self.scratch / f"{i}.db") for i in range(2)]
        said = ""
        for run in runs:
            out, err = run.communicate(timeout=900)
            self.assertEqual(run.returncode, 0, out + err)
            said += err
        for what in ("building victim 1.0", "installing pip "):
            self.assertEqual(said.count(what), 1, said)
        self.assertEqual(self.half_built(), [])
        for i in range(2):
            self.db = self.scratch / f"{i}.db"
            self.environment["STACKX_DB"] = str(self.db)
            document, = self.documents()
            self.assertEqual(document["outcome"], "ok", document)

    def test_killed_in_the_middle_of_a_build(self):
        self.share_cache()
        self.needs_build_tools()
        project = self.stack(self.index.add(sdist("")))
        self.index.gated.add("victim-1.0.tar.gz")
        run = self.start(project, self.db)
        reached = self.index.at_gate.wait(120)
        os.kill(run.pid, signal.SIGKILL)
        _, err = run.communicate()
        self.assertTrue(reached, err)
        self.assertFalse([path for path in (self.cache / "wheels").iterdir() if path.is_dir() and path.name.startswith(
            hashlib.sha256(self.index.files["victim-1.0.tar.gz"]).hexdigest()) and ".partial-" not in path.name])
        self.index.gate.set()
        self.inspect(project)
        self.assertEqual([document["outcome"] for document in self.documents()], ["ok"])
        self.assertEqual(self.half_built(), [])

    def test_waiting_says_so_and_then_uses_what_the_other_built(self):
        self.share_cache()
        self.needs_build_tools()
        project = self.stack(self.index.add(sdist("")))
        self.index.gated.add("victim-1.0.tar.gz")
        first = self.start(project, self.scratch / "1.db")
        self.addCleanup(first.kill)
        self.assertTrue(self.index.at_gate.wait(120))
        second = self.start(project, self.scratch / "2.db")
        self.addCleanup(second.kill)
        said = ""
        for line in second.stderr:  # until it waits, or ends because the gate stays shut
            said += line
            if "waiting for another stackx" in line:
                break
        self.assertIn("waiting for another stackx", said)
        self.index.gate.set()
        for run in (first, second):
            out, err = run.communicate(timeout=600)
            self.assertEqual(run.returncode, 0, out + err)
            said += err
        self.assertEqual(said.count("building victim 1.0"), 1, said)
