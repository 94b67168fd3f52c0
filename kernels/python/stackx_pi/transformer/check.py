"""Does the decoder that is going to be timed compute what it should? Against NumPy in float64 (numpy_decoder.py).

Compared, each as |found - expected| / |expected| in the Euclidean norm:
  prefill  the logits of each sequence's last position; the keys and values of every layer, which it leaves for decoding
  decode   up to 4 steps through the cache at its depth: the logits of each sequence after each step; then keys and values of every
           layer over all slots: those written, and those that must be as they were
  train    the loss of a step; and (w - w after it) / rate, which is the gradient of each tensor together with its update; the rate
           is 1 here, since a small one leaves little of the gradient in float32. Of several workers a second step, too, at the
           weights that the first left: an exchange may be right once
Where that is dear (more than 2^35 flop, 2^27 parameters; train 2^25), the check runs the same code with the same width, heads
and feed-forward, but 2 layers, 1,024 rows of vocabulary, 2 sequences and 64 positions at most (decode: the depth itself while the
cache of two layers is at most 2^27 values); check.reference says so. What is not seen then: a fault of the timed sizes alone. Of
the timed model logits and losses must be finite.

Bound: no formula in K and u holds for layers, norms and softmax among each other. So it is measured, as training/check.py does:
the reference is evaluated again with every result, gradient and weight multiplied by 1 + e x, x random in [-1, 1), where e is the
unit roundoff of the dtype (results are rounded to it; TF32: factors are), or 8 times that in which sums are kept (float32's,
float64's) if that is more. A quantity's bound is 4 times the largest relative change among its kind (logits, keys, values, loss,
gradient), plus 16 roundoffs of the sums or the dtype's one; at most 1/4 for float32 and 1/2 for coarser types. What bfloat16 and
float16 do not tell: a fault smaller than some per cent, such as another epsilon. An update is read as a difference of weights, so
that 2 u |w| / (rate |g|) is added to a gradient's bound.

`max_ulps`, in ulps of the type that the result is kept in: of logits, keys and values entry by entry, at the exact entry; of training
of the loss and of the weights after a step, which are what it leaves, at the largest right entry of the tensor (reference.tensor_ulps).
"""

from __future__ import absolute_import, division

from stackx_pi import reference
from stackx_pi.inputs import random_state
from stackx_pi.parallel.workers import Workers
from stackx_pi.reference import relative
from stackx_pi.transformer import cost, forward, inputs
from stackx_pi.transformer.numpy_decoder import Operations, evaluate

SAFETY = 4
LARGEST_BOUND, LARGEST_COARSE_BOUND = 0.25, 0.5
COARSE = 2.0**-12  # coarser: float16, bfloat16, or TF32
FULL_FLOP = 2.0**35
FULL_PARAMETERS, FULL_TRAINED = 2**27, 2**25
FEW_LAYERS, FEW_ROWS, FEW_SEQUENCES, FEW_POSITIONS, CACHE_VALUES = 2, 1024, 2, 64, 2**27
STEPS = 4
RATE = 1.0


