"""Streams that cannot be written: what is lost on stdout is said and ends with 3, what is lost on stderr changes nothing."""

import os
import pty
import signal
import subprocess
import unittest

import attack  # noqa: F401  pylint: disable=unused-import  # first: it says where the others are
from harness import EXAMPLE, STACKX, BlackBox

# One of each way that stdout is written, all of them shorter than a buffer.
COMMANDS = (["--version"], ["--help"], ["hw", "show", "v100"], ["hw", "show", "v100", "--json"], ["resolve", str(EXAMPLE), "--count"],
            ["resolve", str(EXAMPLE), "--list", "1"], ["catalog", "show", "images"], ["workload", "show", "matmul"], ["query", "--views"])


class LostOutput(BlackBox):
    def run_on(self, words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options):
        return subprocess.run([STACKX, *words], stdout=stdout, stderr=stderr, text=True, env=self.environment, timeout=900, **options)

    def setUp(self):
        super().setUp()
        self.begin_with_what_is_published()

    def test_a_full_stdout_is_said_once(self):
        for words in COMMANDS:
            with self.subTest(words=words), open("/dev/full", "w") as full:
                good = self.run_on(words)
                done = self.run_on(words, stdout=full)
                self.assertEqual(good.returncode, 0, good.stderr)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertEqual(done.stderr, good.stderr + "stackx: stdout cannot be written: No space left on device; what was to "
                                                            "stand there is lost\n")

    def test_documents_to_a_full_stdout(self):
        self.fake_catalog({"right": ("9.9.1", self.fake_blas())})
        self.stackx("inspect", self.project(), "--rounds", "1")
        with open("/dev/full", "w") as full:
            done = self.run_on(["export"], stdout=full)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr.count("stdout cannot be written"), 1, done.stderr)

    def test_a_closed_stdout_is_lost_and_no_file_gets_its_number(self):
        done = self.run_on(["resolve", str(EXAMPLE), "--count"], stdout=None, preexec_fn=lambda: os.close(1))
        self.assertEqual(done.returncode, 3)
        self.assertIn("stdout cannot be written: Bad file descriptor", done.stderr)
        self.assertEqual(self.run_on(["db", "check"]).returncode, 0)

    def test_a_reader_that_has_enough_ends_it_without_a_word(self):
        for words in (["resolve", str(EXAMPLE), "--list", "100000"], ["workload", "list"], ["hw", "show", "v100"]):
            with self.subTest(words=words):
                read, write = os.pipe()
                os.close(read)
                done = self.run_on(words, stdout=write)
                os.close(write)
                self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, ""))

    def lost_stderrs(self):
        full = os.open("/dev/full", os.O_WRONLY)
        read, pipe = os.pipe()
        os.close(read)
        master, terminal = pty.openpty()
        os.close(master)  # the terminal is gone
        for name, descriptor in (("full", full), ("pipe", pipe), ("terminal", terminal)):
            yield name, {"stderr": descriptor}
            os.close(descriptor)
        yield "closed", {"stderr": None, "preexec_fn": lambda: os.close(2)}

    def test_a_lost_stderr_changes_neither_exit_code_nor_answer(self):
        for words in (["resolve", str(self.scratch / "absent.json")], ["no-such-command"], ["resolve", str(EXAMPLE), "--cover", "1", "--json"]):
            good = self.run_on(words)
            self.assertTrue(good.stderr)
            for name, lost in self.lost_stderrs():
                with self.subTest(words=words, stderr=name):
                    done = self.run_on(words, **lost)
                    self.assertEqual((done.returncode, done.stdout), (good.returncode, good.stdout))

    def test_a_campaign_whose_stderr_is_lost_runs_to_its_end(self):
        self.fake_catalog({"right": ("9.9.1", self.fake_blas())})
        for name, lost in self.lost_stderrs():
            with self.subTest(stderr=name):
                done = self.run_on(["inspect", str(self.project()), "--rounds", "4"], **lost)
                self.assertEqual(done.returncode, 0)
                self.assertIn("4 of 4 inspections done (complete), 4 ok", done.stdout)


if __name__ == "__main__":
    unittest.main()
