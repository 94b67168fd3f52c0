"""transformer: counts by hand, the reference by loops, and that the check catches every fault it says it catches."""

import unittest
from unittest import mock

import support
from stackx_pi.errors import Unsupported, UsageError
from stackx_pi.transformer import cost, memory, shape
from transformer_cases import DECODE, PHASES, PREFILL, TRAIN, WORDS, preset

if support.numpy is not None:
    import numpy
    from stackx_pi.transformer import forward, inputs
    from stackx_pi.transformer.numpy_decoder import Operations, evaluate


class Counts(unittest.TestCase):
    def test_published_parameter_counts(self):
        """Of the models' safetensors, as Hugging Face counts them; two of them tie the head to the embedding, which is not done
        here."""
        for name, count, tied in (("llama-3.1-8b", 8030261248, False), ("llama-2-7b", 6738415616, False),
                                  ("tinyllama-1.1b", 1100048384, False), ("llama-3.2-1b", 1235814400, True),
                                  ("smollm2-135m", 134515008, True)):
            one = preset(name)
            self.assertEqual(one.parameter_count(), count + tied * one.width * one.vocabulary, name)

    def test_the_tensors_are_those_that_are_counted(self):
        one = preset()
        total = sum(numpy.prod(sides) for _, sides in one.tensors()) if support.numpy else one.parameter_count()
        self.assertEqual(total, one.parameter_count())
        names = [name for name, _ in one.tensors()]
        self.assertEqual(names[one.at("down", 1)], "down of layer 1")
        self.assertEqual((names[0], names[-2:]), ("embedding", ["last norm", "head"]))

    def test_flop_of_llama_3_1_8b_by_hand(self):
        """pp512: 32 layers of 218,103,808 weights; one position's logits; 512 x 512 pairs."""
        one = preset("llama-3.1-8b")
        layer = 4096 * 4096 * 2 + 2 * 4096 * 1024 + 3 * 4096 * 14336
        self.assertEqual((layer, one.layer_weights()), (218103808, 218103808))
        parts = cost.flop_parts(one, cost.Task("prefill", 1, 512, 1))
        self.assertEqual(parts, {"layers": 2 * 512 * 32 * layer, "head": 2 * 4096 * 128256,
                                 "attention": 2 * 2 * 32 * 32 * 128 * 512 * 512})
        self.assertEqual(sum(parts.values()), 7146825580544 + 1050673152 + 137438953472)
        # tg128 from an empty cache: each token passes all weights but the embedding, and sees 1 to 128 positions.
        found = cost.flop(one, cost.Task("decode", 1, 0, 128))
        self.assertEqual(found, 128 * 2 * (32 * layer + 4096 * 128256) + 4 * 32 * 4096 * sum(range(1, 129)))
        self.assertEqual(cost.cache_bytes(one, cost.Task("decode", 1, 0, 128), "float16"), 2 * 2 * 32 * 8 * 128 * 128)

    def test_counts_by_walking(self):
        """Multiply-adds of every product, one after the other."""
        one = preset(layers=3, kv_heads=1, vocabulary=50)
        size = one.head_size
        for task in (PREFILL, DECODE, TRAIN, cost.Task("decode", 3, 0, 5)):
            adds = causal = moved = 0
            rounds = task.tokens if task.phase == "decode" else 1
            for i in range(rounds):
                new = 1 if task.phase == "decode" else task.context
                seen = task.context + i + 1 if task.phase == "decode" else task.context
                for _ in range(task.batch):
                    for position in range(new):
                        for _, sides in one.tensors():
                            if len(sides) == 2 and sides[0] != one.vocabulary and sides[1] != one.vocabulary:
                                adds += sides[0] * sides[1]
                                causal += sides[0] * sides[1]
                        adds += 2 * one.layers * one.heads * size * seen
                        causal += 2 * one.layers * one.heads * size * (position + 1 if new > 1 else seen)
                        if task.phase != "prefill" or position == new - 1:
                            adds += one.width * one.vocabulary
                            causal += one.width * one.vocabulary
                        moved += one.width
                    moved += 2 * one.layers * size * (seen if task.phase == "decode" else new)
                moved += one.parameter_count() - one.width * one.vocabulary
            passes = 3 if task.phase == "train" else 1
            self.assertEqual(cost.flop(one, task), passes * 2 * adds)
            self.assertEqual(cost.flop(one, task, causal=True), passes * 2 * causal)
            if task.phase != "train":
                self.assertEqual(cost.bytes_moved(one, task, "float16"), 2 * moved)
        self.assertEqual(cost.bytes_moved(one, TRAIN, "bfloat16"), 12 * one.parameter_count())

    def test_shapes_that_cannot_be(self):
        for sizes, message in (({"heads": 5}, "width=32 is no multiple of heads=5"),
                               ({"kv_heads": 3}, "heads=4 is no multiple of kv_heads=3"),
                               ({"width": 12}, "heads of 3: rotary positions need an even size")):
            with self.assertRaisesRegex(UsageError, message):
                preset(**sizes)

    def test_memory_that_is_needed(self):
        one = preset("llama-3.1-8b")
        task = cost.Task("decode", 1, 8064, 128)
        self.assertEqual(memory.needed(one, task, "bfloat16"), 2 * 8030261248 + 2 * 2 * 32 * 8 * 128 * 8192)
        self.assertEqual(memory.needed(one, TRAIN, "bfloat16"), 8 * (8030261248 + 18 * 128256))
        adapter = mock.Mock(name="numpy", settings=mock.Mock(dtype="float32", device="cpu"))
        with mock.patch.object(memory.memory, "available", return_value=2**30):
            with self.assertRaisesRegex(Unsupported, r"at least 29.9 GiB \(8,030,261,248 parameters, cache\), 1.0 GiB are free"):
                memory.require(adapter, one, cost.Task("prefill", 1, 1, 1))
            memory.require(adapter, preset(), PREFILL)


