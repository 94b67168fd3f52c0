"""transformer: counts by hand, the reference by loops, and that the check catches every fault it says it catches."""

import importlib.util
import sys
import unittest
from unittest import mock

import support
from stackx_pi.errors import Unsupported, UsageError
from stackx_pi.transformer import cost, memory, shape

if support.numpy is not None:
    import numpy
    from stackx_pi import frameworks
    from stackx_pi.transformer import check, forward, inputs
    from stackx_pi.transformer.numpy_decoder import NumpyRunner, Operations, evaluate

# 9 tokens: no multiple of anything; the cache of a decoding task has 3 slots to be written behind them.
PREFILL, DECODE, TRAIN = cost.Task("prefill", 2, 9, 3), cost.Task("decode", 2, 9, 3), cost.Task("train", 2, 9, 3)
PHASES = {"prefill": PREFILL, "decode": DECODE, "train": TRAIN}


def preset(name="tiny", **changes):
    return shape.Shape(**dict(zip(shape.KEYS, shape.PRESETS[name]))).changed(**changes)


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
        with mock.patch.object(memory, "available", return_value=2**30):
            with self.assertRaisesRegex(Unsupported, r"at least 29.9 GiB \(8,030,261,248 parameters, cache\), 1.0 GiB are free"):
                memory.require(adapter, one, cost.Task("prefill", 1, 1, 1))
            memory.require(adapter, preset(), PREFILL)

    def test_what_is_available_is_the_least_that_anybody_leaves(self):
        with mock.patch.object(memory, "left_by_cgroup", return_value=[5]):
            self.assertEqual(memory.available(), 5)
        self.assertGreater(memory.available(), 0)


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


WORDS = ["transformer", "model=tiny", "batch=2", "context=9", "tokens=3", "repetitions=3", "mini_batch=2", "warmup_ms=0"]

# Loaded by Python itself: wrong operations take the place of the right ones, but in the reference's own type.
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
