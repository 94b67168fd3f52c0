"""Does the step that is going to be timed train the network? Two of its steps against NumPy in float64 (numpy_steps.py).

The batch of the check has the batch's own size, since other shapes may mean other kernels, but consists of copies of a few
images, shuffled: loss, gradients and batch norm of it are those of the few, which the reference computes. "Few" is the smallest
divisor of the batch that leaves every batch norm at least 16 values a channel (two of opposite sign are what remains of two:
gradients vanish), and preferably two images.

Compared, each as |found - expected| / |expected| in the Euclidean norm of a tensor:
  step 1: the loss; every velocity, which is the gradient; every running mean and variance
  step 2: the loss, and every velocity - momentum x the velocity before, which is the gradient at the weights that step 1 left (read
          back, so that step 1's errors do not count again)
and, entry by entry, the weights after each step against w - learning_rate v of the weights and velocities read, within 8 u (|w|
+ |learning_rate v|), u = 2^-24: they are kept and updated in float32 whatever the dtype.

`max_ulps`: of the losses and of what each step leaves (velocities, weights, running statistics), against the right step from what the
step before left, in ulps of float32 at the largest right entry of the tensor (reference.tensor_ulps). Velocities have the most.

Bound: no formula in K and u holds for fifty layers, batch norms and ReLUs among them: where rounding carries an activation
across 0 the gradient jumps, so that gradients of float32 are off by up to 1e-2 while the loss is right to 1e-7. So it is
measured: in each step the reference is evaluated again with every result, gradient and weight multiplied by 1 + e x, x random in [-1, 1),
where e is the unit roundoff of the dtype (results are rounded to it), or 8 times float32's if that is more (sums are rounded on
the way, in any order; fast convolutions). A quantity's bound is 4 times the largest relative change among its kind (loss,
gradients, running statistics), plus 16 float32 roundoffs or the dtype's one; at most 1/4 in float32. A jump that one draw of x has
not made another may: where a gradient is further off than its bound, x is drawn again, up to 8 times. In mixed precision the
gradient of one small tensor can be off by its own size, that of all of a kind (convolutions, gammas, betas) by a half
(bfloat16, 50 layers): those are compared, with a bound of at most 0.85, where a gradient of the other sign or none has 2 and 1;
the loss still tells 1e-2. What is not seen then: a wrong gradient of a single tensor.
"""

from __future__ import absolute_import, division

from stackx_pi import reference
from stackx_pi.inputs import random_state
from stackx_pi.parallel.workers import Workers
from stackx_pi.reference import relative
from stackx_pi.training import State
from stackx_pi.training import network as networks
from stackx_pi.training.numpy_steps import Evaluation, Operations

SAFETY = 4
LARGEST_BOUND, LARGEST_MIXED_BOUND = 0.25, 0.85
MIXED = 2.0**-12  # coarser: mixed precision, or TF32
LEAST_VALUES = 16
FLOAT32 = 2.0**-24
UPDATE_BOUND = 8 * FLOAT32
DRAWS = 8  # further ones


def different_images(batch, last_positions):
    """How many images the check's batch consists of."""
    enough = [few for few in range(1, batch + 1) if batch % few == 0 and few * last_positions >= LEAST_VALUES]
    if not enough:
        return batch
    several = [few for few in enough if 2 <= few <= 16]
    return several[0] if several else enough[0]