def by_definition(one, weights, tokens):
    """Logits of all positions of one sequence, by loops over positions and heads and nothing of stackx_pi."""
    size, half = one.width // one.heads, one.width // one.heads // 2
    weights = dict(zip([name for name, _ in one.tensors()], weights))

    def norm(x, w):
        return x / numpy.sqrt(numpy.mean(x * x) + 1e-5) * w

    def turned(x, place):
        result = numpy.zeros(size)
        for i in range(half):
            angle = place / 10000.0**(i / half)
            pair = complex(x[i], x[i + half]) * complex(numpy.cos(angle), numpy.sin(angle))
            result[i], result[i + half] = pair.real, pair.imag
        return result

    rows = [weights["embedding"][token].copy() for token in tokens]
    for layer in range(one.layers):
        def w(name, layer=layer):
            return weights["%s of layer %d" % (name, layer)]

        normed = [norm(x, w("attention norm")) for x in rows]
        for place in range(len(rows)):
            mixed = []
            for head in range(one.heads):
                at, shared = slice(head * size, head * size + size), head // (one.heads // one.kv_heads)
                kv = slice(shared * size, shared * size + size)
                q = turned(normed[place].dot(w("q")[:, at]), place)
                scores = [q.dot(turned(normed[p].dot(w("k")[:, kv]), p)) / numpy.sqrt(size) for p in range(place + 1)]
                likely = numpy.exp(scores) / numpy.exp(scores).sum()
                mixed.append(sum(a * normed[p].dot(w("v")[:, kv]) for p, a in enumerate(likely)))
            rows[place] = rows[place] + numpy.concatenate(mixed).dot(w("o"))
        for place, x in enumerate(rows):
            h = norm(x, w("feed-forward norm"))
            gate = h.dot(w("gate"))
            rows[place] = x + (gate / (1 + numpy.exp(-gate)) * h.dot(w("up"))).dot(w("down"))
    return numpy.array([norm(x, weights["last norm"]).dot(weights["head"]) for x in rows])


def doubles(one, seed=3):
    return [w.astype(numpy.float64) for w in inputs.weights(one, "float32", seed)]


