"""What --version says, and where the build gets the commit from."""

import os
import shutil
import subprocess
import unittest

from harness import ROOT, STACKX, BlackBox

GIT = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null", GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@example.org",
           GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@example.org")


class Version(BlackBox):
    def test_one_line(self):
        said = self.stackx("--version").stdout
        self.assertRegex(said, r"\Astackx \d+\.\d+\.\d+ \((commit [\w.+-]+, )?facts as of 20\d\d-\d\d-\d\d\)\n\Z")
        version = said.split()[1]
        self.assertIn(f"project(stackx VERSION {version} ", (ROOT / "CMakeLists.txt").read_text())
        self.assertIn(f'VERSION = "{version}"', (ROOT / "kernels/python/stackx_pi/__init__.py").read_text())

    def test_as_a_document(self):
        document = self.json("--version")
        self.assertEqual(set(document), {"stackx", "commit", "facts_as_of"})
        said = self.stackx("--version").stdout
        self.assertTrue(said.startswith(f"stackx {document['stackx']} ("))
        self.assertIn(f"facts as of {document['facts_as_of']}", said)
        self.assertEqual(self.stackx("--json", "--version").stdout, self.stackx("--version", "--json").stdout)

    def test_without_data_and_home(self):
        alone = self.scratch / "alone"
        alone.mkdir()
        shutil.copy(STACKX, alone / "stackx")
        done = subprocess.run([alone / "stackx", "--version"], capture_output=True, text=True, env={}, cwd=alone)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\Astackx \d+\.\d+\.\d+( \(commit [\w.+-]+\))?\n\Z")

    def test_no_network_library_is_loaded_for_it(self):
        # libcurl and its 26 libraries were half of what a start took. Static ones are not loaded by anybody.
        done = subprocess.run([STACKX, "--version"], capture_output=True, text=True, env=dict(os.environ, LD_DEBUG="files"))
        loaded = [line for line in done.stderr.splitlines() if "calling init" in line]
        self.assertIn("libc.so", " ".join(loaded))
        self.assertNotIn("libcurl", " ".join(loaded))

    def test_facts_that_are_none(self):
        for content in (b"", b"\0" * 5000, b'"as_of": "2026', b'"as_of": "9999-99-9x"', b'{"as_of": 5}'):
            data = self.scratch / "data-directory" / "generated"
            data.mkdir(parents=True, exist_ok=True)
            (data / "x.json").write_bytes(content)
            (data / "directory.json").mkdir(exist_ok=True)
            self.environment["STACKX_DATA"] = str(data.parent)
            self.assertNotIn("facts", self.stackx("--version").stdout)


@unittest.skipUnless(shutil.which("cmake") and shutil.which("git"), "no cmake, no git")
class Commit(BlackBox):
    def git(self, *words, where=None):
        done = subprocess.run(["git", "-C", where or self.source, *words], capture_output=True, text=True, env=GIT, check=True)
        return done.stdout.strip()

    def written(self, source, *options, environment=None, exit_code=0):
        """(the commit in the file, whether the file was written)."""
        file = self.scratch / "build_commit.cpp"
        before = file.stat().st_mtime_ns if file.exists() else None
        done = subprocess.run(["cmake", f"-DSOURCE={source}", f"-DFILE={file}", *options, "-P", ROOT / "cli" / "build_commit.cmake"],
                              capture_output=True, text=True, env=environment or GIT)
        self.assertEqual(done.returncode, exit_code, done.stderr)
        if exit_code:
            return done.stderr
        self.assertEqual(done.stderr, "")
        return file.read_text().split('"')[1], file.stat().st_mtime_ns != before

    def setUp(self):
        super().setUp()
        self.source = self.scratch / "source"
        self.source.mkdir()
        self.git("init", "-q")
        (self.source / "a").write_text("1")
        self.git("add", "a")
        self.git("commit", "-qm", "a")
        self.commit = self.git("rev-parse", "HEAD")[:7]

    def test_of_a_checkout(self):
        self.assertEqual(self.written(self.source), (self.commit, True))
        self.assertEqual(self.written(self.source), (self.commit, False))  # so that nothing is compiled and linked
        (self.source / "untracked").write_text("")
        self.assertEqual(self.written(self.source)[0], self.commit)
        (self.source / "a").write_text("2")
        self.assertEqual(self.written(self.source), (self.commit + "+changes", True))

    def test_of_a_worktree(self):
        self.git("worktree", "add", "-q", self.scratch / "tree")
        self.assertEqual(self.written(self.scratch / "tree")[0], self.commit)

    def test_of_an_archive(self):
        """Also one that is unpacked in the checkout of another project, and where git refuses or is not there."""
        unpacked = self.source / "stackx-1.0"
        unpacked.mkdir()
        self.assertEqual(self.written(unpacked)[0], "")
        (unpacked / ".git").write_text("gitdir: /no/such/place")
        self.assertEqual(self.written(unpacked)[0], "")
        self.assertEqual(self.written(self.source, "-DGIT=/bin/false")[0], "")

    def test_given(self):
        self.assertEqual(self.written(self.source, "-DCOMMIT=v1.2-3"), ("v1.2-3", True))
        self.assertIn("expected a commit", self.written(self.source, '-DCOMMIT=x"; int y; "', exit_code=1))