class Check(object):
    def __init__(self, network, images, labels, copies, roundoff, seed, workers):
        import numpy
        self.network, self.images, self.labels = network, numpy.asarray(images, numpy.float64), labels
        self.copies, self.roundoff, self.seed, self.workers = copies, roundoff, seed, workers
        self.most = LARGEST_MIXED_BOUND if roundoff > MIXED else LARGEST_BOUND
        self.errors = []  # (error / bound, error, bound, words)
        self.bounds = {}  # kind -> bound; the kind is the first word but "the"
        self.ulps = 0.0
        self.noise = random_state(seed, 11)

    def evaluate(self, weights, noise=0.0):
        operations = Operations(self.network, weights, noise, self.noise, self.copies)
        found = Evaluation(operations, self.images, self.labels)
        found.gradients = self.workers.right_mean(found.gradients)
        return found

    def quantities(self, evaluation):
        """[(words, array)]"""
        import numpy
        result = [("the loss", numpy.array([evaluation.loss]))]
        result += [("the gradient of " + name, g) for name, g in self.grouped(evaluation.gradients)]
        for i, (mean, variance) in enumerate(evaluation.statistics):
            result += [("the running mean %d" % i, mean), ("the running variance %d" % i, variance)]
        return result

    def grouped(self, gradients):
        """[(words, array)]: each tensor for itself; of mixed precision all tensors of a kind at once."""
        import numpy
        names = [name for name, _ in self.network.shapes()]
        if self.roundoff <= MIXED:
            return list(zip(names, gradients))
        groups = [("convolutions", 0), ("gammas", 1), ("betas", 2)]
        result = [(name, numpy.concatenate([g.ravel() for g in gradients[first:-2:3]])) for name, first in groups]
        return result + list(zip(names[-2:], gradients[-2:]))

    def expect(self, weights):
        """The right step at these weights; bounds widen to what rounding does there."""
        exact = self.evaluate(weights)
        self.widen(exact, weights)
        return exact

    def widen(self, exact, weights):
        """By one draw of what rounding does."""
        noisy = self.evaluate(weights, max(self.roundoff, 8 * FLOAT32))
        for (words, found), (_, expected) in zip(self.quantities(noisy), self.quantities(exact)):
            kind = words.split()[1]
            bound = SAFETY * relative(found, expected) + max(16 * FLOAT32, self.roundoff)
            self.bounds[kind] = max(self.bounds.get(kind, 0), min(bound, self.most))

    def add(self, words, error, bound):
        self.errors.append((error / bound if bound else 0, error, bound, words))

    def compare(self, step, expected, weights, found_loss, gradients):
        """`weights`: those that `expected` is of."""
        import numpy
        self.add("the loss of step %d" % step, relative(numpy.array([found_loss]), numpy.array([expected.loss])),
                 self.bounds["loss"])
        wrong = [name for (name, shape), found in zip(self.network.shapes(), gradients) if tuple(found.shape) != shape]
        errors = [] if wrong else [(name, relative(found, right)) for (name, found), (_, right) in zip(
            self.grouped(gradients), self.grouped(expected.gradients))]
        self.draw_again(expected, weights, max([error for _, error in errors] or [0]))
        for name in wrong[:1]:
            self.add("the shape of %s" % name, reference.HUGE, self.bounds["gradient"])
        for name, error in errors:
            self.add("the gradient of %s in step %d" % (name, step), error, self.bounds["gradient"])

    def draw_again(self, expected, weights, error):
        """As often in all workers, whose right means are one."""
        for _ in range(DRAWS):
            if not any(self.workers.gathered(bool(self.bounds["gradient"] < error <= self.most))):
                return
            self.widen(expected, weights)

    def compare_statistics(self, before, after, expected):
        """The new part of each running statistic, weighed by 1 / STATISTICS_RATE."""
        rate = networks.STATISTICS_RATE
        for words, old, new, column in (("mean", before.means, after.means, 0), ("variance", before.variances,
                                                                                after.variances, 1)):
            for i, right in enumerate(expected.statistics):
                found = (new[i] - (1 - rate) * old[i]) / rate
                # float32's rounding of the sum, seen through the division, is no error of the step
                slack = 2 * FLOAT32 / rate * abs(old[i]).max() / max(abs(right[column]).max(), 1e-30)
                self.add("the running %s %d" % (words, i), relative(found, right[column]), self.bounds["running"] + float(slack))

    def compare_update(self, step, before, after, learning_rate):
        import numpy
        for (name, _), old, new, velocity in zip(self.network.shapes(), before.weights, after.weights, after.velocities):
            moved = learning_rate * velocity
            with numpy.errstate(all="ignore"):
                error = float(numpy.max(numpy.abs(new - (old - moved)) / (numpy.abs(old) + numpy.abs(moved) + 1e-30)))
            self.add("the update of %s in step %d" % (name, step), error if error < reference.HUGE else reference.HUGE,
                     UPDATE_BOUND)

    def add_ulps(self, found_loss, after, expected, right):
        import numpy
        pairs = [(numpy.array([found_loss]), numpy.array([expected.loss]))] + list(zip(all_of(after), all_of(right)))
        self.ulps = max([self.ulps] + [reference.tensor_ulps(found, exact, "float32") for found, exact in pairs])

    def document(self, few):
        """The error that is largest beside its bound."""
        ratio, error, bound, words = max(self.errors)
        result = {"reference": "two steps in float64: loss, %d gradients, running statistics, update; %d different images" % (
            len(self.network.shapes()), few) + self.workers.words(), "max_relative_error": error, "bound": bound, "pass": ratio <= 1,
            "max_ulps": self.ulps}
        result["worst" if ratio <= 1 else "detail"] = words if ratio <= 1 else (
            "%s: relative error %.3g, at most %.3g is right" % (words, error, bound))
        return result