@support.needs_numpy
class Reference(unittest.TestCase):
    def test_the_logits_are_those_of_the_definition(self):
        for changes in ({}, {"kv_heads": 1}, {"kv_heads": 4}, {"layers": 1, "heads": 2, "kv_heads": 1}):
            one = preset(**changes)
            weights, tokens = doubles(one), inputs.tokens(one, 2, 7, 3)
            expected = numpy.array([by_definition(one, weights, row) for row in tokens])
            found = forward(one, Operations(one, weights), tokens).array
            numpy.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)
            last = forward(one, Operations(one, weights), tokens, last=True).array
            numpy.testing.assert_allclose(last[:, 0], expected[:, -1], rtol=1e-11, atol=1e-12)

    def test_decoding_after_a_prompt_is_a_longer_prompt(self):
        one = preset()
        weights, tokens = doubles(one), inputs.tokens(one, 2, 8, 3)
        do = Operations(one, weights)
        forward(one, do, tokens[:, :5])
        cache = [[numpy.concatenate([kept, kept[:, :, :3] * numpy.nan], 2) for kept in pair] for pair in do.cached]
        whole = forward(one, Operations(one, weights), tokens).array
        for i in range(5, 8):
            step = forward(one, Operations(one, weights, cache, i), tokens[:, i:i + 1]).array
            numpy.testing.assert_allclose(step[:, 0], whole[:, i], rtol=1e-10, atol=1e-12)

    def test_gradients_are_the_central_differences_of_the_loss(self):
        one, random = preset(vocabulary=11), numpy.random.RandomState(5)
        weights, tokens = doubles(one), inputs.tokens(one, 2, 6, 3)
        logits = numpy.array([by_definition(one, weights, row[:-1]) for row in tokens])
        expected = numpy.mean([numpy.log(numpy.exp(row).sum()) - row[target] for rows, targets in zip(logits, tokens[:, 1:])
                               for row, target in zip(rows, targets)])
        loss, gradients = evaluate(Operations(one, weights), tokens)
        self.assertLess(abs(loss / expected - 1), 1e-12)
        for i, (name, sides) in enumerate(one.tensors()):
            along, step = random.standard_normal(sides), 1e-6 * (0.02 if i == 0 else 1)

            def moved(by, i=i, along=along):
                return evaluate(Operations(one, weights[:i] + [weights[i] + by * along] + weights[i + 1:]), tokens)[0]

            slope = (moved(step) - moved(-step)) / (2 * step)
            self.assertLess(abs((gradients[i] * along).sum() - slope), 2e-6 * max(1, numpy.abs(gradients[i]).sum()), name)

    def test_activations_neither_die_nor_blow_up(self):
        for layers in (2, 40):
            one = preset(layers=layers)
            do = Operations(one, [w for w in inputs.weights(one, "float32", 1)])
            logits = forward(one, do, inputs.tokens(one, 2, 20, 1)).array
            for values in [logits] + [array for pair in do.cached for array in pair]:
                self.assertTrue(0.5 < values.std() < 2, values.std())

    def test_inputs_are_seeded_and_held_by_the_dtype(self):
        one = preset()
        for dtype in ("float32", "float16", "bfloat16"):
            first, again, other = [list(inputs.weights(one, dtype, seed)) for seed in (1, 1, 2)]
            self.assertTrue(all((a == b).all() for a, b in zip(first, again)))
            self.assertLess((first[0] == other[0]).mean(), 0.01)
            for array in first:
                numpy.testing.assert_array_equal(inputs.held(array, dtype), array)
        big = inputs.uniform((1 << 20,), 2.0, 1, 5)
        self.assertAlmostEqual(float(big.std()), 2, delta=0.01)
        self.assertAlmostEqual(float(big.mean()), 0, delta=0.01)


WRONG = """
from stackx_pi.transformer import numpy_decoder
right = numpy_decoder.Operations.gate
def gate(self, x, y):
    return right(self, y, x) if self.dtype == "float32" else right(self, x, y)
numpy_decoder.Operations.gate = gate
"""


