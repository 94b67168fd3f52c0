"""transformer in each framework that is installed, and wrong operations of theirs."""

import importlib.util
import unittest
from unittest import mock

import support
from stackx_pi.transformer import cost
from transformer_cases import PHASES, WORDS, preset

if support.numpy is not None:
    import numpy
    from stackx_pi import frameworks
    from stackx_pi.transformer import check, inputs


def installed(name):
    return importlib.util.find_spec(name) is not None


def real(name):
    return unittest.skipUnless(installed(name), name + " is not installed")


@support.needs_numpy
class Real(support.PiTest):
    """Each framework that is installed."""

    def measures(self, framework, *more):
        expected = self.pi(*WORDS, "framework=numpy", "phase=train")["transformer"]["loss"]
        for phase in PHASES:
            for words in ([], ["kv_heads=1"], ["dtype=bfloat16"], ["dtype=float16"]):
                with self.subTest(phase=phase, words=words):
                    found = self.pi(*WORDS, *words, *more, "framework=" + framework, "phase=" + phase, "threads=1")
                    if phase == "train" and framework == "onnxruntime" or any("float16" in word for word in words):
                        self.assertTrue("unsupported" in found or found["check"]["pass"], found.get("check"))
                        continue
                    self.assertNotIn("unsupported", found)
                    self.assertTrue(found["check"]["pass"], found["check"])
                    self.assertEqual(len(found["samples_ns"]), 3)
                    if phase == "train" and not words:
                        numpy.testing.assert_allclose(found["transformer"]["loss"], expected, rtol=1e-4)

    @real("tensorflow")
    def test_tensorflow(self):
        self.measures("tensorflow")

    @real("torch")
    def test_torch(self):
        self.measures("torch")

    @real("jax")
    def test_jax(self):
        self.measures("jax")

    @real("onnxruntime")
    def test_onnxruntime(self):
        self.measures("onnxruntime")


def adapter(framework, **settings):
    return frameworks.adapter(framework, frameworks.Settings(**dict({"threads": 1}, **settings)))


@support.needs_numpy
@real("torch")
class Torch(unittest.TestCase):
    """In this process: wrong operations of a real framework, and its own count of flop."""

    def setUp(self):
        from stackx_pi.transformer import with_torch
        self.module, self.adapter = with_torch, adapter("torch")
        import torch
        self.addCleanup(torch.set_grad_enabled, True)

    def checked(self, phase):
        one, task = preset(), PHASES[phase]
        runner = self.module.Runner(self.adapter, one, check.Check(one, task, "float32", False, 1).weights(), phase == "train")
        return check.check_runner(runner, one, task, "float32", False, 1)

    def test_faults(self):
        base, step = self.module.Operations, self.module.Step

        def wide(self, x, i):
            return self.functional.linear(x.half().float(), self.weights[i])

        def unmasked(self, q, k, v, layer):
            self.kept.append((k, v))
            k, v = [x.repeat_interleave(self.shape.group, 1) for x in (k, v)]
            return self.written_out(q, k, v, None)

        def in_turns(self, q, k, v, layer):
            self.kept.append((k, v))
            k, v = [x.repeat(1, self.shape.group, 1, 1) for x in (k, v)]
            return self.functional.scaled_dot_product_attention(q, k, v, is_causal=True)

        def late(self, q, k, v, layer):
            self.position += layer == 1
            return right(self, q, k, v, layer)

        right = step.attended
        for phases, owner, name, value in (
                (PHASES, base, "product", wide), (("prefill", "train"), base, "attended", unmasked),
                (("prefill", "train"), base, "attended", in_turns), (("decode",), step, "attended", late),
                (PHASES, base, "gate", lambda self, x, y: self.functional.silu(y) * x),
                (PHASES, base, "add", lambda self, x, y: x)):
            for phase in phases:
                with self.subTest(phase=phase, fault=value), mock.patch.object(owner, name, value):
                    self.assertFalse(self.checked(phase)["pass"])
        for phase in PHASES:
            self.assertTrue(self.checked(phase)["pass"])

    def work(self, phase, one, task):
        """What is done in a sample, ready to be called."""
        runner = self.module.Runner(self.adapter, one, inputs.weights(one, "float32", 1), phase == "train")
        check.Check(one, task, "float32", False, 1).start(runner)
        return {"prefill": runner.prefill, "decode": lambda: [runner.step(i) for i in range(task.tokens)],
                "train": lambda: runner.train(1.0)}[phase]

    def test_flop_are_those_of_flop_counter_mode(self):
        try:
            from torch.utils.flop_counter import FlopCounterMode
        except ImportError:
            self.skipTest("PyTorch before 2.1 has no FlopCounterMode")
        one = preset(width=64, feed_forward=96)
        for phase, task in PHASES.items():
            counter = FlopCounterMode(display=False)
            call = self.work(phase, one, task)
            with self.math_attention(), counter:
                call()
            self.assertEqual(counter.get_total_flops(), cost.flop(one, task), phase)

    def test_flop_are_those_of_the_profiler(self):
        """It counts matrix products, and additions and multiplications entry by entry, which the formula leaves out."""
        import torch
        one = preset(width=64, feed_forward=96)
        for phase, task in PHASES.items():
            call = self.work(phase, one, task)
            cpu = [torch.profiler.ProfilerActivity.CPU]
            with self.math_attention(), torch.profiler.profile(activities=cpu, with_flops=True) as seen:
                call()
            products = sum(event.flops for event in seen.events() if event.name in ("aten::mm", "aten::addmm", "aten::bmm"))
            self.assertEqual(products, cost.flop(one, task), phase)

    def math_attention(self):
        """The fused kernel of a CPU does not say its flop in every version; written out, attention is two products."""
        def written_out(q, k, v, attn_mask=None, is_causal=False):
            import torch
            scores = torch.matmul(q, k.transpose(-1, -2)) * q.shape[-1]**-0.5
            if is_causal:
                scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), float("-inf"))
            return torch.matmul(torch.softmax(scores, -1), v)

        return mock.patch("torch.nn.functional.scaled_dot_product_attention", written_out)


@support.needs_numpy
@real("jax")
class Jax(unittest.TestCase):
    def test_faults(self):
        from stackx_pi.transformer import with_jax
        loaded, base = adapter("jax", threads=None), with_jax.Operations

        def checked(phase):
            one, task = preset(), PHASES[phase]
            runner = with_jax.Runner(loaded, one, check.Check(one, task, "float32", False, 1).weights(), phase == "train")
            return check.check_runner(runner, one, task, "float32", False, 1)["pass"]

        right = base.attend

        def moved(self, q, k, v, layer):
            if self.cache is not None:
                self.position = self.position + (layer == 0)
            self.cosine, self.sine = self.sine, self.cosine
            return right(self, q, k, v, layer)

        def half(self, x, i):
            return (x.astype("float16") @ self.weights[i].astype("float16")).astype("float32")

        for name, value in (("product", half), ("attend", moved), ("norm", lambda self, x, i: x * self.weights[i]),
                            ("gate", lambda self, x, y: self.jax.nn.silu(y) * x)):
            for phase in PHASES:
                with self.subTest(phase=phase, fault=name), mock.patch.object(base, name, value):
                    self.assertFalse(checked(phase))
        for phase in PHASES:
            self.assertTrue(checked(phase))


if __name__ == "__main__":
    unittest.main()
