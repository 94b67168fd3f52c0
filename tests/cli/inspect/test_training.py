"""train_resnet50 and transformer as stackx sees them: the log is one of tf_cnn_benchmarks, examples resolve and can be inspected."""

import importlib.util
import json
import subprocess
import sys
import unittest

from harness import ROOT, BlackBox

PI = ROOT / "kernels" / "python" / "pi.py"
WORDS = ["train_resnet50", "framework=numpy", "depth=14", "width=4", "image_size=64", "classes=7", "batch=4", "num_batches=5",
         "display_every=2"]
SOURCE = ["--source", "https://example.org/log", "--revision", "0123abc", "--date", "2021-05-20"]


@unittest.skipIf(importlib.util.find_spec("numpy") is None, "NumPy is not installed for " + sys.executable)
class Training(BlackBox):
    def test_its_log_is_imported_as_one_of_tf_cnn_benchmarks(self):
        done = subprocess.run([sys.executable, PI, *WORDS], capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, 0, done.stderr)
        rates = json.loads(done.stdout)["training"]["images_per_sec"]
        log = self.write("train.log", done.stderr)
        [told] = [json.loads(line) for line in self.stackx("import", log, *SOURCE, "--dry-run").stdout.splitlines()]
        self.assertEqual((told["source"]["tool"], told["metric"], told["statistic"]), ("tf-cnn-benchmarks", "images_per_s", "mean"))
        self.assertAlmostEqual(told["value"], rates["total"], delta=0.006)
        self.assertEqual(told["workload"]["pi"], "train_resnet14_v1_5_width4")
        self.assertEqual(str(told["workload"]["params"]["batch"]), "4")
        # The last line of progress is that of step 4 of 5.
        self.assertEqual(told["details"]["steps"], "4")
        for key in ("deviation_of_mean", "jitter"):
            self.assertGreaterEqual(float(told["details"][key]), 0)

    def test_the_example(self):
        example = ROOT / "examples" / "resnet50-train" / "project.json"
        stacks = [one["components"] for one in self.lines("resolve", example, "--list", "1000")]
        self.assertEqual({stack["framework"] for stack in stacks}, {"tensorflow", "jax"})
        self.assertIn("train_resnet50", self.stackx("inspect", example, "--dry-run").stdout)

    def test_the_example_of_a_transformer(self):
        example = ROOT / "examples" / "transformer" / "project.json"
        stacks = [one["components"] for one in self.lines("resolve", example, "--list", "1000")]
        self.assertEqual(sorted(stack["jax"] for stack in stacks), ["0.4.30", "0.4.38", "0.6.2"])
        self.assertEqual({stack["framework"] for stack in stacks}, {"jax"})
        self.assertIn("transformer", self.stackx("inspect", example, "--dry-run").stdout)