@support.needs_numpy
class Program(support.PiTest):
    def told(self, *words, **changes):
        keys = [word.split("=")[0] for word in words]
        return self.pi(*[word for word in WORDS if word.split("=")[0] not in keys], *words, **changes)

    def test_the_document(self):
        one = preset()
        for phase, task in PHASES.items():
            found = self.told("framework=numpy", "phase=" + phase)
            self.assertTrue(found["check"]["pass"], found["check"])
            self.assertEqual((found["name"], found["component"], len(found["samples_ns"])), ("transformer", "numpy", 3))
            self.assertEqual(found["work"], {"flop": 0, "bytes": 0, "items": 2 * task.items()})
            told, metrics = found["transformer"], found["metrics"]
            self.assertEqual((told["flop"], told["flop_causal"], told["bytes"]), (
                2 * cost.flop(one, task), 2 * cost.flop(one, task, True), 2 * cost.bytes_moved(one, task, "float32")))
            self.assertEqual(sum(told["flop_parts"].values()), told["flop"])
            self.assertEqual((told["parameters"], told["shape"]), (one.parameter_count(), dict(one.sizes())))
            middle = sorted(found["samples_ns"])[1]
            self.assertAlmostEqual(told["tokens_per_sec"]["median"], found["work"]["items"] / middle * 1e9, places=6)
            self.assertAlmostEqual(told["gflop_per_sec"], told["flop"] / middle, places=9)
            self.assertEqual(set(metrics), {"prefill": {"first_token_ms", "kv_cache_bytes"},
                                            "decode": {"token_ms", "kv_cache_bytes"}, "train": set()}[phase])
            self.assertTrue(all(value > 0 for value in metrics.values()))
            if phase == "prefill":
                self.assertAlmostEqual(metrics["first_token_ms"], middle / 2e6, places=9)
            if phase == "decode":
                self.assertEqual(metrics["kv_cache_bytes"], 4 * 2 * one.layers * 2 * 2 * 8 * 12)
                self.assertLess(metrics["token_ms"], max(found["samples_ns"]) / 6e6)
            if phase == "train":
                self.assertEqual(len(told["loss"]), 3)
                self.assertLess(told["loss"][-1], told["loss"][0], "it learns the one batch by heart")
            self.assertEqual({key: found["parameters"][key] for key in shape.KEYS}, dict(one.sizes()))

    def test_an_empty_cache(self):
        found = self.told("framework=numpy", "phase=decode", "context=0")
        self.assertTrue(found["check"]["pass"])
        self.assertIn("depth 0", found["check"]["reference"])

    def test_a_model_of_which_a_smaller_one_is_checked(self):
        for phase in PHASES:
            found = self.told("framework=numpy", "phase=" + phase, "layers=3", "vocabulary=600000", "mini_batch=1", "repetitions=1")
            self.assertTrue(found["check"]["pass"], found["check"])
            if phase == "train":
                self.assertIn("of 2 layers, 1024 rows of vocabulary", found["check"]["reference"])
                self.assertIn("prepare", [p["name"] for p in found["phases"]])
            self.assertEqual(len(found["samples_ns"]), 1)

    def test_a_wrong_result_is_never_timed(self):
        self.write("wrong/sitecustomize.py", WRONG)
        for phase in PHASES:
            found = self.told("framework=numpy", "phase=" + phase,
                              PYTHONPATH="%s:%s" % (self.scratch / "wrong", support.KERNELS))
            self.assertFalse(found["check"]["pass"])
            self.assertEqual(found["samples_ns"], [])
            self.assertNotIn("measure", [p["name"] for p in found["phases"]])
            self.assertNotIn("tokens_per_sec", found["transformer"])
            self.assertFalse(set(found["metrics"]) & {"first_token_ms", "token_ms"})

    def test_usage_and_what_cannot_be(self):
        for words, message in ((["heads=5"], "width=32 is no multiple of heads=5"),
                               (["phase=tg"], "expected one of prefill, decode, train"),
                               (["model=gpt"], "model=gpt: expected one of tiny, small"), (["context=0"], "only decode can begin"),
                               (["layers=0"], "layers=0: expected a whole number from 1"),
                               (["kvheads=1"], 'did you mean "kv_heads"?')):
            err = self.told("framework=numpy", *words, exit_code=2)
            self.assertIn(message, err)
            self.assertEqual(err.count("\n"), 1, err)
        self.assertIn("mixed precision", self.told("framework=numpy", "phase=train", "dtype=float16")["unsupported"])
        found = self.told("framework=numpy", "model=llama-3.1-8b", "layers=1000")
        self.assertIn("are free", found["unsupported"])
        for fake, name, phase, message in (("onnxruntime", "onnxruntime", "train", "onnxruntime does not train networks"),
                                           ("mxnet", "mxnet", "decode", "mxnet: the transformer is written for"),
                                           ("tensorflow1", "tensorflow", "prefill", "the transformer is written for")):
            found = self.told("framework=" + name, "phase=" + phase, PYTHONPATH="%s:%s" % (support.FAKES / fake, support.FAKES))
            self.assertIn(message, found["unsupported"])

    def test_every_module_is_read_by_every_python(self):
        names = sorted(path.stem for path in (support.KERNELS / "stackx_pi" / "transformer").glob("*.py"))
        code = "import sys; sys.path.insert(0, sys.argv[1]); import transformer; " + "; ".join(
            "import stackx_pi.transformer." + name for name in names if name != "__init__")
        for version, program in support.interpreters().items():
            done = support.run(program, "-S", "-c", code, support.KERNELS)
            self.assertEqual(done.returncode, 0, version + done.stderr)


if __name__ == "__main__":
    unittest.main()
