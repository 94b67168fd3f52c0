"""transformer: that the check catches every fault it says it catches."""

import unittest
from unittest import mock

import support
from stackx_pi.transformer import cost
from transformer_cases import PHASES, preset

if support.numpy is not None:
    import numpy
    from stackx_pi.transformer import check, inputs
    from stackx_pi.transformer.numpy_decoder import NumpyRunner, Operations


class Wrong(Operations if support.numpy is not None else object):
    """One fault at a time, named."""

    fault = ""

    def hidden(self, queries, keys):
        if self.fault == "no causal mask":
            return numpy.zeros((queries, keys), bool)
        if self.fault == "mask off by one":
            return Operations.hidden(self, queries, keys) & ~numpy.eye(queries, keys, 1, dtype=bool)
        return Operations.hidden(self, queries, keys)

    def rotate(self, x):
        if self.fault == "rotary positions shifted":
            self.position += 1
            value = Operations.rotate(self, x)
            self.position -= 1
            return value
        if self.fault == "no rotation":
            return x
        if self.fault == "rotary pairs side by side":
            order = numpy.arange(x.array.shape[-1]).reshape(2, -1).T.reshape(-1)
            back = numpy.argsort(order)
            x.array = x.array[..., order]
            value = Operations.rotate(self, x)
            value.array, x.array = value.array[..., back], x.array[..., back]
            return value
        return Operations.rotate(self, x)

    def scores(self, q, k):
        value = Operations.scores(self, q, k)
        if self.fault == "softmax without its scale":
            value.array = value.array * self.dtype.type(self.shape.head_size**0.5)
        return value

    def grouped(self, x):
        if self.fault == "heads of keys in turns":
            order = numpy.arange(self.shape.heads).reshape(-1, self.shape.kv_heads).T.reshape(-1)
            x = x[:, order]
        return Operations.grouped(self, x)

    def stored(self, k, v, layer):
        if self.given is not None and self.fault == "a slot too late":
            self.position += 1
            found = Operations.stored(self, k, v, layer)
            self.position -= 1
            return found
        if self.given is not None and self.fault == "stale slot":
            old = [kept[:, :, :self.position + 1].copy() for kept in self.given[layer]]
            Operations.stored(self, k, v, layer)
            return [type(k)(kept) for kept in old]
        found = Operations.stored(self, k, v, layer)
        if self.given is not None and self.fault == "sees a slot that is not written":
            return [type(k)(kept[:, :, :self.position + 2]) for kept in self.given[layer]]
        if self.given is not None and self.fault == "writes the first slot":
            self.given[layer][0][:, :, 0] = 0
        return found

    def norm(self, x, i):
        if self.fault == "norm without its weight":
            kept, self.weights[i].array = self.weights[i].array, numpy.ones_like(self.weights[i].array)
            value = Operations.norm(self, x, i)
            self.weights[i].array = kept
            return value
        if self.fault in ("another epsilon", "epsilon beside the root"):
            with mock.patch("stackx_pi.transformer.numpy_decoder.EPSILON", 1e-6 if self.fault == "another epsilon" else 0):
                value = Operations.norm(self, x, i)
            if self.fault == "epsilon beside the root":
                root = numpy.sqrt((x.array**2).mean(axis=-1, keepdims=True))
                value.array = value.array * root / (root + self.dtype.type(1e-5))
            return value
        return Operations.norm(self, x, i)

    def gate(self, x, y):
        return Operations.gate(self, y, x) if self.fault == "gate and up swapped" else Operations.gate(self, x, y)

    def product(self, x, i):
        value = Operations.product(self, x, i)
        last = self.shape.layers - 1
        if self.fault == "last layer dropped" and i in (self.shape.at("o", last), self.shape.at("down", last)):
            value.array = value.array * 0
        if self.fault == "half precision":
            value.array = value.array.astype(numpy.float16).astype(self.dtype)
        return value

    def last(self, x):
        if self.fault == "another position's logits":
            return self.result(x.array[:, -2:-1], None)
        return Operations.last(self, x)

    def embed(self, tokens):
        if self.fault == "every sequence is the first":
            tokens = tokens[:1].repeat(len(tokens), 0)
        return Operations.embed(self, tokens)

    def loss(self, logits, targets):
        if self.fault == "targets of the other sequence":
            targets = targets[::-1]
        value = Operations.loss(self, logits, targets)
        if self.fault == "sum of losses":
            logits.gradient = logits.gradient * targets.size
            return value * targets.size
        if self.fault == "loss without its last position":
            logits.gradient[:, -1] = 0
        return value


class WrongRunner(NumpyRunner if support.numpy is not None else object):
    def __init__(self, one, weights, dtype, fault):
        self.fault, self.calls = fault, 0
        NumpyRunner.__init__(self, one, weights, dtype, type("Faulty", (Wrong,), {"fault": fault}))

    def step(self, i):
        NumpyRunner.step(self, 0 if self.fault == "every step is the first" else i)
        if self.fault == "not a number":
            self.found[0, 0] = numpy.nan

    def train(self, rate):
        before = list(self.arrays)
        loss = NumpyRunner.train(self, rate)
        missing = {"gradient of one matrix missing": self.shape.at("k", 1), "frozen embedding": 0, "frozen norm": -2}
        if self.fault in missing:
            self.arrays[missing[self.fault]] = before[missing[self.fault]]
        if self.fault == "one bit":
            largest = self.arrays[-2] = self.arrays[-2].copy()
            largest.view(numpy.uint32).flat[abs(largest).argmax()] ^= 1 << 5
        if self.fault == "update sign":
            self.arrays = [2 * old - new for old, new in zip(before, self.arrays)]
        if self.fault == "half the rate":
            self.arrays = [(old + new) / 2 for old, new in zip(before, self.arrays)]
        return float("nan") if self.fault == "not a number" else loss


