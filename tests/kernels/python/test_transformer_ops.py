"""Native `transformer_ops` and Python's `transformer` mean the same shapes and count the same flop for a layer."""

import json
import os
import pathlib
import subprocess
import unittest

import support  # noqa: F401  the PIs' path
from stackx_pi.transformer import cost, shape

BUILD = pathlib.Path(os.environ["STACKX_BUILD"])


def native(**words):
    """A document without a measurement, which no model is too large for: this library has one thread."""
    library = BUILD / "tests" / "fakes" / "libone_thread.so"
    done = subprocess.run([BUILD / "stackx-pi", "transformer_ops", "--library", library, "threads=2"] +
                          ["%s=%s" % word for word in sorted(words.items())], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.decode())


class SameAsTransformer(unittest.TestCase):
    def test_presets_and_flop_of_a_layer(self):
        for name, sizes in shape.PRESETS.items():
            one = shape.Shape(**dict(zip(shape.KEYS, sizes))).changed(layers=1)
            for phase, batch, context in (("prefill", 1, 512), ("prefill", 3, 7), ("decode", 1, 4096), ("decode", 8, 0)):
                with self.subTest(model=name, phase=phase):
                    task = cost.Task(phase, batch, context, 1)
                    found = native(model=name, phase=phase, batch=batch, context=context, head=1)
                    self.assertIn("2 threads asked for", found["unsupported"])
                    layer = found["layer"]
                    self.assertEqual(dict(layer["shape"], layers=1), dict(one.sizes()))
                    self.assertEqual(layer["flop_parts"], cost.flop_parts(one, task))
                    self.assertEqual(layer["flop"], cost.flop(one, task))
                    self.assertEqual(layer["flop_causal"], cost.flop(one, task, causal=True))
                    self.assertEqual(layer["tokens"], task.items())

    def test_words(self):
        known = {parameter.key for parameter in __import__("transformer").PI.parameters}
        for word in ("phase", "batch", "context", "model", "width", "heads", "kv_heads", "feed_forward", "vocabulary", "dtype", "threads"):
            self.assertIn(word, known)
            self.assertIn(word, native(model="tiny")["parameters"])

    def test_sizes_beside_a_preset(self):
        found = native(model="tiny", width=64, heads=8, kv_heads=8, context=1)["layer"]
        one = shape.Shape(1, 64, 8, 8, 48, 96)
        self.assertEqual(found["flop"], cost.flop(one, cost.Task("prefill", 1, 1, 1)) - 2 * 64 * 96)


if __name__ == "__main__":
    unittest.main()
