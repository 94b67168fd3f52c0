"""A home that cannot be written, as nodes of clusters have: what comes with stackx answers all the same; and what is typed amiss."""

import shutil
import subprocess
import unittest

from harness import ROOT, STACKX, BlackBox


@unittest.skipUnless(shutil.which("bwrap"), "no bubblewrap to make a file system read-only with")
class ReadOnlyHome(BlackBox):
    def setUp(self):
        super().setUp()
        self.temporary = self.scratch / "tmp"
        self.temporary.mkdir()
        self.environment.pop("STACKX_DB")
        self.environment["TMPDIR"] = str(self.temporary)

    def run_there(self, *arguments, exit_code=0):
        confined = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", self.temporary, self.temporary]
        if subprocess.run([*confined, "true"], capture_output=True).returncode != 0:
            self.skipTest("bubblewrap does not work here")
        done = subprocess.run([*map(str, confined), STACKX, *map(str, arguments)], capture_output=True, text=True, env=self.environment, timeout=900)
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        return done

    def test_what_is_published_is_answered_and_nothing_is_left(self):
        for words, expected in ((("advise", "--hw", "v100", "--workload", "matmul"), "Run torch"), (("query", "hardware", "--hw", "v100"), "NVIDIA V100"),
                                (("check", "torch==2.4.0", "--hw", "v100"), "Yes")):
            with self.subTest(words):
                done = self.run_there(*words)
                self.assertIn(expected, done.stdout)
                if words[0] != "check":
                    self.assertIn("none can be made", done.stderr)
                    self.assertIn("Read-only file system", done.stderr)
                self.assertEqual(list(self.temporary.iterdir()), [])

    def test_a_store_that_was_named_is_not_replaced(self):
        self.assertIn("cannot be opened", self.run_there("query", "best", "--db", self.scratch / "named.db", exit_code=3).stderr)

    def test_the_doctor_does_not_send_to_prune_where_nothing_can_be_written(self):
        self.environment["XDG_CACHE_HOME"] = str(self.temporary / "cache")
        done = self.run_there("doctor", "--json", exit_code=1)
        self.assertNotIn("env prune", done.stdout)


class Amiss(BlackBox):
    def test_help_is_a_command_too(self):
        self.assertEqual(self.stackx("help").stdout, self.stackx("--help").stdout)
        self.assertEqual(self.stackx("help", "advise").stdout, self.stackx("advise", "--help").stdout)

    def test_a_catalog_in_place_of_a_project(self):
        said = self.stackx("resolve", ROOT / "specs" / "data" / "cuda.json", exit_code=2).stderr
        self.assertIn("is a catalog", said)
        self.assertIn("stackx resolve NAME --catalog FILE", said)

    def test_a_project_in_yaml(self):
        self.assertIn("are JSON", self.stackx("resolve", self.write("project.yaml", "name: x\n"), exit_code=2).stderr)

    def test_the_cuda_version_in_place_of_the_driver(self):
        said = self.stackx("check", "torch==2.4.0", "--hw", "h100", "--driver", "12.4", exit_code=2).stderr
        self.assertIn("nvidia-smi", said)

    def test_what_is_far_is_not_suggested(self):
        self.begin_with_what_is_published()
        said = self.stackx("query", "--sql", "SELECT * FROM nosuch", exit_code=2).stderr
        self.assertNotIn("hosts\"", said)
        self.assertIn("The views are", said)
        self.assertIn('did you mean "hosts"', self.stackx("query", "--sql", "SELECT * FROM host", exit_code=2).stderr)


if __name__ == "__main__":
    unittest.main()