EVERYWHERE = ("no rotation", "rotary pairs side by side", "softmax without its scale", "heads of keys in turns",
              "norm without its weight", "another epsilon", "epsilon beside the root", "gate and up swapped", "last layer dropped",
              "half precision", "every sequence is the first")
FAULTS = {"prefill": EVERYWHERE + ("no causal mask", "mask off by one", "another position's logits", "rotary positions shifted"),
          "decode": EVERYWHERE + ("rotary positions shifted", "a slot too late", "stale slot", "sees a slot that is not written",
                                  "writes the first slot", "every step is the first", "not a number"),
          "train": EVERYWHERE + ("no causal mask", "mask off by one", "targets of the other sequence", "sum of losses",
                                 "loss without its last position", "gradient of one matrix missing", "frozen embedding",
                                 "frozen norm", "update sign", "half the rate", "not a number")}
TOO_FINE_FOR_HALVES = ("half precision", "another epsilon", "epsilon beside the root")


@support.needs_numpy
class Checks(unittest.TestCase):
    def checked(self, phase, fault="", dtype="float32", one=None):
        one, task = preset() if one is None else one, PHASES[phase]
        own = "float32" if dtype == "bfloat16" else dtype  # NumPy has none
        runner = WrongRunner(one, check.Check(one, task, dtype, False, 1).weights(), own, fault)
        return check.check_runner(runner, one, task, dtype, False, 1)

    def test_right_ones_pass(self):
        for phase in PHASES:
            for dtype in ("float32", "float64", "bfloat16") + (("float16",) if phase != "train" else ()):
                for one in (preset(), preset(layers=7, kv_heads=1), preset(layers=1, kv_heads=4)):
                    found = self.checked(phase, dtype=dtype, one=one)
                    self.assertTrue(found["pass"], (phase, dtype, found))
                    self.assertLess(found["bound"], {"float32": 2e-4, "float64": 4e-13}.get(dtype, 0.51))

    def test_ulps_of_a_step_are_those_of_its_weights_and_loss_in_float64(self):
        one, task = preset(), PHASES["train"]
        own = check.Check(one, task, "float32", False, 1)
        for fault, least, most in (("", 0.5, 25), ("one bit", 30, 60)):
            told = []
            for runner in (WrongRunner(one, own.weights(), "float32", fault), NumpyRunner(one, own.weights(), "float64")):
                own.start(runner)
                told.append([numpy.array([runner.train(check.RATE)])] + runner.weights())
            found = self.checked("train", fault)
            self.assertTrue(found["pass"], found)
            self.assertAlmostEqual(found["max_ulps"] / support.tensor_ulps(*told), 1, 6)
            self.assertTrue(least < found["max_ulps"] < most, found)
        self.assertNotIn("max_ulps", self.checked("train", dtype="float64"))
        self.assertIn("max_ulps", self.checked("train", dtype="bfloat16"))

    def test_every_fault_is_caught(self):
        for phase, faults in FAULTS.items():
            for fault in faults:
                with self.subTest(phase=phase, fault=fault):
                    found = self.checked(phase, fault)
                    self.assertFalse(found["pass"], found)
                    self.assertIn("at most", found["detail"])

    def test_all_but_the_fine_ones_are_caught_in_bfloat16_too(self):
        for phase, faults in FAULTS.items():
            for fault in faults:
                if fault not in TOO_FINE_FOR_HALVES:
                    with self.subTest(phase=phase, fault=fault):
                        self.assertFalse(self.checked(phase, fault, "bfloat16")["pass"])

    def test_float32_is_no_float64(self):
        for phase, task in PHASES.items():
            runner = NumpyRunner(preset(), inputs.weights(preset(), "float32", 1), "float32")
            self.assertFalse(check.check_runner(runner, preset(), task, "float64", False, 1)["pass"], phase)

    def test_what_is_dear_is_checked_smaller(self):
        for name, task, sizes in (("small", cost.Task("prefill", 1, 128, 32), (4, 1, 128, True)),
                                  ("llama-3.1-8b", cost.Task("prefill", 4, 512, 32), (2, 2, 64, False)),
                                  ("llama-3.1-8b", cost.Task("decode", 4, 8192, 128), (2, 2, 8192, False)),
                                  ("llama-3.1-8b", cost.Task("decode", 1, 131072, 128), (2, 1, 32764, False)),
                                  ("smollm2-135m", cost.Task("train", 1, 32, 1), (2, 1, 32, False))):
            one, few, whole = check.affordable(preset(name), task)
            self.assertEqual((one.layers, few.batch, few.context, whole), sizes, name)
            self.assertEqual(dict(one.sizes(), layers=0, vocabulary=0), dict(preset(name).sizes(), layers=0, vocabulary=0))
            if not whole:
                self.assertEqual(one.vocabulary, 1024)
                self.assertLessEqual(few.tokens, 4)


if __name__ == "__main__":
    unittest.main()