def affordable(shape, task):
    """(shape, task, whether they are those asked for)"""
    steps = min(task.tokens, STEPS)
    checked = cost.Task(task.phase, task.batch, task.context, steps)
    limit = FULL_TRAINED if task.phase == "train" else FULL_PARAMETERS
    if (cost.flop(shape, checked) <= FULL_FLOP and shape.parameter_count() <= limit and
            shape.cache_values(task.batch, checked.capacity()) <= CACHE_VALUES):
        return shape, task, True
    shape = shape.changed(layers=min(shape.layers, FEW_LAYERS), vocabulary=min(shape.vocabulary, FEW_ROWS))
    batch, context = min(task.batch, FEW_SEQUENCES), task.context
    if task.phase != "decode":
        context = min(context, FEW_POSITIONS)
    else:
        context = min(context, CACHE_VALUES // shape.cache_values(batch, 1) - steps)
    return shape, cost.Task(task.phase, batch, context, steps), False


class Check(object):
    def __init__(self, shape, task, dtype, tf32, seed, workers=None):
        self.shape, self.task, self.seed = shape, task, seed
        self.workers = workers or Workers.alone()
        self.roundoff = reference.roundoff(dtype, tf32)
        self.sums = 2.0**-53 if dtype == "float64" else 2.0**-24
        self.held = "float32" if task.phase == "train" else dtype
        self.stored = "float32" if task.phase == "train" and dtype != "float64" else dtype
        self.errors = []  # (error / bound, error, bound, words)
        self.ulps = None

    def weights(self):
        return inputs.weights(self.shape, self.held, self.seed)

    def expected(self, noise=0.0):
        """[(kind, words, array)]"""
        weights = [w.astype("float64") for w in self.weights()]
        state = random_state(self.seed, 11)
        return getattr(self, "_" + self.task.phase)(weights, noise, state)

    def operations(self, weights, noise, state, **more):
        return Operations(self.shape, weights, noise=noise, state=state, **more)

    def _prefill(self, weights, noise, state):
        do = self.operations(weights, noise, state)
        logits = forward(self.shape, do, self.tokens(), last=True).array[:, 0]
        return self.named_logits(logits, "the prompt") + self.named_cache(do.cached)

    def _decode(self, weights, noise, state):
        cache = [[array.astype("float64") for array in pair] for pair in self.cache()]
        result = []
        for i in range(self.steps()):
            do = self.operations(weights, noise, state, cache=cache, position=self.task.context + i)
            logits = forward(self.shape, do, self.tokens()[:, i:i + 1]).array[:, 0]
            result += self.named_logits(logits, "step %d" % (i + 1))
        return result + self.named_cache(cache)

    def _train(self, weights, noise, state):
        import numpy
        loss, gradients = evaluate(self.operations(weights, noise, state), self.tokens())
        gradients = self.workers.right_mean(gradients)
        return [("loss", "the loss", numpy.array([loss]))] + self.named_gradients(gradients)

    def named_logits(self, logits, after):
        return [("logits", "the logits of sequence %d after %s" % (i, after), row) for i, row in enumerate(logits)]

    def named_cache(self, cache):
        return [(kind, "the %s of layer %d" % (kind, layer), array) for layer, pair in enumerate(cache)
                for kind, array in zip(("keys", "values"), self.written(pair))]

    def written(self, pair):
        """Of a cache that was decoded upon: what the steps wrote. The rest is compared exactly."""
        if self.task.phase == "prefill":
            return pair
        return [array[:, :, self.task.context:self.task.context + self.steps()] for array in pair]

    def named_gradients(self, gradients):
        return [("gradient", "the gradient of the " + name, g) for (name, _), g in zip(self.shape.tensors(), gradients)]

    def tokens(self):
        task = self.task
        count = {"prefill": task.context, "decode": task.tokens, "train": task.context + 1}[task.phase]
        return inputs.tokens(self.shape, task.batch, count, self.seed, self.workers.stream(inputs.TOKENS))

    def cache(self):
        return inputs.cache(self.shape, self.task.batch, self.task.capacity(), self.held, self.seed)

    def noise(self):
        return max(self.roundoff, 8 * self.sums)

    def steps(self):
        return min(self.task.tokens, STEPS)

    def set_bounds(self, exact, noisy):
        most = LARGEST_COARSE_BOUND if self.roundoff > COARSE else LARGEST_BOUND
        self.bounds = {}
        for (kind, _, right), (_, _, found) in zip(exact, noisy):
            bound = SAFETY * relative(found, right) + max(16 * self.sums, self.roundoff)
            self.bounds[kind] = max(self.bounds.get(kind, 0), min(bound, most))

    def add(self, words, error, bound):
        self.errors.append((error / bound if bound else (0 if not error else reference.HUGE), error, bound, words))

    def start(self, runner):
        """Puts what the run works on into the runner: the same in the check and when time is taken."""
        phase = self.task.phase
        if phase == "decode":
            runner.start_decode(self.cache(), self.tokens())
        else:
            getattr(runner, "start_" + phase)(self.tokens())

    def found(self, runner):
        phase = self.task.phase
        if phase == "prefill":
            runner.prefill()
            return self.named_logits(runner.logits(), "the prompt") + self.named_cache(runner.cache())
        if phase == "decode":
            result = []
            for i in range(self.steps()):
                runner.step(i)
                result += self.named_logits(runner.logits(), "step %d" % (i + 1))
            cache = runner.cache()
            self.compare_untouched(cache)
            return result + self.named_cache(cache)
        return self.trained(runner, self.weights())

    def trained(self, runner, weights):
        """Of a step from these weights; leaves those after it in self.after."""
        import numpy
        loss = runner.train(RATE)
        self.after = runner.weights()
        return [("loss", "the loss", numpy.array([loss]))] + self.named_gradients(
            [(before - w) / RATE for before, w in zip(weights, self.after)])

    def compare_second_step(self, runner):
        before = [w.astype("float64") for w in self.after]
        found = self.trained(runner, before)
        exact, noisy = [self._train(before, noise, random_state(self.seed, 12)) for noise in (0.0, self.noise())]
        self.set_bounds(exact, noisy)
        self.compare(found, exact, before, " in step 2")

    def compare_untouched(self, cache):
        first, end = self.task.context, self.task.context + self.steps()
        for layer, (pair, right) in enumerate(zip(cache, self.cache())):
            for kind, found, expected in zip(("keys", "values"), pair, right):
                same = (found.shape == expected.shape and (found[:, :, :first] == expected[:, :, :first]).all() and
                        (found[:, :, end:] == expected[:, :, end:]).all())
                self.add("the %s of layer %d that no step writes" % (kind, layer), 0.0 if same else reference.HUGE, 0)

    def compare(self, found, exact, weights=None, where=""):
        """`weights`: those before a training step."""
        import numpy
        if len(found) != len(exact):
            self.add("the number of results", reference.HUGE, 0)
        before = {}
        if self.task.phase == "train":
            before = dict((words, w) for (_, words, _), w in zip(exact[1:], weights or self.weights()))
        for (kind, words, right), (_, _, value) in zip(exact, found):
            bound = self.bounds[kind]
            if words in before:
                bound += 2 * self.sums * float(numpy.sqrt((before[words]**2).sum() / (right**2).sum())) / RATE
            self.add(words + where, relative(value, right), bound)
            self.add_ulps(value, right, before.get(words))

    def add_ulps(self, value, right, weights):
        """`weights`: those before the step whose gradient this is."""
        if self.stored not in reference.PRECISION or value.shape != right.shape:
            return
        if self.task.phase != "train":
            found = reference.largest_ulps(value.astype("float64"), right, self.stored)
        elif weights is None:
            found = reference.tensor_ulps(value, right, self.stored)
        else:
            found = reference.tensor_ulps(weights - RATE * value, weights - RATE * right, self.stored)
        self.ulps = max(self.ulps or 0.0, found)

    def document(self, whole):
        """The error that is largest beside its bound."""
        ratio, error, bound, words = max(self.errors)
        task = self.task
        text = "float64: %s" % {"prefill": "logits and cache of a prompt", "decode": "logits and cache of %d steps at depth %d" % (
            self.steps(), task.context), "train": "loss and %d gradients of %s" % (
                len(self.shape.tensors()), "two steps" if self.workers.several else "a step")}[task.phase]
        if not whole:
            text += "; of %d layers, %d rows of vocabulary, %d sequences, %d positions" % (
                self.shape.layers, self.shape.vocabulary, task.batch, task.context)
        result = {"reference": text + self.workers.words(), "max_relative_error": error, "bound": bound, "pass": ratio <= 1}
        if self.ulps is not None:
            result["max_ulps"] = self.ulps
        result["worst" if ratio <= 1 else "detail"] = words if ratio <= 1 else (
            "%s: relative error %.3g, at most %.3g is right" % (words, error, bound))
        return result


def arrays_of(found):
    """What all frameworks have alike, whatever their own types are."""
    return [array.astype("float64") for _, _, array in found]


def check_runner(runner, shape, task, dtype, tf32, seed, whole=True, workers=None, bits=None):
    """`runner` was made of Check.weights() of this shape. `bits`: Bits of what is compared, by `arrays_of`."""
    check = Check(shape, task, dtype, tf32, seed, workers)
    check.start(runner)
    exact = check.expected()
    check.set_bounds(exact, check.expected(check.noise()))
    check.compare(check.found(runner) if bits is None else bits.first(lambda: check.found(runner)), exact)
    if task.phase == "train" and check.workers.several:
        check.compare_second_step(runner)
    return check.workers.agreed(check.document(whole))