class Batch(object):
    """What the check trains on: `images`, `labels` of the few; shuffled copies of them, whose parts are none like the whole."""

    def __init__(self, network, batch, seed, workers):
        from stackx_pi.training import random_batch
        self.few = different_images(batch, network.last_positions)
        self.images, self.labels = random_batch(network, self.few, seed, workers.stream(2))
        self.copies = batch // self.few
        self.order = random_state(seed, 12).permutation(batch) % self.few

    def two_steps(self, trainer):
        """[(loss, State after it)]"""
        trainer.put(self.images[self.order], self.labels[self.order])
        return [(trainer.step(), trainer.read()) for _ in range(2)]


def right_step(before, expected, settings):
    """The State after it."""
    rate = networks.STATISTICS_RATE
    velocities = [settings.momentum * v + g for v, g in zip(before.velocities, expected.gradients)]
    weights = [w - settings.learning_rate * v for w, v in zip(before.weights, velocities)]
    means, variances = [[(1 - rate) * old + rate * new for old, new in zip(olds, news)] for olds, news in zip(
        (before.means, before.variances), zip(*expected.statistics))]
    return State(weights, velocities, means, variances)


def all_of(state):
    return state.weights + state.velocities + state.means + state.variances


def arrays_of(steps):
    return all_of(steps[-1][1])


def check_training(trainer, network, settings, batch, start, roundoff, seed, workers=None, bits=None):
    """`start`: the State that the trainer was made with; `batch`: images a step, of each of the `workers`. `bits`: Bits of the two
    steps, by `arrays_of`."""
    import numpy
    workers = workers or Workers.alone()
    of_check = Batch(network, batch, seed, workers)
    check = Check(network, of_check.images, of_check.labels, of_check.copies, roundoff, seed, workers)
    steps = of_check.two_steps(trainer) if bits is None else bits.first(lambda: of_check.two_steps(trainer))
    (first_loss, first), (second_loss, second) = steps
    start = State(*[[numpy.asarray(a, numpy.float64) for a in arrays] for arrays in (
        start.weights, start.velocities, start.means, start.variances)])
    expected = check.expect(start.weights)
    check.compare(1, expected, start.weights, first_loss, first.velocities)
    check.compare_statistics(start, first, expected)
    check.compare_update(1, start, first, settings.learning_rate)
    check.add_ulps(first_loss, first, expected, right_step(start, expected, settings))
    expected = check.expect(first.weights)
    check.compare(2, expected, first.weights, second_loss, [v - settings.momentum * old for v, old in zip(second.velocities, first.velocities)])
    check.compare_update(2, first, second, settings.learning_rate)
    check.add_ulps(second_loss, second, expected, right_step(first, expected, settings))
    return workers.agreed(check.document(of_check.few))
